"""The stages of a project in their order.

`resolve` leaves references to values of a run of Garden.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from functools import partial

from ...engine.evaluation import references_in
from ...engine.materialisation import Omitted
from ...engine.run import Context
from ...language.errors import Failure
from ...values.diagnostics import NOTE, Diagnostic, Hint, Note, meant, suggestion
from ...values.document import Document
from ...values.expression import Path
from ...values.source import Span
from ...values.tree import AnyNode, Array, Map, Scalar, Template, templates_in
from .evaluating.contexts import (
    EarlyScope,
    early_scope,
    field_scope,
    full_scope,
    is_for,
    project_scope,
    world_of,
)
from .evaluating.evaluation import Evaluation, Softened, check_data
from .evaluating.expansion import Part, items_of
from .evaluating.project_variables import (
    ACTION,
    ACTION_FILE,
    ENVIRONMENT,
    ENVIRONMENT_FILE,
    PROJECT_FILE,
    Layer,
    Stack,
    default_file,
    default_name,
    force_own,
    given_parts,
    imported,
    named_file,
    stacked,
    variables_node,
)
from .evaluating.project_variables import PROJECT as PROJECT_LEVEL
from .evaluating.scope import Scope, listed
from .options import holds_local, options_of
from .structure.action_cycles import report_cycles
from .structure.actions import (
    BUILT_IN,
    FILES,
    Action,
    Actions,
    actions_in,
    all_needs_of,
    needs_of,
    with_actions,
)
from .structure.config_templates import check_inputs, rendered_configs
from .structure.configs import MODULE, PROJECT, Config, Rendering, is_null
from .structure.elsewhere import SOURCES, has_sources
from .structure.placing import placed, taking_output
from .structure.project import Project, choose, project_of, with_entry, with_namespace
from .structure.reading import check_unique
from .structure.scanning import files_of
from .supplied import check_supplied


def load(document: Document, context: Context) -> Document:
    """Reads the source, the files that the user names, and those that Garden finds in its folder.

    Reports every error that can be found without evaluation.

    Raises:
        ValueError: the options are not those of a project.
    """
    options = options_of(context.options)
    evaluation = Evaluation(context, "load")
    before = context.diagnostics.errors
    configs, folder = files_of(document, options, evaluation)
    check_unique(configs, context)
    # a file that could not be read may contain the project
    read = context.diagnostics.errors == before
    if read and not any(config.kind == PROJECT for config in configs):
        context.diagnostics.warn(
            "project_not_found",
            configs[0].node.key_span("kind") if configs else None,
            "there is no configuration of kind Project, so only actions have variables",
            "render the file that holds the Project",
        )
    project = Project(options, evaluation, tuple(configs), folder)
    return project.document(document, context)


def environment(document: Document, context: Context) -> Document:
    """Chooses the environment, and collects the values that are known in all of the project."""
    project = project_of(context)
    project.evaluation.step = "environment"
    world = world_of(project.options, context.settings, context.environment, project.name)
    project = project.evolve(world=world)
    config = project.config
    scope = early_scope(project)
    if config is not None:
        found = imported(config.node, config.folder, scope, project.evaluation, project.options)
        project = project.evolve(world={**world, "imported": found})
    project = project.evolve(environment=choose(project, scope))
    default = config.node.get("defaultEnvironment") if config is not None else None
    if config is not None and isinstance(default, Template):
        node = project.evaluation.node(default, scope)
        if isinstance(node, (Scalar, Template)):
            root = config.node.replacing({**config.node.items, "defaultEnvironment": node})
            project = project.replacing(config, config.holding(root))
    return project.document(document, context)


def variables(document: Document, context: Context) -> Document:
    """Reads the files of variables and computes all variables of the project and environment.

    In the document these variables and the namespace of the environment are their values.
    """
    project = project_of(context)
    evaluation = project.evaluation
    evaluation.step = "variables"
    roots = EarlyScope(project.world, (), evaluation.weigh)
    config = project.config
    diagnostics = evaluation.context.diagnostics
    before = diagnostics.errors
    node = config.node if config is not None else None
    layers = _layers(project, node, (PROJECT_LEVEL, PROJECT_FILE), "garden.env", roots)
    given = given_parts(project.options, [node for _, node in layers], roots, evaluation)
    unread = diagnostics.errors > before
    base = stacked(layers, None, given, roots, evaluation, project.options, unread)
    project = project.evolve(base=base)
    scope = project_scope(project)
    project = with_namespace(project, scope)
    before = diagnostics.errors
    environment = project.environment
    node = environment.node if environment is not None else None
    default = default_name(environment.name) if environment is not None else None
    more = _layers(project, node, (ENVIRONMENT, ENVIRONMENT_FILE), default, scope)
    unread = diagnostics.errors > before
    stack = stacked(more, base, given, scope, evaluation, project.options, unread)
    project = project.evolve(stack=stack)
    written = _written(project, base, PROJECT_LEVEL), _written(project, stack, ENVIRONMENT)
    force_own(stack, evaluation, True)
    project = _replaced(project, *written)
    return project.document(document, context)


def _layers(
    project: Project,
    holder: Map | None,
    levels: tuple[str, str],
    default: str | None,
    scope: Scope,
) -> list[tuple[str, AnyNode]]:
    """The variables of a map and above them those of its file, which is `default` unless named."""
    config, evaluation = project.config, project.evaluation
    if config is None or default is None:
        return []
    node = (
        variables_node(holder.get("variables"), evaluation.context) if holder is not None else None
    )
    found = [(levels[0], node)] if node is not None else []
    path = holder.get("varfile") if holder is not None else None
    if path is None:
        return found + default_file(default, config.folder, levels[1], evaluation.context)
    return found + named_file(path, config.folder, levels[1], scope, evaluation, project.options)


def _written(project: Project, stack: Stack, level: str) -> AnyNode | None:
    """The variables in the configuration, evaluated; mistakes in varfiles are reported, too."""
    written: AnyNode | None = None
    for layer in stack.own:
        if layer.level not in (level, f"{level} varfile"):
            continue
        node = project.evaluation.node(layer.node, layer.scope)
        if layer.level == level and not isinstance(node, Omitted):
            written = node
    return written


def _replaced(project: Project, own: AnyNode | None, inner: AnyNode | None) -> Project:
    """The project with its variables and those of its environment in the configuration."""
    config = project.config
    if config is not None and own is not None:
        root = config.node.replacing({**config.node.items, "variables": own})
        project = project.replacing(config, config.holding(root))
    environment = project.environment
    entry = environment.node if environment is not None else None
    if inner is None or entry is None:
        return project
    return with_entry(project, entry.replacing({**entry.items, "variables": inner}))


def templates(document: Document, context: Context) -> Document:
    """Renders the templates, and collects the actions."""
    project = project_of(context)
    project.evaluation.step = "templates"
    configs = rendered_configs(project, context)
    project, known = with_actions(project.evolve(configs=tuple(configs)))

    def disabled(config: Config) -> bool:
        return config.is_action and known.by_config[config].disabled is not False

    check_unique(configs, context, project.options.local, disabled)
    return project.document(document, context)


_A_CONFIG = 40
_KEPT = frozenset({"apiVersion", "kind", "name", "type", "internal"})


def resolve(document: Document, context: Context) -> Document:
    """Evaluates the fields of all configurations, each in its scope."""
    project = project_of(context)
    evaluation = project.evaluation
    evaluation.step = "resolve"
    known = actions_in(project)
    if known is None:
        project, known = with_actions(project)
    check_supplied(project, known, context)
    before = context.diagnostics.errors
    made = dict(_evaluated(project, known, context))
    # a template with a mistake stays as it is, so that its references say nothing
    report_cycles(known, made, context.diagnostics.errors == before, context)
    renderings: dict[Rendering, bool] = {}
    for config in project.configs:
        if config.rendering is not None and not config.is_use:
            needed = config.kind == PROJECT or known.by_config[config].disabled is False
            renderings[config.rendering] = renderings.get(config.rendering, False) or needed
    scope = full_scope(project)
    check_inputs([one for one, needed in renderings.items() if needed], scope, evaluation)
    why = Note("the actions that are rendered with it may be disabled")
    with evaluation.reporting(Softened(evaluation.context.diagnostics, why)):
        check_inputs([one for one, needed in renderings.items() if not needed], scope, evaluation)
    configs = [config.holding(made[config]) for config in project.configs]
    if has_sources(project):
        _tell_of_sources(project, configs, known, context)
    return project.evolve(configs=tuple(configs)).document(document, context)


def _evaluated(
    project: Project, actions: Actions, context: Context
) -> Iterator[tuple[Config, Map]]:
    """The evaluated configurations, those that may be disabled after what needs no lenience.

    What several of them share is evaluated for one that is used, whose mistakes are errors. Garden
    builds a disabled Build that an enabled action needs, so it is one of those.
    """
    later: dict[str, list[Config]] = {}
    waiting = deque(config for config in project.configs if config.kind == PROJECT)
    for config in project.configs:
        if config.kind == PROJECT:
            continue
        if config.is_use or actions.by_config[config].disabled is False:
            waiting.append(config)
        else:
            later.setdefault(config.key, []).append(config)
    while waiting:
        config = waiting.popleft()
        root = _root(project, config, actions, context)
        yield config, root
        if config.is_action:
            for key, _ in all_needs_of(root, actions):
                if key in later and key.startswith("build."):
                    waiting.extend(later.pop(key))
    for config in (one for configs in later.values() for one in configs):
        with actions.by_config[config].leniently():
            yield config, _root(project, config, actions, context)


def _root(project: Project, config: Config, actions: Actions, context: Context) -> Map:
    context.meter.work(_A_CONFIG)
    evaluation = project.evaluation
    if config.is_use:  # its template is elsewhere
        return config.node
    if config.kind == PROJECT:
        root = _project(project, config)
        check_data(_without_others(root, config), evaluation)
    else:
        root = _fields(project, config, actions.by_config[config])
        _check_needs(root, project, evaluation.context)
    return root


def _tell_of_sources(
    project: Project, configs: list[Config], actions: Actions, context: Context
) -> None:
    """A note of the actions that only a source can define; a warning of names like those here."""
    found: dict[str, Span] = {}
    for config in configs:
        if config.is_use:
            continue
        for key, node in needs_of(config.node):
            found.setdefault(key, node.span)
        for template in templates_in(config.node):
            context.meter.work(1)
            for reference in references_in(template):
                if reference.root == "actions" and len(reference.path) > 1:
                    found.setdefault(".".join(map(str, reference.path[:2])), template.span)
    absent = []
    for key, span in found.items():
        kind, _, name = key.partition(".")
        if kind not in actions.kinds() or actions.may_have(kind, name, False):
            continue
        if holds_local(name, project.options.local):
            continue
        absent.append(key)
        context.meter.work(_A_CONFIG)
        near = meant(name, actions.names(kind))
        if near:
            summary = f"there is no {kind.capitalize()} `{name}` in the files of this project"
            context.diagnostics.warn("action_not_found", span, summary, near)
    own = project.config
    if absent and own is not None:
        summary = "references to actions that only a remote source can define stay"
        place = own.node.key_span(SOURCES)
        hint = f"not in the files of this project: {listed(sorted(absent))}"
        context.diagnostics.add(Diagnostic("defined_elsewhere", summary, place, NOTE, hint))


def _fields(project: Project, config: Config, action: Action) -> Map:
    """A configuration with its fields evaluated."""
    evaluation = project.evaluation
    node = config.node
    built_in = BUILT_IN if config.kind != MODULE else frozenset()
    items: dict[str, AnyNode] = {}
    for key, child in _decided(node, action.disabled, evaluation.step).items():
        if key in _KEPT or (isinstance(child, Scalar) and key not in FILES):
            items[key] = child
            continue
        early = key in built_in
        scope = action.early() if early else action.full()
        if key == "variables":
            layer = next((one for one in action.stack.own if one.level == ACTION), None)
            if layer is not None:
                child, scope = layer.node, layer.scope
        found = _without_data(evaluation.node(child, scope), child, evaluation)
        if early and not isinstance(found, Omitted):
            _check_early(key, found, evaluation)
        if not isinstance(found, Omitted):
            items[key] = found
    if action.stack is not project.stack:
        force_own(action.stack, evaluation, False)
    files = [one for one in reversed(action.stack.own) if one.level == ACTION_FILE]
    if any(_is_local(layer) for layer in files):
        items = _with_files(items, files, evaluation)
    items = placed(items, config, project.folder, evaluation)
    return node.replacing(items, evaluation.step)


def _decided(node: Map, disabled: bool | None, step: str) -> dict[str, AnyNode]:
    """The fields of a configuration, with `disabled` as it was decided."""
    items = dict(node.items)
    flag = items.get("disabled")
    if disabled is None or (isinstance(flag, Scalar) and flag.value is disabled):
        return items
    if disabled or (flag is not None and not is_null(flag)):
        place = flag or items.get("environments") or node
        made = Scalar(disabled, place.trail.then(step), place.start, place.end)
        if flag is not None:
            return {**items, "disabled": made}
        items = {}
        for key, child in node.items.items():
            items[key] = child
            if key == "environments":
                items["disabled"] = made
    return items


def _without_data(
    found: AnyNode | Omitted, written: AnyNode, evaluation: Evaluation
) -> AnyNode | Omitted:
    """An evaluated field, or as it is written if it would be read as something else next time."""
    diagnostics = evaluation.context.diagnostics
    before = diagnostics.errors
    if not isinstance(found, Omitted):
        check_data(found, evaluation)
    again = isinstance(diagnostics, Softened) and diagnostics.errors > before
    return written if again else found


def _check_early(key: str, node: AnyNode, evaluation: Evaluation) -> None:
    """Reports a built-in field that depends, through a variable, on a value of a run of Garden."""
    for template in templates_in(node):
        late = {"actions", "providers"} & template.segments.roots
        if late and template.text is None:
            evaluation.context.diagnostics.error(
                "undecidable",
                template.span,
                f"`{key}` is needed before anything runs, and depends on `{min(late)}`",
            )


def _is_local(layer: Layer) -> bool:
    """True for variables that refer to local names of a template."""
    local = layer.scope.local
    return any(not local.isdisjoint(one.segments.roots) for one in templates_in(layer.node))


def _with_files(
    items: dict[str, AnyNode], files: list[Layer], evaluation: Evaluation
) -> dict[str, AnyNode]:
    """Fields with the variables of files merged in, which have values only in the template."""
    found = items.get("variables")
    for layer in files:
        node = _without_data(evaluation.node(layer.node, layer.scope), layer.node, evaluation)
        if isinstance(node, Map):
            found = _over(node, found) if found is not None else node
    kept = {key: node for key, node in items.items() if key not in FILES}
    return kept if found is None else {**kept, "variables": found}


def _over(node: AnyNode, below: AnyNode) -> AnyNode:
    """A map merged over another, key by key."""
    if not (isinstance(node, Map) and isinstance(below, Map)):
        return node
    items = dict(below.items)
    for key, child in node.items.items():
        items[key] = _over(child, items[key]) if key in items else child
    return node.replacing(items)


def _project(project: Project, config: Config) -> Map:
    """The project's own configuration; what belongs to other environments stays as written."""
    environment = project.environment
    entry = environment.node if environment is not None else None
    if entry is not None:
        fields = _filled(project, entry, (_ENVIRONMENTS, 0))
        project = with_entry(project, entry.replacing(fields, project.evaluation.step))
    config = project.config or config
    fields = taking_output(_filled(project, config.node, ()))
    return config.node.replacing(fields, project.evaluation.step)


