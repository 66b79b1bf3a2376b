"""Semantic tokens: the parts of expressions, which highlighting by patterns cannot tell apart."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from lsprotocol import types

from ..answers.inspection import openers_of
from ..engine.run import Dialect
from ..values.tree import Scalar
from .completing import is_text
from .cursor import Openers
from .feature import Feature
from .trees import Trees, scalars, trees_of
from .workspace import Workspace

TYPES: Final = (
    "macro",
    "function",
    "variable",
    "property",
    "string",
    "number",
    "operator",
    "keyword",
    "comment",
)
"""The types of tokens, by their numbers; `macro` are the delimiters."""

_NUMBER: Final = {name: number for number, name in enumerate(TYPES)}
_MOST: Final = 50_000
_KEYWORDS: Final = frozenset(
    [
        *("true", "false", "null", "nil", "none", "and", "or", "not", "in", "if", "then", "else"),
        *("end", "range", "with", "define", "block", "template", "let", "lambda", "merge"),
        *("contains", "matches", "startsWith", "endsWith"),
    ]
)
_PART: Final = re.compile(
    r"""(?P<comment>/\*[\s\S]*?\*/)"""
    r"""|(?P<string>\\"(?:[^"\\]|\\\\\\"|\\[^"])*\\"|"(?:[^"\\\n]|\\.)*"?|''(?:[^'\n])*''"""
    r"""|'(?:[^'\\\n]|\\.)*'?|`[^`]*`?)"""
    r"""|(?P<number>\b\d[\d_]*(?:\.\d+)?\b)"""
    r"""|(?P<name>\$?[A-Za-z_][\w]*(?:-\w+)*|\$)"""
    r"""|(?P<operator>[-+*/%=!<>&|?:~^]+)|(?P<dot>\.)|(?P<call>\()|\s+|[^\s]"""
)
_INSIDE: Final = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`|[(\[{}\])]""")


class Region(NamedTuple):
    """An expression: it stands from `start` to `stop`, within delimiters from `begin` to `end`."""

    start: int
    begin: int
    end: int
    stop: int


Token: TypeAlias = tuple[int, int, int]
"""A part of an expression: where it starts and ends, and the number of its type."""


def regions_in(text: str, start: int, end: int, openers: Openers) -> Iterator[Region]:
    """The expressions in a range of a text; one that is not closed goes up to the end."""
    position = start
    while True:
        places = [(text.find(one, position, end), -len(one), one, last) for one, last in openers]
        found = min((one for one in places if one[0] >= 0), default=None)
        if found is None:
            return
        at, _, opener, closer = found
        begin = at + len(opener)
        depth = sum(map(opener.count, "({["))
        stop = end
        for one in _INSIDE.finditer(text, begin, end):
            mark = one[0]
            depth += 1 if mark in ("(", "[", "{") else -1 if mark in (")", "]", "}") else 0
            if depth <= 0:
                stop = one.end()
                break
        closed = depth <= 0
        yield Region(at, begin, max(stop - len(closer), begin) if closed else stop, stop)
        position = stop


def tokens_in(text: str, region: Region, functions: Collection[str]) -> Iterator[Token]:
    """The tokens of an expression, its delimiters included."""
    yield region.start, region.begin, _NUMBER["macro"]
    after_dot = False
    for one in _PART.finditer(text, region.begin, region.end):
        kind = one.lastgroup
        if kind == "name":
            word = one[0]
            called = text[one.end() : one.end() + 1] == "("
            if after_dot:
                kind = "function" if called else "property"
            elif word in _KEYWORDS:
                kind = "keyword"
            else:
                kind = "function" if called or word in functions else "variable"
        number = _NUMBER.get(kind or "")
        if number is not None:
            yield one.start(), one.end(), number
        after_dot = one.lastgroup == "dot"
    if region.stop > region.end:
        yield region.end, region.stop, _NUMBER["macro"]


def tokens_of(
    trees: Trees, dialect: Dialect, functions: Collection[str], start: int, end: int
) -> Iterator[Token]:
    """The tokens of a text in a range of it, in their order."""
    text = trees.read.text
    names = frozenset(functions)
    openers = openers_of(dialect)
    if is_text(dialect):
        for region in regions_in(trees.source.text, 0, len(trees.source.text), openers):
            if region.stop >= start and region.start <= end:
                yield from tokens_in(trees.source.text, region, names)
        return
    for node in trees.nodes:
        for _, scalar in scalars(node):
            if not isinstance(scalar, Scalar) or not isinstance(scalar.value, str):
                continue
            if not any(one in scalar.value for one, _ in openers):
                continue
            place = trees.place(scalar.start, scalar.end)
            if place is None or place[1] < start or place[0] > end:
                continue
            moved = place[0] - scalar.start
            for region in regions_in(text, scalar.start, scalar.end, openers):
                for low, high, number in tokens_in(text, region, names):
                    yield low + moved, high + moved, number


def semantic_tokens(
    workspace: Workspace, params: types.SemanticTokensParams | types.SemanticTokensRangeParams
) -> types.SemanticTokens | None:
    """The tokens of all expressions, or of those in a range."""
    uri = params.text_document.uri
    trees, analysis = trees_of(workspace, uri), workspace.latest(uri)
    if trees is None or analysis is None:
        return None
    start, end = 0, len(trees.source.text)
    if isinstance(params, types.SemanticTokensRangeParams):
        start, end = trees.at.offset(params.range.start), trees.at.offset(params.range.end)
    found = tokens_of(trees, analysis.dialect, analysis.context.functions, start, end)
    data: list[int] = []
    line = column = 0
    for token in islice(found, _MOST):
        for number, first, size in _by_line(trees, token):
            if (number, first) >= (line, column):
                ahead = first - column if number == line else first
                data += (number - line, ahead, size, token[2], 0)
                line, column = number, first
    return types.SemanticTokens(data)


def _by_line(trees: Trees, token: Token) -> Iterator[tuple[int, int, int]]:
    """The line, the column and the size of a token on each of its lines, as editors count them."""
    source = trees.source
    start, last, _ = token
    while start < last:
        stop = source.text.find("\n", start, last)
        stop = last if stop < 0 else stop
        part = source.text[start:stop].rstrip("\r")
        if part.isascii() and not part.isspace() and part:
            number, first = source.locate(start)
            if not source.text.isascii():
                first = trees.at.position(start).character + 1
            yield number - 1, first - 1, len(part)
        elif part.strip():
            begin, end = trees.at.position(start), trees.at.position(start + len(part))
            yield begin.line, begin.character, end.character - begin.character
        start = stop + 1


_OPTIONS: Final = types.SemanticTokensRegistrationOptions(
    legend=types.SemanticTokensLegend([*TYPES], []), full=True, range=True
)

FEATURES: Final = (
    Feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, semantic_tokens, _OPTIONS.legend),
    Feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, semantic_tokens, _OPTIONS.legend),
)
