"""YAML in the one layout: the parser's events say what each token is, the text how it is written.

Only white space and the quotes of single-quoted strings change, and what `space` makes of strings.
The events of the result are compared with those of the text, so that no reader can tell them apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from ..language.meter import Meter
from . import yaml_events as kinds
from .layout import (
    ALIAS,
    CLOSE,
    COLON,
    COMMA,
    COMMENT,
    DASH,
    MARKER,
    OPEN,
    PROPERTY,
    QUERY,
    STEP,
    WORD,
    NotLaidOut,
    Space,
    Token,
    lay_out,
    unspaced,
)
from .yaml_events import YAMLError
from .yaml_reader import for_parser

_GAP: Final = re.compile(
    r"[ \t\n]*+(?:(?P<comment>\#[^\n]*)|(?P<marker>(?:(?<=\n)|\A)(?:---|\.\.\.)(?=\s|\Z))"
    r"|(?P<dash>-(?=\s|\Z))|(?P<query>\?)|(?P<colon>:)|(?P<comma>,)"
    r"|(?P<property>!<[^>\s]*>|[&!][^\s,\[\]{}]*)|(?P<open>[\[{])|(?P<close>[\]}]))"
)
_BLANK: Final = re.compile(r"[ \t\n]*+")
_KINDS: Final = {
    "comment": COMMENT,
    "marker": MARKER,
    "dash": DASH,
    "query": QUERY,
    "colon": COLON,
    "comma": COMMA,
    "property": PROPERTY,
    "open": OPEN,
    "close": CLOSE,
}
_HEADER: Final = re.compile(r"[|>][+-]?([1-9]?)[+-]?[^\n]*")
_DOUBLE_ESCAPES: Final = (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t"))
_NEEDS_DOUBLE: Final = r"""'|\\[^"]|[^ -~]"""
"""In a string in double quotes: what single quotes cannot say, or only with escapes."""

_TIGHT: Final = re.compile(r"\A#(?=\w)")
_EVENTS_A_LOOK: Final = 256
_STEPS_A_LOOK: Final = 32


class _Frame:
    """A collection that is being read: where its entries stood and where they will.

    `due` says that a key of a map is next, `asked` that a `?` announced it; `name` is the last key.
    """

    __slots__ = ("asked", "due", "flow", "indent", "name", "old")

    def __init__(self, due: bool | None, flow: bool, indent: int) -> None:
        self.due = due
        self.flow = flow
        self.indent = indent
        self.old: int | None = None
        self.asked = False
        self.name = ""

    @property
    def inside(self) -> int:
        """Where the node stands that is next, if it begins a line."""
        return self.indent if self.due and not self.asked else self.indent + STEP


