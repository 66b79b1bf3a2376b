"""Strings of JSON with escapes, and strings that are not well formed."""

from __future__ import annotations

import re
from typing import Final

from ..diagnostics import Diagnostic, Stop
from ..source import Source, Span

_run: Final = re.compile(r'[^"\\\x00-\x1f]*+').match
_hexadecimal: Final = re.compile(r"[0-9a-fA-F]{4}").match
_ESCAPES: Final = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
}


def read_string(source: Source, start: int) -> tuple[str, int]:
    """A string that begins at `start`: its value, and the offset after its closing quote."""
    text = source.text
    parts: list[str] = []
    position = start + 1
    while True:
        run = _run(text, position)
        stop = run.end() if run else position
        parts.append(text[position:stop])
        character = text[stop : stop + 1]
        if character == '"':
            return "".join(parts), stop + 1
        if not character or character in "\r\n":
            raise invalid_json(source, start, stop, "this string has no closing quote", 'add `"`')
        if character != "\\":
            raise Stop(
                Diagnostic(
                    "invalid_character",
                    f"the control character U+{ord(character):04X} is not allowed in a string",
                    Span(source, stop, stop + 1),
                    hint="write it as an escape, such as `\\t`",
                )
            )
        decoded, position = _escape(source, stop)
        parts.append(decoded)


def _escape(source: Source, start: int) -> tuple[str, int]:
    text = source.text
    letter = text[start + 1 : start + 2]
    if letter in _ESCAPES:
        return _ESCAPES[letter], start + 2
    if letter != "u":
        raise invalid_json(
            source,
            start,
            min(start + 2, len(text)),
            "this escape is not known in JSON",
            "write `\\\\` for a backslash",
        )
    digits = _hexadecimal(text, start + 2)
    if digits is None:
        raise invalid_json(source, start, start + 2, "`\\u` takes four hexadecimal digits")
    code = int(digits[0], 16)
    end = start + 6
    if 0xD800 <= code <= 0xDBFF and text.startswith("\\u", end):
        low = _hexadecimal(text, end + 2)
        if low is not None and 0xDC00 <= int(low[0], 16) <= 0xDFFF:
            return chr(0x10000 + ((code - 0xD800) << 10) + int(low[0], 16) - 0xDC00), end + 6
    if 0xD800 <= code <= 0xDFFF:
        raise Stop(
            Diagnostic(
                "invalid_character",
                "this escape is half of a character",
                Span(source, start, end),
                hint="characters beyond U+FFFF take two escapes, the first `\\ud800` to `\\udbff`",
            )
        )
    return chr(code), end


def invalid_json(
    source: Source, start: int, end: int, summary: str, hint: str | None = None
) -> Stop:
    """A text that is no JSON; reading ends there."""
    return Stop(Diagnostic("invalid_json", summary, Span(source, start, end), hint=hint))
