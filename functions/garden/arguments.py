"""Requirements of the helper functions on their arguments."""

from __future__ import annotations

from typing import Any

from ..values import FunctionError


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
