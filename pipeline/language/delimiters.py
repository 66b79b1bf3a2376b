"""Syntaxes with delimiters of their own, in which strings are written as `"..."`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from .errors import LanguageError
from .expression import Expression
from .syntax import Syntax

HOLE: Final = "\0"
"""What stands between the quotes of a string in a shape; no document holds this character."""

# runs are taken at once: each round of a repetition costs the matcher 170 bytes of memory
_CONTENT: Final = r'(?:[^"\\]++|\\"?+)*+'
_STRING: Final = f'"{_CONTENT}"'
_TEXT_LITERAL: Final = f'"({_CONTENT})"'


def delimited(
    opener: str,
    closer: str,
    *,
    parse: Callable[[str, int, bool], Expression],
    show: Callable[[Expression], str],
    grammar: str = "",
    brackets: tuple[str, str] = ("([", ")]"),
    text_literal: str = _TEXT_LITERAL,
    known: Callable[[str], Expression | None] | None = None,
) -> Syntax:
    r"""A syntax for expressions between two delimiters, for example `<%` and `%>`.

    Strings are written `"..."` and `\"` is the only escape; outside of one, an expression holds
    neither of the delimiters. `parse(text, offset, shape)` reads the text between the delimiters:
    `offset` is added to all positions, and with `shape` a string that holds just `HOLE` becomes a
    `Hole`, numbered from 0 in their order. It raises `LanguageError`. `show` writes a tree so that
    `parse` reads the same one. `grammar` names the form of the trees for caches; `brackets` are the
    characters whose depth is limited; `text_literal` finds the strings that may become holes, its
    group 1 being the content. `known` gives trees, without places, of what need not be parsed (see
    `language/patterns.py`). The opener as text is written as a string in a substitution.
    """
    protected = f'{opener}"{opener}"{closer}'
    first = re.escape("".join(dict.fromkeys(opener[0] + closer[0])))
    ends = f"(?!{re.escape(closer)})(?!{re.escape(opener)})"
    body = rf'(?:[^"{first}]++|{_STRING}|{ends}[{first}])*+'

    def unreadable(text: str, start: int) -> LanguageError:
        match = re.compile(body).match(text, start + len(opener))
        stop = match.end() if match else start + len(opener)
        if text.startswith(opener, stop):
            return LanguageError(
                "invalid_substitution",
                "a substitution cannot stand inside another",
                stop,
                stop + len(opener),
                f"inside `{opener}..{closer}` references and calls are written without `{opener}`",
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
            start + len(opener),
            f"add a `{closer}`, or write `{protected}` for the text `{opener}`",
        )

    return Syntax(
        grammar=grammar,
        opener=opener,
        closer=closer,
        whole=re.compile(f"{re.escape(opener)}({body}){re.escape(closer)}"),
        text_literal=re.compile(text_literal),
        hole=f'"{HOLE}"',
        brackets=brackets,
        parse=parse,
        unquote=unquote,
        show=show,
        protected=protected,
        unreadable=unreadable,
        known=known,
    )


def unquote(content: str) -> str:
    r"""The text of a string literal: `\"` is the only escape."""
    return content.replace('\\"', '"')
