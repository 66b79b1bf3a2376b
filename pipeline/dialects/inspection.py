"""What commands ask of a dialect about its results: paths, expressions, graphs, unknowns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ...functions.record import Record, field

if TYPE_CHECKING:
    from ..context import Context
    from ..document import Document
    from ..expressions import Evaluated
    from ..graphs.model import Graph
    from ..graphs.survey import Survey
    from ..provenance.levels import Level
    from ..run import Run
    from ..unknowns import UnknownPath
    from .dialect import Dialect


class Inspection(Record):
    """The answers of a dialect; a command whose answer is missing does not work in it.

    `level` gives the documents of a run as `why`, `diff` and the source map take them: paths lead
    into `Level.document`; without it they lead into the document of the run. `evaluate` evaluates a
    text in the scope of a document that is not read yet, and reports to the context what is wrong
    with that. `graph` draws a run, also one that failed, None when nothing could be read; `survey`
    renders as far as it can and draws, where rendering once is not enough. `unknowns` lists what is
    not known in a result. `views` are other texts that can be made of one, by the name that
    `--show` asks with; they take the run and a format.
    """

    level: Callable[[Run], Level] | None = None
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
