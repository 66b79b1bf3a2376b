"""What else is wrong in a document that has mistakes already.

A mistake must not hide those that do not depend on it, nor be told once more by what refers to it.
So names, types and cycles are checked in a document in which the mistakes that were told are mended
where it is plain what was meant. No stage goes on with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ....engine.context import Context
from ....values.diagnostics import Diagnostic, Diagnostics, Relay, likely
from ....values.document import Document
from ....values.source import Repeated
from ....values.tree import AnyNode, Array, Map, Scalar
from ..checking.dependencies import check_each_dependencies
from ..checking.names import check_names
from .sections import DATA_SOURCE, DOCUMENT, EXPORT, INCLUDE, RESOURCE, VALUE, VARIABLE, Definition

STEP: Final = "load"

_DEFINITIONS: Final[Mapping[str, Definition]] = {
    "variables": VARIABLE,
    "values": VALUE,
    "datasources": DATA_SOURCE,
    "resources": RESOURCE,
    "include": INCLUDE,
    "exports": EXPORT,
}

# mistakes that no transform can put right, whatever it adds to the document
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

    Where it names transforms, which have not run, only those that no transform could put right.
    """
    diagnostics: Diagnostics = context.diagnostics
    if names_transforms(document):
        diagnostics = Relay(diagnostics, _lasts)
    inner = context.evolve(diagnostics=diagnostics)
    plain = without_unread(document, context.language.opener)
    check_names(plain, inner)
    check_each_dependencies(plain, inner)


def _lasts(diagnostic: Diagnostic) -> bool:
    return diagnostic.code in _LASTING


def names_transforms(document: Document) -> bool:
    """True when a document asks for a transform, so that nobody knows yet what it will have."""
    node = document.root.get("transform")
    items = node.items if isinstance(node, Array) else [node]
    return any(isinstance(item, Scalar) and isinstance(item.value, str) for item in items)


def mended(document: Document) -> Document:
    """The document with misspelt keys as they were meant, and what repeats a key beside it."""
    doubtful: set[int] = set()
    return mended_definitions(mended_sections(document, doubtful), doubtful)


def mended_sections(document: Document, doubtful: set[int]) -> Document:
    """The document with its own keys mended; sections that are written twice become one.

    `doubtful` gets the offsets of what is no map below a misspelt key: if it is not of the kind
    that belongs there, something else was meant.
    """
    root = document.root
    items: dict[str, AnyNode] = {}
    places = dict(root.places)
    for key, node in root.items.items():
        name = _meant(key, DOCUMENT, root)
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
    """The document with the keys of its definitions mended; of one with a key twice there are two.

    `doubtful` is that of `mended_sections`.
    """
    root = document.root
    items = {
        key: _section(node, _DEFINITIONS[key], doubtful)
        if isinstance(node, Map) and key in _DEFINITIONS
        else node
        for key, node in root.items.items()
    }
    return _with_root(document, _changed(root, items, dict(root.places)))


def _with_root(document: Document, root: Map) -> Document:
    return document if root is document.root else document.evolve(root=root)


def _section(section: Map, definition: Definition, doubtful: set[int]) -> Map:
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
            field = _meant(key, definition, node)
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


def _meant(key: str, definition: Definition, holder: Map) -> str:
    """The key of a definition that a key stands for: it repeats it, or is almost spelt like it."""
    plain = str(key)
    if plain in definition.fields:
        return plain
    near = likely(plain, definition.fields)
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
    """Notes that a name stands where a key of a map is written, unless a stage added that key."""
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
    """The document with null, of which nothing is known, for each text that could not be read."""
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