_ENVIRONMENTS = "environments"
_EVALUATED = frozenset({"variables", "defaultEnvironment", "defaultNamespace", _ENVIRONMENTS})
_LISTED = ("providers", "sources")


def _filled(project: Project, holder: Map, path: Path) -> dict[str, AnyNode]:
    """The fields of the project or of its environment, evaluated, each in its scope."""
    evaluation = project.evaluation
    items: dict[str, AnyNode] = {}
    for key, child in holder.items.items():
        found: AnyNode | Omitted = child
        if key in _LISTED:
            found = _chosen(project, child, field_scope(project, (*path, key)))
        elif key not in _KEPT and key not in _EVALUATED:
            found = evaluation.node(child, field_scope(project, (*path, key)))
        if not isinstance(found, Omitted):
            items[key] = found
    return items


def _without_others(root: Map, config: Config) -> Map:
    """A project without the environments that were not evaluated: there may be thousands."""
    made, read = root.get("environments"), config.node.get("environments")
    if not isinstance(made, Array) or not isinstance(read, Array):
        return root
    pairs = zip(made.items, read.items, strict=True)
    own = [item for item, before in pairs if item is not before]
    left = Array(own, made.trail, made.start, made.end)
    return root.replacing({**root.items, "environments": left})


def _chosen(project: Project, node: AnyNode, scope: Scope) -> AnyNode | Omitted:
    """Providers or sources; those of other environments stay as written."""
    evaluation = project.evaluation
    if not isinstance(node, Array):
        return evaluation.node(node, scope)
    try:
        parts = items_of(evaluation, node, scope)
    except Failure as failure:
        evaluation.report(node, failure)
        return node
    name = project.environment.name if project.environment is not None else None
    made: list[AnyNode] = []
    for part in parts:
        others = isinstance(part, Part) and part.scope is scope and not is_for(part.node, name)
        found = part.node if others else evaluation.item(part)
        if not isinstance(found, Omitted):
            made.append(found)
    return Array(made, node.trail, node.start, node.end)


def _kind_meant(kind: str, kinds: Collection[str]) -> str:
    """The hint for a kind of action that does not exist."""
    return meant(kind, kinds) or f"the kinds are {listed(kinds)}"


def _check_needs(root: Map, project: Project, context: Context) -> None:
    """Reports dependencies on actions that do not exist."""
    actions = actions_in(project)
    kind = root.get("kind")
    if actions is None or getattr(kind, "value", "") == MODULE:
        return
    for key, node in needs_of(root):
        action, _, name = key.partition(".")
        if name and actions.may_have(action, name):
            continue
        hint: Hint
        if not name:
            summary = f"`{key}` does not say which kind of action it is"
            hint = "write it as in `build.api`"
        elif action not in actions.kinds():
            hint = partial(_kind_meant, action, actions.kinds())
            summary = f"there is no kind of action `{action}`"
        else:
            hint = suggestion(name, actions.names(action))
            summary = f"there is no {action.capitalize()} `{name}`"
        context.diagnostics.error("action_not_found", node.span, summary, hint)