class _Reader:
    """Makes the tokens of a text, and a digest of what its events are to say then."""

    def __init__(self, text: str, space: Space | None) -> None:
        self.text = text
        self.tokens: list[Token] = []
        self.digest = 0
        self._space = space
        self._position = 0
        self._line = 0
        self._frames: list[_Frame] = []
        self._comments: list[Token] = []
        # the block collections that ended since the last token, and that of the last one
        self._closed: list[_Frame] = []
        self._last: _Frame | None = None

    def read(self, next_event: Callable[[], Any], meter: Meter) -> None:
        """Reads all events.

        Raises:
            NotLaidOut: for what stands between tokens and is none.
            YAMLError: for text that is not YAML.
            FunctionError: the time is up.
        """
        for event in _events(next_event, meter):
            kind = type(event)
            if kind is kinds.ScalarEvent:
                self._scalar(event)
            elif kind is kinds.MappingStartEvent or kind is kinds.SequenceStartEvent:
                self._begin(event, kind is kinds.MappingStartEvent)
            elif kind is kinds.MappingEndEvent or kind is kinds.SequenceEndEvent:
                self._end(event)
            elif kind is kinds.AliasEvent:
                self._up_to(event.start_mark.index)
                self._add(ALIAS, event.start_mark.index, event.end_mark.index)
                self._finish(self.text[event.start_mark.index : event.end_mark.index])
            elif kind is kinds.DocumentStartEvent:
                self._up_to(event.end_mark.index)
            self.digest = hash((self.digest, _said(event)))
        self._up_to(len(self.text))
        self._settle(-1, 0)

    def _scalar(self, event: Any) -> None:
        start, end = event.start_mark.index, min(event.end_mark.index, len(self.text))
        if event.anchor is not None or event.ctag is not None:
            start = self._properties(event, end)
        elif start > self._position:
            self._up_to(start)
        name = event.value
        if start < end:
            if event.style in ("|", ">"):
                self._block(event, start, end)
            else:
                self._word(event, start, end)
        self._finish(name)

    def _word(self, event: Any, start: int, end: int) -> None:
        token = self._add(WORD, start, end)
        if "\n" in token.text:
            lines = token.text.split("\n")
            flow = bool(self._frames) and self._frames[-1].flow
            self._line = self.text.rfind("\n", start, end) + 1
            stripped = [line.strip(" \t") for line in lines[1:]]
            if event.style == '"':
                stripped = [line.lstrip(" \t") for line in lines[1:]]
            else:
                lines[0] = lines[0].rstrip(" \t")
            token.text, token.rest = lines[0], stripped
            token.inner = None if flow else self._inside + (0 if self._frames else STEP)
            return
        value = event.value
        text = token.text
        if text[0] == "'" and not ('"' in text or "\\" in text or not text.isprintable()):
            token.text = f'"{value}"'
        if self._space is not None:
            spaced = self._space(value, self._path, None)
            if spaced != value:
                written = _rewritten(token.text, value, spaced, event.style)
                if written is not None:
                    token.text, event.value = written, spaced
        text = token.text
        if text[0] == '"' and '\\"' in text and not re.search(_NEEDS_DOUBLE, text[1:-1]):
            token.text = f"'{event.value}'"

    def _block(self, event: Any, start: int, end: int) -> None:
        text, value = self.text, event.value
        header = _HEADER.match(text, start)
        assert header is not None
        keeps = "+" in header[0].partition("#")[0]
        lines = text[header.end() + 1 : end].split("\n")
        if not lines[-1] or (end < len(text) and not lines[-1].strip(" ")):
            lines.pop()
        frame = self._frames[-1] if self._frames else None
        if header[1] and frame is not None:
            old, indent = (frame.old or 0) + int(header[1]), frame.indent + int(header[1])
        else:
            first = next((line for line in lines if line.strip(" ")), None)
            old = max(map(len, lines), default=0)
            if first is not None:
                old = len(first) - len(first.lstrip(" "))
            indent = old if frame is None else self._inside
        while lines and len(lines[-1]) <= old and not (lines[-1].strip(" ") or keeps):
            lines.pop()
        inner = [line[old:] for line in lines]
        token = self._add(WORD, start, end)
        self._position = min(header.end() + 1 + sum(map(len, lines)) + len(lines) - 1, end)
        if not lines:
            self._position = header.end()
        token.text, token.rest, token.inner = header[0].rstrip(" \t"), inner, indent
        if self._space is None or (event.style == ">" and len(inner) != 1):
            return
        content = value.rstrip("\n")
        if "\n".join(inner).rstrip("\n") != content:
            return
        column = indent if event.style == "|" else None
        spaced = self._space(value, self._path, column)
        if spaced != value:
            event.value = spaced
            tail = inner[content.count("\n") + 1 :]
            token.rest = [*spaced.rstrip("\n").split("\n"), *tail]

    def _begin(self, event: Any, is_map: bool) -> None:
        start = self._properties(event, len(self.text))
        flow = bool(event.flow_style)
        if flow and self.text[start : start + 1] in ("[", "{"):
            token = self._add(OPEN, start, start + 1)
            above = self._frames[-1] if self._frames else None
            in_value = above is not None and above.due is False
            token.base = self._inside - (STEP if in_value else 0)
        self._frames.append(_Frame(True if is_map else None, flow, self._inside))

    def _end(self, event: Any) -> None:
        frame = self._frames[-1]
        start = event.start_mark.index
        if frame.flow:
            self._up_to(start)
            if self.text[start : start + 1] in ("]", "}") and event.end_mark.index > start:
                self._add(CLOSE, start, start + 1)
        else:
            self._closed.append(frame)
        self._frames.pop()
        self._finish("")

    def _finish(self, name: str) -> None:
        """A node is complete."""
        if self._frames:
            frame = self._frames[-1]
            if frame.due:
                frame.due, frame.name = False, name
            elif frame.due is False:
                frame.due, frame.asked = True, False

    @property
    def _inside(self) -> int:
        return self._frames[-1].inside if self._frames else 0

    def _path(self) -> tuple[str, ...]:
        return tuple(frame.name for frame in self._frames if frame.due is not None)

    def _properties(self, event: Any, end: int) -> int:
        """Reads the tag and the anchor of a node, if it has some; where it goes on."""
        start: int = event.start_mark.index
        self._up_to(start)
        if event.anchor is None and event.ctag is None:
            return start
        while self.text[start : start + 1] in ("&", "!"):
            match = self._next()
            if match is None:
                raise NotLaidOut
            self._gap(match)
            while (match := self._next()) and match.lastgroup == "comment":
                self._gap(match)
            start = _BLANK.match(self.text, self._position).end()  # type: ignore[union-attr]
        return min(start, end)

    def _next(self) -> re.Match[str] | None:
        return _GAP.match(self.text, self._position)

    def _up_to(self, stop: int) -> None:
        """Makes tokens of what stands before an offset."""
        while self._position < stop:
            match = _GAP.match(self.text, self._position, stop)
            if match is None:
                if self.text[self._position : stop].strip(" \t\n"):
                    raise NotLaidOut
                return
            self._gap(match)

    def _gap(self, match: re.Match[str]) -> None:
        name = match.lastgroup
        assert name is not None
        self._add(_KINDS[name], match.start(name), match.end())
        if name == "query" and self._frames:
            self._frames[-1].asked = True

    def _add(self, kind: str, start: int, end: int) -> Token:
        text = self.text
        breaks = 0
        if start > self._position:
            breaks = text.count("\n", self._position, start)
            if breaks:
                self._line = text.rfind("\n", self._position, start) + 1
        token = Token(kind, text[start:end], breaks, start - self._line)
        if kind is COMMENT:
            token.text = _TIGHT.sub("# ", token.text.rstrip(), count=1)
        frame = self._frames[-1] if self._frames else None
        if frame is None or not frame.flow:  # in brackets, only they say where a token goes
            self._place(token, frame)
        self.tokens.append(token)
        self._position = end
        return token

    def _place(self, token: Token, frame: _Frame | None) -> None:
        """Says where a token of a block collection stands if it begins a line."""
        kind = token.kind
        if kind is COMMENT:
            self._comments.append(token)
            return
        if kind is MARKER:
            self._settle(-1, 0)
        else:
            if frame is not None:
                in_column = kind in (DASH, QUERY, COLON)
                token.indent = frame.indent if in_column else frame.inside
                if frame.old is None:
                    frame.old = token.column
            if self._comments:
                self._settle(token.column, token.indent)
        self._closed.clear()
        self._last = frame if kind in (DASH, COLON) else None

    def _settle(self, column: int, indent: int) -> None:
        """Gives comments their places: those of what follows, or of what they stood below."""
        known = [(frame.old or 0, frame.indent) for frame in self._closed]
        if self._last is not None:
            known.append(((self._last.old or 0) + 1, self._last.indent + STEP))
        for comment in self._comments:
            at = comment.column
            deeper = [one for one in known if column < one[0]] if at > column else []
            above = [one for one in deeper if one[0] <= at]
            if above:
                comment.indent = max(above, key=_deepest)[1]
            else:
                comment.indent = min(deeper)[1] if deeper else indent
        self._comments.clear()


