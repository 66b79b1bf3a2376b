"""The fields of manifests as a JSON Schema, with those of the config of each step."""

from __future__ import annotations

from typing import Any

from .....functions.signatures import read_table
from ....answers.fields import Schema, tabled
from ..steps import UNKNOWN, Fields, Step, find, step_names


def manifest_fields() -> Schema:
    """The schema of manifests, for editors."""
    whole = tabled(read_table(__package__.rpartition(".")[0], "fields.toml"))
    step = whole["$defs"]["step"]
    steps = [found for found in map(find, step_names()) if found is not None and not found.removed]
    step["properties"]["uses"]["enum"] = [one.name for one in steps]
    step["allOf"] = [
        {
            "if": {"properties": {"uses": {"const": one.name}}, "required": ["uses"]},
            "then": {"properties": {"config": _of_type(one.config, one, "")}},
        }
        for one in steps
    ]
    return whole


def _of_type(kind: Any, step: Step, path: str) -> Schema:
    if isinstance(kind, Fields):
        made: Schema = {"type": "object", "required": [*kind.required], "properties": {}}
        for key, inner in kind.known.items():
            below = f"{path}.{key}" if path else key
            made["properties"][key] = _of_type(inner, step, below)
            if below in step.old:
                old = step.old[below]
                words = f"It goes away in Kargo {old.version}; use {old.instead}."
                made["properties"][key] |= {"deprecated": True, "description": words}
        if kind.rest is not None and kind.rest != UNKNOWN:
            made["additionalProperties"] = _of_type(kind.rest, step, path)
        return made
    if isinstance(kind, list):
        return {"type": "array", "items": _of_type(kind[0], step, f"{path}[]")}
    if isinstance(kind, tuple):
        return {"enum": [*kind]}
    return {} if kind in ("any", UNKNOWN, None) else {"type": kind}
