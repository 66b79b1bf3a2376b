"""Names as the grammar has them."""

from __future__ import annotations

import re
from typing import Final

SPACE: Final = r"\t\v\f \u00a0\ufeff\u1680\u2000-\u200a\u202f\u205f\u3000"
"""The characters that are space, for a class of a pattern; line breaks are none."""

SPACES: Final = "\t\v\f \u00a0\ufeff\u1680\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)

MARKS: Final = "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u064b-\u065f\u1dc0-\u1dff\u20d0-\u20dc"
PART: Final = rf"[\w$\-{MARKS}]"
"""A character inside of a name; dashes are among them."""

NAME: Final = (
    rf"(?!(?:true|false|null|typeof)(?!{PART}))(?:(?:[^\W\d]|\$){PART}*+|[0-9]++(?!{PART}))"
)

CONDITION: Final = re.compile(r"""if(?=[\w$"'(\[!\s.])(?!\s*(?:!=|\.[^0-9]|[|&=<>?*/%]|\Z))""")
"""The beginning of `${if ..}`, between the braces; no space has to follow the word."""

_NAME: Final = re.compile(NAME)
_MOST_DIGITS: Final = 15


def is_name(text: str) -> bool:
    """True for what can stand after a dot."""
    return _NAME.fullmatch(text) is not None


def step_of(name: str) -> str | int:
    """A name after a dot; digits are a number."""
    digits = name.isascii() and name.isdigit() and len(name) <= _MOST_DIGITS
    return int(name) if digits else name
