"""The `${..}` syntax as the language layer wants it."""

from __future__ import annotations

import re

from ...language.errors import LanguageError
from ...language.language import Syntax
from .grammar import GRAMMAR, HOLE, parse, unquote
from .printer import show

OPENER, CLOSER = "${", "}"

_STRING = r'"(?>\\"|[^"])*+"'
_BODY = re.compile(rf'(?:[^"}}$]|{_STRING}|\$(?!\{{))*+')
# A quoted name in brackets is part of a reference and stays; so does a list of one string that
# looks the same.
_TEXT_LITERAL = re.compile(r'\[\s*"[A-Za-z0-9_.-]+"\s*\]|"((?>\\"|[^"])*+)"')


def unreadable(text: str, start: int) -> LanguageError:
    """Why no substitution ends where one begins at `start`."""
    match = _BODY.match(text, start + len(OPENER))
    stop = match.end() if match else start + len(OPENER)
    if text.startswith(OPENER, stop):
        return LanguageError(
            "invalid_substitution",
            "a substitution cannot stand inside another",
            stop,
            stop + len(OPENER),
            "inside `${..}` references and calls are written without `${`",
        )
    if text.startswith('"', stop):
        return LanguageError(
            "unclosed_substitution",
            "a string in the substitution is not closed",
            stop,
            stop + 1,
            'a `"` in a string is written `\\"`',
        )
    return LanguageError(
        "unclosed_substitution",
        "the substitution is not closed",
        start,
        start + len(OPENER),
        'add a `}`, or write `${"${"}` for the text `${`',
    )


SYNTAX = Syntax(
    grammar=GRAMMAR,
    opener=OPENER,
    closer=CLOSER,
    body=_BODY,
    text_literal=_TEXT_LITERAL,
    hole=f'"{HOLE}"',
    brackets=("([", ")]"),
    parse=parse,
    unquote=unquote,
    show=show,
    protected='${"${"}',
    unreadable=unreadable,
)
