"""The state of a project, and the choice of its environment."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

from .....functions.record import Record, field
from .....functions.values import Unknown
from ....engine.materialisation import Omitted
from ....engine.run import Context
from ....language.errors import Failure
from ....values.diagnostics import meant, saying_more
from ....values.document import Document
from ....values.expression import Reference
from ....values.source import Span
from ....values.tree import AnyNode, Array, Map, Scalar
from ..evaluating.evaluation import Evaluation
from ..evaluating.project_variables import Stack
from ..evaluating.scope import Lazy, Scope
from ..evaluating.scope import listed as names_listed
from ..options import ProjectOptions
from .configs import PROJECT, Config, Environment, text_at
from .reading import CODE


class Entry(Record, eq=False):
    """An environment that a project lists."""

    name: str
    node: Map


class Project(Record, eq=False):
    """The state of a project, which each stage extends.

    `configs` are in the order of the output, `folder` is the folder of the output. `world` holds
    the names that exist everywhere. `environment` is None for a project without environments. With
    `any_namespace` nobody has to give a namespace: what it is may stay unknown.
    `entries` are the environments that it lists, once they are read.
    `base` has the variables of the project, `stack` those of its environment above them, which
    actions see. `actions` is the value of the name `actions` (see `actions_in`).
    """

    options: ProjectOptions
    evaluation: Evaluation = field(repr=False)
    configs: tuple[Config, ...] = field(default=(), repr=False)
    folder: str = ""
    world: Mapping[str, Any] = field(factory=dict, repr=False)
    entries: Mapping[str, Entry] | None = field(default=None, repr=False)
    environment: Environment | None = None
    any_namespace: bool = False
    base: Stack | None = field(default=None, repr=False)
    stack: Stack | None = field(default=None, repr=False)
    actions: Lazy | None = field(default=None, repr=False)

    @cached_property
    def config(self) -> Config | None:
        """The configuration of the project itself."""
        return next((config for config in self.configs if config.kind == PROJECT), None)

    @cached_property
    def by_key(self) -> dict[str, Config]:
        """The configurations by key; of those that share one the first that is not disabled."""
        found = {config.key: config for config in reversed(self.configs)}
        enabled = (config for config in reversed(self.configs) if not config.is_disabled)
        return {**found, **{config.key: config for config in enabled}}

    @property
    def name(self) -> str:
        """The project's name."""
        return (self.config.name if self.config is not None else None) or ""

    def replacing(self, old: Config, new: Config) -> Project:
        """The project with a configuration replaced."""
        return self.evolve(configs=tuple(new if one is old else one for one in self.configs))

    def document(self, document: Document, context: Context) -> Document:
        """The document for the next stage, one part for each configuration; keeps the project."""
        context.work.keep(self)
        config = self.config
        root = config.node if config is not None else document.root
        parts = tuple(config.part for config in self.configs)
        return document.evolve(root=root, parts=parts)


def project_of(context: Context) -> Project:
    """The project as the earlier stages left it.

    Raises:
        Failure: no stage has read the project.
    """
    project = context.work.find(Project)
    if project is None:
        raise Failure("project_not_found", "the project was not read", hint="add the stage `load`")
    return project


_FIELD: Final = "environments"


def entries_of(config: Config, context: Context) -> dict[str, Entry]:
    """The environments of a project by name; malformed ones are reported."""
    diagnostics = context.diagnostics
    listed = config.node.get(_FIELD)
    if listed is None:
        return {}
    if not isinstance(listed, Array):
        diagnostics.error(
            CODE, listed.span, f"`{_FIELD}` must be a list of maps, each with a `name`"
        )
        return {}
    context.meter.work(len(listed.items))
    found: dict[str, Entry] = {}
    for item in listed.items:
        name = text_at(item, "name") if isinstance(item, Map) else None
        if not isinstance(item, Map) or name is None:
            diagnostics.error(CODE, item.span, "an environment must be a map with a `name`")
        elif name in found:
            summary = f"there is a second environment `{name}`"
            diagnostics.error("duplicate_configuration", item.key_span("name"), summary)
        else:
            found[name] = Entry(name, item)
    return found


