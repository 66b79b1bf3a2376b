"""Values and nodes as plain data for readers: what is not known is a text with `${..}`."""

from __future__ import annotations

from typing import Any

from ...functions.values import NONE, Unknown, has_unknown
from ..engine.evaluation import references_in
from ..language.language import Language
from ..language.waiting import WaitingText
from ..values.tree import AnyNode, Array, Map, Scalar, Template
from .explanation import KNOWN, NONE_VALUE, PARTLY, RESIDUAL, SECRET


def status_of(value: Any) -> str:
    """How much of a computed value is known."""
    if value is NONE:
        return NONE_VALUE
    kind = value.__class__
    if kind is Unknown and value.partial is None:
        return SECRET if value.secret else RESIDUAL
    if kind is WaitingText:
        return RESIDUAL
    if kind is Unknown or has_unknown(value):
        return PARTLY
    return KNOWN


def plain_node(node: AnyNode, language: Language) -> Any:
    """A part of a document as plain data."""
    match node:
        case Map(items=items):
            return {key: plain_node(child, language) for key, child in items.items()}
        case Array(items=items):
            return [plain_node(child, language) for child in items]
        case Template():
            return language.template(node)
    assert isinstance(node, Scalar)
    return node.value


def status_of_node(node: AnyNode) -> str:
    """How much of a part of a document is known."""
    if isinstance(node, Template):
        return RESIDUAL
    stack: list[AnyNode] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, Template):
            return PARTLY
        if isinstance(item, Map):
            stack.extend(item.items.values())
        elif isinstance(item, Array):
            stack.extend(item.items)
    return KNOWN


def node_text(node: AnyNode, language: Language) -> str:
    """A part of a document in a few words: a text as it is, the keys of an object."""
    match node:
        case Map(items=items):
            return f"object ({', '.join(items)})" if items else "empty object"
        case Array(items=items):
            return f"array ({len(items)} element{'' if len(items) == 1 else 's'})"
        case Template():
            return language.template(node)
    assert isinstance(node, Scalar)
    return scalar_text(node.value)


def scalar_text(value: Any) -> str:
    """A single value as YAML and JSON write it, texts without quotes."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def follows_from(node: AnyNode | None, language: Language) -> str:
    """`follows from a, b`, or the empty string when a node needs nothing."""
    names = list(dict.fromkeys(map(language.syntax.show, references_in(node))))
    more = f" and {len(names) - 2} more" if len(names) > 2 else ""
    return f"follows from {', '.join(names[:2])}{more}" if names else ""
