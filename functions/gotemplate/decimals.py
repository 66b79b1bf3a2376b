"""Sums of float64 that are exact in decimals, as 0.1 and 0.2 are 0.3."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from ..expr.texts import float_text
from ..signatures import Declarations
from ..values import FunctionError
from .guards import TYPES, failed
from .numbers import to_float

function: Final = Declarations("numbers", __package__, propagates_none=False, types=TYPES)

_PLACES: Final = 10**16
"""Of quotients."""


def _exact(value: Any) -> Fraction:
    number = to_float(value)
    if not math.isfinite(number):
        raise failed(f"Cannot create a Decimal from {float_text(number)}")
    return Fraction(Decimal(repr(number)))


def _quotient(left: Fraction, right: Fraction) -> Fraction:
    """Half away from zero at the last of 16 places."""
    if not right:
        raise failed("decimal division by 0")
    found = Fraction(math.floor(abs(left / right) * _PLACES + Fraction(1, 2)), _PLACES)
    return found if (left < 0) == (right < 0) else -found


_DECIMALS: Final[dict[str, Callable[[Fraction, Fraction], Fraction]]] = {
    "addf(...numbers: any)": lambda left, right: left + right,
    "subf(number: any, ...numbers: any)": lambda left, right: left - right,
    "mulf(number: any, ...numbers: any)": lambda left, right: left * right,
    "divf(number: any, ...numbers: any)": _quotient,
}


def _exactly(combine: Callable[[Fraction, Fraction], Fraction]) -> Callable[..., float]:
    def call(*values: Any) -> float:
        found = Fraction(0)
        for number, value in enumerate(values):
            found = combine(found, _exact(value)) if number else _exact(value)
            if found.numerator.bit_length() + found.denominator.bit_length() > 100_000:
                raise FunctionError("a decimal has more than 30000 digits", "limit_exceeded")
        try:
            return float(found)
        except OverflowError:
            return math.inf if found > 0 else -math.inf

    return call


for _form, _decimal in _DECIMALS.items():
    function(f"{_form} -> float64")(_exactly(_decimal))
function("add1f(number: any) -> float64")(lambda value: float(_exact(value) + 1))


def _extreme(best: Callable[[list[float]], float]) -> Callable[..., float]:
    def call(*values: Any) -> float:
        numbers = [*map(to_float, values)]
        return math.nan if any(map(math.isnan, numbers)) else best(numbers)

    return call


function("maxf(number: any, ...numbers: any) -> float64")(_extreme(max))
function("minf(number: any, ...numbers: any) -> float64")(_extreme(min))
