"""The checks of `exports`: declared types and the fields they name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..diagnostics import nearest
from ..tree import AnyNode, Map, Scalar, Template
from .inspection import (
    Check,
    Inspection,
    check_any,
    check_section,
    check_text,
    check_word,
    kind,
    report_missing,
)
from .sections import EXPORT, VALUE_TYPES


def check_exports(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    """Check the section; whether a field is a reference is for the language to say."""
    for name, export in check_section(node, key, EXPORT, _CHECKS, inspection):
        if not any(map(_names_content, export.items)):
            assert isinstance(node, Map)
            report_missing("missing_field", "field", export, EXPORT, inspection, node, name)


def _names_content(key: str) -> bool:
    """True for the keys that an export needs one of, and for their names misspelt."""
    if key in EXPORT.fields:
        return key in ("field", "value")
    return nearest(key, EXPORT.fields) in ("field", "value")


def _check_type(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    check_word(node, key, VALUE_TYPES, "invalid_export_type", "a type of exports", inspection)


def _check_field(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    if isinstance(node, Template):
        return
    value = node.value if isinstance(node, Scalar) else None
    if isinstance(value, str) and value.strip():
        return
    if (value is None and isinstance(node, Scalar)) or isinstance(value, str):
        inspection.error("empty_export_field", node.span, "`field` is empty")
        return
    inspection.error(
        "invalid_export_field",
        node.span,
        f"`field` must be a reference, such as `values.name`, not {kind(node)}",
    )


_CHECKS: Final[Mapping[str, Check]] = {
    "export_type": _check_type,
    "export_field": _check_field,
    "any": check_any,
    "text": check_text,
}
