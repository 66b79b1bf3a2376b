"""The extension of VS Code: what it says of bpp is so; with node, its own tests and its package."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from bpp.pipeline.dialects.table import NAMES
from bpp.pipeline.editor.features import commands
from bpp.pipeline.values.version import VERSION
from support.in_process import bpp_inside
from support.rows import hold
from test_cli import BPP

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / "editors" / "vscode"
PACKAGE: dict[str, Any] = json.loads((HOME / "package.json").read_text("utf-8"))
CONTRIBUTED: dict[str, Any] = PACKAGE["contributes"]
SOURCES = "".join(path.read_text("utf-8") for path in sorted((HOME / "src").glob("*.ts")))
README = (HOME / "README.md").read_text("utf-8")
GRAMMARS: dict[str, dict[str, Any]] = {
    one["scopeName"]: json.loads((HOME / one["path"]).read_text("utf-8"))
    for one in CONTRIBUTED["grammars"]
}


def test_the_version_is_that_of_bpp() -> None:
    lock = json.loads((HOME / "package-lock.json").read_text("utf-8"))
    assert PACKAGE["version"] == lock["version"] == lock["packages"][""]["version"] == VERSION


def test_the_lock_file_names_no_server() -> None:
    lock = (HOME / "package-lock.json").read_text("utf-8")
    assert '"integrity"' in lock
    assert '"resolved"' not in lock


def test_each_setting_is_read_and_documented() -> None:
    rows = dict(re.findall(r"^\| `(bpp\.[\w.]+)` \| `(.+?)` \|", README, re.MULTILINE))
    settings = CONTRIBUTED["configuration"]["properties"]
    assert rows == {name: json.dumps(one["default"]) for name, one in settings.items()}
    assert all(one["markdownDescription"] for one in settings.values())
    read = {f"bpp.{name}" for name in re.findall(r"\.get\(\"(\w+)\"", SOURCES)}
    assert read == {*settings} - {"bpp.trace.server"}  # which the client's library reads


def test_each_command_is_handled_and_documented() -> None:
    titles = {one["command"]: one["title"] for one in CONTRIBUTED["commands"]}
    ours = {*re.findall(r"registerCommand\(\"([\w.]+)\"", SOURCES)}
    assert {*titles} == ours | {row.name for row in commands()}
    told = re.findall(r"^\| `bpp: (.+?)` \|", README, re.MULTILINE)
    assert told == [*titles.values()]


def test_dialects_are_offered() -> None:
    setting = CONTRIBUTED["configuration"]["properties"]["bpp.dialects"]
    assert tuple(setting["additionalProperties"]["enum"]) == NAMES
    documents = {name.partition("-")[0] for name in NAMES} - {"expr", "gotemplate", "spiff"}
    assert documents <= {*PACKAGE["keywords"]}


def _rules(rule: Any) -> list[dict[str, Any]]:
    """All rules of a grammar."""
    match rule:
        case dict():
            return [rule, *(one for part in rule.values() for one in _rules(part))]
        case list():
            return [one for part in rule for one in _rules(part)]
    return []


def test_patterns_of_grammars_compile() -> None:
    patterns = [
        rule[key]
        for grammar in GRAMMARS.values()
        for rule in _rules(grammar)
        for key in ("match", "begin", "end")
        if isinstance(rule.get(key), str)
    ]
    hold(patterns, re.compile)


def test_what_grammars_include_exists() -> None:
    def exists(included: tuple[str, str]) -> None:
        home, name = included
        scope, _, part = name.partition("#")
        assert part in GRAMMARS[scope or home]["repository"]

    hold(
        [
            (home, rule["include"])
            for home, grammar in GRAMMARS.items()
            for rule in _rules(grammar)
            if "include" in rule
        ],
        exists,
    )


def test_grammars_are_contributed_under_their_names() -> None:
    assert {*GRAMMARS} == {grammar["scopeName"] for grammar in GRAMMARS.values()}
    used = {(HOME / one["path"]).resolve() for one in CONTRIBUTED["grammars"]}
    assert used == {*(HOME / "syntaxes").glob("*.json")}


def test_problems_are_read_from_reports(tmp_path: Path) -> None:
    (matcher,) = CONTRIBUTED["problemMatchers"]
    head, place = (re.compile(part["regexp"]) for part in matcher["pattern"])
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    files = "examples/mistakes/app.blueprint.yaml", "examples/checking"
    done = bpp_inside(tmp_path, "check", *files)
    lines = done.stderr.splitlines()
    found = [
        (first[1], first[2], second[1], second[2])
        for one, other in pairwise(lines)
        if (first := head.match(one)) and (second := place.match(other))
    ]
    assert len(found) == len(re.findall(r"^ *-->", done.stderr, re.MULTILINE)) > 5
    assert ("error", "variable_not_found", "examples/mistakes/app.blueprint.yaml", "12") in found
    assert {severity for severity, *_ in found} == {"error", "warning", "note"}


def test_targets_are_read_from_listings(tmp_path: Path) -> None:
    literal = re.search(r"= /(.+)/\.exec", (HOME / "src" / "targets.ts").read_text("utf-8"))
    assert literal
    shutil.copytree(ROOT / "examples" / "orders", tmp_path / "orders")
    lines = bpp_inside(tmp_path / "orders", "build", "--list").stdout.splitlines()
    found = [match.groups() for line in lines if (match := re.match(literal[1], line))]
    assert len(found) == len(lines) == 3
    assert ("complete", "app.blueprint.yaml -> rendered/complete.json") in found


def test_a_missing_extra_is_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extension offers the command that the message names."""
    for name in [*sys.modules]:
        if name.startswith(("pygls", "bpp.pipeline.editor")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pygls", None)
    literal = re.search(r"command = /(.+)/\.exec", SOURCES)
    assert literal
    done = bpp_inside(tmp_path, "lsp")
    named = re.search(literal[1], done.stderr)
    assert done.returncode == 2
    assert named and named[1] == "pip install 'blueprint-preprocessor[lsp]'"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None, reason="needs node and npm")
