"""The trees of a text as it is written, whatever its dialect makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias
from weakref import WeakKeyDictionary

from ...functions.record import Record, field
from ..answers.paths import Path
from ..formats.detection import read_documents
from ..formats.scalars import leave
from ..language.meter import Meter
from ..values.diagnostics import Diagnostics, Stop
from ..values.settings import Limits
from ..values.source import Source
from ..values.tree import AnyNode, Array, Map, Scalar, text_at
from .completing import is_text
from .computed import Shift
from .coordinates import Coordinates
from .workspace import Workspace

Trail = tuple[Path, AnyNode]


class Trees(Record, eq=False):
    """The documents of a text: of the present one, or of the last that could be read.

    Offsets in the nodes are those of `read`; `place` gives those in `source`, the present text.
    """

    source: Source
    read: Source
    nodes: tuple[AnyNode, ...]
    at: Coordinates
    shift: Shift = field(repr=False)

    def place(self, start: int, end: int) -> tuple[int, int] | None:
        """The range in the present text; None where that was changed since."""
        return self.shift.place(start, end)

    def end_of(self, node: AnyNode) -> int:
        """Where a node ends, without the blank that follows it."""
        end = min(node.end, len(self.read.text))
        return node.start + len(self.read.text[node.start : end].rstrip())


def trees_of(workspace: Workspace, uri: str) -> Trees | None:
    """The trees of an open text; None for one that was never readable, or is not of a dialect."""
    source, analysis = workspace.source(uri), workspace.latest(uri)
    if source is None or analysis is None:
        return None
    at = Coordinates(source, workspace.units)
    if is_text(analysis.dialect):
        return Trees(source, source, (), at, Shift("", ""))
    good = analysis.good
    for read in (source, *((good.source,) if good is not None else ())):
        nodes = nodes_of(read, workspace.settings.limits)
        if nodes is not None:
            shift = Shift(read.text, source.text)
            return Trees(source, read, nodes, at, shift)
    return None


_Read: TypeAlias = tuple[tuple[AnyNode, ...] | None, bool]
"""The documents of a text as far as it can be read, and whether it has no mistake."""

_KNOWN: Final[WeakKeyDictionary[Source, _Read]] = WeakKeyDictionary()


def nodes_of(source: Source, limits: Limits, lenient: bool = False) -> tuple[AnyNode, ...] | None:
    """The documents of a text; None for one that cannot be read. Each text is read once.

    A text with mistakes, such as a key that its map has twice, can be read if one is `lenient`.
    """
    if source not in _KNOWN:
        _KNOWN[source] = _read(source, limits)
    nodes, sound = _KNOWN[source]
    return nodes if sound or lenient else None


def _read(source: Source, limits: Limits) -> _Read:
    """The documents of a text as far as it can be read, and whether it has no mistake."""
    told = Diagnostics(1)
    try:
        nodes = read_documents(source, leave, "\0", Meter(limits), told)
    except Stop:
        return None, False
    return tuple(nodes) if nodes is not None else None, not told.errors


def scalars(node: AnyNode) -> Iterator[tuple[Path, AnyNode]]:
    """The scalars in a node with their paths, in written order."""
    stack: list[tuple[Path, AnyNode]] = [((), node)]
    while stack:
        path, one = stack.pop()
        if isinstance(one, Map):
            stack += [((*path, key), child) for key, child in reversed(one.items.items())]
        elif isinstance(one, Array):
            count = len(one.items)
            stack += [((*path, count - n), one.items[count - n]) for n in range(1, count + 1)]
        else:
            yield path, one


def title_of(node: AnyNode, index: int) -> str:
    """The name of an item of a list or of a document: what it calls itself, else its number."""
    for path in (("metadata", "name"), ("name",), ("as",), ("uses",), ("id",), ("task", "name")):
        name = text_at(node, *path)
        if name:
            kind = text_at(node, "kind")
            return f"{kind} {name}" if kind and path != ("as",) else name
    if isinstance(node, Scalar) and isinstance(node.value, str) and len(node.value) < 60:
        return node.value if node.value.isprintable() and node.value else f"[{index}]"
    return f"[{index}]"
