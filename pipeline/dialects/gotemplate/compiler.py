"""Templates as closures: compiled once, run often.

A closure gets dot and a frame: `[emit, run, $, variables..]`. Text is emitted in pieces; a `Piece`
is constant text that knows its place, and what follows it is what its action has written, so that
the list of what was emitted is the map of the output, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from ....functions.gotemplate.guards import checked_text
from ....functions.gotemplate.kinds import Absent, Int64
from ....functions.values import FunctionError
from ...language.meter import Meter, over_limit
from .calls import Caller, failing
from .fields import Closure, field_of, member
from .lexer import Mistake
from .nodes import (
    Action,
    Block,
    Called,
    Command,
    Condition,
    Dot,
    Fields,
    Insert,
    Leave,
    Literal,
    Pipe,
    Range,
    Templates,
    Text,
    Tree,
    Variable,
)
from .places import Place, TemplateText

NO_VALUE: Final = "<no value>"
DOLLAR: Final = 2
_FIRST: Final = 3
_STEPS_A_STEP: Final = 10
"""Actions, calls and turns that count as one step of a run."""
_LOOK_AFTER: Final = 5_000
DEEPEST: Final = 100
"""How deep blocks may be nested, and pipes."""
USED: Final = 300
"""Frames of Python that may be in use where more are about to be needed."""
_ROOM_EVERY: Final = 50
_COUNTS: Final = frozenset((int, Int64))


class Piece(str):
    """Constant text before an action: where the text begins, and the action, or None.

    `turn` says that it is empty and marks that a loop begins (0) or that a turn of it does (1).
    """

    __slots__ = ("node", "start", "turn")

    node: Tree | None
    start: int
    turn: int | None


def _piece(constant: Text | None, node: Tree | None, turn: int | None = None) -> Piece:
    made = Piece(constant.text if constant is not None else "")
    made.start = constant.start if constant is not None else -1
    made.node = node
    made.turn = turn
    return made


class Run:
    """A run of a program: what it has emitted, and what it may still spend."""

    __slots__ = ("depth", "environment", "left", "meter", "out", "seen")

    def __init__(self, meter: Meter, environment: Any) -> None:
        self.meter = meter
        self.environment = environment
        self.out: list[str] = []
        self.left = _LOOK_AFTER
        self.seen = 0
        self.depth = 0

    def look(self) -> None:
        """Spends the steps that were made and the text that was emitted.

        Raises:
            FunctionError: `limit_exceeded`.
        """
        steps = _LOOK_AFTER - self.left
        self.left = _LOOK_AFTER
        self.meter.work(steps // _STEPS_A_STEP + 1)
        seen = len(self.out)
        self.built(sum(map(len, self.out[self.seen :])))
        self.seen = seen

    def built(self, count: int) -> None:
        """Spends characters.

        Raises:
            FunctionError: `limit_exceeded`.
        """
        meter = self.meter
        meter.room -= count
        if meter.room < 0:
            raise meter.out_of_room()

    def weigh(self, value: Any) -> None:
        """Spends the size of an argument that is not small."""
        # characters are looked at in C, items one by one
        self.left -= len(value) >> (0 if isinstance(value, list | dict) else 6)
        if self.left < 0:
            self.look()


class _Break(Exception):
    """Ends a loop."""


class _Continue(Exception):
    """Ends a turn of a loop."""


class Body:
    """A compiled template: its closure and the number of its variables."""

    __slots__ = ("run", "size")

    def __init__(self) -> None:
        self.run: Closure = _nothing
        self.size = 0


def _nothing(dot: Any, frame: list[Any]) -> None:
    """An empty block."""


def compile_templates(
    templates: Templates, functions: Mapping[str, Any], source: TemplateText, deepest: int
) -> tuple[dict[str, Body], list[Any]]:
    """The closures of all templates by name, and the failures that calls certainly end in."""
    caller = Caller(functions, source)
    bodies = {name: Body() for name in templates}
    for name, block in templates.items():
        compiler = _Compiler(bodies, caller, source, deepest)
        bodies[name].run = compiler.block(block)
        bodies[name].size = compiler.size
    return bodies, caller.certain


def compile_pipe(
    pipe: Pipe, functions: Mapping[str, Any], source: TemplateText, deepest: int
) -> tuple[Closure, int]:
    """The closure of a pipe alone, and the number of its variables."""
    compiler = _Compiler({}, Caller(functions, source), source, deepest)
    return compiler.pipe(pipe), compiler.size


class _Compiler:
    """Compiles one template; `scopes` are the variables of the blocks around, with their slots."""

    def __init__(
        self, bodies: dict[str, Body], caller: Caller, source: TemplateText, deepest: int
    ) -> None:
        self.bodies = bodies
        self.caller = caller
        self.source = source
        self.deepest = deepest
        self.scopes: list[dict[str, int]] = [{"$": DOLLAR}]
        self.loose: set[int] = set()
        self.loose_dot = False
        self.size = 0
        self.nested = 0

    def place(self, node: Tree) -> Place:
        return Place(self.source, node.start, node.end)

    # Blocks

    def block(self, block: Block) -> Closure:
        """What a block emits."""
        self.scopes.append({})
        steps: list[Closure] = []
        pending: Text | None = None
        for node in block.nodes:
            if isinstance(node, Text):
                if pending is not None:
                    steps.append(_put(pending))
                pending = node
            elif isinstance(node, Action):
                value = self.pipe(node.pipe)
                if node.pipe.names:
                    steps.append(value)
                else:
                    blamed = self.place(_blamed(node.pipe))
                    steps.append(_print(value, _piece(pending, node), blamed))
                    pending = None
            else:
                if pending is not None:
                    steps.append(_put(pending))
                    pending = None
                steps.append(self.step(node))
        if pending is not None:
            steps.append(_put(pending))
        self.scopes.pop()
        run = _sequence(steps)
        return _with_room(run) if len(self.scopes) % _ROOM_EVERY == 0 else run

    def step(self, node: Tree) -> Closure:
        match node:
            case Condition():
                return self.condition(node)
            case Range():
                return self.range(node)
            case Insert():
                return self.insert(node)
        assert isinstance(node, Leave)
        return _leave if node.word == "break" else _next

    def condition(self, node: Condition) -> Closure:
        """`if` and `with`."""
        outer = self.loose_dot
        parts: list[tuple[Closure, Closure, Place]] = []
        self.scopes.append({})
        for pipe, block in node.branches:
            test = self.pipe(pipe)
            self.loose_dot = outer and node.word == "if"
            parts.append((test, self.block(block), self.place(_blamed(pipe))))
            self.loose_dot = outer
        otherwise = self.block(node.otherwise) if node.otherwise is not None else None
        self.scopes.pop()
        return _chain(parts, otherwise, node.word == "with")

    def range(self, node: Range) -> Closure:
        self.scopes.append({})
        outer = self.loose_dot
        pipe = self.pipe(node.pipe)
        slots = [self.slot(variable.name) or 0 for variable in node.pipe.names]
        if not node.pipe.assigns:
            self.loose.update(slots)
        self.loose_dot = True
        body = self.block(node.body)
        self.loose_dot = outer
        otherwise = self.block(node.otherwise) if node.otherwise is not None else _nothing
        self.scopes.pop()
        first, second = [0, 0, *slots][-2:]
        cost = 1 + _cost(node.body)
        enter, turn = _piece(None, node, 0), _piece(None, node, 1)
        blamed = self.place(_blamed(node.pipe))

        def loop(dot: Any, frame: list[Any]) -> None:
            value = pipe(dot, frame)
            if first and value.__class__ in _COUNTS:
                summary = f"can't use {value} to iterate over more than one variable"
                raise blamed.failure(summary)
            pairs = _pairs(value, blamed)
            if not pairs:
                otherwise(dot, frame)
                return
            emit, run = frame[0], frame[1]
            emit(enter)
            for key, item in pairs:
                run.left -= cost
                if run.left < 0:
                    run.look()
                emit(turn)
                if first:
                    frame[first] = key
                if second:
                    frame[second] = item
                try:
                    body(item, frame)
                except _Continue:
                    continue
                except _Break:
                    break

        return loop

    def insert(self, node: Insert) -> Closure:
        """A call of another template: it sees none of the variables here."""
        value = self.pipe(node.pipe) if node.pipe is not None else _nothing
        body = self.bodies.get(node.name)
        place = Place(self.source, *node.named)
        if body is None:
            return failing(place.failure(f'template "{node.name}" not defined'))
        deepest = self.deepest
        mark = _piece(None, node)

        def call(dot: Any, frame: list[Any]) -> None:
            inner = value(dot, frame)
            emit, run = frame[0], frame[1]
            if run.depth >= deepest:
                raise run_too_deep(run.meter, place)
            run.depth += 1
            run.left -= 1
            if run.left < 0:
                run.look()
            own = [emit, run, inner, *[None] * body.size]
            emit(mark)
            run.meter.with_room(lambda: body.run(inner, own), USED)
            run.depth -= 1

        return call

    # Pipes

    def pipe(self, pipe: Pipe) -> Closure:
        """The value of a pipe, which its variables get."""
        value: Closure | None = None
        waiting = len(pipe.commands)
        for command in pipe.commands:
            self.nested += waiting
            if self.nested > DEEPEST:
                summary = f"pipes may be nested {DEEPEST} deep, with all of their stages"
                raise Mistake(summary, command.start, command.end, None, "limit_exceeded")
            value = self.command(command, value)
            self.nested -= waiting
            waiting -= 1
        if value is None:  # after a mistake
            value = _nothing
        for variable in pipe.names:
            slot = self.slot(variable.name) if pipe.assigns else self.declare(variable.name)
            if slot is None:
                return self.undefined(variable)
            value = _assign(value, slot)
        return value

    def declare(self, name: str) -> int:
        slot = self.scopes[-1][name] = _FIRST + self.size
        self.size += 1
        return slot

    def slot(self, name: str) -> int | None:
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), None)

    def undefined(self, node: Variable) -> Closure:
        return failing(self.place(node).failure(f"undefined variable: {node.name}"))

    def command(self, command: Command, final: Closure | None) -> Closure:
        first, *rest = command.operands
        if isinstance(first, Called):
            return self.caller.call(self, first, rest, final, self.place(command))
        if isinstance(first, Fields) and (rest or final is not None):
            return self.method(first, rest, final)
        if rest or final is not None:
            inner = first.commands[0] if isinstance(first, Pipe) and first.commands else first
            shown = self.source.text[inner.start : inner.end]
            summary = f"can't give argument to non-function {shown}"
            return failing(self.place(first).failure(summary))
        if isinstance(first, Literal) and first.value is None:
            return failing(self.place(first).failure("nil is not a command"))
        return self.operand(first)

    def method(self, node: Fields, rest: list[Tree], final: Closure | None) -> Closure:
        """A method with arguments."""
        *before, name = node.names
        owner: Closure = self.value_of(node)
        loose = True
        if before:
            shorter = Fields(node.start, node.places[-1], node.of, (*before,), node.places[:-1])
            owner = self.operand(shorter)
        else:
            loose = self.is_loose(node.of)
        arguments = [self.operand(one) for one in rest] + ([final] if final is not None else [])
        place = Place(self.source, node.places[-1], node.end)

        def call(dot: Any, frame: list[Any]) -> Any:
            value = owner(dot, frame)
            given = tuple(argument(dot, frame) for argument in arguments)
            try:
                return member(value, name, given, loose)
            except FunctionError as error:
                raise place.failure(error.message, error.code, error.hint) from None

        return call

    def value_of(self, node: Fields) -> Closure:
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
            case Fields():
                inner = node.of
                of: Closure | int | None = None
                if isinstance(inner, Variable):
                    of = self.slot(inner.name)
                    if of is None:
                        return self.undefined(inner)
                elif isinstance(inner, Literal):
                    return failing(self.place(node).failure("indirection through explicit nil"))
                elif inner is not None:
                    of = self.operand(inner)
                return field_of(of, node, self.source, self.is_loose(inner))
            case Variable():
                slot = self.slot(node.name)
                return self.undefined(node) if slot is None else _variable(slot)
            case Dot():
                return _dot
            case Pipe():
                return self.pipe(node)
            case Called():
                return self.caller.call(self, node, [], None, self.place(node))
        assert isinstance(node, Literal)
        return self.caller.literal(node)


def run_too_deep(meter: Meter, place: Place) -> Exception:
    """The error of templates that call one another too deep."""
    bound = meter.limits.max_reference_depth
    error = over_limit("max_reference_depth", f"templates may be nested {bound} deep", meter.limits)
    return place.failure(error.message, error.code, error.hint)


def _blamed(pipe: Pipe) -> Tree:
    """What is wrong when the value of a pipe cannot be used."""
    if not pipe.commands:
        return pipe
    command = pipe.commands[-1]
    first, *rest = command.operands
    return rest[0] if rest and isinstance(first, Called) and first.name == "index" else command


def _cost(block: Block) -> int:
    """The steps of a block, without those of loops in it."""
    steps = 0
    waiting: list[Tree] = [block]
    while waiting:
        node = waiting.pop()
        steps += isinstance(node, Called | Action)
        waiting += [node.pipe] if isinstance(node, Range) else node.children()
    return steps


def _pairs(value: Any, place: Place) -> Iterable[tuple[Any, Any]]:
    """The keys and the items that a loop goes over; empty for none."""
    if value.__class__ is Absent:
        raise place.blamed(value.error(), "range")
    if not value and value.__class__ is not float and value.__class__ is not str:
        if value.__class__ is not bool:
            return ()
    elif isinstance(value, list | bytes):
        return enumerate(value)
    elif isinstance(value, dict):
        return [(key, value[key]) for key in sorted(value)]
    elif value.__class__ is Int64:
        return ((Int64(i), Int64(i)) for i in range(value))
    elif value.__class__ is int:
        return zip(range(value), range(value), strict=True) if value > 0 else ()
    raise place.failure(f"range can't iterate over {checked_text(value)}")


def shown(value: Any, place: Place) -> str:
    """The text that an action prints."""
    if value is None:
        return NO_VALUE
    try:
        return value.used() if value.__class__ is Absent else checked_text(value)
    except FunctionError as error:
        raise place.blamed(error, "print") from None


def _dot(dot: Any, frame: list[Any]) -> Any:
    return dot


def _variable(slot: int) -> Closure:
    return lambda dot, frame: frame[slot]


def _assign(value: Closure, slot: int) -> Closure:
    def assign(dot: Any, frame: list[Any]) -> Any:
        result = frame[slot] = value(dot, frame)
        return result

    return assign


def _leave(dot: Any, frame: list[Any]) -> None:
    raise _Break


def _next(dot: Any, frame: list[Any]) -> None:
    raise _Continue


def _put(constant: Text) -> Closure:
    piece = _piece(constant, None)

    def put(dot: Any, frame: list[Any]) -> None:
        frame[0](piece)

    return put


def _print(value: Closure, piece: Piece, place: Place) -> Closure:
    def act(dot: Any, frame: list[Any]) -> None:
        result = value(dot, frame)
        emit = frame[0]
        emit(piece)
        emit(result if result.__class__ is str else shown(result, place))

    return act


def _sequence(steps: list[Closure]) -> Closure:
    if not steps:
        return _nothing
    if len(steps) == 1:
        return steps[0]
    every = tuple(steps)

    def run(dot: Any, frame: list[Any]) -> None:
        for step in every:
            step(dot, frame)

    return run


def _with_room(body: Closure) -> Closure:
    def run(dot: Any, frame: list[Any]) -> None:
        frame[1].meter.with_room(lambda: body(dot, frame), USED)

    return run


def _chain(
    parts: list[tuple[Closure, Closure, Place]], otherwise: Closure | None, moves: bool
) -> Closure:
    """`if` and `with`, however many branches they have."""

    def choose(dot: Any, frame: list[Any]) -> None:
        for test, body, place in parts:
            value = test(dot, frame)
            try:
                holds = bool(value)
            except FunctionError as error:
                raise place.blamed(error, "if") from None
            if holds:
                body(value if moves else dot, frame)
                return
        if otherwise is not None:
            otherwise(dot, frame)

    return choose
