"""What a render knows of one installation: its blueprint, its imports, and what came of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from ....functions.gotemplate.kinds import Absent
from ....functions.record import Record, field
from ...engine.materialisation import MASK
from ...engine.run import Context
from ...formats.go_yaml import plain
from ...values.concealing import Concealed
from ...values.diagnostics import Diagnostics
from ...values.tree import AnyNode, Map, items_at
from .blueprint import Blueprint, Declaration, Execution
from .components import Components
from .go_templates import GoTemplates
from .options import BlueprintOptions
from .parts import Parts
from .subinstallations import Subinstallation
from .supplied import OUTCOMES, Known, Supplied

if TYPE_CHECKING:
    from ..gotemplate.engine import Rendered
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

    @property
    def is_target(self) -> bool:
        """True for known Targets."""
        declared = self.declaration
        return declared is not None and bool(declared.target_type) and self.node is not None

    def data(self, mark: bool = False) -> Any:
        """The value as templates get it, a new object each time; `mark` is for what is unknown."""
        if self.node is None:
            return self.unknown
        made = plain(self.node)
        for where, target in _targets(made, f"imports.{self.name}") if self.is_target else ():
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


class Installation(Record, eq=False):
    """The work on one installation, which its phases share.

    `path` leads from the root (`root/sub`), `way` are the texts of its blueprint and of those above
    it. `values` are those of imports that hold after the phases so far, `active` the declarations
    of those that have one, `makers` the executions that gave a part of the output, by its section
    and name, `rendered` the texts that templates gave. `deploy_items`, `subinstallations` and
    `exports` are nodes as the output has them; `objects` and `targets` is what subinstallations
    have exported.
    """

    blueprint: Blueprint
    context: Context
    options: BlueprintOptions
    components: Components
    parts: Parts
    supplied: Supplied
    path: str
    definition: Any = field(factory=lambda: {"ref": {"resourceName": "blueprint"}})
    way: tuple[str, ...] = ()
    values: dict[str, Value] = field(factory=dict)
    active: dict[str, Declaration] = field(factory=dict)
    bindings: dict[str, Any] = field(factory=dict)
    deploy_items: list[Map] = field(factory=list)
    subinstallations: list[Subinstallation] = field(factory=list)
    children: list[Installation] = field(factory=list)
    item_exports: dict[str, AnyNode] = field(factory=dict)
    objects: dict[str, AnyNode] = field(factory=dict)
    targets: dict[str, AnyNode] = field(factory=dict)
    exports: dict[str, AnyNode] = field(factory=dict)
    ignored: dict[str, AnyNode] = field(factory=dict)
    missing: list[str] = field(factory=list)
    makers: dict[tuple[str, str], Execution] = field(factory=dict)
    rendered: list[Rendered] = field(factory=list)

    @property
    def told(self) -> Diagnostics:
        """Where mistakes go."""
        return self.context.diagnostics

    @property
    def known(self) -> Known:
        """What is known of its deployment."""
        return self.supplied.known.get(self.path, {})

    @cached_property
    def slots(self) -> dict[str, AnyNode]:
        """The states of executions."""
        return dict(items_at(self.known.get("state")))

    @property
    def exporting(self) -> bool:
        """True when exports are computed."""
        simulated = self.options.export_templates is not None
        return simulated or any(name in self.known for name in OUTCOMES)

    @cached_property
    def templates(self) -> GoTemplates:
        """The engine of its GoTemplates."""
        return GoTemplates(self.context, self.parts, self.components, self.options.stubs)

    @cached_property
    def schemas(self) -> Schemas:
        """The schemas of its imports and exports, whose library is loaded when there is one."""
        from .schemas import Schemas

        return Schemas(self.blueprint, self.components, self.parts, self.context)

    def renew(self) -> None:
        """Makes the bindings that all phases have; templates of one run share and change them."""
        mark = self.options.placeholders
        self.bindings.update(
            imports={name: value.data(mark) for name, value in self.values.items()},
            **self.components.bindings(self.blueprint.annotations.get("ocmSchemaVersion")),
            blueprint=self.definition,
            blueprintDef=self.definition,
        )

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
            for _, target in _targets(value.data(), "") if value.is_target else ():
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
