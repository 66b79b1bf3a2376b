"""Computed values against declared types (specification, "valueDefinition", "exportDefinition")."""

from __future__ import annotations

import math
import re
from typing import Any

from ...functions.values import Unknown, article, type_of
from ..language.errors import Failure

_INTEGER = re.compile(r"[+-]?[0-9]{1,19}\Z")
_FLOAT = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?\Z")


def conform(value: Any, declared: str, what: str) -> Any:
    """A value as one of its declared type: text is parsed, an integer serves as a float.

    Raises:
        Failure: `value_type_mismatch`; the value itself is not quoted.
    """
    actual = type_of(value)
    if actual == declared or declared == "any":
        return value
    if actual == "binary" and declared == "string":
        return value
    if actual == "integer" and declared == "float":
        return float(value)
    if actual == "string":
        parsed = parse_scalar(value.strip(), declared)
        if parsed is not None:
            return parsed
        if declared in ("integer", "float", "boolean"):
            raise Failure(
                "value_type_mismatch",
                f"{what} is declared as {declared}, but its text is no {declared}",
            )
    raise Failure(
        "value_type_mismatch", f"{what} is declared as {declared}, but is {article(actual)}"
    )


def parse_scalar(text: str, declared: str) -> int | float | bool | None:
    """The integer, float or boolean that a text says, or None."""
    if declared == "boolean":
        return {"true": True, "false": False}.get(text)
    if declared == "integer" and _INTEGER.match(text):
        number = int(text)
        return number if -(2**63) <= number < 2**63 else None
    if declared == "float" and _FLOAT.match(text):
        result = float(text)
        return result if math.isfinite(result) else None
    return None


def check_waiting_type(what: str, value: Any, declared: str) -> None:
    """Holds the type of a value with unknown parts against a declaration.

    A text may still be parsed, an unknown of type `any` may be anything.

    Raises:
        Failure: `value_type_mismatch`.
    """
    actual = value.type if value.__class__ is Unknown else type_of(value)
    fits = actual in ("any", "string", declared) or (actual == "integer" and declared == "float")
    if not fits or (actual == "string" and declared in ("array", "object")):
        raise Failure(
            "value_type_mismatch", f"{what} is declared as {declared}, but is {article(actual)}"
        )
