"""`why`, `diff` and source maps of promotions: the tree of paths, and the causes of values."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from .....functions.expr.kinds import Struct
from .....functions.record import field
from .....functions.values import Unknown
from ....answers.explanation import KNOWN, NONE_VALUE, SECRET, UNUSED, Cause, Departure
from ....answers.levels import Gone, Level, causes_in
from ....answers.paths import Path
from ....answers.tracing import ABSENT, Trace, Use, trace_in
from ....answers.values import status_of
from ....engine.materialisation import label, to_node
from ....engine.run import Run
from ....engine.string_evaluation import plain_value
from ....language.errors import Failure
from ....values.diagnostics import meant
from ....values.document import Document
from ....values.tree import AnyNode, Map, Scalar, Template
from ...expr.calls import plain
from ..coercion import config_value
from ..evaluation import Variables, of_each_step
from ..execution import Execution
from ..freight import KINDS, made
from ..scope import STEP, STEP_VARIABLE, VARIABLE, VERIFICATION, Place, Scope
from ..stages import Promotions


class PromotionLevel(Level, eq=False):
    """Promotions as one document, in which a path begins with the name of a Stage."""

    executions: Mapping[str, Execution] = field(factory=dict)

    @property
    def alone(self) -> str | None:
        return next(iter(self.executions)) if len(self.executions) == 1 else None

    def full(self, path: Path) -> Path:
        """The path with whole aliases; a short one will do where only one step has it."""
        execution = self.executions.get(str(path[0])) if path else None
        if execution is None or len(path) < 3 or path[1] != "steps":
            return path
        step = execution.promotion.find(str(path[2]))
        return (*path[:2], step.alias, *path[3:]) if step is not None else path

    def hint(self, path: Path) -> str | None:
        """The near alias, also of a step that is gone."""
        if len(path) < 2 or path[0] != "steps":
            return None
        steps = [step for one in self.executions.values() for step in one.promotion.steps]
        return meant(str(path[1]), [name for step in steps for name in (step.alias, step.short)])

    def unread(self) -> Collection[Path]:
        """Variables and the verification: what matters of them is in the steps."""
        return [(name, key) for name in self.executions for key in ("vars", "verification")]

    def causes(self, path: Path, written: AnyNode | None) -> tuple[Cause, ...]:
        finder = self._finder(path)
        return finder.of(written) if finder is not None else ()

    def traced(self, path: Path, template: Template) -> Trace:
        finder = self._finder(path)
        return finder.trace(template) if finder is not None else Trace((), (), ABSENT)

    def made(
        self, path: Path, nodes: list[AnyNode], written: AnyNode | None
    ) -> tuple[str, str] | None:
        """Says so where a string became something else."""
        finder, node = self._finder(path), nodes[-1]
        if finder is None or not isinstance(written, Template) or not isinstance(node, Scalar):
            return None
        value = finder.trace(written).value
        if not isinstance(value, str) or value == node.value or self.reveals:
            return None
        word = {bool: "boolean", type(None): "null"}.get(node.value.__class__, "number")
        if isinstance(node.value, str):
            word = "string without its quotes"
        words = f'computed from the text there; the string "{value}" was coerced to a {word}'
        return "template", words

    def gone(self, path: Path) -> Gone | None:
        """A step that does not run."""
        execution = self.executions.get(str(path[0])) if path else None
        place = execution.promotion.index(str(path[2])) if execution and len(path) > 2 else -1
        if execution is None or path[1] != "steps" or place < 0:
            return super().gone(path)
        outcome = execution.outcomes[place]
        if outcome.runs is not False:
            return super().gone(path)
        node = outcome.step.node
        condition = node.get("if")
        because = outcome.because if condition is None else "its `if` is false"
        return Gone(Departure("prune", because), node, condition or node)

    def _finder(self, path: Path) -> _Finder | None:
        """The causes of a place: a step, a variable, or an argument of the verification."""
        execution = self.executions.get(str(path[0])) if len(path) > 2 else None
        if execution is None:
            return None
        if path[1] == "steps":
            place = execution.promotion.index(str(path[2]))
            if not 0 <= place < len(execution.outcomes):
                return None
            outcome, base = execution.outcomes[place], execution.seen
            seen = outcome.seen
            if seen is None:  # it does not run
                seen = Variables(base.evaluation, execution, outcome.step)
                seen.compute(of_each_step(execution.promotion))
            return _Finder(execution, seen, STEP)
        kind = VARIABLE if path[1] == "vars" else VERIFICATION
        return _Finder(execution, execution.seen, kind) if execution.seen is not None else None


def level_of_promotions(run: Run) -> Level:
    """The promotions of a run by Stage and alias, after each stage and as they were written."""
    assert run.document is not None
    found = run.work.find(Promotions)
    executions = found.executions if found is not None else ()
    stages = tuple(
        (name, _whole(document, executions, False))
        for name, document in run.stages
        if name != "load"
    )
    written = stages[0][1].root if stages else run.document.root
    firsts = run.stages[1][1].parts or () if len(run.stages) > 1 else ()
    parts = tuple(
        Level(part, (), run, first.root)
        for part, first in zip(run.document.parts or (), firsts, strict=False)
    )
    by_name = {one.promotion.label: one for one in executions}
    return PromotionLevel(
        _whole(run.document, executions, True), stages, run, written, parts, executions=by_name
    )


def _whole(document: Document, executions: tuple[Execution, ...], final: bool) -> Document:
    """The promotions of a stage as one tree, the `final` one with all variables."""
    items: dict[str, AnyNode] = {}
    for execution, part in zip(executions, document.parts or (), strict=False):
        spec = part.root.items["spec"]
        listed: dict[str, dict[str, AnyNode]] = {"steps": {}, "vars": {}}
        assert isinstance(spec, Map)
        for key, named in (("steps", "as"), ("vars", "name")):
            for one in getattr(spec.get(key), "items", ()):
                listed[key][one.items[named].value] = one.items["value"] if key == "vars" else one
        if final:
            seen = execution.seen
            listed["vars"] = {
                one.name: _value(value, node)
                for one, value, node in zip(seen.own, seen.values, seen.nodes, strict=False)
            }
        listed["verification"] = {
            one.name: execution.arguments.get(one.name, one.node) if final else one.node
            for one in execution.promotion.arguments
        }
        root = part.root
        inner: dict[str, AnyNode] = {
            key: Map(nodes, {}, root.trail, root.start, root.end) for key, nodes in listed.items()
        }
        items[execution.promotion.label] = root.replacing(inner)
    root = document.root
    return document.evolve(root=Map(items, {}, root.trail, root.start, root.end), parts=None)


def _value(value: Any, node: AnyNode) -> AnyNode:
    """The value of a variable as a node; its template where that is not known."""
    if value.__class__ in (Unknown, Failure) or isinstance(node, Scalar):
        return node
    return to_node(config_value(value), node, "variables")


class _Asked:
    """A scope that remembers what calls of the promotion's functions gave."""

    def __init__(self, scope: Scope, answers: dict[str, Any]) -> None:
        self._scope = scope
        self._answers = answers

    def __getattr__(self, name: str) -> Any:
        return getattr(self._scope, name)

    def ask(self, function: Any, values: list[Any], node: Any) -> Any:
        """See `Scope`."""
        found = self._scope.ask(function, values, node)
        self._answers.setdefault(function.name, found)
        return found


