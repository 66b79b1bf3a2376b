"""Places that hold text: a number or a boolean computed for one of them becomes its text."""

from __future__ import annotations

from ...functions.values import to_text
from ..document import Document
from ..tree import AnyNode, Map, Scalar, is_as_read

STEP = "export"
_SECTIONS = ("values", "datasources", "resources", "include", "exports")


def with_texts(document: Document) -> Document:
    """The document with descriptions and display names that are text."""
    sections: dict[str, AnyNode | None] = {}
    for name in _SECTIONS:
        section = document.section(name)
        if section is None:
            continue
        changed = {
            key: new
            for key, node in section.items.items()
            if isinstance(node, Map) and (new := _definition(node)) is not node
        }
        if changed:
            sections[name] = section.replacing({**section.items, **changed}, STEP)
    return document.replacing(sections, STEP) if sections else document


def _definition(node: Map) -> Map:
    if is_as_read(node):
        return node
    node = _with_text(node, "description")
    metadata = node.get("metadata")
    if isinstance(metadata, Map) and not is_as_read(metadata):
        new = _with_text(metadata, "displayName")
        if new is not metadata:
            return node.replacing({**node.items, "metadata": new}, STEP)
    return node


def _with_text(node: Map, key: str) -> Map:
    child = node.get(key)
    if isinstance(child, Scalar) and isinstance(child.value, int | float):
        text = Scalar(to_text(child.value), child.trail.then(STEP), child.start, child.end)
        return node.replacing({**node.items, key: text}, STEP)
    return node
