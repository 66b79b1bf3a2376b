"""The graph of a blueprint as data: blueprints, their elements, and what leads from one to another.

All tuples have one order that follows from the blueprint alone: the main blueprint before its
children, variables before values, data sources, resources, children and exports, elements of a
section as they are written, edges by where they start.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import attrs

from ...values.diagnostics import meant
from ...values.settings import Limits, how_to_raise
from ...values.source import Span

VARIABLE: Final = "variable"
VALUE: Final = "value"
DATA_SOURCE: Final = "datasource"
RESOURCE: Final = "resource"
CHILD: Final = "child"
EXPORT: Final = "export"
ACTION: Final = "action"
NODE_KINDS: Final = (VARIABLE, VALUE, DATA_SOURCE, RESOURCE, CHILD, EXPORT, ACTION)
TYPED: Final = (RESOURCE, ACTION)
"""Kinds whose elements are told apart by their type."""

LINK: Final = "link"
REFERENCE: Final = "reference"
DEPENDS_ON: Final = "dependsOn"
ACROSS: Final = "child"
EXPORTED: Final = "export"
EDGE_KINDS: Final = (LINK, REFERENCE, DEPENDS_ON, ACROSS, EXPORTED)

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")


@attrs.frozen
class Blueprint:
    """One blueprint of a graph.

    `id` is empty for the main one and `children.<name>` for a child, nested for a child's child;
    `file` is the name of the text it was read from.
    """

    id: str
    name: str
    file: str


@attrs.frozen
class Node:
    """One element of a blueprint.

    `id` is unique in the graph, `kind` one of `NODE_KINDS`, `type` as it is declared, `blueprint`
    the id of the blueprint that holds it, `span` where its name is written.

    `template` is the name of the resource template that an instance was made from, `index` its
    place in the list; `repeated` marks a template that stands for all of its instances, `count`
    how many these are when that is known. `conditional` marks a resource whose condition is not
    decided. `opens` is the id of the blueprint that a child stands for, empty when it stays closed,
    `path` what its include says.
    """

    id: str
    kind: str
    name: str
    type: str
    blueprint: str
    span: Span
    template: str = ""
    index: int | None = None
    repeated: bool = False
    count: int | None = None
    conditional: bool = False
    opens: str = ""
    path: str = ""


@attrs.frozen
class Edge:
    """One element that needs another.

    `source` and `target` are ids of nodes, `kind` is one of `EDGE_KINDS`, `span` is the first place
    that says so. `labels` are those that a link's selector matched, `through` the ids of nodes that
    are not in the graph and lie between.
    """

    source: str
    target: str
    kind: str
    span: Span
    labels: tuple[tuple[str, str], ...] = ()
    through: tuple[str, ...] = ()


@attrs.frozen
class Graph:
    """The elements of a blueprint and of its children, and what they need.

    `rendered` is False when the blueprint could not be rendered: then conditions are not decided,
    templates are not expanded, and children with a computed path stay closed. `limits` are those of
    the run.
    """

    blueprints: tuple[Blueprint, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    rendered: bool = True
    limits: Limits = attrs.field(factory=Limits, repr=False, eq=False)

    def select(
        self,
        only: Iterable[str] = (),
        show: Iterable[str] = (),
        fold: bool = False,
    ) -> Graph:
        """A part of the graph that is easier to look at.

        `only` names the edges to keep: `links`, `references`, `dependsOn`, `exports`; then elements
        without any such edge are left out. Values and variables are left out unless `show` has
        `values` or `variables`; an edge that leads through them stays and names them. `fold` makes
        one node of all the instances of a template.

        Raises:
            ValueError: for another word, or when there would be too many edges.
        """

        return select(self, tuple(only), tuple(show), fold, self.limits)

    def text(self, format: str = "mermaid") -> str:  # noqa: A002
        """The graph as text: `mermaid`, `dot`, `json`, or `svg`, which Graphviz draws.

        Raises:
            ValueError: for another format.
            FileProblem: `program_not_found` or `program_failed` when there can be no `svg`.
        """
        from .svg import write

        return write(self, format)

    def as_data(self) -> dict[str, Any]:
        """The graph as plain data, as `docs/guides/graph.md` describes it."""

        return as_data(self)


class TooManyEdges(ValueError):
    """A graph larger than `max_graph_edges` allows."""

    def __init__(self, limits: Limits) -> None:
        most = limits.max_graph_edges
        super().__init__(f"the graph would have more than {most} edges (`max_graph_edges`)")
        self.hint = "draw a part of it with `--only`, or " + how_to_raise("max_graph_edges", limits)


def identity(blueprint: str, section: str, name: str) -> str:
    """The id of an element, from that of its blueprint."""
    step = f".{name}" if _NAME.match(name) else f'["{name}"]'
    return f"{blueprint}.{section}{step}" if blueprint else f"{section}{step}"


# ----------------------------------------------------------------------
# A part of a graph: some kinds of edges, without what only passes values on, instances as one.

ONLY: Final[Mapping[str, tuple[str, ...]]] = {
    "links": (LINK,),
    "references": (REFERENCE, ACROSS),
    "dependsOn": (DEPENDS_ON,),
    "exports": (EXPORTED,),
}
"""The words for edges to keep, with the kinds that each means."""

SHOW: Final[Mapping[str, str]] = {"values": VALUE, "variables": VARIABLE}
"""The words for nodes that are left out unless they are asked for."""


def select(
    graph: Graph, only: tuple[str, ...], show: tuple[str, ...], fold: bool, limits: Limits
) -> Graph:
    """See `Graph.select`."""
    _check(only, ONLY, "edges")
    _check(show, SHOW, "elements")
    kinds = {kind for word in only for kind in ONLY[word]}
    hidden = {kind for word, kind in SHOW.items() if word not in show}
    if kinds and EXPORTED not in kinds:
        hidden.add(EXPORT)
    if fold:
        graph = _folded(graph)
    graph = _without(graph, hidden, limits)
    return _only(graph, kinds) if kinds else graph


def _check(words: Iterable[str], known: Iterable[str], what: str) -> None:
    names = list(known)
    for word in words:
        if word not in names:
            near = meant(word, names)
            listed = ", ".join(names)
            hint = f" ({near})" if near else ""
            raise ValueError(f"there are no {what} `{word}`; there are {listed}{hint}")


def _only(graph: Graph, kinds: set[str]) -> Graph:
    """Some kinds of edges, the nodes at their ends, and the blueprints that hold those."""
    edges = tuple(edge for edge in graph.edges if edge.kind in kinds)
    kept = {end for edge in edges for end in (edge.source, edge.target)}
    holding = {"", *(node.blueprint for node in graph.nodes if node.id in kept)}
    for node in _openers(graph):
        if node.opens in holding:
            kept.add(node.id)
            holding.add(node.blueprint)
    return attrs.evolve(
        graph,
        blueprints=tuple(one for one in graph.blueprints if one.id in holding),
        nodes=tuple(node for node in graph.nodes if node.id in kept),
        edges=edges,
    )


def _openers(graph: Graph) -> list[Node]:
    """The nodes of opened children, the innermost first."""
    order = {blueprint.id: position for position, blueprint in enumerate(graph.blueprints)}
    opened = [node for node in graph.nodes if node.opens]
    return sorted(opened, key=lambda node: order[node.opens], reverse=True)


def _folded(graph: Graph) -> Graph:
    """One node in the place of the first instance of each template."""
    one: dict[str, str] = {}
    nodes: dict[str, Node] = {}
    for node in graph.nodes:
        if not node.template:
            nodes[node.id] = node
            continue
        target = one[node.id] = identity(node.blueprint, "resources", node.template)
        first = nodes.get(target)
        if first is None:
            nodes[target] = attrs.evolve(
                node,
                id=target,
                name=node.template,
                template="",
                index=None,
                repeated=True,
                count=1,
            )
        else:
            nodes[target] = attrs.evolve(
                first,
                count=(first.count or 0) + 1,
                conditional=first.conditional or node.conditional,
            )
    edges: dict[tuple[str, str, str], Edge] = {}
    for edge in graph.edges:
        source, target = one.get(edge.source, edge.source), one.get(edge.target, edge.target)
        among_instances = source == target and edge.source != edge.target
        if not among_instances:
            moved = attrs.evolve(edge, source=source, target=target)
            edges.setdefault((source, target, edge.kind), moved)
    return attrs.evolve(graph, nodes=tuple(nodes.values()), edges=tuple(edges.values()))


def _without(graph: Graph, hidden: set[str], limits: Limits) -> Graph:
    """The graph without nodes of some kinds; ways through them become edges.

    Raises:
        TooManyEdges: when following the ways takes too long.
    """
    limit = limits.max_graph_edges
    gone = {node.id for node in graph.nodes if node.kind in hidden}
    outgoing: dict[str, list[Edge]] = {}
    for edge in graph.edges:
        outgoing.setdefault(edge.source, []).append(edge)
    edges: dict[tuple[str, str, str], Edge] = {}
    steps = 0
    for edge in graph.edges:
        if edge.source in gone:
            continue
        if edge.target not in gone:
            edges[edge.source, edge.target, edge.kind] = edge
            continue
        before: dict[str, Edge] = {edge.target: edge}
        queue = [edge.target]
        for here in queue:
            for following in outgoing.get(here, ()):
                steps += 1
                target = following.target
                if target in gone:
                    if target not in before:
                        before[target] = following
                        queue.append(target)
                    continue
                way = _way(edge, following, before)
                steps += len(way)
                key = (edge.source, target, _kind(way))
                if key not in edges:
                    through = tuple(step.target for step in way[:-1])
                    edges[key] = Edge(*key, edge.span, through=through)
        if len(edges) > limit or steps > 100 * limit:
            raise TooManyEdges(limits)
    nodes = tuple(node for node in graph.nodes if node.id not in gone)
    order = {node.id: position for position, node in enumerate(nodes)}
    kept = sorted(edges.values(), key=lambda edge: order[edge.source])
    return attrs.evolve(graph, nodes=nodes, edges=tuple(kept))


def _way(first: Edge, last: Edge, before: Mapping[str, Edge]) -> list[Edge]:
    """The edges from the first to the last; `before` has the edge that led to each hidden node."""
    way = [last]
    while way[-1] is not first:
        way.append(before[way[-1].source])
    return way[::-1]


def _kind(way: list[Edge]) -> str:
    """What a way through hidden nodes is: an export when it starts as one, else by its borders."""
    if way[0].kind == EXPORTED:
        return EXPORTED
    return ACROSS if any(edge.kind == ACROSS for edge in way) else REFERENCE


# ----------------------------------------------------------------------
# A graph as plain data and as JSON.


def as_data(graph: Graph) -> dict[str, Any]:
    """See `Graph.as_data`."""
    return {
        "rendered": graph.rendered,
        "blueprints": [
            {"id": blueprint.id, "name": blueprint.name, "file": blueprint.file}
            for blueprint in graph.blueprints
        ],
        "nodes": [_node(node) for node in graph.nodes],
        "edges": [_edge(edge) for edge in graph.edges],
    }


def json_text(graph: Graph) -> str:
    """The graph as JSON."""
    # ASCII alone, so that nothing in it can steer a terminal
    return json.dumps(as_data(graph), indent=2).replace("\x7f", "\\u007f") + "\n"


def _node(node: Node) -> dict[str, Any]:
    record: dict[str, Any] = {
        "id": node.id,
        "kind": node.kind,
        "name": node.name,
        "type": node.type or None,
        "blueprint": node.blueprint,
        "place": _place(node.span),
    }
    if node.template:
        record["template"] = node.template
        record["index"] = node.index
    if node.repeated:
        record["repeated"] = True
    if node.count is not None:
        record["count"] = node.count
    if node.conditional:
        record["conditional"] = True
    if node.path:
        record["path"] = node.path
    if node.opens:
        record["opens"] = node.opens
    return record


def _edge(edge: Edge) -> dict[str, Any]:
    record: dict[str, Any] = {
        "from": edge.source,
        "to": edge.target,
        "kind": edge.kind,
        "place": _place(edge.span),
    }
    if edge.labels:
        record["labels"] = dict(edge.labels)
    if edge.through:
        record["through"] = list(edge.through)
    return record


def _place(span: Span) -> str:
    return str(span)
