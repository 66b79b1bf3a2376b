"""`environment`: chooses the environment."""

from __future__ import annotations

from ....engine.context import Context
from ....values.document import Document
from ....values.tree import Scalar, Template
from ..evaluating.contexts import early_scope, world_of
from ..structure.environments import choose
from ..structure.project import project_of


def environment(document: Document, context: Context) -> Document:
    """Chooses the environment, and collects the values that are known in all of the project."""
    project = project_of(context)
    project.evaluation.step = "environment"
    world = world_of(project.options, context.settings, context.environment, project.name)
    project = project.evolve(world=world)
    config = project.config
    scope = early_scope(project)
    asked = project.options.environment
    chosen = choose(config, asked, scope, project.evaluation)
    project = project.evolve(environment=chosen)
    default = config.node.get("defaultEnvironment") if config is not None else None
    if config is not None and isinstance(default, Template):
        node = project.evaluation.node(default, scope)
        if isinstance(node, Scalar | Template):
            root = config.node.replacing({**config.node.items, "defaultEnvironment": node})
            part = config.part.evolve(root=root)
            project = project.replacing(config, config.evolve(part=part))
    return project.document(document, context)
