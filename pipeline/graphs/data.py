"""A graph as plain data and as JSON."""

from __future__ import annotations

import json
from typing import Any

from ..source import Span
from .model import Edge, Graph, Node


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
