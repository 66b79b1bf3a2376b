"""The command `bpp` as a user runs it: options, inputs, statuses, what is printed where."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from support.harness import load_yaml
from support.in_process import bpp_inside as bpp

BPP = shutil.which("bpp", path=str(Path(sys.executable).parent)) or "bpp"

BLUEPRINT = """\
version: 2023-04-20
variables:
  env: {type: string, default: dev}
  size: {type: integer, default: 3}
  enabled: {type: boolean, default: true}
values:
  id: {type: string, value: "${uuid()}"}
  time: {type: string, value: "${datetime(\\"rfc3339\\")}"}
resources:
  db:
    type: aws/rds/instance
    condition: ${variables.enabled}
    spec:
      name: orders-${variables.env}
      size: ${variables.size}
      first: ${values.id}
      second: ${values.id}
"""
CHILD = """\
version: 2023-04-20
variables:
  name: {type: string}
resources:
  queue: {type: a/b, spec: {name: "${variables.name}"}}
exports:
  name: {type: string, field: resources.queue.spec.name}
"""
PARENT = """\
version: 2023-04-20
include:
  core: {path: child.yaml, variables: {name: orders}}
resources:
  x: {type: a/b, spec: {name: "${children.core.name}", id: "${resources.y.state.id}"}}
  y: {type: a/b, spec: {}}
