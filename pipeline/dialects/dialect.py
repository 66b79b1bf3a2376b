"""What a dialect is: a syntax, a set of functions and a written-out list of stages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...functions.record import Record
from ...functions.registry import Functions
from ..language.semantics import USUAL, Semantics
from ..language.syntax import Syntax
from ..run import Pipeline
from ..settings import Settings
from .command_line import CommandLine

if TYPE_CHECKING:
    from ..context import Context
    from ..document import Document
    from ..source import Source
    from .inspection import Inspection


class Dialect(Record):
    """A dialect of the framework.

    `name` is what asks for it, `title` says what it is. `syntax` has the delimiters, the parser and
    the printer (`delimited` makes one), `functions` makes the functions for given settings, and
    `pipeline` has the stages in their order. `check` makes the static checks of a document that is
    not read yet, and reports to the context; without one, the first stage is all that is checked.
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
    semantics: Semantics = USUAL
    recognises: Callable[[Source], bool] | None = None
    command_line: CommandLine = CommandLine()
    inspection: Callable[[], Inspection] | None = None
