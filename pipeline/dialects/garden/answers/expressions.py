"""`bpp eval` in a project."""

from __future__ import annotations

from ....engine.context import Context
from ....expressions import Evaluated, evaluate_in
from ....values.document import Document
from ....values.source import Source
from ..evaluating.contexts import environment_scope, full_scope, project_scope
from ..evaluating.project_variables import Stack
from ..evaluating.scope import Scope
from ..structure.actions import Action
from ..structure.configs import PROJECT, Config, Project

# ----------------------------------------------------------------------
# What the names in a part of a finished project mean.


def scope_of(project: Project, config: Config | None = None) -> Scope:
    """The names that the fields of a configuration see; without one, those that all actions see."""
    if config is not None and config.kind == PROJECT:
        return project_scope(project)
    action = _action(project, config)
    if action is not None:
        return action.full()
    return full_scope(project) if project.actions is not None else environment_scope(project)


def stack_of(project: Project, config: Config | None = None) -> Stack | None:
    """The variables that a configuration sees."""
    if config is not None and config.kind == PROJECT:
        return project.base
    action = _action(project, config)
    return action.stack if action is not None else project.stack


def _action(project: Project, config: Config | None) -> Action | None:
    if config is None or project.actions is None:
        return None
    found = project.actions.by_config
    return found.get(config) or next(
        (one for known, one in found.items() if known.key == config.key), None
    )


def evaluate_in_project(text: str, document: Document, context: Context) -> Evaluated:
    """Evaluates a text with the names that all actions of a project see.

    What is wrong with the project is reported to the context.
    """
    context.pipeline.last(document, context)
    project = context.work.find(Project)
    if context.diagnostics.errors or project is None:
        return Evaluated()
    evaluator = project.evaluation.evaluator
    source = Source("<expression>", text)
    return evaluate_in(text, source, context.language, evaluator, scope_of(project))
