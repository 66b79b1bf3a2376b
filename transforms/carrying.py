"""What a concrete resource takes over from the abstract resource that it is made of."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from ..pipeline.dialects.bluelink.structure.sections import RESOURCE, RESOURCE_METADATA
from ..pipeline.values.tree import AnyNode, Array, Map
from .registry import ExpansionError

CARRIED: Final = (
    "labels",
    "annotations",
    "displayName",
    "custom",
    "condition",
    "each",
    "linkSelector",
    "dependsOn",
    "removalPolicy",
)
"""What is carried over, by the names of the specification ("resourceDefinition")."""


def carry_over(own: Map, outer: Map, step: str, leave: Collection[str] = ()) -> Map:
    """A resource's definition with what the abstract resource `outer` says of it added.

    Labels, annotations and custom metadata are put together, the resource's own win. Both
    conditions must hold, and the resources of both `dependsOn` come first. `displayName`, `each`,
    `linkSelector` and `removalPolicy` are taken over where the resource has none of its own.
    `leave` has the names of what is not carried over (see `CARRIED`); a `condition` that is left
    behind deploys what the blueprint takes out. `step` is added to the origin.

    Raises:
        ExpansionError: when `leave` has a name that is not in `CARRIED`.
    """
    unknown = sorted(set(leave) - set(CARRIED))
    if unknown:
        raise ExpansionError(f"`{unknown[0]}` in `leave` is nothing that is carried over")
    found: dict[str, AnyNode | None] = dict(own.items)
    found["metadata"] = _metadata(own.get("metadata"), outer.get("metadata"), step, leave)
    for key, join in _JOINED.items():
        if key not in leave:
            found[key] = join(own.get(key), outer.get(key), step)
    order = dict.fromkeys([*RESOURCE.fields, *own.items])
    items = {key: node for key in order if (node := found.get(key)) is not None}
    if len(items) == len(own.items) and all(own.get(k) is n for k, n in items.items()):
        return own
    return own.replacing(items, step)


def merged(
    own: AnyNode | None, outer: AnyNode | None, step: str, deep: bool = True
) -> AnyNode | None:
    """Two maps as one, in which the keys of `own` win and come first; maps in them likewise.

    Anything but two maps is not put together: `own` counts, and `outer` where there is none.
    """
    if own is None or outer is None:
        return outer if own is None else own
    if not isinstance(own, Map) or not isinstance(outer, Map):
        return own
    items = dict(own.items)
    for key, node in outer.items.items():
        if key not in items:
            items[key] = node
        elif deep:
            together = merged(items[key], node, step)
            assert together is not None
            items[key] = together
    if len(items) == len(own.items) and all(own.items[k] is n for k, n in items.items()):
        return own
    return own.replacing(items, step)


def _metadata(
    own: AnyNode | None, outer: AnyNode | None, step: str, leave: Collection[str]
) -> AnyNode | None:
    if not isinstance(outer, Map):
        return own
    if own is not None and not isinstance(own, Map):
        return own
    items: dict[str, AnyNode] = {}
    for key in RESOURCE_METADATA.fields:
        mine = own.get(key) if own is not None else None
        node = mine if key in leave else merged(mine, outer.get(key), step, key == "custom")
        if node is not None:
            items[key] = node
    if own is None:
        return outer.replacing(items, step) if items else None
    rest = {key: node for key, node in own.items.items() if key not in items}
    items.update(rest)
    if len(items) == len(own.items) and all(own.items[k] is n for k, n in items.items()):
        return own
    return own.replacing(items, step)


def _condition(own: AnyNode | None, outer: AnyNode | None, step: str) -> AnyNode | None:
    if own is None or outer is None or own is outer:
        return outer if own is None else own
    both = Array([outer, own], own.trail.then(step), own.start, own.end)
    return Map({"and": both}, {}, both.trail, own.start, own.end)


def _first(own: AnyNode | None, outer: AnyNode | None, step: str) -> AnyNode | None:
    return outer if own is None else own


def _names(own: AnyNode | None, outer: AnyNode | None, step: str) -> AnyNode | None:
    """The names of both, each once."""
    if own is None or outer is None or own is outer:
        return outer if own is None else own
    items: dict[object, AnyNode] = {}
    for node in (outer, own):
        for item in node.items if isinstance(node, Array) else [node]:
            items.setdefault(getattr(item, "value", id(item)), item)
    return Array(list(items.values()), own.trail.then(step), own.start, own.end)


_JOINED: Final[dict[str, Callable[[AnyNode | None, AnyNode | None, str], AnyNode | None]]] = {
    "condition": _condition,
    "each": _first,
    "linkSelector": _first,
    "dependsOn": _names,
    "removalPolicy": _first,
}
