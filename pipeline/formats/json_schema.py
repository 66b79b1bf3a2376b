"""JSON Schemas (2020-12) of records: of attrs classes, typed dictionaries and marked types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import NoneType, UnionType
from typing import (
    Any,
    Final,
    Literal,
    TypeAlias,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import attrs

from ..values.diagnostics import ERROR, NOTE, WARNING
from .records import LinkKey, Ordinal, Plain, PlainObject, Severity, record_key

Schema: TypeAlias = dict[str, Any]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_PLAIN: Final[list[tuple[Any, Schema]]] = [
    (str, {"type": "string"}),
    (bool, {"type": "boolean"}),
    (int, {"type": "integer"}),
    (Severity, {"enum": [ERROR, WARNING, NOTE]}),
    (Ordinal, {"type": "integer", "minimum": 1}),
    (float, {"type": "number"}),
    (NoneType, {"type": "null"}),
    (Any, {}),
    (Plain, {}),
    (PlainObject, {"type": "object"}),
    (LinkKey, {"type": "string", "pattern": "^[^:]+::[^:]+$"}),
]


def titled(title: str, about: str, schema: Mapping[str, Any]) -> Schema:
    """A whole schema: its dialect and words before its rules."""
    return {"$schema": DIALECT, "title": title, "description": about, **schema}


def whole(pattern: str) -> str:
    """A pattern of a whole text; those of JSON Schema find a part of one."""
    return f"^(?:{pattern})$"


class Recorder:
    """Makes the schemas of types; each class becomes a definition of its own.

    `marked` has the schemas of types that a converter has hooks for, `about` the words of fields:
    by class and name, or by name. Fields without a default are required; no others are allowed
    unless the records are `open`, as those are that bpp writes and may add to.
    """

    def __init__(
        self,
        marked: Iterable[tuple[Any, Schema]] = (),
        about: Mapping[str, str] | None = None,
        open: bool = False,  # noqa: A002
    ) -> None:
        self.definitions: dict[str, Schema] = {}
        self._marked = [*marked, *_PLAIN]
        self._about = about or {}
        self._open = open

    def schema(self, shape: Any) -> Schema:
        """The schema of a type; a class is referred to by its name."""
        for mark, schema in self._marked:
            if shape == mark:
                return dict(schema)
        if attrs.has(shape) or is_typeddict(shape):
            name = shape.__name__
            if name not in self.definitions:
                self.definitions[name] = {}
                self.definitions[name] = self._of_class(shape)
            return {"$ref": f"#/$defs/{name}"}
        arguments = get_args(shape)
        origin = get_origin(shape)
        if origin is list:
            return {"type": "array", "items": self.schema(arguments[0])}
        if origin is dict:
            names, value = map(self.schema, arguments)
            found: Schema = {"type": "object", "additionalProperties": value}
            return found if names == {"type": "string"} else {**found, "propertyNames": names}
        if origin in (Union, UnionType):
            return {"anyOf": [self.schema(one) for one in arguments]}
        if origin is Literal:
            return {"enum": [*arguments]}
        raise TypeError(f"no schema of {shape!r}")

    def _of_class(self, shape: Any) -> Schema:
        kinds = get_type_hints(shape, include_extras=True)
        if attrs.has(shape):
            fields = {one.name: one.default is attrs.NOTHING for one in attrs.fields(shape)}
        else:
            fields = {name: name in shape.__required_keys__ for name in kinds}
        properties = {}
        for name in fields:
            about = self._about.get(f"{shape.__name__}.{name}") or self._about.get(name)
            words = {"description": about} if about else {}
            properties[record_key(shape, name)] = {**words, **self.schema(kinds[name])}
        schema: Schema = {"type": "object", "properties": properties}
        if not self._open:
            schema["additionalProperties"] = False
        if any(fields.values()):
            schema["required"] = [record_key(shape, name) for name in fields if fields[name]]
        about = re.sub(r"\s+", " ", (shape.__doc__ or "").split("\n\n")[0])
        return {**({"description": about} if about else {}), **schema}

    def document(self, title: str, about: str, shape: Any) -> Schema:
        """The schema of a whole file of a type."""
        return titled(title, about, {**self.schema(shape), "$defs": self.definitions})
