"""The `${..}` syntax as the language layer wants it, with and without the `?` after a `}`."""

from __future__ import annotations

import re
from functools import partial
from typing import Final

from ...language.syntax import HOLE, Syntax
from .grammar import GRAMMAR, STRING
from .printing import protect, show, write
from .texts import BODY, cut, parse, unreadable

_PLAIN: Final = r"""[^"'\\$\n\r\u2028\u2029]*+"""
# A string in brackets may be a key, which is part of a reference and stays.
_TEXT_LITERAL: Final = (
    rf"\[\s*(?:{STRING})\s*\]"
    rf"""|(?:"(?={_PLAIN}")|'(?={_PLAIN}'))({_PLAIN})["']|{STRING}"""
)


def _as_it_is(content: str) -> str:
    return content


def _syntax(suffix: bool) -> Syntax:
    return Syntax(
        grammar=f"{GRAMMAR}suffix = {suffix}",
        opener="${",
        closer="}",
        whole=re.compile(rf"\$\{{({BODY.pattern})\}}"),
        text_literal=re.compile(_TEXT_LITERAL),
        hole=f'"{HOLE}"',
        brackets=("([?", ")]:"),
        parse=partial(parse, suffix=suffix),
        unquote=_as_it_is,
        show=partial(show, suffix=suffix),
        protected="$${",
        unreadable=unreadable,
        cut=partial(cut, suffix=suffix),
        write=partial(write, suffix=suffix),
        protect=protect,
    )


SYNTAX: Final = _syntax(True)
"""`${key}?` is nothing when the key is missing: configuration of `garden.io/v1`."""

SYNTAX_V2: Final = _syntax(False)
"""A `?` after a substitution is text: configuration of `garden.io/v2`."""
