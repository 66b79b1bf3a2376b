"""What commands ask about projects; what answers is imported when it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ....engine.dialect import Inspection

if TYPE_CHECKING:
    from ....answers.graph.model import Graph
    from ....engine.context import Context
    from ....engine.run import Run
    from ....expressions import Evaluated
    from ....values.document import Document
    from ...bluelink.answers.unknowns import UnknownPath
    from ...bluelink.answers.why.levels import Level


def level(run: Run) -> Level:
    """The project as one document, in which a path begins with a kind and a name."""
    from .paths import level_of_project

    return level_of_project(run)


def evaluate(text: str, document: Document, context: Context) -> Evaluated:
    """Evaluates a text with the names that actions of a project see."""
    from .expressions import evaluate_in_project

    return evaluate_in_project(text, document, context)


def graph(run: Run) -> Graph | None:
    """The actions of a project and what they need."""
    from .graph import graph_of_project

    return graph_of_project(run)


def unknowns(run: Run) -> tuple[UnknownPath, ...]:
    """What only a run of Garden knows."""
    from .unknowns import unknowns_of_project

    return unknowns_of_project(run)


def variables(run: Run, format: str) -> str:  # noqa: A002
    """The variables of the environment with their sources."""
    from ..structure.configs import Project
    from ..structure.result import show_variables

    project = run.work.find(Project)
    assert project is not None
    return show_variables(project, run.language, format)


INSPECTION: Final = Inspection(
    level=level,
    evaluate=evaluate,
    graph=graph,
    unknowns=unknowns,
    views={"variables": variables},
)
