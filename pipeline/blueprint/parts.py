"""Nodes and values with unknown parts, seen from outside."""

from __future__ import annotations

from typing import Any

from ...functions.values import NONE, Unknown, has_unknown
from ..language.expression import Reference
from ..language.waiting import is_secret
from ..tree import AnyNode, Array, Map, Scalar, Template


def exported(node: AnyNode, reference: Reference) -> Any:
    """A materialised node of another document as a value."""
    match node:
        case Scalar(value=value):
            return NONE if value is None else value
        case Template():
            return Unknown(reference)
        case Map(items=items):
            fields = {key: exported(child, reference.deeper(key)) for key, child in items.items()}
            return whole(fields, reference)
    assert isinstance(node, Array)
    return whole(
        [exported(child, reference.deeper(i)) for i, child in enumerate(node.items)], reference
    )


def whole(value: Any, reference: Reference) -> Any:
    """A container as it is when all of it is known, else an `Unknown` that has it as `partial`."""
    if has_unknown(value):
        kind = "array" if type(value) is list else "object"
        return Unknown(reference, kind, is_secret(value), value)
    return value


def relabelled(value: Any, canonical: Reference) -> Any:
    """An unknown found by following a reference is named by that reference."""
    if type(value) is Unknown:
        return Unknown(canonical, value.type, value.secret, value.partial)
    return value


def text_of(node: AnyNode | None) -> str | None:
    return node.value if isinstance(node, Scalar) and isinstance(node.value, str) else None


def flag_of(node: AnyNode | None) -> bool:
    return isinstance(node, Scalar) and node.value is True


def label(reference: Reference) -> str:
    parts = [reference.root]
    for item in reference.path:
        parts.append(f"[{item}]" if isinstance(item, int) else f".{item}")
    return "".join(parts)
