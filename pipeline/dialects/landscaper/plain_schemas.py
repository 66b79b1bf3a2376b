"""Plain schemas, as most are: what certainly fits one is found without the library for schemas.

A render of ten deploy items (`benchmarks.blueprints`) takes 22 % fewer instructions by that, one of
`examples/landscaper-shop` 19 %: the library alone takes 200 million to load.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, TypeAlias

from ...values.tree import AnyNode, Array, Map, Scalar

Check: TypeAlias = Callable[[AnyNode], bool]
"""True for a value that fits; False says nothing."""
_Work: TypeAlias = Callable[[int], object]

TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "array": (Array,),
    "boolean": (bool,),
    "integer": (int, float),
    "number": (int, float),
    "null": (type(None),),
    "object": (Map,),
    "string": (str,),
}
"""The classes of values that have a type."""

_ANY: Final = frozenset(kind for kinds in TYPES.values() for kind in kinds)


def _has_format(value: object, name: Any, work: _Work) -> bool:
    from .formats import conforms

    return conforms(value, name, work)


def _finds(text: str, compiled: Any, work: _Work) -> bool:
    work(compiled.cost(text))
    found: bool = compiled.finds(text)
    return found


def _compiled(node: AnyNode) -> Any:
    from ....functions.go.regexps import compile_pattern

    return compile_pattern(_value(node))


_TESTS: Final[Mapping[str, tuple[Collection[type], Callable[[Any, Any, _Work], bool]]]] = {
    "minimum": (TYPES["number"], lambda number, bound, work: number >= bound),
    "maximum": (TYPES["number"], lambda number, bound, work: number <= bound),
    "minLength": ((str,), lambda text, bound, work: len(text) >= bound),
    "maxLength": ((str,), lambda text, bound, work: len(text) <= bound),
    "minItems": ((Array,), lambda node, bound, work: len(node.items) >= bound),
    "maxItems": ((Array,), lambda node, bound, work: len(node.items) <= bound),
    "format": (_ANY, _has_format),
    "pattern": ((str,), _finds),
}
"""Keywords with the classes of the values that they are about."""

_KEYWORDS: Final = frozenset(
    (
        *_TESTS,
        *("type", "properties", "required", "additionalProperties", "items", "enum"),
        *("title", "description", "default", "example", "examples"),
    )
)


def plain_check(schema: AnyNode, work: _Work) -> Check | None:
    """A check for values of a valid plain schema, None for another one; `work` gets its steps."""
    if not isinstance(schema, Map) or not schema.items.keys() <= _KEYWORDS:
        return None
    named, closed = _value(schema.get("type")), _value(schema.get("additionalProperties"))
    names, allowed = _texts(schema.get("required")), _texts(schema.get("enum"))
    properties, items = schema.get("properties"), schema.get("items")
    fields = properties.items if isinstance(properties, Map) else {}
    listed: list[tuple[str, Any]] = [(k, plain_check(one, work)) for k, one in fields.items()]
    item = plain_check(items, work) if items is not None else None
    parts = [fits for _, fits in listed] + [item] * (items is not None)
    if isinstance(named, Array) or isinstance(closed, Map) or None in (names, allowed, *parts):
        return None
    kinds = _ANY if named is None else frozenset(TYPES[named])
    tests = [
        (about, test, (_compiled if key == "pattern" else _value)(schema.items[key]))
        for key, (about, test) in _TESTS.items()
        if key in schema.items
    ]

    def check(node: AnyNode) -> bool:
        value: Any = node.value if node.__class__ is Scalar else node
        kind = value.__class__
        if kind not in kinds or (allowed and value not in allowed):
            return False
        for about, test, bound in tests:
            if kind in about and not test(value, bound, work):
                return False
        if kind is Map:
            work(1 + len(listed))
            present = value.items
            for name in names:
                if name not in present:
                    return False
            for name, fits in listed:
                one = present.get(name)
                if one is not None and not fits(one):
                    return False
            return closed is not False or present.keys() <= fields.keys()
        if kind is Array:
            work(1 + len(value.items))
            return item is None or all(map(item, value.items))
        return named != "integer" or kind is not float or value.is_integer()

    return check


def _value(node: AnyNode | None) -> Any:
    return node.value if isinstance(node, Scalar) else node


def _texts(node: AnyNode | None) -> Any:
    """The strings of a list; None for a list with others."""
    found = [_value(one) for one in node.items] if isinstance(node, Array) else []
    return found if all(isinstance(one, str) for one in found) else None
