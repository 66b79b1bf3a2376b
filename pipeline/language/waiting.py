"""Values that are unknown until deployment, and the expressions left of them."""

from __future__ import annotations

from typing import Any

from ...functions.record import Record
from ...functions.values import FunctionValue, Unknown, has_unknown
from ..values.expression import (
    Access,
    Argument,
    Call,
    Expression,
    Hole,
    Literal,
    Path,
    Reference,
    Segments,
)
from .errors import Failure


class WaitingText(Record, eq=False):
    """A string with parts that have to wait; the known ones are folded together."""

    segments: Segments
    secret: bool


def deeper(value: Unknown, path: Path) -> Unknown:
    """The part of an unknown value at a path."""
    if not path:
        return value
    expression = value.expression
    if isinstance(expression, Reference):
        return Unknown(expression.deeper(*path), "any", value.secret)
    if isinstance(expression, Access):
        return Unknown(Access(expression.target, expression.path + path), "any", value.secret)
    return Unknown(Access(expression, path), "any", value.secret)


def call_of(node: Call, values: list[Any]) -> Call:
    """The call with evaluated arguments."""
    return Call(
        node.function,
        tuple(
            Argument(to_expression(value), argument.name)
            for value, argument in zip(values, node.arguments, strict=True)
        ),
    )


def to_expression(value: Any) -> Expression:
    """An expression that means a value; unknown parts stay what they are.

    Raises:
        Failure: `invalid_argument` for an object with an unknown part and a key that is not a name.
    """
    kind = value.__class__
    if kind is Unknown:
        return value.expression  # type: ignore[no-any-return]
    if kind is FunctionValue:
        return value.expression  # type: ignore[no-any-return]
    if kind is list and has_unknown(value):
        return Call("list", tuple(Argument(to_expression(item)) for item in value))
    if kind is dict and has_unknown(value):
        for key in value:
            if not key.replace("-", "_").isidentifier() or not key.isascii():
                raise Failure(
                    "invalid_argument",
                    f"no expression can write the key `{key}` beside a value that is known only "
                    "after deployment",
                )
        pairs = (Argument(to_expression(item), key) for key, item in value.items())
        return Call("object", tuple(pairs))
    return Literal(value)


def is_secret(value: Any) -> bool:
    """True when a value is, or contains, one that is withheld."""
    kind = value.__class__
    if kind is Unknown or kind is WaitingText:
        return bool(value.secret)
    if kind is list:
        return any(map(is_secret, value))
    if kind is dict:
        return any(map(is_secret, value.values()))
    return False


def is_as_written(left: Segments, written: Segments) -> bool:
    """True for what is left of a string of which nothing was known."""
    if len(left) != len(written):
        return False
    for one, other in zip(left, written, strict=True):
        if isinstance(one, str) or isinstance(other, str):
            if one != other:
                return False
        elif not _means(one.shape.expression, other.shape.expression, other.literals):
            return False
    return True


def _means(left: Expression, written: Expression, literals: tuple[str, ...]) -> bool:
    """True for an expression that is the written one with its `literals` in the holes."""
    if isinstance(written, Hole):
        return isinstance(left, Literal) and left.value == literals[written.index]
    if isinstance(written, Access):
        if not isinstance(left, Access) or left.path != written.path:
            return False
        return _means(left.target, written.target, literals)
    if not isinstance(written, Call):
        return left == written
    if not isinstance(left, Call) or left.function != written.function:
        return False
    if len(left.arguments) != len(written.arguments):
        return False
    for one, other in zip(left.arguments, written.arguments, strict=True):
        if one.name != other.name or not _means(one.value, other.value, literals):
            return False
    return True
