"""Patterns give the trees that the parser gives.

The table is generated here: a checkout has none, a wheel holds one.
"""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from types import ModuleType

import pytest
from bpp.pipeline.dialects.bluelink.grammar import ROOTS, WORDS, parse
from bpp.pipeline.dialects.bluelink.syntax import patterns
from bpp.pipeline.language.errors import LanguageError
from bpp.pipeline.language.patterns import Patterns
from bpp.pipeline.values.expression import Reference
from hypothesis import given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import pattern_table  # noqa: E402

TABLE = pattern_table.table()
known = Patterns(TABLE, frozenset((*ROOTS, *WORDS))).find
MODULE = "bpp.pipeline.dialects.bluelink.pattern_table"
NAMES = ("a", "_", "a-b", "trueish", "i2", "x_9", "elem_", "Variables", "z-", "spec", "_9", "None")
NUMBERS = ("0", "007", "12", "9" * 18, "9" * 19)
SPACES = ("", " ", "\n\t", "\f\r ")


def written(pattern: str, names: Iterator[str], numbers: Iterator[str], space: str) -> str:
    """An expression of a pattern, with space between all words and signs but in quotes."""
    pieces = re.findall(r'"[^"]*"|\w+|.', pattern, re.DOTALL)
    filled = [
        next(names) if piece == "_" else next(numbers) if piece == "9" else piece
        for piece in (piece.replace('"_"', f'"{next(names)}"') for piece in pieces)
    ]
    return space.join(["", *filled, ""])


@pytest.mark.parametrize("space", SPACES)
def test_every_pattern_means_what_is_parsed(space: str) -> None:
    names, numbers = cycle(NAMES), cycle(NUMBERS[:-1])
    for pattern in TABLE:
        text = written(pattern, names, numbers, space)
        found = known(text)
        assert found is not None, text
        assert found == parse(text, shape=True), text


tokens = st.sampled_from(
    (
        *NAMES,
        *NUMBERS,
        *ROOTS,
        *WORDS,
        *"()[],.=-\"'\0",
        *SPACES[1:],
        '"\0"',
        '["a"]',
        "1.5",
        "f(",
        "é",
    )
)
lists = st.lists(tokens, max_size=14).map("".join)


def agree(text: str) -> None:
    found = known(text)
    if found is not None:
        assert found == parse(text, shape=True)


@settings(max_examples=1_500)
@given(lists)
def test_no_text_is_known_that_means_something_else(text: str) -> None:
    try:
        agree(text)
    except LanguageError as error:
        raise AssertionError(f"known, but refused by the parser: {error.summary}") from None


@settings(max_examples=1_500)
@given(st.data())
def test_nor_is_one_that_is_nearly_a_pattern(data: st.DataObject) -> None:
    pattern = data.draw(st.sampled_from(sorted(TABLE)))
    text = written(pattern, cycle(NAMES), cycle(NUMBERS), data.draw(st.sampled_from(SPACES)))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 3)))
    test_no_text_is_known_that_means_something_else.hypothesis.inner_test(
        text[:start] + data.draw(st.one_of(tokens, st.just(""))) + text[end:]
    )


def test_the_tool_writes_the_table_as_a_module(tmp_path: Path) -> None:
    file = tmp_path / "pattern_table.py"
    command = [sys.executable, "-B", str(ROOT / "tools" / "pattern_table.py"), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert runpy.run_path(str(file))["TABLE"] == TABLE


def test_the_table_of_a_wheel_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType(MODULE)
    vars(module)["TABLE"] = TABLE
    monkeypatch.setitem(sys.modules, MODULE, module)
    assert patterns.__wrapped__().find("variables.a") == Reference("variables", ("a",))


def test_without_a_table_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, MODULE, None)
    assert patterns.__wrapped__().find("variables.a") is None


def test_what_is_usual_needs_no_parser() -> None:
    """Most of the blueprints in `examples/`, which were not written for the table."""
    texts = [path.read_text("utf-8") for path in (ROOT / "examples").rglob("*.blueprint.y*ml")]
    expressions = {match[1] for text in texts for match in re.finditer(r"\$\{([^\"}]+)\}", text)}
    assert len(expressions) > 20
    assert sum(known(text) is not None for text in expressions) > 0.85 * len(expressions)
