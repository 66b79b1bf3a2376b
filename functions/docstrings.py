"""What a docstring says of a function: its first sentence, and a line for each parameter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from .record import Record

_FIELD: Final = re.compile(r":param (?:[\w\[\], ]+ )?\*?(\w+):\s*(.*)")
_ARGUMENT: Final = re.compile(r"(\s+)\*?(\w+)(?:\s*\([^)]*\))?:\s*(.*)")
_SECTIONS: Final = frozenset({"Args:", "Arguments:", "Parameters:"})


class Documents(Record):
    """The summary and the words for each parameter by name; texts are empty where there is none."""

    summary: str
    parameters: Mapping[str, str]


def read_docstring(text: str) -> Documents:
    """What a docstring holds, in the manner of Google (`Args:`) or of Sphinx (`:param x:`)."""
    paragraph, _, _ = text.strip().partition("\n\n")
    summary = _sentence(paragraph)
    found: dict[str, str] = {}
    name, depth, inside = "", 0, False
    for line in text.splitlines():
        field = _FIELD.fullmatch(line.strip())
        indented = len(line) - len(line.lstrip())
        if field:
            name, depth, inside = field[1], indented, False
            found[name] = field[2]
        elif line.strip() in _SECTIONS:
            name, depth, inside = "", 0, True
        elif line.strip() and indented <= depth and not (inside and indented):
            name, inside = "", False
        elif inside and (match := _ARGUMENT.fullmatch(line)) and (not name or indented <= depth):
            name, depth = match[2], indented
            found[name] = match[3]
        elif name and line.strip():
            found[name] = f"{found[name]} {line.strip()}"
    return Documents(summary, {name: _sentence(words) for name, words in found.items()})


def _sentence(text: str) -> str:
    """A text on one line without its full stop."""
    return " ".join(text.split()).removesuffix(".")
