"""Edits of whole lines: entries that go, entries that come, comments at the ends of lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import indent
from typing import Final

from ..formats.remedies import Edit
from ..values.source import Source, Span
from ..values.tree import AnyNode, Array, Map, Scalar

_IGNORED: Final = re.compile(r"(?:#|//)[ \t]*bpp:[ \t]*ignore\b[^\r\n]*?(?=[ \t]*(?:\Z|\*/))")
_HEADER: Final = re.compile(r"(?:^|[ \t:])[|>][-+0-9]*[ \t]*\Z")


def way_to(roots: Sequence[AnyNode], offset: int) -> list[tuple[AnyNode, str | int | None]]:
    """The nodes around an offset, the outermost first, each with the key or index of the next."""
    way: list[tuple[AnyNode, str | int | None]] = []
    node: AnyNode | None = next((one for one in roots if one.start <= offset <= one.end), None)
    while node is not None:
        inner = next(
            (
                (name, child)
                for name, child in _children(node)
                if _begin(node, name, child) <= offset <= child.end
            ),
            None,
        )
        way.append((node, inner[0] if inner else None))
        node = inner[1] if inner else None
    return way


def _children(node: AnyNode) -> Iterator[tuple[str | int, AnyNode]]:
    if isinstance(node, Map):
        yield from node.items.items()
    elif isinstance(node, Array):
        yield from enumerate(node.items)


def _begin(node: AnyNode, name: str | int, child: AnyNode) -> int:
    if isinstance(node, Map) and isinstance(name, str):
        return min(node.places.get(name, child.start), child.start)
    return child.start


def without_entry(source: Source, roots: Sequence[AnyNode], span: Span) -> Edit | None:
    """The removal of the entry whose key, or whose item of a list, stands at a span.

    With the last entry of a map its own key goes, too. None for entries that share a line.
    """
    way = [(node, name) for node, name in way_to(roots, span.start) if name is not None]
    if len(way) > 1 and way[-1][1] == "name" and _start_of(way[-1]) != span.start:
        way.pop()  # an item of a list is told by its name
    else:
        while way and _start_of(way[-1]) != span.start:
            way.pop()
    while len(way) > 1 and len(getattr(way[-1][0], "items", ())) == 1:
        way.pop()
    if not way or len(getattr(way[-1][0], "items", ())) == 1:
        return None
    node, name = way[-1]
    child = dict(_children(node)).get(name)
    if child is None:  # a key that its map has twice
        return None
    text = source.text
    first = text.rfind("\n", 0, _begin(node, name, child)) + 1
    before = text[first : _begin(node, name, child)]
    last = text.find("\n", max(child.end - 1, first))
    end = len(text) if last < 0 else last + 1
    after = text[child.end : end].strip() if child.end <= end else ""
    if before.strip(" -") or (after and not after.startswith("#")) or source.format == "json":
        return None
    return Edit(Span(source, first, end), "")


def _start_of(step: tuple[AnyNode, str | int | None]) -> int:
    node, name = step
    if isinstance(node, Map) and isinstance(name, str):
        return node.places.get(name, -1)
    return node.items[name].start if isinstance(node, Array) and isinstance(name, int) else -1


def with_entry(
    source: Source, roots: Sequence[AnyNode], path: tuple[str, ...], entry: str
) -> Edit | None:
    """An entry added at the end of the map or list at a path, which is made unless it is there.

    None for one in braces.
    """
    node = roots[0] if roots else None
    if not isinstance(node, Map) or source.format == "json" or source.text[node.start] == "{":
        return None
    for depth, name in enumerate(path):
        child = node.get(name) if isinstance(node, Map) else None
        empty = isinstance(child, Scalar) and child.value is None
        if child is None or (empty and depth == len(path) - 1):
            if empty:
                return None
            for missing in reversed(path[depth:]):
                entry = f"{missing}:\n{indent(entry, '  ')}"
            break
        node = child
    if not isinstance(node, (Map, Array)) or not node.items:
        return None
    first = next(iter(_children(node)))
    start = _begin(node, *first) if isinstance(node, Map) else node.start
    if source.text[node.start : node.start + 1] in ("{", "["):
        return None
    column = source.locate(start)[1] - 1
    last = max(child.end for _, child in _children(node))
    stop = source.text.find("\n", max(last - 1, 0))
    at = len(source.text) if stop < 0 else stop + 1
    lines = indent(entry, " " * column) + "\n"
    return Edit(Span(source, at, at), lines if stop >= 0 else "\n" + lines)


def with_comment(source: Source, roots: Sequence[AnyNode], span: Span, code: str) -> Edit | None:
    """A comment that ignores a code at a place, in the one that is there already, if there is one.

    None where no comment can stand.
    """
    mark = "#"
    if source.format == "json":
        if not source.name.endswith("c"):
            return None
        mark = "//"
    number = span.line
    scalar = next(
        (node for node, _ in reversed(way_to(roots, span.start)) if isinstance(node, Scalar)), None
    )
    if scalar is not None and scalar.span.end_line != scalar.span.line:
        number = scalar.span.line
        if not _HEADER.search(source.line(number).partition(" #")[0]):
            return None
    line = source.line(number)
    start = source.line_starts[number - 1]
    known = _IGNORED.search(line)
    if known is not None:
        at = start + known.end()
        return Edit(Span(source, at, at), f", {code}")
    end = start + len(line.rstrip())
    return Edit(Span(source, end, start + len(line)), f"  {mark} bpp: ignore {code}")
