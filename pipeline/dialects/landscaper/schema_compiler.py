"""Schemas for the library: whether one is valid, and what breaks it, in words.

A schema is valid by `metaschema.toml`, which is checked by the same rules as values are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any, Final

import referencing
from jsonschema.exceptions import ValidationError
from referencing.exceptions import NoSuchResource, Unresolvable
from referencing.jsonschema import DRAFT7

from ....functions.signatures import read_table
from ....functions.values import article
from ...engine.run import Context
from ...language.meter import over_limit
from ...values.diagnostics import ERROR, Diagnostic, Note
from ...values.source import Span
from ...values.threads import with_room
from ...values.tree import AnyNode, Array, Map, Scalar
from .schema_rules import REF, VALIDATOR, Checker, Endless, List, NoneFits, Object, is_number

_WORDS: Final = {"array": "list", "object": "map"}
_SHOWN: Final = 40
"""Characters of an allowed value that a message may name."""
_FRAMES: Final = 150
_DATA: Final = frozenset(("const", "enum", "default", "example", "examples"))
_NAMED: Final = frozenset(("properties", "patternProperties", "definitions", "dependencies"))
_A_PROBLEM: Final = 40
_NOTES: Final = 3
_ALLOWED: Final = 8
_PLAIN: Final = 1e21


def compile_schema(schema: AnyNode, context: Context) -> Compiled | None:
    """A schema without references to other documents; None after mistakes, which are reported.

    Raises:
        FunctionError: `limit_exceeded`.
    """
    made = Compiled(schema, context)
    return made if made.is_valid() else None


def _refuse(uri: str) -> Any:
    raise NoSuchResource(ref=uri)


_REGISTRY: Final = referencing.Registry(retrieve=_refuse)


@cache
def _metaschema() -> Any:
    return json.loads(read_table(__package__ or "", "metaschema.toml")["schema"])


class Compiled:
    """A schema as the library gets it, whose maps lead back to the nodes by their identity."""

    def __init__(self, schema: AnyNode, context: Context) -> None:
        self.node = schema
        self._context = context
        self._nodes: dict[int, Map] = {}
        self._read: dict[int, Any] = {}
        self._checked: set[int] = set()
        self._seen: dict[tuple[int, int], Any] = {}
        self._schema = self._plain(schema, True)

    def _plain(self, node: AnyNode, of_schema: bool = False) -> Any:
        """A value, or a schema, as the library gets it."""
        if not isinstance(node, Map | Array):
            return node.value if isinstance(node, Scalar) else str(node.text)
        known = self._read.get(id(node)) if of_schema else None
        if known is not None:
            return known
        self._context.meter.work(1 + len(node.items))
        made: Any
        if isinstance(node, Array):
            made = List(self._plain(one, of_schema) for one in node.items)
        else:
            made = Object((key, self._plain(one, of_schema)) for key, one in node.items.items())
        if of_schema:
            self._read[id(node)] = made
            if isinstance(node, Map):
                self._nodes[id(made)] = node
                _as_draft_7(made)
        return made

    # whether it is valid

    def is_valid(self) -> bool:
        """Reports what is wrong with the schema."""
        errors = self._context.diagnostics.errors
        self._validate(self._schema, self.node)
        if self._context.diagnostics.errors == errors:
            root = DRAFT7.create_resource(self._schema)
            self._references(self._schema, _REGISTRY.resolver_with_root(root))
        return self._context.diagnostics.errors == errors

    def _validate(self, schema: Any, node: AnyNode) -> None:
        self._checked.add(id(schema))
        for error in self._errors(_metaschema(), schema):
            place = _place(node, [*error.absolute_path], error)
            is_pattern = error.validator_value == "regex" or error.validator == "propertyNames"
            code = "schema_pattern" if is_pattern else "schema_invalid"
            reason = "the pattern is not valid in RE2" if is_pattern else _reason(error)
            summary = f"the schema is not valid: {reason}{_at(error)}"
            self._context.diagnostics.error(code, place, summary)

    def _references(self, raw: Any, resolver: Any, named: bool = False) -> None:
        """Looks at the references in a schema, or in a map of schemas by their names."""
        if isinstance(raw, list):
            for one in raw:
                self._references(one, resolver)
        if not isinstance(raw, Object) or (id(raw), id(resolver)) in self._seen:
            return
        self._seen[id(raw), id(resolver)] = resolver
        if "$id" in raw and not named:
            resolver = resolver.in_subresource(DRAFT7.create_resource(raw))
        text, node = raw.get(REF), self._nodes[id(raw)]
        if isinstance(text, str) and not named:
            self._refer(raw, text, resolver, node.items[REF].span)
        for name in ("Length", "Properties") if REF not in raw else ():
            least, most = (raw.get(f"{bound}{name}") for bound in ("min", "max"))
            if is_number(least) and is_number(most) and least > most:
                summary = f"the schema is not valid: `min{name}` is greater than `max{name}`"
                place = node.items[f"min{name}"].span
                self._context.diagnostics.error("schema_invalid", place, summary)
        for key, one in raw.items():
            if named or key not in _DATA:
                self._references(one, resolver, not named and key in _NAMED)

    def _refer(self, raw: Any, text: str, resolver: Any, span: Span) -> None:
        told = self._context.diagnostics
        way: set[int] = set()
        target = raw
        while isinstance(target, Object) and isinstance(target.get(REF), str):
            if id(target) in way:
                told.error("schema_cycle", span, "the reference leads back to itself")
                return
            way.add(id(target))
            try:
                found = resolver.lookup(target[REF])
            except (Unresolvable, AttributeError, TypeError, ValueError):
                code, summary, hint = _UNRESOLVED[text.startswith(("http://", "https://"))]
                told.error(code, span, summary.format(text), hint)
                return
            target, resolver = found.contents, found.resolver
        if id(target) not in self._checked:
            self._validate(target, self._nodes.get(id(target), self.node))

    def problems(self, value: AnyNode, what: str, code: str) -> list[Diagnostic]:
        """How a value breaks the schema, in the order of places.

        Raises:
            FunctionError: `limit_exceeded`.
        """
        return with_room(lambda: self._problems(value, what, code), _FRAMES)

    def _problems(self, value: AnyNode, what: str, code: str) -> list[Diagnostic]:
        try:
            errors = self._errors(self._schema, self._plain(value))
            found = [self._told(error, value, what, code) for error in errors]
        except Endless:
            summary = f"the schema of {what} refers to itself without end"
            return [Diagnostic("schema_cycle", summary, value.span)]
        return sorted(found, key=lambda item: item.span.start if item.span else 0)

    def _errors(self, schema: Any, data: Any) -> Iterator[ValidationError]:
        meter, limits = self._context.meter, self._context.limits
        validator = VALIDATOR(schema, registry=_REGISTRY, format_checker=Checker(meter))
        try:
            for error in islice(validator.iter_errors(data), limits.max_diagnostics + 1):
                meter.work(_A_PROBLEM)
                yield error
        except RecursionError:
            bound = f"values and their schemas may be nested {limits.max_depth} deep"
            raise over_limit("max_depth", bound, limits) from None

    def _told(self, error: ValidationError, value: AnyNode, what: str, code: str) -> Diagnostic:
        summary = f"{what} does not match its schema: {_reason(error)}{_at(error)}"
        place = _place(value, [*error.absolute_path], error)
        notes = (*self._schema_note(error), *self._branch(error, value))
        return Diagnostic(code, summary, place, ERROR, None, notes)

    def _schema_note(self, error: ValidationError) -> Iterator[Note]:
        node = self._nodes.get(id(error.schema))
        keyword = str(error.validator)
        if node is not None and keyword in node.items:
            yield Note("the schema is here", node.key_span(keyword))

    def _branch(self, error: ValidationError, value: AnyNode) -> Iterator[Note]:
        """What is wrong with the alternative that fits best."""
        best = error.context or []
        if isinstance(error, NoneFits):
            best = min(error.branches(), key=_distance)
            for one in best:
                one.parent = error
        for one in best[:_NOTES]:
            yield Note(f"{_reason(one)}{_at(one)}", _place(value, [*one.absolute_path], one))


_UNRESOLVED: Final = {
    False: ("schema_reference", "`{}` is not in this schema", None),
    True: (
        "schema_remote_reference",
        "a schema cannot refer to another machine",
        "keep the schema in the blueprint and refer to it by `blueprint://`",
    ),
}


def _as_draft_7(schema: Any) -> None:
    """Writes what only the engine knows as draft 7 has it."""
    base, reference = schema.get("id", schema.get("$id")), schema.get(REF)
    schema.pop("$id", None)
    if isinstance(schema.get("$schema"), str):
        del schema["$schema"]  # any is accepted, and changes nothing
    if isinstance(base, str):
        schema["$id"] = base
    if isinstance(reference, str):
        address, mark, fragment = reference.partition("#")
        if "/" in fragment and not fragment.startswith("/"):
            schema[REF] = f"{address}{mark}/{fragment}"


def _distance(errors: list[ValidationError]) -> tuple[int, int]:
    """How far a value is from an alternative: one of another type is farther than any other."""
    return any(one.validator == "type" and not one.path for one in errors), len(errors)


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


def _at(error: ValidationError) -> str:
    path = ".".join(map(str, error.absolute_path))
    return f" at `{path}`" if path else ""


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


def _reason(error: ValidationError) -> str:
    keyword, wanted, given = error.validator, error.validator_value, error.instance
    if keyword == "type":
        names = [wanted] if isinstance(wanted, str) else wanted
        return f"expected {' or '.join(map(_a, names))}, got {_a(_kind(given))}"
    if keyword in _BOUNDS:
        words = _BOUNDS[str(keyword)] if given != wanted else _EXCLUDED[str(keyword)[-7:].lower()]
        return f"{_shown(given)} is {words} {_shown(wanted)}"
    if keyword in ("required", "dependencies"):
        return f"`{error.message}` is missing"
    if keyword in ("enum", "const"):
        listed = wanted if keyword == "enum" else [wanted]
        shown = [_shown(one) for one in listed[:_ALLOWED]] + ["more"] * (len(listed) > _ALLOWED)
        return f"only {' or '.join(shown)} is allowed"
    return _REASONS.get(str(keyword), "nothing is allowed").format(_shown(wanted))


_BOUNDS: Final = {
    "minimum": "less than the minimum",
    "maximum": "greater than the maximum",
    "exclusiveMinimum": "not greater than",
    "exclusiveMaximum": "not less than",
    "multipleOf": "not a multiple of",
}
_EXCLUDED: Final = {"minimum": "not greater than", "maximum": "not less than"}
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
