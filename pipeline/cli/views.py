"""Other views of a result than its text: `--show` and `--explain-unknowns`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import Final

from ..answers.explanation import UnknownPath
from ..answers.inspection import inspection_of
from ..answers.unknowns import list_unknowns
from ..engine.options import Options
from ..engine.run import Dialect, Run
from ..values.diagnostics import ERROR
from ..values.terminal import Palette, shorten, use_color, visible
from .progress import terminal_width
from .streams import write_err
from .usage import UsageProblem, choice

_HEADINGS: Final = ("unknown", "why", "how to supply it", "used at")
_CELL_CHARS: Final = 100
_MIN_WIDTH: Final = 40


def check_views(options: Options, spoken: Dialect) -> None:
    """Refuses a view that a dialect does not have, and options that exclude it.

    Raises:
        UsageProblem: naming the available views.
    """
    answers = inspection_of(spoken)
    if options.show is None:
        return
    if not answers.views:
        raise UsageProblem(f"--show has no views in the dialect `{spoken.name}`")
    choice("--show", options.show, answers.views)
    for flag, given in (
        ("--stop-after", options.stop_after),
        ("--split", options.split),
        ("--source-map", options.source_map),
    ):
        if given:
            raise UsageProblem(f"--show cannot be combined with {flag}")


def view_of(run: Run, name: str, kind: str) -> str:
    """A view of a result as text."""
    return inspection_of(run.dialect).views[name](run, kind)


def explain_unknowns(run: Run, color: str) -> None:
    """Prints the table of unknowns to standard error.

    Prints nothing for a run that failed for other reasons than unknowns under `--strict`.
    """
    errors = [item for item in run.diagnostics if item.severity == ERROR]
    if any(item.code != "unresolved_value" for item in errors):
        return
    painted = use_color(sys.stderr, os.environ, color)
    write_err(unknowns_text(list_unknowns(run), painted, terminal_width(sys.stderr)))


def unknowns_text(items: Iterable[UnknownPath], color: bool, width: int = 80) -> str:
    """A table with a row for each unknown, or a paragraph where it is too wide for a terminal.

    A sentence if there are none.
    """
    rows = [_row(item) for item in items]
    if not rows:
        return "nothing is unknown\n"
    paint = Palette(color).paint
    table = [_HEADINGS, *rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(_HEADINGS))]
    if sum(widths) + 2 * (len(widths) - 1) > width:
        return "\n".join(_paragraph(row, paint, width) for row in rows)
    lines = [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
    lines[0] = paint("strong", lines[0])
    return "\n".join(lines) + "\n"


def _paragraph(row: tuple[str, ...], paint: Callable[[str, str], str], width: int) -> str:
    from textwrap import wrap

    name, *rest = row
    lines = [paint("strong", name)]
    for heading, text in zip(_HEADINGS[1:], rest, strict=True):
        before = f"  {heading}: "
        lines += wrap(text, max(width, _MIN_WIDTH), initial_indent=before, subsequent_indent="    ")
    return "\n".join(lines) + "\n"


def _row(item: UnknownPath) -> tuple[str, ...]:
    more = len(item.spans) - 1
    place = f"{item.spans[0]}{f' ({more} more)' if more else ''}"
    cells = (shorten(visible(text), _CELL_CHARS) for text in (item.text, item.why, item.supply))
    return (*cells, visible(place))
