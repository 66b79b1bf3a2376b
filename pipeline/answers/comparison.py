"""What is different between two materialised blueprints, by path and not by text."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import attrs

from ..engine.run import Run
from ..language.language import Language
from ..values.threads import with_stack_room
from ..values.tree import AnyNode, Array, Map, Template
from .inspection import top_level
from .levels import Level
from .paths import Path, path_text

# Which elements of two arrays belong together.

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


ADDED, REMOVED, CHANGED, MOVED = "added", "removed", "changed", "moved"


@attrs.frozen
class Difference:
    """One path at which two blueprints differ.

    `kind` is `added`, `removed`, `changed` or `moved`. `path` is the place in the second blueprint,
    for what is removed or moved in the first. `old` and `new` are plain data, None where there is
    none; a residual is its text, `${..}`. For an array's element that is moved they are its indexes
    before and after.
    """

    path: Path
    kind: str
    old: Any = None
    new: Any = None

    @property
    def where(self) -> str:
        """The path as text: `resources.a.spec.ports[0]`, `resources.a.metadata["x.y"]`."""
        return path_text(self.path)


@with_stack_room
def diff(a: Run, b: Run) -> tuple[Difference, ...]:
    """The differences between the results of two runs, in the order of the first, then the second.

    Two results are the same when they hold the same data: the order of keys does not count, the
    types of values do (`"1"`, `1` and `1.0` are three values). What nothing reads in one of them,
    such as the environments of a project that are not rendered, is no difference. Elements of
    arrays are compared by index, unless equal ones show that some were inserted, removed or moved.
    What is added or removed as a whole is one difference. Secrets are references in both, so they
    never differ. Two documents that each hold one thing of another name, such as a Stage, are
    compared below that name.

    Raises:
        ValueError: when a run has no result.
    """
    levels = top_level(a), top_level(b)
    old, new = map(_data, levels)
    first, second = (level.alone for level in levels)
    if first is not None and second is not None and first != second:
        old, new = old[first], new[second]
    return differences(old, new)


def differences(old: Any, new: Any) -> tuple[Difference, ...]:
    """The differences between two documents that are plain data, in the order of `diff`."""
    return tuple(_compare(old, new, ()))


def _data(level: Level) -> Any:
    data = _plain(level.redacted(level.document).root, level.language)
    for *way, last in level.unread():
        here: Any = data
        for key in way:
            here = here[key]
        here[last] = _Unread(here[last])
    return data


class _Unread:
    """A part that nothing reads: it is the same as any other."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _whole(value: Any) -> Any:
    """Plain data with the parts that nothing reads."""
    match value:
        case _Unread():
            return value.value
        case dict():
            return {key: _whole(item) for key, item in value.items()}
        case list():
            return [_whole(item) for item in value]
    return value


def _plain(node: AnyNode, language: Language) -> Any:
    """A tree as plain data in which strings are written as they are in a blueprint."""
    match node:
        case Map(items=items):
            return {key: _plain(child, language) for key, child in items.items()}
        case Array(items=items):
            return [_plain(child, language) for child in items]
        case Template():
            return language.template(node)
    value = node.value
    if isinstance(value, str) and language.opener in value:
        return language.protect(value)
    return value


def _compare(old: Any, new: Any, path: Path) -> Iterator[Difference]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            here = (*path, key)
            if key not in new:
                yield from _alone(here, REMOVED, old[key])
            elif key not in old:
                yield from _alone(here, ADDED, new[key])
            else:
                yield from _compare(old[key], new[key], here)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _compare_arrays(old, new, path)
    elif isinstance(old, _Unread) or isinstance(new, _Unread):
        return
    elif old.__class__ is not new.__class__ or old != new:
        yield Difference(path, CHANGED, _whole(old), _whole(new))


def _alone(path: Path, kind: str, value: Any) -> Iterator[Difference]:
    """What is only in one of the two."""
    if not isinstance(value, _Unread):
        found = _whole(value)
        yield Difference(path, kind, *((None, found) if kind == ADDED else (found, None)))


def _compare_arrays(old: list[Any], new: list[Any], path: Path) -> Iterator[Difference]:
    old_keys, new_keys = list(map(_identity, old)), list(map(_identity, new))
    if old_keys == new_keys:
        return
    removed: list[int] = []
    added: list[int] = []
    for before, after in alignment(old_keys, new_keys):
        if before is None:
            assert after is not None
            added.append(after)
        elif after is None:
            removed.append(before)
        else:
            yield from _compare(old[before], new[after], (*path, after))
    arrived: dict[str, list[int]] = {}
    here = {index for index in {*removed} & {*added} if old_keys[index] == new_keys[index]}
    for index in reversed([index for index in added if index not in here]):
        arrived.setdefault(new_keys[index], []).append(index)
    moved = {
        index: arrived[old_keys[index]].pop()
        for index in removed
        if index not in here and arrived.get(old_keys[index])
    }
    left = {index for waiting in arrived.values() for index in waiting}
    for index in removed:
        if index in moved:
            yield Difference((*path, index), MOVED, index, moved[index])
        elif index in left:  # one went and one came at the same index
            left.remove(index)
            yield from _compare(old[index], new[index], (*path, index))
        elif index not in here:
            yield from _alone((*path, index), REMOVED, old[index])
    for index in sorted(left):
        yield from _alone((*path, index), ADDED, new[index])


def _identity(value: Any) -> str:
    """A text that two values share when they are the same, whatever the order of their keys; it is
    its own for what nothing reads, so that such elements are paired by their places."""
    import json

    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=lambda one: str(id(one)))
