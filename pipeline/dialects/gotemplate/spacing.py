"""The white space inside of actions; texts, comments and actions of several lines stay."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from ...values.settings import Limits
from .lexer import LEFT, RIGHT, Chunk, cut

_APART: Final = frozenset(("pipe", "declare", "assign"))


def spaced(text: str, limits: Limits) -> str:
    """A template with one blank where its actions have some; as it is, if they have a mistake."""
    chunks = list(cut(text, limits))
    if any(chunk.error is not None for chunk in chunks):
        return text
    made: list[str] = []
    position = 0
    for chunk in chunks:
        if chunk.tokens:
            made += [text[position : chunk.start], _action(text, chunk)]
            position = chunk.end
    result = "".join([*made, text[position:]])
    return result if _tokens(result, limits) == _tokens(text, limits) else text


def _tokens(text: str, limits: Limits) -> list[object]:
    """What a template is made of, without its white space."""
    return [
        text[chunk.start : chunk.end]
        if chunk.tokens is None
        else [(token.kind, token.text) for token in chunk.tokens]
        for chunk in cut(text, limits)
    ]


def _action(text: str, chunk: Chunk) -> str:
    """An action with its delimiters."""
    written = text[chunk.start : chunk.end]
    assert chunk.tokens is not None
    *tokens, close = chunk.tokens
    if "\n" in written or not tokens:
        return written
    opening = LEFT + "-" * (text[chunk.start + 2 : tokens[0].start].rstrip(" \t\r")[:1] == "-")
    ending = "-" * text[tokens[-1].end : close.start].endswith("-") + RIGHT
    pieces = [opening, " ", tokens[0].text]
    for before, token in pairwise(tokens):
        gap = " " if token.start > before.end else ""
        if token.kind in _APART or before.kind in _APART or before.text == ",":
            gap = " "
        if before.kind == "left" or token.kind == "right" or token.text == ",":
            gap = ""
        pieces += [gap, token.text]
    return "".join([*pieces, " ", ending])
