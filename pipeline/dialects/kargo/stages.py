"""The stages of promotions in their order: a Stage becomes the Promotion that it would make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final

from ....functions.expr.kinds import a_kind
from ....functions.record import Record, field
from ....functions.values import Unknown
from ...engine.materialisation import Omitted, to_node
from ...engine.run import Context
from ...engine.string_evaluation import Bare, evaluate_in
from ...language.errors import Failure
from ...language.waiting import WaitingText
from ...values.diagnostics import ERROR, WARNING, meant
from ...values.document import Document
from ...values.settings import SECRETS_REVEAL
from ...values.source import Source
from ...values.tree import AnyNode, Array, Map, Scalar, Template, templates_in, text_at
from ..expr.printing import show, tree_of
from .evaluation import Evaluation, Variables, of_each_step
from .execution import Execution, Outcome
from .freight import LOOKUPS, REQUESTED, collection_of, discovered_by
from .manifests import Manifest, Manifests, manifests_of
from .mistakes import Told
from .options import options_of
from .promotions import (
    PROMOTION,
    STAGE,
    TASKS,
    Promotion,
    Step,
    as_node,
    promotion_of,
    step_node,
    variable_node,
)
from .schema import problems
from .scope import CRITERIA, STEP, VERIFICATION, Scope
from .state import Known, known_of
from .steps import Problem, custom_steps, find, unknown_step
from .supplied import check_supplied


class Promotions(Record, eq=False):
    """The promotions of a render, each with what is known of it.

    `criteria` says by Warehouse whether what it has discovered meets its criteria.
    """

    executions: tuple[Execution, ...] = ()
    criteria: Mapping[str, Any] = field(factory=dict)


def load(document: Document, context: Context) -> Document:
    """Reads the file, and the other manifests; the parts are those of the file.

    Raises:
        ValueError: the options are not those of promotions.
    """
    found = context.diagnostics.beside()
    options = options_of(context.options)
    manifests = manifests_of(document, options, context.evolve(diagnostics=found))
    manifests.context = context
    context.work.keep(manifests)
    others = [
        one.node.span
        for one in manifests.named
        if options.stages and one.kind == STAGE and one.name not in options.stages
    ]
    for item in found:
        aside = item.span is not None and any(
            item.span.source is one.source and one.start <= item.span.start < one.end
            for one in others
        )
        item = item.evolve(severity=WARNING) if aside and item.severity == ERROR else item
        context.diagnostics.add(item)
    context.diagnostics.count(found)
    made = document.evolve(parts=tuple(one.part for one in manifests.named))
    if manifests.named:
        made = made.evolve(root=manifests.named[0].node)
    context.work.written = made
    return made


def tasks(document: Document, context: Context) -> Document:
    """Makes the promotion of each Stage, task and recorded promotion, with tasks put in."""
    manifests = _kept(context, Manifests)
    options = manifests.options
    told = Told(context.diagnostics)
    inner = context.evolve(diagnostics=told)
    reveals = context.settings.secrets == SECRETS_REVEAL
    executions = []
    for manifest, stage in _chosen(manifests, context):
        context.meter.work(_A_PROMOTION)
        promotion = promotion_of(manifest, stage, manifests, options, inner)
        if promotion is None:
            continue
        recorded = manifest if manifest.kind == PROMOTION else manifests.promotion
        if recorded is not None and text_at(recorded.node, "spec", "stage") != promotion.stage_name:
            recorded = None
        data = recorded.data() if recorded is not None else None
        known = known_of(options, promotion.stage_name or "", data)
        collection = collection_of(manifests, stage, recorded)
        executions.append(Execution(promotion, manifests, collection, known, reveals))
    check_supplied([one.promotion for one in executions], manifests, context)
    criteria = dict(_criteria(manifests, inner))
    told.settle(len(executions) > 1)
    if not executions and not context.diagnostics.errors:
        summary = f"`{document.source.name}` has nothing that promotes"
        hint = "a Stage without `promotionTemplate` only passes Freight on"
        if not any(one.kind == STAGE for one in manifests.named):
            hint = "Stages, PromotionTasks and recorded Promotions do"
        first = manifests.named[0].node.key_span("kind") if manifests.named else None
        if criteria:
            context.diagnostics.warn("nothing_to_render", first, summary, "`--show criteria`")
        else:
            context.diagnostics.error("nothing_to_render", first, summary, hint)
    context.work.keep(Promotions(tuple(executions), criteria))
    return _with_parts(document, [written(one) for one in executions])


_A_PROMOTION: Final = 120


def _kept(context: Context, kind: type[Any]) -> Any:
    found = context.work.find(kind)
    if found is None:
        raise Failure("nothing_to_render", "no manifest was read", hint="add the stage `load`")
    return found


def _chosen(manifests: Manifests, context: Context) -> Iterable[tuple[Manifest, Manifest | None]]:
    """What is rendered, each with its Stage."""
    asked = manifests.options.stages
    named = manifests.named
    stages = [one for one in named if one.kind == STAGE]
    alone = [one for one in named if one.kind in TASKS]
    chosen: list[Manifest | None] = []
    for name in dict.fromkeys(asked):
        found = next((one for one in stages if one.name == name), None)
        found = found or manifests.find(STAGE, name)
        if found is None:
            hint = meant(name, manifests.names(STAGE))
            summary = f"there is no Stage `{name}`"
            context.diagnostics.error("stage_not_found", None, summary, hint)
        else:
            chosen.append(found)
    if asked and (stages or not alone):
        return [(one, one) for one in chosen if one is not None]
    whole = [one for one in named if one.kind in (STAGE, PROMOTION)]
    if whole:
        return [(one, _stage_of(one, manifests)) for one in whole]
    return [(task, stage) for task in alone for stage in chosen or ([] if asked else [None])]


def _stage_of(manifest: Manifest, manifests: Manifests) -> Manifest | None:
    if manifest.kind == STAGE:
        return manifest
    return manifests.find(STAGE, text_at(manifest.node, "spec", "stage"), manifest.namespace)


def _criteria(manifests: Manifests, context: Context) -> Iterable[tuple[str, Any]]:
    """Whether each Warehouse of the file makes Freight of what it has discovered."""
    for one in manifests.named:
        node = one.at("spec", "freightCreationCriteria", "expression")
        if one.kind != "Warehouse" or not isinstance(node, Scalar) or not node.value:
            continue
        promotion = Promotion(one.name, one, None, None, one.namespace, (), ())
        execution = Execution(promotion, manifests, discovered_by(manifests, one), Known())
        evaluation = Evaluation(context, "tasks", context.diagnostics)
        scope = Variables(evaluation, execution, None).scope(CRITERIA)
        text = Bare(node.value)
        made = evaluate_in(
            text, Source("<criteria>", text), context.language, evaluation.evaluator, scope
        )
        for item in made.diagnostics:
            context.diagnostics.warn(item.code, node.span, item.summary, item.hint)
        if not made.diagnostics:
            yield one.name, made.value if made.residual is None else made.residual


def _with_parts(document: Document, roots: list[Map]) -> Document:
    parts = tuple(document.evolve(root=root, parts=None) for root in roots)
    return document.evolve(root=roots[0] if roots else document.root, parts=parts)


def written(
    execution: Execution,
    steps: Iterable[AnyNode] | None = None,
    variables: Iterable[AnyNode] | None = None,
    requested: str | None = None,
) -> Map:
    """A promotion as a manifest; `steps` and `variables` are by default those that are written.

    `requested` is its annotation of that name.
    """
    promotion = execution.promotion
    if steps is None:
        execution.written = execution.written or [_plain(step) for step in promotion.steps]
        steps = execution.written
    if variables is None:
        seen = execution.seen
        nodes = seen.nodes if seen is not None else [one.node for one in promotion.variables]
        variables = _pairs(promotion.variables, nodes)
    return as_node(promotion, [*variables], [*steps], _about(execution, requested))


def _about(execution: Execution, requested: str | None) -> dict[str, Any]:
    """The metadata of a promotion, its Stage and its Freight, as far as they are known."""
    promotion, target, ctx = execution.promotion, execution.collection.target, execution.ctx
    about = ctx["meta"]["promotion"]
    notes = {
        "kargo.akuity.io/create-actor": about["actor"],
        "kargo.akuity.io/rollback": "true" if about["rollback"] is True else None,
        REQUESTED: requested,
    }
    freight = target.name if target is not None else ""
    found: dict[str, Any] = {
        "name": ctx["promotion"],
        "namespace": promotion.namespace,
        "annotations": _known(notes),
    }
    freight = freight or text_at(promotion.manifest.node, "spec", "freight")
    return {
        "metadata": _known(found),
        **_known({"stage": promotion.stage_name, "freight": freight}),
    }


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    """Those that are known; what would be protected as data is no name."""
    known = {key: one for key, one in values.items() if one.__class__ is not Unknown and one}
    return {key: one for key, one in known.items() if "${" not in one}


def _plain(step: Step) -> Map:
    """A step as it is written, with the variables that it gets."""
    own = step.variables
    listed = _array(step.node, _pairs(own, [one.node for one in own]))
    return step_node(step, {"vars": listed})


def _pairs(variables: Iterable[Any], nodes: Iterable[AnyNode]) -> list[AnyNode]:
    return [variable_node(one.name, node) for one, node in zip(variables, nodes, strict=True)]


def _array(near: AnyNode, items: Iterable[AnyNode]) -> Array | None:
    items = [*items]
    return Array(items, near.trail, near.start, near.end) if items else None


def variables(document: Document, context: Context) -> Document:
    """Computes the variables of each promotion, and the arguments of its verification."""
    executions, told = _kept(context, Promotions).executions, Told(context.diagnostics)
    evaluation = Evaluation(context, "variables", told)
    for execution in executions:
        told.promotion = execution.promotion
        evaluation.promotion_variables(execution)
        if execution.promotion.arguments:
            verify(evaluation, execution)
    told.settle(len(executions) > 1)
    return _with_parts(document, [written(one) for one in executions])


def verify(evaluation: Evaluation, execution: Execution) -> None:
    """Evaluates the arguments of a Stage's verification, which see its own variables only."""
    own = execution.promotion
    listed = tuple(one for one in own.variables if one.level == STAGE)
    promotion = own.evolve(variables=listed, steps=())
    manifests = execution.manifests
    collection = collection_of(manifests, own.stage, None, True)
    after = Execution(promotion, manifests, collection, execution.known, execution.reveals)
    evaluation.promotion_variables(after)
    seen = after.seen
    for one in own.arguments:
        node = one.node
        if isinstance(node, Template):
            made = evaluation.node(node, seen.scope(VERIFICATION))
            if isinstance(made, Scalar) and not isinstance(made.value, str):
                summary = f"the argument `{one.name}` must be a string"
                span = node.span
                evaluation.told.error("verification_not_string", span, summary, _QUOTE_IT)
            node = node if isinstance(made, Omitted) else made
        execution.arguments[one.name] = node


