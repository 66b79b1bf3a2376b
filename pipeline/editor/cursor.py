"""Where the cursor is in a text that is being typed, which need not be readable as a whole.

Everything is found by looking at lines: upwards from the cursor for what is around it in block
style, forwards from the beginning of a value for flow style and JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from ...functions.record import Record, field
from ..answers.paths import Path
from ..values.source import Source
from ..values.tree import AnyNode, Array, Map, Scalar, Trail

KEY, VALUE, EXPRESSION, COMMENT = "key", "value", "expression", "comment"

Openers = Sequence[tuple[str, str]]
"""The delimiters of expressions, with as many brackets in the one as in the other."""

_MOST_SIBLINGS: Final = 5_000
_DEEPEST: Final = 60
_FAR: Final = 100_000
"""Characters in which siblings are looked for, but for those at the top of a document."""

_MOST_TOKENS: Final = 500_000
_TOKENS_AFTER: Final = 3_000

_KEY: Final = (
    r"""(?P<key>"(?:[^"\\\n]|\\.)*+"|'(?:[^'\n]|'')*+'"""
    r"""|(?:[^\s#"'\[\]{},&*!|>%@`:-]|[:-](?=\S))(?:[^\n#:]++|:(?=\S))*+)"""
    r"""[ \t]*+:(?=[ \t\r\n]|\Z)[ \t]*+"""
)
_KEYED: Final = re.compile(_KEY)
_DASH: Final = re.compile(r"-(?:[ \t]+|(?=\r?\n|\Z))")
_PROPERTIES: Final = re.compile(r"(?:[&!][^\s]*[ \t]+)*")
_BLOCK: Final = re.compile(r"[|>][-+0-9]*[ \t]*(?:#[^\n]*)?\r?$", re.MULTILINE)
_DOCUMENT: Final = re.compile(r"^---(?:[ \t\r]|$)", re.MULTILINE)
_BEYOND_COMMENTS: Final = re.compile(r"(?:\s+|#[^\n]*|//[^\n]*|/\*[\s\S]*?\*/|\ufeff)*")
_COMMENT: Final = re.compile(r"(?:^|(?<=\s))#")
_TEXT: Final = r""""(?:[^"\\\n]|\\.)*"?|'(?:[^'\n]|'')*'?"""
_QUOTED: Final = re.compile(_TEXT)
_FLOW: Final = re.compile(
    rf"(?P<text>{_TEXT})"
    r"""|(?P<comment>(?<!\S)\#[^\n]*|//[^\n]*|/\*[\s\S]*?(?:\*/|\Z))|(?P<mark>[\[\]{},:])"""
    r"""|(?P<plain>[^\s\[\]{},:"'#](?:[^\[\]{},:\n]|:(?=[^\s\[\]{},"']))*)|\S"""
)
_INSIDE: Final = re.compile(r""""(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|`[^`]*`?|[(\[{}\])]""")


class Cursor(Record, eq=False):
    """Where the cursor is.

    `path` leads to the map whose key is typed, to the value that is typed, or to the string with
    the expression. `around` is a tree with what stands beside the path: keys and scalars. `start`
    is where the word begins that is typed, and `before` the text up to the cursor from the
    beginning of the expression (behind its delimiter, `opener`), the value, the key or the comment.
    `quote` is that of the scalar. `fresh` says that a key stands behind a dash of a list, so that
    it may also be a value, `flow` that it is in flow style or JSON. `document` is the number of the
    document in a text of several, from 0.
    """

    kind: str
    path: Path
    start: int
    before: str
    around: Map = field(repr=False)
    quote: str = ""
    opener: str = ""
    fresh: bool = False
    flow: bool = False
    document: int = 0


class _Line:
    """A line: the offsets of its dashes, its key, the offset of this and of what follows it.

    `index` is that of its first dash, `column` the one of its dash or key.
    """

    def __init__(
        self, start: int, dashes: list[int], key: str | None, place: int, value: int
    ) -> None:
        self.start = start
        self.dashes = dashes
        self.key = key
        self.place = place
        self.value = value
        self.index = 0
        self.column = (dashes[0] if dashes else place) - start


_Levels = list[tuple[str | int, dict[str, str]]]
"""The steps of a path, each with what stands beside it: keys and how their scalars are written."""


