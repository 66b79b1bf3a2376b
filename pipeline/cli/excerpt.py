"""The part of a source line around a span, as wide as a terminal has room for."""

from __future__ import annotations

from ...functions.record import Record
from ..values.source import Span
from .terminal import ELLIPSIS, cells


class Excerpt(Record):
    """One line of a source as it is printed.

    `indent` is how many columns stand before the span, `length` how many the span takes, at least
    one; of a span over several lines that is the part on its first line.
    """

    line: int
    text: str
    indent: int
    length: int


def cut(span: Span, room: int) -> Excerpt:
    """The first line of a span in at most `room` columns, the start of the span always among them.

    Looks only at the text near the span: a document may be one line of many megabytes.
    """
    text = span.source.text
    start = max(0, min(span.start, len(text)))
    line = span.source.locate(start)[0]
    first, last = _line_bounds(span, line)
    start = min(start, last)
    low = max(first, start - 2 * room)
    high = min(last, start + 2 * room)
    printed = cells(text[low:high])
    widths = [cell.width for cell in printed]
    begin = start - low
    end = max(begin, min(span.end, high) - low)

    left, right = _window(widths, begin, end, room, low > first, high < last)
    before = ELLIPSIS if left > 0 or low > first else ""
    after = ELLIPSIS if right < len(printed) or high < last else ""
    shown = "".join(cell.text for cell in printed[left:right])
    return Excerpt(
        line,
        (before + shown + after).rstrip(),
        len(before) + sum(widths[left:begin]),
        max(1, sum(widths[begin : min(end, right)])),
    )


def _line_bounds(span: Span, line: int) -> tuple[int, int]:
    """Offsets of a line's first character and of its line break."""
    text = span.source.text
    starts = span.source.line_starts
    first = starts[line - 1]
    last = starts[line] if line < len(starts) else len(text)
    while last > first and text[last - 1] in "\r\n":
        last -= 1
    return first, last


def _window(
    widths: list[int], begin: int, end: int, room: int, more_left: bool, more_right: bool
) -> tuple[int, int]:
    """Which cells to show: all when they fit, else the span and as much around it as fits."""
    if not more_left and not more_right and sum(widths) <= room:
        return 0, len(widths)
    room -= 2 * len(ELLIPSIS)
    left = right = begin
    used = 0
    while right < end and used + widths[right] <= room:
        used += widths[right]
        right += 1
    growing = True
    while growing:
        growing = False
        if left > 0 and used + widths[left - 1] <= room:
            left -= 1
            used += widths[left]
            growing = True
        if right < len(widths) and used + widths[right] <= room:
            used += widths[right]
            right += 1
            growing = True
    return left, right
