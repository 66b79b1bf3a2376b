"""The types of Go that templates compute with, and their names.

nil is `None`, a bool `bool`, an int `int`, a float64 `float`, a string `str`, a `[]interface {}`
`list`, a `map[string]interface {}` `dict`, bytes `bytes`, a time `functions/expr/moments.Time`.
Other types are subclasses of these, or structs. Strings are bytes in Go: what is no UTF-8 is kept
as lone surrogates (`functions/expr/kinds.to_bytes`).
"""

from __future__ import annotations

from typing import Any, Final

from ..expr.kinds import Month, StringMap, Struct, Unsigned, Weekday
from ..expr.moments import Duration, Time, Zone
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

    __str__ = used

    def __bool__(self) -> bool:
        if self.mark:
            return True
        raise self.error()


NAMES: Final[dict[type, tuple[str, str]]] = {
    type(None): ("<nil>", "invalid"),
    bool: ("bool", "bool"),
    int: ("int", "int"),
    Int64: ("int64", "int64"),
    Unsigned: ("uint64", "uint64"),
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
    Struct: ("", "ptr"),
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
    return NAMES[value.__class__][0] or f"*{value.type.go}"


def kind_name(value: Any) -> str:
    """The kind of a value in reflection, as `kindOf` shows it."""
    return NAMES[value.__class__][1]


def too_deep() -> FunctionError:
    """The error of data that is nested too deep, or in itself."""
    return FunctionError(f"data is nested more than {DEEPEST} deep", "limit_exceeded")
