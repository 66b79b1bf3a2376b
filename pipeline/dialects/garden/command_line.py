"""Garden's part of the command line: its options, and the project options made from them.

It is loaded for help and for every command line with one of these options, so it imports little.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from ...engine.options import RENDERING, CommandInputs, CommandLine, Option
from .options import ENGINE, ProjectOptions
from .recognition import ACTIONS

if TYPE_CHECKING:
    from ...engine.run import Run

ENVIRONMENT: Final = Option(
    "--env", "The environment; default: that of the project.", "NAME", values="environments"
)
MERGE: Final = Option(
    "--garden-merge",
    "Merge variables of several levels as Garden does, or replace lists as RFC 7396 does.",
    choices=("engine", "rfc7396"),
)
MODE: Final = Option(
    "--mode", "The mode of an action, such as sync; may be repeated.", "ACTION=MODE", many=True
)
CONTEXT: Final = Option(
    "--context", "The values of `local`, `git` and `command`.", "FILE", values="data"
)
LOCAL_ENVIRONMENT: Final = Option(
    "--local-env",
    "A variable of `local.env`, with this value or that of the environment; may be repeated.",
    "NAME[=VALUE]",
    many=True,
)
FILES: Final = Option(
    "--garden-file",
    "One more file of the project; may be repeated.",
    "FILE",
    many=True,
    values="blueprints",
)
NO_SCAN: Final = Option("--no-scan", "Read only files that are named; do not search for more.")
EXPLAIN_FILES: Final = Option(
    "--explain-files",
    "Print each configuration file with the rule that took it or left it out.",
    commands=("render",),
)


def project_options(asked: CommandInputs) -> ProjectOptions:
    """The options of a project; problems in files are added to the diagnostics.

    Raises:
        FileProblem: a file that cannot be read.
        ValueError: an invalid value of an option.
    """
    for flag in asked.var:
        if not flag.partition("=")[0].strip() or "=" not in flag:
            raise ValueError("--var is written NAME=VALUE, or A=B,C.D=E")
    own = asked.own
    contexts = _mapping(asked, _last(own, CONTEXT.flag), "invalid_context_file") or {}
    local = contexts.get("local")
    named = own.get(LOCAL_ENVIRONMENT.flag, ())
    if named:
        local = dict(local or {})
        local["env"] = {**(local.get("env") or {}), **_environment(named, asked.environment)}
    return ProjectOptions(
        environment=_last(own, ENVIRONMENT.flag),
        variables=asked.var,
        variable_files=asked.vars,
        state=_mapping(asked, asked.state, "invalid_state"),
        local=local,
        git=contexts.get("git"),
        command=contexts.get("command"),
        modes=_modes(own.get(MODE.flag, ())),
        merge=_last(own, MERGE.flag) or ENGINE,
        files=own.get(FILES.flag, ()),
        scan=NO_SCAN.flag not in own,
        values=asked.values,
    )


def _last(own: Mapping[str, tuple[str, ...]], flag: str) -> str | None:
    found = own.get(flag)
    return found[-1] if found else None


def _modes(texts: Iterable[str]) -> dict[str, str]:
    """The modes by the key of an action: `deploy.api=sync`."""
    found = {}
    for text in texts:
        action, sign, mode = text.partition("=")
        kind, dot, name = action.partition(".")
        if not (sign and mode and kind and dot and name):
            raise ValueError(f"{MODE.flag} is written ACTION=MODE, such as deploy.api=sync")
        if kind.lower() not in map(str.lower, ACTIONS):
            known = ", ".join(map(str.lower, ACTIONS))
            raise ValueError(f"{MODE.flag}: unknown kind of action `{kind}`; available: {known}")
        found[f"{kind.lower()}.{name}"] = mode
    return found


def _environment(texts: Iterable[str], around: Mapping[str, str]) -> dict[str, str]:
    """The content of `local.env`: given values, and variables of the environment by name."""
    found = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not name:
            raise ValueError(f"{LOCAL_ENVIRONMENT.flag} is written NAME or NAME=VALUE")
        if sign:
            found[name] = value
        elif name in around:
            found[name] = around[name]
    return found


def _mapping(asked: CommandInputs, name: str | None, code: str) -> dict[str, Any] | None:
    """The map in a data file, whose problems are reported with `code`; None without a name."""
    if name is None:
        return None
    # not for help and completion
    from ...world.data_files import read_map
    from .supplied import context_problems, state_problems

    check = context_problems if code == "invalid_context_file" else state_problems
    return read_map(name, asked.files, asked.meter, asked.diagnostics, code, check)


def _explain_files(run: Run) -> str:
    """What `--explain-files` prints."""
    from .structure.scanning import explain_files  # not for help and completion

    return explain_files(run)


COMMAND_LINE: Final = CommandLine(
    options=(
        *(
            option.evolve(commands=(*RENDERING, "check"))
            for option in (ENVIRONMENT, MERGE, MODE, CONTEXT, LOCAL_ENVIRONMENT, FILES, NO_SCAN)
        ),
        EXPLAIN_FILES,
    ),
    refuses=(
        "--datasources",
        "--strict-vars",
        "--keep-transform",
        "--substr-end-exclusive",
        "--split",
        "--lock",
        "--offline",
    ),
    inputs=project_options,
    explains={EXPLAIN_FILES.flag: _explain_files},
)
