"""The driver that tries tests on wrong code: what it changes, and what it says of tests."""

from __future__ import annotations

import ast
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))
from benchmarks.attacks import mutations
from benchmarks.attacks.mutants import mutants

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("a < 1", ["a >= 1", "a <= 1", "a < 2"]),
        ("a in b is not c", ["a not in b is not c", "a in b is c"]),
        ("a and b", ["a or b", "b", "a"]),
        ("x = not a", ["x = None", "x = a"]),
        ("x = a + b", ["x = None", "x = a - b"]),
        ("x |= 3", ["x &= 3", "x |= 4"]),
        ("f(a, b=True)", ["f(b=True)", "f(a)", "f(a, b=False)", "pass"]),
        ("x = ['a', b'c d', 'for people', None]", [
            "x = None",
            "x = [b'c d', 'for people', None]",
            "x = ['a', 'for people', None]",
            "x = ['a', b'c d', None]",
            "x = ['a', b'c d', 'for people']",
            "x = ['a?', b'c d', 'for people', None]",
            "x = ['a', b'c d?', 'for people', None]",
        ]),
        ("if a():\n    raise b", ["if not a():\n    raise b", "if a():\n    pass"]),
        ("while a:\n    break", ["while not a:\n    break", "while a:\n    continue"]),
        ("def f(a: int=1) -> int:\n    return a", [
            "def f(a: int=2) -> int:\n    return a",
            "def f(a: int=1) -> int:\n    return None",
        ]),
        ("def f():\n    return False", ["def f():\n    return True"]),
        ("{a for a in b if a if c}", ["{a for a in b if c}", "{a for a in b if a}"]),
        (
            "match a:\n    case 1:\n        b\n    case _ if c:\n        d",
            [
                "match a:\n    case _ if c:\n        d",
                "match a:\n    case 1:\n        b",
                "match a:\n    case 2:\n        b\n    case _ if c:\n        d",
                "match a:\n    case 1:\n        b\n    case _ if not c:\n        d",
            ],
        ),
        # what only people and type checkers read
        ("'a'", []),
        ("import a", []),
        ("assert a == 1", []),
        ("f'{a + 1}'", []),
        ("T: TypeAlias = a[1]", []),
        ("T = TypeVar('T')", []),
        ("if TYPE_CHECKING:\n    x = 1", []),
        ("__slots__ = ('a', 'b')", []),
    ],
)  # fmt: skip
def test_what_is_changed(text: str, changed: list[str]) -> None:
    tree = ast.parse(text)
    found = list(mutants(tree))
    assert sorted(one.text(tree) for one in found) == sorted(changed)
    assert ast.unparse(tree) == ast.unparse(ast.parse(text))
    assert all(one.line > 0 and one.was != one.now for one in found)


def test_every_module_has_mutants_that_are_python() -> None:
    for module, tests in mutations.TESTS.items():
        tree = ast.parse((ROOT / module).read_text("utf-8"))
        found = list(mutants(tree))
        assert len(found) >= 20, module
        for one in found[:: len(found) // 3]:
            ast.parse(one.text(tree))
        for test in tests:
            name, _, function = test.partition("::")
            file = ROOT / "tests" / f"test_{name}.py"
            assert f"def {function or 'test_'}" in file.read_text("utf-8")


@pytest.mark.slow
def test_wrong_code_is_found_out() -> None:
    # below a folder that everybody may enter
    with tempfile.TemporaryDirectory() as folder:
        try:
            copy = mutations.checkout_copy(Path(folder).resolve())
        except SystemExit as problem:
            pytest.skip(str(problem))
        place = copy / "pipeline" / "encodings.py"
        tests = ("encodings::test_wide_encodings_are_told",)
        assert mutations.tested(copy, tests, 60) == "survived"
        place.write_text(place.read_text("utf-8").replace("[:4]", "[:3]"), "utf-8")
        assert mutations.tested(copy, tests, 60) == "killed"
        assert mutations.tested(copy, tests, 0.01) == "timed out"


def test_a_module_without_tests_is_refused() -> None:
    command = [sys.executable, "-m", "benchmarks.attacks.mutations", "pipeline/nothing.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pipeline/nothing.py" in done.stderr
