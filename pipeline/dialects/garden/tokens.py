"""The tokens of expressions that several modules need: spaces, names, strings, conditions."""

from __future__ import annotations

from typing import Final

from ....functions.regexes import compile_regex

SPACE: Final = r"\t\v\f \u00a0\ufeff\u1680\u2000-\u200a\u202f\u205f\u3000"
"""The characters that count as space, for a character class; line breaks do not."""

SPACES: Final = "\t\v\f \u00a0\ufeff\u1680\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)

MARKS: Final = "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u064b-\u065f\u1dc0-\u1dff\u20d0-\u20dc"
PART: Final = rf"[\w$\-{MARKS}]"
"""A character inside a name; dashes are allowed."""

NAME: Final = (
    rf"(?!(?:true|false|null|typeof)(?!{PART}))(?:(?:[^\W\d]|\$){PART}*+|[0-9]++(?!{PART}))"
)

CONDITION: Final = compile_regex(r"""if(?=[\w$"'(\[!\s.])(?!\s*(?:!=|\.[^0-9]|[|&=<>?*/%]|\Z))""")
"""The beginning of `${if ..}`, between the braces; the space after the word is optional."""

_NAME: Final = compile_regex(NAME)
_MOST_DIGITS: Final = 15


def is_name(text: str) -> bool:
    """True for a string that can follow a dot."""
    return _NAME.fullmatch(text) is not None


def step_of(name: str) -> str | int:
    """The step of a path for a name after a dot; digits make a number."""
    digits = name.isascii() and name.isdigit() and len(name) <= _MOST_DIGITS
    return int(name) if digits else name


_BREAKS = r"\n\r\u2028\u2029"
STRING: Final = (
    rf'"(?>[^"\\{_BREAKS}]|\\(?:\r\n|[\s\S]))*+"' + rf"|'(?>[^'\\{_BREAKS}]|\\(?:\r\n|[\s\S]))*+'"
)
