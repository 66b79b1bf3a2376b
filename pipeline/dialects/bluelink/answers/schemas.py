"""JSON Schemas of blueprints, and of the files with the variables of one.

They are made of the tables by which `load` checks: they accept what has the structure of a
blueprint. Nothing looks inside substitutions, whose results are checked when they are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Final, TypeAlias

from .....functions.signatures import read_table
from ....engine.materialisation import MASK, text_of
from ....formats.json_schema import Schema, titled, whole
from ....values.document import Document
from ....values.tree import Array, Map, Scalar
from ..structure import sections
from ..structure.datasource_filters import PATH, TYPE
from ..structure.inspection import FLOAT, INTEGER, NAME
from ..structure.sections import (
    CONDITION,
    DATA_SOURCE,
    DATA_SOURCE_EXPORT,
    DATA_SOURCE_METADATA,
    DOCUMENT,
    EXPORT,
    FIELD_TYPES,
    FILTER,
    INCLUDE,
    LINK_SELECTOR,
    NEWER,
    OLDER,
    OPERATORS,
    PROVIDER_TYPE,
    REMOVAL_POLICIES,
    RESOURCE,
    RESOURCE_METADATA,
    VALUE,
    VALUE_TYPES,
    VARIABLE,
    VARIABLE_TYPES,
    VERSIONS,
    Definition,
)
from ..structure.variables import is_secret

_OPENER: Final = r"\$\{"
_TEXT: Final[Schema] = {"type": "string"}
_NOT_BLANK: Final[Schema] = {"type": "string", "pattern": r"\S"}
_SCALAR: Final[Schema] = {"type": ["string", "number", "boolean"]}
_BOOLEAN: Final[Schema] = {"type": "boolean"}
_SUBSTITUTION: Final[Schema] = {"type": "string", "pattern": _OPENER}
_LONE: Final[Schema] = {"type": "string", "pattern": rf"^\s*{_OPENER}[\s\S]*\}}\s*$"}
_NAMES: Final[Schema] = {"pattern": whole(NAME.pattern)}
_MAP: Final[Schema] = {"type": "object", "$ref": "#/$defs/anything"}

_FREE: Final[Mapping[str, Schema]] = {
    "anything": {
        "description": "Anything; keys have no substitutions.",
        "propertyNames": {"not": {"pattern": _OPENER}},
        "additionalProperties": {"$ref": "#/$defs/anything"},
        "items": {"$ref": "#/$defs/anything"},
    },
    "literal": {
        "description": "Anything without substitutions.",
        "not": _SUBSTITUTION,
        "propertyNames": {"not": {"pattern": _OPENER}},
        "additionalProperties": {"$ref": "#/$defs/literal"},
        "items": {"$ref": "#/$defs/literal"},
    },
}

Form: TypeAlias = Callable[["_Blueprint"], Schema]

_TYPED: Final[Mapping[str, Schema]] = {
    "string": _TEXT,
    "integer": {"type": "integer"},
    "float": {"type": "number"},
    "boolean": _BOOLEAN,
}
"""Values of the types that a variable can have; those of a custom type are strings."""

_VALUES: Final[Mapping[str, Schema]] = {
    "string": _TEXT,
    "integer": {
        "anyOf": [{"type": "integer"}, {"type": "string", "pattern": rf"^\s*{INTEGER}\s*$"}]
    },
    "float": {"anyOf": [{"type": "number"}, {"type": "string", "pattern": rf"^\s*{FLOAT}\s*$"}]},
    "boolean": {
        "anyOf": [_BOOLEAN, {"type": "string", "pattern": r"^\s*(?:true|false)\s*$"}],
    },
    "array": {"anyOf": [{"type": "array"}, _LONE]},
    "object": {"anyOf": [{"type": "object"}, _LONE]},
}
"""Values of the types that a value can have, beside substitutions."""


def _any_of(*schemas: Schema) -> Schema:
    return {"anyOf": [*schemas]}


def _word(words: Iterable[str]) -> Schema:
    return {"enum": [*words]}


def _like(pattern: str) -> Schema:
    return {"type": "string", "pattern": whole(pattern)}


def _list_of(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _map_of(value: Schema) -> Schema:
    return {"type": "object", "additionalProperties": value}


def _when(word: Schema, **rules: Any) -> Schema:
    """Rules for the other keys of an object by its `type`."""
    kind = {"properties": {"type": word}, "required": ["type"]}
    return {"if": kind, "then": {"properties": rules}}


class _Blueprint:
    """The definitions of one version; `offered` are the versions that a document may name."""

    def __init__(self, version: str, offered: tuple[str, ...]) -> None:
        self.version = version
        self.newer = version >= NEWER
        self.offered = offered
        self.made: dict[str, Schema] = {}

    def of(self, definition: Definition) -> Schema:
        """The schema of a kind of map, which is referred to by its name and version."""
        name = f"{definition.noun} {self.version}"
        if name not in self.made:
            self.made[name] = {}
            self.made[name] = self._object(definition)
        return {"$ref": f"#/$defs/{name.replace(' ', '%20')}"}

    def section(self, definition: Definition) -> Schema:
        """The schema of a section: names and what they define."""
        return {
            "type": "object",
            "propertyNames": _NAMES,
            "additionalProperties": self.of(definition),
        }

    def _object(self, definition: Definition) -> Schema:
        about = _about()[definition.noun]
        properties = {}
        for key, one in definition.fields.items():
            if one.since is not None and one.since > self.version:
                continue
            schema = _FORMS[one.form](self)
            if one.literal:
                schema = {"allOf": [schema, {"$ref": "#/$defs/literal"}]}
            properties[key] = {**_words(about[key]), **schema}
        return {
            "type": "object",
            "properties": properties,
            "additionalProperties": False,
            "required": [key for key, _ in definition.required],
            **self._rules(definition),
        }

    def _rules(self, definition: Definition) -> Schema:
        """What holds between the keys of a definition."""
        if definition is DOCUMENT:
            return {"anyOf": [{"required": ["resources"]}, {"required": ["include"]}]}
        if definition is EXPORT:
            return {"anyOf": [{"required": ["field"]}, {"required": ["value"]}]}
        if definition is CONDITION:
            return {"minProperties": 1, "maxProperties": 1}
        if definition is VALUE:
            beside = [{"const": MASK}, _SUBSTITUTION]
            fitting = {word: _any_of(fits, *beside) for word, fits in _VALUES.items()}
            fitting |= {word: _VALUES[word] for word in ("array", "object")}
            return {"allOf": [_when({"const": word}, value=fits) for word, fits in fitting.items()]}
        if definition is VARIABLE:
            rules = [_when({"const": "boolean"}, default=_BOOLEAN, allowedValues=False)]
            kinds = [({"const": word}, _TYPED[word]) for word in _TYPED if word != "boolean"]
            for kind, fits in (*kinds, (_like(PROVIDER_TYPE), _TEXT)):
                some = {**_list_of(fits), "minItems": 1}
                rules.append(_when(kind, default=fits, allowedValues=some))
            return {"allOf": rules}
        return {}


def _filters(made: _Blueprint) -> Schema:
    one = made.of(FILTER)
    return _any_of(one, {**_list_of(one), "minItems": 1}) if made.newer else one


def _exported_fields(made: _Blueprint) -> Schema:
    some = {**made.section(DATA_SOURCE_EXPORT), "minProperties": 1}
    return _any_of(some, {"const": "*"}) if made.newer else some


def _conditions(made: _Blueprint) -> Schema:
    return {**_list_of(_condition(made)), "minItems": 1}


def _condition(made: _Blueprint) -> Schema:
    return _any_of(_BOOLEAN, _LONE, made.of(CONDITION))


def _always(schema: Schema) -> Form:
    return lambda made: schema


_FORMS: Final[Mapping[str, Form]] = {
    "version": lambda made: _word(made.offered),
    "transform": _always(_any_of(_NOT_BLANK, {**_list_of(_NOT_BLANK), "uniqueItems": True})),
    "variables": lambda made: made.section(VARIABLE),
    "values": lambda made: made.section(VALUE),
    "datasources": lambda made: made.section(DATA_SOURCE),
    "resources": lambda made: made.section(RESOURCE),
    "include": lambda made: made.section(INCLUDE),
    "exports": lambda made: made.section(EXPORT),
    "children": _always({**_map_of({"$ref": "#"}), "propertyNames": _NAMES}),
    "any": _always({"$ref": "#/$defs/anything"}),
    "map": _always(_MAP),
    "custom": _always(_any_of(_MAP, _LONE)),
    "text": _always(_TEXT),
    "words": _always(_NOT_BLANK),
    "boolean": _always(_any_of(_BOOLEAN, _SUBSTITUTION)),
    "annotations": _always(_map_of(_SCALAR)),
    "variable_type": _always(_any_of(_word(VARIABLE_TYPES), _like(PROVIDER_TYPE))),
    "variable_secret": _always(_BOOLEAN),
    "value_type": _always(_word(VALUE_TYPES)),
    "data_source_type": _always(_like(TYPE)),
    "data_source_metadata": lambda made: made.of(DATA_SOURCE_METADATA),
    "filter": _filters,
    "filter_field": _always(_like(PATH.pattern)),
    "filter_operator": lambda made: _word(
        [word for word, since in OPERATORS.items() if since <= made.version]
    ),
    "filter_search": _always(_any_of(_SCALAR, _list_of(_SCALAR))),
    "data_source_exports": _exported_fields,
    "field_type": _always(_word(FIELD_TYPES)),
    "resource_type": _always(_like(PROVIDER_TYPE)),
    "resource_metadata": lambda made: made.of(RESOURCE_METADATA),
    "labels": _always(_map_of(_TEXT)),
    "condition": _condition,
    "conditions": _conditions,
    "each": _always(_LONE),
    "link_selector": lambda made: made.of(LINK_SELECTOR),
    "names": _always(_list_of(_NOT_BLANK)),
    "depends_on": _always(_any_of(_NOT_BLANK, _list_of(_NOT_BLANK))),
    "removal_policy": _always(_word(REMOVAL_POLICIES)),
    "include_path": _always(_NOT_BLANK),
    "include_variables": _always(_map_of(_SCALAR)),
    "export_type": _always(_word(VALUE_TYPES)),
    "export_field": _always(_NOT_BLANK),
}
"""The schema of each form of a field."""


def blueprint_schema(version: str | None = None) -> Schema:
    """The schema of blueprints of a version; without one, of that which a blueprint names.

    Implements the schema of the specification ("Spec").
    """
    about = "A blueprint of the Bluelink Blueprint Specification"
    if version is not None:
        made = _Blueprint(version, (version,))
        whole_one = made.of(DOCUMENT)
        return titled(
            f"Blueprint {version}",
            f"{about}, version {version}.",
            {**whole_one, "$defs": {**_FREE, **made.made}},
        )
    older, newer = _Blueprint(OLDER, VERSIONS), _Blueprint(NEWER, VERSIONS)
    choice = {"properties": {"version": {"const": OLDER}}, "required": ["version"]}
    found = {"if": choice, "then": older.of(DOCUMENT), "else": newer.of(DOCUMENT)}
    return titled(
        "Blueprint", f"{about}.", {**found, "$defs": {**_FREE, **older.made, **newer.made}}
    )


def variables_schema(document: Document) -> Schema:
    """The schema of files with values for the variables that a blueprint declares.

    A file need not give all of them. What may be a secret is not in the schema.
    """
    declared = document.root.get("variables")
    properties = {}
    for name, node in declared.items.items() if isinstance(declared, Map) else ():
        properties[name] = _variable(node) if isinstance(node, Map) else {}
    about = f"Values for the variables of {document.source.name}."
    rules = {"type": "object", "properties": properties, "additionalProperties": False}
    return titled("Variables", about, rules)


def _variable(node: Map) -> Schema:
    kind = text_of(node.get("type")) or ""
    found = dict(_TYPED.get(kind, _TEXT))
    about = text_of(node.get("description"))
    if about is not None:
        found["description"] = about
    if is_secret(node):
        return {**found, "writeOnly": True}
    default = node.get("default")
    if isinstance(default, Scalar):
        found["default"] = default.value
    allowed = node.get("allowedValues")
    if isinstance(allowed, Array) and kind != "boolean":
        found["enum"] = [item.value for item in allowed.items if isinstance(item, Scalar)]
    return found


@cache
def _about() -> Mapping[str, Any]:
    """The words of each key, by definition."""
    return read_table(sections.__package__, "fields.toml")


def _words(about: str | dict[str, Any]) -> Schema:
    if isinstance(about, str):
        return {"description": about}
    return {"description": about["about"], "examples": about["examples"]}
