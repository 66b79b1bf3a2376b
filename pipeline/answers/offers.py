"""How what is typed may go on: names step by step, for consoles, shells and editors."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Final

_WORD: Final = re.compile(r"""(?:[\w.\[\]$-]|(?<=\[)["'][^"'\]\n]*["']?)*\Z""")
_STEP: Final = re.compile(r"[.\[]")
_LONGEST: Final = 500


def begun_name(text: str) -> str:
    """The name, with its steps so far, that a text ends with; empty for none."""
    found = _WORD.search(text, max(len(text) - _LONGEST, 0))
    return found[0] if found else ""


def next_steps(names: Sequence[str], begun: str, most: int) -> list[str]:
    """The names that go on from what is typed, each up to its next step; `names` are sorted.

    Each is there once, and at most so many.
    """
    found: dict[str, None] = {}
    position = bisect_left(names, begun)
    while position < len(names) and names[position].startswith(begun) and len(found) < most:
        name = names[position]
        if name == begun:
            position += 1
            continue
        step = _STEP.search(name, len(begun) + 1)
        cut = name[: step.start()] if step else name
        found.setdefault(cut)
        # past all with the same step: those that go on after it sort behind it
        beyond = f"{cut}{step[0]}\U0010ffff" if step else f"{name}\0"
        position = max(bisect_left(names, beyond, position), position + 1)
    return list(found)


def sorted_names(names: Iterable[str]) -> list[str]:
    """Names as `next_steps` takes them."""
    return sorted({*names})
