"""Schemas for the library: whether one is valid, keyword by keyword, and what breaks it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import referencing
from jsonschema.exceptions import ValidationError
from referencing.exceptions import NoSuchResource, Unresolvable
from referencing.jsonschema import DRAFT7, SchemaRegistry

from ....functions.go.regexps import BadPattern, compile_pattern
from ....functions.values import article
from ...engine.run import Context
from ...language.meter import over_limit
from ...values.diagnostics import Diagnostic, Note, meant
from ...values.source import Span
from ...values.threads import with_room
from ...values.tree import AnyNode, Array, Map, Scalar, kind_of
from .schema_rules import (
    REF,
    VALIDATOR,
    Checker,
    Constant,
    Endless,
    List,
    Object,
    Target,
    canonical,
    is_number,
)

_TYPES: Final = ("array", "boolean", "integer", "number", "null", "object", "string")
_WORDS: Final = {"array": "list", "object": "map"}
_SHOWN: Final = 40
"""Characters of a given or an allowed value that a message may name."""
_FRAMES: Final = 150


# a `$id` beside a `$ref` counts, too
_RULES: Final[referencing.Specification[Any]] = referencing.Specification(
    name="draft 4 to 7",
    id_of=lambda schema: _base(schema) if isinstance(schema, dict) else None,
    subresources_of=DRAFT7.subresources_of,
    maybe_in_subresource=DRAFT7.maybe_in_subresource,
    anchors_in=lambda _, schema: DRAFT7.anchors_in(schema),
)


def _base(schema: dict[str, Any]) -> str | None:
    found = schema.get("$id")
    return found if isinstance(found, str) and not found.startswith("#") else None


def compile_schema(schema: AnyNode, context: Context) -> Compiled | None:
    """A schema without references to other documents; None after mistakes, which are reported.

    Raises:
        FunctionError: `limit_exceeded`.
    """
    compiler = _Compiler(context)
    raw = compiler.raw(schema)
    registry: SchemaRegistry = referencing.Registry(retrieve=_refuse)
    resolver = registry.resolver_with_root(_RULES.create_resource(raw))
    made = compiler.schema(raw, resolver, schema)
    return None if compiler.is_wrong() else Compiled(made, compiler.nodes, context)


def _refuse(uri: str) -> Any:
    raise NoSuchResource(ref=uri)


class _Compiler:
    """One compilation: `nodes` has the node of each map of a schema, by its identity."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.nodes: dict[int, Map] = {}
        self.wrong = False
        self._kept: list[Any] = []
        self._raw: dict[int, Any] = {}
        self._made: dict[int, Any] = {}
        self._targets: list[tuple[Target, AnyNode]] = []

    def raw(self, node: AnyNode) -> Any:
        """A schema as plain data, in which maps lead back to their nodes."""
        if isinstance(node, Scalar):
            return node.value
        known = self._raw.get(id(node))
        if known is not None:
            return known
        made: Any
        if isinstance(node, Array):
            self.context.meter.work(1 + len(node.items))
            made = List(self.raw(one) for one in node.items)
        else:
            assert isinstance(node, Map)
            self.context.meter.work(1 + len(node.items))
            made = Object((key, self.raw(one)) for key, one in node.items.items())
            base = made.get("id", made.pop("$id", None))
            if isinstance(base, str):
                made["$id"] = base
            self.nodes[id(made)] = node
        self._raw[id(node)] = made
        self._kept.append(node)
        return made

    def schema(self, raw: Any, resolver: Any, near: AnyNode) -> Any:
        """A schema as the library gets it: only keywords, without what has no effect."""
        if isinstance(raw, bool):
            return raw
        if not isinstance(raw, Object):
            return self.refuse(near, f"a schema must be a map, not {_a(kind_of(near))}")
        known = self._made.get(id(raw))
        if known is not None:
            return known
        made = self._made[id(raw)] = Object()
        node = self.nodes[id(made)] = self.nodes[id(raw)]
        if "$id" in raw:
            resolver = resolver.in_subresource(_RULES.create_resource(raw))
        elif "id" in node.items or "$id" in node.items:
            self.refuse(node, "the `$id` of a schema must be a string")
        alone = REF in raw
        for key in sorted(raw, key="definitions".__ne__):
            read = _KEYWORDS.get(key)
            if read is not None and (not alone or key in (REF, "definitions")):
                self.context.meter.work()
                result = read(self, _Field(key, raw[key], node.items[key], resolver, raw))
                if result is not None:
                    made[key] = result
        return made

    def refuse(
        self, place: AnyNode | Span, summary: str, hint: Any = None, code: str = "schema_invalid"
    ) -> None:
        """Reports that a schema is not valid."""
        self.wrong = True
        span = place if isinstance(place, Span) else place.span
        self.context.diagnostics.error(code, span, summary, hint)

    def refer(self, field: _Field) -> Target | None:
        """The schema that a reference in the same document leads to."""
        text, resolver = field.value, field.resolver
        if not isinstance(text, str):
            return self.refuse(field.node, "`$ref` must be a string")
        base, _, fragment = text.partition("#")
        forms = [text]
        if fragment and not fragment.startswith("/"):
            forms.append(f"{base}#/{fragment}")
        for form in forms:
            try:
                found = resolver.lookup(form)
            except Unresolvable:
                continue
            except (AttributeError, TypeError, ValueError):  # the document is no schema elsewhere
                continue
            target = Target(self.schema(found.contents, found.resolver, field.node))
            self._targets.append((target, field.node))
            return target
        remote = text.partition("://")[0] in ("http", "https")
        if remote:
            summary = "a schema cannot refer to another machine"
            hint = "keep the schema in the blueprint and refer to it by `blueprint://`"
            return self.refuse(field.node, summary, hint, "schema_remote_reference")
        return self.refuse(field.node, f"`{text}` is not in this schema", None, "schema_reference")

    def is_wrong(self) -> bool:
        """True after mistakes; references that only lead to one another are such."""
        for target, node in self._targets:
            seen: set[int] = set()
            schema = target.schema
            while isinstance(schema, Object) and isinstance(schema.get(REF), Target):
                if id(schema) in seen:
                    self.refuse(node, "the reference leads back to itself", None, "schema_cycle")
                    break
                seen.add(id(schema))
                schema = schema[REF].schema
        return self.wrong


