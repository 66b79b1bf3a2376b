"""Booleans, comparisons, and choices of one value out of several."""

from __future__ import annotations

import operator
from typing import Any, Final

from ..signatures import Declarations
from ..values import NONE, FunctionError, article, equal, type_of

function: Final = Declarations("choice", __package__)

function("not(value: boolean) -> boolean", topic="logic")(operator.not_)
function("gt(a: integer | float, b: integer | float) -> boolean", topic="comparison")(operator.gt)
function("ge(a: integer | float, b: integer | float) -> boolean", topic="comparison")(operator.ge)
function("lt(a: integer | float, b: integer | float) -> boolean", topic="comparison")(operator.lt)
function("le(a: integer | float, b: integer | float) -> boolean", topic="comparison")(operator.le)


@function("and(a: boolean, b: boolean) -> boolean", topic="logic", form="and")
def both(a: bool, b: bool) -> bool:
    """True when both are true; none makes the result none."""
    return a and b


@function("or(a: boolean, b: boolean) -> boolean", topic="logic", form="or", propagates_none=False)
def either(a: Any, b: Any) -> bool:
    """True when one of the two is true; none counts as false."""
    return a is True or b is True


@function("eq(a: any, b: any) -> boolean", topic="comparison")
def eq(a: Any, b: Any) -> bool:
    """True when two values of the same type are equal.

    Raises:
        FunctionError: `invalid_argument_type` for values of different types, `function_not_allowed`
            for functions.
    """
    left, right = type_of(a), type_of(b)
    if left != right:
        raise FunctionError(
            f"`eq` compares values of the same type, not {article(left)} and {article(right)}",
            code="invalid_argument_type",
            argument=1,
        )
    if left == "function":
        raise FunctionError(
            "`eq` cannot compare functions", code="function_not_allowed", argument=0
        )
    return equal(a, b)


@function(
    "if(condition: boolean, then: any, otherwise: any) -> any", form="if", propagates_none=False
)
def choose(condition: Any, then: Any, otherwise: Any) -> Any:
    """`then` for true, `otherwise` for false and for none."""
    return then if condition is True else otherwise


@function("first(value: any, ...more: any) -> any", form="first", propagates_none=False)
def first(*values: Any) -> Any:
    """The first value that is not none, `""` or `[]`; the last one when all are."""
    for value in values:
        if not is_empty(value):
            return value
    return values[-1]


def is_empty(value: Any) -> bool:
    """True for what `first` skips: none, the empty string and the empty array."""
    return value is NONE or (value.__class__ in (str, list) and not value)


@function("coalesce(value: any, ...more: any) -> any", form="coalesce", propagates_none=False)
def coalesce(*values: Any) -> Any:
    """The first value that is not none; none when all are."""
    for value in values:
        if value is not NONE:
            return value
    return NONE


@function("lookup(mapping: object, key: string) -> any", form="lookup")
def lookup(mapping: dict[str, Any], key: str) -> Any:
    """The value at a key, or none."""
    return mapping.get(key, NONE)
