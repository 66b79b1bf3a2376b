"""The front door `graph`, and the graph of a run in a dialect that draws none of its own."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.evaluation import references_in
from ...engine.run import Run
from ...values.document import Document
from ...values.expression import Reference
from ...values.threads import with_stack_room
from ...values.tree import AnyNode, Map, templates_in
from ..inspection import inspection_of
from ..paths import Path, path_text
from ..tracing import element_of
from .elements import ELEMENT, REFERENCE, Blueprint, Edge, Node
from .model import Graph, TooManyEdges


@with_stack_room
def graph(run: Run) -> Graph:
    """The elements of a run and what they need: resources, children, data sources and exports.

    Of a run that failed or stopped before its children, it is the graph of what was read, with the
    children closed. Links follow the specification, "linkSelector"; `Graph.select` makes the graph
    smaller, `Graph.text` draws it. In a dialect without graphs of its own, the elements are the
    entries of the maps at the top of the document and its other top-level keys.

    Raises:
        ValueError: more edges than `max_graph_edges` allows, or a document that cannot be read.
        FunctionError: `limit_exceeded` for too many steps.
    """
    draw = inspection_of(run.dialect).graph
    found = draw(run) if draw is not None else _graph(run)
    if found is None:
        raise ValueError("the run read no document; see its diagnostics")
    return found


def _graph(run: Run) -> Graph | None:
    """The elements of the documents that a run read, and the references among them."""
    document = run.work.written or (run.stages[0][1] if run.stages else None)
    if document is None or (run.work.written is None and run.document is None):
        return None
    blueprints: list[Blueprint] = []
    nodes: list[Node] = []
    edges: dict[tuple[str, str], Edge] = {}
    for number, part in enumerate(document.parts or (document,)):
        prefix: Path = () if document.parts is None else (str(number),)
        blueprint = path_text(prefix)
        blueprints.append(Blueprint(blueprint, "", part.source.name))
        for path, node in _elements(part):
            ident = path_text((*prefix, *path))
            holder = part.root.get(path[0]) if len(path) > 1 else part.root
            assert isinstance(holder, Map)
            type_name = path[0] if len(path) > 1 else ""
            place = holder.key_span(path[-1])
            nodes.append(Node(ident, ELEMENT, path[-1], type_name, blueprint, place))
            for template in templates_in(node):
                for reference in references_in(template):
                    target = _target(part.root, reference)
                    key = ident, path_text((*prefix, *target))
                    if target and target != path and key not in edges:
                        edges[key] = Edge(*key, REFERENCE, template.span)
                        if len(edges) > run.language.limits.max_graph_edges:
                            raise TooManyEdges(run.language.limits)
    rendered = run.document is not None
    found = tuple(edges.values())
    return Graph(tuple(blueprints), tuple(nodes), found, rendered, run.language.limits)


def _elements(document: Document) -> Iterator[tuple[tuple[str, ...], AnyNode]]:
    root = document.root
    # a text of nothing, or of a list alone, has no elements
    for key, node in root.items.items() if isinstance(root, Map) else ():
        if isinstance(node, Map) and node.items:
            for name, inner in node.items.items():
                yield (key, name), inner
        else:
            yield (key,), node


def _target(root: Map, reference: Reference) -> Path:
    found = element_of(root, reference)
    if found is not None and len(found) == 1:
        section = root.items[str(found[0])]
        if isinstance(section, Map) and section.items:
            return ()  # a whole map is not an element
    return found or ()
