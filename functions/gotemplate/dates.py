"""Times, durations and the clock; the local zone is UTC."""

from __future__ import annotations

from typing import Any, Final

from ..expr.kinds import wrapped
from ..expr.layouts import read_time
from ..expr.moments import SECOND, UTC, Duration, Time, format_time, read_duration, zone_named
from ..registry import Environment
from ..signatures import Declarations
from ..values import FunctionError
from .guards import TYPES, failed
from .kinds import Int64
from .numbers import read_digits

function: Final = Declarations("dates", __package__, propagates_none=False, types=TYPES)

_HOUR: Final = 3600
_ROUNDED: Final = (
    (8760 * _HOUR, "y"),
    (720 * _HOUR, "mo"),
    (24 * _HOUR, "d"),
    (_HOUR, "h"),
    (60, "m"),
    (1, "s"),
)


@function("now() -> time", effect="clock")
def _now(environment: Environment) -> Time:
    return Time(int(environment.now() * SECOND))


def _moment(environment: Environment, value: Any) -> Time:
    """The time that a value stands for: itself, seconds since 1970, else now."""
    if isinstance(value, Time):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return Time(value * SECOND)
    return _now(environment)


@function(
    "dateInZone(layout: string, date: any, zone: string) -> string", effect="clock", weight=96
)
@function(
    "date_in_zone(layout: string, date: any, zone: string) -> string", effect="clock", weight=96
)
def _date_in_zone(environment: Environment, layout: str, date: Any, zone: str) -> str:
    try:
        shown = zone_named(zone)
    except FunctionError:
        shown = UTC
    return format_time(Time(_moment(environment, date).count, shown), layout)


@function("date(layout: string, date: any) -> string", effect="clock", weight=96)
def _date(environment: Environment, layout: str, date: Any) -> str:
    return _date_in_zone(environment, layout, date, "Local")


@function("htmlDate(date: any) -> string", effect="clock")
def _html_date(environment: Environment, date: Any) -> str:
    return _date_in_zone(environment, "2006-01-02", date, "Local")


@function("htmlDateInZone(date: any, zone: string) -> string", effect="clock")
def _html_date_in_zone(environment: Environment, date: Any, zone: str) -> str:
    return _date_in_zone(environment, "2006-01-02", date, zone)


@function("mustDateModify(change: string, date: time) -> time")
@function("must_date_modify(change: string, date: time) -> time")
def _must_modify(change: str, date: Time) -> Time:
    try:
        return Time(date.count + read_duration(change).count, date.zone)
    except FunctionError as error:
        raise failed(error.message, error.hint) from None


@function("dateModify(change: string, date: time) -> time")
@function("date_modify(change: string, date: time) -> time")
def _modify(change: str, date: Time) -> Time:
    """The same time for what is no duration."""
    try:
        return _must_modify(change, date)
    except FunctionError:
        return date


@function("mustToDate(layout: string, text: string) -> time")
def _must_to_date(layout: str, text: str) -> Time:
    try:
        return read_time(text, layout)
    except FunctionError as error:
        raise failed(error.message, error.hint) from None


@function("toDate(layout: string, text: string) -> time")
def _to_date(layout: str, text: str) -> Time:
    """The first of January of the year 1 for what is no date."""
    try:
        return _must_to_date(layout, text)
    except FunctionError:
        return Time.civil((1, 1, 1), (0, 0, 0, 0), UTC)


function("unixEpoch(date: time) -> string")(lambda date: str(date.count // SECOND))


@function("ago(date: any) -> string", effect="clock")
def _ago(environment: Environment, date: Any) -> str:
    passed = environment.now() * SECOND - _moment(environment, date).count
    return str(Duration(round(passed / SECOND) * SECOND))


@function("duration(seconds: any) -> string")
def _duration(seconds: Any) -> str:
    count = seconds if isinstance(seconds, Int64) else 0
    if seconds.__class__ is str:
        count = read_digits(seconds)
    return str(Duration(wrapped(int(count) * SECOND)))


@function("durationRound(duration: any) -> string", effect="clock")
def _duration_round(environment: Environment, value: Any) -> str:
    """The greatest unit of a duration, of nanoseconds, or since a time."""
    if value.__class__ is str:
        try:
            size = abs(read_duration(value).count)
        except FunctionError:
            size = 0
    elif isinstance(value, Time):
        size = abs(int(environment.now() * SECOND) - value.count)
    else:
        size = abs(value) if isinstance(value, Int64) else 0
    for unit, name in _ROUNDED:
        if size > unit * SECOND:
            return f"{size // (unit * SECOND)}{name}"
    return "0s"
