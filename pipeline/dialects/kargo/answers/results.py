"""Finished promotions: views of them, what is left, and the scopes of single expressions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from .....functions.values import Unknown
from ....answers.explanation import UnknownPath
from ....answers.inspection import Evaluate
from ....answers.paths import Path, path_text
from ....engine.builders import node as nodes_for
from ....engine.materialisation import to_node
from ....engine.run import Context, Run
from ....engine.string_evaluation import Evaluated, evaluate_in, segments_of
from ....formats.emit import emit
from ....language.errors import LanguageError
from ....values.diagnostics import Diagnostic, meant
from ....values.document import Document
from ....values.expression import Call, Expression, Reference, walk
from ....values.source import Source, Span
from ....values.tree import (
    Map,
    Scalar,
    Template,
    Trail,
    at,
    list_at,
    templates_at,
    text_at,
)
from ...expr.printing import show
from ..coercion import config_value
from ..evaluation import Evaluation, Variables, of_each_step
from ..execution import Execution
from ..freight import LOOKUPS
from ..manifests import Manifests
from ..mistakes import Told
from ..promotions import SEPARATOR, Promotion
from ..scope import STEP, VARIABLE
from ..stages import Promotions, run_steps
from ..steps import outputs_of

_RUNS: Final = {True: "yes", False: "no", None: "maybe"}
_COLUMNS: Final = ("stage", "step", "uses", "runs", "because")


# views


def show_steps(run: Run, kind: str = "yaml") -> str:
    """Each step with whether it runs and why: a table, or an array of JSON."""
    rows = [
        (one.promotion.label, step.alias, step.uses, _RUNS[outcome.runs], outcome.because)
        for one in _executions(run)
        for outcome in one.outcomes
        for step in (outcome.step,)
    ]
    if kind == "json":
        return _written(run, [dict(zip(_COLUMNS, row, strict=True)) for row in rows], kind)
    table = [_COLUMNS, *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    )
    return "".join(f"{line}\n" for line in lines)


def show_vars(run: Run, kind: str = "yaml") -> str:
    """The variables of each promotion by Stage: values, and the templates of those left."""
    shown: dict[str, Any] = {}
    for one in _executions(run):
        listed = zip(one.promotion.variables, one.seen.values, one.seen.nodes, strict=True)
        shown[one.promotion.label] = {
            variable.name: node
            if value.__class__ is Unknown
            else to_node(config_value(value), node, "show")
            for variable, value, node in listed
        }
    return _written(run, shown, kind)


def show_verification(run: Run, kind: str = "yaml") -> str:
    """The arguments of the verification of each Stage that has some."""
    executions = (one for one in _executions(run) if one.promotion.arguments)
    return _written(run, {one.promotion.label: one.arguments for one in executions}, kind)


def show_criteria(run: Run, kind: str = "yaml") -> str:
    """Whether what each Warehouse has discovered meets its criteria."""
    found = run.work.find(Promotions)
    return _written(run, found.criteria if found is not None else {}, kind)


def _executions(run: Run) -> tuple[Execution, ...]:
    found = run.work.find(Promotions)
    return found.executions if found is not None else ()


def _written(run: Run, data: Any, kind: str) -> str:
    origin = Scalar(None, Trail(Source("<view>", "")), 0, 0)
    node: Any = nodes_for(data, origin, step="show")
    return emit(node, kind, run.language, run.language.limits, run.share)


# unknown values


def unknowns(run: Run) -> tuple[UnknownPath, ...]:
    """What is left in the output, or after the last stage of a failed run, and what supplies it."""
    last = run.stages[-1][1] if run.stages else None
    return _unknowns(_executions(run), run.document or last)


def unresolved(document: Document, context: Context) -> Iterator[Diagnostic]:
    """An error for each place that is not known; secrets are known, but withheld."""
    found = context.work.find(Promotions)
    for one in _unknowns(found.executions if found is not None else (), document):
        if one.why == _SECRET:
            continue
        hint = f"supply it with {one.supply}, or render without `--strict`"
        for where, span in zip(one.places, one.spans, strict=True):
            summary = f"`{where}` is unknown: it depends on `{one.text}`"
            yield Diagnostic("unresolved_value", summary, span, hint=hint)


_SECRET: Final = "secret"


def _unknowns(
    executions: tuple[Execution, ...], document: Document | None
) -> tuple[UnknownPath, ...]:
    parts = document.parts or () if document is not None else ()
    found: dict[tuple[str, str, str], dict[Path, Span]] = {}
    for execution, part in zip(executions, parts, strict=False):
        for path, task, template in _left(execution.promotion, part.root):
            for substitution in template.segments.substitutions:
                # those that the run has printed have no text of their own
                for reason in _reasons(substitution.shape.expression, task, execution):
                    found.setdefault(reason, {})[path] = template.span
    return tuple(
        UnknownPath(*reason, tuple(map(path_text, places)), tuple(places.values()))
        for reason, places in found.items()
    )


def _left(promotion: Promotion, root: Map) -> Iterator[tuple[Path, str, Template]]:
    """The templates of an output with their paths, and the alias of the task that they are in."""
    for path, template in templates_at(root):
        if path[:2] == ("spec", "steps"):
            alias = _alias_at(root, path)
            yield (
                (promotion.label, "steps", alias, *path[3:]),
                alias.rpartition(SEPARATOR)[0],
                template,
            )
        else:
            yield (promotion.label, *path[1:]), "", template


def _alias_at(root: Map, path: Path) -> str:
    """The alias of the step at a path of an output."""
    node: Any = root
    for key in path[:3]:
        node = node.items[key]
    return str(node.items["as"].value)


def _reasons(tree: Expression, task: str, execution: Execution) -> Iterator[tuple[str, str, str]]:
    """What an expression waits for: its text, why, and what supplies it."""
    stage = execution.promotion.stage_name
    where = f"stages.{stage}." if stage else ""
    for part in walk(tree):
        if isinstance(part, Reference):
            path = part.path
            if part.root == "task" and path[:1] == ("outputs",) and len(path) > 1:
                alias = f"{task}{SEPARATOR}{path[1]}" if task else str(path[1])
                path = (alias, *path[2:])
            elif part.root == "vars" or part.root[:1] == "#":
                continue  # a variable is left itself
            text = ".".join(map(str, (("outputs" if part.root == "task" else part.root), *path)))
            if part.root in ("task", "outputs"):
                place = execution.promotion.index(str(path[0])) if path else -1
                uses = execution.promotion.steps[place].uses if place >= 0 else "steps"
                yield text, f"output of {uses}", f"`--state`: {where}{text}"
            elif part.root == "ctx":
                yield text, "known in a promotion", f"`--ctx {'.'.join(map(str, path))}=VALUE`"
            elif part.root == "stepMetas":
                yield text, "known in a promotion", "`--promotion FILE`"
            else:
                yield text, "known in a promotion", f"`--state`: {where}{text}"
        elif isinstance(part, Call) and part.function in _SUPPLIES:
            yield show(part), *_SUPPLIES[part.function]


_FREIGHT: Final = ("Freight that is not given", "`--freight FILE`")
_RESOURCE: Final = ("in no file", "`--manifest FILE`")
_ENDED: Final = ("how a step ended", "`--status ALIAS=STATUS`")
_SUPPLIES: Final = {
    **dict.fromkeys(LOOKUPS, _FREIGHT),
    **dict.fromkeys(("configMap", "sharedConfigMap", "freightStatus"), _RESOURCE),
    **dict.fromkeys(("freightMetadata", "stageMetadata"), _RESOURCE),
    **dict.fromkeys(("secret", "sharedSecret"), (_SECRET, "`--secrets reveal`")),
    **dict.fromkeys(("status", "success", "failure"), _ENDED),
    "now": ("the clock", "`--now TIME`"),
}


# single expressions


def opened(document: Document, context: Context) -> Evaluate | None:
    """What evaluates strings in the scope of a step, or of the promotion's variables."""
    context.pipeline.upto("variables").last(document, context)
    found = context.work.find(Promotions)
    if context.diagnostics.errors or found is None or not found.executions:
        return None
    execution, told = found.executions[0], Told(context.diagnostics)
    evaluation = Evaluation(context, "steps", told)
    promotion, asked = execution.promotion, execution.options.step
    step = promotion.find(asked) if asked is not None else None
    if asked is not None and step is None:
        names = [name for one in promotion.steps for name in (one.alias, one.short)]
        summary = f"there is no step `{asked}` in the promotion of `{promotion.label}`"
        context.diagnostics.error("step_not_found", None, summary, meant(asked, names))
        return None
    if step is not None:
        run_steps(evaluation, execution, promotion.index(step.alias))
    told.settle(False)
    if context.diagnostics.errors:
        return None
    seen = execution.seen
    if step is not None:
        seen = Variables(evaluation, execution, step)
        seen.compute(of_each_step(promotion))

    def evaluate(text: str) -> Evaluated:
        source = Source("<expression>", text)
        scope = seen.scope(STEP if step is not None else VARIABLE)
        language = context.language
        try:
            segments = segments_of(text, language)
            scope.template = Template(segments, text, Trail(source), 0, len(text))
        except LanguageError:
            scope.template = None  # which is told below
        mask = evaluation.mask
        return evaluate_in(
            text, source, language, evaluation.evaluator, scope, mask, evaluation.reveal
        )

    return evaluate


