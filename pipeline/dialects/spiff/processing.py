"""The processing of a template: stubs first, then the template, then what is left of it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final

from ....functions.gotemplate.kinds import Absent
from ....functions.record import Record
from ....functions.values import FunctionError
from ...language.errors import BREAK_CYCLE, LanguageError
from ...values.diagnostics import Diagnostic, Note
from ...values.expression import Literal
from ...values.positions import span_in_scalar
from ...values.source import Span
from ...values.tree import AnyNode, Array, Map, Scalar
from .cells import Cells, Run
from .documents import bindings, computed, document
from .expressions import FORMS
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
    failed,
)
from .syntax import expression_in, unescaped

STEP: Final = "process"
_OWN_NAME: Final = (
    "a name means the nearest key, even the one being defined: `___.name` is the binding"
)


class Outcome(Record, eq=False):
    """What came of a template: the `node`, and the `state` that it marks.

    Each node has the place of the expression or the literal that made it.
    """

    node: AnyNode
    state: AnyNode


def process(run: Run, expression: Scalar | None = None) -> Outcome | None:
    """Evaluates a template, or an expression in its scope, in front of stubs and bindings.

    None after mistakes, which are told; a limit that ends the run is told at the whole.
    """
    place = expression or run.template
    try:
        return _processed(Cells(run, FORMS, computed), place, expression)
    except FunctionError as error:
        run.told.error(error.code, place.span, error.message, error.hint)
        return None


def _processed(cells: Cells, place: AnyNode, expression: Scalar | None) -> Outcome | None:
    outer = bindings(cells)
    stubs: tuple[Cell, ...] = ()
    for node in reversed(cells.run.stubs):
        cell = document(node, Env(stubs=stubs, outer=outer))
        if not _succeeds(cells, cell):
            return None
        stubs = (cell, *stubs)
    env = Env(stubs=stubs, outer=outer)
    cell = document(cells.run.template, env)
    if expression is not None:
        with suppress(Waiting):
            table = cells.force(cell)
            env = env.inside(table) if table.__class__ is Table else env
        cell = Cell(expression, env.redirected(None), False)
    if not _succeeds(cells, cell):
        return None
    made = _Writer(cells).node(cell, place)
    if made is None:
        made = Scalar(None, place.trail.then(STEP), place.start, place.end)
    # only top-level keys can be state
    entries = cells.entries(cell.value) if cell.value.__class__ is Table else None
    kept = {key: one for key, one in (entries or {}).items() if _is_state(one)}
    return Outcome(made, _Writer(cells, True).map(kept, place))


def _is_state(one: Any) -> bool:
    return one.__class__ is Cell and bool(one.flags & STATE)


def tell_unreadable(root: AnyNode, run: Run) -> None:
    """Tells each expression of a document that does not parse."""
    stack = [root]
    while stack:
        node = stack.pop()
        run.meter.work()
        if isinstance(node, Map | Array):
            inside = node.items.values() if isinstance(node, Map) else node.items
            stack += reversed([*inside])
            continue
        body = expression_in(node)
        try:
            if body is not None:
                run.language.parse(body, 2)
        except LanguageError as error:
            span = _place(Literal(None, error.start, error.end), Cell(node, Env()))
            item = Diagnostic(error.code, error.summary, span, hint=error.hint, stage=STEP)
            run.told.add(item)


def _succeeds(cells: Cells, cell: Cell) -> bool:
    """Computes all of a document and tells its mistakes; whether there are none."""
    return _settle(cells, cell) or not _tell_problems(cells, cell)


def _settle(cells: Cells, cell: Cell) -> bool:
    """Computes all of a document, also beside what fails; False when something may be amiss."""
    try:
        value = cells.force(cell)
    except Waiting:
        return False
    found = _parts(cells, value)
    inside = [one for one in found if one.__class__ is Cell and not one.deep]
    settled = [cells.meter.with_room(partial(_settle, cells, one)) for one in inside]
    cell.deep = value.__class__ is not Table and all(one.deep for one in inside)
    others = [one.value if one.__class__ is Cell else one for one in (cell, *found)]
    return all(settled) and not any(
        one.__class__ is Absent or isinstance(one, list | dict) for one in others
    )


def _parts(cells: Cells, value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        return list(value.values())
    if value.__class__ is not Table:
        return []
    try:
        return list((cells.entries(value) or {}).values())
    except Waiting:
        return [*value.cells.values(), value.insertion]


def _tell_problems(cells: Cells, root: Cell) -> bool:
    """Tells each cell of a document that has no value, a cycle once; whether there are any."""
    found = False
    seen: set[int] = set()
    stack: list[tuple[Any, Cell]] = [(root, root)]
    while stack:
        one, around = stack.pop()
        if id(one) in seen:
            continue
        if one.__class__ is Cell or isinstance(one, list | dict | Table):
            seen.add(id(one))
            cells.meter.work()
        if one.__class__ is Absent and not one.mark:
            _tell(cells, around, failed(one.error(), Literal(None)))
        elif one.__class__ is not Cell:
            stack += [(part, around) for part in reversed(_parts(cells, one))]
            continue
        elif isinstance(one.failure, Problem):
            _tell(cells, one, one.failure)
        elif isinstance(one.failure, Waiting):
            _tell_waiting(cells, one, one.failure, seen)
        else:
            stack.append((one.value, one))
            continue
        found = True
    return found


def _tell(cells: Cells, cell: Cell, problem: Problem) -> None:
    """Tells of a cell that fails for a reason of its own."""
    home = problem.home
    if home is not None and _is_inside(home.node, cell.node):
        cell = home
    notes: list[tuple[Any, Cell | None, str]] = [*problem.notes]
    if home is cell or home is None:
        span = _place(problem.node, cell)
    else:
        span = _place(None, cell)
        notes.insert(0, (problem.node, home, "it fails here"))
    placed = [Note(text, _place(node, there)) for node, there, text in notes]
    shown = [note for note in placed if note.span is not None]
    cells.run.told.error(problem.code, span, problem.summary, problem.hint, *shown)


def _place(part: Any, cell: Cell | None) -> Span | None:
    """Where a part of the expression of a cell is, or all of its node."""
    node = cell.node if cell is not None else None
    if node is None:
        return None
    text = node.value if isinstance(node, Scalar) else None
    if part is None or not isinstance(text, str) or not 0 <= part.start < part.end <= len(text):
        return node.span
    return span_in_scalar(node.trail.source, node.start, node.end, text, part.start, part.end)


def _is_inside(node: AnyNode | None, other: AnyNode | None) -> bool:
    if node is None or other is None or node.trail.source is not other.trail.source:
        return False
    return other.start <= node.start and node.end <= other.end


def _tell_waiting(cells: Cells, cell: Cell, waiting: Waiting, seen: set[int]) -> None:
    """Tells of a cell that needs another one without a value; of a cycle at its first cell."""
    cycle = waiting.cycle
    if cell not in cycle:
        cause = _place(None, waiting.cause)
        notes = [Note("because this fails", cause)] if cause is not None else []
        summary = f"`{waiting.label}` is unresolved"
        cells.run.told.error("spiff_unresolved", _place(None, cell), summary, None, *notes)
    elif not any(id(one) in seen for one in cycle if one is not cell):
        labels = [one.label for one in (*cycle, cycle[0])]
        summary = f"the expressions need one another: {' -> '.join(f'`{one}`' for one in labels)}"
        spans = [one.node.span for one in cycle if one.node is not None]
        hint = BREAK_CYCLE if len(cycle) > 1 else _OWN_NAME
        notes = [Note("on the way", span) for span in spans[1:]]
        cells.run.told.error("spiff_unresolved", spans[0] if spans else None, summary, hint, *notes)


class _Writer:
    """Makes nodes of what was evaluated; `all_` of it, also what is temporary."""

    def __init__(self, cells: Cells, all_: bool = False) -> None:
        self.cells = cells
        self.meter = cells.meter
        self.most = cells.limits.max_depth
        self.all = all_

    def node(self, value: Any, place: AnyNode, depth: int = 0) -> AnyNode | None:
        """The node of a value; None for what is not part of the output. `place` made it."""
        if value.__class__ is Cell:
            if value.flags & (TEMPORARY | LOCAL) and not self.all:
                return None
            place = value.origin or place
            value = value.value if value.status == DONE else self.cells.force(value)
        if value is UNDEFINED:
            return None
        if value.__class__ is Table:
            entries = self.cells.entries(value)
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


def _plain_key(key: str) -> str:
    """A key of a result: `<<!` stands for `<<`."""
    for mark in ("<<<!", "<<!"):
        if key.startswith(mark):
            return mark[:-1] + key[len(mark) :]
    return key
