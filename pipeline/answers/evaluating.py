"""Strings in the scope of a document, in any dialect."""

from __future__ import annotations

from ..engine.context import Context
from ..engine.evaluation import Names
from ..engine.string_evaluation import Evaluated, evaluate_in
from ..language.evaluator import Evaluator
from ..values.document import Document
from ..values.source import Source
from .inspection import inspection_of
from .scope import TreeScope


def evaluate_in_document(text: str, document: Document, context: Context) -> Evaluated:
    """Evaluates a string in the scope of a document that is not read yet.

    Problems with the document are reported to the context, those with the string are in the result.
    """
    answer = inspection_of(context.dialect).evaluate
    if answer is not None:
        return answer(text, document, context)
    context.pipeline.last(document, context)
    work = context.work
    if context.diagnostics.errors or not work.stages:
        return Evaluated()
    scope = work.find(Names) or TreeScope((work.written or work.stages[0][1]).root, work.stages)
    evaluator = Evaluator(
        context.functions,
        context.environment,
        context.limits,
        context.meter,
        context.dialect.semantics,
    )
    return evaluate_in(text, Source("<expression>", text), context.language, evaluator, scope)
