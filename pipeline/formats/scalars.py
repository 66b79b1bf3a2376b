"""What a plain scalar means: the core schema of YAML 1.2, and nothing beside it.

Dates, `yes`, `1_000`, `0b1` and `1:30` are strings; `010` is ten.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import isfinite
from typing import Final

MIN_INTEGER: Final = -(2**63)
MAX_INTEGER: Final = 2**63 - 1

SUSPECT: Final = "0123456789+-.~tTfFnN"
"""First characters of plain scalars that may be no strings; `text[:1] in SUSPECT` also holds for
the empty scalar."""

_WORDS: Final[dict[str, bool | None]] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_LETTERS: Final = "tTfFnN"
_INTEGER: Final = re.compile(r"[-+]?[0-9]+").fullmatch
_BASED: Final = r"0o[0-7]+|0x[0-9a-fA-F]+"
_FLOAT: Final = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
_SPECIAL: Final = r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"


class OutOfRange(Exception):
    """A number that no value of the language can hold; the message says why."""


@lru_cache(maxsize=4096)
def resolve(text: str) -> str | int | float | bool | None:
    """The value of a plain scalar.

    Raises OutOfRange for integers beyond 64 bits (signed) and floats that are not finite.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in _LETTERS:
        return text
    if _INTEGER(text):
        return integer(text, 10)
    # rare enough for patterns that are compiled when they are first needed
    if re.fullmatch(_BASED, text):
        return integer(text[2:], 8 if text[1] == "o" else 16)
    if re.fullmatch(_FLOAT, text):
        return floating(text)
    if re.fullmatch(_SPECIAL, text):
        raise OutOfRange("a blueprint holds finite numbers only")
    return text


def integer(digits: str, base: int) -> int:
    """The integer that digits with an optional sign stand for; raises OutOfRange beyond 64 bits."""
    # int() refuses very long texts, and is slow before it does, so the length decides first
    significant = digits.lstrip("+-0") or "0"
    if len(significant) > 22:
        raise OutOfRange("the integer needs more than 64 bits")
    value = int(significant, base)
    if digits[0] == "-":
        value = -value
    if not MIN_INTEGER <= value <= MAX_INTEGER:
        raise OutOfRange("the integer needs more than 64 bits")
    return value


def floating(text: str) -> float:
    """The float that a text stands for; raises OutOfRange when it is not finite."""
    value = float(text)
    if not isfinite(value):
        raise OutOfRange("the number is too large for a float")
    return value
