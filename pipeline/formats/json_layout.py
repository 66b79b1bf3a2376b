"""JSON in the one layout, with its comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import dumps, loads
from typing import Final

from ..language.meter import Meter
from .layout import (
    CLOSE,
    COLON,
    COMMA,
    COMMENT,
    OPEN,
    REMARK,
    WORD,
    NotLaidOut,
    Space,
    Token,
    lay_out,
)

_TOKEN: Final = re.compile(
    r"[ \t\r\n]*+(?:(?P<comment>//[^\r\n]*)|(?P<remark>/\*(?s:.*?)\*/)|(?P<open>[\[{])"
    r'|(?P<close>[\]}])|(?P<colon>:)|(?P<comma>,)|(?P<word>"(?:[^"\\]|\\.)*+"|[^\s"\[\]{},:/]++))'
)
_SPACE: Final = re.compile(r'("(?:[^"\\]|\\.)*+"|//[^\n]*|/\*(?s:.*?)\*/)|\s++')
_KINDS: Final = {
    "comment": COMMENT,
    "remark": REMARK,
    "open": OPEN,
    "close": CLOSE,
    "colon": COLON,
    "comma": COMMA,
    "word": WORD,
}
_TIGHT: Final = re.compile(r"\A//(?=\w)")
_TOKENS_A_LOOK: Final = 256
_STEPS_A_LOOK: Final = 32


def laid_out(text: str, space: Space | None, meter: Meter) -> str:
    """A text that was read as JSON, with `\n` for line breaks, in the one layout.

    Raises:
        NotLaidOut: it cannot be laid out without a change to what it says.
        FunctionError: a limit is reached.
    """
    tokens = list(_tokens(text, meter))
    if space is not None:
        for token in tokens:
            if token.kind is WORD and token.text[0] == '"':
                token.text = _spaced(token.text, space)
    made = lay_out(tokens) + "\n"
    written = "".join(
        "\n".join((one.text, *one.rest)) + ("\n" if one.kind is COMMENT else "") for one in tokens
    )
    if _SPACE.sub(r"\1", written) != _SPACE.sub(r"\1", made):
        raise NotLaidOut
    return made


def _tokens(text: str, meter: Meter) -> Iterator[Token]:
    position = line = count = 0
    while match := _TOKEN.match(text, position):
        count += 1
        if not count % _TOKENS_A_LOOK:
            meter.work(_STEPS_A_LOOK)
        assert match.lastgroup is not None
        start, end = match.span(match.lastgroup)
        breaks = 0
        if start > position:
            breaks = text.count("\n", position, start)
            line = text.rfind("\n", position, start) + 1 if breaks else line
        token = Token(_KINDS[match.lastgroup], match[match.lastgroup], breaks, start - line)
        if token.kind is COMMENT:
            token.text = _TIGHT.sub("// ", token.text.rstrip(), count=1)
        elif token.kind is REMARK and "\n" in token.text:
            token.text, *token.rest = (one.rstrip() for one in token.text.split("\n"))
            token.inner = 0
            line = text.rfind("\n", start, end) + 1
        position = end
        yield token
    if text[position:].strip():
        raise NotLaidOut


def _spaced(written: str, space: Space) -> str:
    """A string whose expressions are spaced, if it can be written in the same way."""
    value = loads(written, strict=False)
    made = space(value, tuple, None)
    return (
        dumps(made, ensure_ascii=False) if dumps(value, ensure_ascii=False) == written else written
    )
