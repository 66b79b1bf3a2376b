"""The operators of data source filters (specification, "Operator Behaviours").

A comparison that the specification does not list is a mistake, also when negated: it is never true
just because two values cannot be compared. The four types of primitives are distinct: an integer
is not a float. `>`, `<`, `>=` and `<=` belong to version 2025-11-02.
"""

from __future__ import annotations

import operator as compare
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from .....functions.record import Record
from .....functions.regexes import compile_regex

Path: TypeAlias = tuple[str | int, ...]

_PRIMITIVES: Final[Mapping[type, str]] = {
    str: "string",
    int: "integer",
    float: "float",
    bool: "boolean",
}


class FilterError(Exception):
    """A comparison that the specification does not allow; the message has types, not values."""


def matches(field: Any, operator: str, search: Any) -> bool:
    """Whether the field of a record and a search value satisfy an operator.

    Raises:
        FilterError: for a combination of types that the operator does not compare.
    """
    rule = _RULES.get(operator)
    if rule is None:
        from ....values.diagnostics import meant

        near = meant(operator, _RULES)
        raise FilterError(f"`{operator}` is not a filter operator" + (f" ({near})" if near else ""))
    if not rule.fits(field, search):
        raise FilterError(
            f"`{operator}` cannot compare a field of type {_described(field)} with a search value "
            f"of type {_described(search)}; it compares {rule.compares}"
        )
    return rule.holds(field, search) is not rule.negated


def comparable(operator: str, search: Any) -> str | None:
    """Explains why no field can be compared with a search value; None when one can.

    None as a search value means that it is not known yet.
    """
    rule = _RULES.get(operator)
    if rule is None or search is None:
        return None
    if any(rule.fits(sample, search) for sample in _FIELDS):
        return None
    kind = _described(search).removesuffix(" without elements")
    return f"`{operator}` cannot search for a value of type {kind}; it compares {rule.compares}"


def _primitive(value: Any) -> bool:
    return value.__class__ in _PRIMITIVES


def _same_primitives(*values: Any) -> bool:
    """True when all are primitives of one type."""
    return all(map(_primitive, values)) and len({value.__class__ for value in values}) < 2


def _described(value: Any) -> str:
    """The type of a value for messages: `string`, `array of strings`, `object of integers`."""
    if value.__class__ is list:
        return f"array{_of(value)}"
    if value.__class__ is dict:
        return f"object{_of(value.values())}"
    return _PRIMITIVES.get(value.__class__) or _other(value)


def _of(items: Any) -> str:
    kinds = {_PRIMITIVES.get(item.__class__) for item in items}
    if not kinds:
        return " without elements"
    if len(kinds) > 1 or None in kinds:
        return " of different or nested types"
    return f" of {kinds.pop()}s"


def _other(value: Any) -> str:
    from .....functions.values import type_of

    try:
        return type_of(value)
    except KeyError:
        return "unknown"


_Pair: TypeAlias = Callable[[Any, Any], bool]


class _Rule(Record):
    """One operator: the types it compares, in words and as a test, and when it holds."""

    compares: str
    fits: _Pair
    holds: _Pair
    negated: bool = False


def _fit_equality(field: Any, search: Any) -> bool:
    if field.__class__ is list and search.__class__ is list:
        return _same_primitives(*field, *search)
    return _same_primitives(field, search)


def _fit_membership(field: Any, search: Any) -> bool:
    return search.__class__ is list and _primitive(field) and _same_primitives(field, *search)


def _fit_key(field: Any, search: Any) -> bool:
    return field.__class__ is dict and search.__class__ is str


def _fit_containment(field: Any, search: Any) -> bool:
    if field.__class__ is list:
        return _same_primitives(search, *field)
    if field.__class__ is dict:
        return _same_primitives(search, *field.values())
    return _fit_text(field, search)


def _fit_text(field: Any, search: Any) -> bool:
    return field.__class__ is str and search.__class__ is str


def _fit_order(field: Any, search: Any) -> bool:
    return field.__class__ in (str, int, float) and field.__class__ is search.__class__


def _contains(field: Any, search: Any) -> bool:
    return search in (field.values() if field.__class__ is dict else field)


# one field of each type; without elements an array or an object has any
_FIELDS: Final[tuple[Any, ...]] = ("", 0, 0.5, False, [], {})
_TEXTS: Final = "a string with a string"
_ORDERED: Final = "strings, integers or floats with each other"


def _both(name: str, negated: str, compares: str, fits: _Pair, holds: _Pair) -> dict[str, _Rule]:
    return {
        name: _Rule(compares, fits, holds),
        negated: _Rule(compares, fits, holds, negated=True),
    }


_RULES: Final[Mapping[str, _Rule]] = {
    **_both(
        "=",
        "!=",
        "a string, an integer, a float, a boolean or an array of those with the same type",
        _fit_equality,
        compare.eq,
    ),
    **_both(
        "in",
        "not in",
        "a string, an integer, a float or a boolean with an array of the same type",
        _fit_membership,
        lambda field, search: field in search,
    ),
    **_both(
        "has key",
        "not has key",
        "an object with a string",
        _fit_key,
        lambda field, search: search in field,
    ),
    **_both(
        "contains",
        "not contains",
        "a string with a string, or an array or object of strings, integers, floats or booleans "
        "with one of the same type",
        _fit_containment,
        _contains,
    ),
    **_both("starts with", "not starts with", _TEXTS, _fit_text, str.startswith),
    **_both("ends with", "not ends with", _TEXTS, _fit_text, str.endswith),
    ">": _Rule(_ORDERED, _fit_order, compare.gt),
    "<": _Rule(_ORDERED, _fit_order, compare.lt),
    ">=": _Rule(_ORDERED, _fit_order, compare.ge),
    "<=": _Rule(_ORDERED, _fit_order, compare.le),
}


_STEP: Final = compile_regex(
    r"""\[(?P<index>[0-9]{0,9})\]|\["(?P<double>[^"]+)"\]|\['(?P<single>[^']+)'\]"""
    r"""|(?P<dot>\.?)(?P<name>[^.\[\]]+)"""
)


_NOTHING: Final[Mapping[str | int, Any]] = {}


def field_path(text: str) -> Path:
    """The steps of a filter's field: `subnets[].zone` is `("subnets", 0, "zone")`.

    `[]` is the first element; a name with dots is written in `["..."]`. A string that is not a path
    is taken as one name.
    """
    path: list[str | int] = []
    position = 0
    while position < len(text):
        step = _STEP.match(text, position)
        if step is None or (step["name"] and bool(step["dot"]) is not bool(position)):
            return (text,)
        if step["index"] is not None:
            path.append(int(step["index"] or 0))
        else:
            path.append(step["double"] or step["single"] or step["name"])
        position = step.end()
    return tuple(path) or (text,)


def get_path(record: Any, path: Path) -> tuple[bool, Any]:
    """Whether a record has a value at a path, and the value."""
    value = record
    for step in path:
        holder: Any = value if isinstance(value, (dict, list)) else _NOTHING
        try:
            value = holder[step]
        except (KeyError, IndexError, TypeError):
            return False, None
    return True, value
