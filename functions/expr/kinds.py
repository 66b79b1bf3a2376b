"""The kinds of values that Go has and Python does not, their names, and 64-bit numbers.

nil is `None`, an int is `int`, a float `float`, a string `str`, an array `list`, a map with string
keys `dict`. Strings are bytes in Go: what is no UTF-8 is kept as lone surrogates
(`surrogateescape`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from ..record import Record, field
from ..values import FunctionError, FunctionValue, Unknown

Method: TypeAlias = tuple[tuple[str, ...], str, Callable[..., Any]]
"""The types of a method's arguments, that of its result, and Python, which gets the value first."""

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
        *("", "January", "February", "March", "April", "May", "June", "July", "August"),
        *("September", "October", "November", "December"),
    )


class Weekday(Named):
    """The day of the week of a time; Sunday is 0."""

    kind = "time.Weekday"
    words = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


class AnyMap(dict[tuple[type, Any], Any]):
    """A map whose keys may be anything, by `key_of`: made by `groupBy` and `fromPairs`."""


class StructType(Record):
    """A type of Go that has a name: a struct, or a string that no plain one equals.

    `name` is its type in signatures, `word` that in a sentence, `go` what Go calls it. Each of
    `fields` has a type of signatures and a name in JSON, which leaves empty ones out unless that
    name is Go's own. A type without fields is written as the string of its method `String`; one
    without methods too is a string with a name.
    """

    name: str
    word: str
    go: str
    fields: Mapping[str, tuple[str, str]] = field(factory=dict)
    methods: Mapping[str, Method] = field(factory=dict)

    @property
    def members(self) -> tuple[str, ...]:
        """The names of its fields and methods."""
        return (*self.fields, *self.methods)


class Struct:
    """A struct: `values` by the names of its fields, which may be unknown; others are empty.

    `expression` gives it in a residual, since no literal does.
    """

    __slots__ = ("expression", "type", "values")

    def __init__(self, type: StructType, values: Mapping[str, Any]) -> None:  # noqa: A002
        self.type = type
        self.values = values
        self.expression: Any = None

    def field(self, name: str) -> Any:
        """The value of a field that the type has."""
        found = self.values.get(name, self)
        return _EMPTY.get(self.type.fields[name][0], type(None))() if found is self else found

    def written(self) -> dict[str, Any]:
        """The fields that JSON has, in their order."""
        pairs = ((own, name, self.field(name)) for name, (_, own) in self.type.fields.items())
        return {own: one for own, name, one in pairs if own == name or one not in _ABSENT}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Struct) and self.type is other.type and self.values == other.values

    __hash__ = None  # type: ignore[assignment]


class NamedText:
    """A string of a type with a name, such as the kind of an origin: no plain string equals it."""

    __slots__ = ("expression", "text", "type")

    def __init__(self, type: StructType, text: str) -> None:  # noqa: A002
        self.type = type
        self.text = text
        self.expression: Any = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NamedText) and self.type is other.type and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text


class StringMap(dict[str, str]):
    """A map whose items are strings, as in a ConfigMap: a key that it lacks gives `""`."""

    expression: Any = None


_EMPTY: Final[dict[str, type]] = {
    "string": str,
    "integer": int,
    "boolean": bool,
    "strings": StringMap,
}
_ABSENT: Final[tuple[Any, ...]] = (None, "", 0, False, {}, [])
NAMED: Final = frozenset({Struct, NamedText, StringMap})
"""The classes of values that no literal gives; they keep the `expression` that does."""


def given_by(value: Any, expression: Any) -> Any:
    """A value of one of the classes `NAMED` with the expression that gives it, or what makes it."""
    kind = value.__class__
    made: Any
    if kind is StringMap:
        made = StringMap(value)
    else:
        made = kind(value.type, value.values if kind is Struct else value.text)
    made.expression = expression
    return made


def expression_of(value: Any) -> Any:
    """The expression that gives such a value; it may have been put off."""
    if callable(value.expression):
        value.expression = value.expression()
    return value.expression


def key_of(value: Any) -> tuple[type, Any]:
    """What makes a value one key with another: its kind and itself.

    Raises:
        FunctionError: `invalid_argument_type` for a value that Go cannot hash.
    """
    if isinstance(value, list | dict | bytes | Struct) or callable(value):
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
    StringMap: "object",
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
    "location": "a time zone",
    "any": "a value",
}


def kind_of(value: Any) -> str:
    """The type of a value in signatures: `null`, `integer`, `array`, `time`."""
    kind = KINDS.get(value.__class__)
    if kind is not None:
        return kind
    if isinstance(value, Struct | NamedText):
        return value.type.name
    return str(value.type) if value.__class__ is Unknown else "any"


def a_kind(value: Any) -> str:
    """The kind of a value in a sentence: `a string`, `an int`, `nil`."""
    return value.type.word if isinstance(value, Struct | NamedText) else word_of(kind_of(value))


def word_of(kind: str) -> str:
    """A type of signatures in a sentence: `a string`, `an int`, `nil`."""
    return _WORDS.get(kind) or f"{'an' if kind[0] in 'aeiou' else 'a'} {kind.replace('_', ' ')}"


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
    """A number without its fraction; the lowest int for a float out of range, as Go has it."""
    return int(value) if value.__class__ is not float or -_SIGN <= value < _SIGN else LOWEST


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
    if isinstance(value, list):
        return kind, tuple([identity(item, exact) for item in value])
    if isinstance(value, dict):
        return kind, frozenset((key, identity(item, True)) for key, item in value.items())
    if kind is Struct:
        return value.type.name, identity(dict(value.values), True)
    return (kind, value) if exact or not is_number(value) else value