def cursor_at(source: Source, offset: int, openers: Openers) -> Cursor:
    """Where an offset of a text is; `openers` are the delimiters of expressions."""
    text = source.text
    offset = min(max(offset, 0), len(text))
    if source.format == "text":
        return _made(source, VALUE, [], {}, 0, offset, openers)
    begin, number = 0, 0
    for one in _DOCUMENT.finditer(text, 0, offset):
        number += bool(text[begin : one.start()].strip())
        begin = one.end()
    first = _BEYOND_COMMENTS.match(text, begin)
    place = first.end() if first is not None else begin
    if place < offset and text[place] in "{[" and not text.startswith("{{", place):
        found = _in_flow(source, [], place, offset, openers)
    else:
        found = _in_block(source, begin, offset, openers)
    return found.evolve(document=number)


def _made(
    source: Source,
    kind: str,
    levels: _Levels,
    beside: dict[str, str],
    start: int,
    offset: int,
    openers: Openers,
    fresh: bool = False,
) -> Cursor:
    """The cursor in a value or key that begins at `start`: perhaps in an expression there."""
    text = source.text
    path = tuple(item for item, _ in levels)
    around = _tree(source, levels, beside)
    quote = text[start : start + 1] if text[start : start + 1] in ('"', "'") else ""
    inside = start + len(quote)
    if inside > offset:
        inside, quote = start, ""
    opened = _opened(text[inside:offset], openers, quote) if kind == VALUE else None
    if opened is not None:
        opener, begin = opened
        before = text[inside + begin : offset]
        return Cursor(EXPRESSION, path, offset, before, around, quote, opener)
    return Cursor(kind, path, inside, text[inside:offset], around, quote, "", fresh)


def _tree(source: Source, levels: _Levels, beside: dict[str, str]) -> Map:
    trail = Trail(source)

    def scalar(written: str) -> Scalar:
        empty = written.strip()[:1] in ("{", "[", "|", ">", "&", "*", "!", "")
        return Scalar(None if empty else _unquoted(written), trail, 0, 0)

    def above(items: dict[str, str]) -> dict[str, AnyNode]:
        return {key: scalar(written) for key, written in items.items()}

    node: AnyNode = Map(above(beside), {}, trail, 0, 0)
    for item, others in reversed(levels):
        if isinstance(item, int):
            node = Array([node] * (min(item, _MOST_SIBLINGS) + 1), trail, 0, 0)
        else:
            node = Map({**above(others), item: node}, {}, trail, 0, 0)
    return node if isinstance(node, Map) else Map({}, {}, trail, 0, 0)


def _unquoted(written: str) -> str:
    """What a scalar means, roughly."""
    written = written.strip()
    quoted = _QUOTED.match(written)
    if quoted is not None:
        return quoted[0][1:].removesuffix(written[0])
    return written.partition(" #")[0].strip()


def _opened(before: str, openers: Openers, quote: str) -> tuple[str, int] | None:
    """The delimiter of the expression that is open at the end of a text, and where that begins."""
    if quote:  # as many characters as are written
        before = before.replace('\\"', ' "') if quote == '"' else before.replace("''", " '")
    position = 0
    while True:
        starts = [(before.find(one, position), one) for one, _ in openers]
        found = min(((at, -len(one), one) for at, one in starts if at >= 0), default=None)
        if found is None:
            return None
        at, _, opener = found
        begin = at + len(opener)
        depth = sum(map(opener.count, "({["))
        for one in _INSIDE.finditer(before, begin):
            mark = one[0]
            depth += 1 if mark in ("(", "[", "{") else -1 if mark in (")", "]", "}") else 0
            if depth <= 0:
                position = one.end()
                break
        else:
            return opener, begin


def _in_block(source: Source, begin: int, offset: int, openers: Openers) -> Cursor:
    """The cursor in block style, in a document that begins at `begin`."""
    text = source.text
    start = max(text.rfind("\n", 0, offset) + 1, begin)
    own = _line(text, start)
    blank = not text[start : _line_end(text, start)].strip()
    column = offset - start if blank or own.column > offset - start else own.column
    levels: _Levels = []
    chain = [*reversed([*_upwards(text, begin, start, column, own)])]
    for line, inner in zip(chain, [*[one.column for one in chain], column][1:], strict=True):
        _step_into(levels, line, inner, text, begin, offset)
        value = _PROPERTIES.match(text, line.value)
        place = value.end() if value is not None else line.value
        if line.key is not None and line.place - line.start >= inner:
            continue
        if _BLOCK.match(text, place):
            return _made(source, VALUE, levels, {}, _line_end(text, place), offset, openers)
        if text[place : place + 1] in ("{", "[") and not text.startswith("{{", place):
            return _in_flow(source, levels, place, offset, openers)
        if text[place : place + 1] in ('"', "'"):
            closed = _closing(text, place)
            if closed >= offset:
                return _made(source, VALUE, levels, {}, place, offset, openers)
    return _on_line(source, levels, own, begin, offset, openers)


