"""Arrays and maps: their ends, order, pairs, and what all values have."""

from __future__ import annotations

from functools import cmp_to_key
from typing import Any, Final

from ..signatures import Declarations
from ..value_limits import ValueLimits, hold_items
from ..values import FunctionError
from . import kinds
from .methods import named_type
from .texts import text_of

function: Final = Declarations("collections", __package__, propagates_none=False)

_TYPES: Final = {
    "null": "nil",
    "boolean": "bool",
    "integer": "int",
    "binary": "array",
    "object": "map",
    "function": "func",
}


@function("type(value: any) -> string", weight=0)
def type_name(value: Any) -> str:
    """The type of a value as the language names it: `nil`, `int`, `map`, `time.Time`."""
    if isinstance(value, kinds.Byte | kinds.Unsigned):
        return "uint"
    if isinstance(value, kinds.NamedText):
        return value.type.go
    kind, named = kinds.kind_of(value), named_type(value)
    return named.go if named else _TYPES.get(kind, kind)


function("len(value: array | object | string | binary) -> integer", weight=0)(len)
function("first(array: any) -> any", weight=0)(lambda value: item_at(value, 0))
function("last(array: any) -> any", weight=0)(lambda value: item_at(value, -1))


def item_at(value: Any, index: int) -> Any:
    """An item of an array, a byte of a string, the value of a key; nil without one."""
    if isinstance(value, str):
        value = kinds.to_bytes(value)
    if isinstance(value, bytes | list):
        found = value[index] if -len(value) <= index < len(value) else None
        return kinds.Byte(found) if isinstance(value, bytes) and found is not None else found
    return value.get((int, index)) if isinstance(value, kinds.AnyMap) else None


@function("take(array: array, count: integer) -> array")
def _take(items: list[Any], count: int) -> list[Any]:
    if count < 0:
        raise FunctionError("the number of items is negative", argument=1)
    return items[:count]


def keys_of(value: dict[Any, Any]) -> list[Any]:
    """The keys of a map, sorted by their bytes, those of other kinds by their text."""
    if isinstance(value, kinds.AnyMap):
        return sorted(value, key=lambda key: (key[0].__name__, text_of(key[1])))
    return sorted(value, key=kinds.to_bytes)


@function("toPairs(map: object) -> array")
def _pairs(value: dict[Any, Any]) -> list[Any]:
    given = isinstance(value, kinds.AnyMap)
    return [[key[1] if given else key, value[key]] for key in keys_of(value)]


function("keys(map: object) -> array")(lambda value: [pair[0] for pair in _pairs(value)])
function("values(map: object) -> array")(lambda value: [pair[1] for pair in _pairs(value)])


@function("fromPairs(pairs: array) -> object")
def _from_pairs(pairs: list[Any]) -> kinds.AnyMap:
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2:
            raise FunctionError("each pair is an array of a key and a value", argument=0)
    return kinds.AnyMap((kinds.key_of(key), value) for key, value in pairs)


function("reverse(array: array) -> array")(lambda items: items[::-1])


@function("uniq(array: array) -> array", weight=4)
def _uniq(items: list[Any]) -> list[Any]:
    found: dict[Any, Any] = {}
    for item in items:
        found.setdefault(kinds.identity(item), item)
    return [*found.values()]


@function("concat(array: array, ...arrays: array) -> array")
def _concat(*arrays: list[Any], limits: ValueLimits) -> list[Any]:
    hold_items("concat", sum(map(len, arrays)), limits)
    return [item for one in arrays for item in one]


@function("flatten(array: array) -> array")
def _flatten(items: list[Any], *, limits: ValueLimits) -> list[Any]:
    found: list[Any] = []
    pending = [iter(items)]
    while pending:
        item = next(pending[-1], pending)
        if item is pending:
            pending.pop()
        elif isinstance(item, list):
            pending.append(iter(item))
        else:
            hold_items("flatten", len(found) + 1, limits)
            found.append(item)
    return found


@function("sort(array: any, order?: string) -> array")
def _sort(items: Any, order: str = "asc") -> list[Any]:
    """Of what is no array there is nothing to sort."""
    found = items if isinstance(items, list) else []
    return in_order("sort", found, found, order)


def in_order(name: str, items: list[Any], by: list[Any], order: str) -> list[Any]:
    """Items in the order of the values of `by`; what is equal stays as it is.

    Raises:
        FunctionError: `invalid_argument` for an order that is none, `invalid_argument_type` for
            values that cannot be compared.
    """
    if order not in ("asc", "desc"):
        raise FunctionError(f'the order of `{name}` is "asc" or "desc"', argument=-1)
    sign = -1 if order == "desc" else 1

    def compare(one: tuple[Any, Any], other: tuple[Any, Any]) -> int:
        return sign * compared(one[0], other[0], name)

    return [item for _, item in sorted(zip(by, items, strict=True), key=cmp_to_key(compare))]


def compared(left: Any, right: Any, name: str) -> int:
    """Below, at or above 0 as the left value is less, equal or greater.

    Raises:
        FunctionError: `invalid_argument_type`.
    """
    if kinds.is_number(left) and kinds.is_number(right):
        return int(left > right) - int(left < right)
    kind = kinds.KINDS.get(left.__class__)
    if left.__class__ is not right.__class__ or kind not in ("string", "time", "duration"):
        message = f"`{name}` cannot compare {kinds.a_kind(left)} with {kinds.a_kind(right)}"
        raise FunctionError(message, "invalid_argument_type", argument=0)
    if kind == "string" and not (left.isascii() and right.isascii()):
        left, right = kinds.to_bytes(left), kinds.to_bytes(right)
    return int(right < left) - int(left < right)


@function("get(value: any, key: any) -> any", form="get")
def _get(value: Any, key: Any) -> Any:
    raise TypeError("a special form evaluates this function")
