"""The fields of blueprints as a JSON Schema, made of the forms by which they are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .....functions.signatures import read_table
from ..blueprint import ENGINES, FORMS, KIND, KINDS, LISTS, VERSION
from ..deploy_items import FORMS as OF_ITEMS
from ..fields import ANY, BOOL, LIST, MAP, TEXT, TEXT_MAP, TEXTS, Form
from ..options import DEPLOY
from ..recognition import GROUP

_TYPES: Final[Mapping[str, Mapping[str, Any]]] = {
    ANY: {},
    TEXT: {"type": "string"},
    BOOL: {"type": "boolean"},
    MAP: {"type": "object"},
    LIST: {"type": "array"},
    TEXTS: {"type": "array", "items": {"type": "string"}},
    TEXT_MAP: {"type": "object", "additionalProperties": {"type": "string"}},
}
_DEPLOYERS: Final = ("container", "helm", "kubernetes-manifest", "mock")
_INNER: Final[Mapping[str, Mapping[str, Any]]] = {
    "blueprint": {
        "apiVersion": {"enum": [VERSION]},
        "kind": {"enum": [KIND]},
        "imports": {"items": {"$ref": "#/$defs/import"}},
        "exports": {"items": {"$ref": "#/$defs/export"}},
        **{name: {"items": {"$ref": "#/$defs/execution"}} for name in LISTS.values()},
        LISTS[DEPLOY]: {
            "items": {
                "allOf": [
                    {"$ref": "#/$defs/execution"},
                    {"properties": {"template": {"contentSchema": {"$ref": "#/$defs/items"}}}},
                ]
            }
        },
    },
    "item": {
        "type": {"examples": [f"{GROUP}{one}" for one in _DEPLOYERS]},
        "target": {"$ref": "#/$defs/target"},
        "onDelete": {"$ref": "#/$defs/onDelete"},
    },
    "import": {
        "type": {"enum": [*KINDS]},
        "default": {"$ref": "#/$defs/default"},
        "imports": {"items": {"$ref": "#/$defs/import"}},
    },
    "export": {"type": {"enum": [*KINDS[:2]]}},
    "execution": {"type": {"enum": [*ENGINES]}},
}


def blueprint_fields() -> dict[str, Any]:
    """The schema of blueprints, for editors."""
    about = read_table(__package__.rpartition(".")[0], "fields.toml")
    forms = {**FORMS, **OF_ITEMS}
    made = {name: _of_form(name, form, about[name]) for name, form in forms.items()}
    listed = {"type": "array", "description": about["items"], "items": {"$ref": "#/$defs/item"}}
    made["items"] = {"type": "object", "properties": {"deployItems": listed}}
    made["blueprint"]["required"] = ["apiVersion", "kind"]
    return {"$ref": "#/$defs/blueprint", "$defs": made}


def _of_form(name: str, form: Form, about: Mapping[str, str]) -> dict[str, Any]:
    properties = {
        key: {"description": about[key], **_TYPES[kind], **_INNER.get(name, {}).get(key, {})}
        for key, kind in form.fields.items()
    }
    return {"type": "object", "properties": properties, "required": [*form.required]}
