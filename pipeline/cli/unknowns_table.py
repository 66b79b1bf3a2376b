"""What `bpp render --explain-unknowns` prints: one row for each unknown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..answers.explanation import UnknownPath
from ..answers.unknowns import list_unknowns
from ..engine.run import Run
from ..values.diagnostics import ERROR
from .streams import tell
from .terminal import Palette, shorten, use_color, visible

_HEADINGS: Final = ("unknown", "why", "how to supply it", "used at")
_CELL_CHARS: Final = 100


def tell_unknowns(run: Run, color: str) -> None:
    """Prints the table to standard error, beside the diagnostics: the output is somewhere else.

    A run that failed for anything else than unknowns under `--strict` has no result to explain.
    """
    import os
    import sys

    errors = [item for item in run.diagnostics if item.severity == ERROR]
    if any(item.code != "unresolved_value" for item in errors):
        return
    tell(unknowns_table(list_unknowns(run), use_color(sys.stderr, os.environ, color)))


def unknowns_table(items: Iterable[UnknownPath], color: bool) -> str:
    """The rows under a heading; one sentence when there are none."""
    rows = [_row(item) for item in items]
    if not rows:
        return "nothing is unknown\n"
    table = [_HEADINGS, *rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(_HEADINGS))]
    lines = [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
    lines[0] = Palette(color).paint("strong", lines[0])
    return "\n".join(lines) + "\n"


def _row(item: UnknownPath) -> tuple[str, ...]:
    more = len(item.spans) - 1
    place = f"{item.spans[0]}{f' ({more} more)' if more else ''}"
    cells = (shorten(visible(text), _CELL_CHARS) for text in (item.text, item.why, item.supply))
    return (*cells, visible(place))