def reference_names(document: Document, context: Context) -> list[str]:
    """References to the variables and steps of the promotions."""
    context.pipeline.reached("tasks", document, context)
    found = context.work.find(Promotions)
    names: list[str] = []
    for execution in found.executions if found is not None else ():
        names += (f"ctx.{name}" for name in _paths(execution.ctx))
        promotion = execution.promotion
        names += (f"vars.{one.name}" for one in promotion.variables)
        for step in promotion.steps:
            names += (f"vars.{one.name}" for one in step.variables)
            own = f"outputs['{step.alias}']"
            given = outputs_of(step.uses, step.node.get("config"))
            keys = given.fields.known if given is not None else ()
            names += (own, *(f"{own}.{key}" for key in keys))
    return [*dict.fromkeys(names)]


def _paths(data: Mapping[str, Any]) -> Iterator[str]:
    for key, inner in data.items():
        yield key
        yield from (f"{key}.{path}" for path in _paths(inner)) if isinstance(inner, dict) else ()


def manifest_names(kind: str, document: Document, context: Context) -> list[str]:
    """The names of the manifests of a kind."""
    context.pipeline.reached("load", document, context)
    found = context.work.find(Manifests)
    return found.names(kind) if found is not None else []


def repositories(kind: str, document: Document, context: Context) -> Iterator[str]:
    """The repositories of a kind that Warehouses look into."""
    context.pipeline.reached("load", document, context)
    found = context.work.find(Manifests)
    for warehouse in found.all("Warehouse") if found is not None else ():
        for item in list_at(warehouse.node, "spec", "subscriptions"):
            name = text_at(at(item, kind), "repoURL")
            if name:
                yield name
