"""Which lines of a source may be shown beside a diagnostic: none that holds a secret."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import Final

from ..formats.detection import read_plain
from ..values.diagnostics import Diagnostics
from ..values.settings import Limits
from ..values.source import Source
from ..values.tree import AnyNode, Array, Map, Scalar

# of a secret definition these are no secret; a misspelt `default` is
_HARMLESS: Final = frozenset({"type", "secret", "description", "metadata"})
# mistakes in spite of which a tree has everything that is written
_WHOLE: Final = frozenset({"duplicate_key", "number_out_of_range", "yaml_tag_not_supported"})
_LITERAL: Final = re.compile(
    r""".*\b(?:default|allowedValues|value)["']?\s*:"""
    r"""|.*[{,]\s*["']?secret["']?\s*:"""
)

_INCLUDE: Final = re.compile(r""".*\binclude["']?\s*:""")


def line_filter(hidden: Collection[str]) -> Callable[[Source, int], bool]:
    """A function that tells whether a line of a source may be shown.

    `hidden` are the names of files that are never quoted: variable files and the like.
    """
    known: dict[int, frozenset[int]] = {}

    def may_quote(source: Source, line: int) -> bool:
        if source.name in hidden:
            return False
        if id(source) not in known:
            known[id(source)] = _secret_lines(source)
        return line not in known[id(source)]

    return may_quote


def _secret_lines(source: Source) -> frozenset[int]:
    text = source.text.lower()
    if source.format not in ("yaml", "json") or not ("secret" in text or "include" in text):
        return frozenset()
    problems = Diagnostics()
    root = read_plain(source, Limits(), problems)
    lines: set[int] = set()
    if root is None or problems.dropped or not _WHOLE.issuperset(item.code for item in problems):
        # a tree with other mistakes may lack what is written
        lines.update(_guessed(source, _LITERAL))
        # only children say what of that which they are given is a secret
        lines.update(_guessed(source, _INCLUDE))
    for node in _secrets(root):
        lines.update(range(source.locate(node.start)[0], source.locate(node.end)[0] + 1))
    return frozenset(lines)


def _secrets(root: AnyNode | None) -> Iterator[AnyNode]:
    """What belongs to a definition with `secret`, unless that is `false` beyond doubt."""
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, Array):
            stack.extend(node.items)
        elif isinstance(node, Map):
            stack.extend(node.items.values())
            flags = [child for key, child in node.items.items() if key.lower() == "secret"]
            if any(not isinstance(flag, Scalar) or flag.value is not False for flag in flags):
                for key, child in node.items.items():
                    if key.lower() not in _HARMLESS:
                        yield child


def _guessed(source: Source, beginning: re.Pattern[str]) -> Iterator[int]:
    """In a text that cannot be read: what begins like a literal of a definition, or an include."""
    indent: int | None = None
    for number in range(1, len(source.line_starts) + 1):
        text = source.line(number)
        begun = text.lstrip()
        own = len(text) - len(begun)
        if beginning.match(text):
            indent = own
        elif indent is not None and begun and own <= indent:
            # items of a list may stand below the key itself
            indent = indent if own == indent and begun.startswith("-") else None
        if indent is not None:
            yield number
