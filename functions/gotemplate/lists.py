"""Lists: their parts, order, and what they hold; lists are copied, never changed."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Final

from ..signatures import Declarations
from ..value_limits import ValueLimits, hold_items
from .guards import TYPES, failed, mark_of, nil_failed, with_must
from .kinds import Lists, kind_name
from .numbers import to_int

function: Final = Declarations("lists", __package__, propagates_none=False, types=TYPES)

Items = list[Any]
_IN_DEPTH: Final = 4
"""The weight of functions that look at all parts of each item."""


def items_of(value: Any) -> Items | None:
    """The items of what Go takes for a slice; None for another value."""
    if isinstance(value, list):
        return value
    return [*value] if isinstance(value, bytes) else None


def _slice(value: Any, sentence: str) -> Items:
    items = items_of(value)
    if items is not None:
        return items
    if value is None:
        raise nil_failed()
    raise failed(sentence.format(kind_name(value)))


def _uniq(items: Items) -> Items:
    found: dict[Hashable, Any] = {}
    for item in items:
        found.setdefault(mark_of(item), item)
    return [*found.values()]


def _without(items: Items, *values: Any) -> Items:
    found = {mark_of(value) for value in values}
    return [item for item in items if mark_of(item) not in found]


_FIND: Final = "Cannot find {name} on type {{}}"
_OF_ITEMS: Final[dict[str, tuple[str, Callable[..., Any]]]] = {
    "first(list: any) -> any": (_FIND, lambda items: items[0] if items else None),
    "last(list: any) -> any": (_FIND, lambda items: items[-1] if items else None),
    "rest(list: any) -> list": (_FIND, lambda items: items[1:]),
    "initial(list: any) -> list": (_FIND, lambda items: items[:-1]),
    "reverse(list: any) -> list": (_FIND, lambda items: items[::-1]),
    "uniq(list: any) -> list": (_FIND, _uniq),
    "without(list: any, ...values: any) -> list": (_FIND, _without),
    "compact(list: any) -> list": (
        "Cannot compact on type {{}}",
        lambda items: [item for item in items if item],
    ),
    "append(list: any, value: any) -> list": (
        "Cannot push on type {{}}",
        lambda items, value: [*items, value],
    ),
    "push(list: any, value: any) -> list": (
        "Cannot push on type {{}}",
        lambda items, value: [*items, value],
    ),
    "prepend(list: any, value: any) -> list": (
        "Cannot prepend on type {{}}",
        lambda items, value: [value, *items],
    ),
}
"""What Go says of another value than a list, and what gets the items."""


def _of_items(signature: str, sentence: str, call: Callable[..., Any]) -> None:
    wrong = sentence.format(name=signature.partition("(")[0])

    deep = call in (_uniq, _without)

    @with_must(function, signature, weight=_IN_DEPTH if deep else 1)
    def declared(values: Any, *more: Any, limits: ValueLimits) -> Any:
        items = _slice(values, wrong)
        hold_items("append", len(items) + len(more), limits)
        return call(items, *more)


for _signature, _row in _OF_ITEMS.items():
    _of_items(_signature, *_row)
for _name in ("list", "tuple"):
    function(f"{_name}(...values: any) -> list")(lambda *values: [*values])
function("all(...values: any) -> bool")(lambda *values: all(values))
function("any(...values: any) -> bool")(lambda *values: any(values))


@with_must(function, "has(value: any, list: any) -> bool", weight=_IN_DEPTH)
def _has(value: Any, values: Any) -> bool:
    if values is None:
        return False
    items = _slice(values, "Cannot find has on type {}")
    wanted = mark_of(value)
    return any(mark_of(item) == wanted for item in items)


@with_must(function, "chunk(size: int, list: any) -> lists", weight=4)
def _chunk(size: int, values: Any) -> Lists:
    items = _slice(values, "Cannot chunk type {}")
    if size == 0 or (size < 0 and not 2 <= len(items) <= 1 - size):
        raise failed("runtime error: makeslice: len out of range")
    return Lists([items[at : at + size] for at in range(0, len(items), size)])


@with_must(function, "slice(list: any, ...bounds: any) -> any")
def _part(values: Any, *bounds: Any) -> Any:
    items = _slice(values, "list should be type of slice or array but {}")
    if not items:
        return None
    start = to_int(bounds[0]) if bounds else 0
    end = to_int(bounds[1]) if len(bounds) > 1 else len(items)
    if not 0 <= start <= end <= len(items):
        raise failed("reflect.Value.Slice: slice index out of bounds")
    return values.__class__(values[start:end])


@function("concat(...lists: any) -> any")
def _concat(*lists: Any, limits: ValueLimits) -> Items:
    parts = [_slice(one, "Cannot concat type {} as list") for one in lists]
    hold_items("concat", sum(map(len, parts)), limits)
    return [item for part in parts for item in part]
