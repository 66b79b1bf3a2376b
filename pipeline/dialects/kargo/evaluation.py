"""The evaluation of templates: pasting, coercion, variables of steps, and mistakes by severity."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from ....functions.registry import Function
from ....functions.values import FunctionError, Unknown
from ...engine import evaluation as engine
from ...engine.materialisation import Omitted, to_node
from ...engine.run import Context
from ...language.errors import Failure
from ...language.evaluator import Evaluator
from ...language.waiting import WaitingText
from ...values.compiled import mypyc_attr
from ...values.expression import Call, Literal, Reference, Segments, Substitution, parts, residual
from ...values.source import Span
from ...values.tree import AnyNode, Scalar, Template
from ..expr.calls import call_function, checked_arguments, type_waiting
from ..expr.printing import tree_of
from ..expr.residuals import waiting
from ..expr.scope import imported
from .coercion import QUOTES, config_value, finished, remarks
from .execution import Execution
from .forms import SEMANTICS
from .promotions import Promotion, Step, Variable
from .scope import STEP_VARIABLE, UNSEEN, VARIABLE, AtKey, Place, Scope

_VERSIONED: Final = {"imageFrom": "the tag", "commitFrom": "the tag", "chartFrom": "the version"}
_METADATA: Final = frozenset({"freightMetadata", "stageMetadata"})


@mypyc_attr(allow_interpreted_subclasses=True)
class Evaluation(engine.Evaluation):
    """Evaluates the templates of promotions; values are those of expr-lang."""

    def __init__(self, context: Context, step: str, told: Any) -> None:
        still = SEMANTICS.evolve(forms={**(SEMANTICS.forms or {}), "call": _call_later})
        semantics = still if context.settings.now is None else SEMANTICS
        super().__init__(context.evolve(diagnostics=told), step, semantics)
        self.told = told

    def template(self, node: Template, scope: Any = None, masked: bool = True) -> Any:
        """The finished value of a template: pasted, and coerced by its text; or what is left of it.

        Raises:
            Failure: reported already.
        """
        scope.template = node
        segments = node.segments
        try:
            mask = self.mask if masked else None
            value = self.evaluator.segments(segments, scope, mask)
            if value.__class__ is Unknown or value.__class__ is WaitingText:
                return value
            if mask is not None and value is mask:
                return value
            made = finished(value)
            self.budget.size(made)
        except FunctionError as error:
            failure = Failure(error.code, error.message, _whole(segments), error.hint)
            failure.substitution = segments.substitutions[0]
            raise self.reported(node, failure) from None
        except Failure as failure:
            failed = failure.substitution
            again = self.reported(node, failure)
            self._look_on(node, scope, failed)
            raise again from None
        if made is value and QUOTES.isdisjoint(segments.functions):
            return made
        for remark in remarks(segments, value, made, not self.reveal):
            summary, hint = remark.summary, remark.hint
            if remark.code == "coercion_changes_text" and len(segments) == 1:
                only = segments.substitutions[0]
                hint = f"`${{{{ quote({(only.inner or '..').strip()}) }}}}` keeps it a string"
                source = self._artifact(only, scope)
                if source is not None and not self.reveal:
                    number = summary.rpartition(" becomes ")[2]
                    summary = f'{source[0]} "{value}" of {source[1]} becomes {number}'
            told = remark.evolve(summary=summary, span=node.span, hint=hint)
            self.context.diagnostics.add(told)
        return made

    def _artifact(self, only: Substitution, scope: Scope) -> tuple[str, str] | None:
        """The kind and the address of an artifact whose tag or version an expression is."""
        tree = only.shape.expression
        asked = tree.arguments[0].value if isinstance(tree, Call) and tree.arguments else None
        if not isinstance(asked, Call) or asked.function not in _VERSIONED:
            return None
        url = self.evaluator.value(asked.arguments[0].value, only.literals, scope)
        return _VERSIONED[asked.function], str(url)

    def _look_on(self, node: Template, scope: Any, failed: Any) -> None:
        """Reports the mistakes of the expressions behind one that failed."""
        behind = node.segments.substitutions
        for one in behind[behind.index(failed) + 1 :] if failed in behind else ():
            try:
                self.evaluator.value(one.shape.expression, one.literals, scope)
            except Failure as failure:
                failure.substitution = one
                self.report(node, failure)

    def report(self, place: AnyNode | Span, failure: Failure) -> None:
        """See the engine's; the failure of a key in a reference is told at the key."""
        if isinstance(failure, AtKey) and isinstance(place, Template) and not failure.reported:
            found = self._key_span(place, failure)
            if found is not None:
                place, failure.substitution = found, None
        super().report(place, failure)

    def _key_span(self, template: Template, failure: AtKey) -> Span | None:
        """Where the key of a reference is written; None when it is not written in this run."""
        language, substitution = self.context.language, failure.substitution
        if substitution is None or substitution.inner is None:
            return None
        pairs = zip(
            parts(substitution.shape.expression), parts(language.exact(substitution)), strict=False
        )
        own = next((exact for mine, exact in pairs if mine is failure.node), None)
        if not isinstance(own, Reference) or failure.place >= len(own.marks):
            return None
        start = own.marks[failure.place]
        return language.place(template, start, start + len(str(own.path[failure.place])))

    def filled(self, node: Template, scope: Any) -> AnyNode | Omitted:
        """A template of a config as a node; nil is null, whole floats are integers."""
        try:
            value = self.template(node, scope)
            if value.__class__ in (Unknown, WaitingText):
                return to_node(value, node, self.step)
            value = config_value(value)
            if value.__class__ is str:
                self.budget.spend_nodes(1)
                return Scalar(value, node.trail.then(self.step), node.start, node.end)
            self.budget.spend(value)
            return to_node(value, node, self.step)
        except FunctionError as error:
            self.report(node, Failure(error.code, error.message, hint=error.hint))
        except Failure as failure:
            self.report(node, failure)
        # as it will be printed when it is read again, whether it fails there or not
        return Template(node.segments, None, node.trail.then(self.step), node.start, node.end)

    def warn(self, template: Template, failure: Failure) -> None:
        """Tells of a mistake that the expression itself expects."""
        lenient, self.told.lenient = self.told.lenient, True
        self.report(template, failure)
        self.told.lenient = lenient

    # variables

    def variable(self, variable: Variable, scope: Scope) -> tuple[Any, AnyNode]:
        """The value of a variable as later places see it, and as a node."""
        node = variable.node
        if variable.given is None and isinstance(node, Scalar):
            return ("" if node.value is None else node.value), node
        try:
            if variable.given is not None:
                value = finished(imported(variable.given))
            else:
                assert isinstance(node, Template)
                value = self.template(node, scope, False)
        except Failure as failure:
            return failure, node
        if value.__class__ in (Unknown, WaitingText):
            secret = value.secret
            left = to_node(value, node, self.step)
            return Unknown(Reference("vars", (variable.name,)), "any", secret), left
        return value, self.literal(value, node)

    def literal(self, value: Any, node: AnyNode) -> AnyNode:
        """A value as a node that means it in a variable: a string, or a template of a literal."""
        trail = node.trail.then(self.step)
        if isinstance(value, str):
            return Scalar(value, trail, node.start, node.end)
        finite = not isinstance(value, float) or math.isfinite(value)
        tree = tree_of(value) if finite else Literal(str(value))
        return Template(Segments((residual(tree),)), None, trail, node.start, node.end)

    def promotion_variables(self, execution: Execution) -> None:
        """Computes the variables of a promotion, which all of its steps see."""
        execution.seen = Variables(self, execution, None)
        execution.seen.compute()


