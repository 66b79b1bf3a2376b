"""The look of a graph, shared by all formats: colours, groups, labels, the legend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import ceil, sqrt
from typing import Final

from ....functions.record import Record
from ...formats.characters import shown
from .elements import (
    ACROSS,
    CHILD,
    DATA_SOURCE,
    DEPENDS_ON,
    EXPORT,
    EXPORTED,
    LINK,
    NODE_KINDS,
    REFERENCE,
    RESOURCE,
    TYPED,
    VALUE,
    VARIABLE,
    Blueprint,
    Elements,
    Node,
)

TEXT: Final = "#0f172a"
FAINT: Final = "#64748b"
LONGEST: Final = 36
"""Characters of a label; longer ones are cut in the middle."""


class Paint(Record):
    """The colours of a node."""

    fill: str
    line: str


class Stroke(Record):
    """How the edges of one kind are drawn, and what a legend says about them."""

    color: str
    color_word: str
    dashes: str
    width: float
    words: str
    glyph: str


_FAMILIES: Final = (
    Paint("#dbeafe", "#2563eb"),
    Paint("#dcfce7", "#16a34a"),
    Paint("#fef3c7", "#d97706"),
    Paint("#ede9fe", "#7c3aed"),
    Paint("#fce7f3", "#db2777"),
    Paint("#ccfbf1", "#0d9488"),
    Paint("#ffedd5", "#ea580c"),
    Paint("#ecfccb", "#65a30d"),
)
_OTHERS: Final = Paint("#f1f5f9", "#64748b")
_OTHER_TYPES: Final = "other resources"

KINDS: Final[Mapping[str, Paint]] = {
    DATA_SOURCE: Paint("#ffffff", "#0369a1"),
    VALUE: Paint("#fafaf9", "#78716c"),
    VARIABLE: Paint("#fafaf9", "#78716c"),
    CHILD: Paint("#ffffff", "#334155"),
    EXPORT: Paint("#faf5ff", "#9333ea"),
}

EDGES: Final[Mapping[str, Stroke]] = {
    LINK: Stroke("#15803d", "green", "bold", 2.2, "links to", "━━▶"),
    REFERENCE: Stroke("#475569", "grey", "solid", 1.1, "refers to", "──▶"),
    DEPENDS_ON: Stroke("#dc2626", "red", "dashed", 1.3, "depends on", "╌╌▶"),
    ACROSS: Stroke("#2563eb", "blue", "solid", 1.1, "crosses blueprints", "──▷"),
    EXPORTED: Stroke("#9333ea", "violet", "dotted", 1.4, "exports", "┈┈○"),
}

_WORDS: Final = {
    DATA_SOURCE: "data source",
    VALUE: "value",
    VARIABLE: "variable",
    CHILD: "child blueprint",
    EXPORT: "export",
}


class Look(Record):
    """A graph with what has been decided about its picture.

    `nodes` are those that are drawn: a child that was opened is a frame. `families` are the groups
    of resource types that have a colour of their own.
    """

    graph: Elements
    nodes: tuple[Node, ...]
    families: Mapping[str, Paint]
    _held: Mapping[str, list[Node]]
    _children: Mapping[str, list[Blueprint]]
    _busy: frozenset[str]
    _paths: Mapping[str, str]

    def nodes_of(self, blueprint: Blueprint) -> list[Node]:
        """The nodes of one blueprint, without those of its children."""
        return self._held.get(blueprint.id, [])

    def children_of(self, blueprint: Blueprint) -> list[Blueprint]:
        """The children of a blueprint that were opened."""
        return self._children.get(blueprint.id, [])

    def path_of(self, child: Blueprint) -> str:
        """Where a child comes from, as its include says, else the file that brings it along."""
        return label(self._paths.get(child.id) or child.file)

    def paint(self, node: Node) -> Paint:
        """The colours of a node."""
        if node.kind not in TYPED:
            return KINDS[node.kind]
        return self.families.get(_family(node.type), _OTHERS)

    def legend_of_nodes(self) -> list[tuple[str, str, Paint]]:
        """The kind, the words and the colours of what is in the picture."""
        rows = [(RESOURCE, family, paint) for family, paint in self.families.items()]
        if any(self.paint(node) is _OTHERS for node in self.nodes):
            rows.append((RESOURCE, _OTHER_TYPES, _OTHERS))
        kinds = {node.kind for node in self.nodes}
        rows += [(k, _WORDS[k], KINDS[k]) for k in NODE_KINDS if k in kinds and k not in TYPED]
        return rows

    def legend_of_edges(self) -> list[tuple[str, Stroke]]:
        """The kinds of the edges in the picture."""
        kinds = {edge.kind for edge in self.graph.edges}
        return [(kind, stroke) for kind, stroke in EDGES.items() if kind in kinds]

    def legend_of_borders(self) -> list[str]:
        """The meaning of special borders in the picture."""
        rows = []
        if any(node.conditional for node in self.nodes):
            rows.append("dashed: condition not decided")
        if any(node.repeated for node in self.nodes):
            rows.append("×: a template with so many instances")
        return rows

    def rows_of_loners(self, blueprint: Blueprint) -> list[list[Node]]:
        """The nodes without any edge, in rows: one below the other they would make a tower."""
        rows = []
        for nodes in groups(self.nodes_of(blueprint)).values():
            alone = [node for node in nodes if node.id not in self._busy]
            width = min(6, ceil(sqrt(len(alone)))) or 1
            rows += [alone[start : start + width] for start in range(0, len(alone), width)]
        return [row for row in rows if len(row) > 1]


def look_at(graph: Elements) -> Look:
    """Decides what the picture of a graph looks like."""
    ends = frozenset(end for edge in graph.edges for end in (edge.source, edge.target))
    nodes = tuple(node for node in graph.nodes if not node.opens or node.id in ends)
    counted = Counter(_family(node.type) for node in nodes if node.kind in TYPED)
    most = [family for family, _ in counted.most_common(len(_FAMILIES))]
    named = [family for family in counted if family in most]
    held: dict[str, list[Node]] = {}
    for node in nodes:
        held.setdefault(node.blueprint, []).append(node)
    holders = {node.opens: node.blueprint for node in graph.nodes if node.opens}
    paths = {node.opens: node.path for node in graph.nodes if node.opens}
    children: dict[str, list[Blueprint]] = {}
    for blueprint in graph.blueprints[1:]:
        children.setdefault(holders[blueprint.id], []).append(blueprint)
    return Look(
        graph, nodes, dict(zip(named, _FAMILIES, strict=False)), held, children, ends, paths
    )


def _family(kind: str) -> str:
    """The family that decides a colour: `aws/lambda` for `aws/lambda/function`."""
    return label("/".join(kind.split("/")[:2]))


def label(text: str) -> str:
    """Text for a label: on one line, not too long, without characters that steer anything."""
    plain = shown(text, len(text))
    if len(plain) <= LONGEST:
        return plain
    half = (LONGEST - 1) // 2
    return f"{plain[:half]}…{plain[-half:]}"


def name_of(node: Node) -> str:
    """The first line of a node's label."""
    if not node.repeated:
        return label(node.name)
    return f"{label(node.name)} ×{'n' if node.count is None else node.count}"


def detail_of(node: Node) -> str:
    """The second line of a node's label; may be empty."""
    return label(node.path if node.kind == CHILD else node.type)


def groups(nodes: list[Node]) -> dict[str, list[Node]]:
    """The nodes of one blueprint by the template that made them; the others under ``""``."""
    found: dict[str, list[Node]] = {"": []}
    for node in nodes:
        found.setdefault(node.template, []).append(node)
    return found
