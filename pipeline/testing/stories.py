"""A run as readable text, for snapshots: what each stage made, then what was said."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..values.diagnostics import Diagnostic

if TYPE_CHECKING:
    from ..engine.run import Run


def story(run: Run, main: str | None = None) -> str:
    """What each stage made of the document as YAML, `unchanged` where it did nothing.

    The diagnostics follow; `main` is as for `said`, by default the name of the run's source.
    Secrets are masked, unless the run reveals them.
    """
    parts = []
    before = None
    for stage, document in run.stages:
        text = run.text("yaml", document)
        parts.append(f"=== {stage}\n" + ("unchanged\n" if text == before else text))
        before = text
    told = said(run.diagnostics, main_of(run) if main is None else main)
    if told:
        parts.append("=== diagnostics\n" + told)
    return "\n".join(parts)


def main_of(run: Run) -> str:
    """The name of the source that a run began with; empty when there was no stage."""
    return run.stages[0][1].source.name if run.stages else ""


def said(diagnostics: Iterable[Diagnostic], main: str = "") -> str:
    """Diagnostics as lines of text in the order of their places, those in `main` first."""
    ordered = sorted(
        diagnostics,
        key=lambda d: (
            (d.span.source.name != main, d.span.source.name, d.span.line, d.span.column)
            if d.span
            else (False, "", 0, 0)
        ),
    )
    lines = []
    for item in ordered:
        place = f" {item.span}" if item.span else ""
        lines.append(f"{item.severity}[{item.code}]{place} {item.summary}\n")
        lines += [
            f"  note: {n.text}" + (f" ({n.span})" if n.span else "") + "\n" for n in item.notes
        ]
        if item.hint:
            lines.append(f"  hint: {item.hint}\n")
    return "".join(lines)
