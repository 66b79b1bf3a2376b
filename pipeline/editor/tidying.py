"""A document in the one style, as edits of the lines that change."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Final

from lsprotocol import types

from ..engine.formatting import format_text
from .coordinates import Coordinates
from .feature import Feature
from .workspace import Workspace

_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_MOST_LINES: Final = 3_000
"""Lines that are compared one by one; of more all between the first and the last change is new."""


def formatting(
    workspace: Workspace, params: types.DocumentFormattingParams
) -> list[types.TextEdit] | None:
    """The edits that bring a document into the one style; None for one with a mistake."""
    source = workspace.source(params.text_document.uri)
    dialect = workspace.dialect(source) if source is not None else None
    if source is None or dialect is None:
        return None
    made = format_text(source, dialect, workspace.settings.limits)
    if made.diagnostics:
        return None
    at = Coordinates(source, workspace.units)
    return [
        types.TextEdit(at.range(start, end), text)
        for start, end, text in _edits(source.text, made.text)
    ]


def _edits(old: str, new: str) -> list[tuple[int, int, str]]:
    """Offsets in the old text, and what stands between them in the new one."""
    before, after = _LINE.findall(old), _LINE.findall(new)
    first = 0
    while first < min(len(before), len(after)) and before[first] == after[first]:
        first += 1
    last = 0
    most = min(len(before), len(after)) - first
    while last < most and before[-1 - last] == after[-1 - last]:
        last += 1
    old_lines, new_lines = before[first : len(before) - last], after[first : len(after) - last]
    if not old_lines and not new_lines:
        return []
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line))
    ranges = [(0, len(old_lines), 0, len(new_lines))]
    if len(old_lines) + len(new_lines) <= _MOST_LINES:
        matcher = SequenceMatcher(None, old_lines, new_lines, autojunk=False)
        ranges = [span for kind, *span in matcher.get_opcodes() if kind != "equal"]  # type: ignore[misc]
    return [
        (starts[first + start], starts[first + end], "".join(new_lines[begin:stop]))
        for start, end, begin, stop in ranges
    ]


FEATURES: Final = (Feature(types.TEXT_DOCUMENT_FORMATTING, formatting),)