class _Finder:
    """Finds the causes of values at one place of a promotion, each in full once."""

    def __init__(self, execution: Execution, seen: Variables, kind: Place) -> None:
        self._execution = execution
        self._seen = seen
        self._kind = kind
        self._explained: set[int] = set()

    def trace(
        self,
        node: Template,
        kind: Place | None = None,
        place: int | None = None,
        answers: dict[str, Any] | None = None,
    ) -> Trace:
        """The references of a template with their values; `answers` gets those of functions."""
        scope: Any = self._seen.scope(kind or self._kind, place)
        asked: Any = _Asked(scope, {} if answers is None else answers)
        return trace_in(self._seen.evaluation.context, asked, node)

    def of(
        self, node: AnyNode | None, kind: Place | None = None, place: int | None = None
    ) -> tuple[Cause, ...]:
        """What the templates in a node refer to and call; `place` is that of a variable."""
        answers: dict[str, Any] = {}
        return causes_in(
            node,
            lambda one: self.trace(one, kind, place, answers),
            lambda use: self._cause(use, place),
            lambda name: self._call(name, answers.get(name)),
        )

    def _cause(self, use: Use, before: int | None) -> Cause:
        reference, value = use.reference, use.value
        name = label(reference)
        if value is ABSENT:
            return Cause("value", name, UNUSED)
        status = status_of(value)
        hidden = status in (SECRET, NONE_VALUE)
        shown = (
            None if hidden else plain_value(plain(value), self._seen.evaluation.context.language)
        )
        place = -1
        if reference.root == "vars" and reference.path:
            place = self._seen.place_of(str(reference.path[0]), before)
        if place < 0:
            return Cause("value", name, status, shown)
        variable = self._seen.variable(place)
        repeated = place in self._explained
        self._explained.add(place)
        inner = VARIABLE if place < self._seen.start or self._seen.base is None else STEP_VARIABLE
        causes = () if repeated else self.of(variable.node, inner, place)
        how = "`--var`" if variable.level == "caller" else f"{variable.level} variable"
        span = variable.node.span
        return Cause("variable", name, status, shown, how, span, (), causes, repeated)

    def _call(self, name: str, found: Any) -> Cause:
        """A function, with the Freight that answered it."""
        if found.__class__ is not Struct or found.type.name not in KINDS:
            return Cause("function", name, KNOWN)
        kind = found.type.name
        value = next((one for key in _TOLD if (one := found.values.get(key))), None)
        for item in self._execution.collection.freight.values():
            if any(made(kind, one) == found for one in item.artifacts.get(kind, ())):
                how = f"Freight {item.name[:7]}, " if item.name else ""
                how += f"origin Warehouse/{item.origin}"
                return Cause("value", f"{name}(..)", KNOWN, value, how, item.span)
        return Cause("function", name, KNOWN)


_TOLD: Final = ("Tag", "ID", "Version")
"""The field of an artifact that tells it from others."""
