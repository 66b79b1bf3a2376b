"""`variables`: computes the variables of the project and of its environment."""

from __future__ import annotations

from ....engine.context import Context
from ....engine.materialisation import Omitted
from ....values.document import Document
from ....values.tree import AnyNode, Array, Map
from ..evaluating.contexts import EarlyScope, project_scope
from ..evaluating.project_variables import (
    ENVIRONMENT,
    ENVIRONMENT_FILE,
    PROJECT,
    PROJECT_FILE,
    Stack,
    default_file,
    force_own,
    given_parts,
    named_file,
    stacked,
    variables_node,
)
from ..evaluating.scope import Scope
from ..structure.configs import Config
from ..structure.project import Project, project_of


def variables(document: Document, context: Context) -> Document:
    """Reads the files of variables and computes all variables of the project and environment.

    In the document the variables of the project and of the environment are their values.
    """
    project = project_of(context)
    evaluation = project.evaluation
    evaluation.step = "variables"
    roots = EarlyScope(project.world)
    config = project.config
    diagnostics = context.diagnostics
    before = diagnostics.errors
    node = config.node if config is not None else None
    layers = _layers(project, node, (PROJECT, PROJECT_FILE), "garden.env", roots)
    given = given_parts(project.options, [node for _, node in layers], roots, evaluation)
    unread = diagnostics.errors > before
    base = stacked(layers, None, given, roots, evaluation, project.options, unread)
    project = project.evolve(base=base)
    scope = project_scope(project)
    before = diagnostics.errors
    environment = project.environment
    node = environment.node if environment is not None else None
    default = f"garden.{environment.name}.env" if environment is not None else None
    more = _layers(project, node, (ENVIRONMENT, ENVIRONMENT_FILE), default, scope)
    unread = diagnostics.errors > before
    stack = stacked(more, base, given, scope, evaluation, project.options, unread)
    project = project.evolve(stack=stack)
    written = _written(project, base, PROJECT), _written(project, stack, ENVIRONMENT)
    force_own(stack, evaluation, True)
    if config is not None:
        project = _replaced(project, config, *written)
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


def _replaced(
    project: Project, config: Config, own: AnyNode | None, inner: AnyNode | None
) -> Project:
    """The project with its variables and those of its environment in the configuration."""
    items = dict(config.node.items)
    if own is not None:
        items["variables"] = own
    environment = project.environment
    entry = environment.node if environment is not None else None
    listed = items.get("environments")
    if inner is not None and entry is not None and isinstance(listed, Array):
        made: Map = entry.replacing({**entry.items, "variables": inner})
        entries = [made if item is entry else item for item in listed.items]
        items["environments"] = Array(entries, listed.trail, listed.start, listed.end)
        assert environment is not None
        project = project.evolve(environment=environment.evolve(node=made))
    part = config.part.evolve(root=config.node.replacing(items))
    return project.replacing(config, config.evolve(part=part))