def _on_line(
    source: Source, levels: _Levels, own: _Line, begin: int, offset: int, openers: Openers
) -> Cursor:
    """The cursor on its own line, below the collections that lead there."""
    text = source.text
    line = text[own.start : offset]
    comment = _comment_in(line)
    for number, dash in enumerate(own.dashes):
        if dash < offset:
            levels.append((own.index if number == 0 else 0, {}))
    column = own.place - own.start
    if not line.strip():
        column = offset - own.start
    beside = dict(_beside(text, begin, own, column, True))
    if comment is not None:
        place = own.start + comment
        around = _tree(source, levels, beside)
        path = tuple(item for item, _ in levels)
        return Cursor(COMMENT, path, offset, text[place:offset], around)
    if own.key is not None and offset >= own.value:
        beside.pop(own.key, None)
        levels.append((own.key, beside))
        value = _PROPERTIES.match(text, own.value, offset)
        place = value.end() if value is not None else own.value
        if place < offset and text[place] in "{[" and not text.startswith("{{", place):
            return _in_flow(source, levels, place, offset, openers)
        return _made(source, VALUE, levels, {}, place, offset, openers)
    place = min(own.place, offset) if line.strip() else offset
    fresh = bool(own.dashes) and own.key is None and offset > own.dashes[-1]
    beside.pop(own.key or "", None)
    if own.key is None and text[place : place + 1] in ("{", "[") and place < offset:
        return _in_flow(source, levels, place, offset, openers)
    made = _made(source, VALUE, levels, beside, place, offset, openers)
    if made.kind == EXPRESSION:
        return made
    return _made(source, KEY, levels, beside, place, offset, openers, fresh)


def _comment_in(line: str) -> int | None:
    """Where a comment begins in the part of a line before the cursor."""
    bare = _QUOTED.sub(lambda one: "_" * len(one[0]), line)
    found = _COMMENT.search(bare)
    return found.end() if found is not None else None


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _line(text: str, start: int) -> _Line:
    """The parts of the line that begins at `start`."""
    end = _line_end(text, start)
    place = start
    while place < end and text[place] == " ":
        place += 1
    dashes: list[int] = []
    while len(dashes) < _DEEPEST and (dash := _DASH.match(text, place, end)) is not None:
        dashes.append(place)
        place = dash.end()
    found = _KEYED.match(text, place, end)
    if found is None:
        return _Line(start, dashes, None, place, place)
    return _Line(start, dashes, _unquoted(found["key"]), place, found.end())


def _upwards(text: str, begin: int, start: int, column: int, own: _Line) -> Iterable[_Line]:
    """The lines above that what begins at a column is in, the innermost first.

    Lines with dashes get their indexes.
    """
    limit, dashes, position = column, own if own.dashes else None, start
    for _ in range(_DEEPEST):
        if not limit and dashes is None:
            return
        # a greedy search goes backwards, no further than to what it finds
        less = rf" {{0,{limit - 1}}}[^ \n\r#]" if limit else "(?!)"
        beside = rf" {{{limit}}}(?:[^ \n\r#-]|-[^ \t\r\n])" if dashes is not None else "(?!)"
        last = re.compile(rf"[\s\S]*^(?P<line>{less}|{beside})", re.MULTILINE)
        found = last.match(text, begin, position)
        place = found.start("line") if found is not None else begin
        if dashes is not None:
            items = re.compile(rf"^ {{{limit}}}-(?=[ \t\r\n]|\Z)", re.MULTILINE)
            dashes.index = sum(1 for _ in items.finditer(text, place, dashes.start))
        if found is None:
            return
        line = _line(text, place)
        yield line
        limit, dashes, position = line.column, line if line.dashes else None, place


def _step_into(
    levels: _Levels, line: _Line, inner: int, text: str, begin: int, offset: int
) -> None:
    """Adds the steps of a line that what begins at the column `inner` is in."""
    for number, dash in enumerate(line.dashes):
        if dash - line.start < inner:
            levels.append((line.index if number == 0 else 0, {}))
    column = line.place - line.start
    if line.key is not None and (column < inner or (column == inner and not line.dashes)):
        beside = dict(_beside(text, begin, line, column))
        beside.pop(line.key, None)
        levels.append((line.key, beside))


