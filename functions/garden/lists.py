"""Arrays: joining, ranges, emptiness."""

from __future__ import annotations

from typing import Any, Final

from ..signatures import Declarations
from ..value_limits import ValueLimits, hold_chars, hold_items
from ..values import FunctionError, article, type_of
from .arguments import whole
from .text import plain_text

function: Final = Declarations("arrays", __package__, propagates_none=False)


@function("concat(a: string | array, b: string | array) -> any")
def concatenate(first: Any, second: Any, *, limits: ValueLimits) -> Any:
    """Two arrays or two strings joined.

    Raises:
        FunctionError: `invalid_argument_type` for one of each, `limit_exceeded`.
    """
    if type(first) is not type(second):
        raise FunctionError(
            "`concat` takes two arrays or two strings, not one of each",
            "invalid_argument_type",
            argument=1,
        )
    size = len(first) + len(second)
    (hold_chars if isinstance(first, str) else hold_items)("concat", size, limits)
    return first + second


@function("join(input: array, separator: string) -> string", weight=4)
def join_items(items: list[Any], separator: str, *, limits: ValueLimits) -> str:
    """The items as one string; null becomes an empty string.

    Raises:
        FunctionError: `invalid_argument_type` for an array or object in it, `limit_exceeded`.
    """
    texts: list[str] = []
    size = 0
    for position, item in enumerate(items):
        if isinstance(item, list | dict):
            raise FunctionError(
                f"element {position} of the array for `join` is {article(type_of(item))}",
                "invalid_argument_type",
                argument=0,
            )
        texts.append("" if item is None else plain_text(item))
        size += len(texts[-1]) + len(separator)
        hold_chars("join", size - len(separator), limits)
    return separator.join(texts)


@function("isEmpty(value?: string | array | object | null) -> boolean")
def is_empty(value: Any = None) -> bool:
    """True for null and for an empty string, array or object."""
    return value is None or len(value) == 0


@function("range(first: integer | float | string, last: integer | float | string) -> array")
def numbers(first: Any, last: Any, *, limits: ValueLimits) -> list[int]:
    """The whole numbers from the first to the last one.

    Raises:
        FunctionError: `limit_exceeded`.
    """
    start = whole("range", "first number", first, 0)
    stop = max(whole("range", "last number", last, 1), start)
    hold_items("range", stop - start + 1, limits)
    return list(range(start, stop + 1))
