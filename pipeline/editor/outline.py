"""The outline of texts: symbols of documents and of the workspace, folding, selections."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from lsprotocol import types

from ..answers.inspection import openers_of
from ..language.errors import LanguageError
from ..values.expression import parts
from ..values.source import Source
from ..values.tree import AnyNode, Array, Map, Scalar, Template, Trail, kind_of, text_at
from .coordinates import Coordinates
from .feature import Feature
from .places import span_in
from .texts import uri_of
from .tokens import regions_in
from .trees import Trees, nodes_of, title_of, trees_of
from .workspace import Workspace

_MOST_SYMBOLS: Final = 5_000
_DEEPEST: Final = 40
_MOST_FOLDS: Final = 20_000
_MOST_FOUND: Final = 500

_Kinds = types.SymbolKind
_KINDS: Final = {
    "object": _Kinds.Object,
    "array": _Kinds.Array,
    "string": _Kinds.String,
    "integer": _Kinds.Number,
    "float": _Kinds.Number,
    "boolean": _Kinds.Boolean,
    "null": _Kinds.Null,
}
_COMMENTS: Final = re.compile(r"(?:^[ \t]*(?:#|//)[^\n]*(?:\n|\Z)){2,}", re.MULTILINE)
_BLOCKS: Final = re.compile(
    r"\{\{-?[ \t]*(?:(?P<open>if|range|with|define|block)\b|(?P<close>end)\b|(?P<else>else)\b)"
)


def document_symbols(
    workspace: Workspace, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | None:
    """The sections of a text, what they define, and all below it."""
    trees = trees_of(workspace, params.text_document.uri)
    if trees is None:
        return None
    symbols = _Symbols(trees)
    several = len(trees.nodes) > 1
    found: list[types.DocumentSymbol] = []
    for number, node in enumerate(trees.nodes):
        inside = symbols.below(node, 1 if several else 0)
        if not several:
            return inside
        made = symbols.symbol(title_of(node, number), node, node.start, node.start + 1, 0)
        if made is not None:
            made.children = inside
            found.append(made)
    return found


class _Symbols:
    """Makes the symbols of a text, down to where there are more than anyone reads."""

    def __init__(self, trees: Trees) -> None:
        self._trees = trees
        self._deepest = _levels(trees.nodes)
        self._left = 2 * _MOST_SYMBOLS

    def below(self, node: AnyNode, depth: int) -> list[types.DocumentSymbol]:
        """The symbols of what is in a node."""
        found: list[types.DocumentSymbol] = []
        if depth > self._deepest:
            return found
        for name, child, start, end in self._children(node):
            if self._left <= 0:
                break
            self._left -= 1
            made = self.symbol(name, child, start, end, depth)
            if made is not None:
                made.children = self.below(child, depth + 1) or None
                found.append(made)
        return found

    def _children(self, node: AnyNode) -> Iterator[tuple[str, AnyNode, int, int]]:
        if isinstance(node, Map):
            for entry in node.entries():
                yield entry.key, entry.node, entry.key_span.start, entry.key_span.end
        elif isinstance(node, Array):
            for number, item in enumerate(node.items):
                if isinstance(item, (Map, Array)):
                    yield title_of(item, number), item, item.start, item.start + 1

    def symbol(
        self, name: str, node: AnyNode, start: int, end: int, depth: int
    ) -> types.DocumentSymbol | None:
        """One symbol; None where the text was changed since."""
        trees = self._trees
        inner = trees.place(start, end)
        whole = trees.place(start, max(trees.end_of(node), end))
        if inner is None or whole is None:
            return None
        kind = _KINDS[kind_of(node)]
        if depth == 0 and isinstance(node, (Map, Array)):
            kind = _Kinds.Namespace
        elif depth == 1 and isinstance(node, Map):
            kind = _Kinds.Class
        detail = text_at(node, "type") or text_at(node, "uses") or None
        at = trees.at
        return types.DocumentSymbol(
            name or '""', kind, at.range(*whole), at.range(*inner), detail=detail
        )


def _levels(nodes: Iterable[AnyNode]) -> int:
    """The depth down to which there are not too many nodes; one level is there in any case."""
    count, depth, level = 0, 0, [*nodes]
    while level and depth < _DEEPEST:
        inner: list[AnyNode] = []
        for one in level:
            if isinstance(one, Map):
                inner += one.items.values()
            elif isinstance(one, Array):
                inner += one.items
        count += len(inner)
        if count > _MOST_SYMBOLS and depth > 1:
            break
        level = inner
        depth += 1
    return depth


# the workspace


def workspace_symbols(
    workspace: Workspace, params: types.WorkspaceSymbolParams
) -> list[types.WorkspaceSymbol]:
    """What the documents of the workspace define, by a part of its name."""
    wanted = params.query.lower()
    ours = filter(workspace.is_ours, workspace.sources())
    found = (one for source in ours for one in _defined(source, workspace, wanted))
    return [*islice(found, _MOST_FOUND)]


def _defined(source: Source, workspace: Workspace, wanted: str) -> Iterator[types.WorkspaceSymbol]:
    nodes = nodes_of(source, workspace.settings.limits) or ()
    at = Coordinates(source, workspace.units)
    for number, node in enumerate(nodes):
        listed: list[tuple[str, str, int, int]] = []
        if len(nodes) > 1 or text_at(node, "kind"):
            listed.append((title_of(node, number), "", node.start, node.start + 1))
        elif isinstance(node, Map):
            for section, inner in node.items.items():
                for entry in inner.entries() if isinstance(inner, Map) else ():
                    span = entry.key_span
                    listed.append((entry.key, section, span.start, span.end))
        for name, section, start, end in listed:
            if wanted in name.lower():
                place = types.Location(uri_of(source.path or source.name), at.range(start, end))
                kind = _Kinds.Class if section else _Kinds.Module
                yield types.WorkspaceSymbol(place, name, kind, container_name=section or None)


# folding


def folding_ranges(
    workspace: Workspace, params: types.FoldingRangeParams
) -> list[types.FoldingRange] | None:
    """What can be folded: collections, long scalars and substitutions, comments, blocks."""
    trees = trees_of(workspace, params.text_document.uri)
    if trees is None:
        return None
    found: dict[tuple[int, int], types.FoldingRangeKind | None] = {}
    for start, end, kind in islice(_folds(trees), _MOST_FOLDS):
        lines = trees.source.locate(start)[0] - 1, trees.source.locate(end)[0] - 1
        if lines[0] < lines[1]:
            found.setdefault(lines, kind)
    return [
        types.FoldingRange(*lines, kind=kind) for lines, kind in sorted(found.items(), key=_lines)
    ]


def _lines(one: tuple[tuple[int, int], object]) -> tuple[int, int]:
    return one[0]


def _folds(trees: Trees) -> Iterator[tuple[int, int, types.FoldingRangeKind | None]]:
    """The offsets of what can be folded, in the present text."""
    text = trees.source.text
    for one in _COMMENTS.finditer(text):
        yield one.start(), one.start() + len(one[0].rstrip()), types.FoldingRangeKind.Comment
    for start, end in _blocks(text):
        yield start, end, None
    several = len(trees.nodes) > 1
    stack = [(node, node.start if several else -1) for node in reversed(trees.nodes)]
    while stack:
        node, start = stack.pop()
        place = trees.place(start, trees.end_of(node)) if start >= 0 else None
        if place is not None:
            # the bracket at the end stays in sight
            flow = trees.read.text[node.start : node.start + 1] in ("{", "[")
            end = text.rfind("\n", 0, place[1]) if flow else place[1]
            yield place[0], max(end, place[0]), None
        if isinstance(node, Map):
            children = [(entry.node, entry.key_span.start) for entry in node.entries()]
            stack += [one for one in reversed(children) if _is_long(one[0], trees)]
        elif isinstance(node, Array):
            stack += [(one, one.start) for one in reversed(node.items) if _is_long(one, trees)]


def _is_long(node: AnyNode, trees: Trees) -> bool:
    return "\n" in trees.read.text[node.start : node.end]


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """The blocks of templates, up to the line before that of their end."""
    opened: list[int] = []
    for one in _BLOCKS.finditer(text):
        if one["open"]:
            opened.append(one.start())
            continue
        if opened:
            yield opened.pop(), max(text.rfind("\n", 0, one.start()), 0)
        if one["else"]:
            opened.append(one.start())


# selections


def selection_ranges(
    workspace: Workspace, params: types.SelectionRangeParams
) -> list[types.SelectionRange] | None:
    """For each position what it is in, from the part of an expression to the whole text."""
    trees = trees_of(workspace, params.text_document.uri)
    if trees is None or trees.read.text != trees.source.text:
        return None
    return [_selection(workspace, params, trees, one) for one in params.positions]


def _selection(
    workspace: Workspace,
    params: types.SelectionRangeParams,
    trees: Trees,
    position: types.Position,
) -> types.SelectionRange:
    offset = trees.at.offset(position)
    ranges = [(0, len(trees.source.text)), *_around(trees, offset)]
    ranges += _in_scalar(workspace, params.text_document.uri, trees, offset, ranges[-1])
    made: types.SelectionRange | None = None
    last = (-1, -1)
    for start, end in ranges:
        inside = made is None or (last[0] <= start and end <= last[1])
        if (start, end) != last and inside and start <= offset <= end:
            made = types.SelectionRange(trees.at.range(start, end), made)
            last = start, end
    assert made is not None
    return made


def _around(trees: Trees, offset: int) -> Iterator[tuple[int, int]]:
    """The nodes and entries that an offset is in, the outermost first."""
    nodes = [one for one in trees.nodes if one.start <= offset <= one.end]
    while nodes:
        node = nodes[-1]
        yield node.start, trees.end_of(node)
        nodes = []
        if isinstance(node, Map):
            for entry in node.entries():
                end = max(trees.end_of(entry.node), entry.key_span.end)
                if entry.key_span.start <= offset <= end:
                    yield entry.key_span.start, end
                    if offset <= entry.key_span.end:
                        yield entry.key_span.start, entry.key_span.end
                    elif entry.node.start <= offset:
                        nodes = [entry.node]
                    break
        elif isinstance(node, Array):
            nodes = [one for one in node.items if one.start <= offset <= trees.end_of(one)][:1]


def _in_scalar(
    workspace: Workspace, uri: str, trees: Trees, offset: int, place: tuple[int, int]
) -> Iterator[tuple[int, int]]:
    """What an offset is in within a string: the text in quotes, an expression and its parts."""
    text = trees.source.text
    start, end = place
    if text[start : start + 1] in ('"', "'") and end - start > 1:
        yield start + 1, end - 1
    analysis = workspace.latest(uri)
    if analysis is None:
        return
    for region in regions_in(text, start, end, openers_of(analysis.dialect)):
        if region.start <= offset <= region.stop:
            yield region.start, region.stop
            yield region.begin, region.end
    node = next((n for n in _scalars_at(trees, offset)), None)
    value = node.value if isinstance(node, Scalar) else None
    if node is None or not isinstance(value, str):
        return
    try:
        segments = analysis.context.language.split(value)
    except LanguageError:
        return
    template = Template(segments, value, Trail(trees.read), node.start, node.end)
    found: list[tuple[int, int]] = []
    for one in segments.substitutions:
        for part in parts(analysis.context.language.exact(one)):
            if part.end > part.start:
                span = span_in(template, part.start, part.end)
                if span.exact and span.start <= offset <= span.end:
                    found.append((span.start, span.end))
    yield from sorted(found, key=lambda one: one[0] - one[1])


def _scalars_at(trees: Trees, offset: int) -> Iterator[AnyNode]:
    nodes = [*trees.nodes]
    while nodes:
        node = nodes.pop()
        if not node.start <= offset <= node.end:
            continue
        if isinstance(node, Scalar):
            yield node
        elif isinstance(node, Map):
            nodes += node.items.values()
        elif isinstance(node, Array):
            nodes += node.items


FEATURES: Final = (
    Feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, document_symbols),
    Feature(types.WORKSPACE_SYMBOL, workspace_symbols),
    Feature(types.TEXT_DOCUMENT_FOLDING_RANGE, folding_ranges),
    Feature(types.TEXT_DOCUMENT_SELECTION_RANGE, selection_ranges),
)
