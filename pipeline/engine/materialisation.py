"""Values as nodes, in the place of the node they were computed from."""

from __future__ import annotations

from typing import Any, Final

from ...functions.values import (
    NONE,
    FunctionError,
    FunctionValue,
    Unknown,
    decode_utf8,
    has_unknown,
)
from ..language.errors import Failure
from ..language.waiting import WaitingText, is_secret
from ..values.expression import Reference, Segments, residual
from ..values.quoting import Quoting
from ..values.tree import AnyNode, Array, Map, Scalar, Template, Trail


class Omitted:
    """The mark for a node that is left out because its value is none."""

    def __repr__(self) -> str:
        return "OMITTED"


OMITTED: Final = Omitted()
MASK: Final = "(secret)"
"""Stands for secrets in text that is only looked at."""


def to_node(value: Any, origin: AnyNode, step: str) -> AnyNode:
    """A node for a value other than none; unknown parts become residual templates.

    Raises:
        Failure: for a function, and for binary that is no text.
    """
    return _node(value, origin.trail.then(step), origin.start, origin.end)


def _node(value: Any, trail: Trail, start: int, end: int) -> AnyNode:
    kind = type(value)
    if kind is Unknown:
        return Template(Segments((residual(value.expression),)), None, trail, start, end)
    if kind is WaitingText:
        return Template(value.segments, None, trail, start, end)
    if kind is dict:
        fields = {
            key: _node(item, trail, start, end) for key, item in value.items() if item is not NONE
        }
        return Map(fields, {}, trail, start, end)
    if kind is list:
        items = [_node(item, trail, start, end) for item in value if item is not NONE]
        return Array(items, trail, start, end)
    if kind is bytes:
        return Scalar(decoded(value), trail, start, end)
    if kind is FunctionValue:
        raise Failure(
            "function_not_allowed",
            f"the function `{value.name}` can only be an argument of another function",
        )
    return Scalar(value, trail, start, end)


def decoded(data: bytes) -> str:
    """Binary as the text of a field.

    Raises:
        Failure: `invalid_utf8`.
    """
    try:
        return decode_utf8(data)
    except FunctionError as error:
        raise Failure(error.code, error.message, hint=error.hint) from None


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


def concealed(node: AnyNode, quoting: Quoting) -> AnyNode:
    """The tree with a mask for every part that must not be quoted, for looking at unfinished work.

    What a stage made of nothing that is written has no source to hide.
    """
    source = node.trail.source
    shown = not source.text or quoting.may_show_part(source, node.start, node.end)
    if not shown and not isinstance(node, Array) and not (isinstance(node, Map) and not node.items):
        return Scalar(MASK, node.trail, node.start, node.end)
    if isinstance(node, Map):
        return node.holding({key: concealed(child, quoting) for key, child in node.items.items()})
    if isinstance(node, Array):
        items = [concealed(child, quoting) for child in node.items]
        same = all(new is old for new, old in zip(items, node.items, strict=True))
        return node if same else Array(items, node.trail, node.start, node.end)
    return node
