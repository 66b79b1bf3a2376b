"""The engine: `compile_template` makes a `Program`; it runs with data and gives `Rendered` text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from ....functions.record import field
from ....functions.registry import Function
from ....functions.values import FunctionError
from ...engine.run import Context
from ...language.errors import unknown_function
from ...language.meter import Meter
from ...values.diagnostics import Diagnostic, Hint, Note
from ...values.settings import Limits
from ...values.source import Source, Span
from ...values.threads import with_room
from .compiler import NO_VALUE, Piece, Run, compile_templates
from .lexer import Mistake
from .nodes import Action, Insert, Place, Templates, Tree
from .parser import MAIN, USED, parse
from .pipes import Closure, Pipes
from .reading import Reading


def compile_template(
    text: Source, functions: Mapping[str, Function], context: Context
) -> Program | None:
    """The program of a template; None when it has mistakes, which are all reported.

    `functions` are those that it may call; that they exist is known without importing them.
    """

    def meant(name: str) -> Hint:
        return unknown_function(name, functions, None).hint  # type: ignore[arg-type]

    templates, mistakes = parse(text.text, functions, context.meter, meant)
    if not mistakes:
        try:
            return with_room(lambda: Program(text, templates, functions, context.limits))
        except Mistake as mistake:
            mistakes.append(mistake)
    for one in mistakes:
        notes: tuple[Note, ...] = ()
        if one.note is not None:
            remark, start, end = one.note
            notes = (Note(remark, text.span(start, end)),)
        place = text.span(one.start, one.end)
        context.diagnostics.add(Diagnostic(one.code, one.summary, place, notes=notes), one.hint)
    return None


class Program:
    """A template that was compiled: `tree` has its templates by name, its own as `execution`.

    `certain` are the failures that calls in it end in whatever the data is, for checks.
    """

    def __init__(
        self, text: Source, tree: Templates, functions: Mapping[str, Function], limits: Limits
    ) -> None:
        self.text = text
        self.tree = tree
        self._functions = functions
        self._deepest = limits.max_reference_depth
        self._bodies, self.certain = compile_templates(tree, functions, text, self._deepest)

    @cached_property
    def reading(self) -> Reading:
        """The paths of the data that each node reads."""
        return Reading(self.tree)

    def run(self, data: Any, meter: Meter, environment: Any = None) -> Rendered:
        """The text that the template gives for some data, which functions may change.

        Functions with an effect get the `environment` first.

        Raises:
            Failure: at the place of the first error of the run.
        """
        state = Run(meter, environment)
        self._compute(*self._bodies[MAIN], data, state)
        return Rendered("<rendered>", "".join(state.out), "yaml", program=self, out=state.out)

    def value(self, data: Any, meter: Meter, environment: Any = None) -> Any:
        """The value of the template's only action.

        Raises:
            Failure: at the place of the first error of the run.
        """
        (action,) = self.tree[MAIN].nodes
        assert isinstance(action, Action)
        pipes = Pipes(self.text, self._functions, self._deepest)
        closure = pipes.pipe(action.pipe)
        return self._compute(closure, pipes.size, data, Run(meter, environment))

    def _compute(self, closure: Closure, size: int, data: Any, state: Run) -> Any:
        frame = [state.out.append, state, data, *[None] * size]
        place = Place(self.text, 0, min(len(self.text.text), 1))
        try:
            result = state.meter.with_room(lambda: closure(data, frame), USED)
            state.look()
        except FunctionError as error:  # a limit
            raise place.blamed(error) from None
        except RecursionError:
            raise place.failure("the template is nested too deep", "limit_exceeded") from None
        return result


class RenderedSpan(Span):
    """A place in a template, and the offset of what it gave in the rendered text."""

    written: int = 0

    def __init__(
        self, source: Source, start: int, end: int, exact: bool = True, written: int = 0
    ) -> None:
        super().__init__(source, start, end, exact)
        self.__dict__["written"] = written


class Rendered(Source, eq=False):
    """The text that a run gave; places in it are those of the template that made each part.

    `out` are the texts that were emitted: each `Piece`, then what its action wrote.
    """

    program: Program = field(default=None, repr=False)
    out: list[str] = field(factory=list, repr=False)

    def span(self, start: int, end: int, exact: bool = True) -> RenderedSpan:
        begin, stop = self._written(start)
        if end > start:
            last, after = self._written(end - 1)
            stop = max(stop, after) if last >= begin else stop
        place = self.program.text.span(begin, stop)
        return RenderedSpan(place.source, place.start, place.end, exact and place.exact, start)

    @property
    def missing(self) -> list[Span]:
        """The place of each action that printed `<no value>`, each once."""
        found: dict[Tree, Span] = {}
        node: Tree | None = None
        for one in self.out:
            if one.__class__ is Piece:
                node = one.node
            elif one is NO_VALUE and node is not None and node not in found:
                found[node] = self.program.text.span(node.start, node.end)
        return [*found.values()]

    def printed(self) -> Iterator[tuple[Action, str]]:
        """Each action that was run with what it printed, in their order; loops repeat theirs."""
        action: Action | None = None
        texts: list[str] = []
        for one in (*self.out, Piece("")):
            if one.__class__ is not Piece:
                texts.append(one)
                continue
            if action is not None:
                yield action, "".join(texts)
            node = getattr(one, "node", None)
            action = node if isinstance(node, Action) else None
            texts = []

    @cached_property
    def _pieces(self) -> tuple[list[int], list[int]]:
        """The offset of each piece in the text, and its index in what was emitted."""
        starts, indexes, offset = [], [], 0
        for index, one in enumerate(self.out):
            if one.__class__ is Piece:
                starts.append(offset)
                indexes.append(index)
            offset += len(one)
        return starts, indexes

    def _written(self, offset: int) -> tuple[int, int]:
        """The range of the template that wrote what is at an offset."""
        starts, indexes = self._pieces
        if not starts:
            return 0, 0
        at = max(bisect_right(starts, offset) - 1, 0)
        piece: Any = self.out[indexes[at]]
        node, inside = piece.node, offset - starts[at]
        if inside < len(piece) or node is None:
            start = max(piece.start, 0) + min(inside, max(len(piece) - 1, 0))
            return start, start + 1
        return node.named if isinstance(node, Insert) else (node.start, node.end)

    def writers(self, start: int, end: int) -> Iterator[tuple[Action, int]]:
        """The actions that wrote a part of a range of the text, each with its place in `out`."""
        starts, indexes = self._pieces
        first = max(bisect_right(starts, start) - 1, 0)
        for at in range(first, bisect_left(starts, max(end, start + 1))):
            piece: Any = self.out[indexes[at]]
            stop = starts[at + 1] if at + 1 < len(starts) else len(self.text)
            if isinstance(piece.node, Action) and starts[at] + len(piece) < end and start < stop:
                yield piece.node, indexes[at]

    def reads(self, start: int, end: int) -> list[str]:
        """The paths of the data that the actions read which wrote a range of the text."""
        found: dict[str, None] = {}
        for action, index in self.writers(start, end):
            for path in self.program.reading.paths(action):
                parts = (self._turn(x, index) if isinstance(x, Tree) else x for x in path)
                found[".".join(map(str, parts))] = None
        return [*found]

    @cached_property
    def _turns(self) -> dict[Tree, tuple[list[int], list[int]]]:
        """Where the loops and their turns begin in what was emitted, each with its number."""
        found: dict[Tree, tuple[list[int], list[int]]] = {}
        for index, one in enumerate(self.out):
            if one.__class__ is Piece and one.turn is not None and one.node is not None:
                places, numbers = found.setdefault(one.node, ([], []))
                places.append(index)
                numbers.append(numbers[-1] + 1 if one.turn else -1)
        return found

    def _turn(self, node: Tree, index: int) -> int:
        """The number of the turn of a loop in which something was emitted."""
        places, numbers = self._turns.get(node, ([], []))
        at = bisect_right(places, index) - 1
        return max(numbers[at], 0) if at >= 0 else 0
