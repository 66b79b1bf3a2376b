"""Numbers as the language knows them: doubles, which are written without needless digits."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

_EXACT: Final = 2**53
_GREATEST_PLAIN: Final = 1e21
_LEAST_PLAIN: Final = 1e-6


def tidy(value: float) -> int | float:
    """A whole number as an integer, as long as that says the same."""
    if isinstance(value, float) and value.is_integer() and abs(value) <= _EXACT:
        return int(value)
    return value


def number_text(value: int | float) -> str:
    """The shortest text of a number: `3`, `1.5`, `1e+21`, `1e-7`."""
    if isinstance(value, int):
        return str(value)
    size = abs(value)
    if size == 0:
        return "0"
    if _LEAST_PLAIN <= size < _GREATEST_PLAIN:
        text = format(Decimal(repr(value)), "f")
        return text[:-2] if text.endswith(".0") else text
    digits, _, exponent = f"{Decimal(repr(value)).normalize():e}".partition("e")
    return f"{digits}e{int(exponent):+d}"
