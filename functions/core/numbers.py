"""Numbers: minimum, maximum, absolute value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from ..signatures import Declarations
from ..values import FunctionError

function: Final = Declarations("numbers", __package__)


Number: TypeAlias = int | float

_GREATEST_INTEGER: Final = 2**63 - 1


def extreme(choose: Callable[[tuple[Number, ...]], Number], *numbers: Number) -> Number:
    """The number that `choose` takes; a float as soon as one of the numbers is a float.

    Comparing comes first and is exact, because a large integer loses digits as a float.
    """
    found = choose(numbers)
    return float(found) if any(isinstance(n, float) for n in numbers) else found


@function("abs(number: integer | float) -> any")
def absolute(number: Number) -> Number:
    """The number without its sign.

    Raises:
        FunctionError: `invalid_argument` when the result has more than 64 bits.
    """
    result = abs(number)
    if isinstance(result, int) and result > _GREATEST_INTEGER:
        raise FunctionError("the result of `abs` does not fit into 64 bits", argument=0)
    return result


@function("min(number: integer | float, ...more: integer | float) -> any")
def least(*numbers: Number) -> Number:
    """The least of the numbers."""
    return extreme(min, *numbers)


@function("max(number: integer | float, ...more: integer | float) -> any")
def greatest(*numbers: Number) -> Number:
    """The greatest of the numbers."""
    return extreme(max, *numbers)
