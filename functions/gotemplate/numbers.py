"""Numbers: conversions as Go's libraries make them, sums in 64 bits, ranges."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import reduce
from typing import Any, Final

from ..expr.kinds import whole, wrapped
from ..expr.numbers import read_float, rounded
from ..regexes import compile_regex
from ..signatures import Declarations
from ..value_limits import ValueLimits, hold_items
from .guards import TYPES, checked_text, failed
from .kinds import Int64, Ints

function: Final = Declarations("numbers", __package__, propagates_none=False, types=TYPES)

_MOST: Final = (1 << 63) - 1
_LONGEST: Final = 1_000
_OCTAL: Final = compile_regex(r"\A([+-]?)0(?=_?[0-9])")
_DIGITS: Final = compile_regex(r"[+-]?\w+", re.ASCII)
_DECIMAL: Final = compile_regex(r"([+-]?[0-9]*)\.[0-9]*")


def to_int(value: Any) -> int:
    """A value as an int: numbers without their fraction, texts up to a point, 0 for others."""
    kind = value.__class__
    if kind is int or kind is bool or kind is Int64:
        return int(value)
    if kind is float:
        return whole(value) if value == value else -_MOST - 1
    if kind is str:
        return _read_int(value)
    return int(value) if isinstance(value, int) else 0


def _read_int(written: str) -> int:
    if len(written) > _LONGEST:
        return 0
    decimal = _DECIMAL.fullmatch(written)
    digits = decimal[1] if decimal else written
    if not _DIGITS.fullmatch(digits):
        return 0
    try:
        found = int(_OCTAL.sub(r"\g<1>0o", digits), 0)
    except ValueError:
        return 0
    return found if -_MOST - 1 <= found <= _MOST else 0


def to_float(value: Any) -> float:
    """A value as a float64; 0 for what is no number."""
    if value.__class__ is str:
        found = read_float(value)
        return 0.0 if found is None else found
    return float(value) if isinstance(value, int | float) else 0.0


function("int(value: any) -> int")(to_int)
function("int64(value: any) -> int64")(lambda value: Int64(to_int(value)))
function("float64(value: any) -> float64")(to_float)


@function("atoi(text: string) -> int")
def read_digits(written: str) -> int:
    """The int that decimal digits write, the nearest one that there is; 0 for others."""
    if not re.fullmatch(r"[+-]?[0-9]{1,1000}", written):
        return 0
    return min(max(int(written), -_MOST - 1), _MOST)


@function("toDecimal(value: any) -> int64")
def _to_decimal(value: Any) -> Int64:
    """The number that octal digits write."""
    written = checked_text(value)
    found = int(written, 8) if re.fullmatch(r"[+-]?[0-7]{1,1000}", written) else 0
    return Int64(min(max(found, -_MOST - 1), _MOST))


# 64 bits


def _divided(left: int, right: int) -> int:
    if not right:
        raise failed("runtime error: integer divide by zero")
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


_SUMS: Final[dict[str, Callable[[int, int], int]]] = {
    "add(...numbers: any)": lambda left, right: left + right,
    "sub(left: any, right: any)": lambda left, right: left - right,
    "mul(number: any, ...numbers: any)": lambda left, right: left * right,
    "div(left: any, right: any)": _divided,
    "mod(left: any, right: any)": lambda left, right: left - right * _divided(left, right),
    "max(number: any, ...numbers: any)": max,
    "biggest(number: any, ...numbers: any)": max,
    "min(number: any, ...numbers: any)": min,
}


def _summing(combine: Callable[[int, int], int]) -> Callable[..., Int64]:
    def call(*values: Any) -> Int64:
        numbers = [*map(to_int, values)] or [0]
        return Int64(reduce(lambda one, other: wrapped(combine(one, other)), numbers))

    return call


for _form, _combine in _SUMS.items():
    function(f"{_form} -> int64")(_summing(_combine))
function("add1(number: any) -> int64")(lambda value: Int64(wrapped(to_int(value) + 1)))


# rounding


function("floor(number: any) -> float64")(lambda value: rounded(to_float(value), math.floor))
function("ceil(number: any) -> float64")(lambda value: rounded(to_float(value), math.ceil))


@function("round(number: any, places: int, ...from: float64) -> float64")
def _round(value: Any, places: int, *least: float) -> float:
    number = to_float(value)
    try:
        power = math.pow(10, places)
    except OverflowError:
        power = math.inf
    scaled = number * power
    if not math.isfinite(scaled) or not power:
        return math.nan if not power or math.isinf(power) else scaled
    fraction, _ = math.modf(scaled)
    found = math.ceil(scaled) if fraction >= (least[0] if least else 0.5) else math.floor(scaled)
    return found / power


# ranges


def _range(start: int, stop: int, step: int, *, limits: ValueLimits) -> Ints:
    if (stop < start and step >= 0) or (stop >= start and step <= 0):
        return Ints()
    found = range(start, stop, step)
    hold_items("untilStep", -((start - stop) // step) if step else 0, limits)
    return Ints(found)


function("untilStep(start: int, stop: int, step: int) -> ints")(_range)
function("until(count: int) -> ints")(
    lambda count, *, limits: _range(0, count, -1 if count < 0 else 1, limits=limits)
)


@function("seq(...bounds: int) -> string")
def _seq(*bounds: int, limits: ValueLimits) -> str:
    if not 1 <= len(bounds) <= 3:
        return ""
    start, stop = (1, bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[-1])
    toward = -1 if stop < start else 1
    step = bounds[1] if len(bounds) == 3 else toward
    if toward < 0 < step:
        return ""
    return " ".join(map(str, _range(start, stop + toward, step, limits=limits)))
