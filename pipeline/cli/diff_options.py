"""The options of `bpp diff`."""

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
    KeepTransformOption,
    LimitOption,
    NowOption,
    SeedOption,
    StateOption,
    SubstrOption,
    VarOption,
    VarsOption,
)

DIFF_EPILOG = (
    "Exit status: 0 the same, 1 different or a blueprint has errors (then nothing is written to "
    "standard output), 2 wrong usage, 3 a file cannot be read."
)

SideOption = Annotated[
    Optional[list[str]],  # noqa: UP045  (typer reads this on Python 3.11)
    typer.Option(metavar="NAME=VALUE", help="The same for this side only, where it wins."),
]
SideFileOption = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option(metavar="FILE", help="The same for this side only, where they win."),
]
OneFileOption = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(metavar="FILE", help="For this side, in place of the one for both."),
]


def diff(
    context: typer.Context,
    a: Annotated[str, typer.Argument(metavar="A", help="A blueprint; `-` reads standard input.")],
    b: Annotated[
        Optional[str],  # noqa: UP045
        typer.Argument(
            metavar="[B]", help="Another one; A with other values without it.", show_default=False
        ),
    ] = None,
    format: Annotated[  # noqa: A002
        str, typer.Option("--format", metavar="text|json", help="How differences are written.")
    ] = "text",
    dialect: DialectOption = None,
    var: VarOption = None,
    var_a: SideOption = None,
    var_b: SideOption = None,
    vars: VarsOption = None,  # noqa: A002
    vars_a: SideFileOption = None,
    vars_b: SideFileOption = None,
    state: StateOption = None,
    state_a: OneFileOption = None,
    state_b: OneFileOption = None,
    datasources: DatasourcesOption = None,
    datasources_a: OneFileOption = None,
    datasources_b: OneFileOption = None,
    now: NowOption = None,
    seed: SeedOption = None,
    allow_net: AllowNetOption = None,
    allow_path: AllowPathOption = None,
    keep_transform: KeepTransformOption = None,
    substr_end_exclusive: SubstrOption = False,
    limit: LimitOption = None,
    diagnostics: DiagnosticsOption = "text",
    color: ColorOption = "auto",
) -> int:
    """Compare two renders by path: what was added, removed, changed or moved.

    Compares two blueprints, or one with two sets of inputs (`bpp diff app.yaml --vars-a test.yaml
    --vars-b prod.yaml`). An option without -a or -b is for both sides. The order of keys does not
    count, types do, and secrets are never shown.
    """
    from .diff_command import Side, run_diff
    from .render_command import RenderOptions

    return run_diff(
        Side(
            a,
            tuple(var_a or ()),
            tuple(vars_a or ()),
            state_a,
            datasources_a,
            own_values(context, "-a"),
        ),
        Side(
            b or "",
            tuple(var_b or ()),
            tuple(vars_b or ()),
            state_b,
            datasources_b,
            own_values(context, "-b"),
        ),
        RenderOptions(
            file=a,
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
            keep_transform=tuple(keep_transform or ()),
            substr_end_exclusive=substr_end_exclusive,
            limit=tuple(limit or ()),
            diagnostics=diagnostics,
            color=color,
        ),
        format,
    )
