"""What all functions need of values: truth, equality, text."""

from __future__ import annotations

from typing import Any, Final

from ..signatures import Declarations
from ..values import FunctionError, FunctionValue

TYPE_NAMES: Final[dict[type, str]] = {
    type(None): "nil",
    bool: "bool",
    int: "int",
    float: "float",
    str: "string",
    list: "list",
    dict: "map",
    FunctionValue: "lambda",
}
TYPES: Final = ("int", "bool", "list", "map", "nil", "lambda", "template")


def declarations(topic: str) -> Declarations:
    """The decorator of a module's functions."""
    return Declarations(topic, __package__, propagates_none=False, types=TYPES)


def truth(value: Any) -> bool:
    """What decides: false, 0, empty texts, lists and maps and nil do not, any float does."""
    return value.__class__ is float or bool(value)


def to_text(value: Any) -> str | None:
    """A string, an integer or a boolean as text; None for anything else."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int) else None


def equal(left: Any, right: Any) -> bool:
    """Equality: strings, integers and booleans by their text, floats never.

    Raises:
        FunctionError: one is nil, or a string stands against what has no text.
    """
    if left is None or right is None:
        if left is right:
            return True
        raise FunctionError("types uncomparable")
    if isinstance(left, list):
        same = isinstance(right, list) and len(left) == len(right)
        return same and all(map(_alike, left, right))
    if isinstance(left, dict):
        same = isinstance(right, dict) and left.keys() == right.keys()
        return same and all(_alike(left[key], right[key]) for key in left)
    text, other = to_text(left), to_text(right)
    if isinstance(left, str) and other is None:
        raise FunctionError("types uncomparable")
    if text is None or other is None:
        return left.__class__ is not float and left is right
    if isinstance(left, bool) and isinstance(right, str):
        return right.lower() in _BOOLEANS and _BOOLEANS[right.lower()] == left
    if isinstance(left, bool) != isinstance(right, bool) and not isinstance(left, str):
        return not isinstance(left, bool) and left == int(right)
    if isinstance(left, int) and isinstance(right, str):
        return right.lstrip("+-").isdecimal() and right.isascii() and int(right) == left
    return text == other


_BOOLEANS: Final = {"1": True, "t": True, "true": True, "0": False, "f": False, "false": False}


def _alike(left: Any, right: Any) -> bool:
    try:
        return equal(left, right)
    except FunctionError:
        return False


def holds(items: list[Any], value: Any) -> int:
    """The number of the first item that is equal to a value, or -1."""
    return next((at for at, item in enumerate(items) if _alike(item, value)), -1)
