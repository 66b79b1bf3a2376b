"""A finished project: its configurations, variables, actions, and the templates that are left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from .....functions.record import Record, field
from .....functions.values import NONE
from ....answers.explanation import UnknownPath
from ....answers.inspection import Evaluate
from ....answers.paths import Path, path_text
from ....engine.evaluation import references_in
from ....engine.materialisation import MASK, to_node
from ....engine.run import Context, Run
from ....engine.string_evaluation import evaluate_in
from ....formats.emit import emit
from ....language.errors import Failure
from ....language.language import Language
from ....values.diagnostics import Diagnostic
from ....values.document import Document
from ....values.expression import Reference
from ....values.settings import SECRETS_MASK
from ....values.source import Source, Span
from ....values.tree import AnyNode, Array, Map, Scalar, Template, Trail, templates_at, templates_in
from ..command_line import CONTEXT, ENVIRONMENT, LOCAL_ENVIRONMENT
from ..evaluating.contexts import (
    environment_scope,
    field_scope,
    full_scope,
    is_for,
    project_scope,
    sees_environment,
)
from ..evaluating.project_variables import Stack, VariableSource, sources_of
from ..evaluating.scope import ITEM, Scope, force, opened
from ..structure.actions import Action, Actions, actions_in, key_of_reference, needs_of
from ..structure.configs import PROJECT, Config, text_at
from ..structure.project import Project


class Variable(Record):
    """A variable: its value, and where it comes from.

    `value` is plain data with an `Unknown` for unknown parts. `level` and `span` are the place that
    gives the value; `span` is None for the command line. `below` are the other places that have it,
    from the highest to the lowest, which are overridden or, for maps, merged.
    """

    name: str
    value: Any = field(repr=False)
    level: str
    span: Span | None
    below: tuple[VariableSource, ...] = ()


class Need(Record):
    """An action that another needs: by its `dependencies`, its `build`, or a `reference`."""

    key: str
    how: str
    span: Span


class ActionInfo(Record):
    """An action, or another configuration with a scope of its own.

    `disabled` is None when that depends on an unknown value. `named` is False for one that its key
    does not mean: it has no name, or shares it with another one that is not disabled.
    """

    key: str
    kind: str
    name: str | None
    type: str | None
    disabled: bool | None
    named: bool
    span: Span
    needs: tuple[Need, ...]


class Left(Record):
    """A template that is left in the output: the configuration, the path and the text."""

    key: str
    path: Path
    text: str
    template: Template


def config_of(project: Project, key: str) -> Config | None:
    """The configuration of a key, such as `deploy.api`."""
    return project.by_key.get(key)


def scope_of(project: Project, config: Config | None = None, path: Path = ()) -> Scope:
    """The scope of a configuration, for the project's own at a path in it.

    Without a configuration, the scope that all actions share.
    """
    if config is not None and config.kind == PROJECT:
        return field_scope(project, path) if path else project_scope(project)
    action = _action(project, config)
    if action is not None:
        return action.full()
    return full_scope(project) if project.actions is not None else environment_scope(project)


def stack_of(project: Project, config: Config | None = None, path: Path = ()) -> Stack | None:
    """The variables that a configuration sees, the project's own at a path in it."""
    if config is not None and config.kind == PROJECT:
        return project.stack if path and sees_environment(path) else project.base
    action = _action(project, config)
    return action.stack if action is not None else project.stack


def _action(project: Project, config: Config | None) -> Action | None:
    actions = actions_in(project)
    if config is None or actions is None:
        return None
    return actions.by_config.get(config) or actions.by_key.get(config.key)


def variables_of(project: Project, action: str | None = None) -> tuple[Variable, ...]:
    """The variables of the environment or of an action, sorted by name.

    A variable without a value, because of an error, is left out.

    Raises:
        KeyError: unknown action.
    """
    stack = _stack(project, action)
    if stack is None:
        return ()
    value = opened(stack.value)
    found = []
    for name in sorted(value) if isinstance(value, dict) else ():
        try:
            known = force(value[name])
        except Failure:
            continue
        places = sources_of(stack, name)
        if known is not NONE and places:
            first, *rest = places
            found.append(Variable(name, known, first.level, first.span, tuple(rest)))
    return tuple(found)


def _stack(project: Project, action: str | None) -> Stack | None:
    if action is None:
        return project.stack
    config = config_of(project, action)
    if config is None:
        raise KeyError(action)
    return stack_of(project, config)


def show_variables(run: Run, format: str = "yaml") -> str:  # noqa: A002
    """The variables of the environment as YAML or JSON: maps with value, level and source by name.

    Secrets stay references, or are masked if the settings say so.
    """
    project, language = run.work.find(Project), run.language
    assert project is not None
    trail = Trail(Source("<variables>", ""))
    items: dict[str, AnyNode] = {}
    mask = project.evaluation.context.settings.secrets == SECRETS_MASK
    for one in variables_of(project):
        value: AnyNode = to_node(one.value, Scalar(None, trail, 0, 0), "show")
        if mask and any("secrets" in t.segments.roots for t in templates_in(value)):
            value = Scalar(MASK, trail, 0, 0)
        row: dict[str, AnyNode] = {"value": value, **_source(one.level, one.span, trail)}
        if one.below:
            below: list[AnyNode] = [
                Map(_source(source.level, source.span, trail), {}, trail, 0, 0)
                for source in one.below
            ]
            row["below"] = Array(below, trail, 0, 0)
        items[one.name] = Map(row, {}, trail, 0, 0)
    return emit(Map(items, {}, trail, 0, 0), format, language, language.limits, run.share)


