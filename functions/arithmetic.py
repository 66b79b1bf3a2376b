"""Numbers: the least, the greatest, the absolute value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from .examples import edge, given
from .registry import Function, Parameter
from .values import NONE, FunctionError

Number: TypeAlias = int | float

_GREATEST_INTEGER: Final = 2**63 - 1


def extreme(choose: Callable[[tuple[Number, ...]], Number], *numbers: Number) -> Number:
    """The number that `choose` takes; a float as soon as one of the numbers is a float.

    Comparing comes first and is exact, because a large integer loses digits as a float.
    """
    found = choose(numbers)
    return float(found) if any(isinstance(n, float) for n in numbers) else found


def absolute(number: Number) -> Number:
    """The number without its sign.

    Raises:
        FunctionError: `invalid_argument` when the result has more than 64 bits.
    """
    result = abs(number)
    if isinstance(result, int) and result > _GREATEST_INTEGER:
        raise FunctionError("the result of `abs` does not fit into 64 bits", argument=0)
    return result


def arithmetic_functions() -> tuple[Function, ...]:
    """The records."""
    kinds = ("integer", "float")
    number = Parameter("number", kinds, "a number")
    more = Parameter("more", kinds, "more numbers", variadic=True)

    def least(*numbers: Any) -> Number:
        return extreme(min, *numbers)

    def greatest(*numbers: Any) -> Number:
        return extreme(max, *numbers)

    return (
        Function(
            name="min",
            summary="the least of some numbers; a float when one of them is a float",
            parameters=(number, more),
            result="any",
            call=least,
            topic="numbers",
            examples=(
                given("min(10, 5, 8, 3)", 3),
                given("min(variables.maxInstances, 10)", 4, variables={"maxInstances": 4}),
                edge("min(1, 2.5)", 1.0),
                edge("min(-1.5, 2)", -1.5),
                edge("min(7)", 7),
                edge("min(9007199254740993, 9007199254740994)", 9007199254740993),
                edge("min(1, none)", NONE),
                edge("min()", error="invalid_argument_count"),
                edge("min(1, true)", error="invalid_argument_type"),
                edge("min(list(1, 2))", error="invalid_argument_type"),
            ),
        ),
        Function(
            name="max",
            summary="the greatest of some numbers; a float when one of them is a float",
            parameters=(number, more),
            result="any",
            call=greatest,
            topic="numbers",
            examples=(
                given("max(10, 5, 8, 3)", 10),
                given("max(variables.minInstances, 2)", 2, variables={"minInstances": 1}),
                edge("max(3, 2.5)", 3.0),
                edge("max(9007199254740993, 1)", 9007199254740993),
                edge("max(none)", NONE),
                edge("max()", error="invalid_argument_count"),
                edge('max(1, "2")', error="invalid_argument_type"),
            ),
        ),
        Function(
            name="abs",
            summary="the absolute value of a number, of the same type",
            parameters=(Parameter("number", kinds, "the number"),),
            result="any",
            call=absolute,
            topic="numbers",
            examples=(
                given("abs(-5)", 5),
                given("abs(3)", 3),
                edge("abs(-1.5)", 1.5),
                edge("abs(-0.0)", 0.0),
                edge("abs(-9223372036854775807)", 9223372036854775807),
                edge("abs(-9223372036854775808)", error="invalid_argument"),
                edge("abs(none)", NONE),
                edge("abs(true)", error="invalid_argument_type"),
                edge('abs("1")', error="invalid_argument_type"),
            ),
        ),
    )
