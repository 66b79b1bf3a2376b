"""Configurations of builds: where they are found, what they may say, what mistakes are told."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from bpp.pipeline import (
    Configuration,
    FileProblem,
    Limits,
    Source,
    find_configuration,
    load_configuration,
)
from bpp.pipeline.building.builds import UnknownTarget, select
from bpp.pipeline.formats.toml_reader import toml_places

SOUND = """\
[targets.api]
blueprint = "api.yaml"
output = "out/{target}-{env}-{region}.yaml"
vars = ["vars/{env}.yaml"]
matrix = {env = ["staging", "prod"], region = ["eu", "us"]}
variables = {environment = "{env}", path = "/x/{{id}}", both = "{env}-{region}", size = 3}
"""


def load(folder: Path, text: str, name: str = "bpp.toml") -> Configuration:
    (folder / name).write_text(text)
    return load_configuration(folder / name)


def one(table: str) -> str:
    return f'[targets.t]\nblueprint = "b.yaml"\noutput = "o.yaml"\n{table}'


# --- what is found ------------------------------------------------------------------------------


def test_the_nearest_configuration_counts(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.bpp]\n")
    assert find_configuration(str(inner)) == str(tmp_path / "pyproject.toml")
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'bpp-user'\n")
    assert find_configuration(str(inner)) == str(tmp_path / "pyproject.toml")
    (tmp_path / "bpp.toml").write_text("")
    assert find_configuration(str(inner)) == str(tmp_path / "bpp.toml")
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.bpp.targets]\n")
    assert find_configuration(str(inner)) == str(tmp_path / "a" / "pyproject.toml")


def test_a_project_file_that_cannot_be_read_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.bpp]\nx = \n")
    found = find_configuration(str(tmp_path))
    assert found == str(tmp_path / "pyproject.toml")
    assert [str(d.span) for d in load_configuration(found).diagnostics] == [f"{found}:2:5"]


def test_both_files_say_the_same(tmp_path: Path) -> None:
    own = load(tmp_path, SOUND)
    shared = load(tmp_path, SOUND.replace("[targets", "[tool.bpp.targets"), "pyproject.toml")
    assert own.ok
    assert own.targets == shared.targets


def test_a_configuration_that_is_not_there() -> None:
    with pytest.raises(FileProblem):
        load_configuration("/nonexistent/bpp.toml")


# --- what it means ------------------------------------------------------------------------------


def test_a_matrix_gives_all_combinations(tmp_path: Path) -> None:
    targets = load(tmp_path, SOUND).targets
    assert [target.name for target in targets] == [
        "api[env=staging,region=eu]",
        "api[env=staging,region=us]",
        "api[env=prod,region=eu]",
        "api[env=prod,region=us]",
    ]
    last = targets[-1]
    assert last.output == "out/api-prod-us.yaml"
    assert last.vars == ("vars/prod.yaml",)
    assert last.variables == {
        "environment": "prod",
        "path": "/x/{id}",
        "both": "prod-us",
        "size": 3,
    }


@pytest.mark.parametrize(
    ("matrix", "names"),
    [
        ("{a = [1, 2], exclude = [{a = 1}]}", ["t[a=2]"]),
        ("{a = [1, 2], b = ['x'], exclude = [{a = 1, b = 'x'}]}", ["t[a=2,b=x]"]),
        ("{a = [1], b = ['x'], include = [{a = 2, b = 'y'}]}", ["t[a=1,b=x]", "t[a=2,b=y]"]),
        ("{a = [true, false]}", ["t[a=true]", "t[a=false]"]),
        ("{}", ["t"]),
    ],
)
def test_exclude_and_include(tmp_path: Path, matrix: str, names: list[str]) -> None:
    text = f"[targets.t]\nblueprint = 'b.yaml'\nmatrix = {matrix}\n"
    output = "output = 'o{a}.yaml'\n" if "a" in matrix else "output = 'o.yaml'\n"
    found = load(tmp_path, text + output)
    assert [target.name for target in found.targets] == names


def test_a_placeholder_that_is_all_keeps_its_type(tmp_path: Path) -> None:
    text = "matrix = {n = [1], yes = [true]}\nvariables = {n = '{n}', yes = '{yes}', s = 'x{n}'}"
    [target] = load(tmp_path, one(text).replace("o.yaml", "{n}.yaml")).targets
    assert target.variables == {"n": 1, "yes": True, "s": "x1"}


def test_defaults_are_joined_and_overridden(tmp_path: Path) -> None:
    text = """\
