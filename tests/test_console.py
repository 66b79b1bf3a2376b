"""Expressions in the scope of a blueprint: `bpp eval`, its lines, and `bpp console`."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bpp.pipeline.cli import console_command
from bpp.pipeline.engine.options import Options
from support.in_process import bpp_inside as bpp

BLUEPRINT = """\
version: 2023-04-20
variables:
  env: {type: string}
  name: {type: string, default: api}
  key: {type: string, secret: true, default: hush-hush}
values:
  names: {type: array, value: "${list(\\"a\\", \\"b\\")}"}
  where: {type: string, value: "${variables.env}-x"}
include:
  core: {path: child.yaml, variables: {name: "${variables.env}"}}
resources:
  queue: {type: a/b, each: "${values.names}", spec: {name: "${elem}"}}
  web:
    type: a/b
    spec:
      name: ${variables.name}
      url: ${resources.queue[0].state.url}
      key: ${variables.key}
"""
CHILD = """\
version: 2023-04-20
variables: {name: {type: string}}
resources: {q: {type: a/b, spec: {name: "${variables.name}"}}}
exports: {name: {type: string, field: resources.q.spec.name}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "app.yaml").write_text(BLUEPRINT)
    (tmp_path / "child.yaml").write_text(CHILD)
    return tmp_path


@pytest.mark.parametrize(
    ("expression", "more", "value"),
    [
        ("values.names", (), ["a", "b"]),
        ("resources.queue[1].spec.name", (), "b"),
        ("values.where", ("--var", "env=e"), "e-x"),
        ("children.core.name", ("--var", "env=e"), "e"),
        (
            "resources.web.spec",
            (),
            {
                "name": "api",
                "url": "${resources.web.spec.url}",
                "key": "${resources.web.spec.key}",
            },
        ),
        (
            "resources.web.spec",
            ("--secrets", "mask"),
            {"name": "api", "url": "${resources.web.spec.url}", "key": "(secret)"},
        ),
        ("list(variables.name, resources.web.state.id)", (), ["api", "${resources.web.state.id}"]),
    ],
)
def test_a_value_needs_only_what_it_needs(
    folder: Path, expression: str, more: tuple[str, ...], value: Any
) -> None:
    done = bpp(folder, "eval", expression, "-f", "app.yaml", *more)
    assert (done.returncode, done.stderr, json.loads(done.stdout)) == (0, "", value)


@pytest.mark.parametrize("expression", ["values.where", "variables.env", "children.core.name"])
def test_a_variable_that_is_needed_and_has_no_value_is_told(folder: Path, expression: str) -> None:
    done = bpp(folder, "eval", expression, "-f", "app.yaml")
    assert (done.returncode, done.stdout) == (1, "")
    assert "error[required_variable_missing]: variable `env` has no value" in done.stderr
    assert "1 error\n" in done.stderr


@pytest.mark.parametrize("expression", ["resources.queue_1.spec.name", "queue_1.spec.name"])
def test_the_name_of_an_instance_is_explained(folder: Path, expression: str) -> None:
    done = bpp(folder, "eval", expression, "-f", "app.yaml")
    assert "help: write `resources.queue[1].spec.name`" in done.stderr


LINES = """\
values.names
# a comment

values.where
resources.web.state.id
upper(
nothing
values.where
variables.name"""


@pytest.mark.parametrize("command", [("eval", "-", "-f", "app.yaml"), ("console", "app.yaml")])
def test_each_line_of_a_script_is_answered_by_a_line(folder: Path, command: Any) -> None:
    done = bpp(folder, *command, text=LINES)
    assert done.returncode == 1
    assert done.stdout.splitlines() == ['["a", "b"]', "${resources.web.state.id}", '"api"']
    places = [line.strip()[4:] for line in done.stderr.splitlines() if "-->" in line]
    assert places == ["<stdin>:6:6", "<stdin>:7:1", "app.yaml:3:3"] or sorted(places) == sorted(
        ["app.yaml:3:3", "<stdin>:6:6", "<stdin>:7:1"]
    )
    good = bpp(folder, *command, text="values.names\n")
    assert (good.returncode, good.stdout, good.stderr) == (0, '["a", "b"]\n', "")


def test_lines_need_no_blueprint(folder: Path) -> None:
    done = bpp(folder, "eval", "-", text='join(list("a", "b"), "-")\n"x"\n')
    assert (done.returncode, done.stdout) == (0, '"a-b"\n"x"\n')


