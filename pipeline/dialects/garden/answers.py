"""What commands ask about projects; what answers is imported when it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..inspection import Inspection

if TYPE_CHECKING:
    from ...context import Context
    from ...document import Document
    from ...expressions import Evaluated
    from ...graphs.model import Graph
    from ...provenance.levels import Level
    from ...run import Run
    from ...unknowns import UnknownPath


def level(run: Run) -> Level:
    """The project as one document, in which a path begins with a kind and a name."""
    from .inspecting.paths import level_of_project

    return level_of_project(run)


def evaluate(text: str, document: Document, context: Context) -> Evaluated:
    """Evaluates a text with the names that actions of a project see."""
    from .inspecting.expressions import evaluate_in_project

    return evaluate_in_project(text, document, context)


def graph(run: Run) -> Graph | None:
    """The actions of a project and what they need."""
    from .inspecting.graph import graph_of_project

    return graph_of_project(run)


def unknowns(run: Run) -> tuple[UnknownPath, ...]:
    """What only a run of Garden knows."""
    from .inspecting.unknowns import unknowns_of_project

    return unknowns_of_project(run)


def variables(run: Run, format: str) -> str:  # noqa: A002
    """The variables of the environment with their sources."""
    from .project.result import project_of, show_variables

    project = project_of(run.document)
    assert project is not None
    return show_variables(project, run.language, format)


INSPECTION: Final = Inspection(
    level=level,
    evaluate=evaluate,
    graph=graph,
    unknowns=unknowns,
    views={"variables": variables},
)
