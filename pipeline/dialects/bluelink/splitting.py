"""A materialised blueprint and its children as one file each."""

from __future__ import annotations

import re

from ...values.document import Document
from ...values.tree import AnyNode, Map, Scalar

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
    files[name] = document.replacing(sections, STEP)


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
