"""Many mistakes in one run: all are told, none twice, in little time and little text."""

from __future__ import annotations

import cProfile
import difflib
import importlib
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from bpp.pipeline import Limits, MemoryFiles, Settings, Source, check, render
from bpp.pipeline.codes import CODES
from bpp.pipeline.dialects.bluelink.checking.dependencies import shortest_cycles
from bpp.pipeline.dialects.bluelink.structure import recovery
from bpp.pipeline.formats.report import render as report
from bpp.pipeline.language.language import Language
from bpp.pipeline.values.diagnostics import (
    ERROR,
    WARNING,
    Diagnostic,
    Diagnostics,
    Names,
    likely,
    nearest,
)
from support.annotated import marks_of
from support.harness import checks, discover, run

ROOT = Path(__file__).parent.parent
FIFTY = next(case for case in discover() if case.name == "errors/fifty_mistakes")
HEAD = "version: 2023-04-20\n"


def codes(text: str, format: str = "yaml", **files: str) -> list[str]:  # noqa: A002
    """The codes of what the static checks say, by place."""
    source = Source("blueprint.yaml", text, format)
    given = MemoryFiles({name.replace("_", "."): content for name, content in files.items()})
    return [item.code for item in check(source, files=given).sorted()]


def test_fifty_mistakes_of_many_kinds_are_told_in_one_run() -> None:
    checked, rendered = checks(FIFTY), run(FIFTY).diagnostics
    assert marks_of(checked) == marks_of(rendered)
    assert checked.errors >= 50
    found = {item.code for item in checked}
    assert len(found) >= 40
    assert len({CODES[code].topic for code in found}) >= 12


def test_each_of_the_fifty_is_told_once() -> None:
    lines = [item.span.line for item in checks(FIFTY) if item.span]
    assert len(lines) == len(set(lines))


# What one mistake must not hide, or not cause: sections after the version, codes by place.
ROWS = [
    # a mistake of structure, and one of names elsewhere, in the same resource too
    (
        "resources:\n  a:\n    type: x\n    spec:\n      b: ${values.no}\n",
        ["invalid_resource_type", "value_not_found"],
    ),
    # what is known of a misspelt section or key is taken as it was meant
    ("varaibles:\n  a: {type: string}\nvalues:\n  b: {type: string, value: '${variables.a}'}\n", 1),
    ("resources:\n  a:\n    type: x/y\n    eahc: ${list(1)}\n    spec: {b: '${elem}'}\n", 1),
    ("vlaues:\n  a: {type: string, value: 5}\n", ["unknown_field", "value_type_mismatch"]),
    # unless it is something else altogether
    ("resources: {a: {type: x/y, spek: 1}}\n", ["unknown_field"]),
    ("resources: {a: {type: x/y, spec: {}, descriptions: [x]}}\n", ["unknown_field"]),
    # nothing is known of what is no map
    ("values: 5\nmetadata: {a: '${values.b}'}\n", ["invalid_map"]),
    ("values: {a: 5}\nmetadata: {a: '${values.a.b}'}\n", ["invalid_map"]),
    ("resources: {a: 5}\nmetadata: {a: '${resources.a.spec.b}'}\n", ["invalid_map"]),
    ("datasources: {a: 5}\nmetadata: {a: '${datasources.a.b}'}\n", ["invalid_map"]),
    ("include: 5\nmetadata: {a: '${children.a.b}'}\n", ["invalid_map"]),
    # nor of a type that is none, or of a text that could not be read
    ("values: {a: {type: strin, value: '${list(1)}'}}\n", ["invalid_value_type"]),
    (
        "datasources: {a: {type: x/y, filter: {field: b, operator: '=', search: c}, "
        "exports: {d: {type: strin}}}}\n"
        "metadata: {a: '${to_upper(datasources.a.d)} ${datasources.a.d[0]}'}\n",
        ["invalid_data_source_field_type"],
    ),
    ("exports: {a: {type: strin, field: values.b}}\nvalues: {b: {type: string, value: x}}\n", 1),
    (
        "values:\n  a: {type: object, value: {b: '${len(}'}}\n"
        "  c: {type: string, value: '${values.a.b.c}'}\n",
        ["invalid_substitution"],
    ),
    # where no substitution may stand, it is not looked into
    ("resources: {a: {type: '${variables.no}', spec: {}}}\n", ["substitution_not_allowed"]),
    # text around a substitution is the mistake, not what the substitution gives
    ("resources: {a: {type: x/y, each: 'a ${list(1)}', spec: {}}}\n", 1),
    ("values: {a: {type: array, value: 'a ${list(1)}'}}\n", ["value_type_mismatch"]),
    # keys that are written twice: both are looked into, and both can be referred to
    (
        "values:\n  a: {type: string, value: '${values.b}'}\n"
        "values:\n  b: {type: string, value: '${values.a.x}'}\n",
        ["reference_cycle", "duplicate_key", "path_not_found"],
    ),
    (
        "values:\n  a: {type: string, value: x}\n  a: {type: txt}\n",
        ["duplicate_key", "missing_value", "invalid_value_type"],
    ),
    ("values:\n  a: {type: string, value: x, value: '${values.no}'}\n", 2),
    (
        "values:\n  a: {type: string, value: x}\n  b: {type: string, value: '${values.b}'}\n"
        "values:\n  a: {type: string, value: '${values.a}'}\n",
        ["reference_cycle", "duplicate_key"],
    ),
    # an export, a filter, a dependency: one mistake each
    ("exports: {a: {type: string, feild: values.x}}\n", ["unknown_field", "value_not_found"]),
    ("exports: {a: {type: string, field: ''}}\n", ["empty_export_field"]),
    ("resources: {a: {type: x/y, dependsOn: ['', a], spec: {}}}\n", 2),
    # a child with a mistake and one that is not there
    (
        "resources: 5\ninclude: {a: {path: a.yaml}, b: {path: 5}, c: {path: c.yaml}}\n",
        ["invalid_map", "include_path_type", "include_path_not_found", "value_not_found"],
    ),
    # transforms that have not run because of other mistakes: what they could make is not missed,
    # the rest is told; of one that is not known, resources and their fields are not missed
    (
        "transform: made-up\nvalues: {a: {type: txt, value: '${no()} ${values.later}'}}\n",
        ["invalid_value_type", "function_not_found"],
    ),
    ("transform: made-up\nvalues: {a: {type: string, value: '${no()} ${values.later}'}}\n", 3),
    (
        "transform: made-up\nvalues: {a: {type: string, value: '${resources.b.spec.c}'}}\n",
        ["missing_transformers"],
    ),
]


