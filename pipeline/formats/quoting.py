"""How a string is written in YAML so that readers of YAML 1.1 and 1.2 read the same string.

Decided by tables and ranges of our own: what Python counts as printable changes with its version,
and the same document must give the same bytes under each.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

# control and format characters, separators, surrogates and what is no character: escaped always
HIDDEN: Final = (
    "\x00-\x1f\x7f-\xa0\xad\u061c\u180e\u200b-\u200f\u2028-\u202f\u205f-\u206f"
    r"\ud800-\udfff"
    "\ufeff\ufff0-\ufffb\ufffe\uffff"
)
# plain: no indicator first; then no `: `, no ` #`, no blank or colon at the end
_plain_ascii: Final = re.compile(
    r"[$()+./0-9;<A-Z\\^_a-z~]"
    r"(?:[!\"$-9;-~]++|\ ++(?=[!\"$-~])|:(?=[!-~])|(?<=[!-~])\#)*+"
).fullmatch
_number_like: Final = re.compile(
    r"[-+]?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9_]*)(?:[eE][-+]?[0-9_]*)?"
    r"|[-+]?0[box][0-9a-fA-F_]*"
    r"|[-+]?[0-9][0-9_]*(?::[0-9_]+)+(?:\.[0-9_]*)?"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].*)?"
    r"|[-+]?\.(?:[iI][nN][fF]|[nN][aA][nN])"
    r"|\.\.\..*"
).fullmatch
_WORDS: Final = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", "<<"))
_LONGEST_WORD: Final = 5
_NUMERIC: Final = "0123456789+."

_ESCAPES: Final = {
    "\0": "\\0",
    "\a": "\\a",
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\v": "\\v",
    "\f": "\\f",
    "\r": "\\r",
    "\x1b": "\\e",
    '"': '\\"',
    "\\": "\\\\",
}


def quote(text: str) -> str:
    """A string on one line: plain where that is safe in block context, quoted otherwise."""
    # most are words with dashes, for which, once compiled, a pattern would take six times as long
    word = text.replace("-", "").replace("_", "").replace("/", "").replace(".", "")
    if (
        (word.isalnum() and text.isascii() and text[0] != "-")
        or _plain_ascii(text)
        or (not text.isascii() and _plain().fullmatch(text))
    ):
        # what a reader of YAML 1.1 or 1.2 may take for something else is quoted all the same
        if text[0] in _NUMERIC:
            if not _number_like(text):
                return text
        elif len(text) > _LONGEST_WORD or text.lower() not in _WORDS:
            return text
    if ('"' in text or "\\" in text) and "'" not in text and not hidden().search(text):
        return f"'{text}'"
    return f'"{_escaped().sub(_escape, text)}"'


def literal(text: str) -> tuple[str, list[str]] | None:
    """The header and the lines of a literal block scalar, or None when a block is not safe.

    Safe means that no reader can lose anything: no line ends in a blank, none starts with a tab,
    the first is not empty or indented, and all characters are visible.
    """
    if "\n" not in text or _unfit_for_literal().search(text):
        return None
    body = text.rstrip("\n")
    breaks = len(text) - len(body)
    header = "|-" if breaks == 0 else "|" if breaks == 1 else "|+"
    return header, body.split("\n") + [""] * (breaks - 1)


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    known = _ESCAPES.get(character)
    if known is not None:
        return known
    code = ord(character)
    return f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}"


@cache
def hidden() -> re.Pattern[str]:
    return re.compile(f"[{HIDDEN}]")


@cache
def _escaped() -> re.Pattern[str]:
    return re.compile(f'["\\\\{HIDDEN}]')


@cache
def _plain() -> re.Pattern[str]:
    return re.compile(
        f"[^\\s{HIDDEN}\\-?:,\\[\\]{{}}#&*!|>'\"%@`=]"
        f"(?:[^\\s:#{HIDDEN}]++|\\ ++(?=[^\\s#])|:(?=\\S)|(?<=\\S)\\#)*+"
    )


@cache
def _unfit_for_literal() -> re.Pattern[str]:
    return re.compile(
        "\\A[ \n]|[ \t](?:\n|\\Z)|\n\t|\\A\t|"
        + f"[{HIDDEN}]".replace("\x00-\x1f", "\x00-\x08\x0b-\x1f")
    )
