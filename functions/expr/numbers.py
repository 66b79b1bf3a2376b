"""Numbers: rounding, conversions, extremes, bits; and the sums of operators."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from ..regexes import compile_regex
from ..signatures import Declarations
from ..values import FunctionError
from .kinds import a_kind, is_int, is_number, whole, wrapped
from .moments import Duration

function: Final = Declarations("numbers", __package__, propagates_none=False)

_INTEGER: Final = r"(?a)[+-]?[0-9]+"
_FLOAT: Final = compile_regex(
    r"[+-]?(?:(?:[0-9]+(?:_[0-9]+)*)?\.?(?:[0-9]+(?:_[0-9]+)*)?(?:e[+-]?[0-9]+(?:_[0-9]+)*)?"
    r"|inf(?:inity)?|0x(?:_?[0-9a-f]+)*\.?(?:[0-9a-f]+(?:_[0-9a-f]+)*)?p[+-]?[0-9]+(?:_[0-9]+)*)|nan",
    re.ASCII | re.IGNORECASE,
)
_HALF: Final = 0.5


def added(left: Any, right: Any) -> Any:
    """The sum of two numbers: an int if both are."""
    if is_int(left) and is_int(right):
        return wrapped(int(left) + int(right))
    return float(left) + float(right)


@function("abs(number: integer | float) -> any")
def _abs(value: Any) -> Any:
    return wrapped(abs(int(value))) if is_int(value) else abs(value)


function("ceil(number: integer | float) -> float")(lambda value: rounded(value, math.ceil))
function("floor(number: integer | float) -> float")(lambda value: rounded(value, math.floor))


@function("round(number: integer | float) -> float")
def _round(value: Any) -> float:
    """Halves go away from zero."""
    size = abs(float(value))
    up = math.isfinite(size) and size - math.floor(size) >= _HALF
    return math.copysign(rounded(size, math.ceil if up else math.floor), value)


def rounded(value: Any, how: Callable[[float], int]) -> float:
    """A whole number as a float, with the sign of what is rounded."""
    number = float(value)
    return math.copysign(how(number), number) if math.isfinite(number) else number


@function("int(value: integer | float | string | month | weekday | duration) -> integer")
def _int(value: Any) -> int:
    if isinstance(value, Duration):
        return value.count
    if isinstance(value, str):
        if (
            not re.fullmatch(_INTEGER, value)
            or len(value) > 400
            or wrapped(int(value)) != int(value)
        ):
            raise FunctionError(
                "the text is not an int of 64 bits",
                hint="`int` takes digits with a sign, without spaces; `float` takes other numbers",
                argument=0,
            )
        return int(value)
    return whole(value) if isinstance(value, float) else wrapped(int(value))


@function("float(value: integer | float | string) -> float")
def _float(value: Any) -> float:
    if not isinstance(value, str):
        return float(value)
    found = read_float(value)
    if found is None:
        raise FunctionError("the text is not a number", argument=0)
    return found


def read_float(text: str) -> float | None:
    """The number that Go finds in a text, such as `1e3` and `-Inf`; None without one."""
    if not _FLOAT.fullmatch(text) or not any(map(str.isalnum, text)) or text[:1] in ("e", "E"):
        return None
    try:
        if "x" in text.lower():
            return float.fromhex(text.replace("_", ""))
        found = float(text)
    except (ValueError, OverflowError):
        return None
    return None if math.isinf(found) and "n" not in text.lower() else found


def _numbers(name: str, values: tuple[Any, ...]) -> Iterator[Any]:
    """The numbers among arguments, those in arrays too."""
    pending = [*reversed(values)]
    while pending:
        value = pending.pop()
        if isinstance(value, list):
            pending += reversed(value)
        elif is_number(value):
            yield value
        else:
            summary = f"`{name}` takes numbers and arrays of them, not {a_kind(value)}"
            raise FunctionError(summary, "invalid_argument_type")


def _best(name: str, better: Callable[[Any, Any], bool]) -> Callable[..., Any]:
    def call(*values: Any) -> Any:
        if len(values) == 1 and not isinstance(values[0], list):
            return values[0]  # of one value nothing is asked
        best: Any = None
        for value in _numbers(name, values):
            if best is None or better(value, best):
                best = value
        return best

    return call


function("max(number: any, ...numbers: any) -> any")(_best("max", lambda new, old: new > old))
function("min(number: any, ...numbers: any) -> any")(_best("min", lambda new, old: new < old))


@function("mean(number: any, ...numbers: any) -> float")
def _mean(*values: Any) -> float:
    found = [*map(float, _numbers("mean", values))]
    total = 0.0
    for value in found:  # `sum` of Python 3.12 is more precise
        total += value
    return total / len(found) if found else 0.0


@function("median(number: any, ...numbers: any) -> float")
def _median(*values: Any) -> float:
    found = sorted(map(float, _numbers("median", values)))
    middle = len(found) // 2
    if not found:
        return 0.0
    return found[middle] if len(found) % 2 else (found[middle - 1] + found[middle]) / 2


def _places(count: int) -> int:
    """How far to shift: beyond 64 nothing is left."""
    if count < 0:
        raise FunctionError("the number of places to shift is negative", argument=1)
    return min(int(count), 64)


_UNSIGNED: Final = (1 << 64) - 1
_BITS: Final[dict[str, Callable[[int, int], int]]] = {
    "bitand(a: integer, b: integer) -> integer": lambda a, b: a & b,
    "bitor(a: integer, b: integer) -> integer": lambda a, b: a | b,
    "bitxor(a: integer, b: integer) -> integer": lambda a, b: a ^ b,
    "bitnand(a: integer, b: integer) -> integer": lambda a, b: a & ~b,
    "bitshl(number: integer, places: integer) -> integer": lambda a, n: a << _places(n),
    "bitshr(number: integer, places: integer) -> integer": lambda a, n: a >> _places(n),
    "bitushr(number: integer, places: integer) -> integer": lambda a, n: (
        (a & _UNSIGNED) >> _places(n)  # zeros come in from the left
    ),
}


def _declare_bits(signature: str, call: Callable[[int, int], int]) -> None:
    function(signature)(lambda a, b: wrapped(call(int(a), int(b))))


for _signature, _call in _BITS.items():
    _declare_bits(_signature, _call)
function("bitnot(number: integer) -> integer")(lambda a: ~int(a))
