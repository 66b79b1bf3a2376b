"""Whether a loaded document has the structure of a blueprint."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import islice
from typing import Any, Final

from .....functions.values import article
from ....engine.materialisation import MASK
from ....language.errors import QUOTE_IT
from ....values.diagnostics import Diagnostics
from ....values.tree import AnyNode, Array, Map, Scalar, Template, is_as_read, kind_of
from ..refusals import REMOVE_TEXT, not_a_string
from .inspection import (
    NO_COMMA,
    Check,
    Inspection,
    check_any,
    check_boolean,
    check_definition,
    check_map,
    check_names,
    check_section,
    check_text,
    expect_map,
    head_span,
    is_lone,
    is_refused,
    kind,
    one_of,
    read_literal,
    report_missing,
    scalars,
    shown,
)
from .resources import check_resources
from .sections import DOCUMENT, EXPORT, INCLUDE, VALUE, VALUE_TYPES, VERSIONS, Definition
from .variables import check_variables

_MOST_MISSPELT: Final = 200
"""Keys of a map among which a misspelt one is looked for."""

# `values`: declared types and literal values.


def check_values(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    """Check the section; the results of substitutions are checked when they are evaluated."""
    for name, value in check_section(node, key, VALUE, _CHECKS, inspection):
        _check_value(value, name, inspection)


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
            summary = f"{declared_as}, but text around the substitution makes it a string"
            hint = REMOVE_TEXT
        case Scalar(value=str()) if wanted in ("array", "object"):
            hint = f"write the {wanted} itself, or a substitution that evaluates to one"
        case Scalar(value=str()):
            summary = f"the string in value {shown(name)} cannot be parsed as {article(wanted)}"
            hint = "write `true` or `false`" if wanted == "boolean" else None
        case Scalar(value=int() | float()) if wanted == "string":
            hint = QUOTE_IT
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
    "value_type": one_of(VALUE_TYPES, "invalid_value_type", "a valid value type"),
    "any": check_any,
    "text": check_text,
    "boolean": check_boolean,
}


_COLLECTIONS: Final = frozenset((Map, Array))


def check_structure(
    root: AnyNode, opener: str, diagnostics: Diagnostics, again: bool = False
) -> None:
    """Report every mistake of structure in a document.

    Looks at keys, kinds of nodes, literal values and the places of substitutions, never inside a
    substitution. `opener` begins a substitution, as `${` does. Implements the schema of the
    specification ("Spec", "Spec Data Types") and its section "Substitution Reference Usage".
    `again` is for a document that was checked when it was read: only nodes made by stages since
    then are checked.
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
            "a blueprint needs at least `version` and `resources`",
        )
        return
    document = check_definition(root, DOCUMENT, _SECTION_CHECKS, inspection, holder, name)
    if document is None or _names_any(document, DOCUMENT, ("resources", "include")):
        return
    span = holder.key_span(name) if holder is not None and name is not None else head_span(root)
    inspection.error(
        "missing_resources",
        span,
        "the blueprint has neither `resources` nor `include`",
        "write `resources: {}` if it is meant to have none",
    )


def _names_any(node: Map, definition: Definition, wanted: Collection[str]) -> bool:
    """True for a map with one of the wanted keys, misspelt if it is among the first ones."""
    if any(key in wanted for key in node.items):
        return True
    from .near_fields import near_field

    return any(
        near_field(key, definition) in wanted
        for key in islice(node.items, _MOST_MISSPELT)
        if key not in definition.fields
    )


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
            f"{shown(node.value)} is not a valid blueprint version",
            NO_COMMA if node.value.rstrip(",") in VERSIONS else choice,
        )
        return
    inspection.error("invalid_version", node.span, not_a_string("version", kind(node)), choice)


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
                        "remove one of them: each transform runs once",
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
    from .datasource_filters import check_datasources

    check_datasources(node, key, holder, inspection)


def _check_children(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    if not isinstance(node, Map):
        expect_map(node, f"`{key}`", inspection)
        return
    check_names(node, "child", inspection)
    for name, child in node.items.items():
        _check_document(child, node, name, inspection.opener, inspection.diagnostics)


# `exports`: declared types and the fields they refer to.


def check_exports(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    """Check the section; the language checks whether a field is a reference."""
    for name, export in check_section(node, key, EXPORT, _EXPORT_CHECKS, inspection):
        if not _names_any(export, EXPORT, ("field", "value")):
            assert isinstance(node, Map)
            report_missing("missing_field", "field", export, EXPORT, inspection, node, name)


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


_EXPORT_CHECKS: Final[Mapping[str, Check]] = {
    "export_type": one_of(VALUE_TYPES, "invalid_export_type", "a valid export type"),
    "export_field": _check_field,
    "any": check_any,
    "text": check_text,
}


# `include`: the paths and variables of children.


def check_include(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    """Check the section."""
    check_section(node, key, INCLUDE, _INCLUDE_CHECKS, inspection)


def _check_path(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    if isinstance(node, Template):
        return
    value = node.value if isinstance(node, Scalar) else None
    if not isinstance(value, str):
        inspection.error("include_path_type", node.span, not_a_string("path", kind(node)))
    elif not value.strip():
        inspection.error("include_empty_path", node.span, "`path` is empty")


_INCLUDE_CHECKS: Final[Mapping[str, Check]] = {
    "include_path": _check_path,
    "include_variables": scalars("include_variable_type_mismatch", "variable"),
    "map": check_map,
    "text": check_text,
}

_SECTION_CHECKS: Final[Mapping[str, Check]] = {
    "version": _check_version,
    "transform": _check_transform,
    "variables": check_variables,
    "values": check_values,
    "datasources": _check_datasources,
    "resources": check_resources,
    "include": check_include,
    "exports": check_exports,
    "map": check_map,
    "children": _check_children,
}
