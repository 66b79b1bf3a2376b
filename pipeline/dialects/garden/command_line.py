"""Garden on the command line: its own options, and what it makes of those that all dialects have.

Only declarations are here: they are read for help and for command lines that have such an option.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...engine.dialect import Asked, CommandLine, Option

if TYPE_CHECKING:
    from .options import ProjectOptions

NAME: Final = "garden"

ENVIRONMENT: Final = Option(
    "--env", "The environment of a Garden project; its default one without this.", "NAME"
)
MERGE: Final = Option(
    "--garden-merge",
    "How variables of several levels are merged: as Garden does, or lists as a whole.",
    "engine|rfc7396",
    choices=("engine", "rfc7396"),
)
MODE: Final = Option(
    "--mode", "The mode of an action of a Garden project, such as sync.", "ACTION=MODE", many=True
)
CONTEXT: Final = Option(
    "--context", "A file that says what `local`, `git` and `command` are.", "FILE", data=True
)
LOCAL_ENVIRONMENT: Final = Option(
    "--local-env",
    "A variable of the environment that `local.env` has, here or with this value.",
    "NAME[=VALUE]",
    many=True,
)
FILES: Final = Option("--garden-file", "One more file of a Garden project.", "FILE", many=True)
NO_SCAN: Final = Option(
    "--no-scan", "Look for no configuration files of a Garden project but those that are named."
)


def inputs(asked: Asked) -> ProjectOptions:
    """See `CommandLine.inputs`."""
    from .options import project_options

    return project_options(asked)


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
