"""What commands ask about blueprints; what answers is imported when it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ....engine.dialect import Inspection

if TYPE_CHECKING:
    from ....answers.explanation import UnknownPath
    from ....answers.graph.model import Graph
    from ....engine.context import Context
    from ....engine.run import Run
    from ....engine.string_evaluation import Evaluated
    from ....values.document import Document
    from ....values.source import Source
    from .graph.survey import Survey


def evaluate(text: str, document: Document, context: Context) -> Evaluated:
    """Evaluates a text in the scope of a blueprint that is not read yet.

    What is wrong with the blueprint is reported to the context, and what is wrong with the text is
    in the answer.
    """
    from ....engine.string_evaluation import Evaluated, evaluate_in
    from ....values.source import Source
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


def survey(source: Source, **arguments: Any) -> Survey:
    """The graph of a blueprint that is rendered as far as possible."""
    from .graph.survey import blueprint_survey

    return blueprint_survey(source, **arguments)


def unknowns(run: Run) -> tuple[UnknownPath, ...]:
    """What is not known in a result."""
    from .unknowns import unknowns_of_blueprints

    return unknowns_of_blueprints(run)


INSPECTION: Final = Inspection(evaluate=evaluate, graph=graph, survey=survey, unknowns=unknowns)
