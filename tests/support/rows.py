"""Many rows of data in one test: each is tried, and all that do not hold are told by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

T = TypeVar("T")


def hold(rows: Iterable[T], law: Callable[[T], object], name: Callable[[T], object] = repr) -> None:
    """Tries a law on every row; at least one is needed.

    Fails with the names of the rows that break it and what was wrong with each. What is no failed
    assertion, such as a bug, ends the test at its row, which a note names.
    """
    told, tried = [], 0
    for row in rows:
        tried += 1
        try:
            law(row)
        except (AssertionError, pytest.fail.Exception) as broken:
            told.append(f"{name(row)}: {broken}")
        except Exception as error:
            error.add_note(f"in the row {name(row)}")
            raise
    assert tried, "there are no rows"
    assert not told, f"{len(told)} of {tried} rows do not hold\n" + "\n".join(told)
