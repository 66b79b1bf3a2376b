"""The options of a render of a blueprint, with or without a command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from ....functions.record import Record, field

IMPORT, DEPLOY, SUBINSTALLATION, EXPORT = "import", "deploy", "subinstallation", "export"
PHASES: Final = (DEPLOY, IMPORT, SUBINSTALLATION, EXPORT)
"""The phases of an installation; the first is that of `bpp eval`."""

Given: TypeAlias = str | Mapping[str, Any]
"""The path of a file, or its content as plain data."""


class BlueprintOptions(Record):
    """The options of a render of a blueprint.

    `imports` are files or maps of the values of imports, below `imports` or not; later ones win.
    `variables` are values of data imports, which win over these: a string is text where the schema
    says so, else YAML; anything else is the value. `targets` are Targets, and with `stub_targets`
    each target import without a value gets one. `component_descriptors` are the own component and
    those that it refers to; `component` (`NAME[:VERSION]`) names the own one among these and those
    of the folders `registry`. `state` is what is known of the deployment; `state_out` is the file
    that gets the state of templates. With `nested` subinstallations are rendered, too, and with
    `export_templates` their exports are simulated. `namespace` and `name` are those of the
    installation. With `placeholders` an unknown value is written as a mark. `stubs` are the answers
    of functions that need a cluster, as files or lists by the name of the function. `phase` is the
    one whose bindings an expression sees.
    """

    imports: tuple[Given, ...] = field(default=(), repr=False)
    variables: Mapping[str, Any] = field(factory=dict, repr=False)
    targets: tuple[Given, ...] = field(default=(), repr=False)
    stub_targets: bool = False
    component_descriptors: tuple[Given, ...] = ()
    component: str | None = None
    registry: tuple[str, ...] = ()
    state: Given | None = field(default=None, repr=False)
    state_out: str | None = None
    nested: bool = False
    export_templates: Given | None = None
    namespace: str = "default"
    name: str = "root"
    placeholders: bool = False
    stubs: Mapping[str, Any] = field(factory=dict, repr=False)
    phase: str = DEPLOY

    @property
    def renders_nested(self) -> bool:
        """True when subinstallations are rendered."""
        return self.nested or self.export_templates is not None


def options_of(options: Any) -> BlueprintOptions:
    """The options of a run, by default those without any values.

    Raises:
        ValueError: not `BlueprintOptions`, or one that has no such value.
    """
    if options is None:
        return BlueprintOptions()
    if not isinstance(options, BlueprintOptions):
        raise ValueError(f"blueprints take BlueprintOptions, not {type(options).__name__}")
    if options.phase not in PHASES:
        known = ", ".join(PHASES)
        raise ValueError(f"unknown phase `{options.phase}`; available: {known}")
    return options
