"""Maps, defaults and choices; `set`, `unset` and `merge` change the map that they get."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NoReturn

from ..signatures import Declarations
from ..value_limits import ValueLimits, hold_items
from ..values import FunctionError
from .guards import TYPES, deep_equal, failed, hold_tree, with_must
from .kinds import Strings, kind_name, type_name
from .texts import strval

function: Final = Declarations("maps", __package__, propagates_none=False, types=TYPES)

Values = dict[str, Any]


@function("dict(...pairs: any) -> map")
def _dict(*pairs: Any) -> Values:
    keys = map(strval, pairs[::2])
    values = [*pairs[1::2], ""] if len(pairs) % 2 else pairs[1::2]
    return dict(zip(keys, values, strict=True))


@function("set(map: map, key: string, value: any) -> map")
def _set(values: Values, key: str, value: Any, *, limits: ValueLimits) -> Values:
    hold_items("set", len(values) + 1, limits)
    values[key] = value
    return values


@function("unset(map: map, key: string) -> map")
def _unset(values: Values, key: str) -> Values:
    values.pop(key, None)
    return values


@function("keys(...maps: map) -> strings")
def _keys(*maps: Values, limits: ValueLimits) -> Strings:
    """Sorted: their order is random in Go."""
    hold_items("keys", sum(map(len, maps)), limits)
    return Strings([key for one in maps for key in sorted(one)])


_OF_MAPS: Final[dict[str, Callable[..., Any]]] = {
    "get(map: map, key: string) -> any": lambda values, key: values.get(key, ""),
    "hasKey(map: map, key: string) -> bool": lambda values, key: key in values,
    "pluck(key: string, ...maps: map) -> list": lambda key, *maps: [
        one[key] for one in maps if key in one
    ],
    "pick(map: map, ...keys: string) -> map": lambda values, *keys: {
        key: values[key] for key in keys if key in values
    },
    "omit(map: map, ...keys: string) -> map": lambda values, *keys: {
        key: value for key, value in values.items() if key not in keys
    },
    # in the order of the keys: theirs is random in Go
    "values(map: map) -> list": lambda values: [values[key] for key in sorted(values)],
}
for _signature, _call in _OF_MAPS.items():
    function(_signature)(_call)


@function("dig(...path: any) -> any")
def _dig(*path: Any) -> Any:
    if len(path) < 3:
        raise failed("dig needs at least three arguments")
    *keys, default, values = path
    for key in keys:
        _hold(values, dict, "map[string]interface {}")
        _hold(key, str, "string")
        if key not in values:
            return default
        values = values[key]
    return values


def _hold(value: Any, wanted: type, name: str) -> None:
    if value.__class__ is not wanted:
        got = "nil" if value is None else type_name(value)
        raise failed(f"interface conversion: interface {{}} is {got}, not {name}")


@with_must(function, "deepCopy(value: any) -> any", weight=4)
def _deep_copy(value: Any, *, limits: ValueLimits) -> Any:
    """A value without a part in common with another one."""
    if value is None:
        raise failed("reflect: call of reflect.Value.Type on zero Value")
    hold_tree(value, limits)
    return _copied(value)


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return value.__class__({key: _copied(item) for key, item in value.items()})
    return value.__class__(map(_copied, value)) if isinstance(value, list) else value


# merging


def _merging(overwrites: bool) -> Any:
    def merge(target: Values, *sources: Values, limits: ValueLimits) -> Values:
        for source in sources:
            hold_tree(source, limits)
            hold_tree(target, limits)
            _merge(target, source, overwrites)
        return target

    return merge


def _merge(target: Values, source: Values, overwrites: bool) -> None:
    """Puts a map into another one in depth; what is empty in the target counts as missing."""
    for key, value in source.items():
        mine = target.get(key)
        if value.__class__ is dict and mine.__class__ is dict:
            _merge(mine, value, overwrites)
            if mine:
                continue
        if overwrites or (not mine and value is not None):
            target[key] = value


with_must(function, "merge(target: map, ...sources: map) -> any")(_merging(False))
with_must(function, "mergeOverwrite(target: map, ...sources: map) -> any")(_merging(True))


# defaults and choices


function("default(default: any, ...value: any) -> any")(
    lambda default, *value: value[0] if value and value[0] else default
)
function("coalesce(...values: any) -> any")(
    lambda *values: next((value for value in values if value), None)
)
function("empty(value: any) -> bool")(lambda value: not value)
function("ternary(then: any, otherwise: any, condition: bool) -> any")(
    lambda then, otherwise, condition: then if condition else otherwise
)


@function("fail(message: string) -> string")
def _fail(message: str) -> NoReturn:
    raise FunctionError(message, "template_failed")


# types

function("deepEqual(first: any, second: any) -> bool")(deep_equal)
function("kindOf(value: any) -> string")(kind_name)
function("typeOf(value: any) -> string")(type_name)
function("kindIs(kind: string, value: any) -> bool")(lambda kind, value: kind_name(value) == kind)
function("typeIs(type: string, value: any) -> bool")(lambda name, value: type_name(value) == name)
function("typeIsLike(type: string, value: any) -> bool")(
    lambda name, value: type_name(value) in (name, f"*{name}")
)
