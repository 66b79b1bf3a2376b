"""The commands, parsed by typer from the table of options; each imports what it does when run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import cleandoc
from typing import Annotated, Any, Final

import typer
from typer.core import TyperArgument, TyperCommand, TyperOption
from typer.main import get_command

from ...functions.record import Record
from ..engine.options import SIDES, Option, Options, rows_of
from .streams import write_err
from .usage import choice

EPILOG: Final = (
    "Exit status: 0 done, 1 the blueprint has errors, 2 wrong usage, 3 a file cannot be read."
)
_PARAMETERS: Final = "bpp.parameters"


class Parameter(Record):
    """An option or argument of a command, as one of its parameters.

    `field` is the field of `Options` that it sets, empty for an option of the `dialect`. `side` is
    the side of `diff` that it applies to, empty for both.
    """

    name: str
    field: str
    row: Option
    side: str = ""
    dialect: str = ""
    hidden: bool = False

    def typed(self) -> TyperArgument | TyperOption:
        """The parameter as typer has it."""
        row = self.row
        complete = self._completions if row.choices or self.field == "dialect" else None
        if row.is_argument:
            return TyperArgument(
                param_decls=[self.name],
                metavar=row.metavar or row.flag,
                help=row.help,
                required=not row.flag.startswith("["),
                nargs=-1 if row.many else 1,
                show_default=False,
                autocompletion=complete,
            )
        ending = f"-{self.side}" if self.side else ""
        flags = [row.flag + ending] + ([row.short] if row.short else [])
        return TyperOption(
            param_decls=[self.name, *flags],
            type=int if row.number else None,
            metavar=row.metavar or None,
            help=self._help(),
            is_flag=row.is_switch,
            default=False if row.is_switch else row.default,
            show_default=row.default is not None,
            multiple=row.many,
            hidden=self.hidden,
            rich_help_panel=f"Options of the dialect {self.dialect}" if self.dialect else None,
            autocompletion=complete,
        )

    def _help(self) -> str:
        if not self.side:
            return self.row.help
        instead = "in addition to" if self.row.many else "instead of"
        if self.row.is_switch:
            return f"Like {self.row.flag}, for side {self.side.upper()} only."
        return f"For side {self.side.upper()} only, {instead} {self.row.flag}."

    def _completions(self, _: Any, __: list[str], ___: str) -> list[str]:
        """All values; typer picks those that begin as what is typed."""
        if self.field == "dialect":
            from ..dialects.table import Dialects

            return Dialects().names()
        return list(self.row.choices)


def parameters(command: str, dialect: str | None = None) -> Iterator[Parameter]:
    """The parameters of a command: from the table, then from the dialects.

    If a dialect is named, help hides the options that only others have.
    """
    for field, row in rows_of(command):
        yield Parameter(field, field, row)
        if row.sides and command == "diff":
            for side in SIDES:
                yield Parameter(f"{field}_{side}", field, row, side)
    from ..dialects.dialect_options import options_by_dialect, options_of

    shown = options_of(dialect)
    mine = {row.flag: row for row in shown or ()}
    for owner, options in options_by_dialect(dialect).items():
        for row in options:
            if command not in row.commands or mine.get(row.flag, row) != row:
                continue  # another dialect's option of the same flag
            hidden = shown is not None and row.flag not in mine
            for side in ("", *(SIDES if command == "diff" else ())):
                name = f"own{row.flag}_{side}".replace("-", "_")
                yield Parameter(name, "", row, side, owner, hidden)


class Command(TyperCommand):
    """A command with the parameters of the table, and of the dialect that its line names."""

    def __init__(self, name: str, run: Callable[[Options], int], epilog: str | None) -> None:
        text = cleandoc(run.__doc__ or "")
        super().__init__(name, help=text, epilog=epilog, rich_markup_mode=None)
        self.run = run

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters as typer has them, then `--help`."""
        return [*(typed for _, typed in self._typed(ctx)), *super().get_params(ctx)]

    def _typed(self, ctx: Any, dialect: str | None = None) -> list[tuple[Parameter, Any]]:
        if _PARAMETERS not in ctx.meta:
            found = parameters(self.name or "", dialect)
            ctx.meta[_PARAMETERS] = [(one, one.typed()) for one in found]
        typed: list[tuple[Parameter, Any]] = ctx.meta[_PARAMETERS]
        return typed

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parses a command line; the dialect that it names may bring options."""
        self._typed(ctx, _named(args))
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> int:
        """Runs the command with the values of its parameters."""
        return self.run(_options((one, ctx.params[one.name]) for one, _ in self._typed(ctx)))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The words after the command's name: `FILE` for an argument, not typer's `{FILE}`."""
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes the help of the parameters, those of each dialect under its own heading."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                usual = "Arguments" if parameter.param_type_name == "argument" else "Options"
                panel = getattr(parameter, "rich_help_panel", None)
                sections.setdefault(panel or usual, []).append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)


def _named(args: list[str]) -> str | None:
    """The dialect that a command line names."""
    for position, text in enumerate(args):
        if text == "--dialect":
            return args[position + 1] if position + 1 < len(args) else None
        if text.startswith("--dialect="):
            return text.partition("=")[2]
    return None


def _options(given: Iterator[tuple[Parameter, Any]]) -> Options:
    """The record of the values that typer has parsed.

    Raises:
        UsageProblem: for a value that is not a valid choice.
    """
    both: dict[str, Any] = {}
    a: dict[str, Any] = {}
    b: dict[str, Any] = {}
    values = {"": both, **dict(zip(SIDES, (a, b), strict=True))}
    for one, value in given:
        if value is None or value is False or value in ((), []):
            continue
        row = one.row
        several = tuple(value) if row.many else (value,)
        if not one.field:
            own = values[one.side].setdefault("own", {})
            own[row.flag] = ("",) if row.is_switch else several
            continue
        for word in several if row.choices else ():
            choice(row.flag, word, row.choices)
        values[one.side][one.field] = several if row.many else value
    return Options(**both, sides=(a, b))


