"""The form of a configuration, as classes for cattrs; a module of its own, as few builds load it.

The strict converter changes no value, so expansion reads the plain data once it has been checked,
and a file is not checked again while it stays the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, TypeAlias

import attrs

from ...functions.values import article
from ..engine.input_files import toml_kind
from ..engine.lints import ALL
from ..engine.options import Option, config_rows
from ..formats.json_schema import Recorder, Schema, whole
from ..formats.records import Hook, Mismatch, Plain, kind_of_plain, strict_converter, structured
from ..formats.scalars import MAX_INTEGER, MIN_INTEGER
from ..values.diagnostics import meant
from ..values.settings import Limits
from .expansion import RESERVED, axis_text

if TYPE_CHECKING:
    from cattrs import Converter

_AXIS: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")

# Annotated types: plain ones for a type checker, ones with their own hooks for cattrs.
Text: TypeAlias = Annotated[str, "a text"]
File: TypeAlias = Annotated[str, "the path of a file"]
Flag: TypeAlias = Annotated[bool, "true or false"]
Whole: TypeAlias = Annotated[int, "a whole number"]
Bound: TypeAlias = Annotated[int, "a limit"]
Moment: TypeAlias = Annotated[float, "a moment"]
Format: TypeAlias = Annotated[str, "yaml or json"]
Secrets: TypeAlias = Annotated[str, "keep or mask"]
Value: TypeAlias = Annotated[Any, "the value of a variable"]
Setting: TypeAlias = Annotated[Any, "the value of an option"]
Code: TypeAlias = Annotated[str, "the code of a diagnostic"]
Axes: TypeAlias = Annotated[dict[str, Any], "a matrix"]


def _form(name: str, row: Option) -> Any:
    """The type of the key of an option."""
    if name in _FORMS:
        return _FORMS[name]
    if row.is_switch:
        return Flag
    if row.number:
        return Whole
    one = File if row.path else Text
    return list[one] if row.many else one  # type: ignore[valid-type]


_FORMS: Final[dict[str, Any]] = {"format": Format, "secrets": Secrets, "now": Moment}

_SHARED: Final[dict[str, Any]] = {
    "blueprint": File,
    "options": dict[str, Setting],
    "matrix": Axes,
    "variables": dict[str, Value],
    **{name: _form(name, row) for name, row in config_rows().items()},
}

LimitsTable: Final = attrs.make_class(
    "LimitsTable",
    {name: attrs.field(default=0, type=Bound) for name in Limits.__match_args__},
    frozen=True,
)


_ABOUT: Final[dict[str, str]] = {
    "blueprint": "The file to render.",
    "options": "Options of the dialect, by name.",
    "matrix": "Axes with their values: a target is rendered for each combination.",
    "variables": "Values of variables, by name.",
    "files": "What `bpp check` looks at: files, folders and patterns.",
    "defaults": "What targets have unless they say otherwise.",
    "check": "Defaults of `bpp check`.",
    "limits": "The limits of a render.",
    "targets": "What `bpp build` renders, by name.",
    "tests": "Tests by name: inputs, and what is expected of a render with them.",
    "expect": "What is expected of a render.",
    "values": "Values of the output, by path.",
    "absent": "Paths that the output does not have.",
    "unknown": "Paths whose values are not known in this run.",
    "errors": "The errors there are, and no others: `code`, `code@line` or `code@line:column`.",
    "warnings": "The warnings there are; without it nobody looks at them.",
    "text": "The whole output, in dialects that make texts.",
    "snapshot": "Compare the whole output with the file that `bpp test --update` wrote.",
    "Tests.blueprint": "The blueprint; default: the one that this file is named after.",
    "Tests.defaults": "What all tests of this file have unless they say otherwise.",
}
"""The words of the keys that are no options."""


class _Dashed:
    """Keys are written with dashes."""

    DASHES: ClassVar[bool] = True


def _table(name: str, keys: Mapping[str, Any]) -> Any:
    """A class with optional fields of these types."""
    fields = {key: attrs.field(default=None, type=kind) for key, kind in keys.items()}
    return attrs.make_class(name, fields, bases=(_Dashed,), frozen=True)


Shared: Final[Any] = _table("Shared", _SHARED)
"""The keys of `defaults`: those of options, and what a target has besides."""

_OF_CHECK: Final[dict[str, Any]] = {
    "files": list[File],
    **{name: _form(name, row) for name, row in config_rows("checking").items()},
    **dict.fromkeys(("select", "ignore", "warn_as_error"), list[Code]),
}

OfCheck: Final[Any] = _table("OfCheck", _OF_CHECK)
"""The keys of `check`: those of the options of `bpp check`, and the files."""

OfTarget: Final[Any] = _table("OfTarget", {**_SHARED, "limits": LimitsTable})


@attrs.frozen
class Tables(_Dashed):
    """A whole configuration."""

    defaults: Shared = attrs.field(factory=Shared)
    check: OfCheck = attrs.field(factory=OfCheck)
    limits: LimitsTable = attrs.field(factory=LimitsTable)  # type: ignore[valid-type]
    targets: dict[str, OfTarget] = attrs.field(factory=dict)


_WRITTEN: Final = ("output", "depfile", "source_map", "format")
_OF_TEST: Final[dict[str, Any]] = {k: v for k, v in _SHARED.items() if k not in _WRITTEN}


@attrs.frozen
class Expected(_Dashed):
    """What a test expects; paths are those of `bpp why`, mistakes are `code@line:column`."""

    values: dict[str, Plain] = attrs.field(factory=dict)
    absent: list[Text] = attrs.field(factory=list)
    unknown: list[Text] = attrs.field(factory=list)
    errors: list[Text] = attrs.field(factory=list)
    warnings: list[Text] = attrs.field(factory=list)
    text: Text = ""
    snapshot: Flag = False


OfTest: Final[Any] = _table("OfTest", {**_OF_TEST, "limits": LimitsTable, "expect": Expected})
"""The keys of a test: those of a target that writes nothing, and what is expected."""

_SharedByTests: Final[Any] = _table("SharedByTests", _OF_TEST)


@attrs.frozen
class Tests(_Dashed):
    """A file of tests."""

    blueprint: File = ""
    defaults: _SharedByTests = attrs.field(factory=_SharedByTests)
    tests: dict[str, OfTest] = attrs.field(factory=dict)


def check_tables(data: Any, form: type = Tables) -> None:
    """Checks that plain data has the form of a configuration, or of a file of `Tests`.

    Raises:
        RecordError: with every problem, if it does not.
    """
    structured(data, form, _converter())


@cache
def _converter() -> Converter:
    return strict_converter({kind: hook for kind, (hook, _) in _KINDS.items()})


def _of(kind: type, words: str) -> Hook:
    def hook(value: Any, _: Any) -> Any:
        if value.__class__ is not kind:
            raise Mismatch(((), f"must be {words}, not {kind_of_plain(value)}"))
        return value

    return hook


def _among(*words: str) -> Hook:
    def hook(value: Any, _: Any) -> Any:
        if value in words:
            return value
        if not isinstance(value, str):
            raise Mismatch(((), f"must be a string, not {kind_of_plain(value)}"))
        near = meant(value, words)
        listed = " or ".join(f"`{word}`" for word in words)
        raise Mismatch(((), f"must be {listed}, not `{value}`" + (f" ({near})" if near else "")))

    return hook


def _secrets(value: Any, shape: Any) -> Any:
    if value == "reveal":
        raise Mismatch(((), "cannot be `reveal`: a build writes no secrets"))
    return _among("keep", "mask")(value, shape)


def _file(value: Any, shape: Any) -> Any:
    _of(str, "a string")(value, shape)
    if not value or "\0" in value or value == "-":
        raise Mismatch(((), "must be the path of a file"))
    return value


def _code(value: Any, shape: Any) -> Any:
    from ..codes import CODES

    _of(str, "a string")(value, shape)
    if value not in CODES and value != ALL:
        near = meant(value, CODES)
        words = f"must be the code of a diagnostic, not `{value}`"
        raise Mismatch(((), words + (f" ({near})" if near else "")))
    return value


def _bound(value: Any, shape: Any) -> Any:
    _of(int, "an integer")(value, shape)
    if value < 1:
        raise Mismatch(((), "must be at least 1"))
    return value


def _moment(value: Any, _: Any) -> Any:
    words = "must be seconds since 1970 or a time with an offset, such as 2026-01-31T12:00:00Z"
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise Mismatch(((), words))
    elif value.__class__ is not int or not 0 <= value < 10**12:
        raise Mismatch(((), words))
    return value


def _value(value: Any, _: Any) -> Any:
    kind = toml_kind(value)
    if kind is not None:
        words = "must be a string, an integer, a float or a boolean"
        raise Mismatch(((), f"{words}, not {article(kind)}"))
    return value


def _setting(value: Any, shape: Any) -> Any:
    if isinstance(value, list):
        for index, item in enumerate(value):
            if not isinstance(item, str):
                raise Mismatch(((index,), f"must be a string, not {kind_of_plain(item)}"))
        return value
    return _value(value, shape)


def _whole(value: Any, shape: Any) -> Any:
    _of(int, "an integer")(value, shape)
    if not MIN_INTEGER <= value <= MAX_INTEGER:
        raise Mismatch(((), "must be an integer of at most 64 bits"))
    return value


def _axes(value: Any, _: Any) -> Any:
    """Axes with their values, and the lists of combinations to exclude and include."""
    if not isinstance(value, dict):
        raise Mismatch(((), f"must be an object, not {kind_of_plain(value)}"))
    problems: list[tuple[tuple[str | int, ...], str]] = []
    axes = [name for name in value if name not in RESERVED]
    for name in axes:
        _check_axis(name, value[name], lambda path, words: problems.append((path, words)))
    for key in RESERVED:
        entries = value.get(key, [])
        if not isinstance(entries, list):
            problems.append(((key,), f"must be an array, not {kind_of_plain(entries)}"))
            continue
        for index, entry in enumerate(entries):
            if not isinstance(entry, dict):
                problems.append(((key, index), f"must be an object, not {kind_of_plain(entry)}"))
                continue
            for name, item in entry.items():
                path = (key, index, name)
                if name not in axes:
                    near = meant(name, axes)
                    problems.append((path, "is not an axis" + (f" ({near})" if near else "")))
                elif not _fits(item):
                    problems.append((path, "must be a string, an integer or a boolean"))
            if key == "include" and (missing := [name for name in axes if name not in entry]):
                problems.append(((key, index), f"has no value for `{missing[0]}`"))
    if problems:
        raise Mismatch(*problems)
    return value


def _check_axis(
    name: str, values: Any, report: Callable[[tuple[str | int, ...], str], None]
) -> None:
    if not _AXIS.fullmatch(name) or name == "target":
        report((name,), "cannot be the name of an axis")
    elif not isinstance(values, list) or not values:
        report((name,), "must be an array with at least one value")
    else:
        seen = set()
        for index, item in enumerate(values):
            if not _fits(item):
                report((name, index), "must be a string, an integer or a boolean")
            elif axis_text(item) in seen:
                report((name, index), "is already in the axis")
            else:
                seen.add(axis_text(item))


def _fits(item: Any) -> bool:
    if isinstance(item, str):
        return item.isprintable() and item != ""
    return isinstance(item, int)


_TEXT: Final[Schema] = {"type": "string"}
_AXIS_VALUE: Final[Schema] = {
    "anyOf": [{"type": "string", "minLength": 1}, {"type": ["integer", "boolean"]}]
}
_VALUE: Final[Schema] = {"type": ["string", "number", "boolean"]}

_KINDS: Final[dict[Any, tuple[Hook, Schema]]] = {
    Text: (_of(str, "a string"), _TEXT),
    File: (_file, {"type": "string", "minLength": 1, "not": {"const": "-"}}),
    Flag: (_of(bool, "a boolean"), {"type": "boolean"}),
    Whole: (_whole, {"type": "integer", "minimum": MIN_INTEGER, "maximum": MAX_INTEGER}),
    Bound: (_bound, {"type": "integer", "minimum": 1}),
    Code: (_code, _TEXT),
    Moment: (
        _moment,
        {
            "anyOf": [
                {"type": "integer", "minimum": 0, "exclusiveMaximum": 10**12},
                {"type": "string", "format": "date-time"},
            ]
        },
    ),
    Format: (_among("yaml", "json"), {"enum": ["yaml", "json"]}),
    Secrets: (_secrets, {"enum": ["keep", "mask"]}),
    Value: (_value, _VALUE),
    Setting: (_setting, {"anyOf": [_VALUE, {"type": "array", "items": _TEXT}]}),
    Axes: (
        _axes,
        {
            "type": "object",
            "properties": {
                key: {
                    "type": "array",
                    "items": {"type": "object", "additionalProperties": _AXIS_VALUE},
                }
                for key in RESERVED
            },
            "propertyNames": {"pattern": whole(_AXIS.pattern), "not": {"const": "target"}},
            "additionalProperties": {
                "type": "array",
                "items": _AXIS_VALUE,
                "minItems": 1,
                "uniqueItems": True,
            },
        },
    ),
}
"""The check of each annotated type, and its JSON Schema."""


def config_schema(limits: Mapping[str, str]) -> Schema:
    """The schema of `bpp.toml` and `[tool.bpp]`; `limits` has the words of each limit."""
    return _recorder(limits).document("bpp.toml", "The configuration of bpp.", Tables)


def tests_schema(limits: Mapping[str, str]) -> Schema:
    """The schema of files of tests; `limits` has the words of each limit."""
    about = "Tests of a blueprint, which `bpp test` runs."
    return _recorder(limits).document("Tests", about, Tests)


def _recorder(limits: Mapping[str, str]) -> Recorder:
    rows = {**config_rows("checking"), **config_rows()}
    about = {name: row.help for name, row in rows.items()} | _ABOUT
    about |= {f"LimitsTable.{name}": words for name, words in limits.items()}
    return Recorder(((kind, schema) for kind, (_, schema) in _KINDS.items()), about)
