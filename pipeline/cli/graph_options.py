"""The options of `bpp graph`; what it does is imported when it is chosen."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from .commands import own_values
from .options import (
    AllowNetOption,
    AllowPathOption,
    ColorOption,
    DatasourcesOption,
    DiagnosticsOption,
    DialectOption,
    FileArgument,
    KeepTransformOption,
    LimitOption,
    LockOption,
    NowOption,
    OfflineOption,
    SeedOption,
    StateOption,
    SubstrOption,
    VarOption,
    VarsOption,
)


def graph(
    context: typer.Context,
    file: FileArgument,
    dialect: DialectOption = None,
    output: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--output", "-o", metavar="OUT", help="The file to write; replaced at once."),
    ] = None,
    format: Annotated[  # noqa: A002
        Optional[str],  # noqa: UP045
        typer.Option(
            "--format",
            metavar="mermaid|dot|json|svg",
            help="Text to draw from, data, or a picture, which needs Graphviz.",
        ),
    ] = None,
    only: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            "--only",
            metavar="links|references|dependsOn|exports",
            help="Draw these edges and what they connect; may be repeated.",
        ),
    ] = None,
    show: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            "--show",
            metavar="values|variables",
            help="Draw these too, instead of the ways through them; may be repeated.",
        ),
    ] = None,
    fold: Annotated[
        bool, typer.Option("--fold", help="Draw all instances of a resource template as one.")
    ] = False,
    var: VarOption = None,
    vars: VarsOption = None,  # noqa: A002
    state: StateOption = None,
    datasources: DatasourcesOption = None,
    now: NowOption = None,
    seed: SeedOption = None,
    allow_net: AllowNetOption = None,
    allow_path: AllowPathOption = None,
    lock: LockOption = None,
    offline: OfflineOption = False,
    keep_transform: KeepTransformOption = None,
    substr_end_exclusive: SubstrOption = False,
    limit: LimitOption = None,
    diagnostics: DiagnosticsOption = "text",
    color: ColorOption = "auto",
) -> int:
    """Draw the resources of a blueprint: their links, references, dependencies and exports.

    The format is that of --format, of OUT's extension (.mmd, .dot, .gv, .json, .svg), or mermaid.
    Variables without a value are left open; a blueprint with errors is drawn as it is written.
    """
    from .graph_command import GraphOptions, run_graph
    from .render_command import RenderOptions

    return run_graph(
        GraphOptions(format, output, tuple(only or ()), tuple(show or ()), fold),
        RenderOptions(
            file=file,
            dialect=dialect,
            own=own_values(context),
            var=tuple(var or ()),
            vars=tuple(vars or ()),
            state=state,
            datasources=datasources,
            now=now,
            seed=seed,
            allow_net=tuple(allow_net or ()),
            allow_path=tuple(allow_path or ()),
            lock=lock,
            offline=offline,
            keep_transform=tuple(keep_transform or ()),
            substr_end_exclusive=substr_end_exclusive,
            limit=tuple(limit or ()),
            diagnostics=diagnostics,
            color=color,
        ),
    )
