"""The parts of a project: configurations, declared inputs, uses of templates, the environment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from .....functions.record import Record, field
from .....functions.values import Unknown
from ....values.document import Document
from ....values.expression import Reference, lazy
from ....values.source import Span
from ....values.tree import AnyNode, Map, Scalar
from ..evaluating.scope import Keys
from ..recognition import ACTIONS

PROJECT: Final = "Project"
TEMPLATE: Final = "ConfigTemplate"
RENDER: Final = "RenderTemplate"
MODULE: Final = "Module"
TEMPLATES: Final = (TEMPLATE, "ModuleTemplate")
"""The kinds of templates, which share their names: Garden reads the second as the first."""


class Config(Record, eq=False):
    """One configuration: a document of a file, or one that a template rendered.

    Its paths start from `folder`. `rendering` is the use of the template that rendered it. `local`
    has the names that only it has, such as the item of a loop over configurations.
    """

    part: Document
    kind: str
    name: str | None
    folder: str
    rendering: Rendering | None = None
    local: Mapping[str, Any] = field(factory=dict)

    @lazy
    def key(self) -> str:
        """The name that references use, such as `deploy.api`."""
        return f"{self.kind.lower()}.{self.name}"

    def holding(self, root: Map) -> Config:
        """The configuration with another tree."""
        old = self.part
        # every argument by position: a run makes many
        part = Document(root, old.source, old.folder)
        return Config(part, self.kind, self.name, self.folder, self.rendering, self.local)

    @property
    def node(self) -> Map:
        """The tree."""
        return self.part.root

    @property
    def span(self) -> Span:
        """The span of its name, or its first character."""
        node = self.node.get("name")
        if node is not None and self.rendering is None:
            return node.span
        return Span(
            self.node.trail.source, self.node.start, min(self.node.end, self.node.start + 1)
        )

    @property
    def rendered_by(self) -> str | None:
        """The name of the RenderTemplate that rendered it."""
        return self.rendering.name if self.rendering is not None else None

    @property
    def is_disabled(self) -> bool:
        """True for an action that says itself that it is disabled, as it does once evaluated."""
        flag = self.node.get("disabled")
        return self.is_action and isinstance(flag, Scalar) and flag.value is True

    @property
    def is_template(self) -> bool:
        """True for a template, of which nothing is evaluated where it is written."""
        return self.kind in TEMPLATES

    @property
    def is_use(self) -> bool:
        """True for a use of a template: a RenderTemplate, or a Module of the type `templated`."""
        if self.kind == RENDER:
            return True
        return self.kind == MODULE and text_at(self.node, "type") == "templated"

    @property
    def is_action(self) -> bool:
        """True for a configuration that references find under `actions`."""
        return self.kind in ACTIONS


class Allowed(Record, eq=False):
    """The values that a schema allows, as `config_templates.identity_of` has them, and as text."""

    values: frozenset[Any]
    listed: str


class Input(Record, eq=False):
    """A declared input: its types (empty for any), its default and its allowed values."""

    name: str
    types: tuple[str, ...]
    default: AnyNode | None
    required: bool
    allowed: Allowed | None
    span: Span


class Inputs(Record, eq=False):
    """All declared inputs by name; with `closed` no others are allowed.

    `keys` are the names for suggestions, `computed` the inputs whose defaults are no constants.
    """

    inputs: Mapping[str, Input] = field(factory=dict)
    closed: bool = False
    keys: Keys = Keys(())
    computed: tuple[Input, ...] = ()


def inputs_of(found: Iterable[Input], closed: bool) -> Inputs:
    """All declared inputs."""
    named = {one.name: one for one in found}
    computed = [one for one in named.values() if not isinstance(one.default, Scalar | None)]
    return Inputs(named, closed, Keys(named), tuple(computed))


class Rendering(Record, eq=False):
    """One use of a template: the RenderTemplate, its inputs, and the use that it is nested in."""

    name: str | None
    config: Config
    template: Config
    declared: Inputs
    given: dict[str, AnyNode] = field(repr=False)
    matrix: dict[str, AnyNode] = field(factory=dict, repr=False)
    outer: Rendering | None = None


class Environment(Record):
    """The environment that is evaluated; `node` is its entry in the project, if any.

    `namespace` is None until it is computed, and an `Unknown` when it cannot be; it is `given` when
    the name that chose the environment has one.
    """

    name: str
    namespace: str | Unknown | None
    node: Map | None = field(default=None, eq=False, repr=False)
    given: bool = False

    @property
    def full_name(self) -> str | Unknown:
        """`namespace.name`."""
        namespace = self.namespace
        if isinstance(namespace, Unknown):
            return Unknown(Reference("environment", ("fullName",)), "string", namespace.secret)
        return f"{namespace}.{self.name}" if namespace else self.name


def is_null(node: AnyNode) -> bool:
    """True for a null, which counts as a missing field."""
    return isinstance(node, Scalar) and node.value is None


def text_at(node: Map, key: str) -> str | None:
    """The string under a key; None for anything else."""
    found = node.items.get(key)
    value = found.value if type(found) is Scalar else None
    return value if type(value) is str else None


def configs_in(document: Document) -> tuple[Config, ...]:
    """The configurations of a document."""
    return tuple(
        Config(part, text_at(part.root, "kind") or "", text_at(part.root, "name"), part.folder)
        for part in document.parts or ()
    )
