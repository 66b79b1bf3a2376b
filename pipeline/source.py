"""Named texts and places in them."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

import attrs


@attrs.define(eq=False, slots=False)
class Source:
    """A named text.

    `name` is what diagnostics print (a path as the user wrote it, or `<stdin>`), `path` the real
    path when the text came from a file, `format` one of `yaml`, `json` or `text`.
    """

    name: str
    text: str = attrs.field(repr=False)
    format: str = "text"
    path: str | None = None

    @cached_property
    def line_starts(self) -> list[int]:
        """Offsets at which lines begin; a line ends with LF, CR LF or CR."""
        starts = [0]
        text = self.text
        position = 0
        size = len(text)
        while position < size:
            newline = text.find("\n", position)
            carriage = text.find("\r", position, newline if newline >= 0 else size)
            if carriage >= 0:
                position = carriage + (2 if text.startswith("\r\n", carriage) else 1)
            elif newline >= 0:
                position = newline + 1
            else:
                break
            starts.append(position)
        return starts

    def locate(self, offset: int) -> tuple[int, int]:
        """1-based line and column (in code points) of a 0-based offset."""
        starts = self.line_starts
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a 1-based line, without its line break; empty past the end."""
        starts = self.line_starts
        if not 1 <= number <= len(starts):
            return ""
        end = starts[number] if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r\n")


@attrs.frozen
class Span:
    """Where something stands: offsets are 0-based and half-open; `exact` is False for a guess."""

    source: Source
    start: int
    end: int
    exact: bool = True

    @property
    def line(self) -> int:
        """1-based line of the start."""
        return self.source.locate(self.start)[0]

    @property
    def column(self) -> int:
        """1-based column of the start, in code points."""
        return self.source.locate(self.start)[1]

    @property
    def end_line(self) -> int:
        """1-based line of the end."""
        return self.source.locate(self.end)[0]

    @property
    def end_column(self) -> int:
        """1-based column just after the end."""
        return self.source.locate(self.end)[1]

    def __str__(self) -> str:
        line, column = self.source.locate(self.start)
        return f"{self.source.name}:{line}:{column}"