def _call_later(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """A call of a builtin; the clock of a promotion is not that of this run."""
    if function.effect is None:
        return call_function(self, function, node, literals, scope)
    values, _ = checked_arguments(self, function, node, literals, scope)
    return waiting(self, node, values, type_waiting(function))


def _whole(segments: Segments) -> Any:
    return segments.substitutions[0].shape.expression


class Variables:
    """The variables of a promotion, or those of a step behind them: later ones win.

    Each sees those before it. `values` and `nodes` are of those that were computed, in the order of
    `own`; a place counts from the first variable of the promotion. As a collection it has names.
    """

    def __init__(self, evaluation: Evaluation, execution: Execution, step: Step | None) -> None:
        self.evaluation = evaluation
        self.execution = execution
        self.step = step
        outer = execution.promotion.variables
        self.own: Sequence[Variable] = outer if step is None else step.variables
        self.base: Variables | None = execution.seen if step is not None else None
        self.start = 0 if step is None else len(outer)
        self.values: list[Any] = []
        self.nodes: list[AnyNode] = []
        self._again: dict[int, tuple[Any, AnyNode]] = {}
        self._places: dict[str, list[int]] = {}
        for place, one in enumerate(self.own, self.start):
            self._places.setdefault(one.name, []).append(place)

    @property
    def listed(self) -> Sequence[Variable]:
        """All of them, those of the promotion first."""
        return self.own if self.base is None else (*self.base.own, *self.own)

    def __contains__(self, name: object) -> bool:
        return name in self._places or (self.base is not None and name in self.base)

    def __iter__(self) -> Iterator[str]:
        return iter({**dict.fromkeys(self.base or ()), **self._places})

    def compute(self, varying: Iterable[int] = ()) -> None:
        """Computes them, and again those of the promotion that are `varying`."""
        for place in varying:
            self._again[place] = self._computed(place)
        for place in range(self.start + len(self.values), self.start + len(self.own)):
            self.compute_next(place)

    def compute_next(self, place: int) -> None:
        """Computes the first one that is not computed yet, which is at a place."""
        value, node = self._computed(place)
        self.values.append(value)
        self.nodes.append(node)

    def _computed(self, place: int) -> tuple[Any, AnyNode]:
        self.evaluation.context.meter.work()
        kind = STEP_VARIABLE if self.base is not None and place >= self.start else VARIABLE
        return self.evaluation.variable(self.variable(place), self.scope(kind, place))

    def variable(self, place: int) -> Variable:
        """The variable at a place."""
        return self.own[place - self.start] if place >= self.start else self._outer.own[place]

    @property
    def _outer(self) -> Variables:
        assert self.base is not None
        return self.base

    def value(self, place: int) -> Any:
        """The value of the variable at a place, or the `Failure` that it has instead."""
        if place in self._again:
            return self._again[place][0]
        return self.values[place - self.start] if place >= self.start else self._outer.values[place]

    def node(self, place: int) -> AnyNode:
        """The value of the variable at a place as a node."""
        if place in self._again:
            return self._again[place][1]
        return self.nodes[place - self.start] if place >= self.start else self._outer.nodes[place]

    def scope(self, kind: Place, place: int | None = None) -> Scope:
        """The scope of a place; of the variable at a place, which sees only those before it."""

        known: dict[str, Any] = {}

        def find(name: str) -> Any:
            if name in known:
                return known[name]
            found = self.place_of(name, place)
            if found < 0:
                return UNSEEN
            value = self.value(found)
            if value.__class__ is Failure:
                raise Failure(value.code, value.summary, reported=True)
            known[name] = value
            return value

        return Scope(self.execution, kind, self.step, self, find, None, self.evaluation.warn)

    def place_of(self, name: str, before: int | None = None) -> int:
        """Which variable a name means at a place; -1 for none."""
        for place in reversed(self._places.get(name, ())):
            if before is None or place < before:
                return place
        return self.base.place_of(name, before) if self.base is not None else -1

    def named(self, templates: Iterable[Template]) -> list[int]:
        """The variables that templates name, and those that these name, in their order."""
        found: set[int] = set()
        waiting: list[tuple[Template, int | None]] = [(one, None) for one in templates]
        while waiting:
            template, before = waiting.pop()
            for substitution in template.segments.substitutions:
                for reference in substitution.shape.references:
                    for place in self._meant(reference, before):
                        node = self.node(place)
                        if place not in found and isinstance(node, Template):
                            waiting.append((node, place))
                        found.add(place)
        return sorted(found)

    def _meant(self, reference: Reference, before: int | None) -> list[int]:
        path = reference.path
        if reference.root == "$env":
            path = path[1:] if path[:1] == ("vars",) else path
        elif reference.root != "vars":
            return []
        if path:
            place = self.place_of(str(path[0]), before)
            return [place] if place >= 0 else []
        self.evaluation.context.meter.work(len(self.listed))
        places = (self.place_of(name, before) for name in self)
        return [place for place in places if place >= 0]


def of_each_step(promotion: Promotion) -> list[int]:
    """The variables of a promotion whose values may differ from step to step."""
    found: list[int] = []
    names: set[str] = set()
    for place, one in enumerate(promotion.variables):
        if not isinstance(one.node, Template):
            continue
        segments = one.node.segments
        varies = not segments.functions.isdisjoint(_METADATA)
        for substitution in segments.substitutions:
            for reference in substitution.shape.references:
                path = reference.path
                if reference.root == "vars":
                    varies = varies or not path or path[0] in names
                elif reference.root in ("ctx", "$env"):
                    of_step = ("meta", "step")
                    varies = varies or path[:2] == of_step[: len(path[:2])]
        if varies:
            found.append(place)
            names.add(one.name)
    return found
