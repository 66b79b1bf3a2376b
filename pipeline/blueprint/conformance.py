"""Computed values against declared types (specification, "valueDefinition", "exportDefinition")."""

from __future__ import annotations

from typing import Any

from ...functions.values import Unknown, article, type_of
from ..language.errors import Failure
from .literals import read_literal


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
    if actual == "string" and declared in ("integer", "float", "boolean"):
        parsed = read_literal(value, declared)
        if parsed is not None:
            return parsed
        raise Failure(
            "value_type_mismatch",
            f"{what} is declared as {declared}, but its text is no {declared}",
        )
    raise Failure(
        "value_type_mismatch", f"{what} is declared as {declared}, but is {article(actual)}"
    )


def check_waiting_type(what: str, value: Any, declared: str) -> None:
    """Holds the type of a value with unknown parts against a declaration.

    A text may still be parsed, an unknown of type `any` may be anything.

    Raises:
        Failure: `value_type_mismatch`.
    """
    actual = value.type if type(value) is Unknown else type_of(value)
    fits = actual in ("any", "string", declared) or (actual == "integer" and declared == "float")
    if not fits or (actual == "string" and declared in ("array", "object")):
        raise Failure(
            "value_type_mismatch", f"{what} is declared as {declared}, but is {article(actual)}"
        )
