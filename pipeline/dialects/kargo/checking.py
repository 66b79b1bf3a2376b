"""`bpp check`: all Stages, tasks and Warehouses of the file and of those beside it.

Nothing of a promotion is known here. A mistake is told once, with the Stages that it concerns.
Parts that a promotion leaves out (a step whose `if` is false, a branch that is not taken) are seen,
too: what is wrong there is told when it is wrong in each promotion that has the part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from ....functions.values import Unknown
from ...engine.run import Context, Work
from ...language.errors import Failure
from ...values.diagnostics import Diagnostic, Diagnostics, Hint, Relay, meant, worded
from ...values.document import Document
from ...values.expression import Expression, Reference, Segments, Substitution
from ...values.settings import SECRETS_REVEAL
from ...values.source import Source, Span
from ...values.tree import AnyNode, Map, Template, at, list_at, templates_in, text_at
from . import bare
from .ages import report_newer
from .evaluation import Evaluation, Variables, of_each_step
from .execution import Execution, Outcome
from .freight import collection_of
from .manifests import Manifest, Manifests
from .mistakes import Told
from .promotions import PROMOTION, STAGE, TASKS, Promotion, Step, Variable, promotion_of
from .reviewing import Review
from .scope import STEP, STEP_VARIABLE, UNDEFINED, VARIABLE, Scope
from .stages import configured, decided, load, verify
from .state import known_of
from .steps import Problem, custom_steps

_OF_A_RUN: Final = frozenset(
    {"output_of_skipped_step", "artifact_not_found", "field_not_found", "index_out_of_bounds"}
)
"""Mistakes that a part need not have when it is evaluated."""
_BRANCHES: Final = frozenset({"?:", "and", "or", "??", "filter", "map", "all", "any", "none"})
_A_PROMOTION: Final = 20
_A_STEP: Final = 20
_TAGS: Final = frozenset({"SemVer", "NewestTag", "Lexical"})


class Checked(Told):
    """A collector that holds back what need not be wrong.

    While there is `doubt`, mistakes are told only if every promotion that has the part has them.
    A code that is `left_out` is one that remarks have for more places.
    """

    def __init__(self, outer: Diagnostics) -> None:
        super().__init__(outer)
        self.doubt = False
        self.left_out: str | None = None
        self._part: object = None
        self._seen: dict[int, set[int]] = {}
        self._doubtful: dict[Any, tuple[Diagnostic, Hint, object, dict[int, Promotion | None]]] = {}
        self._certain: set[Any] = set()

    def enter(self, part: object) -> None:
        """From here on, what is told is about a part: a step or a variable as it is written."""
        self._part = part
        self._seen.setdefault(id(part), set()).add(id(self.promotion))

    def add(self, diagnostic: Diagnostic, hint: Hint = None) -> None:
        """See `Told`."""
        key = (diagnostic.code, diagnostic.span)
        if diagnostic.code == self.left_out:
            return
        if not self.doubt or diagnostic.code == "limit_exceeded":
            self._certain.add(key)
            super().add(diagnostic, hint)
        elif diagnostic.code not in _OF_A_RUN:
            kept = self._doubtful.setdefault(key, (diagnostic, hint, self._part, {}))
            kept[3][id(self.promotion)] = self.promotion

    def settle(self, several: bool) -> None:
        """See `Told`."""
        for key, (diagnostic, hint, part, found) in self._doubtful.items():
            if key not in self._certain and found.keys() == self._seen[id(part)]:
                for promotion in found.values():
                    self.promotion = promotion
                    super().add(diagnostic, hint)
        super().settle(several)


def check_promotions(document: Document, context: Context) -> None:
    """Reports the mistakes of manifests, and keeps the remarks for the lints.

    Raises:
        FunctionError: `limit_exceeded`.
    """
    inner = context.evolve(checks=True, work=Work())
    load(document, inner)
    manifests = inner.work.find(Manifests)
    assert manifests is not None
    if context.documents is not None:
        by_source: dict[Source, list[Document]] = {}
        for one in manifests.listed:
            by_source.setdefault(one.part.source, []).append(one.part)
        context.documents.extend(
            parts[-1].evolve(parts=tuple(parts)) for parts in by_source.values()
        )
    told = Checked(context.diagnostics)
    check = _Check(manifests, inner.evolve(diagnostics=told), told, context.documents is not None)
    if check.review is not None:
        context.work.keep(check.review)
    try:
        check.promotions()
        told.promotion = None
        report_newer(check.checked, manifests.options.kargo_version, told, inner)
        for warehouse in manifests.all("Warehouse"):
            check.warehouse(warehouse)
    finally:  # a limit that is reached leaves what was found
        told.settle(len(check.checked) > 1)
        if check.review is not None:
            check.review.tell(context.diagnostics)


class _Check:
    """One check of manifests; `lints` says whether remarks are wanted."""

    def __init__(self, manifests: Manifests, context: Context, told: Checked, lints: bool) -> None:
        self.manifests = manifests
        self.context = context
        self.told = told
        self.review = Review(manifests, context) if lints else None
        told.left_out = "quote_not_alone" if lints else None
        self.checked: list[Promotion] = []
        self.evaluation = _Open(context, "check", told)
        self.custom = custom_steps(manifests) | {*manifests.options.allow_steps}
        self._branches: dict[int, list[tuple[Substitution, Expression]]] = {}

    def promotions(self) -> None:
        """Checks the promotion of each Stage, and tasks that none of them has."""
        asked = self.manifests.options.stages
        stages = [one for one in self.manifests.all(STAGE) if not asked or one.name in asked]
        for name in {*asked} - {one.name for one in stages}:
            hint = meant(name, self.manifests.names(STAGE))
            self.told.error("stage_not_found", None, f"there is no Stage `{name}`", hint)
        used: set[int] = set()
        for manifest in [*stages, *self._recorded()]:
            used |= self._promotion(manifest, manifest if manifest.kind == STAGE else None)
        for kind in TASKS if not asked else ():
            for task in self.manifests.all(kind):
                if not used & {id(one) for one in list_at(task.node, "spec", "steps")}:
                    self._promotion(task, None)

    def _recorded(self) -> Iterator[Manifest]:
        return (one for one in self.manifests.named if one.kind == PROMOTION)

    def _promotion(self, manifest: Manifest, stage: Manifest | None) -> set[int]:
        """Checks one promotion; the steps in it, by identity."""
        manifests, told = self.manifests, self.told
        self.context.meter.work(_A_PROMOTION)
        open_ = stage is None and manifest.kind in TASKS
        # a promotion that is not whole is not known when its structure is read
        told.promotion = Promotion(manifest.name, manifest, None, None, "", (), ())
        relay = _WithoutMissing(told) if open_ else told
        inner = self.context.evolve(diagnostics=relay)
        promotion = promotion_of(manifest, stage, manifests, manifests.options, inner)
        if promotion is None:
            return set()
        if open_:
            promotion = _with_declared(promotion)
        self.checked.append(promotion)
        told.promotion = promotion
        known = known_of(manifests.options, promotion.stage_name or "", None)
        collection = collection_of(manifests, stage, None)
        reveals = self.context.settings.secrets == SECRETS_REVEAL
        execution = Execution(promotion, manifests, collection, known, reveals)
        self.evaluation.alone = open_
        self._variables(execution)
        if promotion.arguments:
            verify(self.evaluation, execution)
        varying = of_each_step(promotion)
        for step in promotion.steps:
            told.enter(step.node)
            self.context.meter.work(_A_STEP)
            execution.finish(self._step(execution, step, varying))
            told.doubt = False
        if self.review is not None:
            self.review.note_uses(promotion)
        return {id(step.node) for step in promotion.steps}

    def _variables(self, execution: Execution) -> None:
        seen = execution.seen = Variables(self.evaluation, execution, None)
        for place, one in enumerate(execution.promotion.variables):
            self.told.enter(one.node)
            seen.compute_next(place)
            self._branches_of([one.node], seen.scope(VARIABLE, place))

    def _step(self, execution: Execution, step: Step, varying: list[int]) -> Outcome:
        evaluation, told = self.evaluation, self.told
        seen = Variables(evaluation, execution, step)
        seen.compute(varying)
        for number, one in enumerate(step.variables, seen.start):
            self._branches_of([one.node], seen.scope(STEP_VARIABLE, number))
        scope = seen.scope(STEP)
        condition, config = step.node.get("if"), step.node.get("config")
        outcome = Outcome(step, True)
        if isinstance(condition, Template):
            outcome = decided(evaluation, step, condition, scope)
        told.doubt = outcome.runs is False
        made, found = configured(evaluation, step, scope, self.custom)
        for problem in found:
            self._tell(problem)
        for node, place in bare.in_config(made, step.uses):
            for problem in bare.problems(node, place):
                self._tell(problem)
        self._branches_of(templates_in(condition), scope)
        self._branches_of(templates_in(config), scope)
        if self.review is not None:
            self.review.step(execution, step, seen, scope)
        return outcome.evolve(config=made, seen=seen)

    def _tell(self, problem: Problem) -> None:
        tell = self.told.warn if problem.mild else self.told.error
        tell(problem.code, problem.span, problem.summary, problem.hint)

    # branches

    def _branches_of(self, nodes: Iterable[AnyNode], scope: Scope) -> None:
        """Asks for what templates mention in parts that were perhaps not evaluated."""
        doubt, self.told.doubt = self.told.doubt, True
        evaluator = self.evaluation.evaluator
        for node in nodes:
            if not isinstance(node, Template):
                continue
            scope.template = node
            for substitution, part in self._mentions(node.segments):
                try:
                    evaluator.value(part, substitution.literals, scope)
                except Failure as failure:
                    failure.substitution = substitution
                    self.evaluation.report(node, failure)
        self.told.doubt = doubt

    def _mentions(self, segments: Segments) -> list[tuple[Substitution, Expression]]:
        found = self._branches.get(id(segments))
        if found is None:
            found = self._branches[id(segments)] = [
                (one, node)
                for one in segments.substitutions
                if not one.shape.functions.isdisjoint(_BRANCHES)
                for node, alone in bare.standing(one.shape.expression)
                if alone
            ]
        return found

    # Warehouses

    def warehouse(self, manifest: Manifest) -> None:
        """Checks the bare expressions of a Warehouse, and what it has that was removed."""
        criteria = manifest.at("spec", "freightCreationCriteria", "expression")
        listed = [(criteria, bare.CRITERIA)]
        for one in list_at(manifest.node, "spec", "subscriptions"):
            strategy = text_at(one, "git", "commitSelectionStrategy")
            place = bare.TAGS if strategy in _TAGS else bare.COMMITS
            listed.append((at(one, "git", "expressionFilter"), place))
            image = at(one, "image")
            if isinstance(image, Map) and _CONSTRAINT in image.items:
                summary = f"`{_CONSTRAINT}` of an image was removed in Kargo 1.9"
                span = image.key_span(_CONSTRAINT)
                self.told.error("removed_field", span, summary, "use `constraint`")
        for node, place in listed:
            for problem in bare.problems(node, place) if node is not None else ():
                self._tell(problem)


_CONSTRAINT: Final = "semverConstraint"


class _Open(Evaluation):
    """An evaluation of tasks `alone` too: their promotion may have any variables."""

    alone = False

    def variable(self, variable: Variable, scope: Scope) -> tuple[Any, AnyNode]:
        """See `Evaluation`; the variables that only a promotion gives are not known."""
        if variable.level == "open":
            return Unknown(Reference("vars", (variable.name,))), variable.node
        return super().variable(variable, scope)

    def report(self, place: AnyNode | Span, failure: Failure) -> None:
        """See `Evaluation`; what a promotion may give is only warned of."""
        lenient = self.told.lenient
        wanted = self.alone and failure.code == "variable_not_found"
        if wanted and worded(failure.hint) in (None, UNDEFINED):
            failure.hint = "a promotion that has it may use the task; others give it in `vars`"
            self.told.lenient = True
        super().report(place, failure)
        self.told.lenient = lenient


class _WithoutMissing(Relay):
    """What is wrong with a task alone: a promotion may give its variables."""

    def __init__(self, outer: Diagnostics) -> None:
        super().__init__(outer, lambda item: item.code != "task_variable_missing")


def _with_declared(promotion: Promotion) -> Promotion:
    """The promotion of a task alone, with the variables that it only declares."""
    listed = list_at(promotion.manifest.node, "spec", "vars")
    names = ((text_at(one, "name"), one) for one in listed)
    declared = [Variable(name, one, "open") for name, one in names if name]
    return promotion.evolve(variables=(*declared, *promotion.variables))
