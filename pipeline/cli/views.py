"""Other views of a result than its text: `--show` and `--explain-unknowns`."""

from __future__ import annotations

from ..answers.inspection import inspection_of
from ..engine.dialect import Dialect
from ..engine.run import Run
from .render_command import RenderOptions
from .usage import UsageProblem, choice


def check_views(options: RenderOptions, spoken: Dialect) -> None:
    """Refuses a view that a dialect does not have, and one beside what it would replace.

    Raises:
        UsageProblem: naming the views that there are.
    """
    answers = inspection_of(spoken)
    if options.show is None:
        return
    if not answers.views:
        raise UsageProblem(f"--show has nothing to show in the dialect `{spoken.name}`")
    choice("--show", options.show, answers.views)
    for flag, given in (
        ("--stop-after", options.stop_after),
        ("--split", options.split),
        ("--source-map", options.source_map),
    ):
        if given:
            raise UsageProblem(f"--show writes something else than the result, so not {flag}")


def view_of(run: Run, name: str, kind: str) -> str:
    """A view of a result as text."""
    return inspection_of(run.dialect).views[name](run, kind)
