"""Formats of dates: tokens of repeated letters, and text in single quotes."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Final

from ..values import FunctionError

_TOKEN: Final = re.compile(r"''|'((?:[^']|'')*)'|([A-Za-z])(?:o(?![A-Za-z])|\2*)|([^A-Za-z'])|(')")
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS: Final = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_INSTEAD: Final = {"Y": "y", "D": "d"}


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
        f"the format has the letters `{token}`, which mean nothing",
        hint=f"write `{near * count}`" if near else "put text between single quotes",
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
