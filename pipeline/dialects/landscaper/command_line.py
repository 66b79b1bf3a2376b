"""The blueprint's part of the command line: its options, and the record made of them.

It is loaded for help and for every command line with one of these options, so it imports little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...engine.options import RENDERING, CommandInputs, CommandLine, Option
from .options import PHASES, BlueprintOptions

if TYPE_CHECKING:
    from ...engine.run import Run


def _many(flag: str, help: str, metavar: str = "FILE", values: str = "data") -> Option:  # noqa: A002
    return Option(f"--{flag}", f"{help}; may be repeated.", metavar, many=True, values=values)


_OPTIONS: Final = {
    "imports": _many("imports", "Values of imports, below `imports`, as YAML or JSON"),
    "targets": _many("targets", "Targets: documents of that kind, or `targets: {import: Target}`"),
    "stub_targets": Option("--stub-targets", "Give each target import without a value a Target."),
    "component_descriptors": _many(
        "component-descriptor", "The own component, then those that it refers to"
    ),
    "component": Option(
        "--component", "The own component among those that are given.", "NAME[:VERSION]"
    ),
    "registry": _many(
        "registry", "A folder of component descriptors with `blobs/`", "DIR", "folders"
    ),
    "state_out": Option(
        "--state-out", "Write the state of the templates to this file.", "FILE", values="data"
    ),
    "nested": Option("--nested", "Render the subinstallations, too."),
    "export_templates": Option(
        "--export-templates", "Simulate exports with these templates.", "FILE", values="data"
    ),
    "namespace": Option("--namespace", "The namespace of the installation.", "NS"),
    "name": Option("--name", "The name of the installation.", "NAME"),
    "placeholders": Option(
        "--placeholders", "Write `<unknown: ..>` for a value that is known after deployment."
    ),
    "stubs": _many(
        "stub", "Answers of a function that needs a cluster", "FUNCTION=FILE", "functions"
    ),
    "phase": Option(
        "--phase",
        "The phase whose bindings the expression sees.",
        "|".join(PHASES),
        choices=PHASES,
        commands=("eval", "console"),
    ),
}
"""The options, by the fields of `BlueprintOptions`."""


_VAR: Final = Option("--var", "", "NAME=VALUE")


def blueprint_options(asked: CommandInputs) -> BlueprintOptions:
    """The options of a blueprint; files are read by the stages.

    Raises:
        ValueError: an invalid value of an option.
    """
    fields = asked.given(_OPTIONS)
    if "stubs" in fields:
        fields["stubs"] = dict(map(_OPTIONS["stubs"].pair, fields["stubs"]))
    variables = {**asked.values, **dict(map(_VAR.pair, asked.var))}
    return BlueprintOptions(**fields, state=asked.state, variables=variables)


def _state_text(run: Run) -> str:
    """What `--state-out` writes."""
    from .answers.results import state_text  # not for help and completion

    return state_text(run)


_INSTEAD: Final = dict.fromkeys(("--vars", "--datasources"), "`--imports` gives values of imports")
COMMAND_LINE: Final = CommandLine(
    options=tuple(
        option if name == "phase" else option.evolve(commands=(*RENDERING, "check"))
        for name, option in _OPTIONS.items()
    ),
    refuses=(
        *_INSTEAD,
        *("--strict-vars", "--keep-transform", "--substr-end-exclusive"),
        *("--split", "--lock", "--offline", "--allow-net"),
    ),
    instead=_INSTEAD,
    inputs=blueprint_options,
    beside={_OPTIONS["state_out"].flag: _state_text},
)
"""The options of a render of a blueprint."""
