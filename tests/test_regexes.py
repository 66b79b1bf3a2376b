"""The table of compiled regular expressions holds what `re.compile` makes of them.

It is generated here: a checkout has none, a wheel holds one.
"""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from bpp.functions import regexes

TOOL = Path(__file__).parent.parent / "tools" / "regex_table.py"


def written(folder: Path, seed: str) -> Path:
    """The module that the tool writes."""
    file = folder / f"table{seed}.py"
    command = [sys.executable, "-S", "-B", str(TOOL), str(file)]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": seed})
    return file


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return runpy.run_path(str(written(tmp_path_factory.mktemp("table"), "1")))


def test_each_expression_means_what_is_compiled(
    table: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert table["MADE_FOR"] == regexes.made_for()
    assert len(table["TABLE"]) > 100
    monkeypatch.setattr(regexes, "_TABLE", table["TABLE"])
    for pattern, flags in table["TABLE"]:
        ready, usual = regexes.compile_regex(pattern, flags), re.compile(pattern, flags)
        assert ready is not usual
        assert ready == usual  # the flags, the program and the text
        assert (ready.groups, ready.groupindex) == (usual.groups, usual.groupindex)


def test_the_groups_of_an_expression_have_their_names(
    table: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    key = next(key for key in table["TABLE"] if "(?P<bytes>" in key[0])
    monkeypatch.setattr(regexes, "_TABLE", {key: table["TABLE"][key]})
    found = regexes.compile_regex(*key).match("name")
    assert found is not None
    assert (found.lastgroup, found["name"]) == ("name", "name")


def test_what_the_table_does_not_hold_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regexes, "_TABLE", {})
    assert regexes.compile_regex("a+", re.ASCII) == re.compile("a+", re.ASCII)


def test_a_table_is_used_by_the_python_that_made_it(
    tmp_path: Path, table: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"{regexes.__package__}.regex_table"
    module = type(sys)(name)
    module.__dict__.update(TABLE={"a": ()}, MADE_FOR=regexes.made_for())
    monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(sys.modules[str(regexes.__package__)], "regex_table", module, raising=False)
    assert regexes._table() == {"a": ()}
    module.__dict__["MADE_FOR"] = ("cpython", 3, 10)
    assert regexes._table() == {}


def test_a_table_is_the_same_each_time(tmp_path: Path) -> None:
    assert written(tmp_path, "1").read_bytes() == written(tmp_path, "2").read_bytes()
