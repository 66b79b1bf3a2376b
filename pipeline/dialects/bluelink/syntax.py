"""The `${..}` syntax as the language layer wants it."""

from __future__ import annotations

from ...language.delimiters import delimited
from ...language.printing import show
from .grammar import GRAMMAR, parse

# A quoted name in brackets is part of a reference and stays; so does a list of one string that
# looks the same.
_TEXT_LITERAL = r'\[\s*"[A-Za-z0-9_.-]+"\s*\]|"((?:[^"\\]++|\\"?+)*+)"'

SYNTAX = delimited("${", "}", parse=parse, show=show, grammar=GRAMMAR, text_literal=_TEXT_LITERAL)
