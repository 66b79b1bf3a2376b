"""The evaluation of documents: their nodes, what is inserted into them, what stubs put there."""

from __future__ import annotations

from typing import Any, Final

from ...language.language import Language
from ...values.expression import Call, Expression, Literal, walk
from ...values.positions import span_in_scalar
from ...values.source import Span
from ...values.tree import AnyNode, Array, Map, Scalar
from . import forms
from .cells import Info
from .expressions import Expressions, flags_of
from .reader import parse
from .printing import show
from .scope import (
    DEFAULT,
    DONE,
    INJECT,
    INSERTIONS,
    MISSING,
    SELF,
    STATE,
    TEMPLATE,
    TEMPORARY,
    Cell,
    Env,
    Instance,
    Problem,
    Rows,
    Table,
    Template,
    Waiting,
    known,
    type_name,
)
from .syntax import inner

_STEPS_A_USE: Final = 30


class Evaluation(Expressions):
    """The evaluation of a run."""

    def computed(self, cell: Cell) -> Any:
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
            if isinstance(tree, Call) and TEMPLATE & (flags := flags_of(tree)):
                cell.flags |= flags & ~TEMPLATE
                value = self._template_of(tree, cell)
                break
            value = self.evaluate(tree, env)
            body = inner(value) if isinstance(value, str) else None
        cell.flags |= info.flags
        cell.key_name = info.key_name
        if info.preferred:
            return self.force(self.overlaid(value, env)) if type_name(value) != "string" else value
        if info.merged or info.replace or not cell.override or info.redirect not in (MISSING, ()):
            return value
        return self._overridden(cell, value)

    def _overridden(self, cell: Cell, value: Any) -> Any:
        """The value that a stub has instead of one, if any has."""
        found = self.find(cell.env.stubs, cell.env.stub_path)
        if found is MISSING or (isinstance(found, Cell) and found.flags & DEFAULT):
            return value
        if isinstance(found, Cell):
            cell.origin = found.origin
            cell.flags |= found.flags & (TEMPORARY | STATE)
        return self.force(found)

    def _template_of(self, tree: Call, cell: Cell) -> Template:
        if len(tree.arguments) < 2:
            raise Problem("empty template value", tree)
        node = cell.node
        assert node is not None
        shown = Scalar(f"(( {show(tree)} ))", node.trail, node.start, node.end)
        return Template(shown, cell.env, tree.arguments[1].value)

    def use(self, template: Template, env: Env) -> Any:
        """A template evaluated where it is used.

        Raises:
            Problem: something in it fails.
            Waiting: it needs something outside of it that fails.
        """
        self.meter.work(_STEPS_A_USE)
        instance = Instance(env.instance)
        here = env.local({SELF: template}).standing_in(instance)
        made = template.cell(here)

        def whole() -> Any:
            if made is None:
                return self.deep(self.evaluate(template.prepared, here))  # type: ignore[arg-type]
            return self.deep(made)

        try:
            return self.hop(whole)
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

    def merged(self, values: list[Any], env: Env) -> Any:
        """The first map in front of the others as its stubs."""
        stubs: tuple[Cell, ...] = ()
        for value in reversed(values):
            here = Env(stubs=stubs, outer=env)
            made = value.cell(here, True) if isinstance(value, Template) else None
            made = made or self.overlaid(value, here)
            cell = made if isinstance(made, Cell) else known(made, here)
            here.__dict__["root"] = cell
            self.deep(cell)
            stubs = (cell, *stubs)
        return self.force(stubs[0])

    def imported(self, nodes: list[AnyNode], kind: str, fresh: bool, env: Env) -> Any:
        """What documents give that are read: templates, values, or parts of this document."""
        if kind in ("template", "templates"):
            made = [Template(node, env, node) for node in nodes]
            return made[0] if kind == "template" else made
        while "multi" in kind and len(nodes) > 1 and getattr(nodes[-1], "value", "") is None:
            nodes = nodes[:-1]
        here = env.redirected(None)
        cells = [Cell(node, here, False) for node in nodes]
        if fresh:
            cells = [self.document(node, here.redirected(None), False) for node in nodes]
        single = kind in ("yaml", "import")
        if not cells:  # a text that holds nothing
            return None if single else []
        if kind in ("yaml", "multiyaml"):
            values = [self.deep(cell) for cell in cells]
            return values[0] if single else values
        return self.force(cells[0]) if single else cells

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

    # maps and lists

    def table(self, cell: Cell, node: Map, env: Env) -> Any:
        """A map of a document, or the template that it is."""
        self.hold_depth(env)
        stub = self.find(env.stubs, env.stub_path)
        if isinstance(stub, Cell):
            cell.flags |= stub.flags & (TEMPORARY | STATE)
        made = Table(node, env)
        items = node.items
        keys = [key for key in INSERTIONS if key in items]
        if len(keys) > 1:
            raise Problem("multiple merge keys not allowed")
        self.meter.work(len(items))
        replace = False
        within = env.inside(made)
        if keys:
            inserted = items[keys[0]]
            tree = self._tree_at(inserted, cell)
            flags = flags_of(tree)
            cell.flags |= flags & ~TEMPLATE
            if flags & TEMPLATE:
                return Template(node, env, without_marker(node))
            if not (flags and isinstance(tree, Call) and len(tree.arguments) < 2):
                made.insertion = Cell(inserted, within, False)
                made.at = [*items].index(keys[0])
                if tree is not None and _merges(tree):
                    # what it says about the map counts before anything else of it is looked at
                    made.insertion.value, info = self._inserted(tree, inserted, within)
                    made.insertion.status = DONE
                    made.merged, replace = info.merged, info.replace
                    if info.redirect is not MISSING:
                        within = within.redirected(info.redirect or None)
        for key, child in items.items():
            if not (keys and key == keys[0]) and not replace:
                made.cells[key] = Cell(child, within, step=key)
        if not made.merged and stub is not MISSING:
            self._inject(made, self.force(stub))
        return made

    def _inserted(self, tree: Expression | None, node: AnyNode, env: Env) -> tuple[Any, Info]:
        """What an insertion gives, and what it says about its map or list."""
        before, self.info = self.info, Info()
        try:
            value = self.force(Cell(node, env, False)) if tree is None else self.evaluate(tree, env)
        except Problem as problem:
            problem.home = problem.home or Cell(node, env)
            if tree is None or not is_optional(tree, env):
                raise
            value = None
        finally:
            info, self.info = self.info, before
        return value, info

    def _inject(self, made: Table, stub: Any) -> None:
        if not isinstance(stub, Table):
            return
        for key, cell in (self.entries(stub) or {}).items():
            if key not in made.cells and _is_injected(cell):
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

    def rows(self, cell: Cell, node: Array, env: Env) -> Any:
        """A list of a document, or the template that it is."""
        self.hold_depth(env)
        spliced: list[tuple[Any, bool]] = []
        key_name = ""
        redirect: Any = MISSING
        unkeyed = nomerge = merged = False
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
                return Template(node, env, without_marker(node))
            if flags and isinstance(tree, Call) and len(tree.arguments) < 2:
                continue
            nomerge = nomerge or (tree is not None and _merges(tree))
            value, info = self._inserted(tree, insertion, env)
            merged = merged or info.merged
            key_name = info.key_name or key_name
            redirect = info.redirect if info.redirect is not MISSING else redirect
            if isinstance(value, list):
                self.meter.work(len(value))
                if info.replace:
                    spliced = [(one, True) for one in value]
                    break
                names = key_name or "name"
                spliced += [(one, True) for one in value if not self._has(node, one, names)]
        if not merged:
            stub = self.force(self.find(env.stubs, env.stub_path))
            injected = stub if isinstance(stub, list) else []
            spliced[:0] = [(one, True) for one in injected if _is_injected(one)]
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
        here = env.redirected(None) if nomerge and not named else env
        for number, (one, ready) in enumerate(spliced):
            step = steps[number] if named else f"[{number}]"
            made.append(one if ready else Cell(one, here, False, step=step))
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
    return span_in_scalar(node.trail.source, node.start, node.end, text, part.start, part.end)


def _is_injected(one: Any) -> bool:
    return one.__class__ is Cell and bool(one.flags & (INJECT | DEFAULT))


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


def without_marker(node: Map | Array) -> AnyNode:
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
