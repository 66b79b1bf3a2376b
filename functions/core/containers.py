"""Arrays and objects: their size and parts, building them, and work on each element.

A function that is passed gets the element's index as well when it declares one (`indexed`).
"""

from __future__ import annotations

from functools import cmp_to_key
from typing import Any, Final

from ..names import quoted
from ..signatures import Declarations
from ..value_limits import ValueLimits, hold_items
from ..values import NONE, FunctionError, FunctionValue, article, type_of

function: Final = Declarations("collections", __package__)

function("len(value: string | array | object) -> integer")(len)
function("keys(mapping: object) -> array")(list)


@function("list(...items: any) -> array", form="list", propagates_none=False)
def make_list(*items: Any, limits: ValueLimits) -> list[Any]:
    """The arguments as an array; none is left out.

    Raises:
        FunctionError: `limit_exceeded`; `function_not_allowed` for a function.
    """
    hold_items("list", len(items), limits)
    for position, item in enumerate(items):
        _hold_no_function("list", item, position)
    return [item for item in items if item is not NONE]


@function("object(...fields: any) -> object", form="object", named=True, propagates_none=False)
def make_object(*arguments: Any, limits: ValueLimits) -> dict[str, Any]:
    """An object from one argument, a list of (name, value) pairs; none is left out.

    Raises:
        FunctionError: `duplicate_argument_name`, `limit_exceeded`, `function_not_allowed`;
            `invalid_argument` for other arguments, as in a call without names.
    """
    pairs = arguments[0] if arguments else []
    if len(arguments) > 1 or not _are_pairs(pairs):
        raise FunctionError(
            "`object` takes named arguments only", hint="write `object(name = value)`"
        )
    hold_items("object", len(pairs), limits)
    made: dict[str, Any] = {}
    for position, (name, value) in enumerate(pairs):
        if name in made:
            raise FunctionError(
                f"`object` has two arguments named {quoted(name)}",
                code="duplicate_argument_name",
                argument=position,
            )
        _hold_no_function("object", value, position)
        made[name] = value
    return {name: value for name, value in made.items() if value is not NONE}


def _are_pairs(pairs: Any) -> bool:
    return isinstance(pairs, list) and all(isinstance(pair, tuple) for pair in pairs)


def _hold_no_function(name: str, value: Any, position: int) -> None:
    if type_of(value) == "function":
        raise FunctionError(
            f"`{name}` cannot contain a function",
            code="function_not_allowed",
            hint="pass functions to `map`, `filter` and similar functions",
            argument=position,
        )


_NUMBERS: Final = frozenset({"integer", "float"})


@function("map(items: array, function: function) -> array")
def map_items(items: list[Any], function: FunctionValue) -> list[Any]:
    """The results of the function for each element; none is left out.

    Raises:
        FunctionError: from the function; `invalid_function_result` when it returns a function.
    """
    made = []
    for index, item in enumerate(items):
        result = apply(function, index, item)
        if result is NONE:
            continue
        if type_of(result) == "function":
            raise unfit("map", "a value", function, result, index)
        made.append(result)
    return made


@function("filter(items: array, predicate: function) -> array")
def filter_items(items: list[Any], predicate: FunctionValue) -> list[Any]:
    """The elements for which the predicate is true; none counts as false.

    Raises:
        FunctionError: from the predicate; `invalid_function_result` unless it returns a boolean.
    """
    kept = []
    for index, item in enumerate(items):
        verdict = apply(predicate, index, item)
        if verdict is True:
            kept.append(item)
        elif verdict is not False and verdict is not NONE:
            raise unfit("filter", "a boolean", predicate, verdict, index)
    return kept


@function("reduce(items: array, reducer: function, initial: any) -> any")
def reduce_items(items: list[Any], reducer: FunctionValue, initial: Any) -> Any:
    """The elements folded from the left into one value, which starts as `initial`.

    Raises:
        FunctionError: from the reducer; `invalid_function_result` when it returns another type
            than `initial` has (numbers are one type here, and none always fits);
            `function_not_allowed` for a function as `initial`.
    """
    kind = type_of(initial)
    if kind == "function":
        raise FunctionError(
            "`reduce` cannot start with a function", code="function_not_allowed", argument=2
        )
    accumulated = initial
    for index, item in enumerate(items):
        accumulated = apply(reducer, index, accumulated, item)
        actual = type_of(accumulated)
        if actual not in (kind, "none") and not {actual, kind} <= _NUMBERS:
            raise unfit("reduce", article(kind), reducer, accumulated, index)
    return accumulated


@function("sort(items: array, comparator: function) -> array")
def sort_items(items: list[Any], comparator: FunctionValue) -> list[Any]:
    """The elements in the comparator's order; equal ones keep theirs.

    Raises:
        FunctionError: from the comparator; `invalid_function_result` unless it returns an integer.
    """

    def compare(a: Any, b: Any) -> int:
        result = apply(comparator, None, a, b)
        if result.__class__ is not int:
            raise unfit("sort", "an integer", comparator, result, None)
        return int(result)

    return sorted(items, key=cmp_to_key(compare))


@function("flatmap(items: array, function: function) -> array")
def flat_map_items(items: list[Any], function: FunctionValue, *, limits: ValueLimits) -> list[Any]:
    """The elements of the arrays that the function returns for each element; none is left out.

    Raises:
        FunctionError: from the function; `invalid_function_result` unless it returns an array;
            `limit_exceeded`.
    """
    made: list[Any] = []
    for index, item in enumerate(items):
        result = apply(function, index, item)
        if result is NONE:
            continue
        if not isinstance(result, list):
            raise unfit("flatmap", "an array", function, result, index)
        hold_items("flatmap", len(made) + len(result), limits)
        made.extend(result)
    return made


def apply(function: FunctionValue, index: int | None, *arguments: Any) -> Any:
    """Calls a function that was passed; its errors name the element and blame the function."""
    try:
        if function.indexed and index is not None:
            return function(*arguments, index)
        return function(*arguments)
    except FunctionError as error:
        place = "" if index is None else f" (at element {index})"
        raise FunctionError(
            f"{error.message}{place}", code=error.code, hint=error.hint, argument=1
        ) from None


def unfit(
    name: str, wanted: str, function: FunctionValue, result: Any, index: int | None
) -> FunctionError:
    """The error for a passed function that returns a value of the wrong type."""
    place = "" if index is None else f" (at element {index})"
    return FunctionError(
        f"the function for `{name}` must return {wanted}, but `{function.name}` returned "
        f"{article(type_of(result))}{place}",
        code="invalid_function_result",
        argument=1,
    )


@function("vals(mapping: object) -> array")
def values_of(mapping: dict[str, Any]) -> list[Any]:
    """The values of an object in the order of its keys."""
    return list(mapping.values())