@pytest.mark.parametrize(("body", "expected"), ROWS)
def test_a_mistake_neither_hides_others_nor_causes_any(
    body: str, expected: list[str] | int
) -> None:
    if "resources:" not in body:
        body += "resources: {}\n"
    version = "version: 2025-11-02\n" if "dependsOn" in body else HEAD
    child = HEAD + "resources: {}\nmetadata: {a: '${values.no}'}\n"
    found = codes(version + body, a_yaml=child)
    assert (found if isinstance(expected, list) else len(found)) == expected


def test_a_render_that_fails_early_looks_at_children_too() -> None:
    main = HEAD + "include: {a: {path: a.yaml}}\nresources: 5\n"
    files = MemoryFiles({"blueprint.yaml": main, "a.yaml": HEAD + "resources: 6\n"})
    found = render("blueprint.yaml", files=files).diagnostics
    assert [item.span.source.name for item in found if item.span] == ["blueprint.yaml", "a.yaml"]


def test_json_keeps_what_is_written_twice() -> None:
    text = (
        '{"version": "2023-04-20", "resources": {}, "values": {"a": {"type": "string", '
        '"value": "x"}, "a": {"type": "text", "value": "${values.b}"}}}'
    )
    assert codes(text, "json") == ["duplicate_key", "invalid_value_type", "value_not_found"]


class Again(str):
    """How compiled code sees a key that is written again: it compares the text, never the hash."""

    __slots__ = ()
    __hash__ = object.__hash__


def test_a_key_that_is_written_again_is_no_step_of_a_cycle() -> None:
    first, again, other = ("values", "a"), ("values", Again("a")), ("values", "b")
    assert again == first
    cycles = shortest_cycles({again: {other: 0}, first: {}, other: {first: 0, other: 0}})
    assert cycles == [[other]]


# --- how many -----------------------------------------------------------------------------------


def many(count: int, limit: int = 1000) -> Diagnostics:
    """Errors and as many warnings, the warnings first."""
    found = Diagnostics(limit)
    for severity in (WARNING, ERROR):
        for number in range(count):
            found.add(Diagnostic("limit_exceeded", f"{severity} {number}", severity=severity))
    return found


