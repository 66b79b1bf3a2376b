"""The methods of times, durations, zones, months and weekdays; and these values as expressions."""

from __future__ import annotations

from typing import Any, Final

from . import moments
from .kinds import Method, Month, Struct, StructType, Weekday, kind_of, wrapped
from .texts import quoted_json, text_of

ZERO: Final = moments.Time(moments.days_of(1, 1, 1) * 86_400 * moments.SECOND)


def _shifted(time: moments.Time, years: int, months: int, days: int) -> moments.Time:
    year, month, day = time.date
    date = (year + years, month + months, day + days)
    return moments.Time.civil(date, (*time.clock, time.nano), time.zone)


def _truncated(count: int, step: int) -> int:
    """How far a number is above a multiple of a step, which is positive."""
    return count - int(abs(count) // step * step * (1 if count >= 0 else -1))


def _round_duration(own: moments.Duration, step: moments.Duration) -> moments.Duration:
    size = step.count
    if size <= 0:
        return own
    rest = abs(_truncated(own.count, size))
    sign = -1 if own.count < 0 else 1
    base = own.count - sign * rest
    return moments.Duration(base if rest + rest < size else base + sign * size)


def _round_time(own: moments.Time, step: moments.Duration, up: bool) -> moments.Time:
    if step.count <= 0:
        return own
    rest = (own.count - ZERO.count) % step.count
    more = step.count if up and rest + rest >= step.count else 0
    return moments.Time(own.count - rest + more, own.zone)


SEVERAL: Final = "values"
"""The result of methods that give more than two values in Go, which expressions do not take.

Of two they take the first, and of all what a value that is not known before gives.
"""

_TIME: Final[dict[str, Method]] = {
    "Year": ((), "integer", lambda t: t.date[0]),
    "Month": ((), "month", lambda t: Month(t.date[1])),
    "Day": ((), "integer", lambda t: t.date[2]),
    "Hour": ((), "integer", lambda t: t.clock[0]),
    "Minute": ((), "integer", lambda t: t.clock[1]),
    "Second": ((), "integer", lambda t: t.clock[2]),
    "Nanosecond": ((), "integer", lambda t: t.nano),
    "Weekday": ((), "weekday", lambda t: Weekday(t.weekday)),
    "YearDay": ((), "integer", lambda t: t.day_of_year),
    "Unix": ((), "integer", lambda t: t.count // moments.SECOND),
    "UnixMilli": ((), "integer", lambda t: t.count // 1_000_000),
    "UnixMicro": ((), "integer", lambda t: t.count // 1_000),
    "UnixNano": ((), "integer", lambda t: wrapped(t.count)),
    "Format": (("string",), "string", moments.format_time),
    "AddDate": (("integer", "integer", "integer"), "time", _shifted),
    "Add": (("duration",), "time", lambda t, d: moments.Time(t.count + d.count, t.zone)),
    "Sub": (("time",), "duration", lambda t, o: moments.between(t, o)),
    "Before": (("time",), "boolean", lambda t, o: t.count < o.count),
    "After": (("time",), "boolean", lambda t, o: t.count > o.count),
    "Equal": (("time",), "boolean", lambda t, o: t.count == o.count),
    "Compare": (("time",), "integer", lambda t, o: (t.count > o.count) - (t.count < o.count)),
    "IsZero": ((), "boolean", lambda t: t.count == ZERO.count),
    "In": (("location",), "time", lambda t, zone: moments.Time(t.count, zone)),
    "UTC": ((), "time", lambda t: moments.Time(t.count)),
    "Local": ((), "time", lambda t: moments.Time(t.count)),
    "Truncate": (("duration",), "time", lambda t, d: _round_time(t, d, False)),
    "Round": (("duration",), "time", lambda t, d: _round_time(t, d, True)),
    "String": ((), "string", text_of),
    "ISOWeek": ((), "integer", lambda t: t.iso_week()[0]),
    "Zone": ((), "string", lambda t: t.offset[1]),
    "Date": ((), SEVERAL, lambda t: t.date[0]),
    "Clock": ((), SEVERAL, lambda t: t.clock[0]),
    "Location": ((), "location", lambda t: t.zone),
}
_DURATION: Final[dict[str, Method]] = {
    "Hours": ((), "float", lambda d: d.count / (3600 * moments.SECOND)),
    "Minutes": ((), "float", lambda d: d.count / (60 * moments.SECOND)),
    "Seconds": ((), "float", lambda d: d.count / moments.SECOND),
    "Milliseconds": ((), "integer", lambda d: int(d.count / 1_000_000)),
    "Microseconds": ((), "integer", lambda d: int(d.count / 1_000)),
    "Nanoseconds": ((), "integer", lambda d: d.count),
    "Round": (("duration",), "duration", _round_duration),
    "Truncate": (
        ("duration",),
        "duration",
        lambda d, step: (
            moments.Duration(d.count - _truncated(d.count, step.count)) if step.count > 0 else d
        ),
    ),
    "Abs": ((), "duration", lambda d: moments.Duration(min(abs(d.count), moments.MOST - 1))),
    "String": ((), "string", str),
}
_WORD: Final[dict[str, Method]] = {"String": ((), "string", lambda value: value.text)}

TYPES: Final = {
    one.name: one
    for one in (
        StructType("time", "a time", "time.Time", methods=_TIME),
        StructType("duration", "a duration", "time.Duration", methods=_DURATION),
        StructType(
            "location", "a time zone", "time.Location", methods={"String": ((), "string", str)}
        ),
        StructType("month", "a month", "time.Month", methods=_WORD),
        StructType("weekday", "a weekday", "time.Weekday", methods=_WORD),
    )
}
"""The types that have methods, by their names in signatures."""


def named_type(value: Any) -> StructType | None:
    """The type of a value that has fields or methods."""
    return value.type if isinstance(value, Struct) else TYPES.get(kind_of(value))


def describe(value: Any) -> str:
    """A time, a duration or a zone as an expression that gives it."""
    if isinstance(value, moments.Time):
        text = quoted_json(str(value))
        named = value.zone.name
        return f"date({text})" + (f".In(timezone({quoted_json(named)}))" if named else "")
    if isinstance(value, moments.Zone):
        return f"timezone({quoted_json(value.name)})"
    return f"duration({quoted_json(str(value))})"
