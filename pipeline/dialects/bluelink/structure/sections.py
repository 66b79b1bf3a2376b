"""The sections of a blueprint as tables: the keys of each definition and their forms."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Final

from .....functions.record import Record

OLDER: Final = "2023-04-20"
NEWER: Final = "2025-11-02"
VERSIONS: Final = (OLDER, NEWER)


class Field(Record):
    """One key of a definition.

    `form` names the check of the node under the key, `missing` is the code of the diagnostic when
    the key is required and absent, `since` the first version that has the key. `literal` forbids
    substitutions below the key; `hint` is the hint for one that is there anyway, and `remedy` the
    hint for an absent key.
    """

    form: str
    missing: str | None = None
    since: str | None = None
    literal: bool = False
    hint: str | None = None
    remedy: str | None = None


class Definition(Record, eq=False):
    """The keys of one kind of map; `noun` is what messages call it."""

    noun: str
    fields: Mapping[str, Field]

    @cached_property
    def required(self) -> tuple[tuple[str, str], ...]:
        """The required keys, each with the code of the diagnostic for its absence."""
        return tuple((key, field.missing) for key, field in self.fields.items() if field.missing)


DOCUMENT: Final = Definition(
    "blueprint",
    {
        "version": Field(
            "version",
            missing="missing_version",
            literal=True,
            remedy=f"begin with `version: {OLDER}` or `version: {NEWER}`",
        ),
        "transform": Field("transform", literal=True),
        "variables": Field("variables"),
        "values": Field("values"),
        "datasources": Field("datasources"),
        "resources": Field("resources"),
        "include": Field("include"),
        "exports": Field("exports"),
        "metadata": Field("map"),
        "children": Field("children"),
    },
)

VARIABLE: Final = Definition(
    "variable",
    {
        "type": Field("variable_type", missing="missing_type", literal=True),
        "description": Field("text", literal=True),
        "secret": Field("variable_secret", literal=True),
        "default": Field("any", literal=True),
        "allowedValues": Field("any", literal=True),
    },
)

VALUE: Final = Definition(
    "value",
    {
        "type": Field("value_type", missing="missing_type", literal=True),
        "value": Field("any", missing="missing_value"),
        "description": Field("text"),
        "secret": Field("boolean", literal=True),
    },
)

DATA_SOURCE: Final = Definition(
    "data source",
    {
        "type": Field("data_source_type", missing="missing_type", literal=True),
        "metadata": Field("data_source_metadata"),
        "filter": Field("filter", missing="data_source_missing_filter"),
        "exports": Field(
            "data_source_exports", missing="data_source_missing_exports", literal=True
        ),
        "description": Field("text"),
    },
)

DATA_SOURCE_METADATA: Final = Definition(
    "data source metadata",
    {
        "displayName": Field("text"),
        "annotations": Field("annotations"),
        "custom": Field("custom"),
    },
)

FILTER: Final = Definition(
    "filter",
    {
        "field": Field("filter_field", missing="data_source_missing_filter_field", literal=True),
        "operator": Field(
            "filter_operator", missing="data_source_missing_filter_operator", literal=True
        ),
        "search": Field("filter_search", missing="data_source_missing_filter_search"),
    },
)

# not marked literal: the `exports` that holds it is
DATA_SOURCE_EXPORT: Final = Definition(
    "exported field",
    {
        "type": Field("field_type", missing="missing_type"),
        "aliasFor": Field("words"),
        "description": Field("text"),
    },
)

RESOURCE: Final = Definition(
    "resource",
    {
        "type": Field("resource_type", missing="missing_type", literal=True),
        "description": Field("text"),
        "metadata": Field("resource_metadata"),
        "condition": Field("condition"),
        "each": Field("each"),
        "linkSelector": Field("link_selector", literal=True),
        "dependsOn": Field("depends_on", since=NEWER, literal=True),
        "removalPolicy": Field("removal_policy", since=NEWER, literal=True),
        "spec": Field(
            "map", missing="missing_spec", remedy="write `spec: {}` if it is meant to be empty"
        ),
    },
)

RESOURCE_METADATA: Final = Definition(
    "resource metadata",
    {
        "displayName": Field("text"),
        "annotations": Field("annotations"),
        "labels": Field("labels", literal=True),
        "custom": Field("custom"),
    },
)

# not marked literal: the `linkSelector` that holds it is
LINK_SELECTOR: Final = Definition(
    "link selector",
    {
        "byLabel": Field("labels"),
        "exclude": Field("names", since=NEWER),
    },
)

CONDITION: Final = Definition(
    "condition",
    {
        "and": Field("conditions"),
        "or": Field("conditions"),
        "not": Field("condition"),
    },
)

INCLUDE: Final = Definition(
    "include",
    {
        "path": Field("include_path", missing="missing_path"),
        "variables": Field("include_variables"),
        "metadata": Field("map"),
        "description": Field("text"),
    },
)

# `field` may be left out where `value` is given, as in a materialised blueprint
EXPORT: Final = Definition(
    "export",
    {
        "type": Field(
            "export_type",
            missing="missing_type",
            literal=True,
            remedy="write the type of the exported value, such as `type: string`",
        ),
        "field": Field(
            "export_field",
            literal=True,
            hint="write the reference alone, such as `field: values.name`",
        ),
        "value": Field("any"),
        "description": Field("text"),
    },
)

# `provider/type` or `provider/service/type`
PROVIDER_TYPE: Final = r"[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+){1,2}"

VARIABLE_TYPES: Final = ("string", "integer", "float", "boolean")
VALUE_TYPES: Final = ("string", "integer", "float", "boolean", "array", "object")
FIELD_TYPES: Final = ("string", "integer", "float", "boolean", "array")
REMOVAL_POLICIES: Final = ("delete", "retain")


def _meanings(words: Mapping[str, str]) -> dict[str, str]:
    """Each word of another language with the word of this one; those are separated by commas."""
    return {other: word for word, others in words.items() for other in others.split(",")}


# what other languages call the types, for the hint
OTHER_WORDS: Final[Mapping[str, str]] = _meanings(
    {
        "string": "str,text",
        "integer": "int,int64,long",
        "float": "number,double,decimal",
        "boolean": "bool",
        "array": "list,sequence,tuple",
        "object": "map,mapping,dict",
    }
)

# what other languages call the operators of filters, for the hint
OTHER_OPERATORS: Final[Mapping[str, str]] = _meanings(
    {
        "=": "==,===,eq,equal,equals,is",
        "!=": "<>,is not,ne,neq,not equals",
        ">": "gt",
        ">=": "gte",
        "<": "lt",
        "<=": "lte",
    }
)

# a filter operator and the first version that has it
OPERATORS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("=", "!=", "in", "not in", "has key", "not has key"), OLDER),
    **dict.fromkeys(("contains", "not contains", "starts with", "not starts with"), OLDER),
    **dict.fromkeys(("ends with", "not ends with"), OLDER),
    **dict.fromkeys((">", "<", ">=", "<="), NEWER),
}
