"""Calls of functions as closures: their arguments, checked as the engine does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from ....functions.gotemplate.kinds import NAMES, PARAMETERS, Absent, Int64, type_name
from ....functions.registry import Function
from ....functions.values import FunctionError
from ...language.errors import Failure
from ...values.diagnostics import Note
from .fields import INTERFACE, Closure
from .nodes import Called, Literal, Tree
from .parser import Overflow
from .places import Place, TemplateText

_LONG: Final = 255
_SIZED: Final = frozenset(
    (str, list, dict, bytes, *(cls for cls in NAMES if issubclass(cls, str | list | dict | bytes)))
)
_NUMBERS: Final = {int: "integer", Int64: "integer", float: "float", str: "string", bool: "bool"}
_EMPTY: Final[dict[type, Callable[[], Any]]] = {
    cls: cls for cls in PARAMETERS.values() if cls is not None and issubclass(cls, list | dict)
}
"""The types whose nil a parameter takes."""


class Operands(Protocol):
    """What compiles the operands of a call."""

    def operand(self, node: Tree) -> Closure:
        """The value of an operand."""

    def is_loose(self, node: Tree | None) -> bool:
        """Whether an interface holds it."""


def failing(failure: Failure) -> Closure:
    """A closure that fails."""

    def fail(dot: Any, frame: list[Any]) -> Any:
        raise Failure(failure.code, failure.summary, failure.node, failure.hint)

    return fail


def _constant(value: Any) -> Closure:
    return lambda dot, frame: value


class _Argument:
    """An argument: what gives it, the class that it must have (None: any), and its place.

    `loose` says that an interface holds it. `open` lets an unknown value in, a `constant` fits.
    """

    __slots__ = ("constant", "loose", "open", "place", "value", "wanted")

    def __init__(
        self,
        value: Closure,
        wanted: type | None,
        place: Place,
        loose: bool = False,
        open_: bool = False,
        constant: bool = False,
    ) -> None:
        self.value = value
        self.constant = constant
        self.wanted = wanted
        self.place = place
        self.loose = loose
        self.open = open_

    def admit(self, value: Any) -> Any:
        """A value that is not of the class, if the parameter takes it all the same."""
        wanted = self.wanted
        if value.__class__ is Absent:
            if self.open:
                return value
            try:
                value = value.used()
            except FunctionError as error:
                raise self.place.blamed(error, "") from None
        if wanted is None or value.__class__ is wanted:
            return value
        name = NAMES[wanted][0]
        if value is None and not self.loose:
            if wanted in _EMPTY:
                return _EMPTY[wanted]()
            raise self.place.failure(f"invalid value; expected {name}", "argument_type")
        given = INTERFACE if value is None else type_name(value)
        hint = None
        if value.__class__ is float and wanted is int:
            shown = self.place.text.text[self.place.start : self.place.end]
            hint = f"numbers from data are floats: write `(int {shown})`"
        summary = f"wrong type for value; expected {name}; got {given}"
        raise self.place.failure(summary, "argument_type", hint)


class Caller:
    """Compiles calls; `certain` are the failures that calls end in whatever the data is."""

    def __init__(self, functions: Mapping[str, Function], source: TemplateText) -> None:
        self.functions = functions
        self.source = source
        self.certain: list[Failure] = []

    def fail(self, failure: Failure) -> Closure:
        """A call that fails in every run."""
        self.certain.append(failure)
        return failing(failure)

    def literal(self, node: Literal) -> Closure:
        """A constant."""
        if node.value is Overflow:
            place = Place(self.source, node.start, node.end)
            return self.fail(place.failure(f"{node.written} overflows int"))
        return _constant(node.value)

    def call(
        self,
        compiler: Operands,
        name: Called,
        rest: list[Tree],
        final: Closure | None,
        place: Place,
    ) -> Closure:
        """The result of a call; `final` gives the last argument when it is piped in."""
        function = self.functions.get(name.name)
        own = Place(self.source, name.start, name.end)
        if function is None:  # the parser has told it
            return failing(own.failure("function not defined"))
        if name.name in ("and", "or"):
            return _deciding(compiler, name.name == "or", rest, final, own)
        given = len(rest) + (final is not None)
        low, high = function.minimum, function.maximum
        if given < low or (high is not None and given > high):
            least = "at least " if high is None else ""
            summary = f"wrong number of args for {name.name}: want {least}{low} got {given}"
            return self.fail(own.failure(summary, "argument_count"))
        arguments: list[_Argument] = []
        for index, node in enumerate(rest):
            argument = self.argument(compiler, function, index, node)
            if isinstance(argument, Failure):
                return self.fail(argument)
            arguments.append(argument)
        if final is not None:
            open_ = name.name == "index" and not rest
            wanted = _wanted(function, len(rest))
            arguments.append(_Argument(final, wanted, own, False, open_))
        return _calling(function, arguments, own, final is not None)

    def argument(
        self, compiler: Operands, function: Function, index: int, node: Tree
    ) -> _Argument | Failure:
        place = Place(self.source, node.start, node.end)
        wanted = _wanted(function, index)
        if not isinstance(node, Literal):
            open_ = function.name == "index" and index == 0
            loose = compiler.is_loose(node)
            return _Argument(compiler.operand(node), wanted, place, loose, open_)
        if wanted is None or node.value is Overflow:
            return _Argument(self.literal(node), None, place, constant=True)
        value, name = node.value, NAMES[wanted][0]
        if value is None:
            if wanted not in _EMPTY:
                return place.failure(f"cannot assign nil to {name}", "argument_type")
            return _Argument(_constant(_EMPTY[wanted]()), None, place, constant=True)
        if wanted not in _NUMBERS:
            summary = f"can't handle {node.written} for arg of type {name}"
            return place.failure(summary, "argument_type")
        kind = value.__class__
        whole = kind is float and value == int(value)
        if kind is wanted or (wanted is float and kind is int):
            return _Argument(_constant(wanted(value)), None, place, constant=True)
        if wanted in (int, Int64) and (kind is int or whole):
            return _Argument(_constant(wanted(value)), None, place, constant=True)
        summary = f"expected {_NUMBERS[wanted]}; found {node.written}"
        return place.failure(summary, "argument_type")


def _wanted(function: Function, index: int) -> type | None:
    parameter = function.parameter(index)
    return PARAMETERS[parameter.types[0]] if parameter is not None else None


def _deciding(
    compiler: Operands, deciding: bool, rest: list[Tree], final: Closure | None, place: Place
) -> Closure:
    """`and` and `or`: the first operand that decides, or the last one."""
    operands = [compiler.operand(node) for node in rest]
    if not operands and final is None:
        name = "or" if deciding else "and"
        summary = f"wrong number of args for {name}: want at least 1 got 0"
        return failing(place.failure(summary, "argument_count"))

    def decide(dot: Any, frame: list[Any]) -> Any:
        last = final(dot, frame) if final is not None else None
        value = None
        try:
            for operand in operands:
                value = operand(dot, frame)
                if (not value) is not deciding:
                    return value
        except FunctionError as error:
            raise place.blamed(error, "") from None
        return value if final is None else last

    return decide


def _admitted(argument: _Argument) -> Closure:
    """The value of an argument, checked; large ones are weighed."""
    inner, wanted, admit = argument.value, argument.wanted, argument.admit

    def value(dot: Any, frame: list[Any]) -> Any:
        given = inner(dot, frame)
        kind = given.__class__
        if kind is not wanted and (wanted is not None or kind is Absent):
            given = admit(given)
        if kind in _SIZED and len(given) > _LONG:
            frame[1].weigh(given)
        return given

    return value


_SLOW: Final = 1_000_000
_A_STEP: Final = 30


def _calling(function: Function, arguments: list[_Argument], place: Place, piped: bool) -> Closure:
    """A call; its last argument is computed first when it is piped in."""
    call, effect, weight = function.call, function.effect is not None, function.weight
    values = [one.value if one.constant else _admitted(one) for one in arguments]
    alone = values[0] if len(values) == 1 else None
    last = values.pop() if piped else None

    def run(dot: Any, frame: list[Any]) -> Any:
        if alone is not None:
            given = [alone(dot, frame)]
        elif last is None:
            given = [value(dot, frame) for value in values]
        else:
            final = last(dot, frame)
            given = [value(dot, frame) for value in values]
            given.append(final)
        try:
            if weight > 1:
                for value in given:
                    frame[1].meter.weigh(value, weight)
                if weight > _SLOW:  # whatever it is given
                    frame[1].meter.work(weight // _A_STEP)
            result = call(frame[1].environment, *given) if effect else call(*given)
        except FunctionError as problem:
            raise place.blamed(problem, function.name) from None
        except Failure as problem:
            note = Note(f"`{function.name}` is called here", place.span)
            problem.notes = (*problem.notes, note)
            raise
        if result.__class__ in _SIZED and len(result) > _LONG:
            frame[1].built(len(result))
        return result

    return run
