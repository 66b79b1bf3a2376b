"""The commands and their options; what they do is imported when one is chosen."""

from __future__ import annotations

from pathlib import Path  # noqa: F401  (typer resolves annotations at run time)
from typing import Annotated, Any, Optional

import typer

from .build_options import BUILD_EPILOG, build
from .commands import Command, RenderingCommand, TwoSidedCommand, own_values
from .diff_options import DIFF_EPILOG, diff
from .graph_options import graph
from .integration_options import integration
from .lock_options import lock
from .options import (
    AllowNetOption,
    AllowPathOption,
    ColorOption,
    DatasourcesOption,
    DiagnosticsOption,
    DialectOption,
    FileArgument,
    FormatOption,
    KeepTransformOption,
    LimitOption,
    LockOption,
    NamedDialectOption,
    NowOption,
    OfflineOption,
    SecretsOption,
    SeedOption,
    StateOption,
    SubstrOption,
    VarOption,
    VarsOption,
)

EPILOG = "Exit status: 0 done, 1 the blueprint has errors, 2 wrong usage, 3 a file cannot be read."

_app = typer.Typer(
    name="bpp",
    help="The Blueprint PreProcessor: renders blueprints, with every mistake pointed at.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EPILOG,
)


def _version(value: bool) -> None:
    if value:
        from ..values.version import VERSION

        typer.echo(f"bpp {VERSION}")
        raise typer.Exit


