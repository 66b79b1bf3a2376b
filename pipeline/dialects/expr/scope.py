"""Names and what they lead to: the environment, local names, members of values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from ....functions.expr import kinds
from ....functions.expr.methods import named_type
from ....functions.values import NONE, Unknown
from ...language.errors import Failure
from ...values.diagnostics import Names, did_you_mean, meant
from ...values.expression import Call, Expression, Literal, Path, Reference
from .operators import INDEX
from .printing import call, show

_MOST_UNITS: Final = 1_000_000
_INT: Final = 1 << 63
_DEEPEST: Final = 64
ENVIRONMENT: Final = "$env"


class Units:
    """What one evaluation may still make: items of arrays and maps."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = _MOST_UNITS


class Scope:
    """The values of names: those of the environment by `roots`, those of `let` and predicates.

    A name that `roots` does not have is unknown, or nil in a `closed` environment.
    """

    def __init__(self, roots: Mapping[str, Any], closed: bool = False) -> None:
        self.roots = roots
        self.closed = closed
        self.local: dict[str, Any] = {}
        self.units = Units()

    def within(self, local: Mapping[str, Any]) -> Scope:
        """The scope with more local names."""
        made: Scope = object.__new__(self.__class__)
        made.__dict__.update(self.__dict__)
        made.local = {**self.local, **local}
        return made

    def resolve(self, reference: Reference) -> Any:
        """The value of a name with its steps, or an `Unknown`.

        Raises:
            Failure: when a step leads nowhere.
        """
        root, path = reference.root, reference.path
        if root in self.local:
            return walk(self.local[root], path, reference) if path else self.local[root]
        if root == ENVIRONMENT and not path:
            return dict(self.roots) if self.closed else Unknown(Reference(root))
        if root == ENVIRONMENT:
            value = self._named(str(path[0]), path[1:], reference, 1)
        else:
            value = self._named(root, path, reference, 0)
        return traced(value, Reference(root, path)) if value.__class__ in kinds.NAMED else value

    def _named(self, name: str, path: Path, reference: Reference, skipped: int) -> Any:
        if name in self.roots:
            return walk(self.roots[name], path, reference, skipped) if path else self.roots[name]
        if not self.closed:
            return Unknown(Reference(reference.root, reference.path))
        return walk(None, path, reference, skipped) if path else None

    def names_resource(self, name: str) -> bool:
        """See `language.syntax.Scope`: this dialect has no resources."""
        return False

    def link(self, first: Any, second: Any, call: Call) -> Any:
        """See `language.syntax.Scope`: this dialect has no links."""
        return Unknown(call)


def data_scope(data: Mapping[str, Any] | None, closed: bool = True) -> Scope:
    """A scope of plain data for single expressions; without data all names are unknown.

    `closed` says that other names are nil, or else they are unknown.

    Raises:
        ValueError: for data that no value of the language is made of.
    """
    if data is None:
        return Scope({})
    return Scope({str(name): imported(value) for name, value in data.items()}, closed)


def imported(data: Any, depth: int = 0) -> Any:
    """Plain data as a value of the language; none is nil.

    Raises:
        ValueError: for what is no data, or nested too deeply.
    """
    if depth > _DEEPEST:
        raise ValueError(f"data may be nested {_DEEPEST} deep")
    if isinstance(data, Mapping):
        return {str(key): imported(item, depth + 1) for key, item in data.items()}
    if isinstance(data, list | tuple):
        return [imported(item, depth + 1) for item in data]
    if data is None or data is NONE:
        return None
    if data.__class__ is int and not -_INT <= data < _INT:
        return float(data)
    if data.__class__ in (bool, int, float, str, bytes, Unknown):
        return data
    raise ValueError(f"a {type(data).__name__} is not a value of the language")


def walk(value: Any, path: Path, reference: Reference, skipped: int = 0) -> Any:
    """The value at the end of a path; `skipped` steps of the reference came before.

    Raises:
        Failure: `field_not_found` or `index_out_of_bounds`.
    """
    for position, key in enumerate(path, skipped):
        if value.__class__ is dict and key.__class__ is str:
            value = value.get(key)
            continue
        if value.__class__ is Unknown:
            value = value.partial[key] if has_part(value, key) else deeper(value, (key,))
            continue
        value = member(value, key, reference, lambda: _shown(reference, position))  # noqa: B023
    return value


def _shown(reference: Reference, length: int) -> str:
    return show(Reference(reference.root, reference.path[:length]))


def deeper(value: Unknown, path: Path) -> Unknown:
    """A part of an unknown value."""
    return Unknown(_stepped(value.expression, path), "any", value.secret)


