"""The answers to commands about blueprints; each is imported when it is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from ....answers.inspection import Inspection, Survey
from ....engine.string_evaluation import Evaluated, evaluate_in
from ....values.source import Source

if TYPE_CHECKING:
    from ....answers.explanation import UnknownPath
    from ....answers.graph.model import Graph
    from ....answers.levels import Level
    from ....engine.context import Context
    from ....engine.run import Run
    from ....values.document import Document


def level(run: Run) -> Level:
    """The documents of a run."""
    from .why import level_of_run

    return level_of_run(run)


def evaluate(text: str, document: Document, context: Context) -> Evaluated:
    """Evaluates a string in the scope of a blueprint that is not read yet.

    Problems with the blueprint are reported to the context, those with the string are in the
    result.
    """
    from ..checking.names import check_text
    from ..evaluating.evaluation import evaluation_of
    from ..secrets.taint import withholding

    document = context.pipeline.upto("include").last(document, context)
    if context.diagnostics.errors:
        return Evaluated()
    problems = check_text(text, document, context)
    if problems:
        return Evaluated(diagnostics=tuple(problems))
    evaluation = evaluation_of(document, context)
    given = Source("<expression>", text)
    if evaluation.reveal:
        # finds out what may be asked for
        other = withholding(evaluation)
        evaluate_in(text, given, context.language, other.evaluator, other.at(None))
    return evaluate_in(
        text,
        given,
        context.language,
        evaluation.evaluator,
        evaluation.at(None),
        evaluation.mask,
        evaluation.reveal,
    )


def graph(run: Run) -> Graph:
    """The graph of a run."""
    from .graph.survey import blueprint_graph

    return blueprint_graph(run)


def survey(
    source: Source,
    render: Callable[..., Run],
    prepare: Callable[..., tuple[Context, Document]],
    arguments: dict[str, Any],
) -> Survey:
    """The graph of a blueprint that is rendered as far as possible."""
    from .graph.survey import blueprint_survey

    return blueprint_survey(source, render, prepare, arguments)


def unknowns(run: Run) -> tuple[UnknownPath, ...]:
    """The unknown values of a result."""
    from .unknowns import unknowns_of_blueprints

    return unknowns_of_blueprints(run)


def split(document: Document, stem: str, extension: str) -> dict[str, Document]:
    """A materialised blueprint and its children, a document each, by file name."""
    from ..splitting import split_documents

    return split_documents(document, stem, extension)


INSPECTION: Final = Inspection(
    level=level, evaluate=evaluate, graph=graph, survey=survey, unknowns=unknowns, split=split
)