class _Field:
    """A keyword of a schema: its value, as plain data and as a node."""

    def __init__(self, key: str, value: Any, node: AnyNode, resolver: Any, raw: Any) -> None:
        self.key = key
        self.value = value
        self.node = node
        self.resolver = resolver
        self.raw = raw


# The keywords: what each must be, and what the library gets; None leaves it out.

_Read = Callable[[_Compiler, _Field], Any]


def _must_be(what: str, holds: Callable[[Any], bool]) -> _Read:
    def read(compiler: _Compiler, field: _Field) -> Any:
        if holds(field.value):
            return field.value
        return compiler.refuse(field.node, f"`{field.key}` must be {what}")

    return read


_text: Final = _must_be("a string", lambda value: isinstance(value, str))
_number: Final = _must_be("a number", is_number)


def _size(compiler: _Compiler, field: _Field) -> Any:
    value = field.value
    if not is_number(value) or value != int(value) or value < 0:
        return compiler.refuse(field.node, f"`{field.key}` must be an integer that is not negative")
    most = field.raw.get("max" + field.key[3:])
    if field.key in ("minLength", "minProperties") and is_number(most) and value > most:
        compiler.refuse(field.node, f"`{field.key}` is greater than `max{field.key[3:]}`")
    return int(value)


def _multiple(compiler: _Compiler, field: _Field) -> Any:
    if is_number(field.value) and field.value <= 0:
        return compiler.refuse(field.node, "`multipleOf` must be greater than 0")
    return _number(compiler, field)


def _exclusive(compiler: _Compiler, field: _Field) -> Any:
    bound = field.key.replace("exclusiveM", "m")
    if not isinstance(field.value, bool):
        return _number(compiler, field)
    if bound not in field.raw:
        return compiler.refuse(field.node, f"`{field.key}` needs a `{bound}` beside it")
    return field.value


def _types(compiler: _Compiler, field: _Field) -> Any:
    value = field.value
    listed = value if isinstance(value, list) else [value]
    nodes = field.node.items if isinstance(field.node, Array) else [field.node]
    for one, node in zip(listed, nodes, strict=True):
        if one not in _TYPES:
            shown = f"`{one}` is not" if isinstance(one, str) else f"{_a(kind_of(node))} is not"
            hint = meant(one, _TYPES) if isinstance(one, str) else None
            return compiler.refuse(
                node, f"{shown} a valid type", hint or f"available: {', '.join(_TYPES)}"
            )
    if len(set(listed)) < len(listed):
        return compiler.refuse(field.node, "a type is there twice")
    return List(listed) if listed else None


def _pattern(compiler: _Compiler, text: str, place: AnyNode | Span) -> bool:
    try:
        compile_pattern(text)
    except BadPattern as problem:
        compiler.refuse(place, "the pattern is not valid in RE2", problem.hint, "schema_pattern")
        return False
    return True


def _one_pattern(compiler: _Compiler, field: _Field) -> Any:
    found = _text(compiler, field)
    return found if found is not None and _pattern(compiler, found, field.node) else None


