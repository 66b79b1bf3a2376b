"""The evaluation of documents: their nodes, what is inserted into them, what stubs put there."""

from __future__ import annotations

from typing import Any, Final

from ...values.expression import Call, Expression, Literal, Reference, walk
from ...values.tree import AnyNode, Array, Map, Scalar
from . import forms
from .cells import Cells, Info
from .printing import show
from .reader import parse
from .scope import (
    DEFAULT,
    DONE,
    INJECT,
    INSERTIONS,
    MARKERS,
    MISSING,
    SELF,
    STATE,
    TEMPLATE,
    TEMPORARY,
    Cell,
    Env,
    Problem,
    Rows,
    Table,
    Template,
    Waiting,
    known,
    type_name,
)
from .syntax import expression_in, inner

_STEPS_A_USE: Final = 30


def computed(cells: Cells, cell: Cell) -> Any:
    node, env = cell.node, cell.env
    match node:
        case Map():
            return table(cells, cell, node, env)
        case Array():
            return rows(cells, cell, node, env)
        case Scalar():
            return _scalar(cells, cell, node.value)
    raise TypeError(f"{node!r} cannot be evaluated")


def _scalar(cells: Cells, cell: Cell, value: Any) -> Any:
    env, info = cell.env, cells.info
    body = inner(value) if isinstance(value, str) else None
    while body is not None:
        cells.meter.work()
        tree = cells.parse(body, cell)
        if isinstance(tree, Call) and TEMPLATE & (flags := flags_of(tree)):
            cell.flags |= flags & ~TEMPLATE
            value = _template_of(cells, tree, cell)
            break
        value = cells.evaluate(tree, env)
        body = inner(value) if isinstance(value, str) else None
    cell.flags |= info.flags
    cell.key_name = info.key_name
    if info.preferred:
        return cells.force(cells.overlaid(value, env)) if type_name(value) != "string" else value
    if info.merged or info.replace or not cell.override or info.redirect not in (MISSING, ()):
        return value
    return _overridden(cells, cell, value)


def _overridden(cells: Cells, cell: Cell, value: Any) -> Any:
    """The value that a stub has instead of one, if any has."""
    found = cells.find(cell.env.stubs, cell.env.stub_path)
    if found is MISSING or (isinstance(found, Cell) and found.flags & DEFAULT):
        return value
    if isinstance(found, Cell):
        cell.origin = found.origin
        cell.flags |= found.flags & (TEMPORARY | STATE)
    return cells.force(found)


def _template_of(cells: Cells, tree: Call, cell: Cell) -> Template:
    if len(tree.arguments) < 2:
        raise Problem("empty template value", tree)
    node = cell.node
    assert node is not None
    shown = Scalar(f"(( {show(tree)} ))", node.trail, node.start, node.end)
    return Template(shown, cell.env, tree.arguments[1].value)


def use(cells: Cells, template: Template, env: Env) -> Any:
    """A template evaluated where it is used.

    Raises:
        Problem: something in it fails.
        Waiting: it needs something outside of it that fails.
    """
    cells.meter.work(_STEPS_A_USE)
    this = object()
    here = env.local({SELF: template}).but(uses=(*env.uses, this))
    made = template.cell(here)

    def whole() -> Any:
        return cells.deep(made or cells.evaluate(template.prepared, here))  # type: ignore[arg-type]

    try:
        return cells.hop(whole)
    except Problem as problem:
        raise _unusable(template, problem) from None
    except Waiting as waiting:
        cause = waiting.cause
        if cause is None or this not in cause.env.uses:
            raise
        assert isinstance(cause.failure, Problem)
        raise _unusable(template, cause.failure) from None


def _unusable(template: Template, why: Problem) -> Problem:
    """The failure of a use of a template for what fails in it."""
    name = ".".join(template.env.path)
    sentence = f"resolution of template '{name}' failed"
    notes = why.notes or ((why.node, why.home, "it fails here"),)
    problem = Problem(
        f"{sentence}: {why.sentence}", None, why.hint, why.code, notes, final=why.final
    )
    problem.sentence = sentence
    return problem


def merged(cells: Cells, values: list[Any], env: Env) -> Any:
    """The first map in front of the others as its stubs."""
    stubs: tuple[Cell, ...] = ()
    for value in reversed(values):
        here = Env(stubs=stubs, outer=env)
        made = value.cell(here, True) if isinstance(value, Template) else None
        made = made or cells.overlaid(value, here)
        cell = made if isinstance(made, Cell) else known(made, here)
        here.root = cell
        cells.deep(cell)
        stubs = (cell, *stubs)
    return cells.force(stubs[0])


