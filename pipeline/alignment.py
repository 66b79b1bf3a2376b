"""Which elements of two arrays belong together."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from typing import Final

_MOST_PAIRS: Final = 250_000
"""So many pairs are looked at one by one; in longer arrays only elements without a twin count."""


def alignment(old: list[str], new: list[str]) -> Iterator[tuple[int | None, int | None]]:
    """Pairs of indexes to compare; None for an element that has no other.

    `old` and `new` are texts that are equal when the elements are. Equal elements in the same order
    hold the arrays together and are left out. Between them the rest is paired by position, but for
    what has its equal somewhere else: that has moved.
    """
    stayed, arrived = set(old), set(new)
    start = new_start = 0
    for end, new_end in [*_common(old, new), (len(old), len(new))]:
        left = [index for index in range(start, end) if old[index] not in arrived]
        right = [index for index in range(new_start, new_end) if new[index] not in stayed]
        pairs = dict(zip(left, right, strict=False))
        paired = set(pairs.values())
        for before in range(start, end):
            yield before, pairs.get(before)
        for after in range(new_start, new_end):
            if after not in paired:
                yield None, after
        start, new_start = end + 1, new_end + 1


def _common(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Indexes of equal elements that stand in the same order in both, as many as can be."""
    shortest = min(len(old), len(new))
    first = 0
    while first < shortest and old[first] == new[first]:
        first += 1
    last = 0
    while last < shortest - first and old[-1 - last] == new[-1 - last]:
        last += 1
    middle, new_middle = old[first : len(old) - last], new[first : len(new) - last]
    find = _longest if len(middle) * len(new_middle) <= _MOST_PAIRS else _anchors
    found = [(before + first, after + first) for before, after in find(middle, new_middle)]
    tail = [(len(old) - back, len(new) - back) for back in range(last, 0, -1)]
    return [*((index, index) for index in range(first)), *found, *tail]


def _longest(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """The longest common subsequence, by a table of the lengths for all ends of the arrays."""
    width = len(new) + 1
    lengths = [[0] * width]
    for text in reversed(old):
        below = lengths[-1]
        row = [0] * width
        for column in range(len(new) - 1, -1, -1):
            if text == new[column]:
                row[column] = below[column + 1] + 1
            else:
                row[column] = max(below[column], row[column + 1])
        lengths.append(row)
    lengths.reverse()
    found = []
    before = after = 0
    while before < len(old) and after < len(new):
        if old[before] == new[after]:
            found.append((before, after))
            before, after = before + 1, after + 1
        elif lengths[before + 1][after] >= lengths[before][after + 1]:
            before += 1
        else:
            after += 1
    return found


def _anchors(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """The longest rising run of elements that occur once in each array."""
    counts, new_counts = Counter(old), Counter(new)
    places = {text: index for index, text in enumerate(new) if new_counts[text] == 1}
    pairs = [
        (index, places[text])
        for index, text in enumerate(old)
        if counts[text] == 1 and text in places
    ]
    ends: list[int] = []
    holders: list[int] = []
    previous: list[int] = []
    for number, (_, after) in enumerate(pairs):
        position = bisect_left(ends, after)
        previous.append(holders[position - 1] if position else -1)
        ends[position : position + 1] = [after]
        holders[position : position + 1] = [number]
    found = []
    number = holders[-1] if holders else -1
    while number >= 0:
        found.append(pairs[number])
        number = previous[number]
    return found[::-1]
