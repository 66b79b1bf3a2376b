"""What a command imports, reads and parses: counts, which show a slow start without a clock."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from bpp.pipeline import render

BLUEPRINT = """\
version: 2023-04-20
variables:
  name:
    type: string
    default: api
resources:
  first:
    type: aws/sqs/queue
    spec:
      name: ${variables.name}-one
      tags: ["${variables.name}", b]
  second:
    type: aws/sqs/queue
    condition: ${eq(variables.name, "api")}
    spec:
      name: ${join(list(variables.name, "two"), "-")}
      other: ${join(list(variables.name, "three"), "/")}
"""
# what costs a start the most, and what only some commands need
HEAVY = {
    *("attr", "attrs", "cattrs", "click", "rich", "typer", "pydantic", "parsimonious", "regex"),
    *("ruamel", "_ruamel_yaml", "yaml", "inspect", "dataclasses", "ast", "importlib.metadata"),
    *("asyncio", "concurrent", "multiprocessing", "socket", "ssl", "http", "urllib", "email"),
    *("logging", "json", "difflib", "pathlib", "tempfile", "subprocess", "shutil", "decimal"),
    *("datetime", "uuid", "random", "hashlib", "ipaddress", "argparse", "unittest", "tomllib"),
}
# parts of ours that a plain render has no use for
UNUSED = {
    f"bpp.pipeline.{name}"
    for name in ("network", "records", "datafiles", "varfiles", "codes", "splitting", "remote")
}
# beyond what a bare interpreter imports
MOST_FOR_VERSION = 40
MOST_FOR_RENDER = 160


@pytest.fixture
def blueprint(tmp_path: Path) -> Path:
    path = tmp_path / "app.blueprint.yaml"
    path.write_text(BLUEPRINT)
    return path


def imported(tmp_path: Path, *arguments: str) -> set[str]:
    """The modules that a run of the command line imports."""
    start = "from bpp.pipeline.cli.entry import main; main()"
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", start, *arguments],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    lines = done.stderr.splitlines()
    return {line.rsplit("|", 1)[1].strip() for line in lines if line.startswith("import time:")}


def heavy(modules: set[str]) -> set[str]:
    return {name for name in modules if HEAVY & {name, name.split(".")[0]}}


def before_ours() -> set[str]:
    """What the interpreter and the site of this installation import on their own."""
    command = [sys.executable, "-X", "importtime", "-c", "pass"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {line.rsplit("|", 1)[1].strip() for line in done.stderr.splitlines()}


def test_the_version_imports_little(tmp_path: Path) -> None:
    modules = imported(tmp_path, "--version") - before_ours()
    assert heavy(modules) == set()
    assert not any(name.startswith("bpp.pipeline.blueprint") for name in modules)
    assert len(modules) <= MOST_FOR_VERSION


def test_a_render_with_known_shapes_imports_what_it_needs(tmp_path: Path, blueprint: Path) -> None:
    first = imported(tmp_path, "render", str(blueprint), "-o", str(tmp_path / "out.yaml"))
    assert "parsimonious" in first
    modules = imported(tmp_path, "render", str(blueprint), "-o", str(tmp_path / "out.yaml"))
    modules -= before_ours()
    assert heavy(modules) == set()
    assert modules & UNUSED == set()
    assert len(modules) <= MOST_FOR_RENDER


def test_each_shape_is_parsed_once(blueprint: Path) -> None:
    run = render(str(blueprint))
    # a shape with texts is parsed as it is written as well, for a mistake's place
    assert sorted(run.language.shapes) == [
        'eq(variables.name, "\0")',
        'join(list(variables.name, "\0"), "\0")',
        "variables.name",
    ]
    assert run.language.parses == 5
    again = render(str(blueprint), shapes=run.language.shapes)
    assert again.language.parses == 0


def test_each_file_is_read_once(tmp_path: Path, blueprint: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.txt").write_text(name)
    blueprint.write_text(
        BLUEPRINT
        + """\
  third:
    type: aws/sqs/queue
    spec:
      a: ${file("one.txt")}
      b: ${file("one.txt")} and ${file("two.txt")}
"""
    )
    run = render(str(blueprint))
    assert not run.diagnostics.errors
    assert [os.path.basename(name) for name in run.reads] == [
        "app.blueprint.yaml",
        "one.txt",
        "two.txt",
    ]
