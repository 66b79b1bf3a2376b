"""Pipes of templates as closures: operands, fields and calls, checked as the engine does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from ....functions.expr.kinds import StringMap, Struct
from ....functions.expr.methods import named_type
from ....functions.expr.moments import Duration, Time, Zone
from ....functions.gotemplate.kinds import (
    NAMES,
    PARAMETERS,
    Absent,
    Int64,
    type_name,
)
from ....functions.registry import Function
from ....functions.values import FunctionError
from ...language.errors import Failure
from ...values.diagnostics import Note
from ...values.source import Source
from ...values.threads import with_room
from ...world.files import FileProblem
from .lexer import too_deep
from .nodes import Called, Command, Dot, Fields, Literal, Pipe, Place, Tree, Variable
from .parser import USED, Overflow

Closure: TypeAlias = Callable[[Any, list[Any]], Any]
"""Computes a value from dot and a frame: the output, the run, `$` and the variables."""

DOLLAR: Final = 2
_FIRST: Final = 3
_LONG: Final = 255
_SLOW: Final = 1_000_000
_A_STEP: Final = 30
_INTERFACE: Final = "interface {}"
_SIZED: Final = frozenset(
    (str, list, dict, bytes, *(cls for cls in NAMES if issubclass(cls, str | list | dict | bytes)))
)
_NUMBERS: Final = {int: "integer", Int64: "integer", float: "float", str: "string", bool: "bool"}
_EMPTY: Final[dict[type, Callable[[], Any]]] = {
    cls: cls for cls in PARAMETERS.values() if cls is not None and issubclass(cls, list | dict)
}
"""The types whose nil a parameter takes."""


class Pipes:
    """Compiles the pipes of one template; `scopes` are the variables around, with their slots.

    `loose` are the slots of variables that an interface holds, whose nil is one of a type. `size`
    is the number of variables, `certain` gets the failures that calls end in whatever the data is.
    """

    def __init__(
        self,
        source: Source,
        functions: Mapping[str, Function],
        deepest: int,
        certain: list[Failure] | None = None,
    ) -> None:
        self.source = source
        self.functions = functions
        self.deepest = deepest
        self.certain = certain if certain is not None else []
        self.scopes: list[dict[str, int]] = [{"$": DOLLAR}]
        self.loose: set[int] = set()
        self.loose_dot = False
        self.size = 0
        self.nested = 0

    def place(self, node: Tree) -> Place:
        """Where a node is written."""
        return Place(self.source, node.start, node.end)

    def pipe(self, pipe: Pipe) -> Closure:
        """The value of a pipe, which its variables get."""
        value: Closure | None = None
        waiting = len(pipe.commands)
        for command in pipe.commands:
            self.nested += waiting
            if self.nested > self.deepest:
                what = "pipes, with all of their stages,"
                raise too_deep(what, self.deepest, command.start, command.end)
            value = self.command(command, value)
            self.nested -= waiting
            waiting -= 1
        assert value is not None
        for variable in pipe.names:
            slot = self.slot(variable.name) if pipe.assigns else self.declare(variable.name)
            if slot is None:
                return self.undefined(variable)
            value = _assign(value, slot)
        return value

    def declare(self, name: str) -> int:
        """The slot of a new variable."""
        slot = self.scopes[-1][name] = _FIRST + self.size
        self.size += 1
        return slot

    def slot(self, name: str) -> int | None:
        """The slot of a variable, None for one that no block around has."""
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), None)

    def undefined(self, node: Variable) -> Closure:
        """The use of a variable that is assigned before it is declared."""
        return failing(self.place(node).failure(f"undefined variable: {node.name}"))

    def command(self, command: Command, final: Closure | None) -> Closure:
        """The value of a command; `final` gives the last argument when it is piped in."""
        first, *rest = command.operands
        if isinstance(first, Called):
            return self.call(first, rest, final)
        if isinstance(first, Fields) and (rest or final is not None):
            return self.method(first, rest, final)
        if rest or final is not None:
            inner = first.commands[0] if isinstance(first, Pipe) and first.commands else first
            summary = f"can't give argument to non-function {self.place(inner).text}"
            return failing(self.place(first).failure(summary))
        if isinstance(first, Literal) and first.value is None:
            return failing(self.place(first).failure("nil is not a command"))
        return self.operand(first)

    def method(self, node: Fields, rest: list[Tree], final: Closure | None) -> Closure:
        """A method with arguments."""
        *before, name = node.names
        if before:
            shorter = Fields(node.start, node.places[-1], node.of, (*before,), node.places[:-1])
            owner, loose = self.operand(shorter), True
        else:
            owner, loose = self.owner(node), self.is_loose(node.of)
        arguments = [self.operand(one) for one in rest] + ([final] if final is not None else [])
        place = Place(self.source, node.places[-1], node.end)

        def call(dot: Any, frame: list[Any]) -> Any:
            value = owner(dot, frame)
            given = tuple(argument(dot, frame) for argument in arguments)
            try:
                return _member(value, name, given, loose)
            except FunctionError as error:
                raise place.blamed(error) from None

        return call

    def owner(self, node: Fields) -> Closure:
        """What fields are of."""
        return _dot if node.of is None else self.operand(node.of)

    def is_loose(self, node: Tree | None) -> bool:
        """Whether an interface holds the value: its nil is one of a type."""
        match node:
            case None | Dot():
                return self.loose_dot
            case Variable():
                return self.slot(node.name) in self.loose
        return isinstance(node, Fields)

    def operand(self, node: Tree) -> Closure:
        """The value of an operand alone."""
        match node:
            case Fields(of=Literal()):
                return failing(self.place(node).failure("indirection through explicit nil"))
            case Fields():
                return _fields(self.owner(node), node, self.source, self.is_loose(node.of))
            case Variable():
                slot = self.slot(node.name)
                return self.undefined(node) if slot is None else _variable(slot)
            case Dot():
                return _dot
            case Pipe():
                inner: Closure = with_room(lambda: self.pipe(node), USED)
                return inner
            case Called():
                return self.call(node, [], None)
        assert isinstance(node, Literal)
        return self.literal(node)

    # Calls

    def fail(self, failure: Failure) -> Closure:
        """A call that fails in every run."""
        self.certain.append(failure)
        return failing(failure)

    def literal(self, node: Literal) -> Closure:
        """A constant."""
        if node.value is Overflow:
            return self.fail(self.place(node).failure(f"{node.written} overflows int"))
        return _constant(node.value)

    def call(self, called: Called, rest: list[Tree], final: Closure | None) -> Closure:
        """The result of a call; `final` gives the last argument when it is piped in."""
        name, own = called.name, self.place(called)
        function = self.functions[name]
        given = len(rest) + (final is not None)
        low, high = function.minimum, function.maximum
        if given < low or (high is not None and given > high):
            least = "at least " if high is None else ""
            summary = f"wrong number of args for {name}: want {least}{low} got {given}"
            return self.fail(own.failure(summary, "argument_count"))
        if name in ("and", "or"):
            return _deciding(name == "or", [self.operand(node) for node in rest], final, own)
        try:
            arguments = [self.argument(function, index, node) for index, node in enumerate(rest)]
        except Failure as failure:
            return self.fail(failure)
        if final is not None:
            wanted, is_open = _wanted(function, len(rest)), name == "index" and not rest
            final = _admitted(final, wanted, own, False, is_open)
        return _calling(function, arguments, final, own)

    def argument(self, function: Function, index: int, node: Tree) -> Closure:
        """The value of an argument, checked.

        Raises:
            Failure: a constant that is not of the type.
        """
        place, wanted = self.place(node), _wanted(function, index)
        if not isinstance(node, Literal):
            is_open = function.name == "index" and index == 0
            return _admitted(self.operand(node), wanted, place, self.is_loose(node), is_open)
        value = node.value
        if wanted is None or value is Overflow:
            return self.literal(node)
        name, kind = NAMES[wanted][0], value.__class__
        if value is None:
            if wanted not in _EMPTY:
                raise place.failure(f"cannot assign nil to {name}", "argument_type")
            return _constant(_EMPTY[wanted]())
        if wanted not in _NUMBERS:
            summary = f"can't handle {node.written} for arg of type {name}"
            raise place.failure(summary, "argument_type")
        is_whole = kind is int or (kind is float and value == int(value))
        if (
            kind is wanted
            or (is_whole and wanted in (int, Int64))
            or (kind, wanted) == (int, float)
        ):
            return _constant(wanted(value))
        summary = f"expected {_NUMBERS[wanted]}; found {node.written}"
        raise place.failure(summary, "argument_type")


def failing(failure: Failure) -> Closure:
    """A closure that fails."""

    def fail(dot: Any, frame: list[Any]) -> Any:
        raise Failure(failure.code, failure.summary, failure.node, failure.hint)

    return fail


def _constant(value: Any) -> Closure:
    return lambda dot, frame: value


def _dot(dot: Any, frame: list[Any]) -> Any:
    return dot


def _variable(slot: int) -> Closure:
    return lambda dot, frame: frame[slot]


def _assign(value: Closure, slot: int) -> Closure:
    def assign(dot: Any, frame: list[Any]) -> Any:
        result = frame[slot] = value(dot, frame)
        return result

    return assign


def _wanted(function: Function, index: int) -> type | None:
    """The class that an argument must have, None for any."""
    parameter = function.parameter(index)
    return PARAMETERS[parameter.types[0]] if parameter is not None else None


def _deciding(
    decides: bool, operands: list[Closure], final: Closure | None, place: Place
) -> Closure:
    """`and` and `or`: the first operand that decides, or the last one."""

    def decide(dot: Any, frame: list[Any]) -> Any:
        last = final(dot, frame) if final is not None else None
        value = None
        try:
            for operand in operands:
                value = operand(dot, frame)
                if (not value) is not decides:
                    return value
        except FunctionError as error:
            raise place.blamed(error) from None
        return value if final is None else last

    return decide


def _admitted(
    inner: Closure, wanted: type | None, place: Place, loose: bool, is_open: bool
) -> Closure:
    """The value of an argument, checked; large ones are weighed.

    `loose` says that an interface holds it. `is_open` lets an unknown value in.
    """

    def value(dot: Any, frame: list[Any]) -> Any:
        given = inner(dot, frame)
        kind = given.__class__
        if kind is not wanted and (wanted is not None or kind is Absent):
            if kind is not Absent or not is_open:
                given = _admit(given, wanted, place, loose)
        elif kind in _SIZED and len(given) > _LONG:
            frame[1].weigh(given)
        return given

    return value


def _admit(value: Any, wanted: type | None, place: Place, loose: bool) -> Any:
    """A value that is not of the class, if the parameter takes it all the same."""
    if value.__class__ is Absent:
        try:
            value = value.used()
        except FunctionError as error:
            raise place.blamed(error) from None
    if wanted is None or value.__class__ is wanted:
        return value
    name = NAMES[wanted][0]
    if value is None and not loose:
        if wanted in _EMPTY:
            return _EMPTY[wanted]()
        raise place.failure(f"invalid value; expected {name}", "argument_type")
    given = _INTERFACE if value is None else type_name(value)
    hint = None
    if value.__class__ is float and wanted is int:
        hint = f"numbers from data are floats: write `(int {place.text})`"
    summary = f"wrong type for value; expected {name}; got {given}"
    raise place.failure(summary, "argument_type", hint)


def _calling(
    function: Function, arguments: list[Closure], final: Closure | None, place: Place
) -> Closure:
    """A call; the last argument is computed first when it is piped in."""
    call, effect, weight = function.call, function.effect is not None, function.weight

    def run(dot: Any, frame: list[Any]) -> Any:
        last = [final(dot, frame)] if final is not None else ()
        given = [*[value(dot, frame) for value in arguments], *last]
        try:
            if weight > 1:
                for value in given:
                    frame[1].meter.weigh(value, weight)
                if weight > _SLOW:  # whatever it is given
                    frame[1].meter.work(weight // _A_STEP)
            result = call(frame[1].environment, *given) if effect else call(*given)
        except (FunctionError, FileProblem) as problem:
            raise place.blamed(problem, function.name) from None
        except Failure as problem:
            note = Note(f"`{function.name}` is called here", place.span)
            problem.notes = (*problem.notes, note)
            raise
        if result.__class__ in _SIZED and len(result) > _LONG:
            frame[1].built(len(result))
        return result

    return run


# Fields

_CLASSES: Final = {
    "integer": (int, "int"),
    "string": (str, "string"),
    "time": (Time, "time.Time"),
    "duration": (Duration, "time.Duration"),
    "location": (Zone, "*time.Location"),
    "version": (Struct, "*semver.Version"),
}
_INT64: Final = frozenset(("Unix", "UnixMilli", "UnixMicro", "UnixNano", "Milliseconds"))


def _fields(of: Closure, node: Fields, source: Source, loose: bool) -> Closure:
    """The value of a chain of fields: the quick way through maps, or the engine's rules.

    `loose` says that an interface holds what they are of, whose nil has no fields; any other nil
    has nil ones.
    """
    names = node.names

    def read(dot: Any, frame: list[Any]) -> Any:
        value = base = of(dot, frame)
        try:
            for name in names:
                value = value[name]
        except (KeyError, TypeError, IndexError):
            return _walk(base, node, source, loose)
        return value

    return read


def _walk(value: Any, node: Fields, source: Source, loose: bool) -> Any:
    ends = (*node.places[1:], node.end)
    for name, start, end in zip(node.names, node.places, ends, strict=True):
        if value is None and not loose:
            return None
        try:
            value = _member(value, name, (), loose)
        except FunctionError as error:
            raise Place(source, start, end).blamed(error) from None
        loose = True
    return value


def _member(value: Any, name: str, arguments: tuple[Any, ...], loose: bool) -> Any:
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
            raise _error(f"nil pointer evaluating {_INTERFACE}.{name}")
        return None
    if value.__class__ is Absent:
        return value.then(name)
    kind = named_type(value)
    if kind is not None and name in kind.methods:
        types, _, call = kind.methods[name]
        result = _called(value, name, types, call, arguments)
        return Int64(result) if name in _INT64 else result
    shown = _INTERFACE if loose else type_name(value)
    raise _error(f"can't evaluate field {name} in type {shown}")


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
