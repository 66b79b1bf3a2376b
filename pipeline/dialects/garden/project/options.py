"""What a caller chooses for a project, and what it tells of the world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .....functions.record import Record, field

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
