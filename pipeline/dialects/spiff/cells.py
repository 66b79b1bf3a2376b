"""The cells of a run: computed when they are asked for, each once; what names mean; stubs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import dropwhile
from typing import Any, Final, TypeAlias

from ....functions.gotemplate.kinds import Absent
from ....functions.names import Names
from ....functions.record import Record, field
from ....functions.registry import Functions
from ....functions.signatures import declared_functions
from ....functions.spiff.index import INDEX, load
from ....functions.value_limits import hold_items
from ....functions.values import FunctionError
from ...language.errors import LanguageError
from ...language.language import Language
from ...language.meter import Meter, over_limit
from ...values.diagnostics import Diagnostics
from ...values.expression import Argument, Call, Expression, Literal, Reference
from ...values.settings import Limits
from ...values.tree import AnyNode
from . import forms
from .scope import (
    BUSY,
    CONTEXT,
    DEFAULT,
    DOCUMENT,
    DONE,
    FAILED,
    IMPLIED,
    LOCAL,
    MISSING,
    OUTERMOST,
    SELF,
    UNDEFINED,
    Cell,
    Env,
    Problem,
    Rows,
    Table,
    Waiting,
    failed,
    known,
    type_name,
)


class Run(Record, eq=False):
    """What the processing of a template needs: that of `template`, in front of its stubs.

    `told` gets its mistakes. `content` gives the bytes of a file, `list` the names in a folder
    (files, or folders where its second argument is true), `numbers` random numbers for a name.
    `stubs` come in their order, state behind them; the last one is evaluated first.
    `values` are the bindings, plain data in which integers are integers. `functions` are those that
    the embedder adds, by name, each a plain callable of values that raises `FunctionError`.
    """

    template: AnyNode
    language: Language
    meter: Meter
    told: Diagnostics
    content: Callable[[str], bytes]
    list: Callable[[str, bool], list[str]]
    numbers: Callable[[str], Any]
    stubs: tuple[AnyNode, ...] = ()
    values: Mapping[str, Any] = field(factory=dict, repr=False)
    functions: Mapping[str, Callable[..., Any]] = field(factory=dict)
    source: str = "template"


def builtins(limits: Limits, spend: Callable[[int], object] = int) -> Functions:
    """The builtins that need no scope; `spend` counts the steps of patterns."""
    return declared_functions(INDEX, load, {"limits": limits, "spend": spend})


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
_STEPS: Final = 3  # of an evaluation, beside those of other work
_WITH_PARTS: Final = (Table, dict, Rows, list)


class Cells:
    """The cells of one run, and what is being computed of them.

    `forms` evaluate the calls of an expression by the names in `forms.py`, `computed` gives the
    value of a cell with a node.
    """

    projected: Any = None
    drawn = 0

    def __init__(
        self,
        run: Run,
        forms: Mapping[str, Form],
        computed: Callable[[Cells, Cell], Any],
    ) -> None:
        self.run = run
        self.forms = forms
        self.computed = computed
        self.meter = run.meter
        self.limits = run.meter.limits
        self.info = Info()
        self.busy: list[Cell] = []
        self.deepening: list[Cell] = []
        self.hops = 0
        self.known_deep: dict[int, Any] = {}
        self.plained: dict[int, tuple[Any, Any]] = {}

    @cached_property
    def builtins(self) -> Functions:
        """Those that need no scope, made when one is called: a blueprint may have many runs."""
        return builtins(self.limits, self.meter.work)

    @cached_property
    def names(self) -> Names:
        """Those of all functions, to search for the near ones of many mistakes."""
        return Names([*self.builtins, *self.run.functions])

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
            cell.value = self.meter.with_room(lambda: self.computed(self, cell))
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

    # expressions

    def evaluate(self, tree: Expression, env: Env, local: bool = False) -> Any:
        """The value of a tree; of a reference all is known unless `local`.

        Raises:
            Problem: it fails.
            Waiting: it needs a cell that has failed.
        """
        self.meter.work(_STEPS)
        if tree.__class__ is Literal:
            return tree.value
        if tree.__class__ is Reference:
            return self.reference(tree, env, local)
        assert isinstance(tree, Call)
        try:
            return self.forms[tree.function](self, tree, env, local)
        except Problem as problem:
            if problem.node is None and problem.home is None:
                problem.node = tree
            raise

    def attempt(
        self, tree: Expression, env: Env, local: bool = False
    ) -> tuple[Any, Problem | None]:
        """The value of a tree, or why it fails.

        Raises:
            Problem: one that nothing notices.
        """
        try:
            return self.evaluate(tree, env, local), None
        except Problem as problem:
            if problem.final:
                raise
            return None, problem

    def listed(self, arguments: tuple[Argument, ...], env: Env) -> tuple[list[Any], bool]:
        """The values of the items of a list or a call, and whether one of them is undefined."""
        made: list[Any] = []
        undefined = False
        for argument in arguments:
            tree = argument.value
            expanded = isinstance(tree, Call) and tree.function == forms.EXPANDED
            value = self.evaluate(tree.arguments[0].value if expanded else tree, env)  # type: ignore[union-attr]
            if expanded:
                if not isinstance(value, list):
                    raise Problem("argument expansion required list argument", tree)
                made += [one for one in value if not self.vanishes(one)]
            else:
                undefined = undefined or value is UNDEFINED
                made.append(None if value is UNDEFINED else value)
        hold_items("[..]", len(made), self.limits)
        return made, undefined

    def parse(self, body: str, cell: Cell | None) -> Expression:
        """The tree of the text between the delimiters.

        Raises:
            Problem: at its place, which nothing notices.
        """
        try:
            return self.run.language.parse(body, 2)
        except LanguageError as error:
            node = Literal(None, error.start, error.end)
            problem = Problem(error.summary, node, error.hint, error.code, final=True)
            problem.home = cell
        raise problem

    def plain(self, value: Any) -> Any:
        """A value as plain data without cells; functions and templates stay what they are."""
        if value.__class__ is Cell:
            value = self.force(value)
        if value.__class__ not in (Table, dict, Rows, list):
            if value.__class__ is Absent:
                return value.used()
            return None if value is UNDEFINED else value
        known_one = self.plained.get(id(value))
        if known_one is not None:
            return known_one[1]
        if isinstance(value, list):
            made: Any = [self.plain(one) for one in value if not self.vanishes(one)]
        else:
            made = {key: self.plain(one) for key, one in self.defined(value)}
        self.meter.work(len(made))
        self.plained[id(value)] = value, made
        return made

    # names

    def reference(self, tree: Reference, env: Env, local: bool) -> Any:
        """What a reference leads to."""
        path = tree.path
        if tree.root == "":
            found: Any = env.root if env.root is not None else MISSING
            done = [""]
        else:
            found, path = self.resolve(tree.root, path, env)
            done = [tree.root] if path is tree.path else [tree.root, *map(str, tree.path[:1])]
        if found is MISSING:
            raise Problem(f"'{'.'.join(done)}' not found", tree)
        return self.follow(found, path, done, tree, local)

    def follow(self, found: Any, path: Any, done: list[str], tree: Expression, local: bool) -> Any:
        """What a path leads to from a value."""
        for step in path:
            found = self.child(found, step)
            done.append(f"[{step}]" if isinstance(step, int) else step)
            if found is MISSING or self.vanishes(found):
                raise Problem(f"'{'.'.join(done)}' not found", tree)
        if found.__class__ is Cell:
            if not local:
                self.deep(found)
            value = self.force(found)
            if found.key_name:
                self.info.key_name = found.key_name
        else:
            value = found if local else self.deep(found)
        if value.__class__ is Absent:
            try:
                return value.used()
            except FunctionError as error:
                raise failed(error, tree) from None
        if value.__class__ is Table and self.vanishes(value):
            return UNDEFINED
        if value.__class__ is Rows and value.key_name:
            self.info.key_name = value.key_name
        return value

    def resolve(self, name: str, path: Any, env: Env | None) -> tuple[Any, Any]:
        """What the first name of a reference means, and the path from there."""
        while env is not None:
            if name == CONTEXT:
                return self._context(env), path
            if name == DOCUMENT and (found := self._in_document(env, path)) is not None:
                return found
            for entries in env.frames:
                found = self._in_frame(entries, name)
                if found is not MISSING:
                    if name == SELF and path:
                        return self.resolve(str(path[0]), path[1:], found.env)
                    return found, path
            if name == OUTERMOST and env.outer is None:
                return env.root if env.root is not None else MISSING, path
            env = env.outer
        return MISSING, path

    def _in_frame(self, entries: Any, name: str) -> Any:
        if entries.__class__ is not Table:
            return entries.get(name, MISSING)
        found = entries.cells.get(name, MISSING)
        if found is MISSING and entries.insertion is not None and entries.insertion.status != BUSY:
            found = (self.entries(entries) or {}).get(name, MISSING)
        if found.__class__ is Cell and found.status == DONE and found.value is UNDEFINED:
            return MISSING
        return found

    def _in_document(self, env: Env, path: Any) -> tuple[Any, Any] | None:
        frames = [*dropwhile(lambda one: one.__class__ is not Table, env.frames)]
        if not frames:
            return None
        if not path:
            return frames[0], path
        for entries in frames:
            found = self._in_frame(entries, str(path[0]))
            if found is not MISSING:
                return found, path[1:]
        return MISSING, path

    def _context(self, env: Env) -> dict[str, Any]:
        """What `__ctx` tells of a place."""
        around = [env]
        while around[-1].outer is not None:
            around.append(around[-1].outer)
        file = self.run.source
        folder = file.rpartition("/")[0] or "."
        found = {
            "VERSION": "v1.7.0-beta-7",
            "FILE": file,
            "DIR": folder,
            "RESOLVED_FILE": file,
            "RESOLVED_DIR": folder,
            "PATHNAME": ".".join(env.path),
            "PATH": [*env.path],
            "STUBPATH": [*(env.stub_path or ())],
            "BINDINGS": around[-1].root if around[1:] else [],
        }
        outer = [one.root for one in around[1:] if one.root is not None]
        return {**found, "OUTER": outer} if outer else found

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
            if one.__class__ is Cell and one.status == BUSY:
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


Form: TypeAlias = Callable[[Cells, Call, Env, bool], Any]
"""Evaluates a call of a form at a place; parts of its value need not be known if it is local."""
