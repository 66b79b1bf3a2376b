"""The pictures of a graph, in the language of Graphviz and as Mermaid text."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from math import ceil, sqrt
from typing import Final

from ....functions.record import Record
from ...formats.characters import shown
from .elements import (
    ACROSS,
    ACTION,
    CHILD,
    DATA_SOURCE,
    DEPENDS_ON,
    ELEMENT,
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
    Edge,
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
    dot: str
    mermaid: str


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
    LINK: Stroke("#15803d", "green", "bold", 2.2, "links to", "━━▶", "normal", "==>"),
    REFERENCE: Stroke("#475569", "grey", "solid", 1.1, "refers to", "──▶", "vee", "-->"),
    DEPENDS_ON: Stroke("#dc2626", "red", "dashed", 1.3, "depends on", "╌╌▶", "normal", "-.->"),
    ACROSS: Stroke("#2563eb", "blue", "solid", 1.1, "crosses blueprints", "──▷", "empty", "-->"),
    EXPORTED: Stroke("#9333ea", "violet", "dotted", 1.4, "exports", "┈┈○", "odot", "-.-o"),
}
_SHAPES: Final = {
    RESOURCE: ("box", "(", ")"),
    ACTION: ("box", "(", ")"),
    ELEMENT: ("box", "(", ")"),
    DATA_SOURCE: ("cylinder", "[(", ")]"),
    VALUE: ("note", "[", "]"),
    VARIABLE: ("ellipse", "[/", "/]"),
    CHILD: ("folder", "[[", "]]"),
    EXPORT: ("cds", ">", "]"),
}
"""The shape of a kind of nodes for Graphviz, and what stands around its label in Mermaid."""

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
        if any(node.disabled for node in self.nodes):
            rows.append("dotted: disabled")
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


class _Picture:
    """A picture on its way: nodes have short names of their own, and children are frames."""

    end: str

    def __init__(self, graph: Elements) -> None:
        self.look = look_at(graph)
        self.ids = {node.id: f"n{number}" for number, node in enumerate(self.look.nodes)}

    def blueprint(self, here: Blueprint, indent: str = "  ") -> Iterator[str]:
        """The nodes of one blueprint; children in frames, with their own children in them."""
        deeper = f"{indent}  "
        for template, nodes in groups(self.look.nodes_of(here)).items():
            if not template:
                yield from (f"{indent}{self.node(node)}" for node in nodes)
                continue
            yield from (f"{indent}{line}" for line in self.instances(template, nodes))
            yield from (f"{deeper}{self.node(node)}" for node in nodes)
            yield f"{indent}{self.end}"
        yield from (f"{indent}{row}" for row in self.rows(here))
        for child in self.look.children_of(here):
            number = self.look.graph.blueprints.index(child)
            yield from (f"{indent}{line}" for line in self.child(child, number))
            yield from self.blueprint(child, deeper)
            yield f"{indent}{self.end}"

    @abstractmethod
    def node(self, node: Node) -> str:
        """The line of a node."""

    @abstractmethod
    def instances(self, template: str, nodes: list[Node]) -> Iterator[str]:
        """The first lines of the frame around the instances of a template."""

    @abstractmethod
    def child(self, child: Blueprint, number: int) -> Iterator[str]:
        """The first lines of the frame of a child."""

    def rows(self, here: Blueprint) -> Iterator[str]:
        """Lines that put nodes without edges in rows."""
        yield from ()


def dot_text(graph: Elements) -> str:
    """The graph for `dot`; no text of the blueprint can be anything but a label there."""
    return "\n".join(["digraph blueprint {", *_Dot(graph).lines(), "}", ""])


class _Dot(_Picture):
    end = "}"

    def lines(self) -> Iterator[str]:
        """All lines within the braces."""
        graph = self.look.graph
        yield from (
            "  graph [rankdir=LR, compound=true, nodesep=0.22, ranksep=0.9, pad=0.3, "
            'fontname="Helvetica,Arial,sans-serif", fontsize=11, bgcolor="white", '
            "labelloc=b, labeljust=l];",
            '  node [fontname="Helvetica,Arial,sans-serif", fontsize=11, '
            f'fontcolor="{TEXT}", style="filled,rounded", margin="0.14,0.07", height=0.3];',
            '  edge [arrowsize=0.7, fontname="Helvetica,Arial,sans-serif"];',
            f"  label=<{_legend(self.look)}>;",
        )
        yield from self.blueprint(graph.blueprints[0])
        for edge in graph.edges:
            yield f"  {self.ids[edge.source]} -> {self.ids[edge.target]} [{_stroke(edge)}];"

    def instances(self, template: str, nodes: list[Node]) -> Iterator[str]:
        yield f'subgraph "cluster_{self.ids[nodes[0].id]}" {{'
        yield f'  style="dashed,rounded"; color="{FAINT}"; labelloc=t;'
        yield f'  fontcolor="{FAINT}"; fontsize=10;'
        yield f"  label=<{_html(label(template))} ×{len(nodes)}>;"

    def child(self, child: Blueprint, number: int) -> Iterator[str]:
        yield f'subgraph "cluster_child{number}" {{'
        yield '  style="filled,rounded"; fillcolor="#f8fafc"; color="#94a3b8"; labelloc=t;'
        yield (
            f"  label=<<B>{_html(label(child.name))}</B>"
            f'<FONT POINT-SIZE="9" COLOR="{FAINT}">'
            f"&#160;· {_html(self.look.path_of(child))}</FONT>>;"
        )

    def rows(self, here: Blueprint) -> Iterator[str]:
        for row in self.look.rows_of_loners(here):
            yield f"{' -> '.join(self.ids[node.id] for node in row)} [style=invis];"

    def node(self, node: Node) -> str:
        paint = self.look.paint(node)
        lines = f"<B>{_html(name_of(node))}</B>"
        detail = detail_of(node)
        if detail:
            lines += f'<BR/><FONT POINT-SIZE="9" COLOR="{FAINT}">{_html(detail)}</FONT>'
        style = "filled,rounded"
        if node.conditional or node.disabled:
            style += ",dotted" if node.disabled else ",dashed"
        if node.kind not in TYPED:
            style = "filled"
        more = ", peripheries=2" if node.repeated else ""
        if node.kind == EXPORT:
            more = ', margin="0.14,0.12"'
        return (
            f"{self.ids[node.id]} [label=<{lines}>, shape={_SHAPES[node.kind][0]}, "
            f'style="{style}", fillcolor="{paint.fill}", color="{paint.line}"{more}, '
            f'tooltip="{_tip(f"{node.id} ({node.span})")}"];'
        )


def _stroke(edge: Edge) -> str:
    stroke = EDGES[edge.kind]
    verb = EDGES[REFERENCE if edge.kind == ACROSS else edge.kind].words
    said = f"{edge.source} {verb} {edge.target}"
    if edge.labels:
        said += " by " + ", ".join(f"{key}={value}" for key, value in edge.labels)
    if edge.through:
        said += " through " + ", ".join(edge.through)
    tip = _tip(f"{said} ({edge.span})")
    return (
        f'color="{stroke.color}", style={stroke.dashes}, penwidth={stroke.width}, '
        f'arrowhead={stroke.dot}, tooltip="{tip}"'
    )


def _legend(look: Look) -> str:
    """A table of what colours and lines mean."""
    cells = [
        f'<TD BGCOLOR="{paint.fill}" COLOR="{paint.line}" BORDER="1" STYLE="ROUNDED">'
        f"&#160;{_html(words)}&#160;</TD>"
        for _, words, paint in look.legend_of_nodes()
    ]
    lines = [
        f'<TD><FONT COLOR="{stroke.color}"><B>{stroke.glyph}</B></FONT>&#160;{stroke.words}</TD>'
        for _, stroke in look.legend_of_edges()
    ]
    lines += [f"<TD>{_html(words)}</TD>" for words in look.legend_of_borders()]
    rows = [row for row in (cells, lines) if row]
    if not rows:
        return '<TABLE BORDER="0"><TR><TD> </TD></TR></TABLE>'
    tables = "".join(
        '<TR><TD ALIGN="LEFT"><TABLE BORDER="0" CELLSPACING="4" CELLPADDING="3"><TR>'
        f"{''.join(row)}</TR></TABLE></TD></TR>"
        for row in rows
    )
    return f'<TABLE BORDER="0" CELLSPACING="0"><TR><TD HEIGHT="8"></TD></TR>{tables}</TABLE>'


def _tip(text: str) -> str:
    """Text that is shown under the pointer; there, unlike in labels, a backslash means more."""
    return _html(shown(text, 400).replace("\\", "\\\\"))


def _html(text: str) -> str:
    """Text that neither HTML labels nor quoted strings read as anything else."""
    return "".join(
        character
        if character.isalnum() or character in " _-./,:=()[]@+×…'"
        else f"&#{ord(character)};"
        for character in text
    )


_FRAMES = {
    "instances": f"fill:none,stroke:{FAINT},stroke-dasharray:5 4,color:{FAINT}",
    "blueprint": f"fill:#f8fafc,stroke:#94a3b8,color:{TEXT}",
}
_BORDERS = {
    "conditional": "stroke-dasharray:4 3",
    "disabled": "stroke-dasharray:1 4,opacity:0.6",
    "repeated": "stroke-width:3px",
}
# Mermaid's own spacing makes a picture of fifty nodes twice as high.
_SPACING = '%%{init: {"flowchart": {"nodeSpacing": 30, "rankSpacing": 70}}}%%'


def mermaid_text(graph: Elements) -> str:
    """The graph as a Mermaid flowchart; no text of the blueprint can be anything but a label."""
    return "\n".join([_SPACING, "flowchart LR", *_Chart(graph).lines(), ""])


class _Chart(_Picture):
    """Frames and edges are styled at the end, by their names and numbers."""

    end = "end"

    def __init__(self, graph: Elements) -> None:
        super().__init__(graph)
        self.strokes: dict[str, list[int]] = {}
        self.frames: dict[str, list[str]] = {}

    def lines(self) -> Iterator[str]:
        """All lines but the first."""
        graph = self.look.graph
        yield from self.blueprint(graph.blueprints[0])
        for number, edge in enumerate(graph.edges):
            self.strokes.setdefault(edge.kind, []).append(number)
            arrow = EDGES[edge.kind].mermaid
            yield f"  {self.ids[edge.source]} {arrow} {self.ids[edge.target]}"
        yield from self._legend()
        yield from self._loners()
        yield from self._styles()

    def instances(self, template: str, nodes: list[Node]) -> Iterator[str]:
        title = f"{_text(label(template))} ×{len(nodes)}"
        yield self._frame("instances", f"t{self.ids[nodes[0].id]}", title)

    def child(self, child: Blueprint, number: int) -> Iterator[str]:
        title = f"{_text(label(child.name))} · {_text(self.look.path_of(child))}"
        yield self._frame("blueprint", f"c{number}", title)

    def _frame(self, style: str, name: str, title: str) -> str:
        self.frames.setdefault(style, []).append(name)
        return f'subgraph {name}["{title}"]'

    def node(self, node: Node) -> str:
        _, left, right = _SHAPES[node.kind]
        text = _text(name_of(node))
        detail = detail_of(node)
        if detail:
            text += f"<br/>{_text(detail)}"
        return f'{self.ids[node.id]}{left}"{text}"{right}:::{self._class(node)}'

    def _class(self, node: Node) -> str:
        if node.kind not in TYPED:
            return node.kind
        paints = list(self.look.families.values())
        paint = self.look.paint(node)
        return f"type{paints.index(paint)}" if paint in paints else "others"

    def _legend(self) -> Iterator[str]:
        """One node that says what the lines mean: more would take part in the layout."""
        lines = [
            f"{stroke.glyph} {stroke.words} ({stroke.color_word})"
            for _, stroke in self.look.legend_of_edges()
        ]
        lines += self.look.legend_of_borders()
        if lines:
            yield f'  legend["{"<br/>".join(lines)}"]:::legend'

    def _loners(self) -> Iterator[str]:
        """Invisible edges that put nodes without edges in rows; always the last lines."""
        for blueprint in self.look.graph.blueprints:
            for row in self.look.rows_of_loners(blueprint):
                yield "  " + " ~~~ ".join(self.ids[node.id] for node in row)

    def _styles(self) -> Iterator[str]:
        look = self.look
        for number, paint in enumerate(look.families.values()):
            yield f"  classDef type{number} {_colours(paint)}"
        for kind, _, paint in look.legend_of_nodes():
            if kind in KINDS:
                yield f"  classDef {kind} {_colours(paint)}"
            elif paint not in look.families.values():
                yield f"  classDef others {_colours(paint)}"
        yield f"  classDef legend fill:#ffffff,stroke:#cbd5e1,color:{FAINT},text-align:left"
        for mark, border in _BORDERS.items():
            marked = [self.ids[node.id] for node in look.nodes if getattr(node, mark)]
            if marked:
                yield f"  classDef {mark} {border}"
                yield f"  class {','.join(marked)} {mark}"
        for frame, names in self.frames.items():
            yield f"  classDef {frame} {_FRAMES[frame]}"
            yield f"  class {','.join(names)} {frame}"
        for kind, numbers in self.strokes.items():
            stroke = EDGES[kind]
            yield (
                f"  linkStyle {','.join(map(str, numbers))} "
                f"stroke:{stroke.color},stroke-width:{stroke.width}px"
            )


def _colours(paint: Paint) -> str:
    return f"fill:{paint.fill},stroke:{paint.line},color:{TEXT}"


def _text(text: str) -> str:
    """Text that is nothing but text in a quoted label: all else is written by its number."""
    last = len(text) - 1
    return "".join(
        character
        if character.isalnum()
        or character in " ./,×…"
        or (character in "_-" and 0 < position < last)
        else f"#{ord(character)};"
        for position, character in enumerate(text)
    )
