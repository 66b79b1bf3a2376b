"""The builtins of templates that compare, look into collections, and decide."""

from __future__ import annotations

from typing import Any, Final

from ..expr.kinds import StringMap, Unsigned, to_bytes
from ..signatures import Declarations
from .guards import TYPES, failed
from .kinds import Absent, Int64, type_name

function: Final = Declarations("builtins", __package__, propagates_none=False, types=TYPES)

_KINDS: Final[dict[type, str]] = {
    bool: "bool",
    int: "int",
    Int64: "int",
    Unsigned: "int",
    float: "float",
    complex: "complex",
    str: "string",
}
_FLOATS: Final = frozenset(("float", "int"))


def _incompatible(left: Any, right: Any) -> Exception:
    hint = None
    if {_KINDS.get(left.__class__), _KINDS.get(right.__class__)} == _FLOATS:
        hint = "numbers from data are floats: compare with `3.0`, or convert with `int`"
    kinds = f"{type_name(left)} and {type_name(right)}"
    return failed(f"incompatible types for comparison: {kinds}", hint)


def _equal(left: Any, right: Any) -> bool:
    if left is None or right is None:
        return left is right
    kind = _KINDS.get(left.__class__)
    if kind != _KINDS.get(right.__class__):
        raise _incompatible(left, right)
    if kind is None:
        for one in (left, right):
            if isinstance(one, list | dict | bytes):
                raise failed(f"non-comparable type {type_name(one)}")
    return bool(left == right)


@function("eq(one: any, ...others: any) -> bool")
def _eq(one: Any, *others: Any) -> bool:
    if not others:
        raise failed("missing argument for comparison")
    return any(_equal(one, other) for other in others)


@function("ne(one: any, other: any) -> bool")
def _ne(one: Any, other: Any) -> bool:
    return not _equal(one, other)


def _less(left: Any, right: Any) -> bool:
    kind = _KINDS.get(left.__class__)
    other = _KINDS.get(right.__class__)
    if kind is None or other is None:
        raise failed("invalid type for comparison")
    if kind != other:
        raise _incompatible(left, right)
    if kind in ("bool", "complex"):
        raise failed("invalid type for comparison")
    return bool(to_bytes(left) < to_bytes(right) if kind == "string" else left < right)


function("lt(one: any, other: any) -> bool")(_less)
function("ge(one: any, other: any) -> bool")(lambda one, other: not _less(one, other))
function("not(value: any) -> bool")(lambda value: not value)


@function("le(one: any, other: any) -> bool")
def _le(one: Any, other: Any) -> bool:
    return _less(one, other) or _equal(one, other)


function("gt(one: any, other: any) -> bool")(lambda one, other: not _le(one, other))


@function("and(first: any, ...others: any) -> any")
def _and(*values: Any) -> Any:
    return next((value for value in values if not value), values[-1])


@function("or(first: any, ...others: any) -> any")
def _or(*values: Any) -> Any:
    return next((value for value in values if value), values[-1])


@function("len(value: any) -> int")
def _len(value: Any) -> int:
    if isinstance(value, str):
        return len(value) if value.isascii() else len(to_bytes(value))
    if isinstance(value, list | dict | bytes):
        return len(value)
    raise failed("len of nil pointer" if value is None else f"len of type {type_name(value)}")


@function("index(value: any, ...keys: any) -> any")
def _index(value: Any, *keys: Any) -> Any:
    """The item under each key, one in the other; nil under a key that a map lacks."""
    if value is None:
        raise failed("index of untyped nil")
    for key in keys:
        if isinstance(value, dict):
            if not isinstance(key, str):
                raise failed(_unfit(key))
            value = value.get(key, "" if value.__class__ is StringMap else None)
        elif isinstance(value, list | bytes | str):
            value = _item(value, key)
        elif value.__class__ is Absent:
            value = value.then(key)
        elif value is None:
            raise failed("index of nil pointer")
        else:
            raise failed(f"can't index item of type {type_name(value)}")
    return value


def _unfit(key: Any) -> str:
    if key is None:
        return "value is nil; should be of type string"
    return f"value has type {type_name(key)}; should be string"


def _item(value: Any, key: Any) -> Any:
    if key is None:
        raise failed("cannot index slice/array with nil")
    if not isinstance(key, int) or isinstance(key, bool):
        hint = "numbers from data are floats: write `int`" if isinstance(key, float) else None
        raise failed(f"cannot index slice/array with type {type_name(key)}", hint)
    items = to_bytes(value) if isinstance(value, str) else value
    if not 0 <= key < len(items):
        raise failed(f"index out of range: {int(key)}")
    return items[key]


@function("call(function: any, ...values: any) -> any")
def _call(function: Any, *values: Any) -> Any:
    """No value of a template is a function."""
    if function is None:
        raise failed("call of nil")
    raise failed(f"non-function of type {type_name(function)}")
