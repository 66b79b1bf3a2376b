"""What `bpp eval` and `bpp console` know of a document of data."""

from __future__ import annotations

from collections.abc import Iterator

from ...answers.inspection import Evaluate
from ...engine.run import Context
from ...engine.string_evaluation import Evaluated, evaluate_in
from ...language.evaluator import Evaluator
from ...values.document import Document
from ...values.source import Source
from ...values.tree import Map
from ...world.data_files import plain
from .scope import data_scope


def opened(document: Document, context: Context) -> Evaluate | None:
    """The function that evaluates expressions in the data of a document; None after errors."""
    made = context.pipeline.last(document, context)
    if context.diagnostics.errors:
        return None
    data = plain(made.root)
    evaluator = Evaluator(
        context.functions,
        context.environment,
        context.limits,
        context.meter,
        context.dialect.semantics,
    )

    def evaluate(text: str) -> Evaluated:
        scope = data_scope(data, closed=False)
        return evaluate_in(text, Source("<expression>", text), context.language, evaluator, scope)

    return evaluate


def names(document: Document, context: Context) -> Iterator[str]:
    """The names of the data."""
    made = context.pipeline.last(document, context)
    yield from made.root.items if isinstance(made.root, Map) else ()
