"""The one layout of YAML and JSON: tokens in, text out; only white space is chosen here.

A collection in brackets takes one line if it fits and no line break follows its opening bracket;
else each item has a line. Blank lines stay, one at a time. Comments at the end of lines that stood
in one column stand in one column again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

WIDTH: Final = 100
"""Characters of a line that brackets and expressions are broken for."""

STEP: Final = 2
"""Blanks of a level."""

Space: TypeAlias = Callable[[str, Callable[[], tuple[str, ...]], int | None], str]
"""Spaces the expressions of a string by its keys; gets where its lines begin if it has lines."""

DASH: Final = "-"
QUERY: Final = "?"
COLON: Final = ":"
COMMA: Final = ","
OPEN: Final = "["
CLOSE: Final = "]"
WORD: Final = "word"
ALIAS: Final = "alias"
PROPERTY: Final = "property"
MARKER: Final = "marker"
COMMENT: Final = "comment"
"""A comment that goes to the end of its line."""
REMARK: Final = "remark"
"""A comment that text may follow."""


class NotLaidOut(Exception):
    """A text that cannot be laid out without a change to what it says."""


_COMMENTS: Final = (COMMENT, REMARK)
_ENDS: Final = (WORD, CLOSE)


class Token:
    """What white space stands between: its kind and how it is written.

    `breaks` are the line breaks before it, and `column` is where it stood. `indent` is where it
    stands when it begins a line. A bracket that opens has the `base` that its end stands at. `rest`
    are the further lines of a token, `inner` where they begin, None for those that follow the
    brackets around them.
    """

    __slots__ = ("base", "breaks", "column", "indent", "inner", "kind", "rest", "text")

    def __init__(self, kind: str, text: str, breaks: int, column: int, indent: int = 0) -> None:
        self.kind = kind
        self.text = text
        self.breaks = breaks
        self.column = column
        self.indent = indent
        self.base = 0
        self.inner: int | None = None
        self.rest: Sequence[str] = ()


class _Page:
    """The lines that are finished, the one that is written, and the comments at ends of lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.line = ""
        self.trailing: list[tuple[int, int, int]] = []

    def start(self, blank: bool, indent: int) -> None:
        """Begins a line."""
        self.lines.append(self.line)
        if blank:
            self.lines.append("")
        self.line = " " * indent

    def remark(self, token: Token) -> None:
        """Makes room for a comment after what the line has."""
        if token.kind is COMMENT:
            self.trailing.append((len(self.lines), len(self.line), token.column))
        self.line += "  "

    def continue_with(self, lines: Sequence[str], indent: int) -> None:
        """Adds further lines of a token."""
        for line in lines:
            self.start(False, indent if line else 0)
            self.line += line

    def text(self) -> str:
        """All lines, with comments in columns."""
        self.lines.append(self.line)
        group: list[tuple[int, int, int]] = []
        for one in [*self.trailing, (-1, 0, 0)]:
            if group and (one[0] != group[-1][0] + 1 or one[2] != group[-1][2]):
                self._align(group)
                group = []
            group.append(one)
        return "\n".join(self.lines)

    def _align(self, group: list[tuple[int, int, int]]) -> None:
        column = max(length for _, length, _ in group)
        for number, length, _ in group:
            line = self.lines[number]
            self.lines[number] = line[:length] + " " * (column - length) + line[length:]


