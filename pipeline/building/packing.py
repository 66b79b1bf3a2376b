"""Diagnostics as plain data for the cache; their texts are read from the files again."""

from __future__ import annotations

import os
from collections.abc import Container
from typing import Any

from ..values.diagnostics import Diagnostic, Diagnostics, Note
from ..values.source import Source, Span
from ..world.files import DiskFiles, FileProblem, decode_text


def packed(diagnostics: Diagnostics, folder: str, files: Container[str]) -> list[Any] | None:
    """Diagnostics without their texts; None when one is about a text that is none of the files."""
    spans = [item.span for item in diagnostics]
    spans += [note.span for item in diagnostics for note in item.notes]
    told = {id(span.source) for span in spans if span}
    withheld = [*diagnostics.quoting.withheld, *diagnostics.quoting.unquoted]
    withheld = [span for span in withheld if id(span.source) in told]
    for span in spans:
        if span and os.path.normpath(os.path.join(folder, span.source.name)) not in files:
            return None
    items = [
        [
            item.code,
            item.summary,
            item.severity,
            item.hint,
            _place(item.span),
            [[note.text, _place(note.span)] for note in item.notes],
        ]
        for item in diagnostics
    ]
    return [items, [_place(span) for span in withheld]] if items else []


def unpacked(data: list[Any], folder: str) -> Diagnostics:
    """The diagnostics again.

    Raises:
        FileProblem: when a text cannot be read any more.
        ValueError, TypeError: for data that `packed` did not make.
    """
    sources: dict[str, Source] = {}
    found = Diagnostics()
    items, withheld = data
    for code, summary, severity, hint, place, notes in items:
        remarks = tuple(Note(text, _span(where, sources, folder)) for text, where in notes)
        span = _span(place, sources, folder)
        found.add(Diagnostic(code, summary, span, severity, hint, remarks))
    found.quoting.unquoted += filter(None, (_span(place, sources, folder) for place in withheld))
    return found


def _place(span: Span | None) -> list[Any] | None:
    if span is None:
        return None
    return [span.source.name, span.source.format, span.start, span.end, span.exact]


def _span(place: list[Any] | None, sources: dict[str, Source], folder: str) -> Span | None:
    if place is None:
        return None
    name, form, start, end, exact = place
    if name not in sources:
        text = decode_text(DiskFiles().open_input(os.path.join(folder, name)), name)
        if isinstance(text, FileProblem):
            raise text
        sources[name] = Source(name, text, form)
    return Span(sources[name], start, end, exact)
