"""Finds further mistakes in a document that already has some.

A mistake must not hide others that do not depend on it, nor be reported again by each reference to
it. So names, types and cycles are checked in a copy in which reported mistakes are repaired where
the intention is clear. No stage continues with that copy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ....engine.run import Context
from ....values.diagnostics import Diagnostic, Diagnostics, Relay
from ....values.document import Document
from ....values.source import Repeated
from ....values.tree import AnyNode, Array, Map, Scalar
from ..checking.dependencies import check_each_dependencies
from ..checking.names import check_names
from .near_fields import near_field
from .sections import DATA_SOURCE, DOCUMENT, EXPORT, INCLUDE, RESOURCE, VALUE, VARIABLE, Definition

STEP: Final = "load"
_MOST_MEANT: Final = 1000
"""The different misspelt keys of a document that are compared with those of a definition."""

_DEFINITIONS: Final[Mapping[str, Definition]] = {
    "variables": VARIABLE,
    "values": VALUE,
    "datasources": DATA_SOURCE,
    "resources": RESOURCE,
    "include": INCLUDE,
    "exports": EXPORT,
}

# mistakes that no transform can fix, whatever it adds to the document
_LASTING: Final = frozenset(
    {
        "duplicate_argument_name",
        "function_not_allowed",
        "function_not_found",
        "invalid_argument",
        "invalid_argument_count",
    }
)


def check_others(document: Document, context: Context) -> None:
    """Reports the mistakes of names and types in a document that has others.

    Where transforms are listed, which have not run yet, only those that no transform could fix.
    """
    diagnostics: Diagnostics = context.diagnostics
    if names_transforms(document):
        diagnostics = Relay(diagnostics, _is_lasting)
    inner = context.evolve(diagnostics=diagnostics)
    plain = without_unread(document, context.language.opener)
    check_names(plain, inner)
    check_each_dependencies(plain, inner)


def _is_lasting(diagnostic: Diagnostic) -> bool:
    return diagnostic.code in _LASTING


def names_transforms(document: Document) -> bool:
    """True when a document lists a transform, which may still add anything to it."""
    node = document.root.get("transform")
    items = node.items if isinstance(node, Array) else [node]
    return any(isinstance(item, Scalar) and isinstance(item.value, str) for item in items)


def mended(document: Document) -> Document:
    """The document with misspelt keys corrected and repeated keys side by side."""
    doubtful: set[int] = set()
    return mended_definitions(mended_sections(document, doubtful), doubtful)


def mended_sections(document: Document, doubtful: set[int]) -> Document:
    """The document with its top-level keys corrected; a section written twice becomes one.

    `doubtful` collects the offsets of nodes below a misspelt key that are not maps: if a node does
    not have the kind that belongs there, another key may have been meant.
    """
    root = document.root
    spelling = _Spelling()
    items: dict[str, AnyNode] = {}
    places = dict(root.places)
    for key, node in root.items.items():
        name = spelling.meant(key, DOCUMENT, root)
        if name != str(key) and not isinstance(node, Map):
            doubtful.add(node.start)
        first = items.get(name)
        if first is None:
            items[name] = node
            _put(places, name, root, key)
        elif isinstance(first, Map) and isinstance(node, Map):
            items[name] = _together(first, node)
    return _with_root(document, _changed(root, items, places))


def mended_definitions(document: Document, doubtful: set[int]) -> Document:
    """The document with the keys of its definitions corrected; a repeated key gives a second one.

    `doubtful` is that of `mended_sections`.
    """
    root = document.root
    spelling = _Spelling()
    items = {
        key: _section(node, _DEFINITIONS[key], spelling, doubtful)
        if isinstance(node, Map) and key in _DEFINITIONS
        else node
        for key, node in root.items.items()
    }
    return _with_root(document, _changed(root, items, dict(root.places)))


def _with_root(document: Document, root: Map) -> Document:
    return document if root is document.root else document.evolve(root=root)


def _section(section: Map, definition: Definition, spelling: _Spelling, doubtful: set[int]) -> Map:
    items: dict[str, AnyNode] = {}
    places = dict(section.places)
    for name, node in section.items.items():
        if not isinstance(node, Map):
            items[name] = node
            continue
        fields: dict[str, AnyNode] = {}
        again: dict[str, AnyNode] = {}
        written = dict(node.places)
        for key, child in node.items.items():
            field = spelling.meant(key, definition, node)
            if field != str(key) and not isinstance(child, Map):
                doubtful.add(child.start)
            if field in fields:
                again[field] = child
            else:
                fields[field] = child
                _put(written, field, node, key)
        items[name] = _changed(node, fields, written)
        if again:
            second = Repeated(name)
            items[second] = _changed(node, {**fields, **again}, written)
            _put(places, second, section, name)
    return _changed(section, items, places)


class _Spelling:
    """What the misspelt keys of a document mean: each is searched for once, and not all of many."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], str | None] = {}

    def meant(self, key: str, definition: Definition, holder: Map) -> str:
        """The key of a definition that was meant: the key itself, or what a hint proposes."""
        plain = str(key)
        if plain in definition.fields:
            return plain
        known = self._known
        mark = definition.noun, plain
        if mark not in known and len(known) < _MOST_MEANT:
            known[mark] = near_field(plain, definition)
        near = known.get(mark)
        return plain if near is None or near in holder.items else near


def _together(first: Map, second: Map) -> Map:
    items = dict(first.items)
    places = dict(first.places)
    for name, node in second.items.items():
        kept = Repeated(name) if name in items else name
        items[kept] = node
        _put(places, kept, second, name)
    return Map(items, places, first.trail, first.start, first.end)


def _put(places: dict[str, int], name: str, holder: Map, key: str) -> None:
    """Records the position of a key under another name, unless a stage added the key."""
    if key in holder.places:
        places[name] = holder.places[key]


def _changed(node: Map, items: dict[str, AnyNode], places: dict[str, int]) -> Map:
    """The map with other items, itself when they are the same."""
    same = len(items) == len(node.items) and all(
        key is old and child is was
        for (key, child), (old, was) in zip(items.items(), node.items.items(), strict=True)
    )
    return node if same else Map(items, places, node.trail, node.start, node.end)


def without_unread(document: Document, opener: str) -> Document:
    """The document with null, which stands for anything, for each string that cannot be parsed."""
    root = _readable(document.root, opener)
    assert isinstance(root, Map)
    return _with_root(document, root)


def _readable(node: AnyNode, opener: str) -> AnyNode:
    match node:
        case Scalar(value=str(text)) if opener in text:
            return Scalar(None, node.trail, node.start, node.end)
        case Map(items=items):
            fields = {key: _readable(child, opener) for key, child in items.items()}
            return _changed(node, fields, {**node.places})
        case Array(items=elements):
            read = [_readable(child, opener) for child in elements]
            if all(new is old for new, old in zip(read, elements, strict=True)):
                return node
            return Array(read, node.trail, node.start, node.end)
    return node
