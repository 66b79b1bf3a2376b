"""A materialised blueprint and its children as one file each."""

from __future__ import annotations

import re

from ...language.printing import show_path
from ...values.document import Document
from ...values.tree import AnyNode, Map, Scalar
from .checking.dependencies import references_in

STEP = "split"


def split_documents(document: Document, stem: str, extension: str) -> dict[str, Document]:
    """Documents by file name, the main one first; includes point at the files of the children.

    A child's file is named after its include, a grandchild's after the path to it
    (`<include>.<include>.yaml`). The set of files renders again to the same bytes.
    """
    files: dict[str, Document] = {}
    _add(document, stem, "", extension, files)
    return files


def _add(
    document: Document, stem: str, way: str, extension: str, files: dict[str, Document]
) -> None:
    name = _free(stem, extension, files)
    files[name] = document
    include = document.section("include")
    items: dict[str, AnyNode] = dict(include.items) if include else {}
    for child_name, child in document.children.items():
        child_way = f"{way}.{child_name}" if way else child_name
        before = set(files)
        _add(child, _safe(child_way), child_way, extension, files)
        target = next(key for key in files if key not in before)
        node = items.get(child_name)
        if isinstance(node, Map):
            items[child_name] = _pointing(node, target, child)
    sections: dict[str, AnyNode | None] = {"children": None}
    if include is not None:
        sections["include"] = include.replacing(items, STEP)
    files[name] = _without_unused(document, document.replacing(sections, STEP))


def _without_unused(before: Document, document: Document) -> Document:
    """The document without variables that only what includes no longer pass on referred to."""
    variables = document.section("variables")
    if variables is None:
        return document
    exports = document.section("exports")
    fields = {
        field.value
        for node in (exports.items.values() if exports else ())
        if isinstance(node, Map) and isinstance(field := node.get("field"), Scalar)
    }
    left = _variables_in(document.root)
    gone = {
        one
        for one in _variables_in(before.root) - left
        if f"variables{show_path((one,))}" not in fields
    }
    if not gone:
        return document
    kept = {name: node for name, node in variables.items.items() if name not in gone}
    section = variables.replacing(kept, STEP) if kept else None
    return document.replacing({"variables": section}, STEP)


def _variables_in(root: Map) -> set[str]:
    """The variables that the templates of a document refer to, without those of its children."""
    return {
        str(reference.path[0])
        for section, node in root.items.items()
        if section != "children"
        for reference, _, _ in references_in(node)
        if reference.root == "variables"
    }


def _pointing(node: Map, target: str, child: Document) -> Map:
    """The include with the new path and only the variables that the child still has."""
    path = node.get("path")
    assert path is not None
    scalar = Scalar(target, path.trail.then(STEP), path.start, path.end)
    items: dict[str, AnyNode] = {**node.items, "path": scalar}
    variables = node.get("variables")
    if isinstance(variables, Map):
        declared = child.section("variables")
        names = declared.items if declared else {}
        left = {key: value for key, value in variables.items.items() if key in names}
        items["variables"] = variables.replacing(left, STEP)
        if not left:
            del items["variables"]
    metadata = node.get("metadata")
    if isinstance(metadata, Map) and "sourceType" in metadata.items:
        rest = {k: v for k, v in metadata.items.items() if k != "sourceType"}
        items["metadata"] = metadata.replacing(rest, STEP)
    return node.replacing(items, STEP)


def _safe(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name)


def _free(stem: str, extension: str, files: dict[str, Document]) -> str:
    """A file name that no other document has, ignoring case."""
    taken = {name.casefold() for name in files}
    name, number = f"{stem}.{extension}", 2
    while name.casefold() in taken:
        name, number = f"{stem}-{number}.{extension}", number + 1
    return name
