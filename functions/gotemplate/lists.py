"""Lists: their parts, order, and what they hold; lists are copied, never changed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Final

from ..signatures import Declarations
from ..value_limits import ValueLimits, hold_items
from .guards import TYPES, failed, nil_failed
from .kinds import Lists, deep_equal, kind_name
from .numbers import to_int

function: Final = Declarations("lists", __package__, propagates_none=False, types=TYPES)


def items_of(value: Any) -> list[Any] | None:
    """The items of what Go takes for a slice; None for another value."""
    if isinstance(value, list):
        return value
    return [*value] if isinstance(value, bytes) else None


def _slice(value: Any, sentence: str) -> list[Any]:
    items = items_of(value)
    if items is not None:
        return items
    if value is None:
        raise nil_failed()
    raise failed(sentence.format(kind_name(value)))


def _twice(name: str, signature: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares a function and its `must` form, which fails alike."""

    def declare(call: Callable[..., Any]) -> Callable[..., Any]:
        function(f"{name}{signature}")(call)
        function(f"must{name[0].upper()}{name[1:]}{signature}")(call)
        return call

    return declare


for _name in ("list", "tuple"):
    function(f"{_name}(...values: any) -> list")(lambda *values: [*values])


@_twice("push", "(list: any, value: any) -> list")
@_twice("append", "(list: any, value: any) -> list")
def _append(values: Any, value: Any, *, limits: ValueLimits) -> list[Any]:
    items = _slice(values, "Cannot push on type {}")
    hold_items("append", len(items) + 1, limits)
    return [*items, value]


@_twice("prepend", "(list: any, value: any) -> list")
def _prepend(values: Any, value: Any, *, limits: ValueLimits) -> list[Any]:
    items = _slice(values, "Cannot prepend on type {}")
    hold_items("prepend", len(items) + 1, limits)
    return [value, *items]


@_twice("first", "(list: any) -> any")
def _first(values: Any) -> Any:
    items = _slice(values, "Cannot find first on type {}")
    return items[0] if items else None


@_twice("last", "(list: any) -> any")
def _last(values: Any) -> Any:
    items = _slice(values, "Cannot find last on type {}")
    return items[-1] if items else None


@_twice("rest", "(list: any) -> list")
def _rest(values: Any) -> list[Any]:
    return _slice(values, "Cannot find rest on type {}")[1:]


@_twice("initial", "(list: any) -> list")
def _initial(values: Any) -> list[Any]:
    return _slice(values, "Cannot find initial on type {}")[:-1]


@_twice("reverse", "(list: any) -> list")
def _reverse(values: Any) -> list[Any]:
    return [*reversed(_slice(values, "Cannot find reverse on type {}"))]


@_twice("compact", "(list: any) -> list")
def _compact(values: Any) -> list[Any]:
    return [item for item in _slice(values, "Cannot compact on type {}") if item]


@_twice("uniq", "(list: any) -> list")
def _uniq(values: Any) -> list[Any]:
    found = _Values()
    return [item for item in _slice(values, "Cannot find uniq on type {}") if found.add(item)]


@_twice("without", "(list: any, ...values: any) -> list")
def _without(values: Any, *left_out: Any) -> list[Any]:
    found = _Values(left_out)
    return [item for item in _slice(values, "Cannot find without on type {}") if item not in found]


@_twice("has", "(value: any, list: any) -> bool")
def _has(value: Any, values: Any) -> bool:
    if values is None:
        return False
    return any(deep_equal(value, item) for item in _slice(values, "Cannot find has on type {}"))


class _Values:
    """Values that are told apart by type and in depth, scalars without a search."""

    def __init__(self, values: Iterable[Any] = ()) -> None:
        self._scalars: set[Hashable] = set()
        self._others: list[Any] = []
        for value in values:
            self.add(value)

    def add(self, value: Any) -> bool:
        """Adds a value; False when it is there already."""
        if value in self:
            return False
        if isinstance(value, list | dict):
            self._others.append(value)
        else:
            self._scalars.add((value.__class__, value))
        return True

    def __contains__(self, value: Any) -> bool:
        if isinstance(value, list | dict):
            return any(deep_equal(value, other) for other in self._others)
        return (value.__class__, value) in self._scalars


@_twice("chunk", "(size: int, list: any) -> lists")
def _chunk(size: int, values: Any) -> Lists:
    items = _slice(values, "Cannot chunk type {}")
    if size == 0 or (size < 0 and not 2 <= len(items) <= 1 - size):
        raise failed("runtime error: makeslice: len out of range")
    return Lists([items[at : at + size] for at in range(0, len(items), size)])


@_twice("slice", "(list: any, ...bounds: any) -> any")
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
def _concat(*lists: Any, limits: ValueLimits) -> list[Any]:
    parts = [_slice(one, "Cannot concat type {} as list") for one in lists]
    hold_items("concat", sum(map(len, parts)), limits)
    return [item for part in parts for item in part]


function("all(...values: any) -> bool")(lambda *values: all(values))
function("any(...values: any) -> bool")(lambda *values: any(values))
