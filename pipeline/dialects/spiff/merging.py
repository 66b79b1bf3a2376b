"""Maps and lists of documents: what is inserted into them, and what stubs put into them."""

from __future__ import annotations

from typing import Any

from ...values.expression import Call, Expression, Literal, walk
from ...values.tree import AnyNode, Array, Map, Scalar
from . import forms
from .cells import Info
from .expressions import Expressions, flags_of
from .grammar import parse
from .scope import (
    DEFAULT,
    DONE,
    INJECT,
    INSERTIONS,
    MISSING,
    STATE,
    TEMPLATE,
    TEMPORARY,
    Cell,
    Env,
    Problem,
    Rows,
    Table,
    Template,
)
from .syntax import inner


class Merging(Expressions):
    """Makes the maps and lists of documents."""

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
                return Template(node, env, lambda use: Cell(without_marker(node), use, False))
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
            missing = key not in made.cells
            if missing and _is_injected(cell):
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
                return Template(node, env, lambda use: Cell(without_marker(node), use, False))
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