def _schema(compiler: _Compiler, field: _Field) -> Any:
    made = compiler.schema(field.value, field.resolver, field.node)
    listed = field.raw.get("items")
    counts = field.key != "additionalItems" or (isinstance(listed, list) and listed)
    return made if counts else None


def _schemas(compiler: _Compiler, field: _Field) -> Any:
    value, node = field.value, field.node
    if isinstance(value, list) and field.key != "properties" and isinstance(node, Array):
        made = List(
            compiler.schema(one, field.resolver, below)
            for one, below in zip(value, node.items, strict=True)
        )
        return made or None
    if field.key == "items":
        return compiler.schema(value, field.resolver, node)
    return compiler.refuse(node, f"`{field.key}` must be a list of schemas")


def _named(compiler: _Compiler, field: _Field) -> Any:
    node = field.node
    if not isinstance(node, Map):
        return compiler.refuse(node, f"`{field.key}` must be a map of schemas")
    made = Object()
    for key, one in field.value.items():
        below = node.items[key]
        if field.key == "patternProperties" and not _pattern(compiler, key, node.key_span(key)):
            continue
        if field.key == "dependencies" and isinstance(one, list):
            if not all(isinstance(name, str) for name in one):
                compiler.refuse(below, "a dependency is a schema or a list of names")
            made[key] = one
        else:
            made[key] = compiler.schema(one, field.resolver, below)
    return made


def _distinct(compiler: _Compiler, field: _Field) -> Any:
    value, node = _plain(field.node), field.node
    if not isinstance(node, Array):
        return compiler.refuse(node, f"`{field.key}` must be a list")
    seen = set()
    for one, below in zip(value, node.items, strict=True):
        if field.key == "required" and not isinstance(one, str):
            return compiler.refuse(below, "`required` must be a list of names")
        compiler.context.meter.weigh(one)
        mark = canonical(one)
        if mark in seen:
            return compiler.refuse(below, f"`{field.key}` has the same entry twice")
        seen.add(mark)
    return value or None


_KEYWORDS: Final[dict[str, _Read]] = {
    REF: _Compiler.refer,
    "type": _types,
    "const": lambda compiler, field: Constant(_plain(field.node)),
    "pattern": _one_pattern,
    "multipleOf": _multiple,
    "uniqueItems": _must_be("a boolean", lambda value: isinstance(value, bool)),
    **dict.fromkeys(("title", "description", "format"), _text),
    **dict.fromkeys(("minimum", "maximum"), _number),
    **dict.fromkeys(("exclusiveMinimum", "exclusiveMaximum"), _exclusive),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), _size),
    **dict.fromkeys(("minProperties", "maxProperties"), _size),
    **dict.fromkeys(("required", "enum"), _distinct),
    **dict.fromkeys(("properties", "patternProperties", "definitions", "dependencies"), _named),
    **dict.fromkeys(("items", "allOf", "anyOf", "oneOf"), _schemas),
    **dict.fromkeys(("additionalProperties", "additionalItems", "propertyNames"), _schema),
    **dict.fromkeys(("contains", "not", "if", "then", "else"), _schema),
}


class Compiled:
    """A valid schema."""

    def __init__(self, schema: Any, nodes: dict[int, Map], context: Context) -> None:
        self._schema = schema
        self._nodes = nodes
        self._context = context

    def problems(self, value: AnyNode, what: str, code: str) -> list[Diagnostic]:
        """How a value breaks the schema, in the order of places.

        Raises:
            FunctionError: `limit_exceeded`.
        """
        return with_room(lambda: self._problems(value, what, code), _FRAMES)

    def _problems(self, value: AnyNode, what: str, code: str) -> list[Diagnostic]:
        meter, limits = self._context.meter, self._context.limits
        validator = VALIDATOR(self._schema, format_checker=Checker(meter))
        found = []
        try:
            for error in validator.iter_errors(_plain(value)):
                meter.work(_A_PROBLEM)
                found.append(self._told(error, value, what, code))
        except RecursionError:
            bound = f"values and their schemas may be nested {limits.max_depth} deep"
            raise over_limit("max_depth", bound, limits) from None
        except Endless:
            summary = f"the schema of {what} refers to itself without end"
            return [Diagnostic("schema_cycle", summary, value.span)]
        return sorted(found, key=lambda item: item.span.start if item.span else 0)

    def _told(self, error: ValidationError, value: AnyNode, what: str, code: str) -> Diagnostic:
        path = [*error.absolute_path]
        reason = _reason(error)
        at = f" at `{_path(path)}`" if path else ""
        summary = f"{what} does not match its schema: {reason}{at}"
        notes = [*self._schema_note(error), *self._branch(error, value)]
        return Diagnostic(code, summary, _place(value, path, error), notes=tuple(notes))

    def _schema_note(self, error: ValidationError) -> Iterator[Note]:
        node = self._nodes.get(id(error.schema))
        keyword = str(error.validator)
        if node is not None and keyword in node.items:
            yield Note("the schema is here", node.key_span(keyword))

    def _branch(self, error: ValidationError, value: AnyNode) -> Iterator[Note]:
        """What is wrong with the alternative that fits best."""
        branches: dict[Any, list[ValidationError]] = {}
        for one in error.context or ():
            key = next(iter(one.schema_path), 0) if error.validator in ("anyOf", "oneOf") else 0
            branches.setdefault(key, []).append(one)
        best = min(branches.values(), key=_distance) if branches else []
        for one in best[:_NOTES]:
            path = [*one.absolute_path]
            at = f" at `{_path(path)}`" if path else ""
            yield Note(f"{_reason(one)}{at}", _place(value, path, one))


