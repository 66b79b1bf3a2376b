"""Which lines of a source may be shown beside a diagnostic: none that holds a secret."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from ..blueprint.secrecy import secret_nodes
from ..diagnostics import Diagnostics
from ..formats.detection import read_plain
from ..settings import Limits
from ..source import Source

_LITERAL = re.compile(r"""(\s*)-?\s*["']?(?:default|allowedValues|value)["']?\s*:""")


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
    if "secret" not in source.text or source.format not in ("yaml", "json"):
        return frozenset()
    root = read_plain(source, Limits(), Diagnostics())
    if root is None:
        return frozenset(_guessed(source))
    lines: set[int] = set()
    for _, _, _, node in secret_nodes(root):
        lines.update(range(source.locate(node.start)[0], source.locate(node.end)[0] + 1))
    return frozenset(lines)


def _guessed(source: Source) -> list[int]:
    """In a text that cannot be read: whatever looks like a literal of a definition."""
    lines: list[int] = []
    indent: int | None = None
    for number in range(1, len(source.line_starts) + 1):
        text = source.line(number)
        match = _LITERAL.match(text)
        if match:
            indent = len(match.group(1))
        elif indent is not None and text.strip() and len(text) - len(text.lstrip()) <= indent:
            indent = None
        if indent is not None:
            lines.append(number)
    return lines
