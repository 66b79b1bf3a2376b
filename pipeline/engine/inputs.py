"""The inputs of a run: the values that it is given for variables, and the variables it gets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...functions.record import Record, field
from ..values.source import Span


class _Missing:
    __slots__ = ()

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        raise TypeError("a missing value has no truth value: compare with `is MISSING`")


MISSING: Final = _Missing()


class Assignment(Record):
    """The value that a file gives one variable.

    `value` is a string, an integer, a float or a boolean; with `text` it is a string that is parsed
    as the variable's declared type, as in `.env` files. `span` is its place in the file.
    """

    value: str | int | float | bool = field(repr=False)
    span: Span
    text: bool = False


class VariablesFile(Record):
    """A file of variables: `name` as the user wrote it, and its assignments by variable."""

    name: str
    assignments: Mapping[str, Assignment]


class VariableInputs(Record):
    """The values that a run is given for variables.

    `flags` are strings by name, `files` are in the order they were given, `environment` is the
    process's, of which `BPP_VAR_<name>` is used. `values` are Python values from a caller, or
    `Unknown` for what is only known after deployment; none means not given. `spans` are the places
    of `values` that are written in a source; `marked` are the values computed from secrets.
    """

    flags: Mapping[str, str] = field(factory=dict, repr=False)
    files: tuple[VariablesFile, ...] = ()
    environment: Mapping[str, str] = field(factory=dict, repr=False)
    values: Mapping[str, Any] = field(factory=dict, repr=False)
    spans: Mapping[str, Span] = field(factory=dict, repr=False)
    marked: frozenset[str] = frozenset()


class Variable(Record):
    """A declared variable and its value in this run.

    `value` is `MISSING` for a secret that is not given, and for a variable with a reported mistake.
    `source` is `flag`, a file's name, `environment`, `default` or `caller`; empty without a value.
    """

    name: str
    type: str
    value: Any = field(repr=False)
    secret: bool = False
    source: str = ""
