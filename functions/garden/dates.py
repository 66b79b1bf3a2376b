"""Dates in UTC: formatted, shifted, and with one part set."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from ..regexes import compile_regex
from ..signatures import Declarations
from ..values import FunctionError
from .arguments import whole

function: Final = Declarations("dates", __package__, propagates_none=False)


_SHIFTS: Final = ("years", "months", "weeks", "days", "hours", "minutes", "seconds", "milliseconds")
_PARTS: Final = ("years", "months", "days", "hours", "minutes", "seconds", "milliseconds")


_TOKEN: Final = compile_regex(
    r"''|'((?:[^']|'')*)'|([A-Za-z])(?:o(?![A-Za-z])|\2*)|([^A-Za-z'])|(')"
)
_DAYS: Final = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)
_INSTEAD: Final = {"Y": "y", "D": "d"}


def read_date(name: str, text: str) -> datetime:
    """A date of ISO 8601; one without a zone is in UTC.

    Raises:
        FunctionError: `invalid_argument`.
    """
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise FunctionError(
            f"the date for `{name}` is not an ISO 8601 date",
            hint="write it like `2024-01-31` or `2024-01-31T12:00:00Z`",
            argument=0,
        ) from None
    try:
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except OverflowError:
        raise _beyond(name) from None


def _beyond(name: str) -> FunctionError:
    return FunctionError(f"the result of `{name}` is out of range")


def iso_text(moment: datetime) -> str:
    """`2024-01-31T12:00:00.000Z`."""
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z".rjust(24, "0")


@function("formatDateUtc(date: string, format: string) -> string")
def write_date(text: str, form: str) -> str:
    """A date in a format of tokens, such as `yyyy-MM-dd`."""
    return format_date(read_date("formatDateUtc", text), form)


@function("shiftDateUtc(date: string, amount: integer | float | string, unit: string) -> string")
def shift_date(text: str, amount: Any, unit: str) -> str:
    """A date shifted by some units; a day beyond the end of its month becomes the last one."""
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


@function("modifyDateUtc(date: string, amount: integer | float | string, unit: string) -> string")
def modify_date(text: str, amount: Any, unit: str) -> str:
    """A date with one part set, months from 0; a number that is too large carries over."""
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
    """The number of days of a month."""
    following = date(year + month // 12, month % 12 + 1, 1)
    return (following - date(year, month, 1)).days


def _hold_unit(name: str, unit: str, units: tuple[str, ...]) -> None:
    if unit not in units:
        known = ", ".join(f"`{known}`" for known in units)
        raise FunctionError(f"unknown unit for `{name}`", hint=f"available: {known}", argument=2)


def format_date(moment: datetime, form: str) -> str:
    """A date in UTC in a format.

    Raises:
        FunctionError: `invalid_argument` for letters that are no token.
    """
    parts = []
    for match in _TOKEN.finditer(form):
        text, letter, other, quote = match.groups()
        if match[0] == "''":
            parts.append("'")
        elif quote is not None:
            raise FunctionError("a `'` in the format is not closed", argument=1)
        elif text is not None:
            parts.append(text.replace("''", "'"))
        elif other is not None:
            parts.append(other)
        else:
            parts.append(_token(moment, match[0], letter))
    return "".join(parts)


def _token(moment: datetime, token: str, letter: str) -> str:
    count = len(token)
    if token == letter + "o" and letter in _NUMBERS:
        return ordinal(_NUMBERS[letter](moment))
    if letter in _WORDS and count >= 3:
        return _word(_WORDS[letter](moment), letter, count)
    if letter == "y":
        return f"{moment.year % 100:02}" if count == 2 else f"{moment.year:0{count}}"
    if letter in _NUMBERS and count <= 2:
        return f"{_NUMBERS[letter](moment):0{count}}"
    if letter == "S":
        return f"{moment.microsecond:06}"[:count].ljust(count, "0")
    if letter in _OTHERS:
        return _OTHERS[letter](moment, count)
    near = _INSTEAD.get(letter)
    raise FunctionError(
        f"`{token}` is not a token of date formats",
        hint=f"write `{near * count}`" if near else "put literal text between single quotes",
        argument=1,
    )


_NUMBERS: Final[dict[str, Callable[[datetime], int]]] = {
    "M": lambda moment: moment.month,
    "L": lambda moment: moment.month,
    "Q": lambda moment: (moment.month + 2) // 3,
    "d": lambda moment: moment.day,
    "H": lambda moment: moment.hour,
    "h": lambda moment: (moment.hour + 11) % 12 + 1,
    "K": lambda moment: moment.hour % 12,
    "k": lambda moment: moment.hour or 24,
    "m": lambda moment: moment.minute,
    "s": lambda moment: moment.second,
    "i": lambda moment: moment.isoweekday(),
    "I": lambda moment: moment.isocalendar().week,
}
_WORDS: Final[dict[str, Callable[[datetime], str]]] = {
    "M": lambda moment: _MONTHS[moment.month - 1],
    "L": lambda moment: _MONTHS[moment.month - 1],
    "E": lambda moment: _DAYS[moment.weekday()],
}


def _zone(moment: datetime, count: int) -> str:
    return "+00" if count == 1 else "+0000" if count in (2, 4) else "+00:00"


_OTHERS: Final[dict[str, Callable[[datetime, int], str]]] = {
    "E": lambda moment, count: _DAYS[moment.weekday()][:3],
    "a": lambda moment, count: (
        ("am" if moment.hour < 12 else "pm") if count == 3 else _half(moment)
    ),
    "X": lambda moment, count: "Z",
    "x": _zone,
    "R": lambda moment, count: f"{moment.isocalendar().year:0{count}}",
    "t": lambda moment, count: str(int(moment.timestamp())),
    "T": lambda moment, count: str(int(moment.timestamp()) * 1000 + moment.microsecond // 1000),
}


def _half(moment: datetime) -> str:
    return "AM" if moment.hour < 12 else "PM"


def _word(word: str, letter: str, count: int) -> str:
    if count == 3:
        return word[:3]
    if count == 4:
        return word
    return word[0] if count == 5 else word[:2]


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `13th`."""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"
