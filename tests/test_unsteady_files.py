"""Files that break while they are read, and files that are gone when their turn comes."""

from __future__ import annotations

import errno
import io
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from bpp.pipeline.world import files as reading
from support.in_process import bpp_inside

BLUEPRINT = """\
version: 2023-04-20
variables: {v: {type: string, default: x}}
resources:
  r: {type: a/b, spec: {x: "${variables.v}"}}
"""
WITH_A_CHILD = BLUEPRINT + "include: {c: {path: child.yaml}}\n"
PROJECT = "kind: Project\nname: p\nenvironments: [{name: local}]\n"
ACTION = "kind: Run\nname: a\ntype: exec\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in {
        "app.yaml": BLUEPRINT,
        "parent.yaml": WITH_A_CHILD,
        "child.yaml": BLUEPRINT,
        "vars.yaml": "v: y\n",
        "state.json": "{}",
        "bpp.toml": '[targets.t]\nblueprint = "app.yaml"\noutput = "out.yaml"\n',
        "garden.yml": PROJECT,
        "a.garden.yml": ACTION,
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


class Broken(io.RawIOBase):
    """A stream that gives a few bytes and then an error."""

    def __init__(self) -> None:
        self._given = False

    def read(self, size: int = -1) -> bytes:
        if self._given:
            raise OSError(errno.EIO, "broken")
        self._given = True
        return b"ver"


COMMANDS = [
    ("app.yaml", ("render", "app.yaml"), 3),
    ("app.yaml", ("check", "app.yaml"), 3),
    ("app.yaml", ("graph", "app.yaml"), 3),
    ("app.yaml", ("why", "app.yaml", "resources.r"), 3),
    ("app.yaml", ("eval", "1", "--file", "app.yaml"), 3),
    ("app.yaml", ("lock", "app.yaml"), 3),
    ("child.yaml", ("diff", "app.yaml", "child.yaml"), 3),
    ("vars.yaml", ("render", "app.yaml", "--vars", "vars.yaml"), 3),
    ("state.json", ("render", "app.yaml", "--state", "state.json"), 3),
    ("bpp.toml", ("build",), 3),
    # a mistake with a place in the file that names the other one
    ("child.yaml", ("render", "parent.yaml"), 1),
    ("child.yaml", ("check", "parent.yaml"), 1),
    ("a.garden.yml", ("render", "garden.yml"), 3),
    ("a.garden.yml", ("check", "garden.yml"), 3),
]


def told(done: Any, name: str, status: int, words: str) -> None:
    """A command that says once that a file cannot be read, and nothing else."""
    assert done.returncode == status, done.stderr
    assert done.stderr.count("error[") == 1, done.stderr
    assert f"{name}` {words}" in done.stderr.splitlines()[0]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("name", "command", "status"), COMMANDS)
def test_a_disk_that_breaks_is_told_in_one_sentence(
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    command: tuple[str, ...],
    status: int,
) -> None:
    real: Callable[..., bytes] = reading.read_bounded

    def breaking(stream: BinaryIO, shown: str, *more: Any) -> bytes:
        return real(Broken() if shown.endswith(name) else stream, shown, *more)

    monkeypatch.setattr(reading, "read_bounded", breaking)
    told(bpp_inside(project, *command), name, status, "cannot be read (")


@pytest.mark.parametrize("command", ["render", "check", "graph"])
def test_a_file_that_is_gone_after_the_scan_is_told(
    project: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    real = reading.DiskFiles.below

    def below(files: reading.DiskFiles, *arguments: Any) -> list[str]:
        found = list(real(files, *arguments))
        (project / "a.garden.yml").unlink()
        return found

    monkeypatch.setattr(reading.DiskFiles, "below", below)
    told(bpp_inside(project, command, "garden.yml"), "a.garden.yml", 3, "does not exist")


def test_a_blueprint_that_is_gone_after_the_search_is_told(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bpp.pipeline.cli.searches import Search

    real = Search.files

    def files(search: Search, words: Iterable[str]) -> list[str]:
        found = list(real(search, words))
        (project / "child.yaml").unlink()
        return found

    monkeypatch.setattr(Search, "files", files)
    done = bpp_inside(project, "check", "app.yaml", "child.yaml")
    told(done, "child.yaml", 3, "does not exist")
