"""Where a document holds secrets in clear, and the document without them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import attrs

from ..document import Document
from ..tree import AnyNode, Array, Map, Scalar, Template
from .parts import flag_of

MASK: Final = "(secret)"
_PARTS: Final = {"variables": ("default", "allowedValues"), "values": ("value",)}


def secret_nodes(root: AnyNode | None) -> Iterator[tuple[str, str, str, AnyNode]]:
    """Section, name, key and node of everything literal that belongs to a secret, children too."""
    if not isinstance(root, Map):
        return
    for section, keys in _PARTS.items():
        found = root.get(section)
        for name, node in found.items.items() if isinstance(found, Map) else ():
            if isinstance(node, Map) and flag_of(node.get("secret")):
                for key in keys:
                    child = node.get(key)
                    if child is not None and not isinstance(child, Template):
                        yield section, name, key, child


def redacted(document: Document) -> Document:
    """The document with a mask for every literal that belongs to a secret, for looking at."""
    sections: dict[str, AnyNode | None] = {}
    for section, name, key, node in secret_nodes(document.root):
        found = sections.get(section) or document.section(section)
        assert isinstance(found, Map)
        definition = found.items[name]
        assert isinstance(definition, Map)
        masked = definition.replacing({**definition.items, key: _mask(node)})
        sections[section] = found.replacing({**found.items, name: masked})
    root = document.root
    if sections:
        masked_sections = {key: node for key, node in sections.items() if node is not None}
        root = root.replacing({**root.items, **masked_sections})
    children = root.get("children")
    if isinstance(children, Map):
        inner: dict[str, AnyNode] = dict(children.items)
        for name, child in children.items.items():
            if isinstance(child, Map):
                inner[name] = redacted(attrs.evolve(document, root=child)).root
        if any(inner[name] is not child for name, child in children.items.items()):
            root = root.replacing({**root.items, "children": children.replacing(inner)})
    return document if root is document.root else attrs.evolve(document, root=root)


def _mask(node: AnyNode) -> AnyNode:
    if isinstance(node, Array):
        return Array([_mask(item) for item in node.items], node.trail, node.start, node.end)
    return Scalar(MASK, node.trail, node.start, node.end)
