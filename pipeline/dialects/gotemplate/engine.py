"""The engine: `compile_template` makes a `Program`; it runs with data and gives `Rendered` text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from ....functions.record import Record
from ....functions.registry import Function
from ....functions.values import FunctionError
from ...engine.run import Context
from ...language.errors import Failure, unknown_function
from ...language.meter import Meter
from ...values.diagnostics import Diagnostic, Diagnostics, Hint, Note
from ...values.settings import Limits
from ...values.source import Source, Span
from ...values.threads import with_room
from .compiler import DEEPEST, NO_VALUE, USED, Body, Piece, Run, compile_pipe, compile_templates
from .fields import Closure
from .lexer import Mistake
from .nodes import Action, Insert, Templates, Tree
from .parser import MAIN, parse
from .places import Place, TemplateText
from .reading import Reading


class Execution(Record, eq=False):
    """What a program runs with: the meter, and what functions with an effect get first."""

    meter: Meter
    environment: Any = None


def compile_template(
    text: TemplateText, functions: Mapping[str, Function], context: Context
) -> Program | None:
    """The program of a template; None when it has mistakes, which are all reported.

    `functions` are those that it may call; that they exist is known without importing them.
    """
    limits = context.limits
    context.meter.work(len(text.text) // 8 + 1)
    deepest = min(3 * limits.max_expression_depth, DEEPEST), DEEPEST

    def meant(name: str) -> Hint:
        return unknown_function(name, functions, None).hint  # type: ignore[arg-type]

    templates, mistakes = parse(text.text, functions, deepest, meant)
    if not mistakes:
        try:
            return with_room(lambda: Program(text, templates, functions, limits))
        except Mistake as mistake:
            mistakes.append(mistake)
    for one in mistakes:
        report(one, text, context.diagnostics)
    return None


def report(mistake: Mistake, text: TemplateText, diagnostics: Diagnostics) -> None:
    """Reports a mistake of a template."""
    notes: tuple[Note, ...] = ()
    if mistake.note is not None:
        remark, start, end = mistake.note
        notes = (Note(remark, text.span(start, end)),)
    place = text.span(mistake.start, mistake.end)
    found = Diagnostic(mistake.code, mistake.summary, place, notes=notes)
    diagnostics.add(found, mistake.hint)


class Program:
    """A template that was compiled: `tree` has its templates by name, its own as `execution`.

    `certain` are the failures that calls in it end in whatever the data is, for checks.
    """

    def __init__(
        self,
        text: TemplateText,
        tree: Templates,
        functions: Mapping[str, Function],
        limits: Limits,
    ) -> None:
        self.text = text
        self.tree = tree
        self._functions = functions
        self._limits = limits
        self.certain: list[Failure]
        self._bodies: dict[str, Body]
        self._bodies, self.certain = compile_templates(
            tree, functions, text, limits.max_reference_depth
        )

    @cached_property
    def reading(self) -> Reading:
        """The paths of the data that each node reads."""
        return Reading(self.tree)

    def run(self, data: Any, run: Execution) -> Rendered:
        """The text that the template gives for some data, which functions may change.

        Raises:
            Failure: at the place of the first error of the run.
        """
        body = self._bodies[MAIN]
        state = Run(run.meter, run.environment)
        self._compute(body.run, body.size, data, state)
        return Rendered(self, state.out)

    def value(self, data: Any, run: Execution) -> Any:
        """The value of the template's only action.

        Raises:
            Failure: at the place of the first error of the run.
        """
        (action,) = self.tree[MAIN].nodes
        assert isinstance(action, Action)
        deepest = self._limits.max_reference_depth
        closure, size = compile_pipe(action.pipe, self._functions, self.text, deepest)
        return self._compute(closure, size, data, Run(run.meter, run.environment))

    def _compute(self, closure: Closure, size: int, data: Any, state: Run) -> Any:
        frame = [state.out.append, state, data, *[None] * size]
        place = Place(self.text, 0, min(len(self.text.text), 1))
        try:
            result = state.meter.with_room(lambda: closure(data, frame), USED)
            state.look()
        except FunctionError as error:  # a limit
            raise Failure(error.code, error.message, place, error.hint) from None
        except RecursionError:
            raise place.failure("the template is nested too deep", "limit_exceeded") from None
        return result


class Rendered:
    """The text that a run gave, and where each part of it comes from.

    `out` are the texts that were emitted: each `Piece`, then what its action wrote.
    """

    def __init__(self, program: Program, out: list[str]) -> None:
        self.program = program
        self.text = "".join(out)
        self._out = out

    @property
    def missing(self) -> list[Span]:
        """The place of each action that printed `<no value>`, each once."""
        found: dict[Tree, Span] = {}
        node: Tree | None = None
        for one in self._out:
            if one.__class__ is Piece:
                node = one.node
            elif one is NO_VALUE and node is not None and node not in found:
                found[node] = self.program.text.span(node.start, node.end)
        return [*found.values()]

    def source(self, name: str) -> RenderedSource:
        """The text as a source whose spans lead into the template."""
        made = RenderedSource(name, self.text, "yaml")
        made.__dict__["rendered"] = self
        return made

    @cached_property
    def _pieces(self) -> tuple[list[int], list[int]]:
        """The offset of each piece in the text, and its index in what was emitted."""
        starts, indexes, offset = [], [], 0
        for index, one in enumerate(self._out):
            if one.__class__ is Piece:
                starts.append(offset)
                indexes.append(index)
            offset += len(one)
        return starts, indexes

    def _piece(self, offset: int) -> tuple[Piece, int, int]:
        """The piece at an offset, how far the offset is in it, and its index."""
        starts, indexes = self._pieces
        at = max(bisect_right(starts, offset) - 1, 0)
        piece = self._out[indexes[at]]
        assert isinstance(piece, Piece)
        return piece, offset - starts[at], indexes[at]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """The range of the template that wrote a range of the text."""
        if not self._pieces[0]:
            return 0, 0
        first, inside, _ = self._piece(start)
        begin, stop = _written(first, inside, False)
        if end > start:
            last, inside, _ = self._piece(end - 1)
            other, after = _written(last, inside, True)
            if other >= begin:
                stop = max(stop, after)
        return begin, stop

    def actions(self, start: int, end: int) -> list[tuple[Action, int]]:
        """The actions that wrote a range of the text, with the index of what they emitted."""
        starts, indexes = self._pieces
        if not starts:
            return []
        at = max(bisect_right(starts, start) - 1, 0)
        found = []
        while at < len(starts) and starts[at] < max(end, start + 1):
            piece = self._out[indexes[at]]
            assert isinstance(piece, Piece)
            begin = starts[at] + len(piece)
            stop = starts[at + 1] if at + 1 < len(starts) else len(self.text)
            if isinstance(piece.node, Action) and begin < end and start < stop:
                found.append((piece.node, indexes[at]))
            at += 1
        return found

    def reads(self, start: int, end: int) -> list[str]:
        """The paths of the data that the actions read which wrote a range of the text."""
        reading = self.program.reading
        found: dict[str, None] = {}
        for action, index in self.actions(start, end):
            for path in reading.paths(action):
                turns = {one for one in path if isinstance(one, Tree)}
                keys = {node: self._turn(node, index) for node in turns}
                parts = (keys[one] if isinstance(one, Tree) else one for one in path)
                found[".".join(map(str, parts))] = None
        return [*found]

    def _turn(self, node: Tree, index: int) -> int:
        """The number of the turn of a loop in which something was emitted."""
        count = -1
        while index >= 0:
            one = self._out[index]
            if one.__class__ is Piece and one.node is node:
                if one.turn == 0:
                    break
                count += one.turn == 1
            index -= 1
        return max(count, 0)


def _written(piece: Piece, inside: int, last: bool) -> tuple[int, int]:
    """The range of the template for an offset in a piece and what its action wrote."""
    node = piece.node
    if inside < len(piece) or node is None:
        inside = min(inside, max(len(piece) - 1, 0))
        start = max(piece.start, 0) + inside
        return start, start + 1
    if isinstance(node, Insert):
        return node.named
    return node.start, node.end


class RenderedSource(Source, eq=False):
    """A text that a template gave; places in it are those of the template."""

    @property
    def rendered(self) -> Rendered:
        """What it comes from."""
        found: Rendered = self.__dict__["rendered"]
        return found

    def span(self, start: int, end: int, exact: bool = True) -> Span:
        begin, stop = self.rendered.place(start, end)
        place = self.rendered.program.text.span(begin, stop)
        return place if exact else place.evolve(exact=False)

    def reads(self, start: int, end: int) -> list[str]:
        """The paths of the data that were read for a range of the text."""
        return self.rendered.reads(start, end)

    def action(self, start: int, end: int) -> str:
        """The text of the actions that wrote a range of it, one on each line."""
        text = self.rendered.program.text.text
        written = [text[one.start : one.end] for one, _ in self.rendered.actions(start, end)]
        return "\n".join(dict.fromkeys(written))
