"""Times, durations and time zones as Go has them: nanoseconds, any year, civil time by zone."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from ..values import FunctionError
from .kinds import KINDS, Month, Weekday, wrapped

SECOND: Final = 1_000_000_000
_DAY: Final = 86_400
_EPOCH: Final = 719_468
"""The days from the first of March of the year 0 to the first of January 1970."""
_ERA: Final = 146_097
_YEARS_OF_ZONES: Final = (-62_135_596_800 + 2 * _DAY, 253_402_300_799 - 2 * _DAY)
_UNITS: Final = {
    "ns": 1,
    **dict.fromkeys(("us", "\u00b5s", "\u03bcs"), 1_000),
    "ms": 1_000_000,
    "s": SECOND,
    "m": 60 * SECOND,
    "h": 3_600 * SECOND,
}
_PART: Final = r"([0-9]*)(?:\.([0-9]*))?([^0-9.]+)"
MOST: Final = 1 << 63


def days_of(year: int, month: int, day: int) -> int:
    """The days from 1970-01-01 to a date; months and days beyond their range carry over."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    year -= month <= 2
    era, of_era = divmod(year, 400)
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * _ERA + of_era * 365 + of_era // 4 - of_era // 100 + of_year - _EPOCH


def date_of(days: int) -> tuple[int, int, int]:
    """The year, month and day of a number of days since 1970-01-01."""
    era, rest = divmod(days + _EPOCH, _ERA)
    of_era = (rest - rest // 1460 + rest // 36524 - rest // 146096) // 365
    of_year = rest - (365 * of_era + of_era // 4 - of_era // 100)
    shifted = (5 * of_year + 2) // 153
    month = shifted + (3 if shifted < 10 else -9)
    return era * 400 + of_era + (month <= 2), month, of_year - (153 * shifted + 2) // 5 + 1


class Zone:
    """A time zone: one of IANA's, or a fixed offset in seconds with a name."""

    __slots__ = ("_info", "_offset", "name")

    def __init__(self, name: str, offset: int = 0, info: Any = None) -> None:
        self.name = name
        self._offset = offset
        self._info = info

    def at(self, second: int) -> tuple[int, str]:
        """The offset in seconds and the abbreviation at a second since 1970."""
        if self._info is None:
            return self._offset, self.name
        from datetime import UTC, datetime, timedelta

        least, most = _YEARS_OF_ZONES  # which Python's dates have
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=min(max(second, least), most))
        local = moment.astimezone(self._info)
        offset = local.utcoffset()
        assert offset is not None
        return int(offset.total_seconds()), local.tzname() or ""

    def moment(self, wall: int) -> int:
        """The second since 1970 at which a wall clock shows a number of seconds, as Go has it."""
        first, _ = self.at(wall)
        then, _ = self.at(wall - first)
        return wall - then

    def called(self, name: str, second: int) -> int | None:
        """The offset of an abbreviation of this zone around a time; None when it has none such."""
        for near in (second, second - _DAY * 182, second + _DAY * 182):
            offset, known = self.at(near)
            if known == name:
                return offset
        return None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Zone) and (self.name, self._offset) == (other.name, other._offset)

    def __hash__(self) -> int:
        return hash((self.name, self._offset))

    def __str__(self) -> str:
        return self.name

    def to_json(self) -> str:
        """As Go writes it: it has no fields that can be seen."""
        return "{}"


UTC: Final = Zone("UTC")


@cache
def zone_named(name: str) -> Zone:
    """The zone that IANA calls by a name.

    Raises:
        FunctionError: `invalid_date`.
    """
    if name in ("", "UTC", "Local"):
        return UTC
    from zoneinfo import ZoneInfo, available_timezones

    try:
        return Zone(name, 0, ZoneInfo(name))
    except (ValueError, OSError, LookupError):
        known = available_timezones()
    hint: Any = "write a name of IANA's database, such as `Europe/Berlin`"
    if not known:
        hint = "this system knows no time zones: `pip install 'blueprint-preprocessor[expr]'`"
    raise FunctionError("there is no such time zone", "invalid_date", hint, 0)


