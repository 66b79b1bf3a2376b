"""The options of `bpp build`; what it does is imported when it is chosen."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from .options import ColorOption, DiagnosticsOption, LimitOption

BUILD_EPILOG = (
    "Exit status: 0 done, 1 a target has errors or differs, 2 wrong usage, 3 a file cannot be read."
)


def build(
    targets: Annotated[
        Optional[list[str]],  # noqa: UP045  (typer reads this on Python 3.11)
        typer.Argument(
            metavar="[TARGET...]",
            help="Targets by name: `api`, or `api[env=prod]` of a matrix; default all.",
            show_default=False,
        ),
    ] = None,
    jobs: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            "--jobs", "-j", metavar="N", help="Render so many side by side; default: processors."
        ),
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Stay, and build what is behind a changed file.")
    ] = False,
    check: Annotated[
        bool,
        typer.Option("--check", help="Write nothing; fail when an output is not as it should be."),
    ] = False,
    config: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            "--config", metavar="FILE", help="The configuration; default: the nearest one above."
        ),
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Render everything; keep nothing for later.")
    ] = False,
    limit: LimitOption = None,
    diagnostics: DiagnosticsOption = "text",
    color: ColorOption = "auto",
) -> int:
    """Render the targets of a configuration that are not up to date.

    Targets are in `bpp.toml`, or in `[tool.bpp]` of `pyproject.toml`, of this folder or one above.
    """
    from .build_command import BuildOptions, run_build

    return run_build(
        BuildOptions(
            targets=tuple(targets or ()),
            jobs=jobs,
            watch=watch,
            check=check,
            config=config,
            no_cache=no_cache,
            limit=tuple(limit or ()),
            diagnostics=diagnostics,
            color=color,
        )
    )