def _deepest(place: tuple[int, int]) -> tuple[int, int]:
    return place[0], -place[1]


def _rewritten(text: str, before: str, value: str, style: str | None) -> str | None:
    """A scalar on one line with another value; None if its style cannot be kept."""
    quote = text[0] if style else ""
    for escapes in ((), _DOUBLE_ESCAPES, (("'", "''"),)):
        old, new = before, value
        for one, other in escapes:
            old, new = old.replace(one, other), new.replace(one, other)
        if f"{quote}{old}{quote}" == text:
            if not quote and re.search(r":\s|\s#|:\Z", new):
                return None
            return f"{quote}{new}{quote}"
    return None


def laid_out(text: str, space: Space | None, meter: Meter) -> str:
    """A text of YAML with `\\n` for line breaks and without a byte order mark, in the one layout.

    Raises:
        NotLaidOut: it cannot be laid out without a change to what it says.
        YAMLError: it is not YAML.
        FunctionError: a limit is reached.
    """
    opened = kinds.open_events
    reader = _Reader(text, space)
    try:
        reader.read(opened(for_parser(text)), meter)
    except YAMLError as error:
        if not kinds.may_hold_words(text):
            raise
        opened = partial(kinds.open_word_events, refused=error)
        reader = _Reader(text, space)
        reader.read(opened(for_parser(text)), meter)
    made = lay_out(reader.tokens)
    if made:
        made += "\n"
    if made == text:
        return text
    if unspaced(made) != unspaced(text):
        raise NotLaidOut
    # the value of a block string that ends a text has the line break that the text has
    for shown in (made, made.removesuffix("\n")):
        if _digest(shown, opened, meter) == reader.digest:
            return shown
        if text.endswith("\n"):
            break
    raise NotLaidOut


def _digest(text: str, opened: Callable[[str], Callable[[], Any]], meter: Meter) -> int | None:
    """The digest of what the events of a text say; None if it is not YAML."""
    digest = 0
    try:
        for event in _events(opened(for_parser(text)), meter):
            digest = hash((digest, _said(event)))
    except YAMLError:
        return None
    return digest


def _events(next_event: Callable[[], Any], meter: Meter) -> Iterator[Any]:
    """All events but the last."""
    count = 0
    while type(event := next_event()) is not kinds.StreamEndEvent:
        count += 1
        if not count % _EVENTS_A_LOOK:
            meter.work(_STEPS_A_LOOK)
        yield event


_STYLES: Final = {"'": '"', '"': '"', "|": "|", ">": ">"}


def _said(event: Any) -> object:
    """What an event says to whoever reads it."""
    kind = type(event)
    if kind is kinds.ScalarEvent:
        style = _STYLES.get(event.style)
        if event.anchor is None and event.ctag is None:
            return style, event.value
        return event.anchor, str(event.ctag), style, event.value
    if kind is kinds.MappingStartEvent or kind is kinds.SequenceStartEvent:
        if event.anchor is None and event.ctag is None:
            return kind, event.flow_style
        return kind, event.anchor, str(event.ctag), event.flow_style
    return (kind, event.anchor) if kind is kinds.AliasEvent else kind
