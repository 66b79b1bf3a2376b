"""The elements of a graph as data: blueprints, what they hold, and what leads from one to another.

All tuples have one order that follows from the blueprint alone: the main blueprint before its
children, variables before values, data sources, resources, children and exports, elements of a
section as they are written, edges by where they start.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from ....functions.record import Record, field
from ...values.settings import Limits
from ...values.source import Span

VARIABLE: Final = "variable"
VALUE: Final = "value"
DATA_SOURCE: Final = "datasource"
RESOURCE: Final = "resource"
CHILD: Final = "child"
EXPORT: Final = "export"
ACTION: Final = "action"
ELEMENT: Final = "element"
NODE_KINDS: Final = (VARIABLE, VALUE, DATA_SOURCE, RESOURCE, CHILD, EXPORT, ACTION, ELEMENT)
TYPED: Final = (RESOURCE, ACTION, ELEMENT)
"""Kinds whose elements are coloured by their type."""

LINK: Final = "link"
REFERENCE: Final = "reference"
DEPENDS_ON: Final = "dependsOn"
ACROSS: Final = "child"
EXPORTED: Final = "export"
EDGE_KINDS: Final = (LINK, REFERENCE, DEPENDS_ON, ACROSS, EXPORTED)

_MARKS: Final = ("conditional", "disabled")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")


class Blueprint(Record):
    """One blueprint of a graph.

    `id` is empty for the main one and `children.<name>` for a child, nested for a child's child;
    `file` is the name of the text it was read from.
    """

    id: str
    name: str
    file: str


class Node(Record):
    """One element of a blueprint.

    `id` is unique in the graph, `kind` one of `NODE_KINDS`, `type` as it is declared, `blueprint`
    the id of the blueprint that holds it, `span` where its name is written.

    `template` is the name of the resource template that an instance was made from, `index` its
    place in the list; `repeated` marks a template that stands for all of its instances, `count`
    how many these are when that is known. `conditional` marks a resource whose condition is not
    decided, `disabled` an action that does not run. `opens` is the id of the blueprint that a child
    stands for, empty when it stays closed, `path` what its include says.
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
    disabled: bool = False
    opens: str = ""
    path: str = ""


class Edge(Record):
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


class Elements(Record):
    """The elements of a blueprint and of its children, and what they need.

    `rendered` is False when the blueprint could not be rendered: then conditions are not decided,
    templates are not expanded, and children with a computed path stay closed. `limits` are those of
    the run.
    """

    blueprints: tuple[Blueprint, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    rendered: bool = True
    limits: Limits = field(factory=Limits, repr=False, eq=False)


def identity(blueprint: str, section: str, name: str) -> str:
    """The id of an element, from that of its blueprint."""
    step = f".{name}" if _NAME.match(name) else f'["{name}"]'
    return f"{blueprint}.{section}{step}" if blueprint else f"{section}{step}"


def as_data(graph: Elements) -> dict[str, Any]:
    """See `Graph.as_data`."""
    return {
        "rendered": graph.rendered,
        "blueprints": [
            {"id": one.id, "name": one.name, "file": one.file} for one in graph.blueprints
        ],
        "nodes": [_node(node) for node in graph.nodes],
        "edges": [_edge(edge) for edge in graph.edges],
    }


def json_text(graph: Elements) -> str:
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
        "place": str(node.span),
    }
    for key in ("template", "index", "repeated", "count", *_MARKS, "path", "opens"):
        value = getattr(node, key)
        if value or value.__class__ is int:
            record[key] = value
    return record


def _edge(edge: Edge) -> dict[str, Any]:
    record: dict[str, Any] = {
        "from": edge.source,
        "to": edge.target,
        "kind": edge.kind,
        "place": str(edge.span),
    }
    if edge.labels:
        record["labels"] = dict(edge.labels)
    if edge.through:
        record["through"] = list(edge.through)
    return record
