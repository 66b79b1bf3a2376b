"""Dates in UTC: written in a format, moved, and with a part put in place of another."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from ..examples import edge, given
from ..registry import Function, Parameter
from ..values import FunctionError
from .arguments import NUMBER, TEXT, helper, whole
from .date_formats import format_date

_SHIFTS: Final = ("years", "months", "weeks", "days", "hours", "minutes", "seconds", "milliseconds")
_PARTS: Final = ("years", "months", "days", "hours", "minutes", "seconds", "milliseconds")


def read_date(name: str, text: str) -> datetime:
    """A date of ISO 8601; one without a zone is in UTC.

    Raises:
        FunctionError: `invalid_argument`.
    """
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise FunctionError(
            f"the date for `{name}` is none",
            hint="write it as in `2024-01-31` or `2024-01-31T12:00:00Z`",
            argument=0,
        ) from None
    try:
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except OverflowError:
        raise _beyond(name) from None


def _beyond(name: str) -> FunctionError:
    return FunctionError(f"the result of `{name}` lies beyond the calendar")


def iso_text(moment: datetime) -> str:
    """`2024-01-31T12:00:00.000Z`."""
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z".rjust(24, "0")


def write_date(text: str, form: str) -> str:
    """A date in a format of tokens, such as `yyyy-MM-dd`."""
    return format_date(read_date("formatDateUtc", text), form)


def shift_date(text: str, amount: Any, unit: str) -> str:
    """A date that many units later; the day is the last of its month when there is none such."""
    name = "shiftDateUtc"
    moment = read_date(name, text)
    count = whole(name, "amount", amount, 1)
    _hold_unit(name, unit, _SHIFTS)
    try:
        if unit in ("years", "months"):
            months = moment.year * 12 + moment.month - 1 + count * (12 if unit == "years" else 1)
            year, month = divmod(months, 12)
            day = min(moment.day, _days(year, month + 1))
            return iso_text(moment.replace(year=year, month=month + 1, day=day))
        return iso_text(moment + timedelta(**{unit: count}))
    except (ValueError, OverflowError):
        raise _beyond(name) from None


def modify_date(text: str, amount: Any, unit: str) -> str:
    """A date with one part set, months from 0; too great a number runs over into the next part."""
    name = "modifyDateUtc"
    moment = read_date(name, text)
    value = whole(name, "amount", amount, 1)
    _hold_unit(name, unit, _PARTS)
    try:
        start = datetime(moment.year, 1, 1, tzinfo=UTC)
        match unit:
            case "years":
                months, rest = value * 12 + moment.month - 1, moment.day - 1
            case "months":
                months, rest = moment.year * 12 + value, moment.day - 1
            case "days":
                months, rest = moment.year * 12 + moment.month - 1, value - 1
            case _:
                field = {"milliseconds": "microsecond"}.get(unit, unit[:-1])
                step = timedelta(**{unit: value})
                kept = moment.microsecond % 1000 if unit == "milliseconds" else 0
                return iso_text(moment.replace(**{field: kept}) + step)  # type: ignore[arg-type]
        year, month = divmod(months, 12)
        start = datetime(year, month + 1, 1, tzinfo=UTC)
        clock = moment - datetime(moment.year, moment.month, moment.day, tzinfo=UTC)
        return iso_text(start + timedelta(days=rest) + clock)
    except (ValueError, OverflowError):
        raise _beyond(name) from None


def _days(year: int, month: int) -> int:
    """How many days a month has."""
    following = date(year + month // 12, month % 12 + 1, 1)
    return (following - date(year, month, 1)).days


def _hold_unit(name: str, unit: str, units: tuple[str, ...]) -> None:
    if unit not in units:
        known = ", ".join(f"`{known}`" for known in units)
        raise FunctionError(f"the unit for `{name}` is none", hint=f"there are {known}", argument=2)


def date_functions() -> tuple[Function, ...]:
    """The records."""
    when = Parameter("date", TEXT, "a date of ISO 8601, in UTC when it has no zone")
    amount = Parameter("amount", NUMBER, "a whole number")
    return (
        helper(
            "formatDateUtc",
            "a date in UTC, written in a format",
            (when, Parameter("format", TEXT, "tokens such as `yyyy-MM-dd HH:mm:ss`")),
            "string",
            write_date,
            "dates",
            (
                given(
                    'formatDateUtc("2021-01-01T00:00:00Z", "yyyy-MM-dd HH:mm:ss")',
                    "2021-01-01 00:00:00",
                ),
                given(
                    'formatDateUtc("2021-01-01T00:00:00+0200", "yyyy-MM-dd HH:mm:ss")',
                    "2020-12-31 22:00:00",
                ),
                given('formatDateUtc("2024-02-29", "EEEE do MMMM")', "Thursday 29th February"),
                edge('formatDateUtc("2024-02-29T13:05:09.007Z", "h:mm a SSS X")', "1:05 PM 007 Z"),
                edge("formatDateUtc('2024-02-29', \"d 'd' ''yy\")", "29 d '24"),
                edge('formatDateUtc("2024-02-29", "YYYY")', error="invalid_argument"),
                edge('formatDateUtc("2024-02-29", "yyyy-MM-DD")', error="invalid_argument"),
                edge('formatDateUtc("2024-02-29", "n")', error="invalid_argument"),
                edge('formatDateUtc("2024-02-30", "d")', error="invalid_argument"),
            ),
        ),
        helper(
            "shiftDateUtc",
            "a date moved by an amount of a unit",
            (when, amount, Parameter("unit", TEXT, "`years` down to `milliseconds`")),
            "string",
            shift_date,
            "dates",
            (
                given(
                    'shiftDateUtc("2021-01-01T00:00:00Z", 1, "days")', "2021-01-02T00:00:00.000Z"
                ),
                given('shiftDateUtc("2021-01-31", 1, "months")', "2021-02-28T00:00:00.000Z"),
                edge('shiftDateUtc("2024-02-29", 0 - 1, "years")', "2023-02-28T00:00:00.000Z"),
                edge('shiftDateUtc("2024-12-31", "2", "weeks")', "2025-01-14T00:00:00.000Z"),
                edge('shiftDateUtc("2024-12-31", 1, "fortnights")', error="invalid_argument"),
                edge('shiftDateUtc("2024-12-31", 9000, "years")', error="invalid_argument"),
                edge('shiftDateUtc("2024-12-31", 1.5, "days")', error="invalid_argument"),
            ),
        ),
        helper(
            "modifyDateUtc",
            "a date with one of its parts set",
            (when, amount, Parameter("unit", TEXT, "`years`, `months` (from 0) and so on")),
            "string",
            modify_date,
            "dates",
            (
                given(
                    'modifyDateUtc("2021-01-01T00:00:00Z", 0, "months")', "2021-01-01T00:00:00.000Z"
                ),
                given('modifyDateUtc("2021-03-31", 1, "months")', "2021-03-03T00:00:00.000Z"),
                edge('modifyDateUtc("2021-01-01", 32, "days")', "2021-02-01T00:00:00.000Z"),
                edge(
                    'modifyDateUtc("2021-01-01T01:02:03.004Z", 61, "minutes")',
                    "2021-01-01T02:01:03.004Z",
                ),
                edge(
                    'modifyDateUtc("2021-01-01T01:02:03.004Z", 5, "milliseconds")',
                    "2021-01-01T01:02:03.005Z",
                ),
                edge('modifyDateUtc("2020-02-29", 2021, "years")', "2021-03-01T00:00:00.000Z"),
                edge('modifyDateUtc("2021-01-01", 1, "weeks")', error="invalid_argument"),
            ),
        ),
    )
