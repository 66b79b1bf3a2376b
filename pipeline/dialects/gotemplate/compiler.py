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
from ....functions.registry import Function
from ....functions.values import FunctionError
from ...language.errors import Failure
from ...language.meter import Meter, over_limit
from ...values.source import Source
from ...values.threads import with_room
from .nodes import (
    Action,
    Block,
    Called,
    Condition,
    Insert,
    Leave,
    Pipe,
    Place,
    Range,
    Templates,
    Text,
    Tree,
)
from .parser import USED
from .pipes import Closure, Pipes, failing

NO_VALUE: Final = "<no value>"
_STEPS_A_STEP: Final = 3
"""Actions and turns that count as one step of a run."""
_A_CALL: Final = 2 * _STEPS_A_STEP
"""A call is two steps of a run."""
_LOOK_AFTER: Final = 5_000
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


def _nothing(dot: Any, frame: list[Any]) -> None:
    """An empty block."""


def compile_templates(
    templates: Templates, functions: Mapping[str, Function], source: Source, deepest: int
) -> tuple[dict[str, tuple[Closure, int]], list[Failure]]:
    """The closure of each template and the number of its variables, by name.

    With them the failures that calls certainly end in.
    """
    bodies: dict[str, tuple[Closure, int]] = {}
    certain: list[Failure] = []
    for name, block in templates.items():
        compiler = _Compiler(source, functions, deepest, certain)
        compiler.templates, compiler.bodies = templates, bodies
        bodies[name] = compiler.block(block), compiler.size
    return bodies, certain


class _Compiler(Pipes):
    """Compiles one template; `bodies` gets all `templates`."""

    templates: Templates
    bodies: dict[str, tuple[Closure, int]]

    def block(self, block: Block) -> Closure:
        """What a block emits."""
        self.scopes.append({})
        run: Closure = with_room(lambda: self.sequence(block), USED)
        self.scopes.pop()
        return _with_room(run) if len(self.scopes) % _ROOM_EVERY == 0 else run

    def sequence(self, block: Block) -> Closure:
        """What the nodes of a block emit; constant text waits for the action behind it."""
        steps: list[Closure] = []
        pending: Text | None = None
        for node in (*block.nodes, None):
            if isinstance(node, Action):
                value = self.pipe(node.pipe)
                if node.pipe.names:
                    steps.append(value)
                    continue
                steps.append(_print(value, _piece(pending, node), self.blamed(node.pipe)))
            elif pending is not None:
                steps.append(_put(pending))
            pending = node if isinstance(node, Text) else None
            match node:
                case Condition():
                    steps.append(self.condition(node))
                case Range():
                    steps.append(self.range(node))
                case Insert():
                    steps.append(self.insert(node))
                case Leave():
                    steps.append(_leave if node.word == "break" else _next)
        return _sequence(steps)

    def blamed(self, pipe: Pipe) -> Place:
        """What is wrong when the value of a pipe cannot be used."""
        command = pipe.commands[-1]
        first, *rest = command.operands
        is_index = rest and isinstance(first, Called) and first.name == "index"
        return self.place(rest[0] if is_index else command)

    def condition(self, node: Condition) -> Closure:
        """`if` and `with`, however many branches they have."""
        outer = self.loose_dot
        parts: list[tuple[Closure, Closure, Place]] = []
        self.scopes.append({})
        for pipe, block in node.branches:
            test = self.pipe(pipe)
            self.loose_dot = outer and node.word == "if"
            parts.append((test, self.block(block), self.blamed(pipe)))
            self.loose_dot = outer
        otherwise = self.block(node.otherwise) if node.otherwise is not None else None
        self.scopes.pop()
        return _chain(parts, otherwise, node.word == "with")

    def range(self, node: Range) -> Closure:
        """`range`: its variables are the last ones of a frame's slots, or 0 for none."""
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
        blamed = self.blamed(node.pipe)

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
        place = Place(self.source, *node.named)
        name, deepest, bodies = node.name, self.deepest, self.bodies
        if name not in self.templates:
            return failing(place.failure(f'template "{name}" not defined'))
        mark = _piece(None, node)

        def call(dot: Any, frame: list[Any]) -> None:
            inner = value(dot, frame)
            emit, run = frame[0], frame[1]
            if run.depth >= deepest:
                summary = f"templates may be nested {deepest} deep"
                raise place.blamed(over_limit("max_reference_depth", summary, run.meter.limits))
            run.depth += 1
            run.left -= _STEPS_A_STEP
            if run.left < 0:
                run.look()
            body, size = bodies[name]
            own = [emit, run, inner, *[None] * size]
            emit(mark)
            run.meter.with_room(lambda: body(inner, own), USED)
            run.depth -= 1

        return call


def _cost(block: Block) -> int:
    """The steps of a block, without those of loops in it."""
    steps = 0
    waiting: list[Tree] = [block]
    while waiting:
        node = waiting.pop()
        steps += _A_CALL if isinstance(node, Called) else isinstance(node, Action)
        waiting += [node.pipe] if isinstance(node, Range) else node.children()
    return steps


def _pairs(value: Any, place: Place) -> Iterable[tuple[Any, Any]]:
    """The keys and the items that a loop goes over; empty for none."""
    if value.__class__ is Absent:
        raise place.blamed(value.error())
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


def _shown(value: Any, place: Place) -> str:
    """The text that an action prints."""
    if value is None:
        return NO_VALUE
    try:
        return value.used() if value.__class__ is Absent else checked_text(value)
    except FunctionError as error:
        raise place.blamed(error) from None


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
        emit(result if result.__class__ is str else _shown(result, place))

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
    def choose(dot: Any, frame: list[Any]) -> None:
        for test, body, place in parts:
            value = test(dot, frame)
            try:
                holds = bool(value)
            except FunctionError as error:
                raise place.blamed(error) from None
            if holds:
                body(value if moves else dot, frame)
                return
        if otherwise is not None:
            otherwise(dot, frame)

    return choose
