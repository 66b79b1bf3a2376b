"""The checks of `values`: declared types and literal values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ...functions.values import article
from ..tree import AnyNode, Array, Map, Scalar, Template, kind_of
from .inspection import (
    Check,
    Inspection,
    check_any,
    check_boolean,
    check_section,
    check_text,
    check_word,
    is_lone,
    is_refused,
    kind,
    shown,
)
from .literals import read_literal
from .secrecy import MASK
from .sections import VALUE, VALUE_TYPES


def check_values(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    """Check the section; what a substitution gives is checked when it is evaluated."""
    for name, value in check_section(node, key, VALUE, _CHECKS, inspection):
        _check_value(value, name, inspection)


def _check_type(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    check_word(node, key, VALUE_TYPES, "invalid_value_type", "a type of values", inspection)


def _check_value(definition: Map, name: str, inspection: Inspection) -> None:
    node = definition.get("value")
    declared = definition.get("type")
    if node is None or not isinstance(declared, Scalar) or declared.value not in VALUE_TYPES:
        return
    wanted = str(declared.value)
    if is_refused(node, inspection) or _fits(node, wanted):
        return
    declared_as = f"value {shown(name)} is declared as {article(wanted)}"
    summary = f"{declared_as}, but is {kind(node)}"
    hint = None
    match node:
        case Template():
            summary = f"{declared_as}, but text makes it a string"
            hint = "remove the text around the substitution"
        case Scalar(value=str()) if wanted in ("array", "object"):
            hint = f"write the {wanted} itself, or a substitution that gives one"
        case Scalar(value=str()):
            summary = f"the text of value {shown(name)} cannot be read as {article(wanted)}"
            hint = "write `true` or `false`" if wanted == "boolean" else None
        case Scalar(value=int() | float()) if wanted == "string":
            hint = "put it in quotes to make it a string"
    inspection.error("value_type_mismatch", node.span, summary, hint)


def _fits(node: AnyNode, wanted: str) -> bool:
    match node:
        case Scalar(value=text) if text == MASK:
            return True  # a secret of any type, masked by a render
        case Template():
            return wanted not in ("array", "object") or is_lone(node)
        case Map() | Array():
            return kind_of(node) == wanted
        case Scalar(value=str(text)):
            return wanted not in ("array", "object") and read_literal(text, wanted) is not None
        case Scalar(value=bool()):
            return wanted == "boolean"
        case Scalar(value=int()):
            return wanted in ("integer", "float")
    return kind_of(node) == wanted


_CHECKS: Final[Mapping[str, Check]] = {
    "value_type": _check_type,
    "any": check_any,
    "text": check_text,
    "boolean": check_boolean,
}
