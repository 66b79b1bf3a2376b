"""The options of `bpp lock`; what it does is imported when it is chosen."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from .options import (
    AllowNetOption,
    AllowPathOption,
    ColorOption,
    DatasourcesOption,
    DiagnosticsOption,
    FileArgument,
    KeepTransformOption,
    LimitOption,
    StateOption,
    SubstrOption,
    VarOption,
    VarsOption,
)


def lock(
    file: FileArgument,
    output: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            "--output", "-o", metavar="LOCK", help="The lock file; bpp.lock beside FILE by default."
        ),
    ] = None,
    add: Annotated[
        bool, typer.Option("--add", help="Keep what the lock file lists and is not fetched now.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; say what differs, with status 1.")
    ] = False,
    var: VarOption = None,
    vars: VarsOption = None,  # noqa: A002
    state: StateOption = None,
    datasources: DatasourcesOption = None,
    allow_net: AllowNetOption = None,
    allow_path: AllowPathOption = None,
    keep_transform: KeepTransformOption = None,
    substr_end_exclusive: SubstrOption = False,
    limit: LimitOption = None,
    diagnostics: DiagnosticsOption = "text",
    color: ColorOption = "auto",
) -> int:
    """Record what a blueprint fetches, so that later renders accept nothing else.

    Fetches remote children and files, and writes their SHA-256 and size to a lock file.
    """
    from .lock_command import run_lock
    from .render_command import RenderOptions

    return run_lock(
        RenderOptions(
            file=file,
            output=output,
            var=tuple(var or ()),
            vars=tuple(vars or ()),
            state=state,
            datasources=datasources,
            allow_net=tuple(allow_net or ()),
            allow_path=tuple(allow_path or ()),
            keep_transform=tuple(keep_transform or ()),
            substr_end_exclusive=substr_end_exclusive,
            limit=tuple(limit or ()),
            diagnostics=diagnostics,
            color=color,
        ),
        add=add,
        check=check,
    )
