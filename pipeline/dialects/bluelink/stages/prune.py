"""prune: resources whose condition is false go, conditions that are true go, others stay."""

from __future__ import annotations

from ....engine.run import Context
from ....values.document import Document
from ....values.tree import AnyNode, Map, Scalar

STEP = "prune"


def prune(document: Document, context: Context) -> Document:
    """Acts on the conditions that the substitution decided (specification, "condition")."""
    resources = document.section("resources")
    if resources is None:
        return document
    items: dict[str, AnyNode] = {}
    for name, node in resources.items.items():
        if isinstance(node, Map):
            condition = node.get("condition")
            if isinstance(condition, Scalar):
                if condition.value is False:
                    continue
                if condition.value is True:
                    node = without(node, "condition")
        items[name] = node
    return document.replacing({"resources": resources.holding(items, STEP)}, STEP)


def without(node: Map, *keys: str) -> Map:
    """A definition without some of its keys."""
    return node.replacing({k: v for k, v in node.items.items() if k not in keys}, STEP)
