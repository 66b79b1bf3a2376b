"""Plain schemas, as most are: what certainly fits one is found without the library for schemas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from ...values.tree import AnyNode, Array, Map, Scalar, is_text

Check: TypeAlias = Callable[[AnyNode], bool]
"""True for a value that fits; False says nothing."""

_WORDS: Final = ("title", "description")
_KEYWORDS: Final = frozenset(
    (*_WORDS, "type", "properties", "required", "additionalProperties", "items", "enum")
)
_SILENT: Final = frozenset(("default", "example", "examples"))
_TYPES: Final = {
    "string": (str,),
    "boolean": (bool,),
    "null": (type(None),),
    "number": (int, float),
    "integer": (int, float),
    "object": (Map,),
    "array": (Array,),
}


def plain_check(schema: AnyNode | None, work: Callable[[int], object]) -> Check | None:
    """A check for values of a plain schema, None for another one; `work` gets its steps."""
    if not isinstance(schema, Map) or not schema.items.keys() <= _KEYWORDS | _SILENT:
        return None
    if not all(is_text(schema.items[key]) for key in _WORDS if key in schema.items):
        return None
    types = _types(schema.get("type"))
    names = _names(schema.get("required"))
    allowed = _names(schema.get("enum"))
    fields = _fields(schema.get("properties"), work)
    closed = _closed(schema.get("additionalProperties"))
    item = plain_check(schema.get("items"), work) if "items" in schema.items else _any
    if types is None or names is None or allowed is None or fields is None:
        return None
    if closed is None or item is None:
        return None
    kinds, whole = types
    known, listed, below = frozenset(fields), tuple(fields.items()), item
    texts = frozenset(allowed) if "enum" in schema.items else None

    def check(node: AnyNode) -> bool:
        value: Any = node.value if node.__class__ is Scalar else node
        kind = value.__class__
        if kind not in kinds:
            return False
        if texts is not None:
            return kind is str and value in texts
        if kind is Map:
            work(1 + len(listed))
            items = value.items
            for name in names:
                if name not in items:
                    return False
            for name, fits in listed:
                one = items.get(name)
                if one is not None and not fits(one):
                    return False
            return not closed or items.keys() <= known
        if kind is Array:
            work(1 + len(value.items))
            return below is _any or all(map(below, value.items))
        return not whole or kind is not float or value.is_integer()

    return check


def _any(node: AnyNode) -> bool:
    return True


def _types(node: AnyNode | None) -> tuple[frozenset[type], bool] | None:
    """The classes of values that a type allows, and whether a number must be whole."""
    if node is None:
        return frozenset(kind for kinds in _TYPES.values() for kind in kinds), False
    if not isinstance(node, Scalar) or node.value not in _TYPES:
        return None
    return frozenset(_TYPES[str(node.value)]), node.value == "integer"


def _names(node: AnyNode | None) -> list[str] | None:
    """Strings that differ; none at all without a list."""
    if node is None:
        return []
    found = [getattr(one, "value", None) for one in node.items] if isinstance(node, Array) else [0]
    sound = all(isinstance(one, str) for one in found) and len(set(found)) == len(found)
    return [str(one) for one in found] if sound else None


def _fields(node: AnyNode | None, work: Callable[[int], object]) -> dict[str, Check] | None:
    if not isinstance(node, Map):
        return {} if node is None else None
    made = {key: plain_check(one, work) for key, one in node.items.items()}
    sound = {key: one for key, one in made.items() if one is not None}
    return sound if len(sound) == len(made) else None


def _closed(node: AnyNode | None) -> bool | None:
    if node is None:
        return False
    return not node.value if isinstance(node, Scalar) and isinstance(node.value, bool) else None