_app = typer.Typer(
    name="bpp",
    help="The Blueprint PreProcessor: renders blueprints and reports every mistake with its place.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EPILOG,
)
COMMANDS: Final[dict[str, Command]] = {}


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
    """The Blueprint PreProcessor: renders blueprints and reports every mistake with its place."""


def _command(
    name: str, epilog: str | None = EPILOG
) -> Callable[[Callable[[Options], int]], Callable[[Options], int]]:
    """Adds a command, with its docstring as help and the options whose rows name it."""

    def add(run: Callable[[Options], int]) -> Callable[[Options], int]:
        COMMANDS[name] = Command(name, run, epilog)
        return run

    return add


@_command("render")
def _render(options: Options) -> int:
    """Render a blueprint and write its materialised form.

    Variables come from, highest first: --var, later --vars, earlier --vars, BPP_VAR_<name>, the
    default. The output has the format of --format, of OUT's extension, or of the input.
    """
    from .render_command import run_render

    return run_render(options)


@_command("check")
def _check(options: Options) -> int:
    """Check blueprints without rendering them.

    Checks structure, names, types and references, in the blueprints and in the children they
    include.
    """
    from .inspect_commands import run_check

    return run_check(options)


@_command(
    "diff",
    "Exit status: 0 the same, 1 different or a blueprint has errors (then nothing is written to "
    "standard output), 2 wrong usage, 3 a file cannot be read.",
)
def _diff(options: Options) -> int:
    """Compare two renders by path: what was added, removed, changed or moved.

    Compares two blueprints, or one with two sets of inputs (`bpp diff app.yaml --vars-a test.yaml
    --vars-b prod.yaml`). An option without -a or -b applies to both sides. The order of keys is
    ignored, types are not, and secrets are never shown.
    """
    from .diff_command import run_diff

    return run_diff(options)


@_command("lock")
def _lock(options: Options) -> int:
    """Record what a blueprint fetches, so that later renders accept nothing else.

    Fetches remote children and files, and writes their SHA-256 and size to a lock file.
    """
    from .lock_command import run_lock

    return run_lock(options)


@_command(
    "build",
    "Exit status: 0 done, 1 a target has errors or differs, 2 wrong usage, 3 a file cannot be "
    "read.",
)
def _build(options: Options) -> int:
    """Render the targets of a configuration that are not up to date.

    Targets are in `bpp.toml`, or in `[tool.bpp]` of `pyproject.toml`, of this folder or one above.
    """
    from .build_command import run_build

    return run_build(options)


@_command("stages", None)
def _stages(options: Options) -> int:
    """List the stages of the pipeline in their order."""
    from .inspect_commands import run_stages

    return run_stages(options)


@_command("functions", None)
def _functions(options: Options) -> int:
    """List the functions of the language, or describe one."""
    from .inspect_commands import run_functions

    return run_functions(options)


@_command("parse", None)
def _parse(options: Options) -> int:
    """Print the tree of an expression."""
    from .inspect_commands import run_parse

    return run_parse(options)


@_command("eval")
def _eval(options: Options) -> int:
    """Evaluate an expression, on its own or in a blueprint's scope.

    Prints the value as JSON, or what is left of the expression if its value is not known yet.
    """
    from .eval_command import run_eval

    return run_eval(options)


@_command("graph")
def _graph(options: Options) -> int:
    """Draw the resources of a blueprint: their links, references, dependencies and exports.

    The format is that of --format, of OUT's extension (.mmd, .dot, .gv, .json, .svg), or mermaid.
    Variables without a value are left open; a blueprint with errors is drawn as it is written.
    """
    from .graph_command import run_graph

    return run_graph(options)


@_command("why")
def _why(options: Options) -> int:
    """Explain where a value of the output comes from.

    Shows its place, the stages that changed it, and the variables, values, state, records, children
    and functions that it is made of; for a removed value, the stage that removed it and why.
    """
    from .why_command import run_why

    return run_why(options)


@_command("explain", None)
def _explain(options: Options) -> int:
    """Explain the code of a diagnostic, or a limit.

    For a code: the problem, why it is an error, and how to fix it. For a limit: what it bounds and
    how to change it. `limits` lists all limits.
    """
    from .inspect_commands import run_explain

    return run_explain(options)


@_command("integration", None)
def _integration(options: Options) -> int:
    """Print the folder with the files for a build tool.

    It has `bpp.cmake` for CMake's `include`, or a repository for Bazel.
    """
    from .inspect_commands import run_integration

    return run_integration(options)


# typer's own copy of click's ClickException, which it does not export
_WrongUsage: type[Any] = typer.BadParameter.__mro__[2]


def app() -> int:
    """Runs the command that the command line names; the exit status.

    typer itself prints errors of usage; then the status is 2.

    Raises:
        UsageProblem: for an invalid value of an option.
    """
    group: Any = get_command(_app)
    group.commands.update(COMMANDS)
    try:
        result = group.main(standalone_mode=False, prog_name="bpp")
    except typer.Abort:
        return 130
    except _WrongUsage as error:
        from io import StringIO

        from .terminal import visible_lines

        shown = StringIO()
        error.show(shown)
        write_err(visible_lines(shown.getvalue()))
        return int(error.exit_code)
    except SystemExit as leaving:
        # typer turns a broken pipe into status 1
        if leaving.code == 1:
            raise BrokenPipeError from None
        raise
    return result if isinstance(result, int) else 0
