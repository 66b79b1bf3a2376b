"""What editors are told of the mistakes in texts: each at its own document, whoever found it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from lsprotocol import types

from ..values.diagnostics import ERROR, NOTE, WARNING, Diagnostic, Diagnostics
from ..values.source import Source, Span
from .coordinates import Coordinates
from .workspace import Workspace

_LEVELS: Final = {
    ERROR: types.DiagnosticSeverity.Error,
    WARNING: types.DiagnosticSeverity.Warning,
    NOTE: types.DiagnosticSeverity.Information,
}
_START: Final = types.Range(types.Position(0, 0), types.Position(0, 0))

Told = Mapping[str, list[types.Diagnostic]]
"""Diagnostics by the URI of the document that they are in."""


class Board:
    """What was found last of each document, and by which ones it was found.

    A mistake in an included file is found by all that include it, and told once.
    """

    def __init__(self) -> None:
        self._found: dict[str, Told] = {}

    def post(self, owner: str, told: Told) -> set[str]:
        """Replaces what a document has found; the URIs of which something else is told now."""
        before = self._found.pop(owner, {})
        if told:
            self._found[owner] = told
        return {uri for uri in {*before, *told} if before.get(uri) != told.get(uri)}

    def of(self, uri: str) -> list[types.Diagnostic]:
        """What is told of a document: what it has found itself, then what others have."""
        owners = sorted(self._found, key=lambda owner: owner != uri)
        found: dict[tuple[object, ...], types.Diagnostic] = {}
        for owner in owners:
            for one in self._found[owner].get(uri, ()):
                start, end = one.range.start, one.range.end
                place = (start.line, start.character, end.line, end.character)
                found.setdefault((*place, one.code, one.message), one)
        return list(found.values())


def told_of(
    uri: str, source: Source, found: Diagnostics, workspace: Workspace, related: bool = True
) -> Told:
    """The diagnostics that were found in a document, by the document that each is in.

    Without `related` a client shows no related places, which are in the messages then.
    """
    told: dict[str, list[types.Diagnostic]] = {uri: []}
    known = {id(source): (uri, Coordinates(source, workspace.units))}

    def where(span: Span) -> tuple[str, types.Range] | None:
        place = known.get(id(span.source))
        if place is None:
            path = span.source.path
            if path is None and span.source.name != source.name:
                return None
            target = workspace.uri_of(path) if path is not None else uri
            place = target, Coordinates(span.source, workspace.units)
            known[id(span.source)] = place
        return place[0], place[1].of(span)

    for item in found.sorted():
        place = where(item.span) if item.span is not None else None
        target, within = place or (uri, _START)
        listed: list[types.DiagnosticRelatedInformation] = []
        words = [item.summary]
        for note in item.notes:
            beside = where(note.span) if note.span is not None and related else None
            if beside is not None:
                location = types.Location(*beside)
                listed.append(types.DiagnosticRelatedInformation(location, note.text))
            else:
                words.append(note.text + (f" ({note.span})" if note.span is not None else ""))
        if item.hint:
            words.append(f"help: {item.hint}")
        told.setdefault(target, []).append(
            types.Diagnostic(
                within,
                "\n".join(words),
                _LEVELS.get(item.severity, types.DiagnosticSeverity.Information),
                item.code,
                source="bpp",
                tags=_tags(item) or None,
                related_information=listed or None,
            )
        )
    return told


def _tags(item: Diagnostic) -> list[types.DiagnosticTag]:
    if item.severity == ERROR:
        return []
    if item.code.startswith("unused_"):
        return [types.DiagnosticTag.Unnecessary]
    return [types.DiagnosticTag.Deprecated] if "deprecated" in item.code else []
