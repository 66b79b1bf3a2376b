"""Promotions: the steps of a Stage with its tasks put in, and the variables that each step has.

Everything here is structure. No template is evaluated, so the mistakes that are found are those for
which a cluster refuses a manifest, or a promotion when it is made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final, TypeAlias

from ....functions.record import Record, field
from ....functions.regexes import compile_regex
from ...engine.builders import BuildError
from ...engine.builders import node as nodes_for
from ...engine.run import Context
from ...values.diagnostics import meant, suggestion
from ...values.source import Span
from ...values.tree import AnyNode, Array, Map, Scalar, at, is_text, list_at, text_at
from .manifests import Manifest, Manifests
from .options import PromotionOptions
from .syntax import OPENER

STAGE: Final = "Stage"
PROMOTION: Final = "Promotion"
TASKS: Final = ("PromotionTask", "ClusterPromotionTask")
SEPARATOR: Final = "::"
"""Stands between the alias of a task step and that of a step of the task."""

_NAME: Final = compile_regex(r"[A-Za-z_]\w*", re.ASCII)
_RESERVED: Final = compile_regex(r"(?:step|task)-\d+")
_FIELDS: Final = ("uses", "as", "task", "if", "continueOnError", "retry", "vars", "config")
_NAMES: Final = (
    ("metadata", "name"),
    ("metadata", "namespace"),
    ("spec", "stage"),
    ("spec", "freight"),
)
_TASK_FIELDS: Final = ("task", "as", "vars")
_A_STEP: Final = 8


class Variable(Record, eq=False):
    """A variable as it is written; `level` says where: `Stage`, `promotion`, `task` or `step`.

    `given` has the value of one that the caller gives as data instead of text.
    """

    name: str
    node: AnyNode
    level: str
    given: Any = None


class Step(Record, eq=False):
    """A step with `uses`; `alias` is its own, with that of its task in front if it has one."""

    alias: str
    uses: str
    node: Map = field(repr=False)
    variables: tuple[Variable, ...] = field(default=(), repr=False)

    @property
    def task(self) -> str:
        """The alias of the task step that stood in its place; empty outside of tasks."""
        return self.alias.rpartition(SEPARATOR)[0]

    @property
    def short(self) -> str:
        """The alias within its task."""
        return self.alias.rpartition(SEPARATOR)[2]

    @property
    def continues(self) -> bool:
        """True for a step whose failure does not count."""
        node = self.node.get("continueOnError")
        return isinstance(node, Scalar) and node.value is True


class Promotion(Record, eq=False):
    """What is promoted: the Stage (None when it is not known), variables and steps.

    `manifest` is the Stage, task or recorded Promotion that it is made of; `label` is its name in
    messages and views. `arguments` are those of the Stage's verification. The steps and tasks with
    the aliases `lost` have a mistake, and so have variables, which are there as `vars.name`.
    """

    label: str
    manifest: Manifest = field(repr=False)
    stage_name: str | None
    stage: Manifest | None = field(repr=False)
    namespace: str
    variables: tuple[Variable, ...] = field(repr=False)
    steps: tuple[Step, ...] = field(repr=False)
    arguments: tuple[Variable, ...] = field(default=(), repr=False)
    lost: frozenset[str] = frozenset()

    @property
    def recorded(self) -> bool:
        """True for one that a cluster has made."""
        return self.manifest.kind == PROMOTION

    def has(self, span: Span) -> bool:
        """True for a place in the manifest that it is made of."""
        own = self.manifest.node
        return span.source is own.trail.source and own.start <= span.start < own.end

    def has_lost(self, alias: str) -> bool:
        """True for the alias of what is not there for a mistake of its own."""
        return alias in self.lost or alias.partition(SEPARATOR)[0] in self.lost

    @property
    def nodes(self) -> Iterator[AnyNode]:
        """The trees that may hold expressions."""
        yield from (one.node for one in (*self.variables, *self.arguments))
        for step in self.steps:
            yield from (one.node for one in step.variables)
            yield step.node

    def index(self, alias: str) -> int:
        """The place of a step; -1 if there is none."""
        return self._places.get(alias, -1)

    def find(self, alias: str) -> Step | None:
        """The step with an alias, or with a short one that no other step has."""
        place = self.index(alias)
        named = [self.steps[place]] if place >= 0 else [s for s in self.steps if s.short == alias]
        return named[0] if len(named) == 1 else None

    @cached_property
    def _places(self) -> dict[str, int]:
        return {step.alias: place for place, step in enumerate(self.steps)}


def promotion_of(
    manifest: Manifest,
    stage: Manifest | None,
    manifests: Manifests,
    options: PromotionOptions,
    context: Context,
) -> Promotion | None:
    """The promotion of a Stage, a task or a recorded Promotion; None for a Stage without one.

    `stage` is that of a task or of a recorded Promotion, if it is known. Mistakes are reported.
    """
    node = manifest.node
    for path in _NAMES:
        found_name = at(node, *path)
        if context.language.opener in text_at(found_name):
            assert found_name is not None
            summary = f"`{'.'.join(path)}` is not evaluated, so it must be a name"
            context.diagnostics.error("invalid_string", found_name.span, summary)
    name: str | None = stage.name if stage is not None else None
    variables: list[Variable] = []
    found = _Inflation(manifests, context, manifest.namespace)
    if manifest.kind == PROMOTION:
        variables += found.variables(node, "promotion", "spec", "vars")
        name = text_at(node, "spec", "stage") or name
    elif stage is not None:
        variables += found.variables(stage.node, "Stage", "spec", "vars")
        template = stage.at("spec", "promotionTemplate")
        if template is None and manifest is stage:
            return None
        variables += found.variables(template, "promotion", "spec", "vars")
    variables = given_over(variables, options, node, context)
    found.outer = {one.name for one in variables if not _is_empty(one)}
    if manifest.kind in TASKS:
        called = Map({}, {}, node.trail, node.start, node.start)
        steps = found.task_steps("task-1", manifest, called, None)
    else:
        inner = ("spec", "promotionTemplate") if manifest is stage else ()
        steps = [*found.steps(list_at(node, *inner, "spec", "steps"), manifest.kind == PROMOTION)]
    arguments: list[Variable] = []
    if manifest is stage:
        arguments = found.variables(node, "verification", "spec", "verification", "args")
    return Promotion(
        name or manifest.name or "promotion",
        manifest,
        name,
        stage,
        manifest.namespace or (stage.namespace if stage is not None else ""),
        tuple(variables),
        tuple(found.unique(steps)),
        tuple(arguments),
        frozenset(found.lost),
    )


def given_over(
    variables: Iterable[Variable], options: PromotionOptions, origin: Map, context: Context
) -> list[Variable]:
    """The variables with those that the caller gives in the place of, or before, the others."""
    given: dict[str, Variable] = {}
    for name, value in options.variables.items():
        try:
            node = nodes_for(value, origin, language=context.language, step="tasks")
        except BuildError as problem:
            context.diagnostics.error("invalid_substitution", None, f"`--var {name}`: {problem}")
            continue
        data = None if isinstance(value, str) else value
        given[name] = Variable(name, node, "caller", data)
    kept = [given.pop(one.name, one) if one.name in options.variables else one for one in variables]
    return [*given.values(), *dict.fromkeys(kept)]


_StepInside: TypeAlias = tuple[str, Map | None, tuple[Variable, ...]]
"""A step of a task: its alias there, its node (None after a mistake), and its own variables."""
_Inside: TypeAlias = tuple[list[Variable], list[_StepInside]]


class _Inflation:
    """Makes the steps of one promotion; `outer` are its variables that have a value."""

    def __init__(self, manifests: Manifests, context: Context, namespace: str) -> None:
        self.manifests = manifests
        self.context = context
        self.namespace = namespace
        self.outer: set[str] = set()
        self.lost: set[str] = set()
        self._known: dict[int, _Inside] = {}

    def variables(self, node: AnyNode | None, level: str, *path: str) -> list[Variable]:
        """The variables of the list at a path; one without a name is reported and left out."""
        error = self.context.diagnostics.error
        found = []
        for item in list_at(node, *path):
            self.context.meter.work()
            name = text_at(item, "name")
            if not isinstance(item, Map) or not name:
                error("missing_field", item.span, "a variable must be a map with a `name`")
                continue
            value = item.get("value")
            if level != "verification" and not _NAME.fullmatch(name):
                span = item.items["name"].span
                remedy = "letters, digits and `_`, and no digit at the beginning"
                error("invalid_variable_name", span, f"`{name}` is not a valid name", remedy)
            if value is not None and not is_text(value):
                summary = f"the value of `{name}` must be a string"
                shown = self._shown(value)
                hint = f'put it into quotes, or write `"${{{{ {shown} }}}}"`' if shown else None
                error("invalid_string", value.span, summary, hint)
                self.lost.add(f"vars.{name}")
                continue
            found.append(Variable(name, value or Scalar("", item.trail, *_place(item)), level))
        return found

    @staticmethod
    def _shown(node: AnyNode) -> str | None:
        value = node.value if isinstance(node, Scalar) else None
        return str(value).lower() if isinstance(value, (bool, int, float)) else None

    def steps(self, items: list[AnyNode], recorded: bool) -> Iterator[Step]:
        """The steps, with the steps of a task in the place of each task step."""
        for number, item in enumerate(items, 1):
            if not self._is_step(item):
                self.lost.add(text_at(item, "as"))
                continue
            assert isinstance(item, Map)
            task = item.get("task")
            alias = self._alias(item, "step" if task is None else "task", number, recorded)
            if task is None:
                yield Step(alias, text_at(item, "uses"), item, self._own(item))
                continue
            for key in item.items:
                if key not in _TASK_FIELDS and key in _FIELDS:
                    hint = f"put the `{key}` into the steps of the task"
                    span = item.key_span(key)
                    summary = f"a step with `task` must not have `{key}`"
                    self.context.diagnostics.error("task_step_field", span, summary, hint)
            found = self._task(task)
            if found is not None:
                yield from self.task_steps(alias, found, item, task)
            else:
                self.lost.add(alias)

    def task_steps(
        self, alias: str, task: Manifest, item: Map, reference: AnyNode | None
    ) -> list[Step]:
        """The steps of a task, with the variables that they get from it and from its step."""
        declared, inside = self._inside(task)
        passed = self.variables(item, "task", "vars")
        given = self.outer | {one.name for one in passed if not _is_empty(one)}
        for one in declared:
            if _is_empty(one) and one.name not in given:
                where = reference if reference is not None else one.node
                summary = f"the task `{task.name}` needs a value for the variable `{one.name}`"
                hint = "give it with `vars` of the step"
                if reference is None:
                    hint = f"give it with `--var {one.name}=VALUE`"
                self.context.diagnostics.error("task_variable_missing", where.span, summary, hint)
        variables = [one for one in declared if not _is_empty(one) and one.name not in self.outer]
        steps: list[Step] = []
        self._check_passed(task, declared, passed)
        outer = (*variables, *passed)
        for short, inner, own in inside:
            if inner is None:
                self.lost.add(f"{alias}{SEPARATOR}{short}")
                continue
            self.context.meter.work(_A_STEP + len(own))
            name = f"{alias}{SEPARATOR}{short}"
            steps.append(Step(name, text_at(inner, "uses"), inner, (*outer, *own)))
        return steps

    def _inside(self, task: Manifest) -> _Inside:
        """The variables and the steps of a task, which are checked once for all of its uses."""
        found = self._known.get(id(task))
        if found is None:
            declared = self.variables(task.node, "task", "spec", "vars")
            found = self._known[id(task)] = declared, [*self._steps_inside(task)]
        else:
            self.context.meter.work(len(found[0]))
        return found

    def _steps_inside(self, task: Manifest) -> Iterator[_StepInside]:
        """The steps of a task."""
        for number, inner in enumerate(list_at(task.node, "spec", "steps"), 1):
            if not self._is_step(inner):
                yield text_at(inner, "as"), None, ()
                continue
            assert isinstance(inner, Map)
            if "task" in inner.items:
                summary = "a step of a task cannot be a task itself"
                self.context.diagnostics.error("invalid_step", inner.key_span("task"), summary)
                continue
            short = self._alias(inner, "step", number, False)
            yield short, inner, self._own(inner)

    def _check_passed(
        self, task: Manifest, declared: list[Variable], passed: list[Variable]
    ) -> None:
        """Warns of variables that a task step gives and its task does not have."""
        names = [one.name for one in declared]
        for one in passed:
            if one.name not in names:
                near = suggestion(one.name, names)
                summary = f"the task `{task.name}` declares no variable `{one.name}`"
                where = one.node.span
                self.context.diagnostics.warn("task_variable_unknown", where, summary, near)

    def _is_step(self, item: AnyNode) -> bool:
        """Whether an item has `uses` or `task`, and not both."""
        error = self.context.diagnostics.error
        self.context.meter.work(_A_STEP)
        if not isinstance(item, Map):
            error("invalid_step", item.span, "a step must be a map with `uses` or `task`")
            return False
        for key in item.items:
            if key not in _FIELDS:
                near = suggestion(key, _FIELDS)
                summary = f"a step has no field `{key}`"
                self.context.diagnostics.warn("unknown_field", item.key_span(key), summary, near)
        uses, task = item.get("uses"), item.get("task")
        if (uses is None) is (task is None):
            words = "must have `uses` or `task`" if uses is None else "has both `uses` and `task`"
            span = item.key_span("task") if task is not None else item.span
            error("invalid_step", span, f"a step {words}")
            return False
        if uses is not None and not text_at(item, "uses"):
            error("invalid_string", uses.span, "`uses` must be the name of a step")
            return False
        return True

    def _alias(self, item: Map, kind: str, number: int, recorded: bool) -> str:
        """The alias of a step, by default its place in its own list."""
        node = item.get("as")
        alias = text_at(item, "as")
        if node is None or not alias:
            if node is not None and not isinstance(node, Scalar):
                self.context.diagnostics.error("invalid_string", node.span, "`as` is not evaluated")
            return f"{kind}-{number}"
        if not recorded and (_RESERVED.fullmatch(alias) or SEPARATOR in alias):
            summary = f"the alias `{alias}` is reserved"
            hint = "`step-N` and `task-N` are the aliases of steps that have none"
            self.context.diagnostics.error("reserved_alias", node.span, summary, hint)
        return alias

    def _own(self, item: Map) -> tuple[Variable, ...]:
        """The variables of a step, whose fields are checked."""
        condition = item.get("if")
        if condition is not None and not is_text(condition):
            shown = self._shown(condition)
            hint = f"`${{{{ {shown} }}}}`" if shown else None
            summary = "`if` must be a string"
            self.context.diagnostics.error("invalid_string", condition.span, summary, hint)
        elif isinstance(condition, Scalar) and condition.value and not _is_cut(condition):
            summary = "this `if` is a text, not an expression, and fails in every promotion"
            hint = f"`${{{{ {condition.value} }}}}`"
            self.context.diagnostics.error("if_without_expression", condition.span, summary, hint)
        config = item.get("config")
        empty = isinstance(config, Scalar) and config.value is None
        if config is not None and not isinstance(config, Map) and not empty:
            self.context.diagnostics.error("invalid_step", config.span, "`config` must be a map")
        return tuple(self.variables(item, "step", "vars"))

    def _task(self, reference: AnyNode) -> Manifest | None:
        """The task that a step refers to; None after a mistake."""
        name = text_at(reference, "name")
        error = self.context.diagnostics.error
        if not isinstance(reference, Map) or not name:
            written = text_at(reference)
            hint: str | None = f"write `{{name: {written}}}`" if written else None
            summary = "`task` must be a map with the `name` of a task"
            error("invalid_step", reference.span, summary, hint)
            return None
        kind = text_at(reference, "kind") or TASKS[0]
        namespace = self.namespace if kind == TASKS[0] else ""
        found = self.manifests.find(kind, name, namespace)
        if found is None:
            span = reference.items["name"].span
            others = self.manifests.names(kind)
            other = TASKS[1] if kind == TASKS[0] else TASKS[0]
            hint = meant(name, others) or "`--manifest FILE` reads one more file"
            if self.manifests.find(other, name, "" if other == TASKS[1] else self.namespace):
                hint = f"there is a {other} of this name; add `kind: {other}`"
            error("task_not_found", span, f"no file has the {kind} `{name}`", hint)
        return found

    def unique(self, steps: Iterable[Step]) -> Iterator[Step]:
        """The steps; one whose alias an earlier one has is reported and left out."""
        seen: set[str] = set()
        for step in steps:
            if step.alias in seen:
                node = step.node.get("as") or step.node
                summary = f"there is a second step `{step.short}`"
                self.context.diagnostics.error("duplicate_alias", node.span, summary)
                continue
            seen.add(step.alias)
            yield step


def _is_cut(node: Scalar) -> bool:
    """Whether a text has an expression; one that cannot be read stays text, and is reported."""
    return OPENER.search(str(node.value)) is not None


def _is_empty(variable: Variable) -> bool:
    return isinstance(variable.node, Scalar) and variable.node.value in ("", None)


def _place(node: AnyNode) -> tuple[int, int]:
    return node.start, node.start


def as_node(
    promotion: Promotion, variables: list[AnyNode], steps: list[AnyNode], about: dict[str, Any]
) -> Map:
    """The Promotion as a manifest; `about` are its `metadata`, and its `stage` and `freight`."""
    near = promotion.manifest.node
    trail, start = near.trail.then("tasks"), near.start

    def made(value: Any) -> AnyNode:
        if isinstance(value, dict):
            items = {key: made(one) for key, one in value.items()}
            return Map(items, near.places, trail, start, near.end)
        if isinstance(value, list):
            return Array(value, trail, start, near.end)
        return Scalar(value, trail, start, near.end)

    spec: dict[str, Any] = {key: about[key] for key in ("stage", "freight") if key in about}
    if variables:
        spec["vars"] = variables
    whole = {"apiVersion": "kargo.akuity.io/v1alpha1", "kind": PROMOTION}
    root = made({**whole, "metadata": about["metadata"], "spec": {**spec, "steps": steps}})
    assert isinstance(root, Map)
    return root


def step_node(step: Step, fields: Mapping[str, AnyNode | None]) -> Map:
    """A step as a manifest has it, with other `fields`; one that is None is left out."""
    known = {**step.node.items, "as": _alias_node(step), **fields}
    order = (*(key for key in _FIELDS if key in known), *(k for k in known if k not in _FIELDS))
    items = {key: known[key] for key in order}
    return step.node.replacing({key: one for key, one in items.items() if one is not None})


def _alias_node(step: Step) -> AnyNode:
    node = step.node.get("as")
    if isinstance(node, Scalar) and node.value == step.alias:
        return node
    start, end = (node.start, node.end) if node is not None else _place(step.node)
    return Scalar(step.alias, step.node.trail, start, end)


def variable_node(name: str, value: AnyNode) -> Map:
    """A variable as an item of `vars`."""
    items: dict[str, AnyNode] = {"name": Scalar(name, value.trail, value.start, value.start)}
    return Map({**items, "value": value}, {}, value.trail, value.start, value.end)