"""


def bpp_process(
    folder: Path, *arguments: str, text: str | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs the command in a process, in a folder, without the caller's settings."""
    kept = {
        k: v for k, v in os.environ.items() if not k.startswith(("BPP_", "SOURCE_DATE", "GITHUB"))
    }
    kept.update({"BPP_CACHE_DIR": str(folder / ".cache"), **(env or {})})
    return subprocess.run(
        [BPP, *arguments],
        cwd=folder,
        env=kept,
        input=text,
        stdin=subprocess.DEVNULL if text is None else None,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a blueprint and a pair of blueprints."""
    (tmp_path / "b.yaml").write_text(BLUEPRINT)
    (tmp_path / "child.yaml").write_text(CHILD)
    (tmp_path / "parent.yaml").write_text(PARENT)
    return tmp_path


def rendered(folder: Path, *arguments: str, **more: Mapping[str, str]) -> dict[str, object]:
    """The spec of `db` in a render that succeeds."""
    done = bpp(folder, "render", "b.yaml", *arguments, **more)  # type: ignore[arg-type]
    assert done.returncode == 0, done.stderr
    spec: dict[str, object] = load_yaml(done.stdout)["resources"]["db"]["spec"]
    return spec


# --- variables ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("v.yaml", "env: file\n"),
        ("v.json", '{"env": "file"}'),
        ("v.toml", 'env = "file"\n'),
        ("v.env", "# a comment\nexport env=file\n"),
        (".env", 'env="file"\n'),
    ],
)
def test_variables_come_from_files_of_each_format(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    assert rendered(folder, "--vars", name)["name"] == "orders-file"


def test_the_nearer_source_of_a_variable_wins(folder: Path) -> None:
    (folder / "1.yaml").write_text("env: one\n")
    (folder / "2.yaml").write_text("env: two\n")
    env = {"BPP_VAR_env": "environment"}
    files = ("--vars", "1.yaml", "--vars", "2.yaml")
    assert rendered(folder)["name"] == "orders-dev"
    assert rendered(folder, env=env)["name"] == "orders-environment"
    assert rendered(folder, "--vars", "1.yaml", env=env)["name"] == "orders-one"
    assert rendered(folder, *files, env=env)["name"] == "orders-two"
    assert rendered(folder, "--var", "env=flag", *files, env=env)["name"] == "orders-flag"


@pytest.mark.parametrize("value", ["x", "1.5", "", "0x10", "99999999999999999999"])
def test_a_flag_is_read_by_the_declared_type(folder: Path, value: str) -> None:
    done = bpp(folder, "render", "b.yaml", "--var", f"size={value}")
    assert (done.returncode, done.stdout) == (1, "")
    assert "variable_type_mismatch" in done.stderr


def test_an_undeclared_variable_is_a_warning_or_an_error(folder: Path) -> None:
    loose = bpp(folder, "render", "b.yaml", "--var", "envv=x")
    strict = bpp(folder, "render", "b.yaml", "--var", "envv=x", "--strict-vars")
    assert loose.returncode == 0
    assert "warning[undeclared_variable]" in loose.stderr
    assert "did you mean `env`?" in loose.stderr
    assert (strict.returncode, strict.stdout) == (1, "")


# --- formats ------------------------------------------------------------------------------------


def test_standard_input_may_be_yaml_or_json(folder: Path) -> None:
    yaml = bpp(folder, "render", "-", text="version: 2023-04-20\nresources: {}\n")
    told = bpp(folder, "render", "-", text='// c\n{"version": "2023-04-20", "resources": {},}')
    assert yaml.stdout == 'version: "2023-04-20"\nresources: {}\n'
    assert json.loads(told.stdout) == {"version": "2023-04-20", "resources": {}}
    assert (yaml.returncode, told.returncode) == (0, 0)


@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        (("-o", "out.json"), "{"),
        (("-o", "out.yaml", "--format", "json"), "{"),
        (("-o", "out.txt"), 'version: "2023-04-20"'),
    ],
)
def test_the_format_follows_flag_then_name_then_input(
    folder: Path, arguments: tuple[str, ...], first: str
) -> None:
    done = bpp(folder, "render", "b.yaml", *arguments)
    assert (done.returncode, done.stdout) == (0, "")
    assert (folder / arguments[1]).read_text().splitlines()[0] == first


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_rendering_a_split_render_gives_the_same_files(folder: Path, form: str) -> None:
    first = bpp(folder, "render", "parent.yaml", "--split", "one", "--format", form)
    again = bpp(folder, "render", f"one/parent.{form}", "--split", "two")
    assert (first.returncode, again.returncode) == (0, 0), first.stderr + again.stderr
    files = {file.name: file.read_bytes() for file in (folder / "one").iterdir()}
    assert set(files) == {f"parent.{form}", f"core.{form}"}
    assert files == {file.name: file.read_bytes() for file in (folder / "two").iterdir()}


def test_a_bundle_renders_to_itself_from_any_folder(folder: Path) -> None:
    elsewhere = folder / "else where ü"
    elsewhere.mkdir()
    assert bpp(folder, "render", "parent.yaml", "-o", "bundle.yaml").returncode == 0
    text = (folder / "bundle.yaml").read_text()
    assert bpp(elsewhere, "render", "../bundle.yaml").stdout == text
    assert bpp(elsewhere, "render", str(folder / "bundle.yaml")).stdout == text
    (elsewhere / "li nk.yaml").symlink_to(folder / "bundle.yaml")
    assert bpp(folder, "render", "else where ü/li nk.yaml").stdout == text


# --- clock and ids ------------------------------------------------------------------------------


def test_an_id_is_made_once_and_a_seed_repeats_it(folder: Path) -> None:
    spec = rendered(folder, "--seed", "1")
    assert spec["first"] == spec["second"]
    assert rendered(folder, "--seed", "1") == spec
    assert rendered(folder, "--seed", "2") != spec
    assert rendered(folder)["first"] != rendered(folder)["first"]


def test_every_instance_has_an_id_of_its_own(folder: Path) -> None:
    text = (
        "version: 2023-04-20\nresources:\n"
        '  t: {type: a/b, each: "${list(1, 2)}", spec: {id: "${uuid()}"}}\n'
    )
    made = load_yaml(bpp(folder, "render", "-", text=text).stdout)["resources"]
    assert made["t_0"]["spec"]["id"] != made["t_1"]["spec"]["id"]


@pytest.mark.parametrize(
    ("flag", "env", "time"),
    [
        ("0", {}, "1970-01-01T00:00:00Z"),
        ("2024-01-01T05:30:00+05:30", {}, "2024-01-01T00:00:00Z"),
        (None, {"SOURCE_DATE_EPOCH": "86400"}, "1970-01-02T00:00:00Z"),
        ("0", {"SOURCE_DATE_EPOCH": "86400"}, "1970-01-01T00:00:00Z"),
    ],
)
def test_the_clock_may_be_set(
    folder: Path, flag: str | None, env: dict[str, str], time: str
) -> None:
    done = bpp(folder, "render", "b.yaml", *(["--now", flag] if flag else []), env=env)
    assert load_yaml(done.stdout)["values"]["time"]["value"] == time


# --- statuses -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("render", "b.yaml", "--seed", "1", "--now", "0"), 0),
        (("render", "b.yaml", "--var", "size=x"), 1),
        (("render", "b.yaml", "--nope"), 2),
        (("render", "nosuch.yaml"), 3),
        (("check", "parent.yaml"), 0),
        (("eval", 'join(list("ü"), "")'), 0),
        (("functions", "nope"), 2),
    ],
)
def test_a_process_says_what_the_command_says_inside(
    folder: Path, arguments: tuple[str, ...], status: int
) -> None:
    """Other tests run the command without a process of its own."""
    done, inside = bpp_process(folder, *arguments), bpp(folder, *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (status, inside.stdout, inside.stderr)
    assert inside.returncode == status


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("render",), 2),
        (("render", "b.yaml", "more.yaml"), 2),
        (("render", "b.yaml", "--nope"), 2),
        (("render", "b.yaml", "--format", "toml"), 2),
        (("render", "b.yaml", "--stop-after", "emit"), 2),
        (("render", "b.yaml", "--var", "env"), 2),
        (("render", "b.yaml", "--now", "soon"), 2),
        (("render", "b.yaml", "--now", ""), 2),
        (("render", "b.yaml", "--seed", "x"), 2),
        (("render", "b.yaml", "--split", "d", "-o", "x"), 2),
        (("render", "b.yaml", "--depfile", "x.d"), 2),
        (("render", "b.yaml", "-o", "-", "--depfile", "x.d"), 2),
        (("render", "b.yaml", "-o", "x.yaml", "--depfile", "x.yaml"), 2),
        (("render", "nosuch.yaml"), 3),
        (("render", "."), 3),
        (("render", "b.yaml", "--vars", "nosuch.yaml"), 3),
        (("render", "b.yaml", "--state", "nosuch.yaml"), 3),
        (("render", "b.yaml", "--datasources", "."), 3),
        (("render", "b.yaml", "-o", "b.yaml/x.yaml"), 3),
        (("render", "b.yaml", "-o", "."), 3),
        (("render", "b.yaml", "--split", "b.yaml"), 3),
        (("render", "b.yaml", "--var", "size=x"), 1),
        (("check", "b.yaml", "nosuch.yaml"), 3),
        (("check", "b.yaml", "parent.yaml"), 0),
        (("functions", "nope"), 2),
        (("explain", "nope"), 2),
        (("parse", "a == b"), 1),
        (("eval", "nope(1)"), 1),
        (("eval", 'join(list("a"), "")'), 0),
        (("--version",), 0),
        (("--show-completion", "bash"), 0),
    ],
)
def test_the_status_says_who_has_to_act(
    folder: Path, arguments: tuple[str, ...], status: int
) -> None:
    before = sorted(folder.iterdir())
    done = bpp(folder, *arguments)
    assert done.returncode == status, done.stderr
    assert "internal error" not in done.stderr
    if status:
        left = sorted(file for file in folder.iterdir() if file.name != ".cache")
        assert (done.stdout, left) == ("", before)


@pytest.mark.parametrize("command", ["render", "check"])
def test_a_cycle_is_found_by_every_command(folder: Path, command: str) -> None:
    text = (
        "version: 2023-04-20\nvalues:\n  a: {type: string, value: '${values.b}'}\n"
        "  b: {type: string, value: '${values.a}'}\nresources: {}\n"
    )
    done = bpp(folder, command, "-", text=text)
    assert done.returncode == 1
    assert "reference_cycle" in done.stderr


def test_check_compares_known_variables_of_a_child(folder: Path) -> None:
    (folder / "parent.yaml").write_text(PARENT.replace("name: orders", "name: 5"))
    for command in ("render", "check"):
        done = bpp(folder, command, "parent.yaml")
        assert done.returncode == 1
        assert "include_variable_type_mismatch" in done.stderr


# --- reports ------------------------------------------------------------------------------------


def test_reports_for_machines_name_the_place(folder: Path) -> None:
    wrong = ("render", "b.yaml", "--var", "size=x", "--diagnostics")
    told = json.loads(bpp(folder, *wrong, "json").stderr)["diagnostics"]
    assert [(d["code"], d["file"], d["line"], d["column"]) for d in told] == [
        ("variable_type_mismatch", "b.yaml", 4, 3)
    ]
    result = json.loads(bpp(folder, *wrong, "sarif").stderr)["runs"][0]["results"][0]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (result["ruleId"], region["startLine"]) == ("variable_type_mismatch", 4)
    assert bpp(folder, *wrong, "github").stderr.startswith("::error file=b.yaml,line=4,")


def test_one_mistake_in_a_child_is_told_once(folder: Path) -> None:
    (folder / "child.yaml").write_text(CHILD.replace("variables.name", "variables.nam"))
    (folder / "parent.yaml").write_text(
        PARENT.replace(
            "resources:\n", "  more: {path: child.yaml, variables: {name: x}}\nresources:\n"
        )
    )
    done = bpp(folder, "render", "parent.yaml", "--diagnostics", "json")
    assert [item["code"] for item in json.loads(done.stderr)["diagnostics"]] == [
        "variable_not_found"
    ]


@pytest.mark.parametrize(
    ("arguments", "env", "colour"),
    [
        ((), {}, False),
        ((), {"FORCE_COLOR": "1"}, True),
        ((), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (("--color", "always"), {"NO_COLOR": "1"}, True),
        (("--color", "never"), {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colour_is_for_those_who_want_it(
    folder: Path, arguments: tuple[str, ...], env: dict[str, str], colour: bool
) -> None:
    done = bpp(folder, "render", "b.yaml", "--var", "size=x", *arguments, env=env)
    assert ("\x1b[" in done.stderr) is colour


@pytest.mark.parametrize(
    "arguments",
    [
        ("render", "no\x1b[31m.yaml"),
        ("render", "b.yaml", "--format", "\x1b[31m"),
        ("render", "b.yaml", "--var", "q\x1b[31m=1"),
        ("functions", "q\x1b[31m"),
        ("explain", "q\x1b[31m"),
        ("parse", '"\x1b[31m"'),
        ("eval", '"\x1b[31m"'),
        ("\x1b[31m",),
    ],
)
def test_control_characters_are_never_printed_raw(folder: Path, arguments: tuple[str, ...]) -> None:
    done = bpp(folder, *arguments)
    assert "\x1b" not in done.stdout + done.stderr


def test_an_evaluated_secret_follows_the_flag(folder: Path) -> None:
    text = "version: 2023-04-20\nvariables: {p: {type: string, secret: true, default: xyzzy}}\n"
    (folder / "s.yaml").write_text(text + "resources: {}\n")
    shown = [
        bpp(folder, "eval", "variables.p", "-f", "s.yaml", "--secrets", how).stdout.strip()
        for how in ("keep", "mask", "reveal")
    ]
    assert shown == ["${variables.p}", '"(secret)"', '"xyzzy"']


def test_the_time_of_each_stage_is_told(folder: Path) -> None:
    plain = bpp(folder, "render", "b.yaml", "--seed", "1", "--now", "0")
    done = bpp(folder, "render", "b.yaml", "--seed", "1", "--now", "0", "--timings")
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    stages = bpp(folder, "stages").stdout.split()
    rows = [re.fullmatch(r"(\w+) +(\d+\.\d) ms", line) for line in done.stderr.splitlines()]
    assert all(rows)
    names = [row[1] for row in rows if row]
    assert [name for name in names if name in stages] == names[:-2]
    assert names[-2:] == ["write", "total"]
    *parts, total = [float(row[2]) for row in rows if row]
    assert total == pytest.approx(sum(parts), abs=0.1 * len(parts))


def test_a_render_that_fails_tells_the_time_up_to_there(folder: Path) -> None:
    (folder / "wrong.yaml").write_text(BLUEPRINT.replace("variables.env}", "variables.en}"))
    done = bpp(folder, "render", "wrong.yaml", "--timings")
    assert done.returncode == 1
    names = [line.split()[0] for line in done.stderr.splitlines() if line.endswith(" ms")]
    assert names == ["load", "transform", "total"]