def lay_out(tokens: list[Token]) -> str:
    """The text of tokens in the one style, without a line break at its end."""
    page = _Page()
    openings = _openings(tokens)
    # brackets that are open: whether each item has a line, where items stand, and where the end
    open_ones: list[tuple[bool, int, int]] = []
    before: Token | None = None
    for number, token in enumerate(tokens):
        kind = token.kind
        if kind is COMMA and before is not None and before.kind in _ENDS:  # half of all, mostly
            page.line += ","
            before = token
            continue
        if before is None:
            page.line = " " * token.indent
        elif open_ones:
            goes_on = number + 1 < len(tokens) and not tokens[number + 1].breaks
            _go_on_in_brackets(page, before, token, goes_on, *open_ones[-1])
        elif kind in _COMMENTS and not token.breaks and before.kind not in _COMMENTS:
            page.remark(token)
        elif token.breaks or before.kind is COMMENT:
            if before.kind is DASH and kind in (DASH, WORD, ALIAS):
                page.line += " "  # what a dash alone on its line stands for
            else:
                page.start(token.breaks > 1, token.indent)
        elif kind in _COMMENTS:
            page.line += " "
        else:
            page.line += _between(before, token)
        page.line += token.text
        if token.rest:
            inner = token.inner
            page.continue_with(token.rest, open_ones[-1][1] + STEP if inner is None else inner)
        if kind is OPEN:
            base = open_ones[-1][1] if open_ones else token.base
            width, must = openings[number]
            broken = must or len(page.line) + width > WIDTH
            if open_ones and not open_ones[-1][0]:
                broken = False
            open_ones.append((broken, base + STEP, base))
        elif kind is CLOSE:
            open_ones.pop()
        before = token
    return page.text()


def _go_on_in_brackets(
    page: _Page,
    before: Token,
    token: Token,
    goes_on: bool,
    broken: bool,
    indent: int,
    base: int,
) -> None:
    """Writes the white space before a token, after which the line goes on or does not."""
    kind = token.kind
    if kind is REMARK and goes_on and before.kind in (OPEN, COMMA):
        page.start(token.breaks > 1 and before.kind is COMMA, indent)
    elif kind in _COMMENTS and not token.breaks and before.kind is not COMMENT:
        if before.kind is REMARK:
            page.line += " "
        else:
            page.remark(token)
    elif kind is CLOSE:
        if broken and before.kind is not OPEN:
            page.start(False, base)
        else:
            page.line += _between(before, token)
    elif kind in _COMMENTS or before.kind is COMMENT or (broken and before.kind in (OPEN, COMMA)):
        page.start(token.breaks > 1 and before.kind is not OPEN, indent)
    elif before.kind is REMARK and token.breaks:
        page.start(token.breaks > 1, indent)
    else:
        page.line += _between(before, token)


def _between(before: Token, token: Token) -> str:
    """The blanks between two tokens of a line."""
    kind = token.kind
    if kind is COLON:
        return " " if before.kind in (ALIAS, PROPERTY) else ""
    if before.kind is OPEN or (kind in (COMMA, CLOSE) and before.kind not in (COLON, PROPERTY)):
        return ""
    return " "


def _openings(tokens: list[Token]) -> dict[int, tuple[int, bool]]:
    """For each opening bracket: the width of what follows on one line, and if it must be broken.

    The comma after the closing bracket is a part of the width. A key is never broken.
    """
    found: dict[int, tuple[int, bool]] = {}
    open_ones: list[tuple[int, int]] = []
    must: set[int] = set()
    total = 0
    for number, (before, token) in enumerate(pairwise([None, *tokens])):
        assert token is not None
        if token.kind is COMMA:
            total += 1  # a blank more where it may not follow closely does not matter
            continue
        if open_ones and before is not None:
            total += len(_between(before, token)) + len(token.text)
            if (
                token.kind in _COMMENTS
                or token.rest
                or (before.kind is OPEN and token.breaks and token.kind is not CLOSE)
            ):
                must.add(open_ones[-1][0])
        if token.kind is OPEN:
            open_ones.append((number, total))
        elif token.kind is CLOSE:
            first, start = open_ones.pop()
            after = tokens[number + 1].kind if number + 1 < len(tokens) else ""
            if after is COLON:
                found[first] = 0, False
                continue
            found[first] = total - start + (after is COMMA), first in must
            if first in must and open_ones:
                must.add(open_ones[-1][0])
    return found


def unspaced(text: str) -> str:
    """A text without what the layout chooses: white space, quotes around strings and escapes."""
    return text.replace("\\n", "").replace("\\t", "").translate(_CHOSEN)


_CHOSEN: Final = dict.fromkeys(map(ord, " \t\r\n\"'\\"))
