"""Which dialect a text is written in, when nobody says it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from ..source import Source
from .dialect import Dialect
from .table import DEFAULT, find_dialect

# How most blueprints begin, and nothing else: this is asked of every text that is rendered.
_BLUEPRINT: Final = re.compile(
    r"""(?:[\ufeff\s]+|\#[^\n]*|//[^\n]*|---)*+\{?\s*+["']?version["']?\s*+:"""
)
# What other texts must have before anything of another dialect is imported to look closer.
_MARKS: Final = ("kind", "apiVersion")


def recognised(source: Source, others: Iterable[Dialect] = ()) -> Dialect:
    """The dialect of a text: the first of `others` that recognises it, a built-in one, the usual.

    Installed dialects are not asked: whoever wants one names it.
    """
    for dialect in others:
        if dialect.recognises is not None and dialect.recognises(source):
            return dialect
    text = source.text
    if not _BLUEPRINT.match(text) and any(mark in text for mark in _MARKS):
        from .garden.recognition import dialect_of

        return find_dialect(dialect_of(source) or DEFAULT)
    return find_dialect(DEFAULT)


def spoken_in(source: Source, dialect: str | Dialect | None) -> Dialect:
    """The dialect that is asked for, else the one that the text is recognised as.

    Raises:
        ValueError: for a name that no dialect has.
    """
    return recognised(source) if dialect is None else find_dialect(dialect)
