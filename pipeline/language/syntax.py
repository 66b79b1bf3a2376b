"""What a dialect says of how its substitutions are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from ...functions.record import Record
from .errors import LanguageError
from .expression import Expression
from .substitution import Segment

if TYPE_CHECKING:
    import re

    from ..values.tree import Template
    from .language import Language


class Syntax(Record):
    """The concrete form of a dialect's substitutions.

    `grammar` is the text of the grammar; a different one makes different trees. `whole`
    matches a substitution from `opener` to `closer`, its one group being what stands between them;
    `text_literal` finds string literals in that, its group 1 being the content (no group: leave it
    alone); `hole` is the literal's text in a shape. `parse(text, offset, shape)` gives the tree or
    raises `LanguageError`; only in a shape does a literal's text become a `Hole`. `unquote` is the
    value of a literal's content; `show` prints a tree; `protected` is the text that stands for the
    opener itself. `unreadable(text, start)` explains why no substitution could be cut out at an
    opener.

    `known` gives the tree of an expression that need not be parsed, without places.

    The rest is for syntaxes in which strings hold more than substitutions: `cut` makes texts and
    substitutions of a string, `write` a string of texts and trees, `protect` writes a known text.
    """

    grammar: str
    opener: str
    closer: str
    whole: re.Pattern[str]
    text_literal: re.Pattern[str]
    hole: str
    brackets: tuple[str, str]
    parse: Callable[[str, int, bool], Expression]
    unquote: Callable[[str], str]
    show: Callable[[Expression], str]
    protected: str
    unreadable: Callable[[str, int], LanguageError]
    known: Callable[[str], Expression | None] | None = None
    cut: Callable[[Language, str], list[Segment]] | None = None
    write: Callable[[list[str | Expression]], str] | None = None
    protect: Callable[[str], str] | None = None


class Printer(Protocol):
    """How a dialect writes substitutions."""

    @property
    def opener(self) -> str:
        """What begins a substitution."""

    def template(self, node: Template) -> str:
        """The text of a string with substitutions that are left over."""

    def protect(self, text: str) -> str:
        """Known text that contains the opener, written so that reading it gives the text again."""
