"""Messages for expressions that do not parse: where the parser stopped, and what is meant there."""

from __future__ import annotations

import re
from typing import Final

from ...language.errors import CLOSED_QUOTE, LanguageError

_TOKEN: Final = re.compile(r'"(?:\\"|[^"])*+"|[()\[\]{}"]')
_PAIRS: Final = {")": "(", "]": "[", "}": "{"}
_AT: Final = (
    (r"(?<=[^\s])[-+*/%<>=]|[-+*/%<>=]++(?=\S)", "operators need a space on both sides"),
    (r"&&|\band\b", "write `-and`"),
    (r"\|\||\bor\b", "write `||` for a default, `-or` for a condition"),
    (r"\.\s", "a path holds no spaces"),
    (r"[^\x00-\x7f]", "names have ASCII letters, digits, `_` and `-` only"),
    (r",\s*[)\]}]", "no comma may stand at the end"),
)
_WORD: Final = re.compile(r"(?<![\w.\"-])(?:true|false|nil|auto|merge)(?=[\w-])")


def explain(text: str, position: int, offset: int) -> LanguageError:
    """The error in a text that the parser stopped in at `position`; `offset` is added to places."""
    found = _brackets(text) or _at(text, position)
    summary, start, end, hint = found
    return LanguageError("template_syntax", summary, start + offset, end + offset, hint)


def _brackets(text: str) -> tuple[str, int, int, str | None] | None:
    opened: list[tuple[str, int]] = []
    for match in _TOKEN.finditer(text):
        token = match.group()
        start, end = match.span()
        if token == '"':
            return "a string is not closed", start, end, CLOSED_QUOTE
        if token in "([{":
            opened.append((token, start))
        elif token in _PAIRS:
            if not opened or opened[-1][0] != _PAIRS[token]:
                return f"`{token}` is not expected here", start, end, None
            opened.pop()
    if opened:
        token, start = opened[-1]
        return f"`{token}` is not closed", start, start + 1, None
    return None


def _at(text: str, position: int) -> tuple[str, int, int, str | None]:
    size = len(text.rstrip())
    if not size:
        return "the expression is empty", 0, max(len(text), 1), "write `(( ~ ))` for null"
    word = _WORD.search(text)
    if word is not None and word.start() <= position:
        hint = f'the engine takes the word out of longer names; write `.["{word.group()}.."]`'
        return f"no name may begin with `{word.group()}`", word.start(), word.end(), hint
    while position < size - 1 and text[position].isspace():
        position += 1
    start = min(position, size - 1)
    advice = next((hint for look, hint in _AT if re.compile(look).match(text, start)), None)
    return "the expression cannot be parsed from here", start, size, advice
