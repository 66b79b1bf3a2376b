"""The `${..}` syntax in the form that the language layer takes."""

from __future__ import annotations

from functools import cache

from ...language.patterns import Patterns
from ...language.printing import show
from ...language.syntax import Spacing, delimited
from ...values.expression import Expression
from .grammar import GRAMMAR, ROOTS, WORDS, parse

# A quoted name in brackets is part of a reference and stays; so does a list of one string that
# looks the same.
_TEXT_LITERAL = r'\[\s*"[A-Za-z0-9_.-]+"\s*\]|"((?:[^"\\]++|\\"?+)*+)"'


@cache
def patterns() -> Patterns:
    """The patterns of the grammar; a checkout has no table, so that each expression is parsed."""
    try:  # generated when a wheel is built
        from .pattern_table import TABLE  # type: ignore[import-not-found]
    except ModuleNotFoundError:
        return Patterns({}, frozenset())
    return Patterns(TABLE, frozenset((*ROOTS, *WORDS)))


def known(text: str) -> Expression | None:
    """The tree of a common expression, without positions; None for any other."""
    return patterns().find(text)


SYNTAX = delimited(
    *("${", "}"),
    parse=parse,
    show=show,
    grammar=GRAMMAR,
    text_literal=_TEXT_LITERAL,
    known=known,
    spacing=Spacing(dashes=True, words=False, breaks=True),
)
