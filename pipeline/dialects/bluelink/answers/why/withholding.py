"""What no answer may show: parts of secrets' definitions, and what includes give to secrets."""

from __future__ import annotations

from collections.abc import Iterator

from .....answers.paths import Path
from .....engine.materialisation import MASK, flag_of
from .....values.source import Span
from .....values.tree import AnyNode, Map, Scalar
from ...secrets.secrecy import redacted
from .levels import Level

_SECRET_PARTS = {"variables": ("default", "allowedValues"), "values": ("value",)}


def holds_secret(level: Level, path: Path) -> bool:
    """True for a path to what makes a secret, or into it; never when the run reveals secrets."""
    if level.reveals or len(path) < 3:
        return False
    section, name, part = path[:3]
    if section == "include" and part == "variables":
        return len(path) > 3 and str(path[3]) in _secret_inputs(level, str(name))
    if part not in _SECRET_PARTS.get(str(section), ()):
        return False
    definition = level.definition(str(section), str(name))
    return definition is not None and flag_of(definition.get("secret"))


def without_secrets(level: Level) -> Map:
    """The tree of a document and its children with a mask for every secret in clear."""
    if level.reveals:
        return level.document.root
    return _masked(redacted(level.document).root, level)


def withheld_places(level: Level) -> Iterator[Span]:
    """Where includes give something to secrets, in a document and its children."""
    if level.reveals:
        return
    for name in level.document.children:
        child = level.child(name)
        include = level.definition("include", name)
        variables = include.get("variables") if include is not None else None
        if isinstance(variables, Map):
            for key in _secret_inputs(level, name):
                node = variables.get(key)
                if node is not None:
                    yield node.span
        if child is not None:
            yield from withheld_places(child)


def _secret_inputs(level: Level, name: str) -> set[str]:
    """The variables of a child that are secrets."""
    child = level.child(name)
    if child is None or child.evaluation is None:
        return set()
    return {key for key, one in child.evaluation.variables.items() if one.secret}


def _masked(root: Map, level: Level) -> Map:
    """The tree with masks for what includes give to secrets as text."""
    include = root.get("include")
    if isinstance(include, Map):
        items: dict[str, AnyNode] = {
            name: _masked_include(node, _secret_inputs(level, name))
            for name, node in include.items.items()
        }
        root = root.replacing({**root.items, "include": include.replacing(items)})
    children = root.get("children")
    if isinstance(children, Map):
        inner: dict[str, AnyNode] = {}
        for name, node in children.items.items():
            child = level.child(name)
            if child is not None and isinstance(node, Map):
                node = _masked(node, child)
            inner[name] = node
        root = root.replacing({**root.items, "children": children.replacing(inner)})
    return root


def _masked_include(node: AnyNode, secrets: set[str]) -> AnyNode:
    variables = node.get("variables") if isinstance(node, Map) else None
    if not isinstance(node, Map) or not isinstance(variables, Map) or not secrets:
        return node
    items: dict[str, AnyNode] = {
        key: Scalar(MASK, item.trail, item.start, item.end)
        if key in secrets and isinstance(item, Scalar)
        else item
        for key, item in variables.items.items()
    }
    return node.replacing({**node.items, "variables": variables.replacing(items)})
