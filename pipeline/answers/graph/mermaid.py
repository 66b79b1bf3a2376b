"""A graph as Mermaid text, which GitHub, GitLab and many editors draw."""

from __future__ import annotations

from collections.abc import Iterator

from .appearance import (
    EDGES,
    FAINT,
    KINDS,
    TEXT,
    Look,
    Paint,
    detail_of,
    groups,
    label,
    look_at,
    name_of,
)
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
    REFERENCE,
    RESOURCE,
    TYPED,
    VALUE,
    VARIABLE,
    Blueprint,
    Elements,
    Node,
)

_SHAPES = {
    RESOURCE: ("(", ")"),
    ACTION: ("(", ")"),
    ELEMENT: ("(", ")"),
    DATA_SOURCE: ("[(", ")]"),
    VALUE: ("[", "]"),
    VARIABLE: ("[/", "/]"),
    CHILD: ("[[", "]]"),
    EXPORT: (">", "]"),
}
_ARROWS = {LINK: "==>", REFERENCE: "-->", DEPENDS_ON: "-.->", ACROSS: "-->", EXPORTED: "-.-o"}

_FRAMES = {
    "instances": f"fill:none,stroke:{FAINT},stroke-dasharray:5 4,color:{FAINT}",
    "blueprint": f"fill:#f8fafc,stroke:#94a3b8,color:{TEXT}",
}
# Mermaid's own spacing makes a picture of fifty nodes twice as high.
_SPACING = '%%{init: {"flowchart": {"nodeSpacing": 30, "rankSpacing": 70}}}%%'


def mermaid_text(graph: Elements) -> str:
    """The graph as a Mermaid flowchart; no text of the blueprint can be anything but a label."""
    look = look_at(graph)
    return "\n".join([_SPACING, "flowchart LR", *_Chart(look).lines(), ""])


class _Chart:
    """A chart on its way: nodes have short names of their own, frames and edges are styled."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self.ids = {node.id: f"n{number}" for number, node in enumerate(look.nodes)}
        self.strokes: dict[str, list[int]] = {}
        self.frames: dict[str, list[str]] = {}

    def lines(self) -> Iterator[str]:
        """All lines but the first."""
        graph = self.look.graph
        yield from self._blueprint(graph.blueprints[0], "  ")
        for number, edge in enumerate(graph.edges):
            self.strokes.setdefault(edge.kind, []).append(number)
            yield f"  {self.ids[edge.source]} {_ARROWS[edge.kind]} {self.ids[edge.target]}"
        yield from self._legend()
        yield from self._loners()
        yield from self._styles()

    def _blueprint(self, here: Blueprint, indent: str) -> Iterator[str]:
        look = self.look
        for template, nodes in groups(look.nodes_of(here)).items():
            if not template:
                yield from (f"{indent}{self._node(node)}" for node in nodes)
                continue
            title = f"{_text(label(template))} ×{len(nodes)}"
            name = f"t{self.ids[nodes[0].id]}"
            self.frames.setdefault("instances", []).append(name)
            yield f'{indent}subgraph {name}["{title}"]'
            yield from (f"{indent}  {self._node(node)}" for node in nodes)
            yield f"{indent}end"
        for child in look.children_of(here):
            title = f"{_text(label(child.name))} · {_text(look.path_of(child))}"
            name = f"c{look.graph.blueprints.index(child)}"
            self.frames.setdefault("blueprint", []).append(name)
            yield f'{indent}subgraph {name}["{title}"]'
            yield from self._blueprint(child, indent + "  ")
            yield f"{indent}end"

    def _node(self, node: Node) -> str:
        left, right = _SHAPES[node.kind]
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
        conditional = [self.ids[node.id] for node in look.nodes if node.conditional]
        if conditional:
            yield "  classDef conditional stroke-dasharray:4 3"
            yield f"  class {','.join(conditional)} conditional"
        repeated = [self.ids[node.id] for node in look.nodes if node.repeated]
        if repeated:
            yield "  classDef repeated stroke-width:3px"
            yield f"  class {','.join(repeated)} repeated"
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
