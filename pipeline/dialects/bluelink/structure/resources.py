"""The checks of `resources`: types, metadata, conditions, templates and links."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ....values.tree import AnyNode, Array, Map, Scalar, Template
from ..refusals import REMOVE_TEXT
from .inspection import (
    Check,
    Inspection,
    check_annotations,
    check_custom,
    check_definition,
    check_map,
    check_section,
    check_text,
    expect_map,
    is_boolean,
    is_lone,
    is_refused,
    kind,
    one_of,
    quotes,
    shown,
    type_like,
)
from .sections import (
    CONDITION,
    LINK_SELECTOR,
    PROVIDER_TYPE,
    REMOVAL_POLICIES,
    RESOURCE,
    RESOURCE_METADATA,
)


def check_resources(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    """Check the section; the content of a `spec` is free."""
    check_section(node, key, RESOURCE, _CHECKS, inspection)


def _check_metadata(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    check_definition(node, RESOURCE_METADATA, _CHECKS, inspection)


def _check_labels(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    if isinstance(node, Template):
        return
    if not isinstance(node, Map):
        expect_map(node, f"`{key}`", inspection)
        return
    for name, value in node.items.items():
        if isinstance(value, Template) or (
            isinstance(value, Scalar) and isinstance(value.value, str)
        ):
            continue
        inspection.error(
            "invalid_label",
            value.span,
            f"label {shown(name)} must be a string, not {kind(value)}",
            quotes(value),
        )


def _check_link_selector(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    if not isinstance(node, Template):
        check_definition(node, LINK_SELECTOR, _CHECKS, inspection)


def _check_names(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    if isinstance(node, Template):
        return
    if not isinstance(node, Array):
        inspection.error(
            "invalid_list",
            node.span,
            f"`{key}` must be a list of resource names, not {kind(node)}",
        )
        return
    for item in node.items:
        _check_resource_name(item, key, inspection)


def _check_depends_on(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    for item in node.items if isinstance(node, Array) else [node]:
        _check_resource_name(item, key, inspection)


def _check_resource_name(node: AnyNode, key: str, inspection: Inspection) -> None:
    if isinstance(node, Template):
        return
    value = node.value if isinstance(node, Scalar) else None
    if not isinstance(value, str):
        inspection.error(
            "invalid_string", node.span, f"`{key}` takes names of resources, not {kind(node)}"
        )
    elif not value.strip():
        inspection.error("invalid_string", node.span, f"`{key}` has an empty resource name")


def _check_condition(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    hint: str | None = None
    match node:
        case Template() if is_lone(node):
            return
        case Map():
            _check_operators(node, inspection)
            return
        case Template():
            summary = "a condition must be a single substitution: text around it makes it a string"
            hint = "combine conditions with `and`, `or` and `not`"
        case _ if is_refused(node, inspection) or is_boolean(node):
            return
        case Scalar(value=str()):
            summary = "a condition must be a substitution, not a plain string"
            hint = "write `true`, `false` or a substitution"
        case Array():
            summary = f"{'`not`' if key == 'not' else 'a condition'} cannot be a list"
            hint = "put it under `and` or `or`"
        case _:
            summary = f"a condition must be a substitution or an object, not {kind(node)}"
    inspection.error("invalid_resource_condition", node.span, summary, hint)


def _check_operators(node: Map, inspection: Inspection) -> None:
    if not node.items:
        inspection.error(
            "invalid_resource_condition",
            node.span,
            "the condition is empty",
            "a condition object has exactly one of `and`, `or` and `not`",
        )
        return
    operators = [key for key in node.items if key in CONDITION.fields]
    for extra in operators[1:]:
        inspection.error(
            "invalid_resource_condition",
            node.key_span(extra),
            f"a condition cannot have both `{operators[0]}` and `{extra}`",
            "nest one in the other to combine them",
        )
    check_definition(node, CONDITION, _CHECKS, inspection)


def _check_conditions(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    if not isinstance(node, Array):
        inspection.error(
            "invalid_resource_condition",
            node.span,
            f"`{key}` must be a list of conditions, not {kind(node)}",
        )
        return
    if not node.items:
        inspection.error(
            "invalid_resource_condition", node.span, f"`{key}` needs at least one condition"
        )
    for item in node.items:
        _check_condition(item, key, holder, inspection)


def _check_each(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    match node:
        case Template() if is_lone(node):
            return
        case Template():
            summary = "`each` must be a single substitution: text around it makes it a string"
            hint = REMOVE_TEXT
        case Map():
            summary = "`each` takes a list, not an object"
            hint = "put the object in `values` and write a substitution with `vals(values.name)`"
        case Array():
            summary = "`each` must be a substitution that evaluates to a list, not the list itself"
            hint = "put the list in `values` and write a substitution with `values.name`"
        case _:
            summary = f"`each` must be a substitution that evaluates to a list, not {kind(node)}"
            hint = "write a substitution such as one with `values.name`"
    inspection.error("resource_each_invalid_type", node.span, summary, hint)


_CHECKS: Final[Mapping[str, Check]] = {
    "resource_type": type_like(
        PROVIDER_TYPE,
        "invalid_resource_type",
        "a resource type",
        "write it as `provider/type` or `provider/service/type`, such as `aws/lambda/function`",
    ),
    "resource_metadata": _check_metadata,
    "labels": _check_labels,
    "link_selector": _check_link_selector,
    "names": _check_names,
    "depends_on": _check_depends_on,
    "removal_policy": one_of(REMOVAL_POLICIES, "invalid_removal_policy", "a removal policy"),
    "condition": _check_condition,
    "conditions": _check_conditions,
    "each": _check_each,
    "annotations": check_annotations,
    "custom": check_custom,
    "map": check_map,
    "text": check_text,
}
