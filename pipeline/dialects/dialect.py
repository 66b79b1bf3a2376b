"""What a dialect is: a syntax, a set of functions and a written-out list of stages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...functions.record import Record
from ...functions.registry import Functions
from ..language.language import Syntax
from ..run import Pipeline
from ..settings import Settings

if TYPE_CHECKING:
    from ..context import Context
    from ..document import Document


class Dialect(Record):
    """A dialect of the framework.

    `name` is what asks for it, `title` says what it is. `syntax` has the delimiters, the parser and
    the printer (`delimited` makes one), `functions` makes the functions for given settings, and
    `pipeline` has the stages in their order. `check` makes the static checks of a document that is
    not read yet, and reports to the context; without one, the first stage is all that is checked.
    """

    name: str
    title: str
    syntax: Syntax
    functions: Callable[[Settings], Functions]
    pipeline: Pipeline
    check: Callable[[Document, Context], object] | None = None