[defaults]
output = "out/{target}.yaml"
vars = ["common.yaml"]
variables = {a = 1, b = 1}
strict = true
secrets = "mask"
allow-net = ["a.example"]
now = 2026-01-31T12:00:00Z
[limits]
max_each = 50
[targets.one]
blueprint = "b.yaml"
vars = ["own.yaml"]
variables = {b = 2}
strict = false
allow-net = ["b.example"]
limits = {max_each = 10}
[targets.two]
blueprint = "b.yaml"
now = 5
"""
    first, second = load(tmp_path, text).targets
    assert first.output == "out/one.yaml"
    assert first.vars == ("common.yaml", "own.yaml")
    assert first.variables == {"a": 1, "b": 2}
    assert (first.strict, first.secrets, first.now) == (False, "mask", 1769860800.0)
    assert first.allow_net == ("a.example", "b.example")
    assert dict(first.limits) == {"max_each": 10}
    assert (second.strict, second.now, dict(second.limits)) == (True, 5.0, {"max_each": 50})


@pytest.mark.parametrize(
    ("names", "count"),
    [
        ([], 4),
        (["api"], 4),
        (["api[env=prod]"], 2),
        (["api[region=eu,env=prod]"], 1),
        (["api[env=prod,region=eu]", "api[env=staging]"], 3),
    ],
)
def test_targets_are_chosen_by_name(tmp_path: Path, names: list[str], count: int) -> None:
    assert len(select(load(tmp_path, SOUND).targets, names)) == count


@pytest.mark.parametrize("name", ["apu", "api[env=pro]", "api[", "api[]", "api[env]", ""])
def test_unknown_targets(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnknownTarget, match="unknown target"):
        select(load(tmp_path, SOUND).targets, [name])


# --- mistakes -----------------------------------------------------------------------------------

FORM = [
    ("x = 1", "invalid_configuration@4:1", "`x` is not known in `targets.t`"),
    ('formt = "yaml"', "invalid_configuration@4:1", "did you mean `format`?"),
    ("allow_net = []", "invalid_configuration@4:1", "did you mean `allow-net`?"),
    ("strict = 1", "invalid_configuration@4:10", "must be a boolean, not an integer"),
    ('format = "jsn"', "invalid_configuration@4:10", "did you mean `json`?"),
    ('secrets = "reveal"', "invalid_configuration@4:11", "a build writes no secrets"),
    ("vars = 'a'", "invalid_configuration@4:8", "must be an array, not a string"),
    ("vars = ['a', 1]", "invalid_configuration@4:14", "`targets.t.vars[1]` must be a string"),
    ("vars = ['']", "invalid_configuration@4:9", "must be the path of a file"),
    ("state = '-'", "invalid_configuration@4:9", "must be the path of a file"),
    ("variables = {a = [1]}", "invalid_configuration@4:18", "not an array"),
    ("variables = {a = inf}", "invalid_configuration@4:18", "not finite"),
    ("variables.a.b = 1", "invalid_configuration@4:13", "not an object"),
    ("now = 2026-01-31", "invalid_configuration@4:7", "a time with an offset"),
    ("now = 2026-01-31T12:00:00", "invalid_configuration@4:7", "a time with an offset"),
    ("now = -1", "invalid_configuration@4:7", "a time with an offset"),
    ("seed = true", "invalid_configuration@4:8", "must be an integer, not a boolean"),
    ("seed = 99999999999999999999", "invalid_configuration@4:8", "64 bits"),
    ("limits = {max_ech = 1}", "invalid_configuration@4:11", "did you mean `max_each`?"),
    ("limits = {max_each = 0}", "invalid_configuration@4:22", "at least 1"),
    ("limits = {max_each = 200000}", "limit_not_tighter@4:22", "the limit is already 100000"),
    ("matrix = []", "invalid_configuration@4:10", "must be an object"),
    ("matrix = {a = 1}", "invalid_configuration@4:15", "an array with at least one value"),
    ("matrix = {a = []}", "invalid_configuration@4:15", "an array with at least one value"),
    ("matrix = {a = [1, '1']}", "invalid_configuration@4:19", "is already in the axis"),
    ("matrix = {a = [1.5]}", "invalid_configuration@4:16", "a string, an integer or a boolean"),
    ("matrix = {'a b' = [1]}", "invalid_configuration@4:19", "cannot be the name of an axis"),
    ("matrix = {target = [1]}", "invalid_configuration@4:20", "cannot be the name of an axis"),
    ("matrix = {a=[1], exclude=1}", "invalid_configuration@4:26", "must be an array"),
    ("matrix = {a=[1], exclude=[1]}", "invalid_configuration@4:27", "must be an object"),
    ("matrix = {a=[1], exclude=[{aa=1}]}", "invalid_configuration@4:31", "did you mean `a`?"),
    ("matrix = {a=[1], exclude=[{a=2}]}", "invalid_configuration@4:27", "excludes nothing"),
    (
        "matrix = {a=[1], exclude=[{a=1}]}",
        "invalid_configuration@4:10",
        "of `t` is excluded",
    ),
    ("matrix = {a=[1], include=[{}]}", "invalid_configuration@4:27", "has no value for `a`"),
    (
        "matrix = {a=[1], include=[{a=1}]}",
        "invalid_configuration@4:27",
        "already has this",
    ),
    (
        "vars = ['{regio}']\nmatrix = {region = [1]}",
        "unknown_placeholder@4:9",
        "axis `regio`",
    ),
    ("variables = {a = '{x}'}", "unknown_placeholder@4:18", "unknown axis `x`"),
    ("matrix = {a = [1, 2]}", "duplicate_output@3:10", "both write `o.yaml`"),
    ("vars = ['./o.yaml']", "duplicate_output@3:10", "would replace `./o.yaml`"),
    ("depfile = 'o.yaml'", "duplicate_output@4:11", "writes `o.yaml` twice"),
    ("source-map = 'bpp.toml'", "duplicate_output@4:14", "would replace `bpp.toml`"),
    ("depfile = 'd/'", "invalid_configuration@4:11", "names a folder"),
    ("[targets.'a b']", "invalid_configuration@4:10", "cannot be the name of a target"),
    ("[targets.u]\noutput = 'u'", "invalid_configuration@4:10", "`u` has no `blueprint`"),
    (
        "[targets.u]\nblueprint = 'b'\noutput = './o.yaml'",
        "duplicate_output@6:10",
        "use `{target}`",
    ),
    ("[target]", "invalid_configuration@4:2", "did you mean `targets`?"),
    ("[defaults]\nlimits = {}", "invalid_configuration@5:1", "`limits` is not known in `defaults`"),
    (
        "[limits]\nmax_each = 5\n[targets.t.limits]\nmax_each = 6",
        "limit_not_tighter@7:12",
        "the limit is already 5",
    ),
    ("x = ", "invalid_configuration@4:5", "invalid TOML"),
]


@pytest.mark.parametrize(("table", "place", "words"), FORM, ids=[row[0] for row in FORM])
def test_mistakes_have_places(tmp_path: Path, table: str, place: str, words: str) -> None:
    found = load(tmp_path, one(table))
    assert not found.ok
    assert found.targets == ()
    code, _, where = place.partition("@")
    items = list(found.diagnostics)
    assert [item.code for item in items] == [code]
    assert [str(item.span).partition(".toml:")[2] for item in items] == [where]
    assert words in f"{items[0].summary} {items[0].hint}"


def test_places_in_a_project_file(tmp_path: Path) -> None:
    text = "[project]\nx = 1\n[tool.bpp.targets.t]\nstrict = 'no'\n"
    [item] = load(tmp_path, text, "pyproject.toml").diagnostics
    assert str(item.span).endswith("pyproject.toml:4:10")


@pytest.mark.parametrize("text", ["", "[targets]", "[defaults]\nstrict = true"])
def test_there_must_be_a_target(tmp_path: Path, text: str) -> None:
    [item] = load(tmp_path, text).diagnostics
    assert item.summary == "there are no targets"


def test_too_many_combinations(tmp_path: Path) -> None:
    axes = ", ".join(f"{name} = [{', '.join(map(str, range(20)))}]" for name in "abcd")
    [item] = load(tmp_path, one(f"matrix = {{{axes}}}")).diagnostics
    assert (item.code, item.hint) == ("limit_exceeded", "split the configuration")


def test_every_limit_may_be_tightened(tmp_path: Path) -> None:
    lines = "".join(f"{name} = 1\n" for name in Limits.__match_args__)
    found = load(tmp_path, one(f"[limits]\n{lines}"))
    assert found.ok
    assert dict(found.targets[0].limits) == dict.fromkeys(Limits.__match_args__, 1)


@pytest.mark.parametrize("content", [b"\xff", b"\xef\xbb\xbf", b"[" * 5000, b"a = " + b"[" * 5000])
def test_what_is_no_text_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bpp.toml").write_bytes(content)
    assert load_configuration(tmp_path / "bpp.toml").diagnostics.errors


# --- places in TOML -----------------------------------------------------------------------------

TOML = r'''
a.b = 1 # x
"q\u0041" = [1, "]", # c
  {x = 'a', y.z = 2 },
  [], {}, [ [ "#" ] ],
]
'li.t' . "k" = -1.5e3
d = 1979-05-27 07:32:00
m = """a""b"\"""" # "end
n = @@@it's@@@'
[ t . w ]
j = "}"
[[t.u]]
k = 1
[t.u.v]
w = true
[[t.u]]
k = 2
'''.replace("@@@", "'" * 3)


def test_every_toml_value_is_found_where_it_is_written() -> None:
    places = toml_places(Source("x.toml", TOML))
    seen = 0

    def look(value: Any, path: tuple[str | int, ...]) -> None:
        nonlocal seen
        place = places[path]
        written = TOML[place.value.start : place.value.end]
        opening = "{" if isinstance(value, dict) else "[" if isinstance(value, list) else ""
        if written.startswith(opening):  # no table whose name is all there is of it
            assert tomllib.loads(f"k = {written}") == {"k": value}
            seen += 1
        if path and isinstance(path[-1], str):
            key = TOML[place.key.start : place.key.end]
            assert tomllib.loads(f"{key} = 0") == {path[-1]: 0}
        if isinstance(value, dict):
            value = list(value.items())
        elif isinstance(value, list):
            value = list(enumerate(value))
        else:
            return
        for step, child in value:
            look(child, (*path, step))

    for name, value in tomllib.loads(TOML).items():
        look(value, (name,))
    assert seen == 20
