"""The unknown values of a result: where they are, why they are unknown, and what supplies them."""

from __future__ import annotations

from collections.abc import Iterator

from ..engine.evaluation import references_in
from ..engine.run import Context, Run
from ..language.language import Language
from ..values.diagnostics import Diagnostic
from ..values.document import Document
from ..values.expression import Reference
from ..values.source import Span
from ..values.tree import Map, Template, templates_at
from .explanation import UnknownPath, by_reason
from .inspection import inspection_of
from .nodes import node_at
from .paths import Path, path_text
from .tracing import element_of
from .values import follows_from


def list_unknowns(run: Run) -> tuple[UnknownPath, ...]:
    """Every unknown of a result with its reason, what supplies it, and the places that use it.

    Of a run that failed, those of its last stage. They come in the order of the output. In a
    dialect without reasons of its own, these are the references in the templates that are left.
    """
    answer = inspection_of(run.dialect).unknowns
    if answer is not None:
        return answer(run)
    document = run.document or (run.stages[-1][1] if run.stages else None)
    uses: list[tuple[str, Path, Span]] = []
    supply: dict[str, str] = {}
    for root, path, template in _left(document) if document is not None else ():
        needs = _needs(template, run.language)
        for text, reference in needs or [(run.language.template(template), None)]:
            uses.append((text, path, template.span))
            supply.setdefault(text, _follows(root, reference, run.language))
    reasons = {
        text: ("depends on unknown values", by) if by else ("not known yet", "give it a value")
        for text, by in supply.items()
    }
    return by_reason(((text, *reasons[text]), path, span) for text, path, span in uses)


def unresolved(document: Document, context: Context) -> Iterator[Diagnostic]:
    """An error for each template that is left in a document."""
    for _, path, template in _left(document):
        needs = ", ".join(f"`{text}`" for text, _ in _needs(template, context.language))
        yield Diagnostic(
            "unresolved_value",
            f"`{path_text(path)}` is not known: it needs {needs or 'a result'}",
            template.span,
            hint="supply what it needs, or render without `--strict`",
        )


def _left(document: Document) -> Iterator[tuple[Map, Path, Template]]:
    """The templates of a result with their roots and paths; several documents are numbered."""
    for number, part in enumerate(document.parts or (document,)):
        start = () if document.parts is None else (str(number),)
        for path, template in templates_at(part.root, start):
            yield part.root, path, template


def _needs(template: Template, language: Language) -> list[tuple[str, Reference | None]]:
    """The references of a template with their text, each once."""
    found: dict[str, Reference | None] = {}
    for reference in references_in(template):
        found.setdefault(language.syntax.show(reference), reference)
    return list(found.items())


def _follows(root: Map, reference: Reference | None, language: Language) -> str:
    """`follows from a, b` for a reference to an element of the document that needs others."""
    path = element_of(root, reference) if reference is not None else None
    return follows_from(node_at(root, path) if path is not None else None, language)
