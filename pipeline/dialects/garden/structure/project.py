"""The state of a project: what the stages have found out so far."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .....functions.record import Record, field
from ....engine.context import Context
from ....language.errors import Failure
from ....values.document import Document
from ..evaluating.evaluation import Evaluation
from ..evaluating.project_variables import Stack
from ..evaluating.scope import Lazy
from ..options import ProjectOptions
from .configs import PROJECT, Config, Environment


class Project(Record, eq=False):
    """The state of a project, which each stage extends.

    `configs` are in the order of the output, `folder` is the folder of the output. `world` holds
    the names that exist everywhere. `environment` is None for a project without environments.
    `base` has the variables of the project, `stack` those of its environment above them, which
    actions see. `actions` is the value of the name `actions` (see `actions_in`).
    """

    options: ProjectOptions
    evaluation: Evaluation = field(repr=False)
    configs: tuple[Config, ...] = field(default=(), repr=False)
    folder: str = ""
    world: Mapping[str, Any] = field(factory=dict, repr=False)
    environment: Environment | None = None
    base: Stack | None = field(default=None, repr=False)
    stack: Stack | None = field(default=None, repr=False)
    actions: Lazy | None = field(default=None, repr=False)

    @property
    def config(self) -> Config | None:
        """The configuration of the project itself."""
        return next((config for config in self.configs if config.kind == PROJECT), None)

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