class _Counted:
    """What is a number of nanoseconds."""

    __slots__ = ("count",)

    def __init__(self, count: int) -> None:
        self.count = count

    def __eq__(self, other: object) -> bool:
        return isinstance(other, self.__class__) and self.count == other.count

    def __lt__(self, other: _Counted) -> bool:
        return self.count < other.count

    def __hash__(self) -> int:
        return hash(self.count)


class Duration(_Counted):
    """A span of time in nanoseconds, in 64 bits."""

    __slots__ = ()

    def __init__(self, count: int) -> None:
        super().__init__(wrapped(count))

    def __str__(self) -> str:
        """`1h30m0s`, `1.5ms`, `0s`."""
        size, sign = abs(self.count), "-" if self.count < 0 else ""
        if size < SECOND:
            unit = next((u for u in ("ms", "\u00b5s", "ns") if size >= _UNITS[u]), None)
            return f"{sign}{_fraction(size, _UNITS[unit])}{unit}" if unit else "0s"
        minutes, seconds = divmod(size, 60 * SECOND)
        text = f"{_fraction(seconds, SECOND)}s"
        if minutes:
            text = f"{minutes % 60}m{text}"
        if minutes >= 60:
            text = f"{minutes // 60}h{text}"
        return sign + text

    def to_json(self) -> str:
        """The nanoseconds."""
        return str(self.count)


def _fraction(count: int, unit: int) -> str:
    number, rest = divmod(count, unit)
    if not rest:
        return str(number)
    return f"{number}.{rest:0{len(str(unit)) - 1}}".rstrip("0")


def read_duration(text: str) -> Duration:
    """The duration of a text such as `1h30m`, `-1.5s`, `0`.

    Raises:
        FunctionError: `invalid_date`.
    """
    body = text[1:] if text[:1] in ("+", "-") else text
    if body == "0":
        return Duration(0)
    position = total = 0
    while position < len(body):
        match = re.compile(_PART).match(body, position)
        unit = _UNITS.get(match[3]) if match else None
        if match is None or unit is None or not (match[1] or match[2]):
            total = -1
            break
        fraction = match[2] or ""
        total += int(match[1] or 0) * unit + int(fraction or 0) * unit // 10 ** len(fraction)
        position = match.end()
    if total < 0 or not body or total >= MOST:
        raise FunctionError(
            "the text is not a duration",
            "invalid_date",
            "write numbers with units, as in `1h30m`; the units are ns, us, ms, s, m and h",
            0,
        )
    return Duration(-total if text[0] == "-" else total)


