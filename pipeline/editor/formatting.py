"""A document in the one style, as `bpp fmt` writes it."""

from __future__ import annotations

from typing import Final

from lsprotocol import types

from ..engine.formatting import format_text
from .coordinates import Coordinates
from .feature import NOTHING, Feature
from .workspace import Workspace


def format_document(
    workspace: Workspace, params: types.DocumentFormattingParams
) -> list[types.TextEdit] | None:
    """The one edit that makes a document formatted, without what stays at its ends.

    None for a text that is no document, or that has a mistake, which diagnostics tell.
    """
    source = workspace.source(params.text_document.uri)
    dialect = workspace.dialect(source) if source is not None else None
    if source is None or dialect is None:
        return None
    made = format_text(source, dialect, workspace.settings.limits)
    if made.diagnostics:
        return None
    before, after = source.text, made.text
    if before == after:
        return []
    start = _same(before, after)
    same = _same(before[start:][::-1], after[start:][::-1])
    where = Coordinates(source, workspace.units).range(start, len(before) - same)
    return [types.TextEdit(where, after[start : len(after) - same])]


def _same(before: str, after: str) -> int:
    """How many characters are the same at the start of two texts."""
    pairs = enumerate(zip(before, after, strict=False))
    return next((i for i, (one, other) in pairs if one != other), min(len(before), len(after)))


FEATURES: Final = (Feature(types.TEXT_DOCUMENT_FORMATTING, format_document, after=NOTHING),)