def imported(cells: Cells, nodes: list[AnyNode], kind: str, fresh: bool, env: Env) -> Any:
    """What documents give that are read: templates, values, or parts of this document."""
    if kind in ("template", "templates"):
        templates = [Template(node, env, node) for node in nodes]
        return templates[0] if kind == "template" else templates
    while "multi" in kind and len(nodes) > 1 and getattr(nodes[-1], "value", "") is None:
        nodes = nodes[:-1]
    here = env.redirected(None)
    made = [
        document(node, here.but(), False) if fresh else Cell(node, here, False) for node in nodes
    ]
    single = kind in ("yaml", "import")
    if not made:  # a text that holds nothing
        return None if single else []
    if kind in ("yaml", "multiyaml"):
        values = [cells.deep(cell) for cell in made]
        return values[0] if single else values
    return cells.force(made[0]) if single else made


def document(node: AnyNode, env: Env, override: bool = True) -> Cell:
    """The cell of a document of its own."""
    cell = Cell(node, env, override)
    env.root = cell
    return cell


def bindings(cells: Cells) -> Env:
    """The outermost scope: the bindings."""
    values = cells.run.values
    env = Env(root=known(values, Env()))
    return env.local(values) if values else env


def table(cells: Cells, cell: Cell, node: Map, env: Env) -> Any:
    """A map of a document, or the template that it is."""
    cells.hold_depth(env)
    stub = cells.find(env.stubs, env.stub_path)
    if isinstance(stub, Cell):
        cell.flags |= stub.flags & (TEMPORARY | STATE)
    made = Table(node, env)
    items = node.items
    keys = [key for key in INSERTIONS if key in items]
    if len(keys) > 1:
        raise Problem("multiple merge keys not allowed")
    cells.meter.work(len(items))
    replace = False
    within = env.inside(made)
    if keys:
        inserted = items[keys[0]]
        tree = _tree_at(cells, inserted, cell)
        flags = flags_of(tree)
        cell.flags |= flags & ~TEMPLATE
        if flags & TEMPLATE:
            return Template(node, env, without_marker(node))
        if not (flags and isinstance(tree, Call) and len(tree.arguments) < 2):
            made.insertion = Cell(inserted, within, False)
            made.at = [*items].index(keys[0])
            if tree is not None and _merges(tree):
                # what it says about the map counts before anything else of it is looked at
                made.insertion.value, info = _inserted(cells, tree, inserted, within)
                made.insertion.status = DONE
                made.merged, replace = info.merged, info.replace
                if info.redirect is not MISSING:
                    within = within.redirected(info.redirect or None)
    for key, child in items.items():
        if not (keys and key == keys[0]) and not replace:
            made.cells[key] = Cell(child, within, step=key)
    injected = cells.force(stub) if not made.merged and stub is not MISSING else None
    if isinstance(injected, Table):
        for key, one in (cells.entries(injected) or {}).items():
            if key not in made.cells and _is_injected(one):
                made.cells[key] = one
    return made


def _inserted(cells: Cells, tree: Expression | None, node: AnyNode, env: Env) -> tuple[Any, Info]:
    """What an insertion gives, and what it says about its map or list."""
    before, cells.info = cells.info, Info()
    try:
        value = cells.force(Cell(node, env, False)) if tree is None else cells.evaluate(tree, env)
    except Problem as problem:
        problem.home = problem.home or Cell(node, env)
        if tree is None or not is_optional(tree, env):
            raise
        value = None
    finally:
        info, cells.info = cells.info, before
    return value, info


def _tree_at(cells: Cells, node: AnyNode, cell: Cell) -> Expression | None:
    """The tree of an insertion that is one expression."""
    body = expression_in(node)
    return None if body is None else cells.parse(body, Cell(node, cell.env))


