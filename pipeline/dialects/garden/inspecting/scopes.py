"""What the names in a part of a finished project mean."""

from __future__ import annotations

from ..project.actions import Action
from ..project.configs import PROJECT, Config, Project
from ..project.contexts import environment_scope, full_scope, project_scope
from ..project.variables import Stack
from ..scope import Scope


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
