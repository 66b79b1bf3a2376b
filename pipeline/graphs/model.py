"""The graph of a blueprint as data: blueprints, their elements, and what leads from one to another.

All tuples have one order that follows from the blueprint alone: the main blueprint before its
children, variables before values, data sources, resources, children and exports, elements of a
section as they are written, edges by where they start.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

import attrs

from ..settings import Limits, how_to_raise
from ..source import Span

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
        from .selection import select

        return select(self, tuple(only), tuple(show), fold, self.limits)

    def text(self, format: str = "mermaid") -> str:  # noqa: A002
        """The graph as text: `mermaid`, `dot`, `json`, or `svg`, which Graphviz draws.

        Raises:
            ValueError: for another format.
            FileProblem: `program_not_found` or `program_failed` when there can be no `svg`.
        """
        from .formats import write

        return write(self, format)

    def as_data(self) -> dict[str, Any]:
        """The graph as plain data, as `docs/guides/graph.md` describes it."""
        from .data import as_data

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
