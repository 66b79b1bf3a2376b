"""The clock, dates and zones, which are read by Go's layouts such as `2006-01-02 15:04:05`."""

from __future__ import annotations

import re
from typing import Any, Final

from ..registry import Environment
from ..signatures import Declarations
from ..values import FunctionError
from . import moments

function: Final = Declarations("dates", __package__, propagates_none=False)

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


_NUMBERS: Final = {
    "2006": ("year", r"\d{4}", 0, 9999),
    "1": ("month", r"\d\d?", 1, 12),
    "01": ("month", r"\d\d", 1, 12),
    "2": ("day", r"\d\d?", 0, 99),
    "02": ("day", r"\d\d", 0, 99),
    "_2": ("day", r" ?\d\d?", 0, 99),
    "002": ("of_year", r"\d{3}", 0, 999),
    "__2": ("of_year", r" {0,2}\d{1,3}", 0, 999),
    "15": ("hour", r"\d\d?", 0, 23),
    "3": ("hour", r"\d\d?", 0, moments.HALF),
    "03": ("hour", r"\d\d", 0, moments.HALF),
    "4": ("minute", r"\d\d?", 0, 59),
    "04": ("minute", r"\d\d", 0, 59),
    "5": ("second", r"\d\d?", 0, 59),
    "05": ("second", r"\d\d", 0, 59),
}
"""What chunks of numbers set, the pattern of their text and their range."""


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
        self.zone: moments.Zone | None = None
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
        if chunk in _NUMBERS:
            name, pattern, low, high = _NUMBERS[chunk]
            found = int(self.take(pattern))
            if not low <= found <= high:
                raise _Unfit
            setattr(self, name, found)
            if name == "second" and following[:1] not in (".", ","):
                self.fraction()
        elif chunk == "06":
            short = int(self.take(r"\d\d"))
            self.year = short + (1900 if short >= 69 else 2000)
        elif chunk in ("January", "Jan"):
            self.month = self.word(moments.MONTHS, chunk == "Jan") + 1
        elif chunk in ("Monday", "Mon"):
            self.word(moments.DAYS, chunk == "Mon")
        elif chunk in ("PM", "pm"):
            self.half = self.take("PM|AM" if chunk == "PM" else "pm|am").lower()
        elif chunk == "MST":
            self.abbreviation()
        elif chunk == "_":
            self.literal(chunk)
        elif chunk[0] in ".,":
            self.fraction(len(chunk) - 1 if chunk[1] == "0" else 0)
        else:
            self.numeric_zone(chunk)

    def fraction(self, digits: int = 0) -> None:
        """A fraction of a second: of so many digits, or of any number if there is one."""
        if digits or re.match(r"[.,]\d", self.text, re.ASCII):
            found = self.take(rf"[.,]\d{{{digits}}}" if digits else r"[.,]\d+")
            self.nano = int(found[1:10].ljust(9, "0"))

    def abbreviation(self) -> None:
        """A zone by its abbreviation, such as `CEST`, `GMT+3` or `+03`."""
        if self.text.startswith("UTC"):
            self.text, self.zone = self.text[3:], moments.UTC
            return
        self.name = self.take(
            r"ChST|MeST|GMT[+-](?:[01]?\d|2[0-3])(?!\d)|GMT|[+-](?:[01]?\d|2[0-3])(?!\d)"
            r"|[A-Z]{4}T(?![A-Z])|(?:[A-Z]{3}T|WITA)(?![A-Z])|[A-Z]{3}(?![A-Z])"
        )

    def numeric_zone(self, chunk: str) -> None:
        """A zone by its offset."""
        if chunk[0] == "Z" and self.text[:1] == "Z":
            self.text, self.zone = self.text[1:], moments.UTC
            return
        colon = ":" if ":" in chunk else ""
        pairs = {3: 1, 5: 2, 6: 2, 7: 3, 9: 3}[len(chunk)]
        found = self.take(r"[+-]" + colon.join([r"\d\d"] * pairs))
        hours, minutes, seconds = [*map(int, re.findall(r"\d\d", found)), 0, 0][:3]
        if hours > 24 or minutes > 60 or seconds > 60:
            raise _Unfit
        self.offset = (hours * 3600 + minutes * 60 + seconds) * (-1 if found[0] == "-" else 1)


