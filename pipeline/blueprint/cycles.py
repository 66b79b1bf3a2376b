"""Cycles among the elements of a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from ..diagnostics import Note
from ..document import Document
from ..language.substitution import Substitution
from ..source import Span
from ..tree import AnyNode, Map, Template
from .dependencies import named_nodes
from .graph import SECTIONS, Element, depth_first, targets

if TYPE_CHECKING:
    from ..context import Context

# The node in which one element refers to another, and the substitution if it is a template.
Place: TypeAlias = tuple[AnyNode, Substitution | None]
Edges: TypeAlias = dict[Element, dict[Element, Place]]


def check_residual_cycles(document: Document, context: Context) -> None:
    """Reports cycles among references that stay: what they form could never be deployed.

    `dependsOn` counts as a reference.
    """
    by_name = frozenset(n for n, f in context.functions.items() if f.form == "link")
    edges: Edges = {}
    for section, key in (*((s, s) for s in SECTIONS), ("include", "children")):
        found = document.section(section)
        for name, node in found.items.items() if found else ():
            places = targets(node, by_name)
            edges[key, name] = {
                element: (template, substitution)
                for element, (substitution, template) in places.items()
            }
            if section == "resources" and isinstance(node, Map):
                for item in named_nodes(node.get("dependsOn")):
                    edges[key, name].setdefault((key, str(item.value)), (item, None))
    report_cycles(edges, context, "the references form a cycle that could never be deployed")


def report_cycles(edges: Edges, context: Context, what: str) -> None:
    """Reports one cycle of each group of elements that refer to each other, with every step."""
    for cycle in _cycles(edges):
        steps = list(zip(cycle, [*cycle[1:], cycle[0]], strict=True))
        path = " -> ".join(f"{section}.{name}" for section, name in [*cycle, cycle[0]])
        notes = [
            Note(f"`{_name(here)}` refers to `{_name(there)}`", _span(edges[here][there], context))
            for here, there in steps[1:]
        ]
        first, second = steps[0]
        context.diagnostics.error(
            "reference_cycle",
            _span(edges[first][second], context),
            f"{what}: {path}",
            "break the cycle by computing one of them from something else",
            *notes,
        )


def _span(place: Place, context: Context) -> Span:
    node, substitution = place
    if isinstance(node, Template) and substitution is not None:
        return context.language.locate(node, substitution, None)
    return node.span


def _name(element: Element) -> str:
    return f"{element[0]}.{element[1]}"


def _cycles(edges: Mapping[Element, Mapping[Element, object]]) -> list[list[Element]]:
    """One cycle of each strongly connected group, beginning with its first element in the file."""
    order = depth_first(edges)
    backwards: dict[Element, list[Element]] = {}
    for element, found in edges.items():
        for target in found:
            if target in edges:
                backwards.setdefault(target, []).append(element)
    group: dict[Element, int] = {}
    for number, start in enumerate(reversed(order)):
        queue = [start]
        while queue:
            element = queue.pop()
            if element in group:
                continue
            group[element] = number
            queue.extend(other for other in backwards.get(element, ()) if other not in group)
    seen: set[int] = set()
    cycles: list[list[Element]] = []
    for start in edges:
        if group[start] in seen:
            continue
        seen.add(group[start])
        cycle = _shortest_cycle(start, edges, group)
        if cycle:
            cycles.append(cycle)
    return cycles


def _shortest_cycle(
    start: Element, edges: Mapping[Element, Mapping[Element, object]], group: Mapping[Element, int]
) -> list[Element] | None:
    before: dict[Element, Element] = {}
    queue = [start]
    for element in queue:
        for target in edges[element]:
            if target == start:
                way = [element]
                while way[-1] != start:
                    way.append(before[way[-1]])
                return way[::-1]
            if target in edges and target not in before and group[target] == group[start]:
                before[target] = element
                queue.append(target)
    return None
