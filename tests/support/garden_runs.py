"""Runs of projects of Garden in memory, for tests."""

from __future__ import annotations

from typing import Any

from bpp.pipeline import MemoryFiles, Run, Settings, render
from bpp.pipeline.dialects.garden import ProjectOptions
from bpp.pipeline.formats.report import render_text

HEAD = "kind: Project\nname: p\nenvironments: [{name: local}, {name: prod}]\n"
SECRET = "fuin23liu54at90hiongl3g"


def rendered(
    project: str | dict[str, str], settings: Settings | None = None, **options: Any
) -> Run:
    """A run of a project in memory, whose main file is `garden.yml`."""
    named = {"garden.yml": project} if isinstance(project, str) else project
    memory = MemoryFiles({f"/p/{name}": text for name, text in named.items()}, "/p")
    chosen = ProjectOptions(**options)
    return render("garden.yml", files=memory, dialect="garden", options=chosen, settings=settings)


def told(run: Run) -> str:
    """All that is said, as a person sees it."""
    return render_text(run.diagnostics, color=False)
