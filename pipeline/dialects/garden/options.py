"""What a caller chooses for a project, and what it tells of the world."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from ....functions.record import Record, field
from ...engine.dialect import CommandInputs
from ...engine.input_files import place_of, read_data
from .command_line import CONTEXT, ENVIRONMENT, FILES, LOCAL_ENVIRONMENT, MERGE, MODE, NO_SCAN

ENGINE: Final = "engine"
RFC7396: Final = "rfc7396"
MERGES: Final = (ENGINE, RFC7396)


class ProjectOptions(Record):
    """The options of a run of a project.

    `environment` is `[namespace.]name`. `variables` are texts of `--var` as they were typed
    (`a=b,c.d=e`), `variable_files` are files of variables above all but these, later ones win.
    `values` are variables of any type, which rank between those two; names may have dots.
    `state` is plain data about what only a run of Garden knows: by `actions`, `providers`,
    `secrets`, `modules`, `runtime`, `steps` and `imported`.

    `local`, `git` and `command` are what these names lead to; nothing is ever read from the
    machine, and what is None stays in the output. `modes` are the modes of actions by key
    (`deploy.api`). `merge` says how maps of variables are put together: `engine` merges lists by
    index and keeps null, `rfc7396` replaces lists and takes null for a removal. `files` are more
    files of configuration; with `scan` others are looked for below the project's folder.
    """

    environment: str | None = None
    variables: tuple[str, ...] = field(default=(), repr=False)
    variable_files: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(factory=dict, repr=False)
    state: Mapping[str, Any] | None = field(default=None, repr=False)
    local: Mapping[str, Any] | None = field(default=None, repr=False)
    git: Mapping[str, Any] | None = None
    command: Mapping[str, Any] | None = None
    modes: Mapping[str, str] = field(factory=dict)
    merge: str = ENGINE
    files: tuple[str, ...] = ()
    scan: bool = True


def options_of(options: Any) -> ProjectOptions:
    """The options of a run; without any, those by default.

    Raises:
        ValueError: for options that are none of a project, and for a merge that there is not.
    """
    if options is None:
        return ProjectOptions()
    if not isinstance(options, ProjectOptions):
        raise ValueError(f"a project takes ProjectOptions, not {type(options).__name__}")
    if options.merge not in MERGES:
        raise ValueError(f"there is no merge `{options.merge}`; there are {', '.join(MERGES)}")
    return options


# ----------------------------------------------------------------------
# What the command line gives a project, read into its options.

_CONTEXTS: Final = ("local", "git", "command")
_STANDARD_INPUT: Final = "-"


def project_options(given: CommandInputs) -> ProjectOptions:
    """The options of a project; mistakes in files are added to the diagnostics.

    Raises:
        FileProblem: for a file that cannot be read.
        ValueError: for a value of an option that cannot be.
    """
    for flag in given.var:
        if not flag.partition("=")[0].strip() or "=" not in flag:
            raise ValueError("--var is written NAME=VALUE, or A=B,C.D=E")
    own = given.own
    contexts = _mapping(given, _last(own, CONTEXT.flag), "invalid_context_file") or {}
    local = contexts.get("local")
    named = own.get(LOCAL_ENVIRONMENT.flag, ())
    if named:
        local = dict(local or {})
        local["env"] = {**(local.get("env") or {}), **_environment(named, given.environment)}
    return ProjectOptions(
        environment=_last(own, ENVIRONMENT.flag),
        variables=given.var,
        variable_files=given.vars,
        state=_mapping(given, given.state, "invalid_state"),
        local=local,
        git=contexts.get("git"),
        command=contexts.get("command"),
        modes=_modes(own.get(MODE.flag, ())),
        merge=_last(own, MERGE.flag) or ENGINE,
        files=own.get(FILES.flag, ()),
        scan=NO_SCAN.flag not in own,
        values=given.values,
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
        found[f"{kind.lower()}.{name}"] = mode
    return found


def _environment(texts: Iterable[str], around: Mapping[str, str]) -> dict[str, str]:
    """What `local.env` has: values that are given, and variables of the environment by name."""
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


def _mapping(given: CommandInputs, name: str | None, code: str) -> dict[str, Any] | None:
    """A file of plain data that is a map, by the `code` of its mistakes; None without one."""
    if name is None:
        return None
    shown = "<stdin>" if name == _STANDARD_INPUT else name
    data = given.files.open_input("/dev/stdin" if name == _STANDARD_INPUT else name)
    before = given.diagnostics.errors
    content, root = read_data(shown, data, given.settings.limits, given.diagnostics)
    if given.diagnostics.errors > before:
        return None
    known = _CONTEXTS if code == "invalid_context_file" else ()
    if not isinstance(content, dict):
        given.diagnostics.error(code, place_of(root, ()), f"`{shown}` holds no map")
        return None
    for key, value in content.items():
        if known and (key not in known or not isinstance(value, dict)):
            words = f"`{key}` is none of {', '.join(known)}"
            if key in known:
                words = f"`{key}` must be a map"
            given.diagnostics.error(code, place_of(root, (key,)), words)
    return content
