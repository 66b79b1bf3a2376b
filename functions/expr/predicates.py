"""Builtins that ask a predicate about each item of an array.

Python gets the items and a function, which takes an item, its index and for `reduce` what was made
so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from ..signatures import Declarations
from ..values import FunctionError
from .collections import in_order
from .kinds import AnyMap, a_kind, is_number, key_of
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


def _chosen(items: Items, predicate: Predicate, last: bool = False) -> Iterator[tuple[Any, Any]]:
    """The places and items that a predicate holds for; then, for `next`, none."""
    places = range(len(items) - 1, -1, -1) if last else range(len(items))
    yield from ((place, items[place]) for place in places if _holds(predicate, items[place], place))
    yield None, None


def _count(items: Items, predicate: Predicate = lambda item, index: item) -> int:
    return sum(_holds(predicate, item, index) for index, item in enumerate(items))


def _any(items: Items, predicate: Predicate) -> bool:
    return next(_chosen(items, predicate))[0] is not None


_SIMPLE: Final[dict[str, tuple[str, Callable[[Items, Predicate], Any]]]] = {
    "all": ("boolean", lambda items, p: all(_holds(p, item, i) for i, item in enumerate(items))),
    "any": ("boolean", _any),
    "none": ("boolean", lambda items, p: not _any(items, p)),
    "one": ("boolean", lambda items, p: _count(items, p) == 1),
    "filter": ("array", lambda items, p: [item for _, item in _chosen(items, p)][:-1]),
    "map": ("array", lambda items, p: [p(item, index) for index, item in enumerate(items)]),
    "find": ("any", lambda items, p: next(_chosen(items, p))[1]),
    "findIndex": ("integer", lambda items, p: next(_chosen(items, p))[0]),
    "findLast": ("any", lambda items, p: next(_chosen(items, p, True))[1]),
    "findLastIndex": ("integer", lambda items, p: next(_chosen(items, p, True))[0]),
}
for _name, (_result, _call) in _SIMPLE.items():
    _signature = f"{_name}(array: array, predicate: function) -> {_result}"
    function(_signature, form="predicate")(_call)
function("count(array: array, predicate?: function) -> integer", form="predicate")(_count)


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
        found.setdefault(key_of(predicate(item, index)), []).append(item)
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
