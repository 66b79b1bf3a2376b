"""Values as nodes, in the place of the node they were computed from."""

from __future__ import annotations

from typing import Any, Final

from ...functions.values import NONE, FunctionError, FunctionValue, Unknown, decode_utf8
from ..language.errors import Failure
from ..language.expression import Segments, residual
from ..language.waiting import WaitingText
from ..tree import AnyNode, Array, Map, Scalar, Template, Trail


class Omitted:
    """What stands for a node that is left out because its value is none."""

    def __repr__(self) -> str:
        return "OMITTED"


OMITTED: Final = Omitted()


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