def _source(level: str, span: Span | None, trail: Trail) -> dict[str, AnyNode]:
    found: dict[str, AnyNode] = {"level": Scalar(level, trail, 0, 0)}
    if span is not None:
        found["source"] = Scalar(str(span), trail, 0, 0)
    return found


def actions_of(project: Project) -> tuple[ActionInfo, ...]:
    """All configurations except the project's own, in the order of the output, with their needs."""
    found = []
    actions = actions_in(project)
    if actions is None:
        return ()
    for (config, action), final in zip(actions.by_config.items(), project.configs, strict=True):
        if config.kind == PROJECT:
            continue
        node = final.node
        found.append(
            ActionInfo(
                key=config.key,
                kind=config.kind,
                name=config.name,
                type=text_at(node, "type"),
                disabled=action.disabled,
                named=config.name is not None and actions.by_key[config.key] is action,
                span=config.span,
                needs=tuple(_needs(config, node, actions)),
            )
        )
    return tuple(found)


def _needs(config: Config, resolved: Map, actions: Actions) -> Iterator[Need]:
    """The actions that a configuration names and that its templates refer to, each once."""
    seen = set()
    for key, node in needs_of(resolved):
        how = "build" if node is resolved.get("build") else "dependencies"
        if key not in seen:
            seen.add(key)
            yield Need(key, how, node.span)
    nodes: list[AnyNode] = [config.node]
    if config.rendering is not None:
        nodes += [*config.rendering.given.values(), *config.rendering.matrix.values()]
    for node in nodes:
        for template in templates_in(node):
            for reference in references_in(template):
                key_of = key_of_reference(reference, actions)
                if key_of is not None and key_of not in seen and key_of != config.key:
                    seen.add(key_of)
                    yield Need(key_of, "reference", template.span)


def left_in(project: Project, language: Language, disabled: bool = True) -> tuple[Left, ...]:
    """The templates that are left in a project, with the configuration and the path of each.

    Those of other environments are not included, and without `disabled` those of disabled actions.
    """
    found: list[Left] = []
    for config in project.configs:
        if config.is_disabled and not disabled:
            continue
        key = config.key if config.kind != "Project" else "project"
        others = others_in(config.node, project) if key == "project" else ()
        for path, node in templates_at(config.node):
            if path[:2] in others or path[:3] in others:
                continue
            found.append(Left(key, path, language.template(node), node))
    return tuple(found)


def others_in(node: Map, project: Project) -> set[tuple[str | int, ...]]:
    """The paths in a project's configuration that nothing in the environment asks for."""
    environment = project.environment
    name = environment.name if environment is not None else None
    found: set[tuple[str | int, ...]] = set()
    for key in ("environments", "providers", "sources"):
        listed = node.get(key)
        for index, item in enumerate(listed.items if isinstance(listed, Array) else ()):
            chosen = is_for(item, name)
            if key == "environments":
                chosen = isinstance(item, Map) and text_at(item, "name") == name
            if not chosen:
                found.add((key, index))
            elif environment is not None and environment.given and key == "environments":
                found.add((key, index, "defaultNamespace"))
    return found


def variable_names(document: Document, context: Context) -> list[str]:
    """The variables that the project, or one of its environments, gives a value to."""
    tables = [one.get("variables") for one in _project_nodes(document, context)]
    return [name for table in tables if isinstance(table, Map) for name in table.items]


def environment_names(document: Document, context: Context) -> list[str]:
    """The environments of a project."""
    names = [text_at(one, "name") for one in _project_nodes(document, context)[1:]]
    return [name for name in names if name is not None]


def _project_nodes(document: Document, context: Context) -> list[Map]:
    """The configuration of the project itself, then each of its environments, as written."""
    context.pipeline.reached("load", document, context)
    project = context.work.find(Project)
    config = project.config if project is not None else None
    if config is None:
        return []
    listed = config.node.get("environments")
    items = listed.items if isinstance(listed, Array) else []
    return [config.node, *(item for item in items if isinstance(item, Map))]


def reference_names(document: Document, context: Context) -> list[str]:
    """References to the variables and actions of a project."""
    names = [f"var.{name}" for name in variable_names(document, context)]
    project = context.work.find(Project)
    for config in project.configs if project is not None else ():
        if config.name is not None and config.kind != PROJECT:
            names.append(f"actions.{config.key}")
        if config.is_action:
            names += (f"actions.{config.key}.{part}" for part in _OF_ACTIONS)
            names += (f"var.{name}" for name in _keys(config.node, "variables"))
        if config.is_template:
            names += (f"inputs.{name}" for name in _keys(config.node, "inputs"))
    names += [f"providers.{name}" for name in provider_names(document, context)]
    return [*_EVERYWHERE, *names]


