"""Whether a loaded document has the structure of a blueprint."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from ..diagnostics import Diagnostics, meant, nearest
from ..tree import AnyNode, Array, Map, Scalar, Template, is_as_read
from .inspection import (
    Check,
    Inspection,
    check_definition,
    check_map,
    check_names,
    expect_map,
    head_span,
    is_refused,
    kind,
    shown,
)
from .resources_section import check_resources
from .sections import DOCUMENT, VERSIONS
from .values_section import check_values
from .variables_section import check_variables

_COLLECTIONS: Final = frozenset((Map, Array))


def check_structure(
    root: AnyNode,
    opener: str,
    diagnostics: Diagnostics,
    keep_transform: Collection[str] = (),
    again: bool = False,
) -> None:
    """Report every mistake of structure in a document.

    Looks at keys, kinds of nodes, literal values and the places of substitutions; never at what a
    substitution says. `opener` begins a substitution, as `${` does. Implements the schema of the
    specification ("Spec", "Spec Data Types") and its section "Substitution Reference Usage".
    Transforms that stay (`keep_transform`) are held to the same structure as those that run.
    `again` is for a document that was checked when it was read: what stages made since is checked.
    """
    _check_keys(root, opener, diagnostics, again)
    _check_document(root, None, None, opener, diagnostics, again)


def _check_keys(root: AnyNode, opener: str, diagnostics: Diagnostics, again: bool) -> None:
    """Report keys with substitutions, at any depth; a loop, as this is the one walk over it all."""
    if root.trail.plain_keys and is_as_read(root):
        return
    pending: list[Any] = [root]
    while pending:
        node = pending.pop()
        if again and is_as_read(node):
            continue
        kind = type(node)
        if kind is Map:
            items = node.items
            if opener in "\n".join(items):
                for key in items:
                    if opener in key:
                        diagnostics.error(
                            "substitution_not_allowed",
                            node.key_span(key),
                            "substitutions are not allowed in keys",
                        )
            pending += [child for child in items.values() if type(child) in _COLLECTIONS]
        elif kind is Array:
            pending += [child for child in node.items if type(child) in _COLLECTIONS]


def _check_document(
    root: AnyNode,
    holder: Map | None,
    name: str | None,
    opener: str,
    diagnostics: Diagnostics,
    again: bool = False,
) -> None:
    inspection = Inspection(diagnostics, opener, _version_of(root), again)
    if isinstance(root, Scalar) and root.value is None and holder is None:
        inspection.error(
            "invalid_map",
            root.span,
            "the blueprint is empty",
            "it needs at least `version` and `resources`",
        )
        return
    document = check_definition(root, DOCUMENT, _CHECKS, inspection, holder, name)
    if document is None or any(_names_resources(key) for key in document.items):
        return
    span = holder.key_span(name) if holder is not None and name is not None else head_span(root)
    inspection.error(
        "missing_resources",
        span,
        "the blueprint has neither `resources` nor `include`",
        "write `resources: {}` if it is meant to have none",
    )


def _names_resources(key: str) -> bool:
    """True for the sections that a blueprint needs one of, and for their names misspelt."""
    if key in DOCUMENT.fields:
        return key in ("resources", "include")
    return nearest(key, DOCUMENT.fields) in ("resources", "include")


def _version_of(root: AnyNode) -> str | None:
    node = root.get("version") if isinstance(root, Map) else None
    if isinstance(node, Scalar) and isinstance(node.value, str) and node.value in VERSIONS:
        return node.value
    return None


def _check_version(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    if isinstance(node, Template) or inspection.version is not None:
        return
    choice = f"use `{VERSIONS[0]}` or `{VERSIONS[1]}`"
    if isinstance(node, Scalar) and isinstance(node.value, str):
        inspection.error(
            "invalid_version",
            node.span,
            f"{shown(node.value)} is not a version of blueprints",
            meant(node.value, VERSIONS) or choice,
        )
        return
    inspection.error(
        "invalid_version", node.span, f"`version` must be a string, not {kind(node)}", choice
    )


def _check_transform(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    seen: set[str] = set()
    for item in node.items if isinstance(node, Array) else [node]:
        match item:
            case Template():
                continue
            case _ if is_refused(item, inspection):
                continue
            case Scalar(value=str(name)) if not name.strip():
                inspection.error(
                    "invalid_transform_type", item.span, "the name of a transform is empty"
                )
            case Scalar(value=str(name)):
                if name in seen:
                    inspection.error(
                        "duplicate_transform",
                        item.span,
                        f"transform {shown(name)} is listed twice",
                        "a transform runs once: remove one of them",
                    )
                seen.add(name)
            case _:
                inspection.error(
                    "invalid_transform_type",
                    item.span,
                    f"`transform` must be a name or a list of names, not {kind(item)}"
                    if item is node
                    else f"`transform` takes names, not {kind(item)}",
                )


def _check_datasources(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    from .datasources_section import check_datasources

    check_datasources(node, key, holder, inspection)


def _check_include(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    from .include_section import check_include

    check_include(node, key, holder, inspection)


def _check_exports(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    from .exports_section import check_exports

    check_exports(node, key, holder, inspection)


def _check_children(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    if not isinstance(node, Map):
        expect_map(node, f"`{key}`", inspection)
        return
    check_names(node, "child", inspection)
    for name, child in node.items.items():
        _check_document(child, node, name, inspection.opener, inspection.diagnostics)


_CHECKS: Final[Mapping[str, Check]] = {
    "version": _check_version,
    "transform": _check_transform,
    "variables": check_variables,
    "values": check_values,
    "datasources": _check_datasources,
    "resources": check_resources,
    "include": _check_include,
    "exports": _check_exports,
    "map": check_map,
    "children": _check_children,
}
