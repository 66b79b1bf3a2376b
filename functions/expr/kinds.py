"""The kinds of values that Go has and Python does not, their names, and 64-bit numbers.

nil is `None`, an int is `int`, a float `float`, a string `str`, an array `list`, a map with string
keys `dict`. Strings are bytes in Go: what is no UTF-8 is kept as lone surrogates
(`surrogateescape`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from ..values import FunctionError, FunctionValue, Unknown

_SIGN: Final = 1 << 63
_WORD: Final = 1 << 64
LOWEST: Final = -_SIGN


class Byte(int):
    """A byte of a string (`uint8`): a number like an int."""


class Unsigned(int):
    """A number of 64 bits without a sign (`uint64`)."""


class Named(int):
    """An int of a type with a name, such as a month: no number for operators."""

    kind = "int"
    words: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Its word."""
        return self.words[self]


class Month(Named):
    """The month of a time, from 1."""

    kind = "time.Month"
    words = (
        "",
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


class Weekday(Named):
    """The day of the week of a time; Sunday is 0."""

    kind = "time.Weekday"
    words = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


class AnyMap(dict[Any, Any]):
    """A map whose keys may be anything: made by `groupBy` and `fromPairs`.

    Its keys are `key_of` of what was given; `keys_given` has that.
    """

    def __init__(self, pairs: Iterable[tuple[Any, Any]] = ()) -> None:
        super().__init__()
        self.keys_given: dict[Any, Any] = {}
        for key, value in pairs:
            self[self.key(key)] = value

    def key(self, key: Any) -> Any:
        """The own key of one that was given."""
        own = key_of(key)
        self.keys_given[own] = key
        return own

    def add(self, key: Any, item: Any) -> None:
        """Adds an item to the array of a key."""
        self.setdefault(self.key(key), []).append(item)


def key_of(value: Any) -> tuple[type, Any]:
    """What makes a value one key with another: its kind and itself.

    Raises:
        FunctionError: `invalid_argument_type` for a value that Go cannot hash.
    """
    if isinstance(value, list | dict | bytes) or callable(value):
        raise FunctionError(f"{a_kind(value)} cannot be a key", "invalid_argument_type")
    return value.__class__, value


KINDS: Final[dict[type, str]] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    Byte: "integer",
    Unsigned: "integer",
    float: "float",
    str: "string",
    bytes: "binary",
    list: "array",
    dict: "object",
    AnyMap: "object",
    FunctionValue: "function",
    Month: "month",
    Weekday: "weekday",
}
"""The type, in signatures, of the values of each class; `moments` adds its own."""

_WORDS: Final = {
    "null": "nil",
    "integer": "an int",
    "float": "a float",
    "string": "a string",
    "boolean": "a boolean",
    "array": "an array",
    "object": "a map",
    "binary": "bytes",
    "function": "a function",
    "time": "a time",
    "duration": "a duration",
    "location": "a time zone",
    "month": "a month",
    "weekday": "a weekday",
    "any": "a value",
}


def kind_of(value: Any) -> str:
    """The type of a value in signatures: `null`, `integer`, `array`, `time`."""
    if value.__class__ is Unknown:
        return str(value.type)
    return KINDS.get(value.__class__, "any")


def a_kind(value: Any) -> str:
    """The kind of a value in a sentence: `a string`, `an int`, `nil`."""
    return word_of(kind_of(value))


def word_of(kind: str) -> str:
    """A type of signatures in a sentence: `a string`, `an int`, `nil`."""
    return _WORDS.get(kind, f"a {kind}")


def is_int(value: Any) -> bool:
    """True for numbers without a fraction; a month is none, and neither is a boolean."""
    kind = value.__class__
    return kind is int or kind is Byte or kind is Unsigned


def is_number(value: Any) -> bool:
    """True for ints and floats."""
    return value.__class__ is float or is_int(value)


def wrapped(value: int) -> int:
    """An int in 64 bits: what is too large begins again at the other end."""
    if LOWEST <= value < _SIGN:
        return value
    return (value + _SIGN) % _WORD - _SIGN


def whole(value: float) -> int:
    """A float without its fraction; the lowest int for what is out of range, as Go has it."""
    return int(value) if -_SIGN <= value < _SIGN else LOWEST


def to_bytes(text: str) -> bytes:
    """The bytes of a string."""
    return text.encode("utf-8", "surrogateescape")


def of_bytes(data: bytes) -> str:
    """The string of some bytes."""
    return data.decode("utf-8", "surrogateescape")


def same(left: Any, right: Any, exact: bool = False) -> bool:
    """Equality: numbers by value, arrays by their items, `exact` kinds inside of maps."""
    if not exact and is_number(left) and is_number(right):
        return bool(left == right)
    if left.__class__ is not right.__class__:
        return False
    if left.__class__ is list:
        return len(left) == len(right) and all(
            same(one, other, exact) for one, other in zip(left, right, strict=True)
        )
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(
            same(value, right[key], True) for key, value in left.items()
        )
    return bool(left == right)


def identity(value: Any, exact: bool = False) -> Any:
    """What two values have in common when they are the same, and only then; it can be hashed."""
    kind = value.__class__
    if kind is list:
        return kind, tuple([identity(item, exact) for item in value])
    if isinstance(value, dict):
        return kind, frozenset((key, identity(item, True)) for key, item in value.items())
    return (kind, value) if exact or not is_number(value) else value