def _stepped(tree: Expression, path: Path) -> Expression:
    if isinstance(tree, Reference):
        return tree.deeper(*path)
    for key in path:
        tree = call(INDEX, [tree, Literal(key)])
    return tree


def member(value: Any, key: Any, node: Expression, name: Callable[[], str] | None = None) -> Any:
    """The part of a known value that a key leads to; `name` shows the value in a message.

    A key that a map lacks gives nil.

    Raises:
        Failure: `field_not_found` or `index_out_of_bounds` at a node.
    """
    if value.__class__ is dict and key.__class__ is str:
        return value.get(key)
    if value.__class__ is kinds.Struct and key.__class__ is str and key in value.type.fields:
        field = value.field(key)
        if field.__class__ not in kinds.NAMED or value.expression is None:
            return field
        return traced(field, _stepped(kinds.expression_of(value), (key,)))
    if isinstance(value, kinds.AnyMap):
        return value.get(kinds.key_of(key))
    if value.__class__ is kinds.StringMap and key.__class__ is str:
        return value.get(key, "")
    if key is None and isinstance(value, dict):
        return None
    if value is None:
        what = f"`{name()}` is nil, which has no fields" if name else "nil has no fields"
        hint = "`?.` gives nil instead, and `??` another value"
        raise Failure("field_not_found", what, node, hint)
    written = name is not None or isinstance(node, Literal)
    if isinstance(value, str | bytes | list) and kinds.is_number(key):
        return _item(value, key, node, written)
    if isinstance(value, dict | list):
        wanted = "a string" if isinstance(value, dict) else "an int"
        summary = f"{kinds.a_kind(value)} has {wanted} as its key, not {kinds.a_kind(key)}"
        raise Failure("field_not_found", summary, node)
    if not written and isinstance(key, str):  # a key that was computed may be a secret
        raise Failure("field_not_found", f"{kinds.a_kind(value)} has no fields", node)
    raise no_field(value, key, node)


def has_part(value: Unknown, key: Any) -> bool:
    """Whether an unknown value is known at a key."""
    return value.partial is not None and key.__class__ is str and key in value.partial


def traced(value: Any, tree: Expression | Callable[[], Expression]) -> Any:
    """A value that `tree` gives, which residuals write if no literal does; a function makes it.

    A struct with fields that are not known is unknown, and known in part.
    """
    if value.__class__ not in kinds.NAMED:
        return value
    if value.__class__ is kinds.Struct and Unknown in map(type, value.values.values()):
        tree = tree() if callable(tree) else tree
        fields = {name: (value.field(name), _stepped(tree, (name,))) for name in value.type.fields}
        parts = {
            name: Unknown(inner) if one.__class__ is Unknown else traced(one, inner)
            for name, (one, inner) in fields.items()
        }
        return Unknown(tree, value.type.name, False, parts)
    return kinds.given_by(value, tree)


def no_field(value: Any, key: Any, node: Expression, what: str = "field") -> Failure:
    """The failure for a value that has no such field."""
    if not isinstance(key, str):
        return Failure("field_not_found", f"{kinds.a_kind(value)} has no items", node)
    hint = near_member(key, named_type(value))
    return Failure("field_not_found", f"{kinds.a_kind(value)} has no {what} `{key}`", node, hint)


def near_member(name: str, kind: kinds.StructType | None) -> Any:
    """The hint for a field or a method that a type does not have."""
    if kind is None or not kind.members:
        return None
    if name in kind.members:
        return (
            f"call it: `.{name}()`" if name in kind.methods else "it is no method: leave out `()`"
        )
    other = next((one for one in kind.members if one.lower() == name.lower()), None)
    return did_you_mean(name, other) if other else meant(name, Names(kind.members))


def _item(value: Any, key: Any, node: Expression, written: bool) -> Any:
    index = int(key) if kinds.is_int(key) or math.isfinite(key) else kinds.whole(key)
    items = kinds.to_bytes(value) if isinstance(value, str) else value
    if not -len(items) <= index < len(items):
        owner, unit = ("array", "item") if isinstance(value, list) else ("string", "byte")
        count = f"{len(items)} {unit}{'s' if len(items) != 1 else ''}"
        shown = f" {index}" if written else ""
        summary = f"the index{shown} is out of range: the {owner} has {count}"
        raise Failure("index_out_of_bounds", summary, node, "`get(.., 0)` gives nil instead")
    item = items[index]
    return item if isinstance(value, list) else kinds.Byte(item)
