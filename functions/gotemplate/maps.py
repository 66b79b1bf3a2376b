"""Maps, defaults and choices; `set`, `unset` and `merge` change the map that they get."""

from __future__ import annotations

from typing import Any, Final, NoReturn

from ..signatures import Declarations
from ..value_limits import ValueLimits, hold_items
from ..values import FunctionError
from .guards import TYPES, failed, hold_tree, with_must
from .kinds import Strings, deep_equal, kind_name, truth, type_name
from .texts import strval

function: Final = Declarations("maps", __package__, propagates_none=False, types=TYPES)

Values = dict[str, Any]


@function("dict(...pairs: any) -> map")
def _dict(*pairs: Any) -> Values:
    keys = map(strval, pairs[::2])
    values = [*pairs[1::2], ""] if len(pairs) % 2 else pairs[1::2]
    return dict(zip(keys, values, strict=True))


@function("get(map: map, key: string) -> any")
def _get(values: Values | None, key: str) -> Any:
    return values.get(key, "") if values else ""


@function("set(map: map, key: string, value: any) -> map")
def _set(values: Values | None, key: str, value: Any, *, limits: ValueLimits) -> Values:
    if values is None:
        raise failed("assignment to entry in nil map")
    hold_items("set", len(values) + 1, limits)
    values[key] = value
    return values


@function("unset(map: map, key: string) -> map")
def _unset(values: Values | None, key: str) -> Values | None:
    if values:
        values.pop(key, None)
    return values


function("hasKey(map: map, key: string) -> bool")(lambda values, key: key in (values or ()))


@function("pluck(key: string, ...maps: map) -> list")
def _pluck(key: str, *maps: Values | None) -> list[Any]:
    return [one[key] for one in maps if one and key in one]


@function("pick(map: map, ...keys: string) -> map")
def _pick(values: Values | None, *keys: str) -> Values:
    return {key: values[key] for key in keys if key in values} if values else {}


@function("omit(map: map, ...keys: string) -> map")
def _omit(values: Values | None, *keys: str) -> Values:
    left_out = {*keys}
    return {key: value for key, value in (values or {}).items() if key not in left_out}


@function("keys(...maps: map) -> strings")
def _keys(*maps: Values | None, limits: ValueLimits) -> Strings:
    """Sorted: their order is random in Go."""
    hold_items("keys", sum(map(len, filter(None, maps))), limits)
    return Strings([key for one in maps for key in sorted(one or ())])


@function("values(map: map) -> list")
def _values(values: Values | None) -> list[Any]:
    """In the order of the keys: theirs is random in Go."""
    return [values[key] for key in sorted(values)] if values else []


@function("dig(...path: any) -> any")
def _dig(*path: Any) -> Any:
    if len(path) < 3:
        raise failed("dig needs at least three arguments")
    *keys, default, values = path
    for key in keys:
        if values is None or values.__class__ is not dict:
            got = "nil" if values is None else type_name(values)
            raise failed(
                f"interface conversion: interface {{}} is {got}, not map[string]interface {{}}"
            )
        if key.__class__ is not str:
            got = "nil" if key is None else type_name(key)
            raise failed(f"interface conversion: interface {{}} is {got}, not string")
        if key not in values:
            return default
        values = values[key]
    return values


@with_must(function, "deepCopy(value: any) -> any")
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
    def merge(target: Values | None, *sources: Values | None, limits: ValueLimits) -> Values:
        if target is None:
            raise failed("dst must not be nil")
        for source in sources:
            if source is not None:
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
        if overwrites or (not truth(mine) and value is not None):
            target[key] = value


with_must(function, "merge(target: map, ...sources: map) -> any")(_merging(False))
with_must(function, "mergeOverwrite(target: map, ...sources: map) -> any")(_merging(True))


# defaults and choices


@function("default(default: any, ...value: any) -> any")
def _default(default: Any, *value: Any) -> Any:
    return value[0] if value and truth(value[0]) else default


@function("coalesce(...values: any) -> any")
def _coalesce(*values: Any) -> Any:
    return next((value for value in values if truth(value)), None)


function("empty(value: any) -> bool")(lambda value: not truth(value))


@function("ternary(then: any, otherwise: any, condition: bool) -> any")
def _ternary(then: Any, otherwise: Any, condition: bool) -> Any:
    return then if condition else otherwise


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