class Time(_Counted):
    """A moment: nanoseconds since 1970 in a zone that says how it is shown."""

    __slots__ = ("_offset", "zone")

    def __init__(self, count: int, zone: Zone = UTC) -> None:
        super().__init__(count)
        self.zone = zone
        self._offset: tuple[int, str] | None = None

    @classmethod
    def civil(
        cls, date: tuple[int, int, int], clock: tuple[int, int, int, int], zone: Zone
    ) -> Time:
        """The time at a date (year, month, day) and hour, minute, second, nanosecond in a zone."""
        hour, minute, second, nano = clock
        wall = days_of(*date) * _DAY + hour * 3600 + minute * 60 + second
        return cls(zone.moment(wall) * SECOND + nano, zone)

    @property
    def offset(self) -> tuple[int, str]:
        """The offset from UTC in seconds, and its abbreviation."""
        if self._offset is None:
            self._offset = self.zone.at(self.count // SECOND)
        return self._offset

    @property
    def wall(self) -> int:
        """The seconds since 1970 that a clock in the zone shows."""
        return self.count // SECOND + self.offset[0]

    @property
    def date(self) -> tuple[int, int, int]:
        """Year, month and day in the zone."""
        return date_of(self.wall // _DAY)

    @property
    def clock(self) -> tuple[int, int, int]:
        """Hour, minute and second in the zone."""
        second = self.wall % _DAY
        return second // 3600, second // 60 % 60, second % 60

    @property
    def nano(self) -> int:
        """The nanoseconds in the second."""
        return self.count % SECOND

    @property
    def weekday(self) -> int:
        """The day of the week; Sunday is 0."""
        return (self.wall // _DAY + 4) % 7

    @property
    def day_of_year(self) -> int:
        """The day of the year, from 1."""
        return self.wall // _DAY - days_of(self.date[0], 1, 1) + 1

    def iso_week(self) -> tuple[int, int]:
        """The year and the number of the week by ISO 8601."""
        thursday = self.wall // _DAY + 4 - ((self.weekday - 1) % 7 + 1)
        year = date_of(thursday)[0]
        return year, (thursday - days_of(year, 1, 1)) // 7 + 1

    def __str__(self) -> str:
        """RFC 3339 with up to nine digits: `2024-01-01T00:00:00.5Z`."""
        return format_time(self, RFC3339_NANO)

    def to_json(self) -> str:
        """Its text in quotes.

        Raises:
            FunctionError: `not_json` for a year that this has no room for.
        """
        if not 0 <= self.date[0] <= 9999:
            raise FunctionError("JSON has no times outside of the years 0 to 9999", "not_json")
        return f'"{self}"'


KINDS.update({Time: "time", Duration: "duration", Zone: "location"})


def between(later: Time, earlier: Time) -> Duration:
    """The span between two times, at most what 64 bits hold."""
    return Duration(min(max(later.count - earlier.count, -MOST), MOST - 1))


RFC3339_NANO: Final = "2006-01-02T15:04:05.999999999Z07:00"
LAYOUT_OF_STRING: Final = "2006-01-02 15:04:05.999999999 -0700 MST"
CHUNK: Final = (
    r"January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|0[1-6]|002|15|1|2006|__2|_(?=2006)|_2|2|3|4|5"
    r"|PM|pm|[-Z]07(?:0000|:00:00|00|:00)?|[.,](?:0+|9+)(?![0-9])"
)
MONTHS: Final = Month.words[1:]
DAYS: Final = Weekday.words
HALF: Final = 12


def format_time(time: Time, layout: str) -> str:
    """A time in a layout."""
    return re.sub(CHUNK, lambda match: _written(time, match[0]), layout)


def _written(time: Time, chunk: str) -> str:
    if chunk[0] in "Z-":
        return _offset_text(time.offset[0], chunk)
    if chunk[0] in ".,":
        digits = f"{time.nano:09}"[: len(chunk) - 1].ljust(len(chunk) - 1, "0")
        digits = digits if chunk[1] == "0" else digits.rstrip("0")
        return chunk[0] + digits if digits else ""
    if chunk in _CHUNKS:
        return _CHUNKS[chunk](time)
    hour, minute, second = time.clock
    numbers = {"1": time.date[1], "2": time.date[2], "4": minute, "5": second}
    number = numbers.get(chunk[-1], hour % HALF or HALF)
    return f"{number:02}" if len(chunk) > 1 else str(number)


_CHUNKS: Final[dict[str, Callable[[Time], str]]] = {
    "2006": lambda time: f"{time.date[0]:0{5 if time.date[0] < 0 else 4}}",
    "06": lambda time: f"{time.date[0] % 100:02}",
    "January": lambda time: MONTHS[time.date[1] - 1],
    "Jan": lambda time: MONTHS[time.date[1] - 1][:3],
    "Monday": lambda time: DAYS[time.weekday],
    "Mon": lambda time: DAYS[time.weekday][:3],
    "PM": lambda time: "PM" if time.clock[0] >= HALF else "AM",
    "pm": lambda time: "pm" if time.clock[0] >= HALF else "am",
    "MST": lambda time: time.offset[1] or _offset_text(time.offset[0], "-0700"),
    "15": lambda time: f"{time.clock[0]:02}",
    "002": lambda time: f"{time.day_of_year:03}",
    "__2": lambda time: f"{time.day_of_year:3}",
    "_2": lambda time: f"{time.date[2]:2}",
    "_": lambda time: "_",
}
"""The text of a chunk of a layout that no rule gives."""


def _offset_text(offset: int, chunk: str) -> str:
    if chunk[0] == "Z" and offset == 0:
        return "Z"
    colon = ":" if ":" in chunk else ""
    minutes, seconds = divmod(abs(offset), 60)
    text = f"{'-' if offset < 0 else '+'}{minutes // 60:02}"
    if len(chunk) > 3:
        text += f"{colon}{minutes % 60:02}"
    if len(chunk) > 6:
        text += f"{colon}{seconds:02}"
    return text