@_app.callback()
def _bpp(
    version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", callback=_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """The Blueprint PreProcessor: renders blueprints, with every mistake pointed at."""


@_app.command(cls=RenderingCommand, epilog=EPILOG)
def render(
    context: typer.Context,
    file: FileArgument,
    dialect: DialectOption = None,
    output: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--output", "-o", metavar="OUT", help="The file to write; replaced at once."),
    ] = None,
    format: FormatOption = None,  # noqa: A002
    split: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--split", metavar="DIR", help="Write one file per child into this folder."),
    ] = None,
    var: VarOption = None,
    vars: VarsOption = None,  # noqa: A002
    strict_vars: Annotated[
        bool,
        typer.Option("--strict-vars", help="Values for undeclared variables are errors."),
    ] = False,
    state: StateOption = None,
    datasources: DatasourcesOption = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Whatever is still unknown is an error.")
    ] = False,
    explain_unknowns: Annotated[
        bool,
        typer.Option(
            "--explain-unknowns",
            help="Print what is still unknown, why, what supplies it and where it is used.",
        ),
    ] = False,
    show: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            "--show",
            metavar="WHAT",
            help="Write another view of the result, such as the variables of a project.",
        ),
    ] = None,
    secrets: SecretsOption = "keep",
    stop_after: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--stop-after", metavar="STAGE", help="Write the result of this stage."),
    ] = None,
    dump_stages: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            "--dump-stages",
            metavar="DIR",
            help="Write the result of every stage that ran, also of a render that fails.",
        ),
    ] = None,
    depfile: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--depfile", metavar="FILE", help="Write a make rule of all files read."),
    ] = None,
    source_map: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            "--source-map", metavar="FILE", help="Write where each part of the output comes from."
        ),
    ] = None,
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
    timings: Annotated[
        bool, typer.Option("--timings", help="Print the time that each stage and writing took.")
    ] = False,
) -> int:
    """Render a blueprint and write its materialised form.

    Variables come from, highest first: --var, later --vars, earlier --vars, BPP_VAR_<name>, the
    default. The output has the format of --format, of OUT's extension, or of the input.
    """
    from .render_command import RenderOptions, run_render

    return run_render(
        RenderOptions(
            file=file,
            dialect=dialect,
            own=own_values(context),
            output=output,
            format=format,
            split=split,
            var=tuple(var or ()),
            vars=tuple(vars or ()),
            strict_vars=strict_vars,
            state=state,
            datasources=datasources,
            strict=strict,
            explain_unknowns=explain_unknowns,
            show=show,
            secrets=secrets,
            stop_after=stop_after,
            dump_stages=dump_stages,
            depfile=depfile,
            source_map=source_map,
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
            timings=timings,
        )
    )


@_app.command(cls=Command, epilog=EPILOG)
def check(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Blueprints; `-` reads standard input.")
    ],
    dialect: DialectOption = None,
    keep_transform: KeepTransformOption = None,
    allow_path: AllowPathOption = None,
    limit: LimitOption = None,
    diagnostics: DiagnosticsOption = "text",
    color: ColorOption = "auto",
) -> int:
    """Check blueprints without rendering them.

    Looks at structure, names, types and places, in the blueprints and in the children they include.
    """
    from .inspect_commands import run_check

    return run_check(
        files,
        dialect,
        tuple(keep_transform or ()),
        tuple(allow_path or ()),
        tuple(limit or ()),
        diagnostics,
        color,
    )


_app.command(cls=TwoSidedCommand, epilog=DIFF_EPILOG)(diff)


_app.command(cls=Command, epilog=EPILOG)(lock)


_app.command(cls=Command, epilog=BUILD_EPILOG)(build)


@_app.command(cls=Command)
def stages(dialect: NamedDialectOption = None) -> int:
    """List the stages of the pipeline in their order."""
    from .inspect_commands import run_stages

    return run_stages(dialect)


@_app.command(cls=Command)
def functions(
    name: Annotated[
        Optional[str],  # noqa: UP045
        typer.Argument(metavar="[NAME]", help="A function to describe.", show_default=False),
    ] = None,
    dialect: NamedDialectOption = None,
) -> int:
    """List the functions of the language, or describe one."""
    from .inspect_commands import run_functions

    return run_functions(name, dialect)


@_app.command(cls=Command)
def parse(
    expression: Annotated[
        str, typer.Argument(metavar="EXPR", help="An expression, with or without delimiters.")
    ],
    dialect: NamedDialectOption = None,
    color: ColorOption = "auto",
) -> int:
    """Print the tree of an expression."""
    from .inspect_commands import run_parse

    return run_parse(expression, color, dialect)


@_app.command(name="eval", cls=RenderingCommand, epilog=EPILOG)
def eval_(
    context: typer.Context,
    expression: Annotated[
        str, typer.Argument(metavar="EXPR", help="An expression, with or without delimiters.")
    ],
    file: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--file", "-f", metavar="FILE", help="The blueprint that gives the scope."),
    ] = None,
    dialect: DialectOption = None,
    var: VarOption = None,
    vars: VarsOption = None,  # noqa: A002
    state: StateOption = None,
    datasources: DatasourcesOption = None,
    secrets: SecretsOption = "keep",
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
    """Evaluate an expression, on its own or in a blueprint's scope.

    Prints the value as JSON, or what is left of the expression when it is not known yet.
    """
    from .eval_command import run_eval
    from .render_command import RenderOptions

    return run_eval(
        expression,
        RenderOptions(
            file=file or "",
            dialect=dialect,
            own=own_values(context),
            var=tuple(var or ()),
            vars=tuple(vars or ()),
            state=state,
            datasources=datasources,
            secrets=secrets,
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
    )


_app.command(cls=RenderingCommand, epilog=EPILOG)(graph)


@_app.command(cls=RenderingCommand, epilog=EPILOG)
def why(
    context: typer.Context,
    file: FileArgument,
    path: Annotated[
        str,
        typer.Argument(metavar="PATH", help="A path of the output: `resources.api.spec.name`."),
    ],
    format: Annotated[  # noqa: A002
        str, typer.Option("--format", metavar="text|json", help="How the answer is written.")
    ] = "text",
    dialect: DialectOption = None,
    var: VarOption = None,
    vars: VarsOption = None,  # noqa: A002
    state: StateOption = None,
    datasources: DatasourcesOption = None,
    secrets: SecretsOption = "keep",
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
    """Tell where a value of the output comes from.

    Shows its place, the stages that shaped it, and the variables, values, state, records, children
    and functions that went into it; for what is gone, which stage removed it and why.
    """
    from .render_command import RenderOptions
    from .why_command import run_why

    return run_why(
        path,
        format,
        RenderOptions(
            file=file,
            dialect=dialect,
            own=own_values(context),
            var=tuple(var or ()),
            vars=tuple(vars or ()),
            state=state,
            datasources=datasources,
            secrets=secrets,
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


@_app.command(cls=Command)
def explain(
    code: Annotated[
        str,
        typer.Argument(
            metavar="CODE", help="The code of a diagnostic, the name of a limit, or `limits`."
        ),
    ],
) -> int:
    """Explain the code of a diagnostic, or a limit.

    Says what is wrong, why that is refused, and what to do; of a limit, what it bounds and how it
    is changed. `limits` lists them all.
    """
    from .inspect_commands import run_explain

    return run_explain(code)


_app.command(cls=Command)(integration)


# typer's own ClickException, which it keeps in a place of its own.
_WrongUsage: type[Any] = typer.BadParameter.__mro__[2]


def app() -> int:
    """Runs the chosen command and gives its exit status.

    typer itself prints what is wrong with an option it does not know; then the status is 2.

    Raises:
        UsageProblem: for an option's value that cannot be.
    """
    try:
        result = _app(standalone_mode=False, prog_name="bpp")
    except typer.Abort:
        return 130
    except _WrongUsage as error:
        from io import StringIO

        from .streams import tell
        from .terminal import visible_lines

        shown = StringIO()
        error.show(shown)
        tell(visible_lines(shown.getvalue()))
        return int(error.exit_code)
    except SystemExit as leaving:
        # what typer makes of a broken pipe
        if leaving.code == 1:
            raise BrokenPipeError from None
        raise
    return result if isinstance(result, int) else 0
