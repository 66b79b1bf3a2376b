"""Arrays: joining, ranges, emptiness."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..examples import edge, given
from ..registry import Function, Parameter
from ..value_limits import ValueLimits, hold_chars, hold_items
from ..values import FunctionError, article, type_of
from .arguments import NUMBER, TEXT, helper, whole
from .text import to_string


def concatenate(first: Any, second: Any, *, limits: ValueLimits) -> Any:
    """Two arrays in a row, or two texts.

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


def join_items(items: list[Any], separator: str, *, limits: ValueLimits) -> str:
    """The items as one text; null is an empty one.

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
        texts.append("" if item is None else to_string(item))
        size += len(texts[-1]) + len(separator)
        hold_chars("join", size - len(separator), limits)
    return separator.join(texts)


def is_empty(value: Any = None) -> bool:
    """True for null and for an empty text, array or object."""
    return value is None or len(value) == 0


def numbers(first: Any, last: Any, *, limits: ValueLimits) -> list[int]:
    """The whole numbers from the first to the last one.

    Raises:
        FunctionError: `limit_exceeded`.
    """
    start = whole("range", "first number", first, 0)
    stop = max(whole("range", "last number", last, 1), start)
    hold_items("range", stop - start + 1, limits)
    return list(range(start, stop + 1))


def list_functions(limits: ValueLimits) -> tuple[Function, ...]:
    """The records."""
    either = ("string", "array")
    return (
        helper(
            "concat",
            "two arrays in a row, or two texts",
            (Parameter("a", either, "the first"), Parameter("b", either, "the second")),
            "any",
            partial(concatenate, limits=limits),
            "arrays",
            (
                given("concat([1, 2, 3], [4, 5])", [1, 2, 3, 4, 5]),
                given('concat("string1", "string2")', "string1string2"),
                edge('concat("", "")', ""),
                edge('concat([], "")', error="invalid_argument_type"),
                edge("concat(1, 2)", error="invalid_argument_type"),
            ),
        ),
        helper(
            "join",
            "the items of an array as one text",
            (
                Parameter("input", ("array",), "the array"),
                Parameter("separator", TEXT, "what stands between the items"),
            ),
            "string",
            partial(join_items, limits=limits),
            "arrays",
            (
                given('join(["some", "list", "of", "strings"], " ")', "some list of strings"),
                edge('join([1, null, true, 0.5], "")', "1true0.5"),
                edge('join([[1]], ",")', error="invalid_argument_type"),
            ),
        ),
        helper(
            "isEmpty",
            "whether a text, an array or an object is empty, or the value null",
            (
                Parameter(
                    "value", ("string", "array", "object", "null"), "the value", optional=True
                ),
            ),
            "boolean",
            is_empty,
            "arrays",
            (
                given("isEmpty([])", True),
                given("isEmpty(var.map)", False, var={"map": {"a": 1}}),
                edge('isEmpty("")', True),
                edge("isEmpty(null)", True),
                edge("isEmpty()", True),
                edge("isEmpty(var.nobody || null)", True, var={"a": 1}),
                edge("isEmpty(0)", error="invalid_argument_type"),
                edge("isEmpty(var.nobody)", error="key_not_found", var={"a": 1}),
            ),
        ),
        helper(
            "range",
            "the whole numbers from one to another",
            (
                Parameter("first", NUMBER, "the first number"),
                Parameter("last", NUMBER, "the last number; a lesser one counts as the first"),
            ),
            "array",
            partial(numbers, limits=limits),
            "arrays",
            (
                given("range(1, 5)", [1, 2, 3, 4, 5]),
                edge("range(3, 1)", [3]),
                edge('range("0", "1")', [0, 1]),
                edge("range(0, 10000000)", error="limit_exceeded"),
            ),
        ),
    )