_QUOTE_IT: Final = "`quote(..)` makes it a string"


def steps(document: Document, context: Context) -> Document:
    """Evaluates the steps in their order: whether each runs, and its config."""
    executions, told = _kept(context, Promotions).executions, Told(context.diagnostics)
    evaluation = Evaluation(context, "steps", told)
    for execution in executions:
        told.promotion = execution.promotion
        run_steps(evaluation, execution)
    told.promotion = None
    version = options_of(context.options).kargo_version
    if version is not None:
        from .ages import report_newer

        report_newer([one.promotion for one in executions], version, told, context)
    told.settle(len(executions) > 1)
    return _with_parts(
        document, [written(one, map(_evaluated, one.outcomes)) for one in executions]
    )


_A_STEP: Final = 40


def run_steps(evaluation: Evaluation, execution: Execution, end: int | None = None) -> None:
    """The outcomes of the steps of a promotion, up to the place `end`."""
    promotion = execution.promotion
    varying = of_each_step(promotion)
    custom = custom_steps(execution.manifests) | {*execution.options.allow_steps}
    for step in promotion.steps[:end]:
        evaluation.context.meter.work(_A_STEP)
        execution.finish(_outcome(evaluation, execution, step, varying, custom))


def _outcome(
    evaluation: Evaluation,
    execution: Execution,
    step: Step,
    varying: list[int],
    custom: frozenset[str],
) -> Outcome:
    """Whether a step runs, and its config."""
    told = evaluation.told
    before = told.errors
    written_if = step.node.get("if")
    seen = Variables(evaluation, execution, step)
    failed = execution.failure()
    certain = Outcome(step, True)
    if not isinstance(written_if, Template) and isinstance(failed, Step):
        return Outcome(step, False, f"`{failed.alias}` failed")
    if written_if is not None or step.node.get("config") is not None:
        seen.compute(varying)
    scope = seen.scope(STEP)
    if isinstance(written_if, Template):
        certain = decided(evaluation, step, written_if, scope)
        if certain.runs is False:
            return certain
    told.lenient = certain.runs is None
    made, found = configured(evaluation, step, scope, custom)
    for problem in found if told.errors == before else ():
        told.warn(problem.code, problem.span, problem.summary, problem.hint)
    told.lenient = False
    return certain.evolve(config=made, seen=seen, broken=told.errors > before)