def test_counts_are_exact_past_the_limit() -> None:
    found = many(30, limit=20)
    for _ in range(2):
        found.extend(many(30, limit=20))
    assert (found.errors, len(found), found.dropped) == (30, 20, 40)
    assert {item.severity for item in found} == {ERROR}
    told = report(found, "text", color=False, main_file="x")
    assert told.endswith("\n30 errors, 30 warnings (40 more not shown)\n")
    for form in ("json", "sarif", "github"):
        assert "40 more diagnostics are not shown" in report(
            found, form, color=False, main_file="x"
        )


def test_what_a_child_does_not_show_counts() -> None:
    body = "".join(f"  v{i}: {{type: string, value: '${{values.x{i}}}'}}\n" for i in range(30))
    files = MemoryFiles(
        {
            "blueprint.yaml": HEAD + "include: {a: {path: a.yaml}}\nvalues:\n" + body,
            "a.yaml": HEAD + "resources: {}\nvalues:\n" + body,
        }
    )
    settings = Settings(limits=Limits(max_diagnostics=20))
    for found in (
        check("blueprint.yaml", files=files, settings=settings),
        render("blueprint.yaml", files=files, settings=settings).diagnostics,
    ):
        assert (found.errors, len(found), found.dropped) == (60, 20, 40)


