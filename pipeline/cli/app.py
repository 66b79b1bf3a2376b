"""The commands, parsed by typer from the table of options; each imports what it does when run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from inspect import Parameter as Declared
from inspect import Signature
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand
from typer.main import get_command

from ...functions.record import Record
from ..engine.options import GROUPS, SIDES, Option, Options, rows_of
from .streams import write_err
from .usage import UsageProblem, choice, pages

EPILOG: Final = (
    "Exit status: 0 done, 1 the blueprint has errors, 2 wrong usage, 3 a file cannot be read."
)
_PARAMETERS: Final = "bpp.parameters"


class Parameter(Record):
    """An option or argument of a command, as one of its parameters.

    `field` is the field of `Options` that it sets, empty for an option of the `dialect`. `side` is
    the side of `diff` that it applies to, empty for both; `sided` is set if there are such ones.
    """

    name: str
    field: str
    row: Option
    side: str = ""
    sided: bool = False
    dialect: str = ""
    hidden: bool = False

    def declared(self) -> Declared:
        """The parameter as a function has it, which typer reads."""
        row = self.row
        complete = self._completions if row.choices or row.values else None
        kind: Any = int if row.number else str
        kind = bool if row.is_switch else list[kind] if row.many else kind
        default: Any = False if row.is_switch else row.default
        about: Any
        if row.is_argument:
            default = None if row.flag.startswith("[") else Declared.empty
            about = typer.Argument(
                metavar=self.word,
                help=row.help,
                show_default=False,
                autocompletion=complete,
            )
        else:
            ending = f"-{self.side}" if self.side else ""
            about = typer.Option(
                *[row.flag + ending, *([row.short] if row.short else [])],
                metavar=row.metavar or None,
                help=self._help(),
                show_default=row.default is not None,
                hidden=self.hidden,
                autocompletion=complete,
            )
        kind = kind | None if default is None else kind
        return Declared(
            self.name, Declared.KEYWORD_ONLY, default=default, annotation=Annotated[kind, about]
        )

    @property
    def word(self) -> str:
        """The name of an argument in help and usage."""
        row = self.row
        if row.metavar and row.flag.startswith("["):
            return f"[{row.metavar}]"
        return row.metavar or row.flag

    def help_record(self, typed: Any, ctx: Any) -> tuple[str, str] | None:
        """The line in help; not typer's for an argument, which looks different in each version."""
        if self.side:
            return None  # named with the option for both sides
        if not self.row.is_argument:
            found: tuple[str, str] | None = typed.get_help_record(ctx)
            return found
        return self.word, self.row.help + ("  [required]" if typed.required else "")

    @property
    def heading(self) -> str | None:
        """The heading in help; None without one of its own."""
        if self.dialect:
            several = "s" if ", " in self.dialect else ""
            return f"Options of the dialect{several} {self.dialect}"
        if self.row.is_argument:
            return None
        return next((name for name, fields in GROUPS.items() if self.field in fields), None)

    def _help(self) -> str:
        if not self.sided or self.side:
            return self.row.help
        forms = ", ".join(f"{self.row.flag}-{side}" for side in SIDES)
        return f"{self.row.help} For one side: {forms}."

    def _completions(self, ctx: Any, args: list[str], begun: str) -> list[str]:
        """The values that begin as what is typed."""
        if self.row.choices:
            return list(self.row.choices)
        from .completion import completions

        try:
            options = _options((one, ctx.params.get(one.name)) for one, _ in ctx.meta[_PARAMETERS])
        except UsageProblem:
            return []
        return completions(self.row.values, options, begun)


def parameters(command: str, dialect: str | None = None) -> Iterator[Parameter]:
    """The parameters of a command: from the table, then from the dialects.

    If a dialect is named, help hides the options that only others have.
    """
    for field, row in rows_of(command):
        sided = row.sides and command == "diff"
        yield Parameter(field, field, row, sided=sided)
        if sided:
            for side in SIDES:
                yield Parameter(f"{field}_{side}", field, row, side, sided)
    from ..dialects.dialect_options import options_by_dialect, options_of

    shown = options_of(dialect)
    mine = {row.flag for row in shown or ()}
    owners: dict[str, list[str]] = {}
    found: dict[str, Option] = {}
    for owner, options in options_by_dialect(dialect).items():
        for row in options:
            # not another dialect's option of the same flag
            if command in row.commands and (row.flag not in mine or options == shown):
                found.setdefault(row.flag, row)
                owners.setdefault(row.flag, []).append(owner)
    for flag, row in found.items():
        hidden = shown is not None and flag not in mine
        sided = command == "diff"
        for side in ("", *(SIDES if sided else ())):
            name = f"own{flag}_{side}".replace("-", "_")
            yield Parameter(name, "", row, side, sided, ", ".join(owners[flag]), hidden)


