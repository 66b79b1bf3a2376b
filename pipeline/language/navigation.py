"""Names and indexes applied to values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...functions.values import NONE, Unknown, from_plain, type_of
from ..values.diagnostics import meant
from ..values.expression import Expression, Path, Reference
from .errors import Failure, no_fields
from .meter import Meter
from .waiting import deeper, is_secret, to_expression

_FEW: Final = 16
_MAY_BE_ABSENT: Final = 'a key that may be absent is read with `lookup(object, "key")`'
_COUNTING: Final = frozenset({"length", "size", "count", "len"})
_WHOLE: Final = frozenset({"string", "integer", "float", "boolean", "binary", "function"})


def navigate(value: Any, path: Path, node: Expression, meter: Meter | None = None) -> Any:
    """The part of a value that a path leads to; `meter` remembers lists that were looked at.

    Raises:
        Failure: `path_not_found` or `index_out_of_bounds` at `node`.
    """
    for position, item in enumerate(path):
        kind = type(value)
        if kind is Unknown:
            if value.type in _WHOLE:
                raise Failure("path_not_found", no_fields(value.type), node)
            rest = path[position:]
            waiting = deeper(value, rest)
            if value.partial is None:
                return waiting
            found = navigate(value.partial, rest, node, meter)
            if type(found) is not Unknown:
                return found
            return Unknown(waiting.expression, found.type, found.secret, found.partial)
        if kind is dict:
            if item not in value or isinstance(item, int):
                raise missing_field(item, value, node)
            value = value[item]
        elif kind is list:
            if not isinstance(item, int):
                raise Failure(
                    "path_not_found",
                    f"an array has no field `{item}`",
                    node,
                    "`len(..)` counts the elements"
                    if item in _COUNTING
                    else "use an index, as in `[0]`",
                )
            # An unknown element may turn out to be none and leave: what follows would move up.
            if _moves_up(value, item, meter):
                whole = Unknown(to_expression(value), "any", is_secret(value))
                return deeper(whole, path[position:])
            if item >= len(value):
                count = f"{len(value)} element{'s' if len(value) != 1 else ''}"
                raise Failure(
                    "index_out_of_bounds",
                    f"the index {item} is out of range: the array has {count}",
                    node,
                )
            value = value[item]
        else:
            shown = f"[{item}]" if isinstance(item, int) else f"`{item}`"
            what = "none" if value is NONE else f"a value of type {type_of(value)}"
            hint = "use `lookup` for a value that may be absent" if value is NONE else None
            raise Failure("path_not_found", f"there is no {shown} in {what}", node, hint)
    return value


def _moves_up(value: list[Any], item: int, meter: Meter | None) -> bool:
    """Whether an element at an index or before it may turn out to be none.

    How far a list is known to have none is kept for the next index: one of each element would take
    the square of their number otherwise.
    """
    known = meter.settled.get(id(value)) if meter is not None else None
    start = known[1] if known is not None else 0
    if any(map(_may_be_none, value[start : item + 1])):
        return True
    if meter is not None and item > max(start, _FEW):
        if len(meter.settled) > _FEW:  # it keeps lists alive
            meter.settled.clear()
        meter.settled[id(value)] = value, item + 1
    return False


def navigate_plain(data: Any, path: Path, node: Expression) -> Any:
    """The value at a path of plain data that may have gaps: `node` is unknown where one is.

    A null is none, and not a gap.
    """
    for item in path:
        if (isinstance(item, str) and isinstance(data, Mapping) and item in data) or (
            isinstance(item, int) and isinstance(data, (list, tuple)) and item < len(data)
        ):
            data = data[item]  # type: ignore[index]
        else:
            return Unknown(node)
    return from_plain(data)


def _may_be_none(value: Any) -> bool:
    return type(value) is Unknown and value.partial is None


def missing_field(item: str | int, value: Mapping[str, Any], node: Expression | None) -> Failure:
    """The failure for a key that an object does not have."""
    if isinstance(item, int):
        instead = "use a name, as in `.name`"
        return Failure("path_not_found", f"an object has no element {item}", node, instead)

    def hint() -> str | None:
        if isinstance(node, Reference) and node.root == "datasources":
            return meant(item, value)  # `lookup` takes an object, which a data source is not
        return meant(item, value) or _MAY_BE_ABSENT

    return Failure("path_not_found", f"there is no field `{item}`", node, hint)
