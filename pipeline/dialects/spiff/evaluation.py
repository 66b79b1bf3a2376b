"""The evaluation of a document: cells are computed when they are asked for, each once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from ....functions.record import Record, field
from ....functions.values import FunctionError
from ...language.errors import LanguageError
from ...language.language import Language
from ...language.meter import Meter, over_limit
from ...values.expression import Call, Expression, Literal, walk
from ...values.source import Span
from ...values.tree import AnyNode, Array, Map, Scalar
from . import forms
from .merging import find, overlaid
from .scope import (
    BUSY,
    DEFAULT,
    DONE,
    FAILED,
    INJECT,
    INSERTIONS,
    MARKERS,
    MISSING,
    SELF,
    STATE,
    TEMPLATE,
    TEMPORARY,
    UNDEFINED,
    Cell,
    Env,
    Instance,
    Lambda,
    Problem,
    Rows,
    Table,
    Template,
    Waiting,
    known,
    type_name,
)
from .syntax import inner


class Run(Record, eq=False):
    """What the processing of a template needs.

    `stubs` come in their order, the last one being evaluated first, `state` comes behind them.
    `values` are the bindings, plain data in which integers are integers. `functions` are those that
    the embedder adds, by name, each a plain callable of values that raises `FunctionError`.
    `read` makes the documents of a YAML text, by its name and the text; `open` gives the bytes of a
    file, `list` the names in a folder (files, or folders where its second argument is true), each
    None where there are no files. `seed` makes `rand` reproducible.
    """

    language: Language
    meter: Meter
    stubs: tuple[AnyNode, ...] = ()
    state: AnyNode | None = None
    values: Mapping[str, Any] = field(factory=dict, repr=False)
    functions: Mapping[str, Callable[..., Any]] = field(factory=dict)
    read: Callable[[str, str], list[AnyNode]] | None = None
    open: Callable[[str], bytes] | None = None
    list: Callable[[str, bool], list[str]] | None = None
    seed: int | None = None
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


class Evaluation:
    """The cells of one run, and what is being computed of them."""

    def __init__(self, run: Run) -> None:
        from .expressions import Expressions

        self.run = run
        self.meter = run.meter
        self.limits = run.meter.limits
        self.expressions = Expressions(self)
        self.info = Info()
        self.busy: list[Cell] = []
        self.hops = 0
        self.known_deep: dict[int, Any] = {}

    # cells

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
        cell.status = BUSY
        self.busy.append(cell)
        before, self.info = self.info, Info()
        try:
            self.meter.work()
            cell.value = self.meter.with_room(lambda: self._computed(cell))
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

    def _computed(self, cell: Cell) -> Any:
        node, env = cell.node, cell.env
        match node:
            case Map():
                return self.table(cell, node, env)
            case Array():
                return self.rows(cell, node, env)
            case Scalar():
                return self._scalar(cell, node.value)
        raise TypeError(f"{node!r} cannot be evaluated")

    def _scalar(self, cell: Cell, value: Any) -> Any:
        env, info = cell.env, self.info
        body = inner(value) if isinstance(value, str) else None
        while body is not None:
            self.meter.work()
            tree = self.parse(body, cell)
            marked = isinstance(tree, Call) and tree.function == forms.MARKED
            if marked and TEMPLATE & (flags := flags_of(tree)):
                cell.flags |= flags & ~TEMPLATE
                value = self._template_of(tree, cell)
                break
            value = self.expressions.evaluate(tree, env)
            body = inner(value) if isinstance(value, str) else None
        cell.flags |= info.flags
        cell.key_name = info.key_name
        if info.merged or info.preferred or info.replace or not cell.override:
            return value
        return self._overridden(cell, value)

    def _overridden(self, cell: Cell, value: Any) -> Any:
        """The value that a stub has instead of one, if any has."""
        found = find(self, cell.env.stubs, cell.env.stub_path)
        if found is MISSING or (isinstance(found, Cell) and found.flags & DEFAULT):
            return value
        if isinstance(found, Cell):
            cell.origin = found.origin
            cell.flags |= found.flags & (TEMPORARY | STATE)
        return self.force(found)

    def _template_of(self, tree: Call, cell: Cell) -> Template:
        if len(tree.arguments) < 2:
            raise Problem("empty template value", tree)
        body = tree.arguments[1].value
        assert cell.node is not None

        def prepare(env: Env) -> Cell:
            made = Cell(cell.node, env, False)
            made.value = body
            return made

        return Template(cell.node, cell.env, prepare)

    def parse(self, body: str, cell: Cell | None) -> Expression:
        """The tree of the text between the delimiters.

        Raises:
            Problem: at its place, which nothing notices.
        """
        try:
            return self.run.language.parse(body, 2)
        except LanguageError as error:
            problem = Problem(error.summary, None, error.hint, error.code, final=True)
            problem.node = Literal(None, error.start, error.end)
            problem.home = cell
        raise problem

    # maps

    def table(self, cell: Cell, node: Map, env: Env) -> Any:
        """A map of a document, or the template that it is."""
        stub = find(self, env.stubs, env.stub_path)
        if isinstance(stub, Cell):
            cell.flags |= stub.flags & (TEMPORARY | STATE)
        made = Table(node, env)
        items = node.items
        keys = [key for key in INSERTIONS if key in items]
        if len(keys) > 1:
            raise Problem("multiple merge keys not allowed")
        self.meter.work(len(items))
        merged = replace = False
        within = env.inside(made)
        if keys:
            inserted = items[keys[0]]
            tree = self._tree_at(inserted, cell)
            flags = flags_of(tree)
            cell.flags |= flags & ~TEMPLATE
            if flags & TEMPLATE:
                return Template(node, env, lambda use: Cell(without_marker(node, self), use, False))
            if not (flags and isinstance(tree, Call) and len(tree.arguments) < 2):
                made.insertion = Cell(inserted, within, False)
                made.at = [*items].index(keys[0])
                if tree is not None and _merges(tree):
                    merged, replace, within = self._merge(made, tree, within)
        for key, child in items.items():
            if not (keys and key == keys[0]) and not replace:
                made.cells[key] = Cell(child, within.at(key))
        if not merged and stub is not MISSING:
            self._inject(made, self.force(stub))
        return made

    def _merge(self, made: Table, tree: Expression, within: Env) -> tuple[bool, bool, Env]:
        """Does what `<<: (( merge .. ))` says, before anything else of a map is looked at."""
        before, self.info = self.info, Info()
        try:
            cell = made.insertion
            assert cell is not None
            try:
                value = self.expressions.evaluate(tree, within)
            except Problem:
                if not is_optional(tree, within):
                    raise
                value = None
            cell.value, cell.status = value, DONE
            info = self.info
        finally:
            self.info = before
        if info.redirect is not MISSING:
            path = info.redirect
            frame = within.redirected(path or None)
            return info.merged, info.replace, frame
        return info.merged, info.replace, within

    def _inject(self, made: Table, stub: Any) -> None:
        if not isinstance(stub, Table):
            return
        for key, cell in (self.entries(stub) or {}).items():
            missing = key not in made.cells
            if missing and isinstance(cell, Cell) and cell.flags & (INJECT | DEFAULT):
                made.cells[key] = cell

    def _tree_at(self, node: AnyNode, cell: Cell) -> Expression | None:
        """The tree of an insertion that is one expression."""
        text = node.value if isinstance(node, Scalar) else None
        body = inner(text) if isinstance(text, str) else None
        if body is None:
            return None
        try:
            return self.parse(body, cell)
        except Problem as problem:
            problem.home = Cell(node, cell.env)
            raise

    def entries(self, table: Any) -> dict[str, Any] | None:
        """The keys of a map with their cells or values; None for one that is undefined.

        Raises:
            Waiting: for what is inserted.
        """
        if table.__class__ is dict:
            return table  # type: ignore[no-any-return]
        if table.insertion is None:
            return table.cells  # type: ignore[no-any-return]
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
                    made[key] = overlaid(self, one, table.env.inside(table).at(key))
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

    # lists

    def rows(self, cell: Cell, node: Array, env: Env) -> Any:
        """A list of a document, or the template that it is."""
        spliced: list[tuple[Any, bool]] = []
        key_name, redirect = "", MISSING
        unkeyed = nomerge = False
        self.meter.work(len(node.items))
        for child in node.items:
            insertion = _insertion(child)
            if insertion is None:
                field, plain = _key_field(child)
                if field:
                    unkeyed = unkeyed or field[0] == "!" or (key_name not in ("", field))
                    key_name = field.removeprefix("!")
                    child = plain
                spliced.append((child, False))
                continue
            tree = self._tree_at(insertion, cell)
            flags = flags_of(tree)
            cell.flags |= flags & ~TEMPLATE
            if flags & TEMPLATE:
                return Template(node, env, lambda use: Cell(without_marker(node, self), use, False))
            if flags and isinstance(tree, Call) and len(tree.arguments) < 2:
                continue
            merges = tree is not None and _merges(tree)
            nomerge = nomerge or merges
            inserted = Cell(insertion, env, False)
            before, self.info = self.info, Info()
            try:
                try:
                    if merges:
                        assert tree is not None
                        value = self.expressions.evaluate(tree, env)
                    else:
                        value = self.force(inserted)
                except Problem:
                    if tree is None or not is_optional(tree, env):
                        raise
                    value = None
                info = self.info
            finally:
                self.info = before
            key_name = info.key_name or inserted.key_name or key_name
            redirect = info.redirect if info.redirect is not MISSING else redirect
            if isinstance(value, list):
                self.meter.work(len(value))
                fresh = [one for one in value if not self._has(node, one, key_name or "name")]
                if info.replace:
                    spliced = [(one, True) for one in value]
                    break
                spliced += [(one, True) for one in (fresh if merges else value)]
        if redirect is not MISSING:
            env = env.redirected(redirect or None)
        return self._keyed(spliced, "" if unkeyed else key_name or "name", env, nomerge, key_name)

    def _has(self, node: Array, one: Any, key: str) -> bool:
        name = self.field(one, key)
        return name is not None and any(
            isinstance(child, Map)
            and isinstance(found := child.get(key), Scalar)
            and found.value == name
            for child in node.items
        )

    def field(self, one: Any, key: str) -> str | None:
        """The text under a key of a map."""
        value = self.force(one)
        if not isinstance(value, dict | Table):
            return None
        found = self.force((self.entries(value) or {}).get(key))
        return found if isinstance(found, str) else None

    def _keyed(
        self, spliced: list[tuple[Any, bool]], key: str, env: Env, nomerge: bool, key_name: str
    ) -> Rows:
        """The cells of a list; maps with a name of their own have it as their step."""
        steps: list[str] = []
        made: list[Any] = []
        for number, (one, _) in enumerate(spliced):
            name = self._name(one, key, env) if key else None
            steps.append(f"[{number}]" if name is None else f"{key}:{name}")
        named = all(step[0] != "[" for step in steps) and len({*steps}) == len(steps)
        for number, (one, ready) in enumerate(spliced):
            own = env.at(steps[number] if named else f"[{number}]")
            if nomerge and not named:
                own = own.redirected(None)
            if ready:
                made.append(one)
            else:
                made.append(Cell(one, own, False))
        return Rows(made, key_name)

    def _name(self, one: Any, key: str, env: Env) -> str | None:
        if isinstance(one, Map):
            field = one.get(key)
            value = field.value if isinstance(field, Scalar) else None
            if isinstance(value, str) and inner(value) is not None:
                if not env.stubs:
                    return None
                value = self.force(Cell(field, env, False))
            return value if isinstance(value, str) else None
        return self.field(one, key) if not isinstance(one, Scalar | Array) else None

    # whole values

    def deep(self, value: Any) -> Any:
        """A value of which all is known.

        Raises:
            Waiting: for a part that fails.
        """
        cell = value if value.__class__ is Cell else None
        if cell is not None:
            if cell.deep:
                return cell.value
            value = self.force(cell)
            if value.__class__ in _WITH_PARTS:
                if cell.status == DONE:
                    cell.status = BUSY
                    self.busy.append(cell)
                try:
                    self.meter.with_room(lambda: self._deep(value))
                finally:
                    if cell.status == BUSY:
                        cell.status = DONE
                        self.busy.pop()
            cell.deep = True
        elif value.__class__ in _WITH_PARTS:
            self.meter.with_room(lambda: self._deep(value))
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

    # templates and functions

    def use(self, template: Template, env: Env) -> Any:
        """A template evaluated where it is used.

        Raises:
            Problem: something in it fails.
            Waiting: it needs something outside of it that fails.
        """
        instance = Instance(env.instance)
        here = env.local({SELF: template}).standing_in(instance)
        made = template.prepare(here)

        def whole() -> Any:
            if made.value is not None:
                found = self.expressions.evaluate(made.value, here)
                return self.deep(found)
            return self.deep(made)

        with_hop = self.hop
        try:
            return with_hop(whole)
        except Problem as problem:
            raise self.unusable(template, problem) from None
        except Waiting as waiting:
            cause = waiting.cause
            if cause is None or not cause.env.belongs_to(instance):
                raise
            assert isinstance(cause.failure, Problem)
            raise self.unusable(template, cause.failure) from None

    def unusable(self, template: Template, why: Problem) -> Problem:
        """The failure of a use of a template for what fails in it."""
        name = ".".join(template.env.path)
        sentence = f"resolution of template '{name}' failed"
        problem = Problem(f"{sentence}: {why.sentence}", hint=why.hint, code=why.code)
        problem.sentence, problem.final = sentence, why.final
        problem.notes = why.notes or ((why.node, why.home, "it fails here"),)
        return problem

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

    def lambda_text(self, function: Lambda) -> str:
        """A function as a result shows it."""
        return f"(( {function.text} ))"

    def document(self, node: AnyNode, env: Env, override: bool = True) -> Cell:
        """The cell of a document of its own."""
        cell = Cell(node, env, override)
        env.__dict__["root"] = cell
        return cell

    def bindings(self) -> Env:
        """The outermost scope: the bindings."""
        values = self.run.values
        root = known(values, Env())
        env = Env(root=root)
        return env.local(values) if values else env


_WITH_PARTS: Final = (Table, dict, Rows, list)


def flags_of(tree: Expression | None) -> int:
    """The markers of an expression."""
    if not (isinstance(tree, Call) and tree.function == forms.MARKED):
        return 0
    first = tree.arguments[0].value
    assert isinstance(first, Literal)
    found = 0
    for name in first.value.split():
        flag = MARKERS.get(name)
        if flag is None:
            what = "tags are" if name.startswith("&tag") else f"`{name}` is"
            raise Problem(f"{what} not supported", tree, code="function_not_supported", final=True)
        found |= flag
    return found


def _merges(tree: Expression) -> bool:
    return any(isinstance(one, Call) and one.function == forms.MERGE for one in walk(tree))


def is_optional(tree: Expression, env: Env) -> bool:
    """True for a `merge` alone, which may find nothing where a map or a list is inserted."""
    if not (isinstance(tree, Call) and tree.function == forms.MERGE and len(tree.arguments) == 1):
        return False
    first = tree.arguments[0].value
    how = first.value if isinstance(first, Literal) else ""
    return how not in ("replace", "required") and env.path == env.stub_path


def _insertion(child: AnyNode) -> AnyNode | None:
    """What an entry of a list inserts."""
    if isinstance(child, Map) and len(child.items) == 1:
        return child.get("<<") or child.get("<<<")
    return None


def _key_field(child: AnyNode) -> tuple[str, AnyNode]:
    """The field of `key:FIELD`, by which the maps of a list are addressed, and the map without."""
    if not isinstance(child, Map):
        return "", child
    field = next((key[4:] for key in child.items if key.startswith("key:") and len(key) > 4), "")
    if not field:
        return "", child
    items = {
        key[4:].removeprefix("!") if key.startswith("key:") else key: one
        for key, one in child.items.items()
    }
    return field, child.replacing(items)


def without_marker(node: Map | Array, evaluation: Evaluation) -> AnyNode:
    """The node that a template evaluates: its own marker is gone, what it inserts stays."""
    if isinstance(node, Array):
        kept: list[AnyNode] = []
        for child in node.items:
            inserted = _insertion(child)
            if inserted is None:
                kept.append(child)
                continue
            rest = _unmarked(inserted)
            if rest is not None:
                assert isinstance(child, Map)
                kept.append(child.replacing(dict.fromkeys(child.items, rest)))
        return Array(kept, node.trail, node.start, node.end)
    items = dict(node.items)
    for key in INSERTIONS:
        if key in items:
            rest = _unmarked(items[key])
            if rest is None:
                del items[key]
            else:
                items[key] = rest
    return node.replacing(items)


def _unmarked(node: AnyNode) -> AnyNode | None:
    """An insertion without its markers; None when nothing is left."""
    from .grammar import parse

    text = node.value if isinstance(node, Scalar) else None
    body = inner(text) if isinstance(text, str) else None
    if body is None:
        return node
    tree = parse(body)
    if not flags_of(tree):
        return node
    assert isinstance(tree, Call)
    if len(tree.arguments) < 2:
        return None
    group = tree.arguments[1].value
    # spaces keep the places
    rest = f"(({' ' * group.start}{body[group.start : group.end]}))"
    return Scalar(rest, node.trail, node.start, node.end)


def place_of(problem: Problem, language: Language, cell: Cell | None = None) -> Span | None:
    """Where a problem is: the part of its expression that is to blame, or all of its node."""
    home = cell or problem.home
    node = home.node if home is not None else None
    if node is None:
        return None
    part = problem.node
    text = node.value if isinstance(node, Scalar) else None
    if part is None or not isinstance(text, str) or not 0 <= part.start < part.end <= len(text):
        return node.span
    from ...values.positions import span_in_scalar

    return span_in_scalar(node.trail.source, node.start, node.end, text, part.start, part.end)


__all__ = ["Evaluation", "FunctionError", "Run"]
