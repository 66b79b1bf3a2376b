"""The types of Go that templates compute with, their names, truth, equality and text.

nil is `None`, a bool `bool`, an int `int`, a float64 `float`, a string `str`, a `[]interface {}`
`list`, a `map[string]interface {}` `dict`, bytes `bytes`, a time `functions/expr/moments.Time`.
Other types are subclasses of these. Strings are bytes in Go: what is no UTF-8 is kept as lone
surrogates (`functions/expr/kinds.to_bytes`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from ..expr.kinds import Month, Weekday
from ..expr.moments import LAYOUT_OF_STRING, Duration, Time, Zone, format_time
from ..expr.texts import float_text as float_text
from ..values import FunctionError

DEEPEST: Final = 200
"""How deep data may be nested: templates can put a map into itself."""


class Int64(int):
    """An `int64`, which arithmetic gives: another type than an int."""

    __slots__ = ()


class Strings(list[Any]):
    """A `[]string`."""

    __slots__ = ()


class Ints(list[Any]):
    """A `[]int`."""

    __slots__ = ()


class Lists(list[Any]):
    """A `[][]interface {}`."""

    __slots__ = ()


class StringMap(dict[str, Any]):
    """A `map[string]string`: a key that it lacks gives an empty string."""

    __slots__ = ()


class Object:
    """A value of a type with a name, by a subclass: `go` is that name, `kind` that of reflection.

    `members` are its fields and methods by name: the types of a method's arguments and Python that
    gets the value first; a field takes none. `str` gives its text.
    """

    __slots__ = ()
    go: ClassVar[str]
    kind: ClassVar[str] = "struct"
    members: ClassVar[Mapping[str, tuple[tuple[str, ...], Callable[..., Any]]]] = {}


class Absent:
    """A value that is not known before deployment, at the `path` of a binding.

    Fields and indexes of it give longer paths. Any other use is the error `unknown_value`, which
    names the `root`; with `mark` it is the text `<unknown: path>` instead.
    """

    __slots__ = ("hint", "mark", "path", "root")

    def __init__(
        self, path: str, hint: str | None = None, mark: bool = False, root: str | None = None
    ) -> None:
        self.path = path
        self.hint = hint
        self.mark = mark
        self.root = root or path

    def then(self, key: Any) -> Absent:
        """The unknown value below this one."""
        return Absent(f"{self.path}.{key}", self.hint, self.mark, self.root)

    def error(self) -> FunctionError:
        """The error of a use."""
        summary = f"`{self.root}` is known only after deployment"
        return FunctionError(summary, "unknown_value", self.hint)

    def used(self) -> str:
        """The text that stands for it.

        Raises:
            FunctionError: `unknown_value`, unless it has a mark.
        """
        if self.mark:
            return f"<unknown: {self.path}>"
        raise self.error()

    def __bool__(self) -> bool:
        if self.mark:
            return True
        raise self.error()


NAMES: Final[dict[type, tuple[str, str]]] = {
    type(None): ("<nil>", "invalid"),
    bool: ("bool", "bool"),
    int: ("int", "int"),
    Int64: ("int64", "int64"),
    float: ("float64", "float64"),
    complex: ("complex128", "complex128"),
    str: ("string", "string"),
    bytes: ("[]uint8", "slice"),
    list: ("[]interface {}", "slice"),
    Strings: ("[]string", "slice"),
    Ints: ("[]int", "slice"),
    Lists: ("[][]interface {}", "slice"),
    dict: ("map[string]interface {}", "map"),
    StringMap: ("map[string]string", "map"),
    Time: ("time.Time", "struct"),
    Duration: ("time.Duration", "int64"),
    Zone: ("*time.Location", "ptr"),
    Month: ("time.Month", "int"),
    Weekday: ("time.Weekday", "int"),
}
"""The name of each type (`%T`) and its kind in reflection."""

PARAMETERS: Final[dict[str, type | None]] = {
    "any": None,
    "string": str,
    "bool": bool,
    "int": int,
    "int64": Int64,
    "float64": float,
    "list": list,
    "map": dict,
    "strings": Strings,
    "bytes": bytes,
    "string_map": StringMap,
    "time": Time,
}
"""The types of parameters in signatures, with the class that fits."""


def type_name(value: Any) -> str:
    """The type of a value as `%T` and `typeOf` show it."""
    known = NAMES.get(value.__class__)
    return known[0] if known else str(value.go)


def kind_name(value: Any) -> str:
    """The kind of a value in reflection, as `kindOf` shows it."""
    known = NAMES.get(value.__class__)
    return known[1] if known else str(value.kind)


def truth(value: Any) -> bool:
    """Whether a condition holds: not for false, zero, nil and what is empty."""
    return bool(value)


def too_deep() -> FunctionError:
    """The error of data that is nested too deep, or in itself."""
    return FunctionError(f"data is nested more than {DEEPEST} deep", "limit_exceeded")


def deep_equal(left: Any, right: Any) -> bool:
    """Equality of values and types, in any depth; a pair of collections is compared once.

    Raises:
        FunctionError: `unknown_value`.
    """
    seen: set[tuple[int, int]] = set()
    pending = [(left, right)]
    while pending:
        one, other = pending.pop()
        kind = one.__class__
        if kind is Absent or other.__class__ is Absent:
            (one if kind is Absent else other).used()
        if kind is not other.__class__:
            return False
        if not isinstance(one, list | dict):
            if one != other:
                return False
            continue
        if one is other or (id(one), id(other)) in seen:
            continue
        seen.add((id(one), id(other)))
        if len(one) != len(other):
            return False
        if isinstance(one, list):
            pending += zip(one, other, strict=True)
        elif one.keys() != other.keys():
            return False
        else:
            pending += [(value, other[key]) for key, value in one.items()]
    return True


_PLAIN_FROM: Final = 1e-4
_PLAIN_TO: Final = 1e6


def number_text(value: float) -> str:
    """A float64 as `%v` writes it: `3`, `2.5`, `1e+06`, `NaN`."""
    if _PLAIN_FROM <= abs(value) < _PLAIN_TO:
        text = repr(value)
        return text[:-2] if text.endswith(".0") else text
    return float_text(value)


def text(value: Any, depth: int = 0) -> str:
    """A value as `%v` writes it: `<nil>`, `[1 a <nil>]`, `map[a:1 b:x]`.

    Raises:
        FunctionError: `limit_exceeded` for data that is nested too deep, `unknown_value`.
    """
    write = _TEXTS.get(value.__class__)
    return write(value, depth) if write else str(value)


def _items(value: Any, depth: int) -> str:
    if depth > DEEPEST:
        raise too_deep()
    return f"[{' '.join([text(one, depth + 1) for one in value])}]"


def _entries(value: Any, depth: int) -> str:
    if depth > DEEPEST:
        raise too_deep()
    return f"map[{' '.join([f'{key}:{text(value[key], depth + 1)}' for key in sorted(value)])}]"


def complex_text(value: complex) -> str:
    """A complex128 as `%v` writes it: `(0+3i)`."""
    imaginary = number_text(value.imag)
    sign = "" if imaginary[0] in "+-" else "+"
    return f"({number_text(value.real)}{sign}{imaginary}i)"


_TEXTS: Final[dict[type, Callable[[Any, int], str]]] = {
    str: lambda value, depth: value,
    type(None): lambda value, depth: "<nil>",
    bool: lambda value, depth: "true" if value else "false",
    int: lambda value, depth: str(value),
    Int64: lambda value, depth: int.__repr__(value),
    float: lambda value, depth: number_text(value),
    complex: lambda value, depth: complex_text(value),
    bytes: _items,
    list: _items,
    Strings: _items,
    Ints: _items,
    Lists: _items,
    dict: _entries,
    StringMap: _entries,
    Time: lambda value, depth: format_time(value, LAYOUT_OF_STRING),
    Month: lambda value, depth: value.text,
    Weekday: lambda value, depth: value.text,
    Absent: lambda value, depth: value.used(),
}
