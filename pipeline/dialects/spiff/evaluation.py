"""The evaluation of documents: the value of each kind of node, and documents inside of others."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from ...language.language import Language
from ...values.expression import Call
from ...values.positions import span_in_scalar
from ...values.source import Span
from ...values.tree import AnyNode, Array, Map, Scalar
from .expressions import flags_of
from .merging import Merging
from .printing import show
from .scope import (
    DEFAULT,
    MISSING,
    SELF,
    STATE,
    TEMPLATE,
    TEMPORARY,
    Cell,
    Env,
    Instance,
    Problem,
    Template,
    Waiting,
    known,
    type_name,
)
from .syntax import inner

_STEPS_A_USE: Final = 30


class Evaluation(Merging):
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
        body = tree.arguments[1].value
        assert cell.node is not None

        def prepare(env: Env) -> Cell:
            made = Cell(cell.node, env, False)
            made.value = body
            return made

        marked = Scalar(f"(( {show(tree)} ))", cell.node.trail, cell.node.start, cell.node.end)
        return Template(marked, cell.env, prepare)

    def use(self, template: Template, env: Env) -> Any:
        """A template evaluated where it is used.

        Raises:
            Problem: something in it fails.
            Waiting: it needs something outside of it that fails.
        """
        self.meter.work(_STEPS_A_USE)
        instance = Instance(env.instance)
        here = env.local({SELF: template}).standing_in(instance)
        made = template.prepare(here)

        def whole() -> Any:
            if made.value is not None:
                found = self.evaluate(made.value, here)
                return self.deep(found)
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
            if isinstance(value, Template):
                cell = value.prepare(here)
                cell.override = True
            else:
                made = self.overlaid(value, here)
                cell = made if made.__class__ is Cell else known(made, here)
            here.__dict__["root"] = cell
            self.deep(cell)
            stubs = (cell, *stubs)
        return self.force(stubs[0])

    def imported(self, nodes: list[AnyNode], kind: str, fresh: bool, env: Env) -> Any:
        """What documents give that are read: templates, values, or parts of this document."""
        if kind in ("template", "templates"):
            made = [Template(node, env, partial(Cell, node, override=False)) for node in nodes]
            return made[0] if kind == "template" else made
        while kind.endswith("multi") or kind.startswith("multi"):
            last = nodes[-1]
            if len(nodes) < 2 or not (isinstance(last, Scalar) and last.value is None):
                break
            nodes = nodes[:-1]
        here = env.redirected(None)
        cells = [Cell(node, here, False) for node in nodes]
        if fresh:
            cells = [self.document(node, here.fresh_root(None), False) for node in nodes]
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