def configured(
    evaluation: Evaluation, step: Step, scope: Scope, custom: frozenset[str]
) -> tuple[AnyNode | None, Iterable[Problem]]:
    """The config of a step as far as it is known, and where it does not fit the kind of step.

    A kind of step that there is not is reported.
    """
    unknown = unknown_step(step.uses, custom)
    if unknown is not None:
        code, summary, hint = unknown
        evaluation.told.error(code, step.node.items["uses"].span, summary, hint)
    config = step.node.get("config")
    made = evaluation.node(config, scope) if config is not None else None
    node = None if isinstance(made, Omitted) else made
    kind = find(step.uses)
    if kind is None or unknown is not None:
        return node, ()
    place = partial(step.node.key_span, "config" if config is not None else "uses")
    return node, problems(node, kind, place, evaluation.context.meter.work)


def decided(evaluation: Evaluation, step: Step, node: Template, scope: Scope) -> Outcome:
    """What the `if` of a step says."""
    try:
        value = evaluation.template(node, scope, False)
    except Failure:
        return Outcome(step, None, "its `if` has a mistake", node)
    if value.__class__ in (Unknown, WaitingText):
        left = to_node(value, node, evaluation.step)
        waits = evaluation.context.language.template(left) if isinstance(left, Template) else ""
        return Outcome(step, None, f"`if` is `{waits}`", left)
    if value is False:
        return Outcome(step, False, f"`if` is false{_because(evaluation, node, scope)}")
    if value is not True:
        kind = "a number" if isinstance(value, float) else a_kind(value)
        summary, hint = (
            f"`if` must be a boolean, not {kind}",
            "compare it, as in `vars.kind == 'a'`",
        )
        evaluation.told.error("if_not_boolean", node.span, summary, hint)
        return Outcome(step, None, "its `if` has a mistake", node)
    return Outcome(step, True, "", evaluation.literal(True, node))


