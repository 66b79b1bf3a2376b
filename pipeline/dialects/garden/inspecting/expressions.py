"""`bpp eval` in a project."""

from __future__ import annotations

from ....context import Context
from ....document import Document
from ....expressions import Evaluated, evaluate_in
from ....source import Source
from ..project.result import project_of
from .scopes import scope_of


def evaluate_in_project(text: str, document: Document, context: Context) -> Evaluated:
    """Evaluates a text with the names that all actions of a project see.

    What is wrong with the project is reported to the context.
    """
    document = context.pipeline.last(document, context)
    project = project_of(document)
    if context.diagnostics.errors or project is None:
        return Evaluated()
    evaluator = project.evaluation.evaluator
    source = Source("<expression>", text)
    return evaluate_in(text, source, context.language, evaluator, scope_of(project))