def choose(project: Project, scope: Scope) -> Environment | None:
    """The environment to evaluate; None without one, or after a problem that is reported.

    The default may be a template over the names in `scope`.
    """
    evaluation, config = project.evaluation, project.config
    context = evaluation.context
    asked = project.options.environment
    entries = project.entries
    if entries is None:
        entries = entries_of(config, context) if config is not None else {}
    span: Span | None = None
    computed = False
    if asked is None and config is not None:
        node = config.node.get("defaultEnvironment")
        if node is not None:
            asked, span = _default(node, scope, evaluation), node.span
            computed = not isinstance(node, Scalar)
            if asked is None:
                return None
    if asked is None:
        if not entries:
            return None
        asked = next(iter(entries))
    if asked.count(".") > 1 and not computed:
        summary = f"`{asked}` is not a valid environment"
        hint = "write it as `name` or `namespace.name`"
        context.diagnostics.error("environment_not_found", span, summary, hint)
        return None
    namespace, _, name = asked.rpartition(".")
    if not entries:
        return Environment(name, namespace or "default") if name else None
    entry = entries.get(name)
    if entry is None:
        near = meant(name, entries)
        listed = f"the environments are {names_listed(entries)}"
        hint = saying_more(near, listed) or listed
        summary = f"there is no environment `{name}`"
        if computed:
            summary, hint = "the default environment does not exist", listed
        context.diagnostics.error("environment_not_found", span, summary, hint)
        return None
    return Environment(name, namespace or None, entry.node, bool(namespace))


def _default(node: AnyNode, scope: Scope, evaluation: Evaluation) -> str | None:
    try:
        value = evaluation.value(node, scope)
    except Failure:
        return None
    if isinstance(value, str) and value:
        return value
    if isinstance(value, Unknown):
        evaluation.context.diagnostics.error(
            "undecidable",
            node.span,
            "the default environment depends on an unknown value",
            "choose an environment with `--env`",
        )
    else:
        evaluation.context.diagnostics.error(
            CODE, node.span, "`defaultEnvironment` must be the name of an environment"
        )
    return None


_NAMESPACE: Final = Reference("environment", ("namespace",))


def with_namespace(project: Project, scope: Scope) -> Project:
    """The project with the namespace of its environment, which may be a template over `scope`.

    The entry of the environment gets what is known of its `defaultNamespace`. A namespace that the
    caller gave stays.
    """
    environment = project.environment
    if environment is None or environment.node is None:
        return project
    written = environment.node.get("defaultNamespace")
    namespace: str | Unknown | None = "default"
    if written is not None:
        evaluation = project.evaluation
        before = evaluation.context.diagnostics.errors
        # evaluated once: what chance decides is the same in the output and for references
        node = evaluation.node(written, scope)
        if evaluation.context.diagnostics.errors > before:
            return project
        if not isinstance(node, Omitted):
            namespace = _namespace(project, environment, node, scope)
        if node is not written:
            items = {**environment.node.items, "defaultNamespace": node}
            kept = {k: one for k, one in items.items() if not isinstance(one, Omitted)}
            project = with_entry(project, environment.node.replacing(kept))
            environment = project.environment or environment
    chosen = environment.evolve(namespace=environment.namespace or namespace)
    return project.evolve(environment=chosen)


def _namespace(
    project: Project, environment: Environment, node: AnyNode, scope: Scope
) -> str | Unknown | None:
    """The namespace that an evaluated node stands for; problems are reported."""
    diagnostics = project.evaluation.context.diagnostics
    value = project.evaluation.value(node, scope, _NAMESPACE)
    if isinstance(value, str):
        return value
    if isinstance(value, Unknown) and value.type in ("any", "string"):
        return Unknown(_NAMESPACE, "string", value.secret)
    if value is not None:
        diagnostics.error(CODE, node.span, "`defaultNamespace` must be a string or null")
    elif project.any_namespace:
        return Unknown(_NAMESPACE, "string")
    elif not environment.given:
        diagnostics.error(
            "environment_not_found",
            node.span,
            f"the environment `{environment.name}` needs a namespace",
            f"put it in front of the name, as in `--env mine.{environment.name}`",
        )
    return None


def with_entry(project: Project, made: Map) -> Project:
    """The project with the entry of its environment replaced."""
    config, environment = project.config, project.environment
    listed = config.node.get(_FIELD) if config is not None else None
    if config is None or environment is None or not isinstance(listed, Array):
        return project
    old = environment.node
    entries: list[AnyNode] = [made if item is old else item for item in listed.items]
    array = Array(entries, listed.trail, listed.start, listed.end)
    root = config.node.replacing({**config.node.items, _FIELD: array})
    project = project.replacing(config, config.holding(root))
    return project.evolve(environment=environment.evolve(node=made))
