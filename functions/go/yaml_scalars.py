"""Plain scalars of YAML 1.1 as Go's YAML packages read them: `y` is true, `012` is ten."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

from ..regexes import compile_regex

WORDS: Final[dict[str, bool | float | None]] = {
    word: value
    for words, value in (
        ("~ null Null NULL", None),
        ("y Y yes Yes YES on On ON true True TRUE", True),
        ("n N no No NO off Off OFF false False FALSE", False),
        (".nan .NaN .NAN", math.nan),
        (".inf .Inf .INF +.inf +.Inf +.INF", math.inf),
        ("-.inf -.Inf -.INF", -math.inf),
    )
    for word in words.split()
} | {"": None}
"""The words that are no strings."""

SUSPECT: Final = frozenset("0123456789+-.~yYnNtTfFoO")
"""First characters of plain scalars that may not be strings."""

_NUMBERS: Final = frozenset("0123456789+-.")
_BASES: Final = {"x": 16, "o": 8, "b": 2}
_INTEGER: Final = compile_regex(
    r"[-+]?(?:0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)|0b[-+][01]+"
).fullmatch
_FLOAT: Final = compile_regex(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
).fullmatch
_BETWEEN_DIGITS: Final = compile_regex(r"(?<=[0-9])_(?=[0-9])").sub
_LEAST: Final = -(2**63)
_MOST: Final = 2**64
_TIME: Final = compile_regex(
    r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
    r"(?:(?:[Tt]|(?P<blank> ))([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?"
    r"(?P<zone>Z|[-+](?:[01][0-9]|2[0-4]):[0-5][0-9])?)?"
).fullmatch
_BASE_60: Final = compile_regex(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?").fullmatch


@lru_cache(maxsize=4096)
def resolve(text: str) -> str | int | float | bool | None:
    """The value of a plain scalar; dates stay strings. Integers may need 64 bits without a sign."""
    if text in WORDS:
        return WORDS[text]
    if text[0] not in _NUMBERS:
        return text
    plain = _BETWEEN_DIGITS("", text) if text[0] == "." else text.replace("_", "")
    if _INTEGER(plain):
        value = _integer(plain)
        if value is not None:
            return value
    if _FLOAT(plain):
        number = float(plain)
        if abs(number) != float("inf"):
            return number
    return text


def _integer(text: str) -> int | None:
    """An integer by its prefix, a leading zero being that of an octal one; None beyond 64 bits."""
    digits = text.lstrip("+-")
    base = _BASES.get(digits[1:2].lower()) or (8 if digits[0] == "0" else 10)
    if len(digits.lstrip("0")) > 66:  # int() is slow for long ones
        return None
    if base in (2, 8, 16) and digits[1:2].isalpha():
        digits = digits[2:]
    value = int(digits, base)
    value = -value if text[0] == "-" else value
    return value if _LEAST <= value < _MOST else None


def is_string(text: str) -> bool:
    """True for a string that every reader takes for one when it stands without quotes.

    Dates are none, nor are numbers to the base of 60.
    """
    if text in WORDS:
        return False
    if text[0] not in _NUMBERS:
        return True
    return isinstance(resolve(text), str) and not (is_time(text) or _BASE_60(text))


def is_time(text: str) -> bool:
    """True for a date, or a date and a time, with a zone behind a `T` and none behind a blank."""
    match = _TIME(text)
    if match is None:
        return False
    hour = match[5]
    if hour is not None and (match["blank"] is None) is not (match["zone"] is not None):
        return False
    from datetime import datetime

    year, month, day, *time = (int(match[n] or 0) for n in (1, 2, 3, 5, 6, 7))
    try:
        datetime(year or 2000, month, day, time[0], time[1], time[2])  # Python lacks the year 0
    except ValueError:
        return False
    return True


def float32_text(value: float) -> str:
    """A float as a key or in place of a string: what Go writes with 32 bits (`%g`), `.inf`."""
    from struct import pack, unpack

    from ..expr.texts import float_text

    try:
        (exact,) = unpack("f", pack("f", value))
    except OverflowError:
        exact = math.copysign(math.inf, value)
    if math.isnan(exact):
        return ".nan"
    if math.isinf(exact):
        return ".inf" if exact > 0 else "-.inf"
    shortest = (f"{exact:.{size}g}" for size in range(1, 10))
    return float_text(
        next(float(text) for text in shortest if unpack("f", pack("f", float(text)))[0] == exact)
    )
