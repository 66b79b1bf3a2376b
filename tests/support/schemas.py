"""Whether data fits the schemas that bpp makes."""

from __future__ import annotations

from typing import Any

from bpp.pipeline.answers.schemas import diagnostics_schema
from jsonschema import Draft202012Validator


def validator(schema: dict[str, Any]) -> Draft202012Validator:
    """What tells data that fits a schema, which is one."""
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def misfits(data: Any, schema: dict[str, Any]) -> list[str]:
    """What does not fit a schema."""
    found = validator(schema).iter_errors(data)
    return [f"{one.json_path}: {one.message}" for one in found]


def closed(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema of what bpp writes, without the leave to add to it."""
    definitions = schema["$defs"].items()
    shut = {name: {**one, "additionalProperties": False} for name, one in definitions}
    return {**schema, "$defs": shut}


def violations(report: Any) -> list[str]:
    """What of a report of diagnostics is not as its schema says."""
    return misfits(report, closed(diagnostics_schema()))
