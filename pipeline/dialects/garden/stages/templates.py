"""`templates`: replaces RenderTemplates with the configurations that they render."""

from __future__ import annotations

from ....engine.context import Context
from ....values.document import Document
from ..structure.actions import with_actions
from ..structure.config_templates import rendered_configs
from ..structure.project import project_of
from ..structure.reading import check_unique


def templates(document: Document, context: Context) -> Document:
    """Renders the templates, and collects the actions."""
    project = project_of(context)
    project.evaluation.step = "templates"
    configs = rendered_configs(project, context)
    check_unique(configs, context, project.options.local)
    project, _ = with_actions(project.evolve(configs=tuple(configs)))
    return project.document(document, context)
