"""The marks of unknown values in a result, and how to supply them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ....answers.explanation import UnknownPath
from ....answers.nodes import node_at, paths_in
from ....answers.paths import path_text
from ....engine.run import Context, Run
from ....values.diagnostics import Diagnostic
from ....values.document import Document
from ....values.source import Span
from ....values.tree import Scalar

_MARK: Final = re.compile(r"<unknown: ([^<>]*)>")


def unknowns(run: Run) -> tuple[UnknownPath, ...]:
    """The unknown values of a run with the places that are made of them."""
    document = run.document or (run.stages[-1][1] if run.stages else None)
    found: dict[str, list[tuple[str, Span]]] = {}
    for name, where, span in _marks(document) if document is not None else ():
        found.setdefault(name, []).append((where, span))
    return tuple(
        UnknownPath(
            name,
            "known only after deployment",
            f"`--state FILE`, under {name}",
            tuple(dict.fromkeys(where for where, _ in uses)),
            tuple({(span.source, span.start): span for _, span in uses}.values()),
        )
        for name, uses in found.items()
    )


def unresolved(document: Document, context: Context) -> Iterator[Diagnostic]:
    """An error for each mark that is left."""
    for name, where, span in _marks(document):
        context.meter.work(1)
        summary = f"`{where}` is not known: it needs `{name}`"
        hint = f"`--state FILE` supplies it under {name}"
        yield Diagnostic("unresolved_value", summary, span, hint=hint)


def _marks(document: Document) -> Iterator[tuple[str, str, Span]]:
    for path in paths_in(document.root):
        node = node_at(document.root, path)
        if isinstance(node, Scalar) and isinstance(node.value, str):
            for mark in _MARK.finditer(node.value):
                yield mark[1], path_text(path), node.span
