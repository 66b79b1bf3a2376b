"""Places in a text as editors count them, and back."""

from __future__ import annotations

from lsprotocol.types import Position, PositionEncodingKind, Range

from ..values.source import Source, Span


class Coordinates:
    """Positions in a source: lines from 0, columns in the units of an encoding.

    UTF-16, which editors speak if they have agreed on nothing else, counts characters beyond the
    basic plane twice; UTF-8 counts bytes; UTF-32 counts characters, as offsets do.
    """

    def __init__(
        self, source: Source, units: PositionEncodingKind | str = PositionEncodingKind.Utf16
    ) -> None:
        self.source = source
        self._units = units

    def offset(self, position: Position) -> int:
        """The offset in the text, at the end of the line or text for positions past it."""
        starts = self.source.line_starts
        if position.line >= len(starts):
            return len(self.source.text)
        line = self.source.line(position.line + 1)
        return starts[position.line] + _characters(line, position.character, self._units)

    def position(self, offset: int) -> Position:
        """The position of an offset."""
        number, column = self.source.locate(offset)
        if column == 1 or self._units == PositionEncodingKind.Utf32:
            return Position(number - 1, column - 1)
        start = self.source.line_starts[number - 1]
        before = self.source.text[start : start + column - 1]
        return Position(number - 1, _width(before, self._units))

    def range(self, start: int, end: int) -> Range:
        """The range between two offsets."""
        return Range(self.position(start), self.position(end))

    def of(self, span: Span) -> Range:
        """The range of a span of this source."""
        return self.range(span.start, span.end)


def _width(text: str, units: PositionEncodingKind | str) -> int:
    if text.isascii():
        return len(text)
    if units == PositionEncodingKind.Utf8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(character > "\uffff" for character in text)


def _characters(line: str, units: int, kind: PositionEncodingKind | str) -> int:
    """How many characters the first units of a line are."""
    if line.isascii() or kind == PositionEncodingKind.Utf32:
        return min(units, len(line))
    for number, character in enumerate(line):
        if units <= 0:
            return number
        units -= _width(character, kind)
    return len(line)
