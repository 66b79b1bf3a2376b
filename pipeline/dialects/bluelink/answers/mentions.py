"""The names of a blueprint and of its children: where they are defined and used."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from ....answers.mentions import (
    Mention,
    Thing,
    file_of,
    item_mention,
    key_defines,
)
from ....engine.references import FoundReference, find_references
from ....engine.run import Context
from ....formats.remedies import Edit
from ....values.diagnostics import Diagnostics
from ....values.document import Document
from ....values.source import Span
from ....values.tree import Map, Scalar, Template
from ..checking.static_children import opened_children

_KINDS: Final = {
    "variables": "variable",
    "values": "value",
    "datasources": "data source",
    "resources": "resource",
    "include": "child",
    "children": "child",
    "exports": "export",
}
_FIELD: Final = "field"
_MOST: Final = 100
"""Blueprints that are read for one answer."""


def mentions(document: Document, context: Context) -> Iterator[Mention]:
    """The names of a blueprint that is not read yet, and of those that it includes.

    Raises:
        FunctionError: `limit_exceeded`.
    """
    quiet = context.evolve(
        diagnostics=Diagnostics(context.limits.max_diagnostics, context.quoting), checks=True
    )
    waiting = [document]
    seen: set[str] = set()
    for unread in waiting:
        name = file_of(unread.source)
        if name in seen or len(seen) >= _MOST:
            continue
        seen.add(name)
        read = context.pipeline.upto("load").last(unread, quiet)
        children: dict[str, list[str]] = {}
        for child, inner in opened_children(read, quiet):
            children.setdefault(child, []).append(file_of(inner.source))
            waiting.append(inner)
        yield from _Names(read, quiet, children).all()


class _Names:
    """The names of one document; `children` are the files that each child may be."""

    def __init__(
        self, document: Document, context: Context, children: dict[str, list[str]]
    ) -> None:
        self.document = document
        self.context = context
        self.children = children
        self.file = file_of(document.source)

    def all(self) -> Iterator[Mention]:
        """Definitions, then uses."""
        work = self.context.meter.work
        for key, kind in _KINDS.items():
            section = self.document.section(key)
            for name, node in section.items.items() if section is not None else ():
                work(4)
                assert section is not None
                yield key_defines(section, name, self._thing(kind, name))
                if key == "datasources":
                    yield from self._fields(name, node)
                if key == "include":
                    yield from self._given(name, node)
        for found in find_references(self.document, self.context.language):
            work(4)
            yield from self._uses(found)

    def _thing(self, kind: str, name: str) -> Thing:
        return Thing(self.file, kind, name)

    def _field(self, source: str, name: str) -> Thing:
        return Thing(f"{self.file}#{source}", _FIELD, name)

    def _fields(self, name: str, node: object) -> Iterator[Mention]:
        exports = node.get("exports") if isinstance(node, Map) else None
        for key in exports.items if isinstance(exports, Map) else ():
            assert isinstance(exports, Map)
            yield key_defines(exports, key, self._field(name, key))

    def _given(self, name: str, node: object) -> Iterator[Mention]:
        given = node.get("variables") if isinstance(node, Map) else None
        for key in given.items if isinstance(given, Map) else ():
            assert isinstance(given, Map)
            for file in self.children.get(name, ()):
                yield Mention(given.key_span(key), Thing(file, "variable", key))

    def _uses(self, found: FoundReference) -> Iterator[Mention]:
        reference, node = found.reference, found.node
        path = reference.path
        if not path or not isinstance(path[0], str):
            return
        section = "include" if reference.root == "children" else reference.root
        kind = _KINDS.get(section)
        if kind is None:
            return
        if reference.bare and not self._is_resource(path[0]):
            return
        yield from self._item(found, 0, self._thing(kind, path[0]))
        if len(path) > 1 and isinstance(path[1], str) and isinstance(node, Template | Scalar):
            if reference.root == "children":
                for file in self.children.get(path[0], ()):
                    yield from self._item(found, 1, Thing(file, "export", path[1]))
            elif reference.root == "datasources":
                yield from self._item(found, 1, self._field(path[0], path[1]))

    def _is_resource(self, name: str) -> bool:
        resources = self.document.section("resources")
        return resources is not None and name in resources.items

    def _item(self, found: FoundReference, item: int, thing: Thing) -> Iterator[Mention]:
        node, language = found.node, self.context.language
        if found.name_only:
            if isinstance(node, Scalar):
                yield Mention(found.span, thing)
            else:  # the name of a resource as a text: an argument of `link`
                yield from self._text(found.span, thing)
            return
        if isinstance(node, Scalar):  # the field of an export
            text = str(node.value)
            node = Template(language.alone(text), text, node.trail, node.start, node.end)
        mention = item_mention(language, node, found.reference, item, thing)
        if mention is not None:
            yield mention

    def _text(self, span: Span, thing: Thing) -> Iterator[Mention]:
        shown = span.source.text[span.start : span.end]
        for quote in ('\\"', '"', "''"):
            if shown == f"{quote}{thing.name}{quote}":
                inner = span.source.span(span.start + len(quote), span.end - len(quote))
                yield Mention(inner, thing, write=partial(Edit, inner))
