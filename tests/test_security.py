"""SECURITY.md promises nothing that no test holds."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "SECURITY.md").read_text("utf-8")
PROMISES = TEXT.partition("## What is promised")[2].partition("\n## ")[0]
TESTS = sorted(set(re.findall(r"`(tests/[\w/.]+\.py)::(\w+)`", TEXT)))


@pytest.mark.parametrize("file", sorted({file for file, _ in TESTS}))
def test_a_named_test_is_there(file: str) -> None:
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    there = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    assert {name for promised, name in TESTS if promised == file} <= there


def test_every_promise_names_its_test() -> None:
    promises = [" ".join(part.split()) for part in re.split(r"\n- ", PROMISES)[1:]]
    assert len(promises) > 20
    assert [one for one in promises if "`tests/" not in one] == []


@pytest.mark.parametrize("module", sorted(set(re.findall(r"`python -m (benchmarks[\w.]+)`", TEXT))))
def test_a_named_driver_is_there(module: str) -> None:
    path = ROOT / f"{module.replace('.', '/')}.py"
    assert path.is_file() or (path.with_suffix("") / "__main__.py").is_file()
