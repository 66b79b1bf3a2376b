"""The answers to commands about projects; each is imported when it is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ....answers.inspection import Inspection

if TYPE_CHECKING:
    from ....answers.explanation import UnknownPath
    from ....answers.graph.model import Graph
    from ....answers.levels import Level
    from ....engine.context import Context
    from ....engine.run import Run
    from ....engine.string_evaluation import Evaluated
    from ....values.document import Document


def level(run: Run) -> Level:
    """The project as one document, in which a path begins with a kind and a name."""
    from .why import level_of_project

    return level_of_project(run)


def evaluate(text: str, document: Document, context: Context) -> Evaluated:
    """The value of a string in the scope of the actions of a project."""
    from .results import evaluate_in_project

    return evaluate_in_project(text, document, context)


def graph(run: Run) -> Graph | None:
    """The actions of a project and what they need."""
    from .graph import graph_of_project

    return graph_of_project(run)


def unknowns(run: Run) -> tuple[UnknownPath, ...]:
    """The unknown values of a project."""
    from .unknowns import unknowns_of_project

    return unknowns_of_project(run)


def variables(run: Run, format: str) -> str:  # noqa: A002
    """The variables of the environment with their sources."""
    from ..structure.project import Project
    from .results import show_variables

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
