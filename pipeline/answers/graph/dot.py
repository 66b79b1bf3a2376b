"""A graph in the language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator

from ...formats.characters import shown
from .appearance import EDGES, FAINT, TEXT, Look, detail_of, groups, label, look_at, name_of
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
    Edge,
    Elements,
    Node,
)

_SHAPES = {
    RESOURCE: "box",
    ACTION: "box",
    ELEMENT: "box",
    DATA_SOURCE: "cylinder",
    VALUE: "note",
    VARIABLE: "ellipse",
    CHILD: "folder",
    EXPORT: "cds",
}
_ARROWS = {
    LINK: "normal",
    REFERENCE: "vee",
    DEPENDS_ON: "normal",
    ACROSS: "empty",
    EXPORTED: "odot",
}


def dot_text(graph: Elements) -> str:
    """The graph for `dot`; no text of the blueprint can be anything but a label there."""
    look = look_at(graph)
    ids = {node.id: f"n{number}" for number, node in enumerate(look.nodes)}
    return "\n".join(["digraph blueprint {", *_lines(look, ids), "}", ""])


def _lines(look: Look, ids: dict[str, str]) -> Iterator[str]:
    yield from (
        "  graph [rankdir=LR, compound=true, nodesep=0.22, ranksep=0.9, pad=0.3, "
        'fontname="Helvetica,Arial,sans-serif", fontsize=11, bgcolor="white", '
        "labelloc=b, labeljust=l];",
        '  node [fontname="Helvetica,Arial,sans-serif", fontsize=11, '
        f'fontcolor="{TEXT}", style="filled,rounded", margin="0.14,0.07", height=0.3];',
        '  edge [arrowsize=0.7, fontname="Helvetica,Arial,sans-serif"];',
        f"  label=<{_legend(look)}>;",
    )
    yield from _blueprint(look, ids, look.graph.blueprints[0], "  ")
    for edge in look.graph.edges:
        yield f"  {ids[edge.source]} -> {ids[edge.target]} [{_stroke(edge)}];"


def _blueprint(look: Look, ids: dict[str, str], here: Blueprint, indent: str) -> Iterator[str]:
    """The nodes of one blueprint; children in frames, with their own children in them."""
    for template, nodes in groups(look.nodes_of(here)).items():
        if not template:
            yield from (f"{indent}{_node(look, ids, node)}" for node in nodes)
            continue
        yield f'{indent}subgraph "cluster_{ids[nodes[0].id]}" {{'
        yield f'{indent}  style="dashed,rounded"; color="{FAINT}"; labelloc=t;'
        yield f'{indent}  fontcolor="{FAINT}"; fontsize=10;'
        yield f"{indent}  label=<{_html(label(template))} ×{len(nodes)}>;"
        yield from (f"{indent}  {_node(look, ids, node)}" for node in nodes)
        yield f"{indent}}}"
    for row in look.rows_of_loners(here):
        yield f"{indent}{' -> '.join(ids[node.id] for node in row)} [style=invis];"
    for child in look.children_of(here):
        number = look.graph.blueprints.index(child)
        yield f'{indent}subgraph "cluster_child{number}" {{'
        yield f'{indent}  style="filled,rounded"; fillcolor="#f8fafc"; color="#94a3b8"; labelloc=t;'
        yield f"{indent}  label=<{_title(look, child)}>;"
        yield from _blueprint(look, ids, child, indent + "  ")
        yield f"{indent}}}"


def _title(look: Look, child: Blueprint) -> str:
    return (
        f"<B>{_html(label(child.name))}</B>"
        f'<FONT POINT-SIZE="9" COLOR="{FAINT}">&#160;· {_html(look.path_of(child))}</FONT>'
    )


def _node(look: Look, ids: dict[str, str], node: Node) -> str:
    paint = look.paint(node)
    lines = f"<B>{_html(name_of(node))}</B>"
    detail = detail_of(node)
    if detail:
        lines += f'<BR/><FONT POINT-SIZE="9" COLOR="{FAINT}">{_html(detail)}</FONT>'
    style = "filled,rounded,dashed" if node.conditional else "filled,rounded"
    if node.kind not in TYPED:
        style = "filled"
    more = ", peripheries=2" if node.repeated else ""
    if node.kind == EXPORT:
        more = ', margin="0.14,0.12"'
    return (
        f'{ids[node.id]} [label=<{lines}>, shape={_SHAPES[node.kind]}, style="{style}", '
        f'fillcolor="{paint.fill}", color="{paint.line}"{more}, '
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
        f'arrowhead={_ARROWS[edge.kind]}, tooltip="{tip}"'
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
