"""Numbers, and conversions between scalars."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from ..expr.kinds import whole, wrapped
from ..expr.texts import float_text
from ..values import FunctionError
from .values import declarations

function: Final = declarations("numbers")
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


@function("string(value: any, base?: int) -> string")
def _string(value: Any, base: int = 10) -> str:
    if isinstance(value, float):
        return float_text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if not isinstance(value, int):
        raise FunctionError("cannot convert the value to string")
    if not 2 <= base <= 36:
        raise FunctionError("base argument for string requires integer value >=2 and <=36")
    made, rest = "", abs(value)
    while rest or not made:
        rest, digit = divmod(rest, base)
        made = _DIGITS[digit] + made
    return f"-{made}" if value < 0 else made


@function("integer(value: string | int | float | bool) -> int")
def _integer(value: Any) -> int:
    if isinstance(value, str):
        digits = value[1:] if value[:1] in ("+", "-") else value
        fits = digits.isdecimal() and digits.isascii() and len(digits) < 40
        if not fits or wrapped(int(value)) != int(value):
            raise FunctionError("the string is no integer value")
        return int(value)
    return whole(value) if isinstance(value, float) else int(value)


@function("float(value: string | int | float | bool) -> float")
def _float(value: Any) -> float:
    try:
        made = float(value)
    except (ValueError, OverflowError):
        made = math.inf
    if not math.isfinite(made):
        raise FunctionError("the string is no float value")
    return made


@function("bool(value: string | int | float | bool | nil) -> bool")
def _bool(value: Any) -> bool:
    if isinstance(value, str) and value:
        words = {"1", "t", "T", "true", "TRUE", "True"}, {"0", "f", "F", "false", "FALSE", "False"}
        if value not in words[0] | words[1]:
            raise FunctionError("the string is no bool value")
        return value in words[0]
    return bool(value)


def _rounded(how: Callable[[float], float]) -> Callable[[Any], int]:
    def rounded(value: Any) -> int:
        if not isinstance(value, float):
            return int(value)
        return whole(how(value) if math.isfinite(value) else value)

    return rounded


def _half_away(value: float) -> float:
    return math.copysign(math.floor(abs(value) + 0.5), value)


function("floor(number: int | float | bool) -> int")(_rounded(math.floor))
function("ceil(number: int | float | bool) -> int")(_rounded(math.ceil))
function("round(number: int | float | bool) -> int")(_rounded(_half_away))
function("roundtoeven(number: int | float | bool) -> int")(_rounded(round))
function("abs(number: int | float) -> any")(
    lambda number: abs(number) if isinstance(number, float) else wrapped(abs(number))
)


def _computed(how: Callable[[float], float]) -> Callable[[Any], float]:
    def computed(value: Any) -> float:
        try:
            return float(how(float(value)))
        except (ValueError, OverflowError):
            raise FunctionError("the result is not a number") from None

    return computed


for _name in ("sqrt", "exp", "log", "log10"):
    function(f"{_name}(number: int | float) -> float")(_computed(getattr(math, _name)))
