"""`resolve`: evaluates everything else; references to values of a run of Garden stay."""

from __future__ import annotations

import os

from ....engine.context import Context
from ....engine.materialisation import Omitted
from ....values.diagnostics import meant
from ....values.document import Document
from ....values.tree import AnyNode, Array, Map, Scalar, templates_in
from ..evaluating.contexts import (
    environment_scope,
    full_scope,
    is_for,
    project_scope,
    provider_scope,
)
from ..evaluating.evaluation import Evaluation
from ..evaluating.project_variables import ACTION, ACTION_FILE, Layer, force_own
from ..evaluating.scope import Scope
from ..structure.actions import BUILT_IN, FILES, Action, actions_in, needs_of, with_actions
from ..structure.config_templates import check_inputs
from ..structure.configs import PROJECT, Config, Rendering
from ..structure.project import Project, project_of

_KEPT = frozenset({"apiVersion", "kind", "name", "type", "internal"})


def resolve(document: Document, context: Context) -> Document:
    """Evaluates the fields of all configurations, each in its scope."""
    project = project_of(context)
    evaluation = project.evaluation
    evaluation.step = "resolve"
    known = actions_in(project)
    if known is None:
        project, known = with_actions(project)
    actions = known.by_config
    renderings: dict[Rendering, None] = {}
    configs = []
    for config in project.configs:
        if config.rendering is not None:
            renderings[config.rendering] = None
        if config.kind == PROJECT:
            root = _project(project, config)
        else:
            root = _fields(project, config, actions[config])
            _check_needs(root, project, context)
        configs.append(config.evolve(part=config.part.evolve(root=root)))
    check_inputs(list(renderings), full_scope(project), evaluation)
    return project.evolve(configs=tuple(configs)).document(document, context)


def _fields(project: Project, config: Config, action: Action) -> Map:
    """A configuration with its fields evaluated."""
    evaluation = project.evaluation
    node = config.node
    items: dict[str, AnyNode] = {}
    for key, child in node.items.items():
        if key in _KEPT or (isinstance(child, Scalar) and key not in FILES):
            items[key] = child
            continue
        scope = action.early() if key in BUILT_IN else action.full()
        if key == "variables":
            layer = next((one for one in action.stack.own if one.level == ACTION), None)
            if layer is not None:
                child, scope = layer.node, layer.scope
        found = evaluation.node(child, scope)
        if key in BUILT_IN and not isinstance(found, Omitted):
            _check_early(key, found, evaluation)
        if key in FILES and config.folder != project.folder:
            found = _moved(found, config.folder, project.folder)
        if not isinstance(found, Omitted):
            items[key] = found
    if action.stack is not project.stack:
        force_own(action.stack, evaluation, False)
    files = [one for one in reversed(action.stack.own) if one.level == ACTION_FILE]
    if any(_is_local(layer) for layer in files):
        items = _with_files(items, files, evaluation)
    return node.replacing(items, evaluation.step)


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
        node = evaluation.node(layer.node, layer.scope)
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


def _moved(node: AnyNode | Omitted, old: str, new: str) -> AnyNode | Omitted:
    """Paths of files, made relative to the folder of the output."""
    match node:
        case Scalar(value=str() as path) if not os.path.isabs(path):
            moved = os.path.relpath(os.path.join(old, path), new).replace(os.sep, "/")
            return Scalar(moved, node.trail, node.start, node.end)
        case Array(items=items):
            found = [_moved(item, old, new) for item in items]
            kept = [item for item in found if not isinstance(item, Omitted)]
            return Array(kept, node.trail, node.start, node.end)
        case Map(items=fields) if "path" in fields:
            inner = _moved(fields["path"], old, new)
            return node if isinstance(inner, Omitted) else node.replacing({**fields, "path": inner})
    return node


def _project(project: Project, config: Config) -> Map:
    """The project's own configuration; what belongs to other environments stays as written."""
    evaluation = project.evaluation
    scope = project_scope(project)
    name = project.environment.name if project.environment is not None else None
    items: dict[str, AnyNode] = {}
    for key, child in config.node.items.items():
        found: AnyNode | Omitted = child
        if key == "environments" and isinstance(child, Array):
            found = _environments(project, child, scope)
        elif key in ("providers", "sources") and isinstance(child, Array):
            inner = provider_scope(project) if key == "providers" else environment_scope(project)
            found = _chosen(project, child, name, inner)
        elif key not in _KEPT and key not in ("variables", "defaultEnvironment"):
            found = evaluation.node(child, scope)
        if not isinstance(found, Omitted):
            items[key] = found
    return config.node.replacing(items, evaluation.step)


def _environments(project: Project, node: Array, scope: Scope) -> Array:
    entry = project.environment.node if project.environment is not None else None
    made: list[AnyNode] = []
    for item in node.items:
        if item is not entry or not isinstance(item, Map):
            made.append(item)
            continue
        items: dict[str, AnyNode] = {}
        for key, child in item.items.items():
            found: AnyNode | Omitted = child
            if key == "providers" and isinstance(child, Array):
                found = _chosen(project, child, None, provider_scope(project))
            elif key not in ("name", "variables"):
                found = project.evaluation.node(child, scope)
            if not isinstance(found, Omitted):
                items[key] = found
        made.append(item.replacing(items, project.evaluation.step))
    return Array(made, node.trail, node.start, node.end)


def _chosen(project: Project, node: Array, name: str | None, scope: Scope) -> Array:
    """Providers or sources; those of other environments are not evaluated."""
    made: list[AnyNode] = []
    for item in node.items:
        found = project.evaluation.node(item, scope) if is_for(item, name) else item
        if not isinstance(found, Omitted):
            made.append(found)
    return Array(made, node.trail, node.start, node.end)


def _check_needs(root: Map, project: Project, context: Context) -> None:
    """Reports dependencies on actions that do not exist."""
    actions = actions_in(project)
    kind = root.get("kind")
    if actions is None or getattr(kind, "value", "") == "Module":
        return
    for key, node in needs_of(root):
        action, _, name = key.partition(".")
        if actions.has(action, name):
            continue
        hint: str | None
        if not name:
            summary = f"`{key}` does not say which kind of action it is"
            hint = "write it as in `build.api`"
        elif action not in actions.kinds():
            hint = meant(action, actions.kinds())
            hint = hint or f"the kinds are {', '.join(f'`{one}`' for one in actions.kinds())}"
            summary = f"there is no kind of action `{action}`"
        else:
            hint = meant(name, actions.names(action))
            summary = f"there is no {action.capitalize()} `{name}`"
        context.diagnostics.error("action_not_found", node.span, summary, hint)
