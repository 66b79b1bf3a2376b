"""Garden's part of the command line.

Only declarations: they are loaded for help, and for command lines that have one of these options.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...engine.dialect import CommandInputs, CommandLine
from ...engine.options import Option

if TYPE_CHECKING:
    from .options import ProjectOptions

NAME: Final = "garden"

ENVIRONMENT: Final = Option("--env", "The environment; default: that of the project.", "NAME")
MERGE: Final = Option(
    "--garden-merge",
    "Merge variables of several levels as Garden does, or replace lists as RFC 7396 does.",
    choices=("engine", "rfc7396"),
)
MODE: Final = Option(
    "--mode", "The mode of an action, such as sync; may be repeated.", "ACTION=MODE", many=True
)
CONTEXT: Final = Option(
    "--context", "The values of `local`, `git` and `command`.", "FILE", data=True
)
LOCAL_ENVIRONMENT: Final = Option(
    "--local-env",
    "A variable of `local.env`, with this value or that of the environment; may be repeated.",
    "NAME[=VALUE]",
    many=True,
)
FILES: Final = Option(
    "--garden-file", "One more file of the project; may be repeated.", "FILE", many=True
)
NO_SCAN: Final = Option("--no-scan", "Read only files that are named; do not search for more.")


def inputs(given: CommandInputs) -> ProjectOptions:
    """See `CommandLine.inputs`."""
    from .options import project_options

    return project_options(given)


COMMAND_LINE: Final = CommandLine(
    options=(ENVIRONMENT, MERGE, MODE, CONTEXT, LOCAL_ENVIRONMENT, FILES, NO_SCAN),
    refuses=(
        "--datasources",
        "--strict-vars",
        "--keep-transform",
        "--substr-end-exclusive",
        "--split",
        "--lock",
        "--offline",
    ),
    inputs=inputs,
)
