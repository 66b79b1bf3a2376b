"""Go's layouts of times: `2006-01-02 15:04:05` and the like, to write and to read them."""

from __future__ import annotations

import re
from typing import Final

from ..values import FunctionError
from .moments import CHUNK, DAYS, HALF, MONTHS, SECOND, UTC, Time, Zone, date_of, days_of

USUAL: Final = (
    "2006-01-02",
    "15:04:05",
    "2006-01-02 15:04:05",
    "2006-01-02T15:04:05Z07:00",
    "02 Jan 06 15:04 MST",
    "Monday, 02-Jan-06 15:04:05 MST",
    "Mon, 02 Jan 2006 15:04:05 MST",
)
"""The layouts that `date` tries: date, time, both, RFC 3339, RFC 822, RFC 850, RFC 1123."""

_LONGEST: Final = 1_000
"""Characters of a date and of a layout: reading takes the square of their number."""


class _Unfit(Exception):
    """A text that a layout does not fit."""


class _Reading:
    """A text that is read by a layout; what was found of it so far."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.year = 0
        self.month = self.day = self.of_year = -1
        self.hour = self.minute = self.second = self.nano = 0
        self.half = ""
        self.zone: Zone | None = None
        self.offset: int | None = None
        self.name = ""

    def literal(self, prefix: str) -> None:
        """Past a part of the layout that stands for itself; spaces take any number of spaces."""
        while prefix:
            if prefix[0] == " ":
                if self.text and self.text[0] != " ":
                    raise _Unfit
                prefix, self.text = prefix.lstrip(" "), self.text.lstrip(" ")
            elif self.text[:1] == prefix[0]:
                prefix, self.text = prefix[1:], self.text[1:]
            else:
                raise _Unfit

    def take(self, pattern: str) -> str:
        """The part of the text that a pattern matches."""
        match = re.match(pattern, self.text, re.ASCII)
        if match is None:
            raise _Unfit
        self.text = self.text[match.end() :]
        return match[0]

    def number(self, pattern: str, low: int, high: int) -> int:
        """A number in a range."""
        found = int(self.take(pattern))
        if not low <= found <= high:
            raise _Unfit
        return found

    def word(self, words: tuple[str, ...], short: bool) -> int:
        """The place of one of some words, in any case."""
        for place, word in enumerate(words):
            form = word[:3] if short else word
            if form and self.text[: len(form)].lower() == form.lower():
                self.text = self.text[len(form) :]
                return place
        raise _Unfit

    def chunk(self, chunk: str, following: str) -> None:
        """Reads what a chunk of the layout stands for; `following` is the next chunk."""
        digits = r"\d\d" if len(chunk) > 1 else r"\d\d?"
        match chunk:
            case "2006":
                self.year = int(self.take(r"\d{4}"))
            case "06":
                short = int(self.take(r"\d\d"))
                self.year = short + (1900 if short >= 69 else 2000)
            case "January" | "Jan":
                self.month = self.word(MONTHS, chunk == "Jan") + 1
            case "1" | "01":
                self.month = self.number(digits, 1, 12)
            case "Monday" | "Mon":
                self.word(DAYS, chunk == "Mon")
            case "2" | "02":
                self.day = int(self.take(digits))
            case "_2":
                self.day = int(self.take(r" ?\d\d?"))
            case "002":
                self.of_year = int(self.take(r"\d{3}"))
            case "__2":
                self.of_year = int(self.take(r" {0,2}\d{1,3}"))
            case "15":
                self.hour = self.number(r"\d\d?", 0, 23)
            case "3" | "03":
                self.hour = self.number(digits, 0, HALF)
            case "4" | "04":
                self.minute = self.number(digits, 0, 59)
            case "5" | "05":
                self.second = self.number(digits, 0, 59)
                if following[:1] not in (".", ",") and re.match(r"[.,]\d", self.text, re.ASCII):
                    self.fraction(r"[.,]\d+")
            case "PM":
                self.half = self.take("PM|AM").lower()
            case "pm":
                self.half = self.take("pm|am")
            case "MST":
                self.abbreviation()
            case "_":
                self.literal(chunk)
            case _ if chunk[0] in ".,":
                if chunk[1] == "0":
                    self.fraction(rf"[.,]\d{{{len(chunk) - 1}}}")
                elif re.match(r"[.,]\d", self.text, re.ASCII):
                    self.fraction(r"[.,]\d+")
            case _:
                self.numeric_zone(chunk)

    def fraction(self, pattern: str) -> None:
        """A fraction of a second."""
        self.nano = int(self.take(pattern)[1:10].ljust(9, "0"))

    def abbreviation(self) -> None:
        """A zone by its abbreviation, such as `CEST`, `GMT+3` or `+03`."""
        if self.text.startswith("UTC"):
            self.text, self.zone = self.text[3:], UTC
            return
        self.name = self.take(
            r"ChST|MeST|GMT[+-](?:[01]?\d|2[0-3])(?!\d)|GMT|[+-](?:[01]?\d|2[0-3])(?!\d)"
            r"|[A-Z]{4}T(?![A-Z])|(?:[A-Z]{3}T|WITA)(?![A-Z])|[A-Z]{3}(?![A-Z])"
        )

    def numeric_zone(self, chunk: str) -> None:
        """A zone by its offset."""
        if chunk[0] == "Z" and self.text[:1] == "Z":
            self.text, self.zone = self.text[1:], UTC
            return
        colon = ":" if ":" in chunk else ""
        pairs = {3: 1, 5: 2, 6: 2, 7: 3, 9: 3}[len(chunk)]
        found = re.findall(
            r"\d\d", self.take(r"[+-]" + colon.join([r"\d\d"] * pairs) if pairs else "")
        )
        numbers = [*map(int, found), 0, 0]
        hours, minutes, seconds = numbers[:3]
        if hours > 24 or minutes > 60 or seconds > 60:
            raise _Unfit
        self.offset = hours * 3600 + minutes * 60 + seconds


def read_time(text: str, layout: str, zone: Zone | None = None) -> Time:
    """The time that a text shows in a layout; without a zone in it, it is in `zone` or in UTC.

    Raises:
        FunctionError: `invalid_date`.
    """
    try:
        if max(len(text), len(layout)) > _LONGEST:
            raise _Unfit
        return _read(text, layout, zone or UTC)
    except _Unfit:
        hint = "layouts are Go's, such as `2006-01-02 15:04:05`"
        raise FunctionError("the text is not a date in this layout", "invalid_date", hint) from None


def _read(text: str, layout: str, usual: Zone) -> Time:
    reading = _Reading(text)
    chunks = [*CHUNK.finditer(layout)]
    position = 0
    for number, match in enumerate(chunks):
        reading.literal(layout[position : match.start()])
        before = reading.text
        following = chunks[number + 1][0] if number + 1 < len(chunks) else ""
        reading.chunk(match[0], following)
        if match[0][0] in "-Z" and reading.offset is not None and before[:1] == "-":
            reading.offset = -abs(reading.offset)
        position = match.end()
    reading.literal(layout[position:])
    if reading.text:
        raise _Unfit
    return _time(reading, usual)


def _time(found: _Reading, usual: Zone) -> Time:
    hour = found.hour
    if found.half == "pm" and hour < HALF:
        hour += HALF
    elif found.half == "am" and hour == HALF:
        hour = 0
    date = _date(found)
    clock = (hour, found.minute, found.second, found.nano)
    if found.zone is not None:
        return Time.civil(date, clock, found.zone)
    if found.offset is None and not found.name:
        return Time.civil(date, clock, usual)
    plain = Time.civil(date, clock, UTC)
    offset = found.offset
    if offset is None:
        offset = usual.called(found.name, plain.count // SECOND)
        if offset is not None:
            return Time(plain.count - offset * SECOND, usual)
        own = int(found.name[3:] or 0) * 3600 if found.name.startswith("GMT") else 0
        return Time(plain.count, Zone(found.name, own))
    count = plain.count - offset * SECOND
    known, name = usual.at(count // SECOND)
    if known == offset and found.name in ("", name):
        return Time(count, usual)
    return Time(count, Zone(found.name, offset))


def _date(found: _Reading) -> tuple[int, int, int]:
    """The date, which may be given by the day of the year."""
    month, day = found.month, found.day
    if found.of_year >= 0:
        length = days_of(found.year + 1, 1, 1) - days_of(found.year, 1, 1)
        if not 1 <= found.of_year <= length:
            raise _Unfit
        _, at, of_month = date_of(days_of(found.year, 1, 1) + found.of_year - 1)
        if month not in (-1, at) or day not in (-1, of_month):
            raise _Unfit
        return found.year, at, of_month
    month, day = max(month, 1), 1 if day < 0 else day
    if not 1 <= day <= days_of(found.year, month + 1, 1) - days_of(found.year, month, 1):
        raise _Unfit
    return found.year, month, day