def rows(cells: Cells, cell: Cell, node: Array, env: Env) -> Any:
    """A list of a document, or the template that it is."""
    cells.hold_depth(env)
    spliced: list[tuple[Any, bool]] = []
    key_name = ""
    redirect: Any = MISSING
    unkeyed = nomerge = merged = False
    cells.meter.work(len(node.items))
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
        tree = _tree_at(cells, insertion, cell)
        flags = flags_of(tree)
        cell.flags |= flags & ~TEMPLATE
        if flags & TEMPLATE:
            return Template(node, env, without_marker(node))
        if flags and isinstance(tree, Call) and len(tree.arguments) < 2:
            continue
        nomerge = nomerge or (tree is not None and _merges(tree))
        value, info = _inserted(cells, tree, insertion, env)
        merged = merged or info.merged
        key_name = info.key_name or key_name
        redirect = info.redirect if info.redirect is not MISSING else redirect
        if isinstance(value, list):
            cells.meter.work(len(value))
            if info.replace:
                spliced = [(one, True) for one in value]
                break
            key = key_name or "name"
            fields = [child.get(key) for child in node.items if isinstance(child, Map)]
            names = {None, *(one.value for one in fields if isinstance(one, Scalar))} - {None}
            spliced += [(one, True) for one in value if cells.field(one, key) not in names]
    if not merged:
        stub = cells.force(cells.find(env.stubs, env.stub_path))
        injected = stub if isinstance(stub, list) else []
        spliced[:0] = [(one, True) for one in injected if _is_injected(one)]
    if redirect is not MISSING:
        env = env.redirected(redirect or None)
    return _keyed(cells, spliced, "" if unkeyed else key_name or "name", env, nomerge, key_name)


def _keyed(
    cells: Cells, spliced: list[tuple[Any, bool]], key: str, env: Env, nomerge: bool, key_name: str
) -> Rows:
    """The cells of a list; maps with a name of their own have it as their step."""
    steps: list[str] = []
    made: list[Any] = []
    for number, (one, _) in enumerate(spliced):
        name = _name(cells, one, key, env) if key else None
        steps.append(f"[{number}]" if name is None else f"{key}:{name}")
    named = all(step[0] != "[" for step in steps) and len({*steps}) == len(steps)
    here = env.redirected(None) if nomerge and not named else env
    for number, (one, ready) in enumerate(spliced):
        step = steps[number] if named else f"[{number}]"
        made.append(one if ready else Cell(one, here, False, step=step))
    return Rows(made, key_name)


def _name(cells: Cells, one: Any, key: str, env: Env) -> str | None:
    if isinstance(one, Map):
        field = one.get(key)
        value = field.value if isinstance(field, Scalar) else None
        if expression_in(field) is not None:
            value = cells.force(Cell(field, env, False)) if env.stubs else None
        return value if isinstance(value, str) else None
    return cells.field(one, key) if not isinstance(one, Scalar | Array) else None


# what an expression says about its node


def on_merge(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    info = cells.info
    first = tree.arguments[0].value
    how = first.value if isinstance(first, Literal) else ""
    path = env.stub_path or ()
    if " on " in f" {how}":
        info.key_name = how.rpartition(" ")[2]
    if len(tree.arguments) > 1:
        target = tree.arguments[1].value
        if isinstance(target, Call):
            target = target.arguments[1].value
        assert isinstance(target, Reference)
        if target.root == "none" and not target.path:
            info.redirect, info.merged = (), True
            return None
        path = (target.root, *[f"[{s}]" if isinstance(s, int) else s for s in target.path])
        info.redirect = path
    elif env.path != env.stub_path:
        info.redirect = path
    found = cells.find(env.stubs, path)
    if found is MISSING:
        raise Problem(f"'{'.'.join(path)}' not found in any stub", tree)
    info.replace = "replace" in how
    info.merged = True
    if found.__class__ is Cell:
        info.flags |= found.flags
    return cells.force(found)


def on_automatic(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    path = env.path
    if not (len(path) == 3 and path[0] == "resource_pools" and path[2] == "size"):
        raise Problem("auto only allowed for size entry in resource pools", tree)
    jobs = cells.evaluate(Reference("", ("jobs",), False, tree.start, tree.end), env)
    if not isinstance(jobs, list):
        raise Problem("jobs must be a list", tree)
    pool, size = path[1].rpartition(":")[2], 0
    for job in map(cells.force, jobs):
        if isinstance(job, Table | dict) and cells.field(job, "resource_pool") == pool:
            count = cells.force(cells.child(job, "instances"))
            if type(count) is not int:
                raise Problem("instances must be an integer", tree)
            size += count
    return size


def on_prefer(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    value = cells.evaluate(tree.arguments[0].value, env, local)
    cells.info.preferred = True
    return value


def on_marked(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    cells.info.flags |= flags_of(tree)
    return cells.evaluate(tree.arguments[1].value, env) if len(tree.arguments) > 1 else None


def on_substituted(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    value = cells.evaluate(tree.arguments[0].value, env)
    if not isinstance(value, Template):
        raise Problem("template value required", tree)
    return use(cells, value, env)


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
    body = expression_in(node)
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
