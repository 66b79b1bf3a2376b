"""What a project is made of: configurations, its environment, and what has been found out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from .....functions.record import Record, field
from ....language.errors import Failure
from ....values.document import Document
from ....values.source import Span
from ....values.tree import Map, Scalar

if TYPE_CHECKING:
    from ....engine.context import Context
    from ..evaluating.evaluation import Evaluation
    from ..evaluating.project_variables import Stack
    from ..options import ProjectOptions
    from .actions import Actions
    from .config_templates import Rendering

PROJECT: Final = "Project"
TEMPLATE: Final = "ConfigTemplate"
RENDER: Final = "RenderTemplate"
ACTIONS: Final = ("Build", "Deploy", "Run", "Test")
KINDS: Final = (
    PROJECT,
    *ACTIONS,
    TEMPLATE,
    RENDER,
    "Module",
    "Workflow",
    "Command",
    "Group",
    "ModuleTemplate",
)


class Config(Record, eq=False):
    """One configuration: a document of a file, or what a template rendered.

    `folder` is what its paths start from. `rendering` says how a template rendered it, and `local`
    are the names that only it has, such as the item of a loop over configurations.
    """

    part: Document
    kind: str
    name: str | None
    folder: str
    rendering: Rendering | None = None
    local: Mapping[str, Any] = field(factory=dict)

    @property
    def key(self) -> str:
        """The name that references use, such as `deploy.api`."""
        return f"{self.kind.lower()}.{self.name}"

    @property
    def node(self) -> Map:
        """The tree."""
        return self.part.root

    @property
    def span(self) -> Span:
        """Where its name is written, or where it begins."""
        node = self.node.get("name")
        if node is not None and self.rendering is None:
            return node.span
        return Span(
            self.node.trail.source, self.node.start, min(self.node.end, self.node.start + 1)
        )

    @property
    def rendered_by(self) -> str | None:
        """The name of the RenderTemplate that it comes from."""
        return self.rendering.name if self.rendering is not None else None

    @property
    def is_action(self) -> bool:
        """True for what references reach under `actions`."""
        return self.kind in ACTIONS


class Environment(Record):
    """The environment that is evaluated; `node` is its entry, where the project has one."""

    name: str
    namespace: str | None
    node: Map | None = field(default=None, eq=False, repr=False)

    @property
    def full_name(self) -> str:
        """`namespace.name`."""
        return f"{self.namespace}.{self.name}" if self.namespace else self.name


class Project(Record, eq=False):
    """What the stages know of a project.

    `configs` are in the order of the output, `folder` is where that belongs. `world` are the names
    that exist everywhere, `environment` is None for a project that has none. `base` and `stack` are
    the variables of the project and those of its environment, the latter of which actions see;
    `actions` are what references reach. `written` are the configurations before they were
    evaluated, by key.
    """

    options: ProjectOptions
    evaluation: Evaluation = field(repr=False)
    configs: tuple[Config, ...] = field(default=(), repr=False)
    folder: str = ""
    world: Mapping[str, Any] = field(factory=dict, repr=False)
    environment: Environment | None = None
    base: Stack | None = field(default=None, repr=False)
    stack: Stack | None = field(default=None, repr=False)
    actions: Actions | None = field(default=None, repr=False)
    written: Mapping[str, Map] = field(factory=dict, repr=False)

    @property
    def config(self) -> Config | None:
        """The configuration of the project itself."""
        return next((config for config in self.configs if config.kind == PROJECT), None)

    @property
    def name(self) -> str:
        """The project's name."""
        return (self.config.name if self.config is not None else None) or ""

    def replacing(self, old: Config, new: Config) -> Project:
        """The project with another configuration in the place of one."""
        return self.evolve(configs=tuple(new if one is old else one for one in self.configs))

    def document(self, document: Document, context: Context) -> Document:
        """The document that flows on, one part for each configuration; the project is kept."""
        context.work.keep(self)
        config = self.config
        root = config.node if config is not None else document.root
        parts = tuple(config.part for config in self.configs)
        return document.evolve(root=root, parts=parts)


def text_at(node: Map, key: str) -> str | None:
    """A string that stands under a key; None for anything else."""
    found = node.get(key)
    return found.value if isinstance(found, Scalar) and isinstance(found.value, str) else None


def configs_in(document: Document) -> tuple[Config, ...]:
    """The configurations of a document."""
    return tuple(
        Config(part, text_at(part.root, "kind") or "", text_at(part.root, "name"), part.folder)
        for part in document.parts or ()
    )


def project_of(context: Context) -> Project:
    """What the stages before this one found out.

    Raises:
        Failure: when none of them read the project.
    """
    project = context.work.find(Project)
    if project is None:
        raise Failure("project_not_found", "the project was not read", hint="add the stage `load`")
    return project
