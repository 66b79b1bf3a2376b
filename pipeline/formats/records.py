"""Typed records at the border of bpp: diagnostics out, state and data source files in.

cattrs does the work with strict hooks: its own would make `True` of "yes" and ignore unknown keys.
This module is only loaded by what needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from math import isfinite
from operator import eq
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypeAlias,
    TypedDict,
    get_args,
    get_origin,
    is_typeddict,
)

import attrs

from ..values.diagnostics import Diagnostic, meant
from ..values.source import Span

if TYPE_CHECKING:
    from cattrs import Converter

Path: TypeAlias = tuple[str | int, ...]
Hook: TypeAlias = Callable[[Any, Any], Any]


Ordinal: TypeAlias = Annotated[int, "from 1"]
Severity: TypeAlias = Annotated[str, "error, warning or note"]


@attrs.frozen
class NoteRecord:
    """A note of a diagnostic, with its place in plain fields; all null without a place."""

    text: str
    file: str | None
    line: Ordinal | None
    column: Ordinal | None
    end_line: Ordinal | None
    end_column: Ordinal | None
    exact: bool | None


@attrs.frozen
class DiagnosticRecord:
    """A diagnostic with its place in plain fields: 1-based, the end just after the last column.

    Only reports of builds have a `target`, and only some dialects tell the `stage`.
    """

    target: str = attrs.field(default="", kw_only=True)
    code: str
    severity: Severity
    summary: str
    hint: str | None
    file: str | None
    line: Ordinal | None
    column: Ordinal | None
    end_line: Ordinal | None
    end_column: Ordinal | None
    exact: bool | None
    notes: list[NoteRecord]
    stage: str = ""


@attrs.frozen
class ReportRecord:
    """The report of `--diagnostics json`; `version` changes when a field goes or means another."""

    version: Literal[1]
    diagnostics: list[DiagnosticRecord]


def plain_diagnostics(items: Iterable[Diagnostic], target: str = "") -> list[dict[str, Any]]:
    """Diagnostics as plain data, ready for JSON."""
    records = [
        DiagnosticRecord(
            item.code,
            item.severity,
            item.summary,
            item.hint,
            *_place(item.span),
            [NoteRecord(note.text, *_place(note.span)) for note in item.notes],
            item.stage,
            target=target,
        )
        for item in items
    ]
    return _converter().unstructure(records)  # type: ignore[no-any-return]


_Place: TypeAlias = tuple[str | None, int | None, int | None, int | None, int | None, bool | None]


def _place(span: Span | None) -> _Place:
    if span is None:
        return (None, None, None, None, None, None)
    return (
        span.source.name,
        span.line,
        span.column,
        span.end_line,
        span.end_column,
        span.exact,
    )


# Marked types: to a type checker the bare ones, to cattrs those with a hook of their own.
Plain: TypeAlias = Annotated[Any, "what a document can hold"]
PlainObject: TypeAlias = Annotated[dict[str, Any], "an object that a document can hold"]
LinkKey: TypeAlias = Annotated[str, "<resource>::<resource>"]


class ResourceState(TypedDict):
    """The known state of a deployed resource."""

    state: PlainObject


@attrs.frozen
class StateFile:
    """The known state of a deployment: the content of a state file.

    `resources.<name>.state` is the state of a resource, `datasources.<name>` the exported fields,
    `children.<name>` the exports of a child blueprint, `links` the data of a link under
    `<resource>::<resource>`. `included.<name>` is the same for what is inside a child.
    """

    resources: dict[str, ResourceState] = attrs.field(factory=dict)
    datasources: dict[str, dict[str, Plain]] = attrs.field(factory=dict)
    children: dict[str, dict[str, Plain]] = attrs.field(factory=dict)
    links: dict[LinkKey, dict[str, Plain]] = attrs.field(factory=dict)
    included: dict[str, StateFile] = attrs.field(factory=dict)


DataSourcesFile: TypeAlias = dict[str, list[dict[str, Plain]]]


class RecordError(Exception):
    """Data that does not have the shape it should: all problems, each with its path.

    A message is a whole sentence that names the place. `path` and `message` are those of the first.
    `unknown` are the paths of keys that should not be there.
    """

    def __init__(self, problems: Iterable[tuple[Path, str]], unknown: Iterable[Path] = ()) -> None:
        self.problems = list(problems)
        self.unknown = frozenset(unknown)
        self.path, self.message = self.problems[0]
        super().__init__(self.message)


def structure_state(data: Any) -> StateFile:
    """The content of a state file from plain data.

    Raises:
        RecordError: when it has another shape, with every problem.
    """
    return structured(data, StateFile, _converter())  # type: ignore[no-any-return]


def structure_datasources(data: Any) -> DataSourcesFile:
    """Records by data source type, from plain data: `{"aws/vpc": [{"vpcId": "vpc-1"}]}`.

    Raises:
        RecordError: when it has another shape, with every problem.
    """
    return structured(data, DataSourcesFile, _converter())  # type: ignore[no-any-return]


def structured(data: Any, shape: Any, converter: Converter) -> Any:
    """Plain data as a record, by a converter of `strict_converter`.

    Raises:
        RecordError: when it has another shape, with every problem.
    """
    from cattrs import BaseValidationError

    unknown: list[Path] = []
    try:
        return converter.structure(data, shape)
    except (Mismatch, BaseValidationError) as error:
        problems = list(_problems(error, (), unknown))
    raise RecordError(problems, unknown)


class Mismatch(Exception):
    """The problems that a hook found in a value, with paths below that value."""

    def __init__(self, *problems: tuple[Path, str]) -> None:
        super().__init__()
        self.problems = problems


@cache
def _converter() -> Converter:
    from cattrs.gen import make_dict_unstructure_fn, override

    converter = strict_converter({})
    some = override(omit_if_default=True)
    as_dict = make_dict_unstructure_fn(DiagnosticRecord, converter, target=some, stage=some)
    converter.register_unstructure_hook(DiagnosticRecord, as_dict)
    return converter


def strict_converter(hooks: Mapping[Any, Hook]) -> Converter:
    """A converter that changes no value and refuses unknown keys; `hooks` are for marked types.

    Of a class with `DASHES` the keys are the names of the attributes with `-` for `_`.
    """
    from cattrs import Converter
    from cattrs.gen import make_dict_structure_fn, make_mapping_structure_fn, override
    from cattrs.gen.typeddicts import make_dict_structure_fn as make_typeddict_structure_fn

    converter = Converter(forbid_extra_keys=True, detailed_validation=True)

    def of_class(shape: Any) -> Hook:
        names = {
            name: override(rename=key)
            for name in attrs.fields_dict(shape)
            if (key := record_key(shape, name)) != name
        }
        return _for_objects(
            make_dict_structure_fn(shape, converter, _cattrs_forbid_extra_keys=True, **names)  # type: ignore[arg-type]
        )

    def of_typeddict(shape: Any) -> Hook:
        return _for_objects(
            make_typeddict_structure_fn(shape, converter, _cattrs_forbid_extra_keys=True)
        )

    def of_mapping(shape: Any) -> Hook:
        return _for_objects(make_mapping_structure_fn(shape, converter, dict))

    def of_list(shape: Any) -> Hook:
        (item_shape,) = get_args(shape)
        return lambda value, _: _items(converter, value, item_shape)

    converter.register_structure_hook_factory(attrs.has, of_class)
    converter.register_structure_hook_factory(is_typeddict, of_typeddict)
    converter.register_structure_hook_factory(_made_of(dict), of_mapping)
    converter.register_structure_hook_factory(_made_of(list), of_list)
    converter.register_structure_hook_func(lambda shape: shape == Plain, _plain)
    converter.register_structure_hook_func(lambda shape: shape == PlainObject, _plain_object)
    converter.register_structure_hook_func(lambda shape: shape == LinkKey, _link_key)
    for marked, hook in hooks.items():
        converter.register_structure_hook_func(partial(eq, marked), hook)
    return converter


def _made_of(container: Any) -> Callable[[Any], bool]:
    """Says of a type such as `dict[str, int]` whether it is made of that container."""
    return lambda shape: get_origin(shape) is container


def _for_objects(inner: Callable[[Any, Any], Any]) -> Hook:
    """A hook that refuses all but objects with string keys before the inner one runs."""

    def hook(value: Any, shape: Any) -> Any:
        if not isinstance(value, dict):
            raise Mismatch(((), f"must be an object, not {kind_of_plain(value)}"))
        if not all(isinstance(key, str) for key in value):
            raise Mismatch(((), "must have strings as keys"))
        return inner(value, shape)

    return hook


def _items(converter: Converter, value: Any, shape: Any) -> list[Any]:
    from cattrs import BaseValidationError, IterableValidationError, IterableValidationNote

    if not isinstance(value, list):
        raise Mismatch(((), f"must be an array, not {kind_of_plain(value)}"))
    items = []
    errors: list[Exception] = []
    for index, item in enumerate(value):
        try:
            items.append(converter.structure(item, shape))
        except (Mismatch, BaseValidationError) as error:
            error.add_note(IterableValidationNote(f"at index {index}", index, shape))
            errors.append(error)
    if errors:
        raise IterableValidationError("in an array", errors, list)
    return items


def _plain(value: Any, _: Any) -> Any:
    """Any value that a document can hold; looks at all parts without recursion."""
    problems: list[tuple[Path, str]] = []
    waiting: list[tuple[Path, Any]] = [((), value)]
    while waiting:
        path, part = waiting.pop()
        if isinstance(part, dict):
            if not all(isinstance(key, str) for key in part):
                problems.append((path, "must have strings as keys"))
            waiting += [((*path, key), item) for key, item in reversed(part.items())]
        elif isinstance(part, list):
            waiting += [((*path, index), part[index]) for index in reversed(range(len(part)))]
        elif isinstance(part, float) and not isfinite(part):
            problems.append((path, "must be a finite number"))
        elif part is not None and not isinstance(part, (str, int, float)):
            problems.append((path, f"must not be {kind_of_plain(part)}"))
    if problems:
        raise Mismatch(*problems)
    return value


def _plain_object(value: Any, _: Any) -> Any:
    if not isinstance(value, dict):
        raise Mismatch(((), f"must be an object, not {kind_of_plain(value)}"))
    return _plain(value, _)


def _link_key(value: Any, _: Any) -> Any:
    parts = value.split("::")
    if len(parts) != 2 or not all(parts):
        raise Mismatch(((), "must name a link as `<resource>::<resource>`"))
    return value


def _problems(error: BaseException, path: Path, unknown: list[Path]) -> Iterator[tuple[Path, str]]:
    """The problems that cattrs and our hooks found, in our words, as paths and sentences."""
    from cattrs import BaseValidationError, ForbiddenExtraKeysError

    if isinstance(error, Mismatch):
        for below, message in error.problems:
            whole = (*path, *below)
            yield whole, f"{_named(whole)} {message}"
    elif isinstance(error, ForbiddenExtraKeysError):
        known = _field_names(error.cl)
        for name in sorted(error.extra_fields):
            near = meant(name, known)
            suggestion = f" ({near})" if near else ""
            unknown.append((*path, name))
            yield (*path, name), f"`{name}` is not known in {_named(path)}{suggestion}"
    elif isinstance(error, BaseValidationError):
        for part in error.exceptions:
            yield from _problems(part, (*path, *_step(part, error.cl)), unknown)
    elif isinstance(error, KeyError):
        yield path[:-1], f"`{path[-1]}` is missing in {_named(path[:-1])}"
    else:
        yield path, f"{_named(path)} has the wrong shape"


def _named(path: Path) -> str:
    """A path for people: `resources.a.state[0]`."""
    if not path:
        return "the file"
    shown = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return f"`{shown.removeprefix('.')}`"


def _field_names(shape: type) -> list[str]:
    if attrs.has(shape):
        return [record_key(shape, field.name) for field in attrs.fields(shape)]
    return list(shape.__annotations__)


def record_key(shape: Any, name: str) -> str:
    """The key under which a file has an attribute of a class."""
    return name.replace("_", "-") if getattr(shape, "DASHES", False) else name


def _step(error: BaseException, shape: Any) -> Path:
    """The attribute or key that cattrs noted on an error, if it did."""
    from cattrs import AttributeValidationNote, IterableValidationNote

    for note in getattr(error, "__notes__", ()):
        if isinstance(note, AttributeValidationNote):
            return (record_key(shape, note.name),)
        if isinstance(note, IterableValidationNote):
            return (note.index,)
    return ()


def kind_of_plain(value: Any) -> str:
    """A value's kind with its article, for messages."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int():
            return "an integer"
        case float():
            return "a float"
        case str():
            return "a string"
        case list():
            return "an array"
        case dict():
            return "an object"
    return f"a `{type(value).__name__}`"
