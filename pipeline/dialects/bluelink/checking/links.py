"""Which resources a link selector selects (specification, "linkSelectorDefinitions")."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from .....functions.record import Record
from ....language.meter import Meter
from ....values.source import Span
from ....values.tree import AnyNode, Map, Scalar
from .dependencies import named_nodes

_NAMES_A_STEP: Final = 8


class Link(Record):
    """One resource that selects another, by which labels, and where that is written."""

    source: str
    target: str
    labels: tuple[tuple[str, str], ...]
    span: Span


def links(resources: Map, meter: Meter | None = None) -> Iterator[Link]:
    """The links among the resources of one blueprint, in the order of both sides."""
    for name, wanted, selected in selections(resources, meter):
        labels = _texts(wanted)
        for target in selected:
            yield Link(name, target, labels, wanted.span)


def selections(resources: Map, meter: Meter | None) -> Iterator[tuple[str, Map, Iterator[str]]]:
    """For each resource with a selector by labels: its name, the labels, and what it selects.

    A selector selects the resources that have all of its labels, but for those that `exclude`
    names and the resource itself; one without labels selects nothing. What is selected is looked
    for as it is asked for: a thousand resources may select each other.

    Raises:
        FunctionError: for too many steps, or when the time is up.
    """
    carriers = _carriers(resources)
    known: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for name, node in resources.items.items():
        selector = node.get("linkSelector") if isinstance(node, Map) else None
        wanted = selector.get("byLabel") if isinstance(selector, Map) else None
        if not isinstance(selector, Map) or not isinstance(wanted, Map):
            continue
        labels = _texts(wanted)
        if labels not in known:
            groups = sorted((carriers.get(label, {}) for label in labels), key=len)
            if meter is not None and groups:
                meter.work(len(groups) * (1 + len(groups[0]) // _NAMES_A_STEP))
            fewest = groups[0] if groups else ()
            known[labels] = [one for one in fewest if all(one in group for group in groups[1:])]
        excluded = {name, *(str(item.value) for item in named_nodes(selector.get("exclude")))}
        yield name, wanted, (one for one in known[labels] if one not in excluded)


def _carriers(resources: Map) -> dict[tuple[str, str], dict[str, None]]:
    """The names of the resources that have a label, in their order, for each label."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for name, node in resources.items.items():
        metadata = node.get("metadata") if isinstance(node, Map) else None
        for label in _texts(metadata.get("labels") if isinstance(metadata, Map) else None):
            found.setdefault(label, {})[name] = None
    return found


def _texts(node: AnyNode | None) -> tuple[tuple[str, str], ...]:
    """The labels of a map; what is no text has its diagnostic elsewhere."""
    items = node.items.items() if isinstance(node, Map) else ()
    return tuple(
        (key, value.value)
        for key, value in items
        if isinstance(value, Scalar) and isinstance(value.value, str)
    )
