"""The options of a render of a project."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ....functions.record import Record, field

ENGINE: Final = "engine"
RFC7396: Final = "rfc7396"
MERGES: Final = (ENGINE, RFC7396)

SURROUNDINGS: Final = ("local", "git", "command")
"""The names that describe where a project is rendered: only the caller knows their values."""

CALLER_VALUE: Final = "caller_value"
"""The code for what a check asks the caller for."""


class ProjectOptions(Record):
    """The options of a render of a project.

    `environment` is `[namespace.]name`. `variables` are the strings given with `--var`
    (`a=b,c.d=e`), `variable_files` are files of variables that override all others but these; later
    ones win. `values` are variables of any type, which rank between the two; their names may have
    dots. `state` is plain data for the names that only a run of Garden knows: `actions`,
    `providers`, `secrets`, `modules`, `runtime`, `steps` and `imported`.

    `local`, `git` and `command` are the values of these names; nothing is read from the machine,
    and references to a name that is None stay in the output. `modes` are the modes of actions by
    key (`deploy.api`). `merge` says how maps of variables are merged: `engine` merges lists by
    index and keeps null, `rfc7396` replaces lists and lets null remove a key. `files` are more
    configuration files; with `scan` the folder of the project is searched for others.
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
    """The options of a run, by default those without any values.

    Raises:
        ValueError: not `ProjectOptions`, or an unknown merge.
    """
    if options is None:
        return ProjectOptions()
    if not isinstance(options, ProjectOptions):
        raise ValueError(f"a project takes ProjectOptions, not {type(options).__name__}")
    if options.merge not in MERGES:
        raise ValueError(f"unknown merge `{options.merge}`; available: {', '.join(MERGES)}")
    return options


def holds_local(text: str, local: Mapping[str, Any] | None) -> bool:
    """True for a string that contains a value of `local.env`, which messages must not show."""
    known = (local or {}).get("env")
    values = known.values() if isinstance(known, Mapping) else ()
    return any(isinstance(one, str) and one and one in text for one in values)