def read_time(text: str, layout: str, zone: moments.Zone | None = None) -> moments.Time:
    """The time that a text shows in a layout; without a zone in it, it is in `zone` or in UTC.

    Raises:
        FunctionError: `invalid_date`.
    """
    try:
        if max(len(text), len(layout)) > _LONGEST:
            raise _Unfit
        return _read(text, layout, zone or moments.UTC)
    except _Unfit:
        hint = "layouts are Go's, such as `2006-01-02 15:04:05`"
        raise FunctionError("the text is not a date in this layout", "invalid_date", hint) from None


def _read(text: str, layout: str, usual: moments.Zone) -> moments.Time:
    reading = _Reading(text)
    chunks = [*re.finditer(moments.CHUNK, layout)]
    position = 0
    for number, match in enumerate(chunks):
        reading.literal(layout[position : match.start()])
        following = chunks[number + 1][0] if number + 1 < len(chunks) else ""
        reading.chunk(match[0], following)
        position = match.end()
    reading.literal(layout[position:])
    if reading.text:
        raise _Unfit
    return _time(reading, usual)


def _time(found: _Reading, usual: moments.Zone) -> moments.Time:
    hour = found.hour
    if found.half == "pm" and hour < moments.HALF:
        hour += moments.HALF
    elif found.half == "am" and hour == moments.HALF:
        hour = 0
    date = _date(found)
    clock = (hour, found.minute, found.second, found.nano)
    if found.zone is not None:
        return moments.Time.civil(date, clock, found.zone)
    if found.offset is None and not found.name:
        return moments.Time.civil(date, clock, usual)
    plain = moments.Time.civil(date, clock, moments.UTC)
    offset = found.offset
    if offset is None:
        offset = usual.called(found.name, plain.count // moments.SECOND)
        if offset is not None:
            return moments.Time(plain.count - offset * moments.SECOND, usual)
        own = int(found.name[3:] or 0) * 3600 if found.name.startswith("GMT") else 0
        return moments.Time(plain.count, moments.Zone(found.name, own))
    count = plain.count - offset * moments.SECOND
    known, name = usual.at(count // moments.SECOND)
    if known == offset and found.name in ("", name):
        return moments.Time(count, usual)
    return moments.Time(count, moments.Zone(found.name, offset))


def _date(found: _Reading) -> tuple[int, int, int]:
    """The date, which may be given by the day of the year."""
    month, day = found.month, found.day
    if found.of_year >= 0:
        length = moments.days_of(found.year + 1, 1, 1) - moments.days_of(found.year, 1, 1)
        if not 1 <= found.of_year <= length:
            raise _Unfit
        _, at, of_month = moments.date_of(moments.days_of(found.year, 1, 1) + found.of_year - 1)
        if month not in (-1, at) or day not in (-1, of_month):
            raise _Unfit
        return found.year, at, of_month
    month, day = max(month, 1), 1 if day < 0 else day
    following = moments.days_of(found.year, month + 1, 1)
    if not 1 <= day <= following - moments.days_of(found.year, month, 1):
        raise _Unfit
    return found.year, month, day


function("duration(string: string) -> duration")(moments.read_duration)
function("timezone(name: string) -> location")(moments.zone_named)


@function("now(zone?: location) -> time", effect="clock")
def _now(environment: Environment, zone: moments.Zone | None = None) -> moments.Time:
    moment = moments.Time(int(environment.now() * moments.SECOND))
    return moments.Time(moment.count, zone) if zone is not None else moment


@function(
    "date(first: string | location, second?: string, third?: string, fourth?: string) -> time"
)
def _read_date(*given: Any) -> moments.Time:
    """The zone may come first, then the text, its layout, and a zone by name."""
    zone = given[0] if isinstance(given[0], moments.Zone) else None
    texts = given[1:] if zone is not None else given
    if not 1 <= len(texts) <= 3:
        message = (
            "`date` takes a text, a layout and the name of a zone, after a zone if there is one"
        )
        raise FunctionError(message, "invalid_argument_count")
    if len(texts) == 3:
        zone = moments.zone_named(texts[2])
    if len(texts) > 1:
        return read_time(texts[0], texts[1], zone)
    for layout in USUAL:
        try:
            return read_time(texts[0], layout, zone)
        except FunctionError:
            continue
    raise FunctionError(
        "the text is not a date",
        "invalid_date",
        "write it as in `2024-12-31` or `2024-12-31T23:59:59Z`, or give its layout",
        len(given) - 1,
    )
