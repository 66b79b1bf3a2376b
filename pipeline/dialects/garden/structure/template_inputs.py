"""What a ConfigTemplate takes: its declared inputs, and whether what it is given fits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from .....functions.record import Record
from .....functions.values import NONE, Unknown, has_unknown
from ....engine.context import Context
from ....formats.detection import format_of, read_plain
from ....values.diagnostics import Note, meant
from ....values.source import Source, Span
from ....values.tree import AnyNode, Array, Map, Scalar, kind_of
from ....world.files import FileProblem, decode_text
from .reading import CODE, report_problem

_INLINE: Final = "inputs"
_SCHEMA: Final = "inputsSchemaPath"
_TYPES: Final = ("string", "number", "integer", "boolean", "array", "object", "null")
_INVALID: Final = "invalid_template_input"


class Input(Record, eq=False):
    """One declared input: its types (none for any), its default, the values it may have."""

    name: str
    types: tuple[str, ...]
    default: AnyNode | None
    required: bool
    allowed: Array | None
    span: Span


class Inputs(Record, eq=False):
    """All declared inputs; with `closed` there may be no others. `declared` is False for none."""

    inputs: tuple[Input, ...] = ()
    closed: bool = False
    declared: bool = False


def declared_inputs(node: Map, folder: str, context: Context) -> Inputs:
    """The inputs that a ConfigTemplate declares, in itself or by a schema of JSON in a file."""
    inline, path = node.get(_INLINE), node.get(_SCHEMA)
    if isinstance(inline, Map):
        return Inputs(tuple(_inline(inline, context)), True, True)
    if inline is not None and not _is_null(inline):
        summary = f"`{_INLINE}` is a map of names to declarations, not {_a(kind_of(inline))}"
        context.diagnostics.error(CODE, inline.span, summary)
    if path is None or _is_null(path):
        return Inputs()
    if not (isinstance(path, Scalar) and isinstance(path.value, str)):
        context.diagnostics.error(CODE, path.span, f"`{_SCHEMA}` is the path of a file")
        return Inputs()
    return _schema(path.value, folder, path.span, context)


def _is_null(node: AnyNode) -> bool:
    return isinstance(node, Scalar) and node.value is None


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeio" else f"a {kind}"


def _inline(node: Map, context: Context) -> Iterable[Input]:
    for name, declaration in node.items.items():
        if not isinstance(declaration, Map):
            context.diagnostics.error(
                CODE, declaration.span, f"the input `{name}` is declared by a map with a `type`"
            )
            continue
        default = declaration.get("default")
        types = _types(declaration, name, context)
        yield Input(name, types, default, default is None, None, node.key_span(name))


def _types(node: Map, name: str, context: Context) -> tuple[str, ...]:
    """The types that a declaration or a schema names."""
    written = node.get("type")
    if written is None:
        return ()
    found = []
    for item in written.items if isinstance(written, Array) else [written]:
        kind = item.value if isinstance(item, Scalar) else None
        if kind in _TYPES:
            found.append(str(kind))
            continue
        near = meant(kind, _TYPES) if isinstance(kind, str) else None
        context.diagnostics.error(
            CODE,
            item.span,
            f"the type of the input `{name}` is none that there is",
            near or f"the types are {', '.join(f'`{one}`' for one in _TYPES)}",
        )
    return tuple(found)


def _schema(path: str, folder: str, span: Span, context: Context) -> Inputs:
    try:
        data = context.files.read(path, folder)
        name = context.files.shown(path, folder)
        text = decode_text(data, name)
        if isinstance(text, FileProblem):
            raise text
    except FileProblem as problem:
        report_problem(problem, span, context)
        return Inputs()
    source = Source(name, text, format_of(path) or "json")
    root = read_plain(source, context.limits, context.diagnostics)
    if root is None:
        return Inputs()
    properties = root.get("properties") if isinstance(root, Map) else None
    if not isinstance(root, Map) or (properties is not None and not isinstance(properties, Map)):
        context.diagnostics.error(
            CODE, root.span, "a schema of inputs is an object of JSON, with `properties` in it"
        )
        return Inputs()
    listed = root.get("required")
    required = {
        item.value
        for item in (listed.items if isinstance(listed, Array) else ())
        if isinstance(item, Scalar)
    }
    found = []
    for key, schema in properties.items.items() if properties is not None else ():
        if not isinstance(schema, Map):
            continue
        default, allowed = schema.get("default"), schema.get("enum")
        types = _types(schema, key, context)
        needed = key in required and default is None
        choices = allowed if isinstance(allowed, Array) else None
        assert properties is not None
        found.append(Input(key, types, default, needed, choices, properties.key_span(key)))
    more = root.get("additionalProperties")
    return Inputs(tuple(found), isinstance(more, Scalar) and more.value is False, True)


def check_names(
    inputs: Inputs, given: dict[str, Span], place: Span, template: str, context: Context
) -> None:
    """Reports required inputs that are not given, and given ones that are not declared."""
    names = [one.name for one in inputs.inputs]
    for one in inputs.inputs:
        if one.required and one.name not in given:
            context.diagnostics.error(
                _INVALID,
                place,
                f"the input `{one.name}` of the template `{template}` is not given",
                None,
                Note("it is declared here, without a default", one.span),
            )
    for name, span in given.items() if inputs.closed else ():
        if name not in names:
            near = meant(name, names)
            listed = ", ".join(f"`{one}`" for one in names)
            hint = near or (f"the inputs are {listed}" if names else "it has no inputs")
            context.diagnostics.error(
                _INVALID, span, f"the template `{template}` has no input `{name}`", hint
            )


def check_value(one: Input, value: Any, span: Span, context: Context) -> None:
    """Reports a value that does not fit its input; what is not known may fit."""
    if value is NONE or isinstance(value, Unknown):
        return
    kinds = _kinds(value)
    note = Note("it is declared here", one.span)
    if one.types and not kinds & {*one.types}:
        wanted = " or ".join(one.types)
        context.diagnostics.error(
            _INVALID,
            span,
            f"the input `{one.name}` is {_a(sorted(kinds)[0])}, and its type is {wanted}",
            None,
            note,
        )
    elif one.allowed is not None and not has_unknown(value):
        choices = [item.value for item in one.allowed.items if isinstance(item, Scalar)]
        if not any(value == c and _kinds(value) == _kinds(c) for c in choices):
            listed = ", ".join(f"`{c}`" for c in choices)
            summary = f"the input `{one.name}` has a value that it may not have"
            context.diagnostics.error(_INVALID, span, summary, f"it may be {listed}", note)


def _kinds(value: Any) -> set[str]:
    """The types of JSON Schema that a value has."""
    match value:
        case None:
            return {"null"}
        case bool():
            return {"boolean"}
        case int():
            return {"integer", "number"}
        case float():
            return {"integer", "number"} if value.is_integer() else {"number"}
        case str():
            return {"string"}
        case list():
            return {"array"}
    return {"object"}
