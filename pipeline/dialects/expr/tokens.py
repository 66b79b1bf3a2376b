"""The tokens of expressions: numbers, strings, names and symbols."""

from __future__ import annotations

import re
from typing import Final

from ....functions.expr.kinds import wrapped
from ....functions.regexes import compile_regex
from ...language.errors import LanguageError
from ...language.syntax import HOLE

WORDS: Final = frozenset(
    ("not", "in", "or", "and", "matches", "contains", "startsWith", "endsWith", "let", "if", "else")
)
"""The operators that are words, which are no names."""

DOUBLE: Final = r'"(?:[^"\\\n]|\\.)*+"'
SINGLE: Final = r"'(?:[^'\\\n]|\\.)*+'"
RAW: Final = r"`(?:[^`]|``)*+`"
COMMENT: Final = r"//[^\n]*+|/\*[\s\S]*?\*/"
_EXPONENT: Final = r"(?:[eE][+-]?[0-9_]*+)?"
_NUMBER: Final = (
    r"0[xX][0-9a-fA-F_]*+|0[bB][01_]*+|0[oO][0-7_]*+"
    rf"|[0-9][0-9_]*+(?:\.(?!\.)[0-9_]*+)?{_EXPONENT}|\.[0-9][0-9_]*+{_EXPONENT}"
)
_SYMBOL: Final = r"\?\.|\?\?|\|\||&&|==|!=|<=|>=|\*\*|\.\.|::|[-+*/%^|!<>=?:,;.#()\[\]{}]"
_SCANNER: Final = compile_regex(
    rf"(?:\s++|{COMMENT})*+(?:(?P<bytes>[bB](?:{DOUBLE}|{SINGLE}))|(?P<name>(?:[^\W\d]|\$)[\w$]*+)"
    rf"|(?P<number>{_NUMBER}|{HOLE}[if])|(?P<string>{DOUBLE}|{SINGLE}|{RAW})"
    rf"|(?P<symbol>{_SYMBOL})|(?P<end>\Z)|(?P<bad>[\s\S]))"
)
_ESCAPE: Final = (
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|U([0-9a-fA-F]{8})"
    r"|([0-3][0-7]{2})|([\s\S]))"
)
_ESCAPED: Final = dict(zip("abfnrtv\\", "\a\b\f\n\r\t\v\\", strict=True))
_INSTEAD: Final = {
    "&": "`and` and `&&` are the same operator",
    "'": "close it with `'`; it cannot have line breaks",
    '"': 'close it with `"`; it cannot have line breaks',
    "`": "close it with a backtick",
    "/": "close the comment with `*/`",
}
_HIGHEST: Final = 0x10FFFF


class Token:
    """One token: `text` is as written; the kind of a symbol or a word is `symbol`."""

    __slots__ = ("end", "kind", "start", "text")

    def __init__(self, kind: str, text: str, start: int, end: int) -> None:
        self.kind = kind
        self.text = text
        self.start = start
        self.end = end


def tokens(text: str) -> list[Token]:
    """The tokens of a text; the last one is the end. What cannot be read is of the kind `bad`."""
    found = []
    position = 0
    scan = _SCANNER.match
    while True:
        match = scan(text, position)
        assert match is not None
        kind = match.lastgroup
        assert kind is not None
        start, end = match.span(kind)
        piece = match[kind]
        if kind == "name" and piece in WORDS:
            kind = "symbol"
        elif kind == "symbol" and piece == "/" and text.startswith("*", end):
            kind = "bad"
        found.append(Token(kind, piece, start, end))
        if kind == "end" or kind == "bad":
            return found
        position = end


def bad_token(token: Token, offset: int) -> LanguageError:
    """The error for a character that begins no token."""
    start, character = token.start + offset, token.text
    hint = _INSTEAD.get(character)
    summary = f"`{character}` has no meaning here"
    code = "invalid_substitution"
    if character in "'\"`":
        summary, code = "the string is not closed", "unclosed_substitution"
    elif character == "/":
        summary, code = "the comment is not closed", "unclosed_substitution"
    elif not character.isprintable():
        summary = "this character has no meaning here"
    return LanguageError(code, summary, start, start + 1, hint)


def number_of(token: Token, offset: int) -> int | float:
    """The value of a number.

    Raises:
        LanguageError: for one that has no digits or is too large.
    """
    text = token.text.replace("_", "")
    low = text.lower()
    value: int | float | None
    try:
        if low[:2] in ("0x", "0b", "0o"):
            value = int(low, 0)
        else:
            value = float(text) if "." in text or "e" in low else int(text)
    except ValueError:  # also for thousands of digits
        value = None if len(text) < 400 else 1 << 64
    place = token.start + offset, token.end + offset
    if value is None:
        raise LanguageError("invalid_substitution", "the number has no digits", *place)
    if value == float("inf") or (isinstance(value, int) and wrapped(value) != value):
        hint = "ints have 64 bits; write a fraction for a float, as in `1e20`"
        raise LanguageError("number_out_of_range", "the number is too large", *place, hint)
    return value


def string_of(token: Token, offset: int) -> str | bytes:
    """The value of a string, or of bytes.

    Raises:
        LanguageError: for an escape that does not exist.
    """
    text, start = token.text, token.start
    if text[0] == "`":
        return text[1:-1].replace("``", "`")
    of_bytes = token.kind == "bytes"
    if of_bytes:
        text, start = text[1:], start + 1
    content, quote = text[1:-1], text[0]

    def meaning(match: re.Match[str]) -> str:
        byte, four, six, eight, octal, other = match.groups()
        code = byte or four or six or eight
        if of_bytes and (four or six or eight):
            code = None
        elif code is not None or octal is not None:
            number = int(code, 16) if code else int(octal, 8)
            if number <= _HIGHEST and not 0xD800 <= number < 0xE000:
                return chr(number)
        elif other == quote or other in _ESCAPED:
            return _ESCAPED.get(other, quote)
        at = start + 1 + match.start() + offset
        raise LanguageError(
            "invalid_substitution",
            "there is no such escape",
            at,
            at + len(match[0]),
            "a backslash is written `\\\\`; in backticks nothing is escaped",
        )

    if of_bytes:
        found, position = bytearray(), 0
        for match in re.finditer(_ESCAPE, content):
            found += content[position : match.start()].encode()
            found.append(ord(meaning(match)))
            position = match.end()
        return bytes(found + content[position:].encode())
    return re.sub(_ESCAPE, meaning, content) if "\\" in content else content