def _because(evaluation: Evaluation, node: Template, scope: Scope) -> str:
    """The known names in an `if`, with their values."""
    told: dict[str, None] = {}
    for substitution in node.segments.substitutions:
        for reference in substitution.shape.references:
            try:
                value = scope.resolve(reference)
            except Failure:
                continue
            if value.__class__ in (bool, int, float, str, type(None)) and not evaluation.reveal:
                told[f"{show(reference)} = {show(tree_of(value))}"] = None
    return f": {', '.join(told)}" if told else ""


def _evaluated(outcome: Outcome) -> Map:
    """A step as far as it is known."""
    step, seen = outcome.step, outcome.seen
    if outcome.runs is False:
        made = Scalar(False, step.node.trail, step.node.start, step.node.start)
        return step_node(step, {"if": made, "vars": None})
    listed = _pairs(step.variables, seen.nodes) if seen.nodes else []
    fields: dict[str, AnyNode | None] = {"vars": _array(step.node, listed)}
    fields |= {"if": outcome.condition} if outcome.condition is not None else {}
    fields |= {"config": outcome.config} if outcome.config is not None else {}
    return step_node(step, fields)


def prune(document: Document, context: Context) -> Document:
    """Leaves out the steps that do not run, and the variables that nothing names any more."""
    return _with_parts(document, [_pruned(one) for one in _kept(context, Promotions).executions])


def _pruned(execution: Execution) -> Map:
    outer = len(execution.promotion.variables)
    needed: set[int] = set()
    made = []
    for outcome in execution.outcomes:
        if outcome.runs is False:
            continue
        node, step, seen = _evaluated(outcome), outcome.step, outcome.seen
        left = [*templates_in(node.get("if")), *templates_in(node.get("config"))]
        places = seen.named(left) if left else []
        needed.update(place for place in places if place < outer)
        own = [place for place in places if place >= outer]
        listed = [variable_node(seen.variable(one).name, seen.node(one)) for one in own]
        made.append(step_node(step, {**node.items, "vars": _array(step.node, listed)}))
    variables = execution.promotion.variables
    nodes = execution.seen.nodes
    listed = [variable_node(variables[one].name, nodes[one]) for one in sorted(needed)]
    return written(execution, made, listed, _requested(execution, [*made, *listed]))


def _requested(execution: Execution, parts: list[AnyNode]) -> str | None:
    """The origins that the Stage requests, where the parts of an output mean others without it.

    These would take Freight that is not requested, or find none where a Warehouse does not exist.
    """
    held = execution.collection
    strange = held.has_strangers
    if held.requested is None or not (strange or execution.options.closed):
        return None
    waits = strange and held.target is None
    left = (one for part in parts for one in templates_in(part))
    waits = waits or any(not one.segments.functions.isdisjoint(LOOKUPS) for one in left)
    # what is no name has no Freight
    names = [one for one in held.requested if "${" not in one and "," not in one]
    return ",".join(names or "-") if waits else None
