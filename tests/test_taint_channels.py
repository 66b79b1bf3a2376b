"""Nothing that a command writes or says holds a secret, however it is encoded.

The commands run in a folder in which secrets come from everywhere and go everywhere; all that they
print, and every file that they leave behind, is searched.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from bpp.pipeline.building import builds
from support.in_process import bpp_inside
from support.taint import Finder
from support.taint_folder import ENVIRONMENT, EXPRESSIONS, GIVEN, PLACES, SECRETS, blueprint, flags
from support.taint_folder import write as write_folder

FINDER = Finder(SECRETS)
INPUTS = {"b.json", "child.json", "given.yaml", "flags.json", "state.json", "bpp.toml", "b2.json"}
STAGES = ("load", "transform", "include", "substitute", "prune", "each", "export")
REPORTS = ("text", "json", "sarif", "github")
WITH = [*flags(), *GIVEN]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("taint")
    write_folder(found, share=7)
    text = (found / "b.json").read_text()
    (found / "b2.json").write_text(text.replace(SECRETS["value"], "another one"))
    return found


def commands() -> Iterator[tuple[int, list[str]]]:
    """Commands with the status that they end with."""
    rendered = ["render", "b.json", *WITH]
    for stage in STAGES:
        yield 0, [*rendered, "--stop-after", stage]
    yield 0, [*rendered, "--secrets", "mask", "--stop-after", "substitute"]
    yield 0, [*rendered, "--secrets", "mask", "--format", "yaml", "--timings"]
    yield 0, [*rendered, "--dump-stages", "d", "-o", "o.yaml", "--depfile", "dep"]
    yield 0, [*rendered, "--secrets", "mask", "--dump-stages", "e", "--source-map", "n.json"]
    yield 0, [*rendered, "--source-map", "m.json", "-o", "p.yaml"]
    yield 0, [*rendered, "--split", "split", "--explain-unknowns"]
    yield 0, [*rendered, "--format", "json", "-o", "out.json"]
    for form in REPORTS:
        yield 1, [*rendered, "--strict", "--diagnostics", form, "--color", "always"]
        yield 0, ["check", "b.json", "--diagnostics", form]
    yield 0, ["diff", "b.json", "b2.json", *WITH]
    yield 0, ["diff", "b.json", "b.json", *WITH, "--var-b", "flag=other", "--format", "json"]
    for form in ("mermaid", "dot", "json"):
        shown = ["--show", "values", "--show", "variables"]
        yield 0, ["graph", "b.json", *WITH, "--format", form, *shown]
    yield 0, ["lock", "b.json", *WITH]
    for path in ("resources.when.spec", "values.object.value", "exports", "include.child"):
        yield 0, ["why", "b.json", path, *WITH]
        yield 0, ["why", "b.json", path, *WITH, "--format", "json", "--secrets", "mask"]
    for text in ("to_upper(values.derived)", "values.object", "list(variables.lines)[0]"):
        yield 0, ["eval", text, "-f", "b.json", *WITH]
        yield 0, ["eval", text, "-f", "b.json", *WITH, "--secrets", "mask"]
    yield 1, ["eval", "file(values.derived)", "-f", "b.json", *WITH]
    for _ in range(2):
        yield 0, ["build", "-j1"]
    yield 0, ["build", "-j1", "--check"]
    yield 0, ["build", "-j1", "--no-cache", "--diagnostics", "json"]


@pytest.mark.slow
def test_no_command_tells_a_secret(folder: Path) -> None:
    for status, arguments in commands():
        done = bpp_inside(folder, *arguments, env=ENVIRONMENT)
        shown = [one for one in arguments if one not in WITH]
        assert done.returncode == status, (shown, done.stderr[-2000:])
        assert FINDER.found(done.stdout + done.stderr) == [], shown
    files = [file for file in folder.rglob("*") if file.is_file() and file.name not in INPUTS]
    assert len(files) > 20
    for file in files:
        text = file.read_bytes().decode("utf-8", "replace")
        assert FINDER.found(text + str(file)) == [], file


@pytest.mark.parametrize("form", REPORTS)
def test_what_is_said_of_a_run_that_reveals_tells_no_secret(folder: Path, form: str) -> None:
    given = ["b.json", *WITH, "--secrets", "reveal", "--diagnostics", form]
    done = bpp_inside(folder, "render", *given, env=ENVIRONMENT)
    assert (done.returncode, done.stdout) == (1, "")  # many expressions are mistakes now
    assert FINDER.found(done.stderr) == []


def test_what_is_looked_for_would_be_found(folder: Path) -> None:
    # some expressions are mistakes when their secrets are known
    (folder / "few.json").write_text(json.dumps(blueprint(PLACES, EXPRESSIONS[:9])))
    given = ["few.json", *WITH, "--secrets", "reveal"]
    done = bpp_inside(folder, "render", *given, env=ENVIRONMENT)
    (folder / "few.json").unlink()
    assert done.returncode == 0, done.stderr
    assert {name for name, _ in FINDER.found(done.stdout)} == SECRETS.keys() - {"allowed value"}


def test_a_watch_tells_no_secret(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changes = [{str(folder / "b.json")}]

    def wait(_: object) -> set[str]:
        if not changes:
            raise KeyboardInterrupt
        return changes.pop()

    monkeypatch.setattr(builds, "wait_for_change", wait)
    done = bpp_inside(folder, "build", "-j1", "--watch", env=ENVIRONMENT)
    assert done.returncode == 130
    assert "b.json changed" in done.stderr
    assert FINDER.found(done.stdout + done.stderr) == []


BROKEN = {
    "b.json": "Cg8Lt3Bz6Vw1",
    "given.yaml": "Fl6Dh1Rw8Kc3",
    "flags.json": "Kq7vXw2mZr9LtB4n",
    "state.json": "Kq7vXw2mZr9LtB4n",
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("damage", ['"', "{", "]", ",,", ": :", "\n\n-", " & "])
def test_no_text_that_cannot_be_read_is_quoted(tmp_path: Path, name: str, damage: str) -> None:
    write_folder(tmp_path, share=99)
    secret = BROKEN[name]
    text = (tmp_path / name).read_text()
    for there, broken in ((secret, secret + damage), (f'"{secret}"', secret)):
        (tmp_path / name).write_text(text.replace(there, broken))
        given = [*WITH, "--vars", "flags.json", "--diagnostics", "text"]
        done = bpp_inside(tmp_path, "render", "b.json", *given, env=ENVIRONMENT)
        assert done.returncode in (0, 1), done.stderr
        assert FINDER.found(done.stdout + done.stderr) == []
