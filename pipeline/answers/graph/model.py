"""The graph of a blueprint, with its selections and its formats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from ...values.diagnostics import meant
from ...values.settings import Limits, how_to_raise
from ...values.source import Span
from .elements import (
    ACROSS,
    DEPENDS_ON,
    EXPORT,
    EXPORTED,
    LINK,
    REFERENCE,
    VALUE,
    VARIABLE,
    Blueprint,
    Edge,
    Elements,
    Node,
    as_data,
    identity,
    json_text,
)


class Graph(Elements):
    """The elements of a blueprint and of its children, and what they need; see `Elements`."""

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
            FileProblem: `program_not_found` or `program_failed` when Graphviz cannot draw an `svg`.
        """
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


class Drawing:
    """A graph on its way: nodes by id, one edge between two of them; `name` is that of the file."""

    def __init__(self, name: str, limits: Limits) -> None:
        self.limits = limits
        self.blueprints = [Blueprint("", "", name)]
        self.nodes: dict[str, Node] = {}
        self.edges: dict[tuple[str, str], Edge] = {}

    def node(
        self,
        kind: str,
        place: str,
        name: str,
        type: str,  # noqa: A002
        span: Span,
        blueprint: str = "",
    ) -> str:
        """The id of a node, which is made unless it is there."""
        own = identity(blueprint, place, name)
        if own not in self.nodes:
            self.nodes[own] = Node(own, kind, name, type, blueprint, span)
        return own

    def connect(
        self, source: str, target: str, kind: str, span: Span, *labels: tuple[str, str]
    ) -> None:
        """An edge between two nodes that are there and have none yet.

        Raises:
            TooManyEdges: more edges than `max_graph_edges` allows.
        """
        if source in self.nodes and target in self.nodes:
            self.edges.setdefault((source, target), Edge(source, target, kind, span, labels))
        if len(self.edges) > self.limits.max_graph_edges:
            raise TooManyEdges(self.limits)

    def graph(self, ok: bool) -> Graph:
        """The graph as it is now."""
        nodes, edges = tuple(self.nodes.values()), tuple(self.edges.values())
        return Graph(tuple(self.blueprints), nodes, edges, ok, self.limits)


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
    _check(only, ONLY, "kind of edges")
    _check(show, SHOW, "kind of elements")
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
            raise ValueError(f"unknown {what} `{word}`; available: {listed}{hint}")


def _only(graph: Graph, kinds: set[str]) -> Graph:
    """Some kinds of edges, the nodes at their ends, and the blueprints that hold those."""
    edges = tuple(edge for edge in graph.edges if edge.kind in kinds)
    kept = {end for edge in edges for end in (edge.source, edge.target)}
    holding = {"", *(node.blueprint for node in graph.nodes if node.id in kept)}
    for node in _openers(graph):
        if node.opens in holding:
            kept.add(node.id)
            holding.add(node.blueprint)
    return graph.evolve(
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
            nodes[target] = node.evolve(
                id=target,
                name=node.template,
                template="",
                index=None,
                repeated=True,
                count=1,
            )
        else:
            nodes[target] = first.evolve(
                count=(first.count or 0) + 1,
                conditional=first.conditional or node.conditional,
            )
    edges: dict[tuple[str, str, str], Edge] = {}
    for edge in graph.edges:
        source, target = one.get(edge.source, edge.source), one.get(edge.target, edge.target)
        among_instances = source == target and edge.source != edge.target
        if not among_instances:
            moved = edge.evolve(source=source, target=target)
            edges.setdefault((source, target, edge.kind), moved)
    return graph.evolve(nodes=tuple(nodes.values()), edges=tuple(edges.values()))


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
    return graph.evolve(nodes=nodes, edges=tuple(kept))


def _way(first: Edge, last: Edge, before: Mapping[str, Edge]) -> list[Edge]:
    """The edges from the first to the last; `before` has the edge that led to each hidden node."""
    way = [last]
    while way[-1] is not first:
        way.append(before[way[-1].source])
    return way[::-1]


def _kind(way: list[Edge]) -> str:
    """The kind of a way through hidden nodes: an export if it starts as one, else by its edges."""
    if way[0].kind == EXPORTED:
        return EXPORTED
    return ACROSS if any(edge.kind == ACROSS for edge in way) else REFERENCE


_HINT = (
    "install Graphviz (`apt install graphviz`, `brew install graphviz`), or choose the format "
    "`mermaid`, which needs no program"
)


def svg_text(graph: Graph) -> str:
    """The picture that `dot` makes.

    Raises:
        FileProblem: `program_not_found` when Graphviz is not installed, `program_failed` when it
            does not answer in time or with a picture.
    """
    from ...world.programs import run_program
    from .pictures import dot_text

    seconds = graph.limits.program_seconds
    picture = run_program(["dot", "-Tsvg"], dot_text(graph).encode("utf-8"), seconds, _HINT)
    return picture.decode("utf-8", "replace")


FORMATS: Final = ("mermaid", "dot", "json", "svg")
ENDINGS: Final = {
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
    ".dot": "dot",
    ".gv": "dot",
    ".json": "json",
    ".svg": "svg",
}


def write(graph: Graph, format: str) -> str:  # noqa: A002
    """See `Graph.text`."""
    from .pictures import dot_text, mermaid_text

    match format:
        case "mermaid":
            return mermaid_text(graph)
        case "dot":
            return dot_text(graph)
        case "json":
            return json_text(graph)
        case "svg":
            return svg_text(graph)
    near = meant(format, FORMATS)
    hint = f" ({near})" if near else ""
    raise ValueError(f"unknown format `{format}`; available: {', '.join(FORMATS)}{hint}")