def _keys(node: Map, field_name: str) -> Iterable[str]:
    found = node.get(field_name)
    return found.items if isinstance(found, Map) else ()


_OF_ACTIONS: Final = ("name", "disabled", "mode", "outputs", "sourcePath", "var", "version")
_EVERYWHERE: Final = (
    "environment.name",
    "environment.fullName",
    "environment.namespace",
    "project.name",
    "git.branch",
    "git.commitHash",
    "git.originUrl",
    "local.arch",
    "local.env",
    "local.platform",
    "local.projectPath",
    "local.username",
    "datetime.now",
    "datetime.timestamp",
    "datetime.today",
    "this.name",
    "this.mode",
)


def _configs(document: Document, context: Context) -> tuple[Config, ...]:
    context.pipeline.reached("load", document, context)
    project = context.work.find(Project)
    return project.configs if project is not None else ()


def action_names(document: Document, context: Context) -> list[str]:
    """The actions of a project as dependencies name them, `kind.name`."""
    return [one.key for one in _configs(document, context) if one.is_action and one.name]


def template_names(document: Document, context: Context) -> list[str]:
    """The templates of configurations in a project."""
    return [one.name for one in _configs(document, context) if one.is_template and one.name]


def provider_names(document: Document, context: Context) -> list[str]:
    """The providers of a project."""
    project = next(iter(_project_nodes(document, context)), None)
    listed = project.get("providers") if project is not None else None
    items = listed.items if isinstance(listed, Array) else []
    names = [text_at(one, "name") for one in items if isinstance(one, Map)]
    return [name for name in names if name is not None]


def opened_project(document: Document, context: Context) -> Evaluate | None:
    """What evaluates strings in the scope that all actions of a project share.

    Problems with the project are reported to the context; None after errors.
    """
    context.pipeline.last(document, context)
    project = context.work.find(Project)
    if context.diagnostics.errors or project is None:
        return None
    evaluator, scope = project.evaluation.evaluator, scope_of(project)
    return lambda text: evaluate_in(
        text, Source("<expression>", text), context.language, evaluator, scope
    )


_SECRET: Final = "secret"
_STATE: Final = ("actions", "providers", "modules", "runtime", "steps", "imported")


def unknowns_of_project(run: Run) -> tuple[UnknownPath, ...]:
    """The references that are left in the output, or for a failed run after its last stage."""
    project = run.work.find(Project)
    return _unknowns(project, run.language) if project is not None else ()


def unresolved(context: Context) -> Iterator[Diagnostic]:
    """An error for each place that is not known; secrets are known, but withheld."""
    project = context.work.find(Project)
    for one in _unknowns(project, context.language) if project is not None else ():
        if one.why == _SECRET:
            continue
        hint = f"{one.supply} supplies it; render without `--strict`"
        if one.supply.startswith("`"):
            hint = f"supply it with {one.supply}, or render without `--strict`"
        for where, span in zip(one.places, one.spans, strict=True):
            yield Diagnostic(
                "unresolved_value",
                f"`{where}` is unknown: it depends on `{one.text}`",
                span,
                hint=hint,
            )


def _unknowns(project: Project, language: Language) -> tuple[UnknownPath, ...]:
    found: dict[str, dict[Path, Span]] = {}
    named: dict[str, Reference] = {}
    for left in left_in(project, language, disabled=False):
        key: Path = tuple(left.key.split(".", 1))
        if left.key == "project":
            key = ("project", project.name)
        for reference in references_in(left.template):
            if reference.root == ITEM:  # the loop around it depends on the one that is unknown
                continue
            text = language.syntax.show(reference)
            named[text] = reference
            found.setdefault(text, {})[*key, *left.path] = left.template.span
    return tuple(
        UnknownPath(
            text,
            *_reason(named[text], project),
            tuple(map(path_text, places)),
            tuple(places.values()),
        )
        for text, places in found.items()
    )


def _reason(reference: Reference, project: Project) -> tuple[str, str]:
    """Why a value is unknown, and how to supply it."""
    root = reference.root
    path = path_text((root, *reference.path))
    if root == "secrets":
        return _SECRET, f"`--state`: {path}; `--secrets reveal` writes it"
    if root in _STATE:
        return "known in a run of Garden", f"`--state`: {path}"
    if root == "local" and reference.path[:1] == ("env",):
        return "known on the machine", f"`{LOCAL_ENVIRONMENT.flag} {reference.path[-1]}`"
    if root in ("local", "git", "command"):
        return "known on the machine", f"`{CONTEXT.flag}`: {path}"
    if root == "environment":
        environment = project.environment
        if environment is None:
            return "no environment chosen", f"`{ENVIRONMENT.flag} NAME`"
        return "computed namespace", f"`{ENVIRONMENT.flag} NAMESPACE.{environment.name}`"
    if root == "this":
        return "known in a run of Garden", "`--state`: actions"
    return "known later", "only a run of Garden"
