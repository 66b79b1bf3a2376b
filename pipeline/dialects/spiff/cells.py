"""The cells of a run: computed when they are asked for, each once; their parts; stubs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from ....functions.gotemplate.kinds import Absent
from ....functions.record import Record, field
from ...language.language import Language
from ...language.meter import Meter, over_limit
from ...values.tree import AnyNode
from .scope import (
    BUSY,
    DEFAULT,
    DONE,
    FAILED,
    IMPLIED,
    LOCAL,
    MISSING,
    UNDEFINED,
    Cell,
    Env,
    Problem,
    Rows,
    Table,
    Waiting,
    known,
    type_name,
)


class Run(Record, eq=False):
    """What the processing of a template needs.

    `stubs` come in their order, the last one being evaluated first, `state` comes behind them.
    `values` are the bindings, plain data in which integers are integers. `functions` are those that
    the embedder adds, by name, each a plain callable of values that raises `FunctionError`.
    `read` makes the documents of a YAML text, by its name and the text; `open` gives the bytes of a
    file, `list` the names in a folder (files, or folders where its second argument is true), each
    None where there are no files. `numbers` gives the random numbers for a name.
    """

    language: Language
    meter: Meter
    stubs: tuple[AnyNode, ...] = ()
    state: AnyNode | None = None
    values: Mapping[str, Any] = field(factory=dict, repr=False)
    functions: Mapping[str, Callable[..., Any]] = field(factory=dict)
    read: Callable[[str, str], list[AnyNode]] | None = None
    content: Callable[[str], bytes] | None = None
    list: Callable[[str, bool], list[str]] | None = None
    numbers: Callable[[str], Any] | None = None
    source: str = "template"


class Info:
    """What an expression says about its node besides the value."""

    __slots__ = ("flags", "key_name", "merged", "preferred", "redirect", "replace")

    def __init__(self) -> None:
        self.flags = 0
        self.key_name = ""
        self.merged = self.preferred = self.replace = False
        self.redirect: Any = MISSING


_DEEPEST_LAMBDAS: Final = 2
_MOST_HOPS: Final = 10  # from one value to the next; each takes room on the stack
_STEPS_A_CELL: Final = 4
_WITH_PARTS: Final = (Table, dict, Rows, list)


class Cells(ABC):
    """The cells of one run, and what is being computed of them."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.meter = run.meter
        self.limits = run.meter.limits
        self.info = Info()
        self.busy: list[Cell] = []
        self.deepening: list[Cell] = []
        self.hops = 0
        self.known_deep: dict[int, Any] = {}

    @abstractmethod
    def computed(self, cell: Cell) -> Any:
        """The value of a cell, computed."""

    def force(self, value: Any) -> Any:
        """The value of a cell, of which parts may not be known yet; other values as they are.

        Raises:
            Waiting: when it has none.
        """
        if value.__class__ is not Cell:
            return value
        cell: Cell = value
        if cell.status == DONE:
            return cell.value
        if cell.status == FAILED:
            raise self.waiting(cell)
        if cell.status == BUSY:
            cycle = tuple(self.busy[self.busy.index(cell) :])
            raise Waiting(cell.label, None, cycle)
        most = self.limits.max_reference_depth * _MOST_HOPS
        if len(self.busy) >= most:
            raise over_limit(
                "max_reference_depth",
                f"values may need one another {most} deep, ten for each of",
                self.limits,
            )
        cell.status = BUSY
        self.busy.append(cell)
        before, self.info = self.info, Info()
        try:
            self.meter.work(_STEPS_A_CELL)
            cell.value = self.meter.with_room(lambda: self.computed(cell))
            cell.status = DONE
        except (Problem, Waiting) as problem:
            if isinstance(problem, Problem) and problem.home is None:
                problem.home = cell
            cell.failure = problem
            cell.status = FAILED
        finally:
            self.info = before
            self.busy.pop()
            if cell.status == BUSY:
                cell.status = FAILED
        if cell.status == FAILED:
            raise self.waiting(cell)
        return cell.value

    def waiting(self, cell: Cell) -> Waiting:
        """What those raise that need a cell without a value."""
        why = cell.failure
        if isinstance(why, Waiting):
            return Waiting(cell.label, why.cause, why.cycle)
        return Waiting(cell.label, cell)

    def entries(self, table: Table | dict[str, Any]) -> dict[str, Any] | None:
        """The keys of a map with their cells or values; None for one that is undefined.

        Raises:
            Waiting: for what is inserted.
        """
        if isinstance(table, dict):
            return table
        if table.insertion is None:
            return table.cells
        if table.entries is None:
            value = self.force(table.insertion)
            if value is UNDEFINED:
                return None
            inserted: Mapping[str, Any] = {}
            if isinstance(value, dict | Table):
                inserted = self.entries(value) or {}
            elif value is not None:
                sentence = f"require map value for '<<' insert, found '{type_name(value)}'"
                table.insertion.failure = Problem(sentence)
                table.insertion.failure.home = table.insertion
                table.insertion.status = FAILED
                raise self.waiting(table.insertion)
            own = list(table.cells.items())
            self.meter.work(len(inserted))
            made = dict(own[: table.at])
            for key, one in inserted.items():
                if key not in table.cells:
                    made[key] = one if table.merged else self.overlaid(one, table.env.at(key))
            made.update(own[table.at :])
            table.entries = made
        return table.entries

    def defined(self, table: Any) -> Iterator[tuple[str, Any]]:
        """The keys of a map whose values are not undefined; those being computed count as defined.

        Raises:
            Waiting: for a key whose value fails.
        """
        for key, one in (self.entries(table) or {}).items():
            if not self.vanishes(one):
                yield key, one

    def vanishes(self, one: Any) -> bool:
        """True for what is undefined."""
        if one.__class__ is Cell:
            if one.status == BUSY:
                return False
            one = self.force(one)
        return one is UNDEFINED or (one.__class__ is Table and self.entries(one) is None)

    def field(self, one: Any, key: str) -> str | None:
        """The text under a key of a map."""
        value = self.force(one)
        if not isinstance(value, dict | Table):
            return None
        found = self.force((self.entries(value) or {}).get(key))
        return found if isinstance(found, str) else None

    def deep(self, value: Any) -> Any:
        """A value of which all is known.

        Raises:
            Waiting: for a part that fails.
        """
        if value.__class__ is not Cell:
            if value.__class__ in _WITH_PARTS:
                self.meter.with_room(lambda: self._deep(value))
            return value
        cell: Cell = value
        if cell.deep:
            return cell.value
        value = self.force(cell)
        if value.__class__ in _WITH_PARTS:
            if cell in self.deepening:
                raise Waiting(cell.label, None, (*self.deepening[self.deepening.index(cell) :],))
            self.deepening.append(cell)
            try:
                self.meter.with_room(lambda: self._deep(value))
            finally:
                self.deepening.pop()
        cell.deep = True
        return value

    def _deep(self, value: Any) -> None:
        mark = id(value)
        if mark in self.known_deep:
            return
        if isinstance(value, list):
            parts: Iterable[Any] = value
        else:
            found = self.entries(value)
            parts = found.values() if found is not None else ()
        for one in parts:
            if one.__class__ is Cell or one.__class__ in _WITH_PARTS:
                self.deep(one)
        self.known_deep[mark] = value

    def hop(self, call: Callable[[], Any]) -> Any:
        """The result of a call that leads into a function or a template.

        Raises:
            FunctionError: `limit_exceeded`, for too many inside of one another.
        """
        most = self.limits.max_reference_depth * _DEEPEST_LAMBDAS
        if self.hops >= most:
            raise over_limit(
                "max_reference_depth",
                f"functions and templates may use one another {most} deep, two for each of",
                self.limits,
            )
        self.hops += 1
        try:
            return self.meter.with_room(call)
        finally:
            self.hops -= 1

    def hold_depth(self, env: Env) -> None:
        """Refuses a map or a list that stands too deep.

        Raises:
            FunctionError: `limit_exceeded`.
        """
        if len(env.path) > self.limits.max_depth:
            raise self.meter.too_deep()

    # stubs

    def find(self, stubs: tuple[Cell, ...], path: tuple[str, ...] | None) -> Any:
        """What the first stub that has a path has there, `MISSING` if none does.

        What a stub has for its own use (`&local`), and the parts of its defaults, are not found.
        """
        if path is None:
            return MISSING
        for stub in stubs:
            found: Any = stub
            implied = 0
            flags = 0
            for step in path:
                found = self.child(found, step)
                if found is MISSING:
                    break
                implied |= flags & (DEFAULT | IMPLIED)
                flags = found.flags if found.__class__ is Cell else 0
                if flags & LOCAL:
                    found = MISSING
                    break
            if found is MISSING:
                continue
            if implied and not flags & DEFAULT:
                continue
            if self.force(found) is not UNDEFINED:
                return found
        return MISSING

    def child(self, value: Any, step: str | int) -> Any:
        """One step into a value: a key, an index such as `[0]`, the name of a map in a list."""
        value = self.force(value)
        if isinstance(value, dict | Table):
            if value.__class__ is Table and step in value.cells:
                return value.cells[step]
            return (self.entries(value) or {}).get(str(step), MISSING)
        if isinstance(value, list):
            return self.item(value, step)
        return value.then(step) if value.__class__ is Absent else MISSING

    def item(self, value: list[Any], step: str | int) -> Any:
        """An item of a list by its number, negative from the end, or by the name that it has."""
        if isinstance(step, str) and step[:1] == "[" and step[1:-1].lstrip("-").isdigit():
            step = int(step[1:-1])
        if isinstance(step, int):
            present = [one for one in value if not self.vanishes(one)]
            return present[step] if -len(present) <= step < len(present) else MISSING
        key = getattr(value, "key_name", "") or "name"
        field, colon, name = step.partition(":")
        if colon and field:
            key, step = field, name
        self.meter.work(len(value))
        for one in value:
            if one.__class__ is Cell and one.status == 1:
                continue
            if self.field(one, key) == step:
                return one
        return MISSING

    def overlaid(self, value: Any, env: Env) -> Any:
        """A value that is put at a place, where stubs may have another one."""
        if not env.stubs or env.stub_path is None:
            return value
        inside = self.force(value)
        if isinstance(inside, dict | Table):
            made = Table(getattr(inside, "node", None), env)
            for key, one in (self.entries(inside) or {}).items():
                made.cells[key] = self.overlaid(one, env.at(key))
            return _like(value, made, env)
        if isinstance(inside, list):
            names = [self.field(one, "name") for one in inside]
            if None in names:
                return value
            rows = zip(names, inside, strict=True)
            listed = [self.overlaid(one, env.at(f"name:{name}")) for name, one in rows]
            return _like(value, Rows(listed), env)
        found = self.find(env.stubs, env.stub_path)
        if found is MISSING or (found.__class__ is Cell and found.flags & DEFAULT):
            return value
        return found


def _like(value: Any, made: Any, env: Env) -> Cell:
    cell = known(made, env, value.flags if value.__class__ is Cell else 0)
    cell.origin = value.origin if value.__class__ is Cell else None
    return cell
