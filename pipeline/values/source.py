"""Named texts, places in them, and where nodes come from."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import Any

from ...functions.record import Record, field


class Source(Record, eq=False):
    """A named text.

    `name` is what diagnostics print (a path as the user wrote it, or `<stdin>`), `path` the real
    path when the text came from a file, `format` one of `yaml`, `json` or `text`.
    """

    name: str
    text: str = field(repr=False)
    format: str = "text"
    path: str | None = None

    @cached_property
    def line_starts(self) -> list[int]:
        """Offsets at which lines begin; a line ends with LF, CR LF or CR."""
        text = self.text
        if "\r" in text:
            import re

            return [0, *[match.end() for match in re.finditer(r"\r\n|\r|\n", text)]]
        starts = [0]
        position = text.find("\n")
        while position >= 0:
            starts.append(position + 1)
            position = text.find("\n", position + 1)
        return starts

    @cached_property
    def decoded(self) -> dict[tuple[int, int, str], Any]:
        """The last scalar that was decoded for places inside it."""
        return {}

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

    def span(self, start: int, end: int, exact: bool = True) -> Span:
        """The place of a range of the text; of a text that was made, the place that made it."""
        return Span(self, start, end, exact)


class Span(Record):
    """Where something stands: offsets are 0-based and half-open; `exact` is False for a guess."""

    source: Source
    start: int
    end: int
    exact: bool = True

    def __init__(self, source: Source, start: int, end: int, exact: bool = True) -> None:
        # answers make one for each node
        fields = self.__dict__
        fields["source"] = source
        fields["start"] = start
        fields["end"] = end
        fields["exact"] = exact

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


class Origin(Record):
    """Where a node comes from: the place it was written and the steps that shaped it."""

    span: Span
    steps: tuple[str, ...]


class Repeated(str):
    """A key that its map has already, in a text with this mistake; equal to no other key.

    So what stands under it is looked at like everything else. No stage after `load` sees one.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    __hash__ = object.__hash__
