"""Builtins that ask a predicate about each item of an array.

Python gets the items and a function, which takes an item, its index and for `reduce` what was made
so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias

from ..signatures import Declarations
from ..values import FunctionError
from .collections import in_order
from .kinds import AnyMap, a_kind, is_number
from .numbers import added

function: Final = Declarations("predicates", __package__, propagates_none=False)

Predicate: TypeAlias = Callable[..., Any]
Items: TypeAlias = list[Any]


def _holds(predicate: Predicate, item: Any, index: int) -> bool:
    """What a predicate says of an item.

    Raises:
        FunctionError: `condition_type` for anything but a boolean.
    """
    answer = predicate(item, index)
    if answer is not True and answer is not False:
        raise FunctionError(
            f"a predicate gives a boolean, not {a_kind(answer)}", "condition_type", None, 1
        )
    return bool(answer)


def _chosen(items: Iterable[tuple[int, Any]], predicate: Predicate) -> Iterable[tuple[int, Any]]:
    return ((index, item) for index, item in items if _holds(predicate, item, index))


@function("all(array: array, predicate: function) -> boolean", form="predicate")
def _all(items: Items, predicate: Predicate) -> bool:
    return all(_holds(predicate, item, index) for index, item in enumerate(items))


@function("none(array: array, predicate: function) -> boolean", form="predicate")
def _none(items: Items, predicate: Predicate) -> bool:
    return not _any(items, predicate)


@function("any(array: array, predicate: function) -> boolean", form="predicate")
def _any(items: Items, predicate: Predicate) -> bool:
    return any(_holds(predicate, item, index) for index, item in enumerate(items))


@function("one(array: array, predicate: function) -> boolean", form="predicate")
def _one(items: Items, predicate: Predicate) -> bool:
    return _count(items, predicate) == 1


@function("filter(array: array, predicate: function) -> array", form="predicate")
def _filter(items: Items, predicate: Predicate) -> Items:
    return [item for _, item in _chosen(enumerate(items), predicate)]


@function("map(array: array, predicate: function) -> array", form="predicate")
def _map(items: Items, predicate: Predicate) -> Items:
    return [predicate(item, index) for index, item in enumerate(items)]


@function("find(array: array, predicate: function) -> any", form="predicate")
def _find(items: Items, predicate: Predicate) -> Any:
    return next((item for _, item in _chosen(enumerate(items), predicate)), None)


@function("findIndex(array: array, predicate: function) -> integer", form="predicate")
def _find_index(items: Items, predicate: Predicate) -> int | None:
    return next((index for index, _ in _chosen(enumerate(items), predicate)), None)


def _backwards(items: Items) -> Iterable[tuple[int, Any]]:
    return ((index, items[index]) for index in range(len(items) - 1, -1, -1))


@function("findLast(array: array, predicate: function) -> any", form="predicate")
def _find_last(items: Items, predicate: Predicate) -> Any:
    return next((item for _, item in _chosen(_backwards(items), predicate)), None)


@function("findLastIndex(array: array, predicate: function) -> integer", form="predicate")
def _find_last_index(items: Items, predicate: Predicate) -> int | None:
    return next((index for index, _ in _chosen(_backwards(items), predicate)), None)


@function("count(array: array, predicate?: function) -> integer", form="predicate")
def _count(items: Items, predicate: Predicate = lambda item, index: item) -> int:
    return sum(_holds(predicate, item, index) for index, item in enumerate(items))


@function("sum(array: array, predicate?: function) -> any", form="predicate")
def _sum(items: Items, predicate: Predicate = lambda item, index: item) -> Any:
    total: Any = 0
    for index, item in enumerate(items):
        value = predicate(item, index)
        if not is_number(value):
            raise FunctionError(
                f"`sum` adds numbers, not {a_kind(value)}", "invalid_argument_type", None, 0
            )
        total = added(total, value)
    return total


@function("groupBy(array: array, predicate: function) -> object", form="predicate")
def _group(items: Items, predicate: Predicate) -> AnyMap:
    found = AnyMap()
    for index, item in enumerate(items):
        found.add(predicate(item, index), item)
    return found


@function("sortBy(array: array, predicate: function, order?: string) -> array", form="predicate")
def _sort(items: Items, predicate: Predicate, order: str = "asc") -> Items:
    return in_order("sortBy", items, [predicate(item, i) for i, item in enumerate(items)], order)


@function("reduce(array: array, predicate: function, initial?: any) -> any", form="predicate")
def _reduce(items: Items, predicate: Predicate, *initial: Any) -> Any:
    if not items and not initial:
        raise FunctionError(
            "`reduce` of an empty array has no result",
            hint="give it a third argument, which is the result then",
            argument=0,
        )
    start = 0 if initial else 1
    made = initial[0] if initial else items[0]
    for index in range(start, len(items)):
        made = predicate(items[index], index, made)
    return made
