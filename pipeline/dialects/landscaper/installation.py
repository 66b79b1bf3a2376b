"""What a render knows of one installation: its blueprint, its imports, and what came of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from ....functions.gotemplate.kinds import Absent
from ....functions.record import Record, field
from ...engine.materialisation import MASK
from ...engine.run import Context
from ...formats.go_yaml import plain
from ...values.concealing import Concealed
from ...values.diagnostics import Diagnostics
from ...values.tree import AnyNode, Array, Map
from .blueprint import Blueprint, Declaration, Execution
from .components import Components
from .go_templates import GoTemplates
from .options import BlueprintOptions
from .parts import Parts
from .subinstallations import Subinstallation
from .supplied import Known, Supplied

if TYPE_CHECKING:
    from .schemas import Schemas

GIVEN, DEFAULT, STUB, BOUND = "given", "default", "stubbed", "binding"
"""Where the value of an import comes from."""

SHORTEST_SECRET: Final = 8
"""Characters of a string of a target's configuration that is taken for a secret."""


class Value(Record, eq=False):
    """The value of an import: its node, None where it is not known, and the same as plain data.

    `how` says where it comes from, `giver` names the execution that bound it.
    """

    name: str
    node: AnyNode | None = field(repr=False)
    how: str
    declaration: Declaration | None = field(default=None, repr=False)
    giver: str = ""
    unknown: Absent | None = None

    def data(self, mark: bool = False) -> Any:
        """The value as templates get it, a new object each time; `mark` is for what is unknown."""
        if self.node is None:
            return self.unknown
        made = plain(self.node)
        if self.declaration is not None and self.declaration.target_type:
            for where, target in _targets(made, f"imports.{self.name}"):
                _withhold(target, where, mark)
        return made


def _targets(data: Any, where: str) -> Iterator[tuple[str, Any]]:
    """The Targets in the value of a target import, each with its path."""
    if isinstance(data, list):
        yield from ((f"{where}[{index}]", one) for index, one in enumerate(data))
    elif isinstance(data, dict) and not isinstance(data.get("spec"), dict):
        yield from ((f"{where}.{key}", one) for key, one in data.items())
    else:
        yield where, data


def _withhold(target: Any, where: str, mark: bool) -> None:
    """Makes the configuration of a Target that is in a Secret of a cluster an unknown one."""
    spec = target.get("spec") if isinstance(target, dict) else None
    if isinstance(spec, dict) and spec.get("secretRef") and "config" not in spec:
        hint = "a secret of a cluster holds it; give the Target with `spec.config` instead"
        spec["config"] = Absent(f"{where}.spec.config", hint, mark)


class Installation:
    """The work on one installation, which its phases share.

    `path` leads from the root (`root/sub`). `given` are the values of imports by name. `values` are
    those that hold after the phases so far, `slots` the states of executions, `makers` the
    executions that gave a part of the output, by its section and name. `deploy_items`,
    `subinstallations` and `exports` are nodes as the output has them.
    """

    def __init__(
        self,
        blueprint: Blueprint,
        context: Context,
        options: BlueprintOptions,
        components: Components,
        parts: Parts,
        supplied: Supplied,
        known: Known,
        path: str = "root",
        definition: Any = None,
    ) -> None:
        self.blueprint = blueprint
        self.context = context
        self.options = options
        self.components = components
        self.parts = parts
        self.supplied = supplied
        self.known = known
        self.path = path
        self.definition = definition or {"ref": {"resourceName": "blueprint"}}
        self.values: dict[str, Value] = {}
        self.active: dict[str, Declaration] = {}
        self.slots: dict[str, AnyNode] = dict(known.slots.items) if known.slots is not None else {}
        self.deploy_items: list[Map] = []
        self.subinstallations: list[Subinstallation] = []
        self.objects: dict[str, AnyNode] = {}
        self.targets: dict[str, AnyNode] = {}
        self.way = {blueprint.source.text}
        self.simulation: Any = None
        self.exports: dict[str, AnyNode] = {}
        self.ignored: dict[str, AnyNode] = {}
        self.missing: list[str] = []
        self.makers: dict[tuple[str, str], Execution] = {}
        self.children: list[Installation] = []
        self.bindings: dict[str, Any] = {}
        self.item_exports: dict[str, AnyNode] = {}
        self._templates: GoTemplates | None = None
        self._schemas: Schemas | None = None

    @property
    def told(self) -> Diagnostics:
        """Where mistakes go."""
        return self.context.diagnostics

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    @property
    def exporting(self) -> bool:
        """True when exports are computed."""
        return self.known.finished or self.simulation is not None

    @property
    def templates(self) -> GoTemplates:
        """The engine of its GoTemplates."""
        if self._templates is None:
            self._templates = GoTemplates(
                self.context, self.parts, self.components, self.options.stubs
            )
        return self._templates

    @property
    def schemas(self) -> Schemas:
        """The schemas of its imports and exports, whose library is loaded when there is one."""
        if self._schemas is None:
            from .schemas import Schemas

            self._schemas = Schemas(self.blueprint, self.components, self.parts, self.context)
        return self._schemas

    def renew(self) -> None:
        """Makes the bindings that all phases have; templates of one run share and change them."""
        components = self.components
        self.bindings = {
            "imports": {
                name: value.data(self.options.placeholders) for name, value in self.values.items()
            },
            **components.bindings(self.blueprint.annotations.get("ocmSchemaVersion")),
            "blueprint": self.definition,
            "blueprintDef": self.definition,
        }

    def absent(self, path: str, hint: str) -> Absent:
        """What is not known before the deployment."""
        return Absent(path, hint, self.options.placeholders)

    def bound(self, phase: Mapping[str, Any]) -> dict[str, Any]:
        """The bindings with those of a phase."""
        return {**self.bindings, **phase}

    def withheld(self) -> Concealed:
        """The secrets of all targets."""
        return Concealed((text, MASK) for text in self.secrets())

    def secrets(self) -> Iterator[str]:
        """The strings of targets' configurations, which only the product may show."""
        for value in self.values.values():
            declared = value.declaration
            if declared is not None and declared.target_type and value.node is not None:
                for _, target in _targets(plain(value.node), ""):
                    spec = target.get("spec") if isinstance(target, dict) else None
                    config = spec.get("config") if isinstance(spec, dict) else None
                    yield from (text for text in strings_in(config) if len(text) >= SHORTEST_SECRET)
        for one in self.children:
            yield from one.secrets()


def strings_in(data: Any) -> Iterator[str]:
    """The strings of plain data."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for one in data.values() if isinstance(data, dict) else data:
            yield from strings_in(one)


def map_of(items: Mapping[str, AnyNode], near: AnyNode) -> Map:
    """A map that a stage makes, at the place of a node."""
    return Map(dict(items), {}, near.trail, near.start, near.end)


def list_of(items: list[Any], near: AnyNode) -> Array:
    """A list that a stage makes, at the place of a node."""
    return Array(items, near.trail, near.start, near.end)
