"""Numbers as the language writes them, and what the helper functions require of arguments."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from ..values import FunctionError

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


def filled(name: str, text: str, position: int = 0) -> str:
    """A string that is not empty.

    Raises:
        FunctionError: `invalid_argument`.
    """
    if text:
        return text
    raise FunctionError(
        f"argument {position + 1} of `{name}` is empty",
        hint="give it a default, as in `a || b`",
        argument=position,
    )


def number(name: str, what: str, value: Any, position: int) -> int | float:
    """A number, which may be written as a string.

    Raises:
        FunctionError: `invalid_argument`.
    """
    if not isinstance(value, str):
        return value  # type: ignore[no-any-return]
    try:
        if not value.strip() or "_" in value:
            raise ValueError
        found = float(value)
        if found != found or abs(found) == float("inf"):
            raise ValueError
    except ValueError:
        summary = f"the {what} of `{name}` must be a number or a numeric string"
        raise FunctionError(summary, argument=position) from None
    return int(found) if found.is_integer() else found


def whole(name: str, what: str, value: Any, position: int) -> int:
    """A whole number, which may be written as a string.

    Raises:
        FunctionError: `invalid_argument`.
    """
    found = number(name, what, value, position)
    if isinstance(found, float) and not found.is_integer():
        summary = f"the {what} of `{name}` must be a whole number"
        raise FunctionError(summary, argument=position)
    return int(found)
