"""Strings in the scope of a blueprint."""

from __future__ import annotations

from ....engine.run import Context
from ....engine.string_evaluation import Evaluated, evaluate_in
from ....values.document import Document
from ....values.source import Source
from ..checking.names import check_text
from ..evaluating.evaluation import evaluation_of
from ..secrets.taint import withholding


def evaluate_in_blueprint(text: str, document: Document, context: Context) -> Evaluated:
    """Evaluates a string in the scope of a blueprint that is not read yet.

    Problems with the blueprint are reported to the context, those with the string are in the
    result.
    """
    document = context.pipeline.upto("include").last(document, context)
    if context.diagnostics.errors:
        return Evaluated()
    problems = check_text(text, document, context)
    if problems:
        return Evaluated(diagnostics=tuple(problems))
    evaluation = evaluation_of(document, context)
    given = text, Source("<expression>", text), context.language
    if evaluation.reveal:
        # finds out what may be asked for
        other = withholding(evaluation)
        evaluate_in(*given, other.evaluator, other.at(None))
    evaluator, scope = evaluation.evaluator, evaluation.at(None)
    return evaluate_in(*given, evaluator, scope, evaluation.mask, evaluation.reveal)


def variable_names(document: Document, context: Context) -> list[str]:
    """The variables that a blueprint declares."""
    definitions = context.pipeline.upto("load").last(document, context).section("variables")
    return list(definitions.items) if definitions is not None else []