_A_PROBLEM: Final = 40
_NOTES: Final = 3


def _distance(errors: list[ValidationError]) -> tuple[int, int]:
    """How far a value is from an alternative: one of another type is farther than any other."""
    return any(one.validator == "type" and not one.path for one in errors), len(errors)


def _plain(node: AnyNode) -> Any:
    """A value as the library gets it."""
    if isinstance(node, Map):
        return Object((key, _plain(one)) for key, one in node.items.items())
    if isinstance(node, Array):
        return List(_plain(one) for one in node.items)
    return node.value if isinstance(node, Scalar) else str(node.text)


def _place(value: AnyNode, path: list[Any], error: ValidationError) -> Span:
    """The part of a value that an error is about; the key of a field that should not be there."""
    node = value
    for number, step in enumerate(path, 1):
        if isinstance(node, Map) and step in node.items:
            if number == len(path) and error.validator in _ABOUT_KEYS:
                return node.key_span(step)
            node = node.items[step]
        elif isinstance(node, Array) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
    return node.span


_ABOUT_KEYS: Final = ("additionalProperties", "propertyNames")


def _path(path: list[Any]) -> str:
    return ".".join(map(str, path))


# What is wrong, in words.


def _a(kind: str) -> str:
    kind = "number" if kind == "float" else _WORDS.get(kind, kind)
    return kind if kind == "null" else article(kind)


def _kind(value: Any) -> str:
    for kind, name in ((bool, "boolean"), (str, "string"), (dict, "object"), (list, "array")):
        if isinstance(value, kind):
            return name
    return "null" if value is None else "integer" if float(value).is_integer() else "number"


def _shown(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return "`null`" if value is None else f"`{str(value).lower()}`"
    if is_number(value):
        return str(int(value)) if float(value).is_integer() and abs(value) < _PLAIN else str(value)
    text = value if isinstance(value, str) else ".."
    return f"`{text}`" if len(text) <= _SHOWN else "a longer string"


_PLAIN: Final = 1e21


def _reason(error: ValidationError) -> str:
    keyword, wanted, given = error.validator, error.validator_value, error.instance
    if keyword == "type":
        names = [wanted] if isinstance(wanted, str) else wanted
        return f"expected {' or '.join(map(_a, names))}, got {_a(_kind(given))}"
    if keyword in _BOUNDS:
        return f"{_shown(given)} is {_BOUNDS[str(keyword)]} {_shown(wanted)}"
    if keyword in ("required", "dependencies"):
        return f"`{error.message}` is missing"
    if keyword in ("enum", "const"):
        listed = wanted if keyword == "enum" else [wanted.value]
        shown = [_shown(one) for one in listed[:_ALLOWED]] + ["more"] * (len(listed) > _ALLOWED)
        return f"only {' or '.join(shown)} is allowed"
    return _REASONS.get(str(keyword), "nothing is allowed").format(_shown(wanted))


_ALLOWED: Final = 8
_BOUNDS: Final = {
    "minimum": "less than the minimum",
    "maximum": "greater than the maximum",
    "exclusiveMinimum": "not greater than",
    "exclusiveMaximum": "not less than",
    "multipleOf": "not a multiple of",
}
_REASONS: Final = {
    "minLength": "the string is shorter than {}",
    "maxLength": "the string is longer than {}",
    "minItems": "the list has fewer than {} items",
    "maxItems": "the list has more than {} items",
    "minProperties": "the map has fewer than {} fields",
    "maxProperties": "the map has more than {} fields",
    "pattern": "the string does not match the pattern {}",
    "format": "this does not have the format {}",
    "uniqueItems": "the item is in the list already",
    "contains": "no item fits `contains`",
    "additionalItems": "the list has more items than it may have",
    "additionalProperties": "the field is not allowed",
    "propertyNames": "the name of the field is not allowed",
    "anyOf": "none of the alternatives fits",
    "oneOf": "not exactly one of the alternatives fits",
    "not": "the value is what it must not be",
}
