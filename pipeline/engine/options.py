"""The table of options: one row for each, and the record of their values.

`Options` is both. A field holds a value; its rows say how commands take it. From the rows come the
parser of the command line with its help and completion, the quick reader, the options of `diff` for
one side, the keys of `bpp.toml` and docs/options.md. To add an option, add a row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from ...functions.record import FieldSpec, Record, field

if TYPE_CHECKING:
    from ..language.meter import Meter
    from ..values.diagnostics import Diagnostics
    from ..values.settings import Settings
    from ..values.source import Source
    from ..world.files import Files

SIDES: Final = ("a", "b")
"""The sides of `diff`: an option for one of them ends with `-a` or `-b`."""

RENDERING: Final = ("render", "eval", "console", "graph", "why", "diff")
"""The commands that render, and so take the options of dialects."""

_RENDERING: Final = "render eval console graph why diff"
_LOCKING: Final = f"{_RENDERING} lock"
_CHECKING: Final = f"{_LOCKING} check"
_REPORTING: Final = f"{_CHECKING} build test fmt"
_FETCHING: Final = "render graph why"


class Option(Record):
    """An option of the command line.

    `flag` is as users write it (`--env`). `metavar` stands for its value in help; an option without
    one is a switch. `many` allows repeats. `choices` lists all valid values, if they are known.
    `commands` take the option; those that do not render take no option of a dialect.

    The other columns are for the shared options. `short` is a one-letter flag. `default` is a value
    that help shows. `number` marks an integer, `path` the path of a file or folder. With `sides`,
    `diff` also takes the option for one side. With `config`, a target of `bpp.toml` has a key of
    this name, with `checking` its table `[check]`. `values` names what completes a value: a row of
    the table in `cli/completion.py`, or names that the dialect inspects. An argument is a row whose
    `flag` has no dashes; brackets make it optional.
    """

    flag: str
    help: str
    metavar: str = ""
    many: bool = False
    choices: tuple[str, ...] = ()
    commands: tuple[str, ...] = RENDERING
    short: str = ""
    default: str | None = None
    number: bool = False
    path: bool = False
    sides: bool = False
    config: bool = False
    checking: bool = False
    values: str = ""

    def _complete(self, count: int, named: dict[str, Any]) -> None:
        """Without a `metavar`, the choices stand for the value."""
        super()._complete(count, named)
        self.__dict__["metavar"] = self.metavar or "|".join(self.choices)

    def pair(self, text: str) -> tuple[str, str]:
        """The two sides of a value such as NAME=VALUE.

        Raises:
            ValueError: it is not written so.
        """
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise ValueError(f"{self.flag} is written {self.metavar}")
        return name.strip(), value

    @property
    def is_argument(self) -> bool:
        """True for what stands on a command line without a flag."""
        return self.flag[:1] != "-"

    @property
    def is_switch(self) -> bool:
        """True for a flag that takes no value."""
        return not self.metavar and not self.is_argument


class _Rows(FieldSpec):
    """A field of `Options` with its rows."""

    __slots__ = ("rows",)

    def __init__(self, rows: tuple[tuple[str, ...], ...], default: Any) -> None:
        super().__init__(default, None, True, True)
        self.rows = rows


def _rows(*rows: tuple[str, ...], default: Any = None) -> Any:
    """A field, and the rows that set it: more than one where commands differ.

    A row has the option as a usage line writes it (`-o --output OUT`, with `...` if it may be
    repeated), the commands, the help, and words for the other columns; `default` is the first
    choice. A row becomes an `Option` when it is looked up: every run defines the table.
    """
    usage = rows[0][0]
    if default is None:
        if "..." in usage:
            default = ()
        elif " " not in usage and usage[:2] == "--":
            default = False
        elif len(rows[0]) > 3 and "default" in rows[0][3].split():
            default = _option(*rows[0]).default
    return _Rows(rows, default)


def _option(usage: str, commands: str, help: str, columns: str = "") -> Option:  # noqa: A002
    flag, _, metavar = usage.partition(" ")
    short = ""
    if metavar.startswith("--"):
        short = flag
        flag, _, metavar = metavar.partition(" ")
    many = "..." in usage
    if flag[:1] == "-":
        metavar = metavar.removesuffix("...")
    choices = tuple(metavar.split("|")) if "|" in metavar else ()
    words = columns.split()
    known = ("number", "path", "sides", "config", "checking")
    marks = {name: name in words for name in known}
    return Option(
        flag,
        help,
        metavar,
        many,
        choices,
        commands=tuple(commands.split()),
        short=short,
        default=choices[0] if "default" in words else None,
        values=next((word[3:] for word in words if word[:3] == "of:"), ""),
        **marks,
    )


def _row(usage: str, commands: str, help: str, columns: str = "", default: Any = None) -> Any:  # noqa: A002
    """A field that one row sets."""
    return _rows((usage, commands, help, columns), default=default)


class Options(Record):
    """The values of a command line, as strings where a command reads them itself.

    `own` has the values of a dialect's options by flag, a switch as ``""``. `sides` has what `diff`
    was given for one side alone: changes to the fields of this record. `reported` is what the
    command has reported so far, all of which a `diagnostics_file` gets; `reads` are the lists of
    files that it has read, none of which it may replace.
    """

    file: str = _rows(
        (
            "FILE",
            "render graph why lock",
            "The blueprint; `-` reads standard input.",
            "of:blueprints",
        ),
        ("FILE", "console", "The blueprint whose scope expressions have.", "of:blueprints"),
        ("A", "diff", "A blueprint; `-` reads standard input.", "of:blueprints"),
        ("[WHAT]", "schema", "What the schema describes; default: list all.", "of:schemas"),
        (
            "-f --file FILE",
            "eval",
            "The blueprint whose scope the expression has.",
            "path of:blueprints",
        ),
        default="",
    )
    other: str = _rows(
        ("[B]", "diff", "The blueprint to compare with; default: A.", "of:blueprints"),
        ("[FILE]", "schema", "The blueprint that declares the `variables`.", "of:blueprints"),
        default="",
    )
    path: str = _row("PATH", "why", "A path of the output: `resources.api.spec.name`.", "of:paths")
    expression: str = _rows(
        ("EXPR", "parse", "An expression, with or without delimiters."),
        (
            "EXPR",
            "eval",
            "An expression, with or without delimiters; `-` reads one from each line of standard "
            "input.",
        ),
    )
    files: tuple[str, ...] = _rows(
        (
            "[FILE...]",
            "check",
            "Blueprints, folders and patterns; `-` reads standard input; default: `files` of "
            "`[check]`, or this folder.",
            "of:blueprints",
        ),
        (
            "FILE...",
            "fmt",
            "Documents, folders and patterns; `-` reads standard input and writes standard output.",
            "of:blueprints",
        ),
    )
    suites: tuple[str, ...] = _row(
        "[FILE...]",
        "test",
        "Files of tests, and folders and patterns for such; default: this folder.",
        "of:blueprints",
    )
    targets: tuple[str, ...] = _row(
        "[TARGET...]",
        "build",
        "Targets by name: `api` or `api[env=prod]`; default: all.",
        "of:targets",
    )
    name: str | None = _rows(
        ("[NAME]", "functions", "The function to describe; default: list all.", "of:functions"),
        (
            "[CODE]",
            "explain",
            "The code of a diagnostic, the name of a limit, or `limits`; default: list all codes.",
            "of:codes",
        ),
        ("TOOL bazel|cmake", "integration", "The build tool."),
        ("[ACTION] show|clear", "cache", "Show what the cache holds, or remove it."),
    )
    dialect: str | None = _rows(
        (
            "--dialect NAME",
            f"{_RENDERING} check fmt",
            "The dialect; detected from the text by default.",
            "config checking of:dialects",
        ),
        (
            "--dialect NAME",
            "stages functions parse schema",
            "The dialect, if not the default one.",
            "of:dialects",
        ),
    )
    output: str | None = _rows(
        (
            "-o --output OUT",
            "render graph",
            "The file to write; replaced atomically, and missing folders are made.",
            "path config",
        ),
        ("-o --output LOCK", "lock", "The lock file; default: bpp.lock beside FILE.", "path"),
    )
    format: str | None = _rows(
        ("--format yaml|json", "render", "The output format.", "config"),
        (
            "--format mermaid|dot|json|svg",
            "graph",
            "The source of a diagram, data, or a picture, which needs Graphviz.",
        ),
        (
            "--format text|json",
            "why diff functions explain cache",
            "The format of the answer.",
            "default",
        ),
    )
    split: str | None = _row(
        "--split DIR", "render", "Write one file per child into this folder.", "path of:folders"
    )
    only: tuple[str, ...] = _row(
        "--only links|references|dependsOn|exports...",
        "graph",
        "Draw only these edges and what they connect; may be repeated.",
    )
    nodes: tuple[str, ...] = _row(
        "--show values|variables...",
        "graph",
        "Draw these as nodes, instead of edges that skip them; may be repeated.",
    )
    fold: bool = _row("--fold", "graph", "Draw all instances of a resource template as one.")
    var: tuple[str, ...] = _row(
        "--var NAME=VALUE...",
        _CHECKING,
        "A variable, read by its declared type; may be repeated, overrides --vars.",
        "sides of:variables",
    )
    vars: tuple[str, ...] = _row(
        "--vars FILE...",
        _CHECKING,
        "Variables from a YAML, JSON, TOML or .env file; may be repeated, later ones win.",
        "path sides config checking of:data",
    )
    strict_vars: bool = _row(
        "--strict-vars", "render", "Reject values for undeclared variables.", "config"
    )
    state: str | None = _row(
        "--state FILE",
        _CHECKING,
        "Values that are known only after deployment.",
        "path sides config checking of:data",
    )
    datasources: str | None = _row(
        "--datasources FILE",
        _LOCKING,
        "Records that answer data sources, by type.",
        "path sides config of:data",
    )
    strict: bool = _row("--strict", "render", "Fail if anything is still unknown.", "config")
    explain_unknowns: bool = _row(
        "--explain-unknowns",
        "render",
        "Print what is still unknown, why, how to supply it and where it is used.",
    )
    show: str | None = _row(
        "--show VIEW",
        "render",
        "Write another view of the result, such as the variables of a project.",
        "of:views",
    )
    secrets: str = _row(
        "--secrets keep|mask|reveal",
        "render eval why",
        "Keep secrets as references, print them as (secret), or write them out.",
        "default config",
    )
    stop_after: str | None = _row(
        "--stop-after STAGE", "render", "Write the result of this stage.", "of:stages"
    )
    dump_stages: str | None = _row(
        "--dump-stages DIR",
        "render",
        "Write the result of each stage that ran, even if the render fails.",
        "path of:folders",
    )
    depfile: str | None = _row(
        "--depfile FILE", "render", "Write a make rule that lists all files read.", "path config"
    )
    source_map: str | None = _row(
        "--source-map FILE",
        "render",
        "Write where each part of the output comes from, as JSON.",
        "path config",
    )
    now: str | None = _row(
        "--now TIME", _RENDERING, "The time: seconds since 1970, or RFC 3339.", "config"
    )
    seed: int | None = _row("--seed N", _RENDERING, "Make uuid() reproducible.", "number config")
    allow_net: tuple[str, ...] = _row(
        "--allow-net HOST...",
        _LOCKING,
        "Allow HTTP requests to this host; may be repeated.",
        "config",
    )
    allow_path: tuple[str, ...] = _row(
        "--allow-path DIR...",
        _CHECKING,
        "Allow reading from this folder; may be repeated.",
        "path config checking of:folders",
    )
    lock: str | None = _row(
        "--lock LOCK",
        _FETCHING,
        "The lock file that fetched files must match; default: bpp.lock beside FILE.",
        "path config",
    )
    offline: bool = _row(
        "--offline", _FETCHING, "Take locked files from the cache and make no requests.", "config"
    )
    keep_transform: tuple[str, ...] = _row(
        "--keep-transform NAME...",
        _CHECKING,
        "Leave this transform and its resources in place, or all with `*`; may be repeated.",
        "config checking",
    )
    substr_end_exclusive: bool = _row(
        "--substr-end-exclusive",
        _LOCKING,
        "Read the end index of substr as the reference engine does, not the specification.",
        "config",
    )
    exclude: tuple[str, ...] = _row(
        "--exclude PATTERN...",
        "check fmt",
        "Skip files and folders of this name or path in searches; may be repeated.",
        "checking",
    )
    select: tuple[str, ...] = _row(
        "--select CODE...",
        "check",
        "Report only these warnings and notes, and all errors; may be repeated.",
        "checking of:codes",
    )
    ignore: tuple[str, ...] = _row(
        "--ignore CODE...",
        "check",
        "Do not report these warnings and notes; may be repeated.",
        "checking of:codes",
    )
    warn_as_error: tuple[str, ...] = _row(
        "--warn-as-error CODE...",
        "check",
        "Report these warnings and notes as errors, `all` for all of them; may be repeated.",
        "checking of:codes",
    )
    jobs: str | None = _row(
        "-j --jobs N", "build", "The number of parallel renders; default: one per processor."
    )
    matching: str | None = _row(
        "-k --matching TEXT", "test", "Run only the tests whose name has this text in it."
    )
    update: bool = _row("--update", "test", "Write the snapshots that are missing or differ.")
    junit: str | None = _row(
        "--junit FILE", "test", "Also write the results as JUnit's XML to this file.", "path"
    )
    watch: bool = _rows(
        ("--watch", "build", "Keep running, and rebuild when files change."),
        ("--watch", "test", "Keep running, and test again when files change."),
    )
    listing: bool = _row("--list", "build", "Print the targets with their outputs, and stop.")
    dry_run: bool = _row(
        "--dry-run", "build", "Print which targets would be rendered and why, and stop."
    )
    verbose: bool = _rows(
        ("-v --verbose", "build", "Print what was done for each target and why."),
        ("-v --verbose", "test", "Print the name of each test and how long it took."),
        default=False,
    )
    keep_going: bool = _row(
        "--keep-going", "build", "Render the other targets when one fails, as by default."
    )
    fail_fast: bool = _rows(
        ("--fail-fast", "build", "Stop when a target fails."),
        ("--fail-fast", "test", "Stop when a test fails."),
    )
    no_history: bool = _row(
        "--no-history", "console", "Neither read nor keep what was typed in earlier sessions."
    )
    add: bool = _row("--add", "lock", "Keep entries for files that were not fetched now.")
    check: bool = _rows(
        ("--check", "build", "Write nothing; fail if an output is out of date."),
        ("--check", "lock", "Write nothing; fail if the lock file is out of date."),
        ("--check", "fmt", "Write nothing; fail if a file would change, and name each one."),
    )
    diff: bool = _row("--diff", "fmt", "Write nothing; print what would change.")
    config: str | None = _row(
        "--config FILE",
        "build check",
        "The configuration; default: the nearest one, here or above.",
        "path of:configurations",
    )
    no_cache: bool = _row(
        "--no-cache", "build", "Render everything; neither read nor write the build cache."
    )
    limit: tuple[str, ...] = _row(
        "--limit NAME=VALUE...",
        _REPORTING,
        "Raise or lower a limit; may be repeated. `bpp explain limits` lists them.",
        "of:limits",
    )
    diagnostics: str = _row(
        "--diagnostics text|json|sarif|github", _REPORTING, "The format of diagnostics.", "default"
    )
    diagnostics_file: tuple[str, ...] = _row(
        "--diagnostics-file [FORMAT:]FILE...",
        _REPORTING,
        "Also write the diagnostics to this file: .json, .sarif or .txt, or any name after its "
        "format, as in sarif:FILE; may be repeated.",
        "path",
    )
    color: str = _row(
        "--color auto|always|never", f"{_REPORTING} parse", "When to use color.", "default"
    )
    timings: bool = _row("--timings", "render", "Print how long each stage and writing took.")
    reported: list[Diagnostics] = field(factory=list, eq=False, repr=False)
    reads: list[list[str]] = field(factory=list, eq=False, repr=False)
    own: Mapping[str, tuple[str, ...]] = field(factory=dict)
    sides: tuple[Mapping[str, Any], Mapping[str, Any]] = field(default=({}, {}))


GROUPS: Final = {
    "Inputs": (
        "file",
        "dialect",
        "var",
        "vars",
        "strict_vars",
        "state",
        "datasources",
        "config",
        "exclude",
    ),
    "Output": (
        *("output", "format", "split", "show", "only", "nodes", "fold", "secrets", "strict"),
        *("stop_after", "dump_stages", "depfile", "source_map", "check", "diff", "add", "listing"),
        "dry_run",
    ),
    "Evaluation": ("now", "seed", "keep_transform", "substr_end_exclusive", "limit"),
    "Access": ("allow_net", "allow_path", "lock", "offline"),
    "Reports": (
        "diagnostics",
        "diagnostics_file",
        "color",
        "explain_unknowns",
        "timings",
        "verbose",
    ),
}
"""The headings of help, each with the fields of its options; all others are under `Options`."""


def rows_by_field(
    names: Iterable[str] = Options.__match_args__,
) -> Iterator[tuple[str, tuple[Option, ...]]]:
    """The fields with their rows, all of them in the order of help."""
    for name in names:
        spec = Options.__dict__[name]
        if isinstance(spec, _Rows):
            yield name, tuple(_option(*row) for row in spec.rows)


def rows_of(command: str) -> Iterator[tuple[str, Option]]:
    """The options and arguments of a command, each with its field."""
    for name, rows in rows_by_field():
        for row in rows:
            if command in row.commands:
                yield name, row


def find_option(command: str, flag: str) -> tuple[str, Option] | None:
    """The option of a command that has a flag, and its field."""
    for name in Options.__match_args__:
        spec = Options.__dict__[name]
        if isinstance(spec, _Rows):
            for row in spec.rows:
                if flag in row[0].split(" ") and command in row[1].split(" "):
                    return name, _option(*row)
    return None


def config_rows(mark: str = "config") -> dict[str, Option]:
    """The options that a target of `bpp.toml`, or its table `[check]`, may set, by field."""
    return {
        name: _option(*row)
        for name in Options.__match_args__
        if isinstance(spec := Options.__dict__[name], _Rows)
        for row in spec.rows
        if mark in row[-1].split(" ")
    }


class CommandInputs(Record, eq=False):
    """The inputs of one render, as strings: from a command, or from a target of a build.

    `own` has the values of the dialect's own options by flag; a switch has the value ``""``.
    `var`, `vars` and `state` are the shared options, `values` the typed variables of a target by
    name. `environment` has the environment variables that may be passed on. Problems in files are
    added to `diagnostics`, and `meter` counts what is read.
    """

    own: Mapping[str, tuple[str, ...]]
    var: tuple[str, ...]
    vars: tuple[str, ...]
    state: str | None
    environment: Mapping[str, str] = field(repr=False)
    settings: Settings
    files: Files
    diagnostics: Diagnostics
    meter: Meter
    values: Mapping[str, Any] = field(factory=dict, repr=False)

    def source(self, name: str) -> Source:
        """A file of YAML.

        Raises:
            FileProblem: it cannot be read.
        """
        from ..values.source import Source
        from ..world.files import decode_text

        text = decode_text(self.files.open_input(name), name)
        return Source(name, text, "yaml")

    def data(self) -> dict[str, Any]:
        """The data of `--vars`, files of YAML as Go reads it, of `--var`, and of `values`.

        Raises:
            FileProblem: a file that cannot be read.
            ValueError: a variable that is not written NAME=VALUE.
        """
        from ..formats.go_yaml import plain, read_go

        made: dict[str, Any] = {}
        for name in self.vars:
            source = self.source(name)
            root = read_go(source, self.meter, self.diagnostics)
            found = plain(root) if root is not None else {}
            if isinstance(found, dict):
                made |= found
            else:
                summary = f"`{name}` must be a map"
                self.diagnostics.error("invalid_variables_file", source.span(0, 1), summary)
        for pair in self.var:
            key, sign, value = pair.partition("=")
            if not sign:
                raise ValueError("--var is written NAME=VALUE")
            made[key] = value
        return made | dict(self.values)

    def given(self, options: Mapping[str, Option]) -> dict[str, Any]:
        """What is given of the dialect's own options, by their names in the mapping."""
        found: dict[str, Any] = {}
        for name, option in options.items():
            values = self.own.get(option.flag)
            if values:
                found[name] = True if option.is_switch else values if option.many else values[-1]
        return found


class CommandLine(Record):
    """A dialect's part of the command line.

    `options` are its own, `refuses` the flags of shared options that do not apply to it, and
    `instead` says of some of these what to write. `inputs` makes the argument `options` of
    `render`, which the stages of the dialect read; it raises `FileProblem` for a file that cannot
    be read and `ValueError` for an invalid value. Without it, a render takes variables, state and
    records as `render` does. `explains` has the switches of `render` that print more of a run, each
    with the function that makes the text, which is safe to print. `beside` has the options of
    `render` that name one more file to write, each with the function that makes its text of a run.
    `alone` is the option with which a dialect that reads the files beside a document leaves them
    alone.
    """

    options: tuple[Option, ...] = ()
    refuses: Collection[str] = ()
    instead: Mapping[str, str] = field(factory=dict)
    inputs: Callable[[CommandInputs], Any] | None = None
    explains: Mapping[str, Callable[[Any], str]] = field(factory=dict)
    beside: Mapping[str, Callable[[Any], str]] = field(factory=dict)
    alone: str = ""
