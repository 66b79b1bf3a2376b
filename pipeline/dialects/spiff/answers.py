"""What `bpp eval` and `bpp console` know of a document: expressions see its top-level keys."""

from __future__ import annotations

from collections.abc import Iterator
from json import dumps

from ...answers.inspection import Evaluate
from ...engine.run import Context, Pipeline
from ...engine.run import Run as FinishedRun
from ...engine.string_evaluation import Evaluated
from ...formats.go_yaml import plain
from ...values.diagnostics import Diagnostic
from ...values.document import Document
from ...values.source import Source, Span
from ...values.tree import AnyNode, Array, Map, Scalar, Trail
from .cells import Run
from .processing import process
from .syntax import inner


def opened(document: Document, context: Context) -> Evaluate | None:
    """The function that evaluates expressions in a document; None after errors."""
    load = Pipeline(context.pipeline.stages[:1])
    load.last(document, context)
    run = context.work.find(Run)
    if context.diagnostics.errors or run is None:
        return None
    known = run

    def evaluate(text: str) -> Evaluated:
        typed = Source("<expression>", text, "text")
        pad = 0 if inner(text.strip()) is not None else 3
        shown = f"(( {text} ))" if pad else text.strip()
        wrapped = Source(typed.name, shown, "text")
        told = context.diagnostics.beside()
        told.quoting.admit_typed(wrapped)
        node = Scalar(shown, Trail(wrapped), 0, len(shown))
        made = process(known.evolve(told=told), node)
        if made is not None:
            return Evaluated(value=plain(made.node))
        return Evaluated(diagnostics=tuple(_placed(one, wrapped, typed, pad) for one in told))

    return evaluate


def _placed(item: Diagnostic, wrapped: Source, typed: Source, pad: int) -> Diagnostic:
    span = item.span
    if span is None or span.source is not wrapped:
        return item
    size = len(typed.text)
    start, end = (min(max(at - pad, 0), size) for at in (span.start, span.end))
    return item.evolve(span=typed.span(start, end))


def printed(run: FinishedRun) -> Iterator[tuple[Span, str]]:
    """Each expression that a document has, with its value: a text as it is, others as JSON."""
    document = run.document
    parts = () if document is None else document.parts or (document,)
    waiting: list[AnyNode] = [one.root for one in parts]
    while waiting:
        node = waiting.pop()
        source = node.trail.source
        if inner(source.text[node.start : node.end].strip("'\"")) is not None:
            value = plain(node)
            text = value if isinstance(value, str) else dumps(value, ensure_ascii=False)
            yield node.span, text
        elif isinstance(node, Map | Array):
            waiting += node.items.values() if isinstance(node, Map) else node.items


def names(document: Document, context: Context) -> Iterator[str]:
    """The top-level keys."""
    context.pipeline.reached("parse", document, context)
    run = context.work.find(Run)
    if run is not None and isinstance(run.template, Map):
        yield from run.template.items