def _typed(parameters: list[Parameter]) -> list[Any]:
    """The parameters as typer has them.

    typer makes them of a function: that it reads signatures is what does not change about it.
    """

    def command() -> None:
        """Stands for the command, which typer does not call."""

    declared = [one.declared() for one in parameters]
    vars(command)["__signature__"] = Signature(declared)
    command.__annotations__ = {one.name: one.annotation for one in declared}
    only = typer.Typer(add_completion=False)
    only.command()(command)
    return list(get_command(only).params)


class Command(TyperCommand):
    """A command with the parameters of the table, and of the dialect that its line names."""

    def __init__(self, name: str, run: Callable[[Options], int]) -> None:
        super().__init__(name, rich_markup_mode=None)
        self.run = run

    def _read_help(self) -> None:
        about = pages("commands")[self.name or ""]
        self.help, self.epilog = about["help"].strip(), about.get("epilog", EPILOG)

    def get_help(self, ctx: Any) -> str:
        """The page of `--help`."""
        self._read_help()
        return super().get_help(ctx)

    def get_short_help_str(self, limit: int = 45) -> str:
        """The command's line in `bpp --help`, however long it is."""
        self._read_help()
        return (self.help or "").partition("\n\n")[0]

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters as typer has them, then `--help`."""
        return [*(typed for _, typed in self._typed(ctx)), *super().get_params(ctx)]

    def _typed(self, ctx: Any, dialect: str | None = None) -> list[tuple[Parameter, Any]]:
        if _PARAMETERS not in ctx.meta:
            found = list(parameters(self.name or "", dialect))
            ctx.meta[_PARAMETERS] = list(zip(found, _typed(found), strict=True))
        typed: list[tuple[Parameter, Any]] = ctx.meta[_PARAMETERS]
        return typed

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parses a command line; the dialect that it names may bring options."""
        self._typed(ctx, _named(args))
        if ctx.resilient_parsing and args and args[-1][:1] == "-":
            args = args[:-1]  # the option whose value is completed; it would hide all arguments
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> int:
        """Runs the command with the values of its parameters."""
        return self.run(_options((one, ctx.params[one.name]) for one, _ in self._typed(ctx)))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The words after the command's name."""
        return ["[OPTIONS]", *(one.word for one, _ in self._typed(ctx) if one.row.is_argument)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes the help of the parameters in groups, those of each dialect under its own heading.

        An option for one side of `diff` is named with the one for both.
        """
        sections: dict[str, list[Any]] = {name: [] for name in ("Arguments", *GROUPS, "Options")}
        for one, typed in self._typed(ctx):
            record = one.help_record(typed, ctx)
            if record is not None:
                usual = "Arguments" if one.row.is_argument else "Options"
                sections.setdefault(one.heading or usual, []).append(record)
        more = (parameter.get_help_record(ctx) for parameter in super().get_params(ctx))
        sections["Options"] += filter(None, more)
        for heading, records in sections.items():
            if records:
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
            choice(row.flag.strip("[]"), word, row.choices)
        values[one.side][one.field] = several if row.many else value
    return Options(**both, sides=(a, b))


def _version(value: bool) -> None:
    if value:
        from ..values.version import VERSION

        typer.echo(f"bpp {VERSION}")
        raise typer.Exit


_app = typer.Typer(
    name="bpp",
    help="The Blueprint PreProcessor: renders blueprints and reports every mistake with its place.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EPILOG,
)


@_app.callback()
def _bpp(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            "-V",
            is_eager=True,
            callback=_version,
            help="Print the version; with -v also those of Python and of the specifications.",
        ),
    ] = False,
) -> None:
    """The Blueprint PreProcessor: renders blueprints and reports every mistake with its place."""


_INSPECTING: Final = ("stages", "functions", "parse", "explain", "integration")


def _runner(name: str) -> Callable[[Options], int]:
    """The function of a command: `run_NAME` of its module, which is imported when it is called."""

    def run(options: Options) -> int:
        module = "inspect_commands" if name in _INSPECTING else f"{name}_command"
        found = import_module(f"..{module}", __name__)
        return int(getattr(found, f"run_{name}")(options))

    return run


COMMANDS: Final = {
    name: Command(name, _runner(name))
    for name in (
        *("render", "check", "fmt", "diff", "lock", "build", "test", "cache", "stages"),
        *("functions", "parse", "eval", "console", "graph", "why", "explain", "schema", "lsp"),
        "integration",
    )
}


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

        from ..values.terminal import visible_lines

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
