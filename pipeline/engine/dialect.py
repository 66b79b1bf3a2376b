"""What a dialect is: a syntax, a set of functions and a written-out list of stages."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ...functions.record import Record, field
from ...functions.registry import Functions
from ..language.syntax import USUAL, Semantics, Syntax
from ..values.settings import Settings
from .options import Option
from .run import Pipeline

if TYPE_CHECKING:
    from ..answers.explanation import ResultTree, UnknownPath
    from ..answers.graph.model import Graph
    from ..dialects.bluelink.answers.graph.survey import Survey
    from ..values.diagnostics import Diagnostic, Diagnostics, Quoting
    from ..values.document import Document
    from ..values.source import Source
    from ..world.files import Files
    from .context import Context
    from .run import Run
    from .string_evaluation import Evaluated


# ----------------------------------------------------------------------
# A dialect's part of the command line: its options, and the inputs that commands give it.


class CommandInputs(Record, eq=False):
    """The inputs of one render, as strings: from a command, or from a target of a build.

    `own` has the values of the dialect's own options by flag; a switch has the value ``""``.
    `var`, `vars` and `state` are the shared options, `values` the typed variables of a target by
    name. `environment` has the environment variables that may be passed on. Problems in files are
    added to `diagnostics`.
    """

    own: Mapping[str, tuple[str, ...]]
    var: tuple[str, ...]
    vars: tuple[str, ...]
    state: str | None
    environment: Mapping[str, str] = field(repr=False)
    settings: Settings
    files: Files
    diagnostics: Diagnostics
    values: Mapping[str, Any] = field(factory=dict, repr=False)


class CommandLine(Record):
    """A dialect's part of the command line.

    `options` are its own, `refuses` the flags of shared options that do not apply to it. `inputs`
    makes the argument `options` of `render`, which the stages of the dialect read; it raises
    `FileProblem` for a file that cannot be read and `ValueError` for an invalid value. Without it,
    a render takes variables, state and records as `render` does.
    """

    options: tuple[Option, ...] = ()
    refuses: Collection[str] = ()
    inputs: Callable[[CommandInputs], Any] | None = None


class Dialect(Record):
    """A dialect of the framework.

    `name` is what asks for it, `title` says what it is. `syntax` has the delimiters, the parser and
    the printer (`delimited` makes one), `functions` makes the functions for given settings, and
    `pipeline` has the stages in their order. `check` makes the static checks of a document that is
    not read yet, and reports to the context; without one, the first stage is all that is checked.
    `check_rest` looks for further mistakes where a render ended at the named stage with some,
    `withhold` adds to the context's `quoting` what is secret in a document where a render was told
    to end at the named stage, and `redact` masks secrets in a document that is written as text.
    `unresolved` has an error for each place of an output that is not known (`--strict`); without
    it, one for each template that is left.
    `semantics` has the special forms and operators. `recognises` tells by a text whether it is
    written in the dialect; without it, and for installed dialects, users name it. `command_line`
    says what commands take for it, `inspection` gives what they ask about results; dialects whose
    documents are blueprints need none.
    """

    name: str
    title: str
    syntax: Syntax
    functions: Callable[[Settings], Functions]
    pipeline: Pipeline
    check: Callable[[Document, Context], object] | None = None
    check_rest: Callable[[Document, Context, str], object] | None = None
    withhold: Callable[[Document, Context, str], object] | None = None
    redact: Callable[[Document, Quoting], Document] | None = None
    unresolved: Callable[[Document, Context], Iterable[Diagnostic]] | None = None
    semantics: Semantics = USUAL
    recognises: Callable[[Source], bool] | None = None
    command_line: CommandLine = CommandLine()
    inspection: Callable[[], Inspection] | None = None


# ----------------------------------------------------------------------
# What commands ask of a dialect about its results: paths, expressions, graphs, unknowns.


class Inspection(Record):
    """The answers of a dialect; a command whose answer is missing does not work in it.

    `level` gives the tree of a run as `why`, `diff` and the source map take it: paths lead into
    `ResultTree.document`; without it they lead into the document of the run. `evaluate` evaluates a
    text in the scope of a document that is not read yet, and reports to the context what is wrong
    with that. `graph` draws a run, also one that failed, None when nothing could be read; `survey`
    renders as far as it can and draws, where rendering once is not enough. `unknowns` lists what is
    not known in a result. `views` are other texts that can be made of one, by the name that
    `--show` asks with; they take the run and a format.
    """

    level: Callable[[Run], ResultTree] | None = None
    evaluate: Callable[[str, Document, Context], Evaluated] | None = None
    graph: Callable[[Run], Graph | None] | None = None
    survey: Callable[..., Survey] | None = None
    unknowns: Callable[[Run], tuple[UnknownPath, ...]] | None = None
    views: Mapping[str, Callable[[Run, str], str]] = field(factory=dict)


def inspection_of(dialect: Dialect | None) -> Inspection:
    """What a dialect answers; nothing for one that has no answers."""
    if dialect is None or dialect.inspection is None:
        return Inspection()
    return dialect.inspection()


def unanswered(what: str, dialect: Dialect | None) -> str:
    """The sentence about a command that does not work in a dialect."""
    return f"{what} does not work in the dialect `{dialect.name if dialect else ''}`"
