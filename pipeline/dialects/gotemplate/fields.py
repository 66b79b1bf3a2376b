"""Fields of values as closures: the quick way through maps, and the engine's rules for the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from ....functions.expr.kinds import StringMap, Struct
from ....functions.expr.methods import named_type
from ....functions.expr.moments import Duration, Time, Zone
from ....functions.gotemplate.kinds import Absent, Int64, type_name
from ....functions.values import FunctionError
from .nodes import Fields
from .places import Place, TemplateText

Closure: TypeAlias = Callable[[Any, list[Any]], Any]
"""Computes a value from dot and a frame: the output, the run, `$` and the variables."""

INTERFACE: Final = "interface {}"
_CLASSES: Final = {
    "integer": (int, "int"),
    "string": (str, "string"),
    "time": (Time, "time.Time"),
    "duration": (Duration, "time.Duration"),
    "location": (Zone, "*time.Location"),
    "version": (Struct, "*semver.Version"),
}


def field_of(of: Closure | int | None, node: Fields, text: TemplateText, loose: bool) -> Closure:
    """The value of a chain of fields.

    `of` gives what the fields are of: a closure, the slot of a variable, or None for dot. `loose`
    says that it is held by an interface, whose nil has no fields; any other nil has nil ones.
    """
    names = node.names

    def slow(value: Any) -> Any:
        return _walk(value, node, text, loose)

    if callable(of):
        inner = of
        return lambda dot, frame: slow(inner(dot, frame))
    slot = of
    if len(names) > 1:

        def several(dot: Any, frame: list[Any]) -> Any:
            value = base = dot if slot is None else frame[slot]
            try:
                for name in names:
                    value = value[name]
            except (KeyError, TypeError, IndexError):
                return slow(base)
            return value

        return several
    first = names[0]

    def one(dot: Any, frame: list[Any]) -> Any:
        base = dot if slot is None else frame[slot]
        try:
            return base[first]
        except (KeyError, TypeError, IndexError):
            return slow(base)

    return one


def _walk(value: Any, node: Fields, text: TemplateText, loose: bool) -> Any:
    for index, name in enumerate(node.names):
        if value is None and not loose:
            return None
        try:
            value = member(value, name, (), loose)
        except FunctionError as error:
            end = node.places[index + 1] if index + 1 < len(node.places) else node.end
            place = Place(text, node.places[index], end)
            raise place.failure(error.message, error.code, error.hint) from None
        loose = True
    return value


def member(value: Any, name: str, arguments: tuple[Any, ...], loose: bool) -> Any:
    """A field or the result of a method, with the arguments of a call.

    Raises:
        FunctionError: `template_error` with the engine's sentence.
    """
    if isinstance(value, dict):
        if arguments:
            raise _error(f"{name} is not a method but has arguments")
        return value.get(name, "" if value.__class__ is StringMap else None)
    if value is None:
        if loose:
            raise _error(f"nil pointer evaluating {INTERFACE}.{name}")
        return None
    if value.__class__ is Absent:
        return value.then(name)
    kind = named_type(value)
    if kind is not None and name in kind.methods:
        types, _, call = kind.methods[name]
        result = _called(value, name, types, call, arguments)
        return Int64(result) if name in _INT64 else result
    shown = INTERFACE if loose else type_name(value)
    raise _error(f"can't evaluate field {name} in type {shown}")


_INT64: Final = frozenset(("Unix", "UnixMilli", "UnixMicro", "UnixNano", "Milliseconds"))


def _called(
    value: Any,
    name: str,
    types: tuple[str, ...],
    call: Callable[..., Any],
    arguments: tuple[Any, ...],
) -> Any:
    if len(arguments) != len(types):
        count = f"want {len(types)} got {len(arguments)}"
        raise _error(f"wrong number of args for {name}: {count}")
    for argument, kind in zip(arguments, types, strict=True):
        wanted, shown = _CLASSES[kind]
        if argument.__class__ is not wanted:
            given = type_name(argument)
            raise _error(f"wrong type for value; expected {shown}; got {given}")
    return call(value, *arguments)


def _error(summary: str) -> FunctionError:
    return FunctionError(summary, "template_error")
