"""Which resources a link selector selects (specification, "linkSelectorDefinitions")."""

from __future__ import annotations

from collections.abc import Iterator

from .....functions.record import Record
from ....values.source import Span
from ....values.tree import AnyNode, Map, Scalar
from .dependencies import named_nodes


class Link(Record):
    """One resource that selects another, by which labels, and where that is written."""

    source: str
    target: str
    labels: tuple[tuple[str, str], ...]
    span: Span


def links(resources: Map) -> Iterator[Link]:
    """The links among the resources of one blueprint, in the order of both sides."""
    order = {name: position for position, name in enumerate(resources.items)}
    for name, wanted, selected in selections(resources):
        labels = _texts(wanted)
        for target in sorted(selected, key=order.__getitem__):
            yield Link(name, target, labels, wanted.span)


def selections(resources: Map) -> Iterator[tuple[str, Map, frozenset[str]]]:
    """For each resource with a selector by labels: its name, the labels, and what it selects.

    A selector selects the resources that have all of its labels, but for those that `exclude`
    names and the resource itself; one without labels selects nothing.
    """
    carriers = _carriers(resources)
    known: dict[tuple[tuple[str, str], ...], frozenset[str]] = {}
    for name, node in resources.items.items():
        selector = node.get("linkSelector") if isinstance(node, Map) else None
        wanted = selector.get("byLabel") if isinstance(selector, Map) else None
        if not isinstance(selector, Map) or not isinstance(wanted, Map):
            continue
        labels = _texts(wanted)
        if labels not in known:
            groups = sorted((carriers.get(label, frozenset()) for label in labels), key=len)
            known[labels] = groups[0].intersection(*groups[1:]) if groups else frozenset()
        excluded = {str(item.value) for item in named_nodes(selector.get("exclude"))}
        yield name, wanted, known[labels] - excluded - {name}


def _carriers(resources: Map) -> dict[tuple[str, str], frozenset[str]]:
    """The names of the resources that have a label, for each label."""
    found: dict[tuple[str, str], set[str]] = {}
    for name, node in resources.items.items():
        metadata = node.get("metadata") if isinstance(node, Map) else None
        for label in _texts(metadata.get("labels") if isinstance(metadata, Map) else None):
            found.setdefault(label, set()).add(name)
    return {label: frozenset(names) for label, names in found.items()}


def _texts(node: AnyNode | None) -> tuple[tuple[str, str], ...]:
    """The labels of a map; what is no text has its diagnostic elsewhere."""
    items = node.items.items() if isinstance(node, Map) else ()
    return tuple(
        (key, value.value)
        for key, value in items
        if isinstance(value, Scalar) and isinstance(value.value, str)
    )
