"""Places inside scalars: from offsets in decoded text back to offsets in the source.

Nothing here runs in a render without mistakes. A scalar is decoded once more, this time with the
source offsets of every character, and the result is trusted only when it equals what the reader
made of it.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import Final

from ...functions.record import field
from ...functions.regexes import compile_regex
from .source import Source, Span

_BREAK: Final = compile_regex(r"\r\n|\r|\n")
_KEY_END: Final = compile_regex(r"[ \t]*+:(?=[ \t\r\n]|\Z)|[\r\n]")
_GOES_ON: Final = compile_regex(r"[\w-]").match
_BLANKS: Final = compile_regex(r"[ \t\r\n]*+")
_HEADER: Final = compile_regex(r"[|>][-+0-9]*[ \t]*(?:#[^\r\n]*)?(?=[\r\n]|\Z)")
_HEXADECIMAL: Final = {"x": 2, "u": 4, "U": 8}
_ESCAPES: Final = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "\t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    " ": " ",
    '"': '"',
    "/": "/",
    "\\": "\\",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}


class _Decoded:
    """Decoded text in pieces, and where in the source each piece begins and ends.

    A piece is one character, or a run of characters that stand for themselves.
    """

    def __init__(self) -> None:
        self.text: list[str] = []
        self.size = 0
        self._offsets: list[int] = []
        self._places: list[tuple[int, int]] = []

    def add(self, character: str, start: int, end: int) -> None:
        self._put(character, start, end)

    def copy(self, text: str, start: int, end: int) -> None:
        """Characters that stand for themselves."""
        if end > start:
            self._put(text[start:end], start, end)

    def _put(self, piece: str, start: int, end: int) -> None:
        self.text.append(piece)
        self._offsets.append(self.size)
        self._places.append((start, end))
        self.size += len(piece)

    @cached_property
    def whole(self) -> str:
        """All of it, asked for when nothing more is added."""
        return "".join(self.text)

    def place(self, offset: int) -> tuple[int, int]:
        """Where in the source the character at an offset of the decoded text begins and ends."""
        index = bisect_right(self._offsets, offset) - 1
        start, end = self._places[index]
        if len(self.text[index]) == 1:
            return start, end
        start += offset - self._offsets[index]
        return start, start + 1


_MARKS: Final = "\"'|>"


class InnerSource(Source, eq=False):
    """What the scalar at `outer[start:end]` means; places in this text are those in `outer`."""

    outer: Source = field(default=None, repr=False)
    start: int = 0
    end: int = 0

    def span(self, start: int, end: int, exact: bool = True) -> Span:
        place = span_in_scalar(self.outer, self.start, self.end, self.text, start, end)
        return place if exact else place.evolve(exact=False)


def span_in_scalar(source: Source, start: int, end: int, text: str, from_: int, to: int) -> Span:
    """The span of `text[from_:to]`, where `text` is what the scalar at `source[start:end]` means.

    Exact when the scalar decodes to `text`; otherwise a guess: the line a block scalar starts on,
    the start of any other scalar.
    """
    yaml = source.format != "json"
    mark = source.text[start : start + 1]
    if (
        mark not in _MARKS
        and end - start == len(text) > from_
        and source.text.startswith(text, start)
    ):
        return Span(source, start + from_, start + min(to, len(text)))  # as most are written
    # a scalar with a hundred mistakes is decoded once
    key = (start, end, text)
    if key not in source.decoded:
        source.decoded.clear()
        source.decoded[key] = _decode(source.text, start, end, text, yaml)
    found: _Decoded | None = source.decoded[key]
    if found is not None and _agrees(found, text, to):
        return _span(source, found, end, from_, to)
    if mark and mark in "|>" and yaml:
        line, _ = source.locate(start)
        first = source.line_starts[line - 1]
        shown = source.line(line)
        return source.span(
            first + len(shown) - len(shown.lstrip()), first + len(shown), exact=False
        )
    return source.span(start, max(start, min(start + 1, end)), exact=False)


def _decode(written: str, start: int, end: int, text: str, yaml: bool) -> _Decoded | None:
    """A scalar decoded by its style; `text` shows how far a block goes."""
    mark = written[start : start + 1]
    if mark == '"':
        return _double_quoted(written, start + 1, end - 1, yaml)
    if mark == "'" and yaml:
        return _single_quoted(written, start + 1, end - 1)
    if mark and mark in "|>" and yaml:
        return _block(written, start, text)
    found = _Decoded()
    _flow(written, start, end, found)
    return found


def scalar_end(text: str, start: int, key: str) -> int:
    """The offset just after a key that begins at `start`, its closing quote included."""
    mark = text[start : start + 1]
    if mark == '"':
        position = start + 1
        while position < len(text) and text[position] != '"':
            position += 2 if text[position] == "\\" else 1
        return min(position + 1, len(text))
    if mark == "'":
        position = start + 1
        while position < len(text):
            if text[position] == "'":
                if text[position + 1 : position + 2] != "'":
                    break
                position += 1
            position += 1
        return min(position + 1, len(text))
    end = start + len(key)
    if text.startswith(key, start) and not _GOES_ON(text, end):
        return end
    # another key was meant, or it goes over several lines: up to its colon, or the end of its line
    stop = _KEY_END.search(text, start)
    return stop.start() if stop else len(text)


def _agrees(found: _Decoded, text: str, to: int) -> bool:
    """True when decoding gave the text; line breaks at its end may be missing, before `to`."""
    decoded = found.whole
    if decoded == text:
        return True
    # a substitution alone in a block scalar loses the line breaks after it
    return decoded.rstrip("\n") == text.rstrip("\n") and to <= len(decoded)


def _span(source: Source, found: _Decoded, end: int, from_: int, to: int) -> Span:
    size = found.size
    if from_ >= size:
        # the end of the text: just after its last character
        stop = found.place(size - 1)[1] if size else min(end, max(end - 1, 0))
        return source.span(stop, stop)
    start = found.place(from_)[0]
    stop = found.place(min(to, size) - 1)[1] if to > from_ else start
    return source.span(start, stop)


def _flow(written: str, start: int, end: int, found: _Decoded) -> None:
    """Text whose line breaks fold: one becomes a space, further ones stay."""
    position = start
    while position < end:
        line_break = _BREAK.search(written, position, end)
        stop = line_break.start() if line_break else end
        after = stop
        if line_break:
            while stop > position and written[stop - 1] in " \t":
                stop -= 1
            after = _after_blanks(written, stop, end)
        found.copy(written, position, stop)
        _folded(written, stop, after, found)
        position = after


def _after_blanks(written: str, position: int, end: int) -> int:
    blanks = _BLANKS.match(written, position, end)
    return blanks.end() if blanks else position


def _folded(written: str, start: int, end: int, found: _Decoded) -> None:
    breaks = list(_BREAK.finditer(written, start, end))
    if len(breaks) == 1:
        found.add(" ", breaks[0].start(), breaks[0].end())
    for line_break in breaks[1:]:
        found.add("\n", line_break.start(), line_break.end())


def _single_quoted(written: str, start: int, end: int) -> _Decoded:
    found = _Decoded()
    position = start
    while position < end:
        quote = written.find("''", position, end)
        _flow(written, position, quote if quote >= 0 else end, found)
        if quote < 0:
            break
        found.add("'", quote, quote + 2)
        position = quote + 2
    return found


def _double_quoted(written: str, start: int, end: int, yaml: bool) -> _Decoded | None:
    found = _Decoded()
    position = start
    while position < end:
        escape = written.find("\\", position, end)
        stop = escape if escape >= 0 else end
        if yaml:
            _flow(written, position, stop, found)
        else:
            found.copy(written, position, stop)
        if escape < 0:
            break
        letter = written[escape + 1 : escape + 2]
        if yaml and letter in ("\r", "\n"):
            position = _escaped_break(written, escape, end, found)
            continue
        if letter in _HEXADECIMAL:
            position = escape + 2 + _HEXADECIMAL[letter]
            character = _hexadecimal(written, escape + 2, position)
            if character is None:
                return None
            if "\ud800" <= character <= "\udbff" and written.startswith("\\u", position):
                low = _hexadecimal(written, position + 2, position + 6)
                if low is None:
                    return None
                code = 0x10000 + ((ord(character) - 0xD800) << 10) + (ord(low) - 0xDC00)
                character = chr(code) if "\udc00" <= low <= "\udfff" else character
                position += 6
        elif letter in _ESCAPES:
            character = _ESCAPES[letter]
            position = escape + 2
        else:
            return None
        found.add(character, escape, position)
    return found


def _escaped_break(written: str, escape: int, end: int, found: _Decoded) -> int:
    """A line break after a backslash joins lines; returns where the text goes on."""
    stop = _after_blanks(written, escape + 1, end)
    for line_break in list(_BREAK.finditer(written, escape + 1, stop))[1:]:
        found.add("\n", line_break.start(), line_break.end())
    return stop


def _hexadecimal(written: str, start: int, end: int) -> str | None:
    try:
        return chr(int(written[start:end], 16))
    except (ValueError, OverflowError):
        return None


def _block(written: str, start: int, text: str) -> _Decoded | None:
    """A literal or folded block scalar, for the indentation that gives the text back."""
    header = _HEADER.match(written, start)
    if header is None:
        return None
    # every line gives at least one character, but for those that are cut off at the end
    lines = _lines(written, header.end(), len(text) + 2)
    first = next((line for line in lines if written[line[0] : line[1]].strip(" ")), None)
    if first is None:
        return None
    shown = written[first[0] : first[1]]
    deepest = len(shown) - len(shown.lstrip(" "))
    indent = deepest
    if any(character.isdigit() for character in header[0].split("#")[0]):
        # the indicator counts from the indentation around the scalar, which is not known here; the
        # spaces that the text itself begins with say the same
        own = next((line for line in text.split("\n") if line.strip(" ")), "")
        indent = deepest - (len(own) - len(own.lstrip(" ")))
    found = _indented(written, lines, indent, written[start] == ">", len(text))
    return found if found.whole.rstrip("\n") == text.rstrip("\n") else None


def _lines(written: str, position: int, most: int) -> list[tuple[int, int, int]]:
    """Start, end and end with line break of the lines after the header, `most` of them."""
    lines: list[tuple[int, int, int]] = []
    header_break = _BREAK.match(written, position)
    position = header_break.end() if header_break else len(written)
    size = len(written)
    while position < size and len(lines) < most:
        line_break = _BREAK.search(written, position)
        stop = line_break.start() if line_break else size
        after = line_break.end() if line_break else size
        lines.append((position, stop, after))
        position = after
    return lines


def _indented(
    written: str, lines: list[tuple[int, int, int]], indent: int, folded: bool, most: int
) -> _Decoded:
    found = _Decoded()
    # line breaks that wait until it is known whether a line follows: the one that ends the last
    # line with text, then those of empty lines
    ending: tuple[int, int] | None = None
    empty: list[tuple[int, int]] = []
    indented_more = False
    for start, stop, after in lines:
        spaces = start
        while spaces < stop and spaces - start < indent and written[spaces] == " ":
            spaces += 1
        if spaces == stop:
            empty.append((stop, after))
            continue
        if spaces - start < indent or found.size > most:
            break
        more = written[spaces] in " \t"
        if ending is not None and folded and not more and not indented_more:
            if not empty:
                found.add(" ", *ending)
        elif ending is not None:
            found.add("\n", *ending)
        for line_break in empty:
            found.add("\n", *line_break)
        empty = []
        indented_more = more
        found.copy(written, spaces, stop)
        ending = (stop, after)
    for line_break in ([ending] if ending else []) + empty:
        if line_break[1] > line_break[0]:
            found.add("\n", *line_break)
    return found