@pytest.mark.parametrize(
    "command",
    [("eval", "-", "-f", "-"), ("eval", "-", "-f", "app.yaml", "--vars", "-"), ("console", "-")],
)
def test_standard_input_is_read_once(folder: Path, command: tuple[str, ...]) -> None:
    done = bpp(folder, *command, text="1")
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize(("name", "status"), [("nosuch.yaml", 3), ("broken.yaml", 1)])
def test_a_console_needs_a_blueprint(folder: Path, name: str, status: int) -> None:
    (folder / "broken.yaml").write_text("version: 2023-04-20\nresources: {a: {typ: a/b}}\n")
    assert bpp(folder, "console", name, text="1").returncode == status


# --- a conversation -----------------------------------------------------------------------------


@pytest.fixture
def typing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Iterator[Any]:
    """Types lines in a console; what it prints, and the history that it keeps."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("BPP_CACHE_DIR", str(folder / "cache"))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("signal.signal", lambda *_: None)

    def talk(*lines: str, **options: Any) -> tuple[str, str, str]:
        left = list(lines)

        def ask(prompt: str) -> str:
            if not left:
                raise EOFError
            line = left.pop(0)
            if line == "^C":
                raise KeyboardInterrupt
            return line

        monkeypatch.setattr(console_command, "_with_prompt_toolkit", lambda *_: ask)
        assert console_command.run_console(Options(file="app.yaml", **options)) == 0
        kept = folder / "cache" / "console-history"
        return *capfd.readouterr(), kept.read_text() if kept.exists() else ""

    yield talk


def test_a_conversation_goes_on_after_mistakes(typing: Any) -> None:
    out, err, history = typing(
        "values.names", "nope", "nope", "values.where", "", "^C", "1", "exit"
    )
    assert out == '[\n  "a",\n  "b"\n]\n1\n'
    assert err.count("error[resource_not_found]") == 2
    assert err.count("error[required_variable_missing]") == 1
    assert history.splitlines() == ["values.names", "nope", "nope", "values.where", "1"]


def test_the_history_is_private_and_has_no_secrets(
    typing: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BPP_VAR_key", "from-outside")
    given = ("key=s3cret", "env=e")
    _, _, history = typing('"s3cret"', '"from-outside"', "variables.name", var=given)
    assert history == "variables.name\n"
    kept = folder / "cache" / "console-history"
    assert stat.S_IMODE(os.stat(kept).st_mode) == 0o600
    assert typing("2", no_history=True)[2] == history
    monkeypatch.setenv("BPP_NO_CACHE", "1")
    assert typing("3")[2] == history


def test_names_are_completed_a_step_at_a_time(folder: Path) -> None:
    session = console_command.Session(Options(file=str(folder / "app.yaml")))
    assert session.can_begin()
    complete = console_command._Words(session)
    assert complete("join(val") == ["vals", "values"]
    assert complete("values.") == ["values.names", "values.where"]
    assert complete("resources.q") == ["resources.queue"]
    assert complete("resources.web.spec.") == [
        "resources.web.spec.key",
        "resources.web.spec.name",
        "resources.web.spec.url",
    ]
    assert "variables.key" in complete("variables.")
    assert not any("hush" in name for name in complete(""))


# --- the cache ----------------------------------------------------------------------------------


def test_the_cache_is_shown_and_cleared(folder: Path) -> None:
    bpp(folder, "render", "app.yaml", "--var", "env=e")
    mine = folder / ".cache" / "mine"
    mine.write_text("mine")
    (folder / ".cache" / "fetched").symlink_to(folder)
    told = json.loads(bpp(folder, "cache", "--format", "json").stdout)
    assert told["path"] == str(folder / ".cache")
    assert {name: kind["files"] for name, kind in told["kinds"].items()} == {
        "expressions": 1,
        "builds": 0,
        "fetched": 0,
        "history": 0,
    }
    assert "expressions" in bpp(folder, "cache").stdout
    assert bpp(folder, "cache", "clear").stdout.startswith("1 file removed")
    assert mine.exists() and (folder / "app.yaml").exists()
    off = {"BPP_NO_CACHE": "1"}
    assert "the cache is off" in bpp(folder, "cache", env=off).stdout
    told = json.loads(bpp(folder, "cache", "--format", "json", env=off).stdout)
    assert told["path"] is None and not any(kind["files"] for kind in told["kinds"].values())
    told = json.loads(bpp(folder, "cache", "clear", "--format", "json", env=off).stdout)
    assert told == {"path": None, "removed": 0}
