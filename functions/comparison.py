"""Comparisons: equality of values, order of numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from .examples import edge, given
from .registry import Function, Parameter
from .values import NONE, FunctionError, article, type_of


def equal(a: Any, b: Any) -> bool:
    """Deep equality in which types matter (`true`, `1` and `1.0` differ) and key order does not.

    Values share parts, so a small expression can stand for a huge tree: a pair of containers is
    compared once, and depth costs no stack.
    """
    seen: set[tuple[int, int]] = set()
    pending = [(a, b)]
    while pending:
        left, right = pending.pop()
        if left is right:
            continue
        kind = left.__class__
        if kind is not right.__class__:
            return False
        if kind is list:
            if len(left) != len(right):
                return False
            pair = (id(left), id(right))
            if pair not in seen:
                seen.add(pair)
                pending.extend(zip(left, right, strict=True))
        elif kind is dict:
            if left.keys() != right.keys():
                return False
            pair = (id(left), id(right))
            if pair not in seen:
                seen.add(pair)
                pending.extend((item, right[key]) for key, item in left.items())
        elif left != right:
            return False
    return True


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


def comparison_functions() -> tuple[Function, ...]:
    """The records."""
    prod = {"environment": "prod"}
    subnets = {"network": {"subnets": ["subnet-1", "subnet-2"]}}

    def order(
        name: str, words: str, compare: Callable[[Any, Any], bool], below: bool, same: bool
    ) -> Function:
        number = ("integer", "float")
        return Function(
            name=name,
            summary=f"whether a number is {words} another",
            parameters=(
                Parameter("a", number, "the number on the left"),
                Parameter("b", number, "the number on the right"),
            ),
            result="boolean",
            call=compare,
            topic="comparison",
            examples=(
                given(f"{name}(len(datasources.network.subnets), 10)", below, datasources=subnets),
                given(f"{name}(2, 2.0)", same),
                edge(f"{name}(10, 2)", not below),
                edge(f"{name}(-1, 0.5)", below),
                edge(f"{name}(9007199254740993, 9007199254740992)", not below),
                edge(f"{name}(none, 1)", NONE),
                edge(f"{name}(1, none)", NONE),
                edge(f"{name}(true, 0)", error="invalid_argument_type"),
                edge(f'{name}("2", "10")', error="invalid_argument_type"),
            ),
        )

    return (
        Function(
            name="eq",
            summary="whether two values of the same type are equal",
            parameters=(
                Parameter("a", ("any",), "the value on the left"),
                Parameter("b", ("any",), "the value on the right, of the same type"),
            ),
            result="boolean",
            call=eq,
            topic="comparison",
            examples=(
                given('eq(variables.environment, "prod")', True, variables=prod),
                given("eq(object(a = 1, b = 2), object(b = 2, a = 1))", True),
                edge("eq(list(1, list(2)), list(1, list(2)))", True),
                edge("eq(list(1, 2), list(2, 1))", False),
                edge("eq(list(1), list(1.0))", False),
                edge("eq(list(1), list(true))", False),
                edge("eq(object(a = 1), object(b = 1))", False),
                edge('eq("a", "A")', False),
                edge("eq(none, none)", NONE),
                edge('eq("a", none)', NONE),
                edge('eq("1", 1)', error="invalid_argument_type"),
                edge("eq(1, 1.0)", error="invalid_argument_type"),
                edge("eq(true, 1)", error="invalid_argument_type"),
                edge("eq(1)", error="invalid_argument_count"),
            ),
        ),
        order("gt", "greater than", operator.gt, below=False, same=False),
        order("ge", "greater than or equal to", operator.ge, below=False, same=True),
        order("lt", "less than", operator.lt, below=True, same=False),
        order("le", "less than or equal to", operator.le, below=True, same=True),
    )
