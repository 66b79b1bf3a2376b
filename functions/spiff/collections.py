"""Lists and maps."""

from __future__ import annotations

from functools import cmp_to_key
from typing import Any, Final

from ..expr.kinds import to_bytes
from ..values import FunctionError
from .values import declarations, holds, to_text

function: Final = declarations("collections")


@function("uniq(list: list) -> list", weight=2)
def _uniq(items: list[Any]) -> list[Any]:
    made: list[Any] = []
    for item in items:
        if holds(made, item) < 0:
            made.append(item)
    return made


@function("element(where: list | map, key: any) -> any")
def _element(where: Any, key: Any) -> Any:
    if isinstance(where, dict):
        if not isinstance(key, str):
            raise FunctionError("map key must be of type string")
        if key not in where:
            raise FunctionError(f"map key '{key}' not found")
        return where[key]
    digits = key.removeprefix("-") if isinstance(key, str) else ""
    index = int(key) if digits.isdecimal() and digits.isascii() else key
    if isinstance(index, bool) or not isinstance(index, int):
        raise FunctionError("invalid type of index argument for function element")
    if not 0 <= index < len(where):
        what = "lower than 0" if index < 0 else "greater or equal list size"
        raise FunctionError(f"index {what}")
    return where[index]


@function("keys(map: map) -> list")
def _keys(value: dict[str, Any]) -> list[str]:
    return sorted(value, key=to_bytes)


@function("sort(list: list, less?: lambda) -> list")
def _sort(items: list[Any], less: Any = None) -> list[Any]:
    if less is not None:

        def compared(left: Any, right: Any) -> int:
            found = less(left, right)
            if not isinstance(found, int):
                raise FunctionError("lambda must return a bool or integer")
            before = found if isinstance(found, bool) else found < 0
            return -1 if before else 1 if _is_less(less, right, left) else 0

        return sorted(items, key=cmp_to_key(compared))
    kinds = {type(item) for item in items}
    if len(items) > 1 and kinds not in ({str}, {int}):
        raise FunctionError("list elements must either be strings or integers")
    return sorted(items, key=to_bytes if kinds == {str} else None)


def _is_less(less: Any, left: Any, right: Any) -> bool:
    found = less(left, right)
    return found if isinstance(found, bool) else isinstance(found, int) and found < 0


function("reverse(list: list) -> list")(lambda items: items[::-1])


@function("compact(list: list) -> list")
def _compact(items: list[Any]) -> list[Any]:
    return [item for item in items if item is not None and item not in ("", [], {})]


@function("intersect(...lists: list | nil) -> list", weight=2)
def _intersect(*lists: list[Any] | None) -> list[Any]:
    first, *others = [one for one in lists if one is not None] or [[]]
    return [item for item in first if all(holds(other, item) >= 0 for other in others)]


def _key(value: Any, what: str) -> str:
    text = to_text(value)
    if text is None:
        raise FunctionError(f"invalid type for {what}")
    return text


@function("makemap(...parts: any) -> map")
def _make_map(*parts: Any) -> dict[str, Any]:
    if len(parts) == 1:
        if not isinstance(parts[0], list):
            raise FunctionError("single argument flavor of mapentry requires a list")
        made = {}
        for number, entry in enumerate(parts[0]):
            if not isinstance(entry, dict):
                raise FunctionError(f"entry {number} is no map entry")
            for field in ("key", "value"):
                if field not in entry:
                    raise FunctionError(f"entry {number} has no entry '{field}'")
            made[_key(entry["key"], f"'key' value of entry {number}")] = entry["value"]
        return made
    if len(parts) % 2:
        raise FunctionError("mapentry takes one or two arguments")
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return {_key(key, "key value of argument pair"): value for key, value in pairs}


@function("list_to_map(list: list, key?: string) -> map")
def _list_to_map(items: list[Any], key: str = "name") -> dict[str, Any]:
    made = {}
    for item in items:
        if not isinstance(item, dict):
            raise FunctionError("list entries must be maps")
        if key not in item:
            raise FunctionError(f"key field '{key}' not found")
        if not isinstance(item[key], str):
            raise FunctionError(f"key field '{key}' contains no string value")
        made[item[key]] = {name: value for name, value in item.items() if name != key}
    return made


@function("optional(condition: any, value: any) -> any")
def _optional(condition: Any, value: Any) -> Any:
    return value if condition else None


@function("deepmerge(map: map, ...others: map) -> map")
def _deep_merge(first: dict[str, Any], *others: dict[str, Any]) -> dict[str, Any]:
    made = dict(first)
    for other in others:
        for key, value in other.items():
            both = isinstance(value, dict) and isinstance(made.get(key), dict)
            made[key] = _deep_merge(made[key], value) if both else value
    return made
