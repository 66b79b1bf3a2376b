"""Values beside expressions: inlay hints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lsprotocol import types

from ..answers.explanation import KNOWN, NONE_VALUE, PARTLY, RESIDUAL, SECRET, UnknownPath
from ..values.source import Source
from ..values.terminal import visible_lines
from .computed import Computed, Shift, Worth, as_text, one_line
from .coordinates import Coordinates
from .feature import RENDER, Feature
from .texts import path_of
from .workspace import Workspace

_MOST: Final = 1_000
"""Hints of one answer."""

_TOOLTIP: Final = 600
"""Characters of a value in a tooltip."""

_SAID: Final = 3
"""Reasons for an unknown value that a tooltip tells."""


def inlay_hints(
    workspace: Workspace, params: types.InlayHintParams
) -> list[types.InlayHint] | None:
    """The values of the substitutions in a range, from the last version that could be rendered."""
    uri = params.text_document.uri
    source = workspace.source(uri)
    if source is None:
        return None
    at = Coordinates(source, workspace.units)
    start, end = at.offset(params.range.start), at.offset(params.range.end)
    found: list[types.InlayHint] = []
    for computed, read in sources_of(workspace, uri, source):
        # what stands in the present text may have stood elsewhere when it was rendered
        back, forth = Shift(source.text, read.text), Shift(read.text, source.text)
        first, last = back.nearest(start, True), back.nearest(end, False)
        for worth in computed.between(read, first, last, _MOST):
            place = forth.place(worth.start, worth.end)
            if place is not None and start <= place[1] <= end:
                hint = _hint(worth, computed, read, at, place[1], source)
                if hint is not None:
                    found.append(hint)
        return found
    return None


def sources_of(workspace: Workspace, uri: str, source: Source) -> Iterator[tuple[Computed, Source]]:
    """The runs that know values of a text, each with the version of the text that it read.

    The text's own comes first, then those of documents that include it.
    """
    own = workspace.latest(uri)
    if own is not None and own.computed is not None:
        read = own.computed.source if own.whole is None else own.computed.read(path_of(uri))
        if read is not None:
            yield own.computed, read
    for other in [*workspace.all()]:
        whole = own is not None and own.whole is other
        if other.uri != uri and other.computed is not None and not whole:
            read = other.computed.read(path_of(uri))
            if read is not None and read.text == source.text:
                yield other.computed, read


def _hint(
    worth: Worth, computed: Computed, read: Source, at: Coordinates, end: int, source: Source
) -> types.InlayHint | None:
    if worth.status in (RESIDUAL, PARTLY) and not worth.short:
        if computed.open:  # most is unknown then
            return None
        label = "?"
        tooltip = unknown_text(computed.unknowns_at(read, worth.start))
    elif worth.short and worth.status in (KNOWN, NONE_VALUE, PARTLY, SECRET):
        label, tooltip = worth.short, _values_text(worth)
    else:
        return None
    following = source.text[end : end + 1]
    return types.InlayHint(
        at.position(end),
        label,
        types.InlayHintKind.Type,
        tooltip=types.MarkupContent(types.MarkupKind.Markdown, tooltip) if tooltip else None,
        padding_left=True,
        padding_right=bool(following.strip("\r\n")) or None,
    )


def unknown_text(unknowns: list[UnknownPath]) -> str:
    """Why a value is unknown and what supplies it, as Markdown; empty for no reason."""
    lines = [f"`{one_line(one.text, 100)}`: {one.why}; {one.supply}" for one in unknowns[:_SAID]]
    more = len(unknowns) - _SAID
    return "\n\n".join([*lines, f"and {more} more"] if more > 0 else lines)


def _values_text(worth: Worth) -> str:
    """The values of a part in full as Markdown; empty where the short form tells all."""
    shown = dict.fromkeys(map(as_text, worth.values))
    if len(shown) == 1 and as_text(worth.values[0]) == worth.short:
        return ""
    lines = [fenced(text[:_TOOLTIP], "text") for text in shown]
    more = worth.count - len(worth.values)
    return "\n\n".join([*lines, f"and {more} more"] if more > 0 else lines)


def fenced(text: str, language: str = "") -> str:
    """A text as a block of code in Markdown."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{visible_lines(text)}\n{fence}"


FEATURES: Final = (
    Feature(
        types.TEXT_DOCUMENT_INLAY_HINT,
        inlay_hints,
        types.InlayHintOptions(resolve_provider=False),
        RENDER,
    ),
)
