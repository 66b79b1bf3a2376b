"""The unknown values of a result: where they are, why they are unknown, and what supplies them."""

from __future__ import annotations

from collections.abc import Iterator

from ..engine.context import Context
from ..engine.run import Run
from ..language.language import Language
from ..values.diagnostics import Diagnostic
from ..values.document import Document
from ..values.source import Span
from ..values.tree import Template, templates_at
from .explanation import UnknownPath
from .inspection import inspection_of
from .paths import Path, path_text


def list_unknowns(run: Run) -> tuple[UnknownPath, ...]:
    """Every unknown of a result with its reason, what supplies it, and the places that use it.

    Of a run that failed, those of its last stage. They come in the order of the output. In a
    dialect without reasons of its own, these are the references in the templates that are left.
    """
    answer = inspection_of(run.dialect).unknowns
    if answer is not None:
        return answer(run)
    document = run.document or (run.stages[-1][1] if run.stages else None)
    found: dict[str, list[tuple[Path, Span]]] = {}
    for path, template in _left(document) if document is not None else ():
        for text in _needs(template, run.language) or [run.language.template(template)]:
            found.setdefault(text, []).append((path, template.span))
    return tuple(
        UnknownPath(
            text,
            "not known yet",
            "give it a value",
            tuple(dict.fromkeys(path_text(path) for path, _ in uses)),
            tuple(dict.fromkeys(span for _, span in uses)),
        )
        for text, uses in found.items()
    )


def unresolved(document: Document, context: Context) -> Iterator[Diagnostic]:
    """An error for each template that is left in a document."""
    for path, template in _left(document):
        needs = ", ".join(f"`{one}`" for one in _needs(template, context.language))
        yield Diagnostic(
            "unresolved_value",
            f"`{path_text(path)}` is not known: it needs {needs or 'a result'}",
            template.span,
            hint="supply what it needs, or render without `--strict`",
        )


def _left(document: Document) -> Iterator[tuple[Path, Template]]:
    """The templates of a result with their paths; those of several documents are numbered."""
    for number, part in enumerate(document.parts or (document,)):
        yield from templates_at(part.root, () if document.parts is None else (str(number),))


def _needs(template: Template, language: Language) -> list[str]:
    """The references of a template as text, each once."""
    substitutions = template.segments.substitutions
    named = dict.fromkeys(r for one in substitutions for r in one.shape.references)
    return list(dict.fromkeys(language.syntax.show(one) for one in named))
