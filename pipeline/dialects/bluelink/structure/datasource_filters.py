"""The checks of `datasources`: filters and exported fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .....functions.regexes import compile_regex
from ....values.tree import AnyNode, Array, Map, Scalar, Template
from .inspection import (
    Check,
    Inspection,
    check_annotations,
    check_custom,
    check_definition,
    check_section,
    check_text,
    check_word,
    check_words,
    expect_map,
    expect_version,
    is_refused,
    is_scalar,
    kind,
    shown,
    type_like,
)
from .sections import (
    DATA_SOURCE,
    DATA_SOURCE_EXPORT,
    DATA_SOURCE_METADATA,
    FIELD_TYPES,
    FILTER,
    NEWER,
    OPERATORS,
)

PATH: Final = compile_regex(
    r"""(?:[^.\[\]]+|\["[^"]+"\]|\['[^']+'\])(?:\.[^.\[\]]+|\[(?:[0-9]*|"[^"]+"|'[^']+')\])*"""
)
TYPE: Final = r"[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*"


def check_datasources(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    """Check the section."""
    check_section(node, key, DATA_SOURCE, _CHECKS, inspection)


def _check_metadata(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    check_definition(node, DATA_SOURCE_METADATA, _CHECKS, inspection)


def _check_filter(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    match node:
        case Array():
            expect_version(NEWER, "a list of filters", holder.key_span(key), inspection)
            filters = node.items
        case Map():
            filters = [node]
        case _:
            expect_map(node, "`filter`", inspection)
            return
    if not filters:
        inspection.error("data_source_missing_filter", node.span, "`filter` is empty")
    for item in filters:
        if isinstance(item, Map) and not item.items:
            inspection.error("data_source_missing_filter", item.span, "`filter` is empty")
        elif item is node:
            check_definition(item, FILTER, _CHECKS, inspection, holder, key)
        else:
            check_definition(item, FILTER, _CHECKS, inspection)


def _check_filter_field(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    check_text(node, key, holder, inspection)
    if isinstance(node, Scalar) and isinstance(node.value, str) and not node.value.strip():
        inspection.error("data_source_missing_filter_field", node.span, "`field` is empty")
    elif (
        isinstance(node, Scalar)
        and isinstance(node.value, str)
        and not is_refused(node, inspection)
        and not PATH.fullmatch(node.value)
    ):
        inspection.error(
            "invalid_filter_field",
            node.span,
            f"{shown(node.value)} is not a valid path to a field",
            'write a path as `subnets[0].zone`, and a name with dots in it as `["a.b"]`',
        )


def _check_operator(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    code = "invalid_data_source_filter_operator"
    if isinstance(node, Scalar) and isinstance(node.value, str) and node.value in OPERATORS:
        since = OPERATORS[node.value]
        expect_version(since, f"the operator `{node.value}`", node.span, inspection)
        return
    version = inspection.version or NEWER
    offered = [word for word, since in OPERATORS.items() if since <= version]
    check_word(node, key, offered, code, "a filter operator", inspection)


def _check_search(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    if isinstance(node, Scalar) and node.value is None:
        inspection.error("data_source_missing_filter_search", node.span, "`search` is empty")
        return
    for item in node.items if isinstance(node, Array) else [node]:
        if not is_scalar(item):
            inspection.error(
                "invalid_scalar",
                item.span,
                f"`search` must be a string, an integer, a float, a boolean or a list of these, "
                f"not {'a list with ' if item is not node else ''}{kind(item)}",
            )


def _check_exports(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    if isinstance(node, Template):
        return
    if isinstance(node, Scalar) and node.value == "*":
        expect_version(NEWER, '`exports: "*"`', node.span, inspection)
        return
    if isinstance(node, Map) and not node.items:
        inspection.error("data_source_missing_exports", node.span, "`exports` is empty")
        return
    check_section(node, key, DATA_SOURCE_EXPORT, _CHECKS, inspection)


def _check_field_type(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    code = "invalid_data_source_field_type"
    if isinstance(node, Scalar) and node.value == "object":
        inspection.error(
            code,
            node.span,
            f"{shown('object')} is not a valid type for exported fields",
            "export its fields individually, such as `metadata.name`",
        )
        return
    check_word(node, key, FIELD_TYPES, code, "a valid type for exported fields", inspection)


_CHECKS: Final[Mapping[str, Check]] = {
    "data_source_type": type_like(
        TYPE,
        "invalid_data_source_type",
        "a valid data source type",
        "write it as its provider names it, such as `aws/vpc`",
    ),
    "data_source_metadata": _check_metadata,
    "filter": _check_filter,
    "filter_field": _check_filter_field,
    "filter_operator": _check_operator,
    "filter_search": _check_search,
    "data_source_exports": _check_exports,
    "field_type": _check_field_type,
    "annotations": check_annotations,
    "custom": check_custom,
    "text": check_text,
    "words": check_words,
}
