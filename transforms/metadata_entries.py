"""What the metadata of a blueprint tell a transform, and the metadata without it."""

from __future__ import annotations

from ..pipeline.values.document import Document
from ..pipeline.values.source import Span
from ..pipeline.values.tree import AnyNode, Array, Map, Scalar


def take_entry(document: Document, key: str) -> tuple[AnyNode | None, AnyNode | None]:
    """The node under a key of the metadata, and the metadata without it (None: nothing is left)."""
    metadata = document.root.get("metadata")
    if not isinstance(metadata, Map) or key not in metadata.items:
        return None, metadata
    rest = {name: node for name, node in metadata.items.items() if name != key}
    return metadata.items[key], metadata.replacing(rest) if rest else None


def named_span(document: Document, name: str) -> Span:
    """Where `transform` names a transform; the beginning of the document when it does not."""
    node = document.root.get("transform")
    for item in node.items if isinstance(node, Array) else [node]:
        if isinstance(item, Scalar) and item.value == name:
            return item.span
    return document.root.span