def _beside(
    text: str, begin: int, line: _Line, column: int, whole: bool = False
) -> Iterable[tuple[str, str]]:
    """The keys of the map that a line is in, which begin at a column, and their scalars.

    Those with a scalar on their line, unless all are asked for: they decide about the others.
    """
    low, high = begin, len(text)
    if column:
        begin, high = max(begin, line.start - _FAR), min(high, line.start + _FAR)
        # up to the line with a dash that begins the map, or to what the map is in
        less = re.compile(rf"^ {{0,{column - 1}}}[^ \n\r#]", re.MULTILINE)
        below = less.search(text, _line_end(text, line.start), high)
        high = below.start() if below is not None else high
        if not line.dashes:
            last = re.compile(rf"[\s\S]*{less.pattern}", re.MULTILINE).match(
                text, begin, line.start
            )
            low = text.rfind("\n", begin, last.end()) + 1 if last is not None else begin
            low = max(low, begin)
        else:
            low = line.start
    else:
        end = _DOCUMENT.search(text, line.start + 1)
        high = end.start() if end is not None else high
    first = _line(text, low)
    if first.dashes and first.key is not None and first.place - first.start == column:
        yield first.key, text[first.value : _line_end(text, first.value)]
    value = r"(?P<value>[^\n]*)" if whole else r"(?P<value>[^\s{\[|>&*!#][^\n]*)"
    keyed = re.compile(rf"^ {{{column}}}{_KEY}{value}", re.MULTILINE)
    for count, one in enumerate(keyed.finditer(text, low, high)):
        if count == _MOST_SIBLINGS:
            break
        yield _unquoted(one["key"]), one["value"]


def _closing(text: str, place: int) -> int:
    """The end of a quoted scalar of perhaps several lines."""
    mark = text[place]
    position = place + 1
    while position < len(text):
        if text[position] == mark:
            if mark == '"' or text[position + 1 : position + 2] != mark:
                return position
            position += 1
        position += 2 if mark == '"' and text[position] == "\\" else 1
    return len(text)


class _Frame:
    """A map or a list in flow style that is open."""

    def __init__(self, listed: bool) -> None:
        self.listed = listed
        self.index = 0
        self.key: str | None = None
        self.word = ""
        self.items: dict[str, str] = {}

    def end(self) -> None:
        """A value ends."""
        if self.key is not None:
            self.items[self.key] = self.word
        elif self.word and not self.listed:
            self.items[_unquoted(self.word)] = ""
        self.index += 1
        self.key, self.word = None, ""


def _in_flow(source: Source, levels: _Levels, begin: int, offset: int, openers: Openers) -> Cursor:
    """The cursor in flow style or JSON that begins at `begin`."""
    text = source.text
    frames: list[_Frame] = []
    here: list[_Frame] | None = None
    place, spent, comment = offset, 0, -1
    step: list[tuple[str | None, int]] = []
    for one in _FLOW.finditer(text, begin):
        spent += 1
        if (
            here is None
            and one.end() >= offset
            and (one.start() >= offset or one.lastgroup != "mark" or one.end() > offset)
        ):
            inside = one.start() < offset and one.lastgroup in ("text", "plain", "comment")
            closed = inside and one["text"] and one.end() == offset and len(one[0]) > 1
            place = one.start() if inside and not (closed and one[0][-1] == one[0][0]) else offset
            comment = one.start() if inside and one.lastgroup == "comment" else -1
            here = [*frames]
            step = [(frame.key, frame.index) for frame in frames]
            spent = _MOST_TOKENS - _TOKENS_AFTER
        if spent > _MOST_TOKENS or (here is not None and not any(one in frames for one in here)):
            break
        mark = one["mark"]
        if mark in ("{", "["):
            frames.append(_Frame(mark == "["))
        elif mark in ("}", "]"):
            if frames:
                frames.pop().end()
            if not frames:
                if here is None and one.end() <= offset:
                    here, step = [], []
                break
        elif mark == "," and frames:
            frames[-1].end()
        elif mark == ":" and frames:
            frames[-1].key = _unquoted(frames[-1].word)
            frames[-1].word = ""
        elif one.lastgroup in ("text", "plain") and frames:
            frames[-1].word = one[0]
    if here is None:
        here, step = [*frames], [(frame.key, frame.index) for frame in frames]
    made: _Levels = [*levels]
    for frame, (key, index) in zip(here, step, strict=True):
        if frame.listed:
            made.append((index, {}))
        elif key is not None:
            others = {name: word for name, word in frame.items.items() if name != key}
            made.append((key, others))
    if comment >= 0:
        around = _tree(source, made, {})
        path = tuple(item for item, _ in made)
        return Cursor(COMMENT, path, offset, text[comment:offset].lstrip("#/* "), around)
    if here and not here[-1].listed and step[-1][0] is None:
        word = _unquoted(text[place:offset])
        others = {name: one for name, one in here[-1].items.items() if name != word}
        return _made(source, KEY, made, others, place, offset, openers).evolve(flow=True)
    return _made(source, VALUE, made, {}, place, offset, openers).evolve(flow=True)
