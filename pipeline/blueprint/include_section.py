"""The checks of `include`: where children are and what they are given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..tree import AnyNode, Map, Scalar, Template
from .inspection import (
    Check,
    Inspection,
    check_map,
    check_scalars,
    check_section,
    check_text,
    kind,
)
from .sections import INCLUDE


def check_include(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    """Check the section."""
    check_section(node, key, INCLUDE, _CHECKS, inspection)


def _check_path(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    if isinstance(node, Template):
        return
    value = node.value if isinstance(node, Scalar) else None
    if not isinstance(value, str):
        inspection.error(
            "include_path_type", node.span, f"`path` must be a string, not {kind(node)}"
        )
    elif not value.strip():
        inspection.error("include_empty_path", node.span, "`path` is empty")


def _check_variables(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    check_scalars(node, key, "include_variable_type_mismatch", "variable", inspection)


_CHECKS: Final[Mapping[str, Check]] = {
    "include_path": _check_path,
    "include_variables": _check_variables,
    "map": check_map,
    "text": check_text,
}
