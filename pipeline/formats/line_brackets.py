"""Collections in brackets on one line of YAML, as far as they are certain."""

from __future__ import annotations

import re
from typing import Any, Final

from ..settings import Limits
from ..tree import AnyNode, Array, Map, Scalar, Template, Trail
from .line_values import (
    ARRAY,
    LONGEST_KEY,
    MAP,
    REST,
    TEMPLATE,
    UNSURE,
    UNSURE_VALUE,
    Value,
    plain_value,
    text_value,
)
from .segments import Split

_MOST_LEVELS: Final = 20
_BLANKS: Final = re.compile(r"\ *+").match
_KEY: Final = re.compile(
    r"(?:([A-Za-z0-9_$./][\w$./@+-]*+)|\"([^\"\\]++)\"|'([^']++)'):\ ++", re.ASCII
).match
_SCALAR: Final = re.compile(
    r"\"([^\"\\]*+)\"|'([^']*+)'|([A-Za-z0-9_$./+][\w$./@+-]*+(?:\ ++[\w$./@+-]++)*+)", re.ASCII
).match


class Brackets:
    """What stands in brackets.

    `items` has for each value its key and the key's offset (None and 0 in an array), the value's
    offset and the value. `count` is the number of all values inside, `depth` of levels.
    """

    __slots__ = ("count", "depth", "items")

    def __init__(self) -> None:
        self.items: list[tuple[str | None, int, int, Value]] = []
        self.count = 0
        self.depth = 1

    def node(self, kind: int, trail: Trail, origin: int, at: int, end: int) -> AnyNode:
        """The nodes for it, written from `at` to `end`; its offsets count from `origin`."""
        nodes: list[AnyNode] = []
        for _, _, offset, (what, content, size) in self.items:
            begin = origin + offset
            if what in (ARRAY, MAP):
                nodes.append(content.node(what, trail, origin, begin, begin + size))
            elif what == TEMPLATE:
                nodes.append(Template(content[0], content[1], trail, begin, begin + size))
            else:
                nodes.append(Scalar(content, trail, begin, begin + size))
        if kind == ARRAY:
            return Array(nodes, trail, at, end)
        keys: Any = [key for key, *_ in self.items]
        places: Any = {key: origin + offset for key, offset, *_ in self.items}
        return Map(dict(zip(keys, nodes, strict=True)), places, trail, at, end)


def read_brackets(raw: str, split: Split, opener: str, limits: Limits) -> Value:
    """The value of a text that begins with a bracket; it may end with a comment.

    Raises:
        LanguageError: for what `split` refuses.
    """
    value = _read(raw, 0, split, opener, min(LONGEST_KEY, limits.max_key_chars), _MOST_LEVELS)
    return value if value[0] != UNSURE and REST(raw, value[2]) else UNSURE_VALUE


def _read(raw: str, begin: int, split: Split, opener: str, longest: int, levels: int) -> Value:
    kind, closing = (ARRAY, "]") if raw[begin] == "[" else (MAP, "}")
    found = Brackets()
    keys: set[str | None] = set()
    position = _after_blanks(raw, begin + 1)
    if raw[position : position + 1] == closing:
        return kind, found, position + 1 - begin
    if not levels:
        return UNSURE_VALUE
    while True:
        key, place = None, 0
        if kind == MAP:
            match = _KEY(raw, position)
            if match is None:
                return UNSURE_VALUE
            key, place = match[1] or match[2] or match[3], position
            if key in keys or len(key) > longest or opener in key:
                return UNSURE_VALUE
            keys.add(key)
            position = match.end()
        if raw[position : position + 1] in ("[", "{"):
            value = _read(raw, position, split, opener, longest, levels - 1)
            if value[0] != UNSURE:
                found.count += value[1].count
                found.depth = max(found.depth, value[1].depth + 1)
        else:
            value = _scalar(raw, position, split, opener)
        if value[0] == UNSURE:
            return UNSURE_VALUE
        found.items.append((key, place, position, value))
        position = _after_blanks(raw, position + value[2])
        after = raw[position : position + 1]
        if after == closing:
            found.count += len(found.items)
            return kind, found, position + 1 - begin
        position = _after_blanks(raw, position + 1)
        if after != "," or raw[position : position + 1] in ("", closing):
            return UNSURE_VALUE


def _scalar(raw: str, position: int, split: Split, opener: str) -> Value:
    match = _SCALAR(raw, position)
    if match is None:
        return UNSURE_VALUE
    double, single, plain = match.groups()
    length = match.end() - position
    if plain is not None:
        return plain_value(plain, length, split, opener)
    return text_value(double if double is not None else single, length, split, opener)


def _after_blanks(raw: str, position: int) -> int:
    match = _BLANKS(raw, position)
    assert match is not None
    return match.end()
