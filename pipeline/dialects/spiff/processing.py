"""The processing of a template: stubs first, then the template, then what is left of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final

from ....functions.gotemplate.kinds import Absent
from ....functions.record import Record
from ....functions.values import FunctionError
from ...language.errors import BREAK_CYCLE, LanguageError
from ...language.language import Language
from ...language.meter import Meter
from ...values.diagnostics import Diagnostic, Note, worded
from ...values.expression import Literal
from ...values.tree import AnyNode, Array, Map, Scalar
from .calls import failed
from .cells import Run
from .evaluation import Evaluation, place_of
from .scope import (
    DONE,
    LOCAL,
    STATE,
    TEMPORARY,
    UNDEFINED,
    Cell,
    Env,
    Lambda,
    Problem,
    Table,
    Template,
    Waiting,
)
from .syntax import inner, unescaped

STEP: Final = "process"


class Outcome(Record, eq=False):
    """What came of a template: the `node`, and the `state` that it marks; both None after errors.

    Each node has the place of the expression or the literal that made it.
    """

    node: AnyNode | None
    state: AnyNode | None = None
    diagnostics: tuple[Diagnostic, ...] = ()


def process(template: AnyNode, run: Run) -> Outcome:
    """Evaluates a template in front of its stubs and its bindings."""
    return _guarded(template, lambda: _processed(template, run))


def _guarded(node: AnyNode, call: Callable[[], Outcome]) -> Outcome:
    """The result of a call; a limit that ends the run is told at a node."""
    try:
        return call()
    except FunctionError as error:
        hint = worded(error.hint)
        return Outcome(None, None, (Diagnostic(error.code, error.message, node.span, hint=hint),))


def _processed(template: AnyNode, run: Run) -> Outcome:
    evaluation = Evaluation(run)
    outer = evaluation.bindings()
    stubs, found = _stubs(evaluation, outer)
    if not found:
        cell = _whole(evaluation, template, Env(stubs=stubs, outer=outer, source=run.source))
        found = tuple(problems(evaluation, cell))
    if found:
        return Outcome(None, None, found)
    made = _Writer(evaluation).node(cell, template)
    if made is None:
        made = Scalar(None, template.trail.then(STEP), template.start, template.end)
    return Outcome(made, _state(evaluation, cell, template))


def _stubs(evaluation: Evaluation, outer: Env) -> tuple[tuple[Cell, ...], tuple[Diagnostic, ...]]:
    """The stubs, evaluated from the last one on, each in front of those behind it."""
    run = evaluation.run
    stubs: tuple[Cell, ...] = ()
    for node in reversed([*run.stubs, *([run.state] if run.state is not None else [])]):
        name = node.trail.source.name
        cell = _whole(evaluation, node, Env(stubs=stubs, outer=outer, source=name))
        found = tuple(problems(evaluation, cell))
        if found:
            return (), found
        stubs = (cell, *stubs)
    return stubs, ()


def evaluate(template: AnyNode, expression: Scalar, run: Run) -> Outcome:
    """One expression in the scope of a template, in front of its stubs and its bindings."""
    return _guarded(expression, lambda: _evaluated(template, expression, run))


def _evaluated(template: AnyNode, expression: Scalar, run: Run) -> Outcome:
    evaluation = Evaluation(run)
    outer = evaluation.bindings()
    stubs, found = _stubs(evaluation, outer)
    if found:
        return Outcome(None, None, found)
    env = Env(stubs=stubs, outer=outer, source=run.source)
    root = evaluation.document(template, env)
    with suppress(Waiting):
        table = evaluation.force(root)
        env = env.inside(table) if table.__class__ is Table else env
    cell = Cell(expression, env.redirected(None), False)
    _settle(evaluation, cell)
    found = tuple(problems(evaluation, cell))
    made = None if found else _Writer(evaluation).node(cell, expression)
    empty = Scalar(None, expression.trail, expression.start, expression.end)
    return Outcome(None if found else made or empty, None, found)


def unreadable(root: AnyNode, language: Language, meter: Meter) -> Iterator[Diagnostic]:
    """A diagnostic for each expression of a document that does not parse."""
    stack = [root]
    while stack:
        node = stack.pop()
        meter.work()
        if isinstance(node, Map | Array):
            inside = node.items.values() if isinstance(node, Map) else node.items
            stack += reversed([*inside])
        elif isinstance(node, Scalar) and isinstance(node.value, str):
            body = inner(node.value)
            try:
                if body is not None:
                    language.parse(body, 2)
            except LanguageError as error:
                problem = Problem(error.summary, Literal(None, error.start, error.end))
                problem.home = Cell(node, Env())
                span = place_of(problem, language)
                yield Diagnostic(error.code, error.summary, span, hint=error.hint)


def _whole(evaluation: Evaluation, node: AnyNode, env: Env) -> Cell:
    cell = evaluation.document(node, env)
    _settle(evaluation, cell)
    return cell


def _settle(evaluation: Evaluation, cell: Cell) -> None:
    """Computes all of a document, also beside what fails."""
    try:
        value = evaluation.force(cell)
    except Waiting:
        return
    inside = [one for one in _parts(evaluation, value) if one.__class__ is Cell and not one.deep]
    for one in inside:
        evaluation.meter.with_room(partial(_settle, evaluation, one))
    cell.deep = value.__class__ is not Table and all(one.deep for one in inside)


def _parts(evaluation: Evaluation, value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        return list(value.values())
    if value.__class__ is not Table:
        return []
    try:
        return list((evaluation.entries(value) or {}).values())
    except Waiting:
        return [*value.cells.values(), value.insertion]


def problems(evaluation: Evaluation, root: Cell) -> Iterator[Diagnostic]:
    """A diagnostic for each cell of a document that has no value; one for each cycle."""
    seen: set[int] = set()
    stack: list[tuple[Any, Cell]] = [(root, root)]
    while stack:
        one, around = stack.pop()
        if id(one) in seen:
            continue
        if one.__class__ is Cell or isinstance(one, list | dict | Table):
            seen.add(id(one))
            evaluation.meter.work()
        if one.__class__ is Absent and not one.mark:
            problem = failed(one.error(), Literal(None))
            yield told(evaluation, around, problem)
        elif one.__class__ is not Cell:
            stack += [(part, around) for part in reversed(_parts(evaluation, one))]
        elif isinstance(one.failure, Problem):
            yield told(evaluation, one, one.failure)
        elif isinstance(one.failure, Waiting):
            cycle = one.failure.cycle
            if cycle and one in cycle:
                if not any(id(cell) in seen for cell in cycle if cell is not one):
                    yield _cycle(evaluation, cycle)
            else:
                yield _follows(evaluation, one, one.failure)
        else:
            stack.append((one.value, one))


def told(evaluation: Evaluation, cell: Cell, problem: Problem) -> Diagnostic:
    """The diagnostic of a cell that fails for a reason of its own."""
    language = evaluation.run.language
    if problem.home is not None and _is_inside(problem.home.node, cell.node):
        cell = problem.home
    own = problem.home is cell or problem.home is None
    span = place_of(problem, language, cell) if own else cell.node.span if cell.node else None
    notes = [] if own else [Note("it fails here", place_of(problem, language))]
    for node, home, text in problem.notes:
        inner = Problem("", node)
        inner.home = home
        notes.append(Note(text, place_of(inner, language)))
    return Diagnostic(
        problem.code,
        problem.summary,
        span,
        hint=worded(problem.hint),
        notes=tuple(note for note in notes if note.span is not None),
    )


def _is_inside(node: AnyNode | None, other: AnyNode | None) -> bool:
    if node is None or other is None or node.trail.source is not other.trail.source:
        return False
    return other.start <= node.start and node.end <= other.end


def _follows(evaluation: Evaluation, cell: Cell, waiting: Waiting) -> Diagnostic:
    cause = waiting.cause
    origin = cause.node if cause is not None else None
    notes = (Note("because this fails", origin.span),) if origin is not None else ()
    span = cell.node.span if cell.node is not None else None
    summary = f"`{waiting.label}` is unresolved"
    return Diagnostic("spiff_unresolved", summary, span, notes=notes)


def _cycle(evaluation: Evaluation, cycle: tuple[Cell, ...]) -> Diagnostic:
    labels = [cell.label for cell in cycle]
    way = " -> ".join(f"`{label}`" for label in [*labels, labels[0]])
    nodes = [cell.node for cell in cycle if cell.node is not None]
    notes = tuple(Note("on the way", node.span) for node in nodes[1:])
    span = nodes[0].span if nodes else None
    hint = BREAK_CYCLE
    if len(cycle) == 1:
        hint = "a name means the nearest key, even the one being defined: `___.name` is the binding"
    summary = f"the expressions need one another: {way}"
    return Diagnostic("spiff_unresolved", summary, span, hint=hint, notes=notes)


class _Writer:
    """Makes nodes of what was evaluated; `all_` of it, also what is temporary."""

    def __init__(self, evaluation: Evaluation, all_: bool = False) -> None:
        self.evaluation = evaluation
        self.meter = evaluation.meter
        self.most = evaluation.limits.max_depth
        self.all = all_

    def node(self, value: Any, place: AnyNode, depth: int = 0) -> AnyNode | None:
        """The node of a value; None for what is not part of the output. `place` made it."""
        if value.__class__ is Cell:
            if value.flags & (TEMPORARY | LOCAL) and not self.all:
                return None
            place = value.origin or place
            value = value.value if value.status == DONE else self.evaluation.force(value)
        if value is UNDEFINED:
            return None
        if value.__class__ is Table:
            entries = self.evaluation.entries(value)
            made = value.node or place
            return None if entries is None else self.map(entries, made, depth)
        if isinstance(value, dict):
            return self.map(value, place, depth)
        trail = place.trail.then(STEP)
        if isinstance(value, list):
            self._spend(len(value), depth)
            items = [self.node(one, place, depth + 1) for one in value]
            kept = [one for one in items if one is not None]
            return Array(kept, trail, place.start, place.end)
        if isinstance(value, str):
            value = unescaped(value)
        elif isinstance(value, Template):
            return value.shown
        elif isinstance(value, Lambda):
            value = f"(( {value.text} ))"
        elif value.__class__ is Absent:
            value = value.used()
        return Scalar(value, trail, place.start, place.end)

    def _spend(self, count: int, depth: int) -> None:
        self.meter.spend_nodes(count)
        if depth > self.most:
            raise self.meter.too_deep()

    def map(self, entries: Mapping[str, Any], place: AnyNode, depth: int = 0) -> Map:
        """The map of some entries."""
        self._spend(len(entries), depth)
        made: dict[str, AnyNode] = {}
        for key, one in entries.items():
            node = self.node(one, place, depth + 1)
            if node is not None:
                made[_plain_key(key) if key[:2] == "<<" else key] = node
        places = place.places if isinstance(place, Map) else {}
        return Map(made, places, place.trail.then(STEP), place.start, place.end)


def _state(evaluation: Evaluation, root: Cell, template: AnyNode) -> AnyNode:
    """What a document marks as state, which only its top-level keys can be."""
    value = root.value
    entries = evaluation.entries(value) if value.__class__ is Table else None
    kept = {
        key: one
        for key, one in (entries or {}).items()
        if one.__class__ is Cell and one.flags & STATE
    }
    return _Writer(evaluation, True).map(kept, template)


def _plain_key(key: str) -> str:
    """A key of a result: `<<!` stands for `<<`."""
    for mark in ("<<<!", "<<!"):
        if key.startswith(mark):
            return mark[:-1] + key[len(mark) :]
    return key
