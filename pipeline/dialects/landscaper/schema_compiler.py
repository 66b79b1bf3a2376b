"""Schemas as the engine takes them: whether one is valid, and the words for what breaks one.

The engine mixes drafts 4, 6 and 7: both forms of `exclusiveMinimum` are valid, siblings of `$ref`
are ignored, and lists of alternatives may be empty. The library gets a schema as draft 7 has it.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final, TypeAlias, TypeGuard

from ....functions.values import article
from ...engine.run import Context
from ...values.source import Span
from ...values.tree import AnyNode, Array, Map, Scalar
from .plain_schemas import TYPES, plain_check

REF: Final = "$ref"
_A_LOOKUP: Final = 12
_SCHEMA: Final = ("object", "boolean")
_LISTED: Final = frozenset(("items", "allOf", "anyOf", "oneOf"))
_NAMED: Final = ("properties", "patternProperties", "definitions", "dependencies")
_ITSELF: Final = ("not", "if", "then", "else")
_PARTS: Final = ("items", "additionalItems", "contains", "additionalProperties", "propertyNames")
_INNER: Final = frozenset((*_ITSELF, *_PARTS))
_FORMS: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(("$id", "id", "title", "description", "format", "pattern", REF), ("string",)),
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), ("number",)),
    **dict.fromkeys(("exclusiveMinimum", "exclusiveMaximum"), ("boolean", "number")),
    **dict.fromkeys(("minLength", "minItems", "minProperties"), ("integer",)),
    **dict.fromkeys(("maxLength", "maxItems", "maxProperties"), ("integer",)),
    **dict.fromkeys(("required", "enum", *_LISTED), ("array",)),
    **dict.fromkeys(_NAMED, ("object",)),
    "uniqueItems": ("boolean",),
    "type": (),
}
"""The types that keywords have; others, and the keywords of later drafts, are not looked at."""


_Base: TypeAlias = tuple[Any, ...]
"""Where references begin: what finds them, None at the top, and the parts below with an `$id`."""


class Quiet:
    """A mixin for data that no message of the library writes out."""

    def __repr__(self) -> str:
        return ".."


class Object(Quiet, dict):  # type: ignore[type-arg]
    """A map of a value or of a schema."""


class List(Quiet, list):  # type: ignore[type-arg]
    """A list of a value or of a schema."""


class Compiled:
    """A schema without references to other documents; what is wrong with it is reported.

    `data` is what the library gets, and `nodes` are those of its maps by their identity. `fits` is
    the check of a plain schema.

    Raises:
        FunctionError: `limit_exceeded`.
    """

    def __init__(self, schema: AnyNode, context: Context) -> None:
        self.context = context
        self.nodes: dict[int, Map] = {}
        self.is_valid = True
        self._read: dict[int, Any] = {}
        self._seen: set[int] = set()
        self._references: list[tuple[Map, _Base]] = []
        self._has_bases = False
        self.data = self.plain(schema, True)
        self._walk(schema, (None,))
        for node, base in self._references:
            self._refer(node, base)
        self.fits = plain_check(schema, context.meter.work) if self.is_valid else None

    def plain(self, node: AnyNode, of_schema: bool = False) -> Any:
        """A value, or a schema, as the library gets it."""
        if not isinstance(node, Map | Array):
            return node.value if isinstance(node, Scalar) else str(node.text)
        known = self._read.get(id(node)) if of_schema else None
        if known is not None:
            return known
        self.context.meter.work(1 + len(node.items))
        made: Any
        if isinstance(node, Array):
            made = List(self.plain(one, of_schema) for one in node.items)
        else:
            made = Object((key, self.plain(one, of_schema)) for key, one in node.items.items())
        if of_schema:
            self._read[id(node)] = made
            if isinstance(node, Map):
                self.nodes[id(made)] = node
        return made

    def _wrong(self, span: Span, path: str, keyword: str, wanted: Any, given: Any = None) -> None:
        where = f" at `{path}`" if path else ""
        words = f"{reason(keyword, wanted, given)}{where}"
        self._refuse("schema_invalid", span, f"the schema is not valid: {words}")

    def _refuse(self, code: str, span: Span, summary: str, hint: str | None = None) -> None:
        self.is_valid = False
        self.context.diagnostics.error(code, span, summary, hint)

    # the schemas in a schema

    def _walk(self, node: AnyNode, base: _Base, path: str = "") -> None:
        """Looks at a schema and at those in it, each once."""
        if not isinstance(node, Map):
            value = self.plain(node, True)
            if not isinstance(value, bool):
                self._wrong(node.span, path, "type", _SCHEMA, value)
            return
        if id(node) in self._seen:
            return
        self._seen.add(id(node))
        self.context.meter.work(1 + len(node.items))
        data, fields = self.plain(node, True), node.items
        _as_draft_7(data)
        if "$id" in data:
            self._has_bases, base = True, (*base, data)
        if REF in fields:
            fields = {key: fields[key] for key in (REF, "definitions") if key in fields}
            if isinstance(data[REF], str):
                self._references.append((node, base))
        else:
            self._bounds(node, path)
        for key, one in fields.items():
            self._keyword(key, one, base, f"{path}.{key}" if path else key)

    def _keyword(self, key: str, node: AnyNode, base: _Base, path: str) -> None:
        if key in _LISTED and isinstance(node, Array):
            for number, one in enumerate(node.items):
                self._walk(one, base, f"{path}.{number}")
        elif key in _INNER:
            self._walk(node, base, path)
        elif key in _NAMED and isinstance(node, Map):
            for name, one in node.items.items():
                if key == "patternProperties":
                    self._pattern(name, node.key_span(name), f"{path}.{name}")
                if key == "dependencies" and isinstance(one, Array):
                    self._strings(one, f"{path}.{name}")
                else:
                    self._walk(one, base, f"{path}.{name}")
        elif key in _FORMS:
            self._value(key, node, path)

    def _value(self, key: str, node: AnyNode, path: str) -> None:
        """Looks at the value of a keyword that holds no schemas."""
        wanted, given = _FORMS[key], self.plain(node, True)
        kind = _kind(given)
        if key == "type":
            listed = node.items if isinstance(node, Array) else [node]
            for number, one in enumerate(listed):
                if not isinstance(one, Scalar) or one.value not in TYPES:
                    where = path if one is node else f"{path}.{number}"
                    self._wrong(one.span, where, "enum", [*TYPES])
        elif kind not in wanted and (kind != "integer" or "number" not in wanted):
            self._wrong(node.span, path, "type", wanted, given)
        elif key == "pattern":
            self._pattern(given, node.span, path)
        elif key == "multipleOf" and given <= 0:
            self._wrong(node.span, path, "exclusiveMinimum", 0, given)
        elif wanted == ("integer",) and given < 0:
            self._wrong(node.span, path, "minimum", 0, given)
        elif key == "required":
            self._strings(node, path)
        if key in ("type", "required", "enum") and isinstance(node, Array):
            seen = set()
            for number, one in enumerate(node.items):
                mark = canonical(given[number])
                if mark in seen:
                    self._wrong(one.span, f"{path}.{number}", "uniqueItems", True)
                seen.add(mark)

    def _strings(self, node: AnyNode, path: str) -> None:
        for number, one in enumerate(node.items if isinstance(node, Array) else ()):
            value = self.plain(one, True)
            if not isinstance(value, str):
                self._wrong(one.span, f"{path}.{number}", "type", ("string",), value)

    def _pattern(self, pattern: str, span: Span, path: str) -> None:
        from .formats import conforms

        if not conforms(pattern, "regex", self.context.meter.work):
            words = f"the pattern is not valid in RE2 at `{path}`"
            self._refuse("schema_pattern", span, f"the schema is not valid: {words}")

    def _bounds(self, node: Map, path: str) -> None:
        """Looks at the keywords that need one another."""
        data = self.plain(node, True)
        for name in ("minimum", "maximum"):
            if isinstance(data.get(f"exclusive{name.title()}"), bool) and name not in data:
                self._wrong(node.span, path, "required", name)
        for name in ("Length", "Properties"):
            least, most = (data.get(f"{bound}{name}") for bound in ("min", "max"))
            if is_number(least) and is_number(most) and least > most:
                summary = f"the schema is not valid: `min{name}` is greater than `max{name}`"
                self._refuse("schema_invalid", node.items[f"min{name}"].span, summary)

    # references

    @cached_property
    def registry(self) -> Any:
        """The parts of the schema by their addresses; nothing outside of it is found."""
        from referencing import Registry
        from referencing.exceptions import NoSuchResource
        from referencing.jsonschema import DRAFT7

        def refuse(uri: str) -> Any:
            raise NoSuchResource(ref=uri)

        root = DRAFT7.create_resource(self.data)
        made: Any = Registry(retrieve=refuse).with_resource(root.id() or "", root)
        return made.crawl() if self._has_bases else made

    def _refer(self, node: Map, base: _Base) -> None:
        """Looks at the schema that a reference leads to."""
        from referencing.exceptions import Unresolvable
        from referencing.jsonschema import DRAFT7

        way: set[int] = set()
        target, span = self.plain(node, True), node.items[REF].span
        text = target[REF]
        root = DRAFT7.create_resource(self.data)
        resolver = base[0] or self.registry.resolver_with_root(root)
        for part in base[1:]:
            resolver = resolver.in_subresource(DRAFT7.create_resource(part))
        while isinstance(target, Object) and isinstance(target.get(REF), str):
            self.context.meter.work(_A_LOOKUP)
            if id(target) in way:
                self._refuse("schema_cycle", span, "the reference leads back to itself")
                return
            way.add(id(target))
            try:
                found = resolver.lookup(target[REF])
            except (Unresolvable, AttributeError, TypeError, ValueError):
                code, summary, hint = _UNRESOLVED[text.startswith(("http://", "https://"))]
                self._refuse(code, span, summary.format(text), hint)
                return
            target, resolver = found.contents, found.resolver
        if isinstance(target, Object):
            self._walk(self.nodes[id(target)], (resolver,))
        elif not isinstance(target, bool):
            self._wrong(span, "", "type", _SCHEMA, target)


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
    own, reference, items = schema.pop("$id", None), schema.get(REF), schema.get("items")
    base = schema.get("id", own)
    if isinstance(base, str):
        schema["$id"] = base
    if isinstance(reference, str):
        address, mark, fragment = reference.partition("#")
        if "/" in fragment and not fragment.startswith("/"):
            schema[REF] = f"{address}{mark}/{fragment}"
    silent = [key for key in ("type", "enum", "anyOf", "oneOf") if schema.get(key) == []]
    if not (isinstance(items, list) and items):
        silent.append("additionalItems")
    for key in (*silent, "$schema"):
        schema.pop(key, None)


def is_number(value: object) -> TypeGuard[float]:
    """True for a number of JSON."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def canonical(value: Any) -> Any:
    """A value that can be compared and hashed: numbers are floats, and no booleans."""
    if isinstance(value, dict):
        return "map", frozenset((key, canonical(one)) for key, one in value.items())
    if isinstance(value, list):
        return "list", tuple(canonical(one) for one in value)
    return type(value) is bool, float(value) if is_number(value) else value


# What is wrong, in words.

_WORDS: Final = {"array": "list", "object": "map"}
_SHOWN: Final = 40
"""Characters of an allowed value that a message may name."""
_ALLOWED: Final = 8
_PLAIN: Final = 1e21


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


def reason(keyword: str | None, wanted: Any, given: Any) -> str:
    """How a value breaks a keyword, or a name that is missing."""
    if keyword == "type":
        names = [wanted] if isinstance(wanted, str) else wanted
        return f"expected {' or '.join(map(_a, names))}, got {_a(_kind(given))}"
    if keyword in _BOUNDS:
        words = _BOUNDS[keyword] if given != wanted else _EXCLUDED[keyword[-7:].lower()]
        return f"{_shown(given)} is {words} {_shown(wanted)}"
    if keyword in ("required", "dependencies"):
        return f"`{wanted}` is missing"
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
