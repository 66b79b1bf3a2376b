"""Recognises the files of other tools by their looks, from the table beside this module.

Only a text that has mistakes is asked for, so the table is read when there is something to tell.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Any, Final

from ...functions.record import Record
from ...functions.signatures import read_table
from ..values.source import Source
from .detection import top_level_fields

_MOST_KEYS: Final = 200
_MOST_CHARS: Final = 100_000
"""What is looked at of a text: a file says at its beginning what it is."""


class ForeignFile(Record):
    """What a file is, in words that follow "is"; what it is not, and what to do, where known."""

    name: str
    instead: str | None = None
    hint: str | None = None


def foreign_file(source: Source) -> ForeignFile | None:
    """What a text is that belongs to another tool; None for any other one."""
    text = source.text[:_MOST_CHARS]
    fields: dict[str, str] = {}
    for key, scalar in islice(top_level_fields(text), _MOST_KEYS):
        fields.setdefault(key, scalar)
    for row in read_table(__package__, "foreign_files.toml")["file"]:
        if _fits(row, fields, text):
            return ForeignFile(row["name"], row.get("instead"), row.get("hint"))
    return None


def _fits(row: dict[str, Any], fields: dict[str, str], text: str) -> bool:
    return all(
        key in fields and re.fullmatch(pattern, fields[key]) is not None
        for key, pattern in row.get("keys", {}).items()
    ) and ("text" not in row or re.search(row["text"], text) is not None)
