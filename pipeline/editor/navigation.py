"""Where names are defined and used: definitions, references, highlights."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any, Final
from weakref import WeakKeyDictionary

from lsprotocol import types

from ..answers.inspection import inspection_of
from ..answers.mentions import Mention, Thing, file_of, mentions_in_tree
from ..dialects.table import detect_dialect
from ..engine.inputs import VariableInputs, VariablesFile
from ..engine.run import Dialect
from ..formats.detection import format_of
from ..rendering import prepare
from ..values.source import Source
from ..world.files import FileProblem, decode_text
from .coordinates import Coordinates
from .feature import Feature
from .texts import path_of, uri_of
from .workspace import Workspace

_PARENTS: Final = 20


class Names:
    """The mentions of documents and of those that belong to them, each place once.

    `roots` are the documents that were asked for them.
    """

    def __init__(
        self, dialect: Dialect, mentions: Iterable[Mention], roots: tuple[Source, ...] = ()
    ) -> None:
        self.dialect = dialect
        self.roots = roots
        self._places: dict[tuple[str, int, int, Thing], Mention] = {}
        self._by_thing: dict[Thing, list[Mention]] = {}
        self._by_file: dict[str, list[Mention]] = {}
        self._sorted = False
        self.add(mentions)

    def add(self, mentions: Iterable[Mention]) -> None:
        """Adds those that are new."""
        for one in mentions:
            span = one.span
            file = span.source.path
            key = (file or "", span.start, span.end, one.thing)
            if file is None or not span.exact or key in self._places:
                continue
            self._places[key] = one
            self._by_thing.setdefault(one.thing, []).append(one)
            self._by_file.setdefault(file, []).append(one)
            self._sorted = False

    def all(self) -> Iterable[Mention]:
        """All of them."""
        return self._places.values()

    def at(self, path: str, offset: int) -> list[Mention]:
        """The mentions at an offset of a file, of the shortest text there."""
        if not self._sorted:
            for listed in self._by_file.values():
                listed.sort(key=lambda one: one.span.start)
            self._sorted = True
        listed = self._by_file.get(path, [])
        last = bisect_right(listed, offset, key=lambda one: one.span.start)
        found = [one for one in listed[max(0, last - 20) : last] if offset <= one.span.end]
        shortest = min((one.span.end - one.span.start for one in found), default=0)
        return [one for one in found if one.span.end - one.span.start == shortest]

    def of(self, things: Iterable[Thing]) -> list[Mention]:
        """All mentions of things."""
        return [one for thing in things for one in self._by_thing.get(thing, ())]

    def knows(self, thing: Thing) -> bool:
        """True for a thing that is defined here."""
        return any(one.defines for one in self._by_thing.get(thing, ()))

    def files(self) -> Iterable[str]:
        """The files with names."""
        return self._by_file.keys()


_known: WeakKeyDictionary[Workspace, tuple[object, dict[str, Names | None]]] = WeakKeyDictionary()


def names_of(workspace: Workspace, uri: str) -> Names | None:
    """The names of the present text of a document; None when its dialect lists none.

    They are found once for the texts that are open.
    """
    texts = workspace.texts
    known = _known.get(workspace)
    if known is None or known[0] is not texts:
        known = _known[workspace] = (texts, {})
    if uri not in known[1]:
        source = workspace.source(uri)
        known[1][uri] = _read(workspace, source) if source is not None else None
    return known[1][uri]


def _read(workspace: Workspace, source: Source) -> Names | None:
    """The names of a text, or of the document that it is a part of."""
    spoken = _dialect(workspace, source)
    if spoken.stands_alone is None or spoken.stands_alone(source):
        return _listed(workspace, source)
    found = next(_around(workspace, source), None)
    return found if found is not None else _listed(workspace, source)


def _dialect(workspace: Workspace, source: Source) -> Dialect:
    return workspace.dialect(source) or detect_dialect(source)


def _listed(workspace: Workspace, source: Source) -> Names:
    known = workspace.latest(uri_of(source.path)) if source.path else None
    shapes = known.context.language.shapes if known is not None else None
    arguments: dict[str, Any] = {"shapes": shapes, "dialect": _dialect(workspace, source)}
    context, document = prepare(source, **arguments, **workspace.arguments(source))
    if known is not None and known.source is source and known.document is not None:
        context.loaded[source] = known.document, 0
    mentions = inspection_of(context.dialect).mentions or mentions_in_tree
    return Names(context.dialect, mentions(document, context), (source,))


def with_parents(workspace: Workspace, uri: str) -> Names | None:
    """The names of a document, and those of the documents of the workspace that include it."""
    found, source = names_of(workspace, uri), workspace.source(uri)
    if found is None or source is None:
        return found
    whole = Names(found.dialect, found.all(), found.roots)
    whole.add(_given(workspace, uri, source))
    for other in _around(workspace, source):
        if other.roots != found.roots:
            whole.add(other.all())
            whole.roots += other.roots
    return whole


def supplying(workspace: Workspace, uri: str) -> list[tuple[VariablesFile, Source]]:
    """The files of variables that a document is rendered with, and their texts."""
    analysis = workspace.latest(uri)
    given = (workspace.given(analysis).arguments or {}).get("given") if analysis else None
    files = workspace.files()
    found = []
    for one in given.files if isinstance(given, VariableInputs) else ():
        try:
            path = files.resolve(one.name)
            text = decode_text(files.open_input(one.name), one.name)
        except FileProblem:
            continue
        found.append((one, Source(one.name, text, format_of(path) or "text", path)))
    return found


def _given(workspace: Workspace, uri: str, document: Source) -> Iterator[Mention]:
    """The variables of a document that files give a value to."""
    for file, source in supplying(workspace, uri):
        for name, one in file.assignments.items():
            line = one.span.line
            key = re.compile(rf"(?<![\w.-])([\"']?){re.escape(name)}\1(?=[ \t]*[:=])")
            found = key.search(source.line(line))
            if found is not None and one.span.exact:
                start = source.line_starts[line - 1]
                span = source.span(start + found.start(), start + found.end())
                yield Mention(span, Thing(file_of(document), "variable", name))


def _around(workspace: Workspace, source: Source) -> Iterator[Names]:
    """The names of documents that a file belongs to: those that name it, or stand above it."""
    base = os.path.basename(source.path or source.name)
    here = os.path.dirname(source.path or "")
    dialect = _dialect(workspace, source)
    parents = 0
    for other in workspace.sources():
        if other.path == source.path:
            continue
        above = f"{here}{os.sep}".startswith(os.path.dirname(other.path or "?") + os.sep)
        spoken = _dialect(workspace, other)
        alone = above and spoken.stands_alone is not None and spoken.stands_alone(other)
        if base not in other.text and not (alone and spoken.name == dialect.name):
            continue
        found = _listed(workspace, other)
        if (source.path or "") in found.files():
            parents += 1
            yield found
            if parents == _PARENTS:
                return


def mentions_at(
    workspace: Workspace, uri: str, position: types.Position, names: Names | None
) -> list[Mention]:
    """What is named at a position."""
    source = workspace.source(uri)
    if source is None or names is None:
        return []
    offset = Coordinates(source, workspace.units).offset(position)
    return names.at(path_of(uri), offset)


def range_of(workspace: Workspace, mention: Mention) -> types.Range:
    """Where a mention stands."""
    return Coordinates(mention.span.source, workspace.units).of(mention.span)


def _location(workspace: Workspace, mention: Mention) -> types.Location:
    return types.Location(uri_of(mention.span.source.path or ""), range_of(workspace, mention))


def _in_order(mentions: Iterable[Mention], first: str) -> list[Mention]:
    def place(one: Mention) -> tuple[bool, str, int]:
        path = one.span.source.path or ""
        return path != first, path, one.span.start

    return sorted(mentions, key=place)


def definition(
    workspace: Workspace, params: types.DefinitionParams
) -> list[types.LocationLink | types.Location] | None:
    """Where what is named at a position is defined."""
    uri = params.text_document.uri
    names = names_of(workspace, uri)
    found = mentions_at(workspace, uri, params.position, names)
    if not found or names is None:
        return None
    defined = [one for one in names.of(dict.fromkeys(one.thing for one in found)) if one.defines]
    return [_location(workspace, one) for one in _in_order(defined, path_of(uri))] or None


def references(workspace: Workspace, params: types.ReferenceParams) -> list[types.Location] | None:
    """All places that name what is named at a position."""
    uri = params.text_document.uri
    names = with_parents(workspace, uri)
    found = mentions_at(workspace, uri, params.position, names)
    if not found or names is None:
        return None
    declared = params.context.include_declaration
    things = dict.fromkeys(one.thing for one in found)
    listed = [one for one in names.of(things) if declared or not one.defines]
    return [_location(workspace, one) for one in _in_order(listed, path_of(uri))]


def highlight(
    workspace: Workspace, params: types.DocumentHighlightParams
) -> list[types.DocumentHighlight] | None:
    """The places in a text that name what is named at a position."""
    uri = params.text_document.uri
    names = names_of(workspace, uri)
    found = mentions_at(workspace, uri, params.position, names)
    if not found or names is None:
        return None
    listed = names.of(dict.fromkeys(one.thing for one in found))
    here = [one for one in listed if one.span.source.path == path_of(uri)]
    return [
        types.DocumentHighlight(
            range_of(workspace, one),
            types.DocumentHighlightKind.Write if one.defines else types.DocumentHighlightKind.Read,
        )
        for one in _in_order(here, path_of(uri))
    ]


FEATURES: Final = (
    Feature(types.TEXT_DOCUMENT_DEFINITION, definition),
    Feature(types.TEXT_DOCUMENT_REFERENCES, references),
    Feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, highlight),
)