@pytest.mark.slow
def test_a_thousand_of_each_kind_are_counted() -> None:
    command = [sys.executable, "-m", "benchmarks.attacks.mistakes", "--count=1500"]
    kinds = ["resource_not_found", "invalid_substitution", "duplicate_key"]
    done = subprocess.run(
        [*command, *kinds], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("0 wrong of 12 reports\n")


def test_many_mistakes_in_one_long_text_take_little_time() -> None:
    # each place was looked up from the start of the text: this took minutes
    lines = "".join(f"      ${{variables.x{i}}} {'text ' * 200}\n" for i in range(450))
    text = HEAD + f"resources: {{}}\nvalues:\n  a:\n    type: string\n    value: |\n{lines}"
    found = check(Source("x.yaml", text, "yaml")).sorted()
    assert [item.span and item.span.line for item in found] == [*range(7, 457)]
    assert {item.span and item.span.column for item in found} == {9}


def test_lines_without_end_are_cut() -> None:
    text = f'{HEAD}values: {{a: {{type: string, value: "{"漢" * 300_000}${{values.x}}"}}}}\n'
    found = check(Source("x.yaml", text + "\n" * 300_000 + "resource: {}\n", "yaml"))
    told = report(found, "text", color=False, main_file="x.yaml", width=80)
    first, second = re.findall(r"(?m)^ *\d+ \| (.*)\n *\| (.*)$", told)
    assert len(told) < 2_000
    assert first[0].startswith("...漢") and first[0].endswith('${values.x}"}}')
    shown = first[0].replace("漢", "##")
    assert shown[first[1].index("^") : len(first[1])] == "values.x"
    assert second == ("resource: {}", "^^^^^^^^")


def test_near_names_of_many() -> None:
    names = Names(f"resource_{number}" for number in range(5_000))
    assert nearest("resuorce_1234", names) == "resource_1234"
    assert nearest("resource_12x34", names) == "resource_1234"
    assert nearest("Resource_77", names) == "resource_77"
    assert nearest("equals", ("eq", "len")) == "eq"
    assert nearest("upper", ("to_upper", "to_lower")) == "to_upper"
    assert nearest("nothing", names) is None


def slipped(name: str, chance: random.Random) -> str:
    """A name with one slip of the pen, or with none."""
    at, letter = chance.randint(0, len(name)), chance.choice("abxz_1Q")
    before, after = name[:at], name[at:]
    slips = (after[1:], letter + after, letter + after[1:], after[1:2] + after[:1] + after[2:])
    return before + chance.choice(slips)


def test_one_slip_is_found_among_names_of_any_kind() -> None:
    chance = random.Random(1)
    words = ("order", "queue", "äöü", "x" * 30, "\U0010ffff\U0010ffff", "a_b")
    every = {f"{chance.choice(words)}{chance.choice('_-')}{n % 900}" for n in range(3_000)}
    for names in (Names(every), Names(sorted(every)[:50])):
        for _ in range(500):
            meant = chance.choice(names.ordered)
            name = slipped(meant, chance)
            if name not in names.known:
                assert meant in names.one_slip_away(name)
                assert likely(name, [nearest(name, names) or ""])


def test_the_nearest_is_what_difflib_finds() -> None:
    chance = random.Random(2)
    names = ["".join(chance.choices("abc_", k=chance.randint(3, 9))) for _ in range(90)]
    for _ in range(300):
        name = "".join(chance.choices("abcd_", k=chance.randint(2, 9)))
        found = difflib.get_close_matches(name, {*names} - {name}, n=1, cutoff=0.75)
        assert likely(name, {*names} - {name}) == (found[0] if found else None)


def calls_of_searches(count: int, length: int) -> int:
    """The calls that twenty searches among so many names take; the names come anew each time."""
    names = [f"name_{number:0{length}}" for number in range(count)]
    profile = cProfile.Profile()
    profile.enable()
    for number in range(20):
        nearest(f"name_{number * 7:0{length}}x5x7", iter(names))
    profile.disable()
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.parametrize("length", [6, 90])
def test_a_search_compares_few_however_many_names_there_are(length: int) -> None:
    few, many_more = (calls_of_searches(count, length) for count in (2_000, 16_000))
    assert many_more < 2 * few


def test_a_hint_is_worded_for_what_is_kept() -> None:
    worded = []
    found = Diagnostics(limit=3)
    for number in range(5):
        for _ in range(2):
            found.error("invalid_yaml", None, f"{number}", lambda: worded.append(1) or "so")
    assert (len(worded), [item.hint for item in found]) == (3, ["so"] * 3)


def searches_in(text: str, name: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """The names that a check or a render of a text with few diagnostics is searched with."""
    searched = []
    for module in ("pipeline.dialects.bluelink.structure.near_fields", "functions.names"):
        real = importlib.import_module(f"bpp.{module}")
        near = real.nearest

        def counted(*given: object, near: Callable[..., object] = near) -> object:
            searched.append(given)
            return near(*given)

        monkeypatch.setattr(real, "nearest", counted)
    source = Source(name, text, "yaml")
    settings = Settings(limits=Limits(max_diagnostics=5))
    assert render(source, files=MemoryFiles({}), settings=settings).diagnostics.dropped
    return len(searched)


GARDEN = "kind: Project\nname: p\nenvironments: [{name: local}]\n"


@pytest.mark.parametrize(
    ("name", "head", "piece"),
    [
        ("x.yaml", f"{HEAD}resources:\n", "  r#:\n    tpye#: a/b\n"),
        ("garden.yml", GARDEN + "variables:\n  known: x\n", "  v#: '${var.knwon#}'\n"),
        ("garden.yml", GARDEN, "---\nkind: Deplo#\nname: d#\n"),
        ("garden.yml", GARDEN, "---\nkind: Build\nname: b#\ndependencies: [deplo.x#]\n"),
    ],
)
def test_no_near_name_is_searched_for_what_is_only_counted(
    name: str, head: str, piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = head + "".join(piece.replace("#", str(number)) for number in range(60))
    assert searches_in(text, name, monkeypatch) <= 10


def test_a_misspelt_key_is_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    monkeypatch.setattr(recovery, "near_field", lambda key, _: compared.append(key))
    text = f"{HEAD}resources:\n" + "".join(f"  r{n}: {{tpye: a/b}}\n" for n in range(50))
    check(Source("x.yaml", text, "yaml"))
    assert 0 < compared.count("tpye") <= 2


def test_a_mistake_that_is_only_counted_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    exact = Language.exact
    monkeypatch.setattr(Language, "exact", lambda *given: read.append(1) or exact(*given))
    fields = "".join(f"    f{n}: '${{triim(var.a)}}-{n}'\n" for n in range(60))
    text = f"{GARDEN}variables: {{a: x}}\n---\nkind: Build\nname: b\ntype: exec\nspec:\n{fields}"
    settings = Settings(limits=Limits(max_diagnostics=5))
    found = render(Source("garden.yml", text, "yaml"), files=MemoryFiles({}), settings=settings)
    assert found.diagnostics.errors == 60
    assert len(read) <= 10


def test_errors_past_a_limit_of_warnings_are_told_in_full() -> None:
    found = Diagnostics(limit=2)
    for number in range(3):
        found.warn("limit_exceeded", None, f"{number}")
    assert not found.full
    for number in range(2):
        found.error("limit_exceeded", None, f"error {number}", lambda: "so")
    assert found.full
    assert [item.hint for item in found] == ["so", "so"]
