"""Texts that stand for an integer, a float or a boolean, as `value: "5"` does for an integer."""

from __future__ import annotations

import re
from typing import Final

from ..formats.scalars import OutOfRange, floating, integer

_INTEGER: Final = r"[-+]?[0-9]+"
_FLOAT: Final = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_BOOLEANS: Final = {"true": True, "false": False}


def read_literal(text: str, type_name: str) -> str | int | float | bool | None:
    """The value a text has when it is read as one of the scalar types; None when it has none.

    White space around numbers and booleans does not count, so that a block scalar can hold one.
    A string is the text itself. A float may be written like an integer; numbers keep to the range
    that numbers in a document have.
    """
    if type_name == "string":
        return text
    word = text.strip()
    try:
        match type_name:
            case "integer" if re.fullmatch(_INTEGER, word):
                return integer(word, 10)
            case "float" if re.fullmatch(_FLOAT, word):
                return floating(word)
            case "boolean":
                return _BOOLEANS.get(word)
    except OutOfRange:
        return None
    return None
