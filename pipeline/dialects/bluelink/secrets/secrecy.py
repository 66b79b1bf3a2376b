"""Where a document holds secrets in clear, and the document without them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from .....functions.values import to_text
from ....engine.materialisation import MASK, flag_of
from ....language.errors import Failure
from ....values.document import Document
from ....values.expression import Reference, Substitution
from ....values.quoting import Quoting
from ....values.tree import AnyNode, Array, Map, Scalar, Template

if TYPE_CHECKING:
    from ..evaluating.evaluation import Evaluation


_PARTS: Final = {"variables": ("default", "allowedValues"), "values": ("value",)}


def secret_nodes(root: Map) -> Iterator[tuple[str, str, str, AnyNode]]:
    """Section, name, key and node of everything literal that belongs to a secret."""
    for section, keys in _PARTS.items():
        found = root.get(section)
        for name, node in found.items.items() if isinstance(found, Map) else ():
            if isinstance(node, Map) and flag_of(node.get("secret")):
                for key in keys:
                    child = node.get(key)
                    if child is not None and tells(child):
                        yield section, name, key, child


def tells(node: AnyNode) -> bool:
    """True for a node that says something of its own; what a stage left of a template does not."""
    if not isinstance(node, Template):
        return True
    return node.text is not None and not all(
        isinstance(segment, Substitution) and isinstance(segment.shape.expression, Reference)
        for segment in node.segments
    )


def redacted(document: Document, quoting: Quoting) -> Document:
    """The document with a mask for every literal that belongs to a secret, for looking at.

    `quoting` knows where includes and modules are given something for secrets.
    """
    root = document.root
    sections: dict[str, dict[str, AnyNode]] = {}
    for section, name, key, node in secret_nodes(root):
        found = root.items[section]
        assert isinstance(found, Map)
        if section not in sections:  # a copy for each secret would take the square of their number
            sections[section] = dict(found.items)
        definitions = sections[section]
        definition = definitions[name]
        assert isinstance(definition, Map)
        definitions[name] = definition.replacing({**definition.items, key: _mask(node)})
    for section, definitions in sections.items():
        found = root.items[section]
        assert isinstance(found, Map)
        root = root.replacing({**root.items, section: found.replacing(definitions)})
    include = root.get("include")
    if quoting.withholds and isinstance(include, Map):
        entries = {name: _withheld(node, quoting) for name, node in include.items.items()}
        root = root.holding({**root.items, "include": include.holding(entries)})
    resources = root.get("resources")
    if quoting.withholds and isinstance(resources, Map):
        root = root.holding({**root.items, "resources": _in_modules(resources, quoting)})
    children = root.get("children")
    if isinstance(children, Map):
        inner: dict[str, AnyNode] = dict(children.items)
        for name, child in children.items.items():
            if isinstance(child, Map):
                inner[name] = redacted(document.evolve(root=child), quoting).root
        root = root.holding({**root.items, "children": children.holding(inner)})
    return document if root is document.root else document.evolve(root=root)


def _in_modules(resources: Map, quoting: Quoting) -> Map:
    entries: dict[str, AnyNode] = dict(resources.items)
    for name, node in resources.items.items():
        spec = node.get("spec") if isinstance(node, Map) else None
        if isinstance(node, Map) and isinstance(spec, Map) and "variables" in spec.items:
            entries[name] = node.holding({**node.items, "spec": _withheld(spec, quoting)})
    return resources.holding(entries)


def _withheld(entry: AnyNode, quoting: Quoting) -> AnyNode:
    variables = entry.get("variables") if isinstance(entry, Map) else None
    if not isinstance(entry, Map) or not isinstance(variables, Map):
        return entry
    masked = {key: _mask(node) for key, node in given_to_secrets(variables, quoting)}
    if not masked:
        return entry
    return entry.replacing(
        {**entry.items, "variables": variables.replacing({**variables.items, **masked})}
    )


def given_to_secrets(variables: Map, quoting: Quoting) -> list[tuple[str, AnyNode]]:
    """What an include gives in clear to variables of its child that hold secrets."""
    return [
        (key, node)
        for key, node in variables.items.items()
        if quoting.is_withheld(node.trail.source, node.start, node.end)
        and tells(node)
        and not (isinstance(node, Scalar) and node.value in (MASK, None))
    ]


def _mask(node: AnyNode) -> AnyNode:
    if isinstance(node, Array):
        return Array([_mask(item) for item in node.items], node.trail, node.start, node.end)
    return Scalar(MASK, node.trail, node.start, node.end)


# The secrets of a document that are known in clear, which no address may hold.

_SHORTEST: Final = 4
"""Shorter texts are found in every other address by chance."""


def secrets_in_clear(evaluation: Evaluation) -> Iterator[str]:
    """The texts of secret variables and values, of those that are long enough to be told apart.

    Only `--secrets reveal` has any: otherwise secrets take no part in evaluation.
    """
    for value in _secret_values(evaluation):
        yield from (text for text in _texts(value) if len(text) >= _SHORTEST)


def _secret_values(evaluation: Evaluation) -> Iterator[Any]:
    for variable in evaluation.variables.values():
        if variable.secret:
            yield variable.value
    section = evaluation.document.section("values")
    for name, node in section.items.items() if section else ():
        if isinstance(node, Map) and flag_of(node.get("secret")):
            try:
                yield evaluation.value(name)
            except Failure:
                continue  # reported already


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield to_text(value)