def test_its_own_tests_and_its_package(tmp_path: Path) -> None:
    """Types, grammars by the editor's engine, activation; a package with the same bytes again."""
    home = tmp_path / "editors" / "vscode"
    shutil.copytree(HOME, home, ignore=shutil.ignore_patterns("node_modules", "out", "*.vsix"))
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "LICENSE").symlink_to(ROOT / "LICENSE")

    def npm(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["npm", *arguments],
            cwd=home,
            env={**os.environ, "NO_COLOR": "1", "BPP": BPP},
            text=True,
            capture_output=True,
            timeout=200,
        )

    installed = npm("ci", "--prefer-offline")
    if re.search(r"\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENOTCACHED)\b", installed.stderr):
        pytest.skip("needs the packages of package-lock.json")
    assert installed.returncode == 0, installed.stderr
    tested = npm("test")
    assert tested.returncode == 0, tested.stdout + tested.stderr
    done = npm("run", "package")
    assert done.returncode == 0, done.stderr
    packed = home / f"bpp-{VERSION}.vsix"
    first = packed.read_bytes()
    subprocess.run(["node", "package.mjs"], cwd=home, check=True, capture_output=True)
    assert packed.read_bytes() == first
    with ZipFile(packed) as archive:
        names = {*archive.namelist()}
        manifest = archive.read("extension.vsixmanifest").decode()
    grammars = {f"extension/{one['path'].removeprefix('./')}" for one in CONTRIBUTED["grammars"]}
    assert grammars | {"extension/package.json", "extension/out/extension.js"} < names
    assert f'Version="{VERSION}"' in manifest
    parts = {name.rpartition(".")[2] for name in names}
    assert parts == {"vsixmanifest", "xml", "json", "md", "txt", "js"}
