"""What wheels hold compiled can be compiled, and does not stand in for anything else."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import compiling  # noqa: E402

UNFIT = {"Record", "Protocol", "str", "tuple", "NamedTuple", "Enum"}


def _bases(module: str) -> set[str]:
    tree = ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text())
    return {
        ast.unparse(base).partition("[")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for base in node.bases
    }


@pytest.mark.parametrize("module", compiling.MODULES)
def test_a_module_that_is_compiled_has_only_what_can_be(module: str) -> None:
    assert _bases(module) & UNFIT == set()


def test_each_is_listed_once_and_in_order() -> None:
    assert list(compiling.MODULES) == sorted(set(compiling.MODULES))


@pytest.mark.parametrize(("asked", "answer"), [("0", False), ("1", True)])
def test_whether_to_compile_can_be_decided(
    asked: str, answer: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BPP_COMPILE", asked)
    assert compiling.wanted() is answer


def test_without_a_compiler_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("setuptools")
    monkeypatch.delenv("BPP_COMPILE", raising=False)
    monkeypatch.setenv("CC", "/nowhere/cc")
    assert compiling.wanted() is False
    assert compiling.extensions() == []


def test_who_insists_is_told_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BPP_COMPILE", "1")
    monkeypatch.setitem(sys.modules, "mypyc.build", None)
    with pytest.raises(SystemExit, match=r"^BPP_COMPILE=1 needs mypy"):
        compiling.extensions()
