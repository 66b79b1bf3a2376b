"""What a dialect has of its own on the command line, and what commands ask about its results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from ...functions.record import Record, field
from ..values.settings import Settings
from .options import Option

if TYPE_CHECKING:
    from ..answers.explanation import ResultTree, UnknownPath
    from ..answers.graph.model import Graph
    from ..dialects.bluelink.answers.graph.survey import Survey
    from ..values.diagnostics import Diagnostics
    from ..values.document import Document
    from ..world.files import Files
    from .context import Context, Dialect
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
