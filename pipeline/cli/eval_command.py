"""`bpp eval`: evaluates one expression, in the scope of a blueprint or on its own."""

from __future__ import annotations

import json
from typing import Any, Final

from ...functions.values import NONE
from ..answers.inspection import evaluate_in_document
from ..engine.options import Options
from ..engine.string_evaluation import Evaluated
from ..expressions import evaluate
from ..language.errors import LanguageError
from ..language.language import Language
from ..rendering import prepare
from ..values.diagnostics import Diagnostics
from ..values.quoting import Quoting
from ..values.source import Source, Span
from ..values.terminal import visible_json, visible_lines
from .inspect_commands import misread
from .render_inputs import Inputs, dialect_of, limits_of, report, report_typed, status_of
from .report_files import keep_report
from .streams import write_out

_TYPED: Final = "<expression>"


def run_eval(options: Options) -> int:
    """The exit status of `bpp eval`."""
    expression = options.expression
    inputs = Inputs(options)
    source = inputs.source() if options.file else None
    if options.file and source is None:
        return inputs.fail()
    spoken = dialect_of(source, options)
    language = Language(spoken.syntax, limits_of(options))
    text = expression
    if language.opener not in text:
        try:
            # also finds a `}` that would end the substitution too early
            language.parse(expression)
        except LanguageError as error:
            item = misread(error, expression)
            return report_typed(item, options, "<expression>", status_of([item]))
        text = f"{language.opener}{expression}{language.syntax.closer}"
    shift = text.find(expression)
    if source is None:
        settings, files = inputs.settings, inputs.files
        result = evaluate(text, {}, settings=settings, files=files, dialect=spoken)
        return _finish(_as_typed(result, expression, shift), options, Quoting())
    arguments = inputs.arguments(source)
    if arguments is None:
        return inputs.fail()
    context, document = prepare(source, **arguments)
    result = evaluate_in_document(text, document, context)
    if context.diagnostics.errors:
        report(context.diagnostics, options, source.name)
        return status_of(context.diagnostics)
    return _finish(_as_typed(result, expression, shift), options, context.quoting)


def _as_typed(result: Evaluated, expression: str, shift: int) -> Evaluated:
    """The result with places in the typed expression, which starts at `shift` in the evaluated."""
    if not shift:
        return result
    typed = Source(_TYPED, expression)

    def moved(span: Span | None) -> Span | None:
        if span is None or span.source.name != typed.name:
            return span
        start, end = (min(max(at - shift, 0), len(expression)) for at in (span.start, span.end))
        return Span(typed, start, end, span.exact)

    return result.evolve(
        diagnostics=tuple(
            item.evolve(
                span=moved(item.span),
                notes=tuple(note.evolve(span=moved(note.span)) for note in item.notes),
            )
            for item in result.diagnostics
        ),
    )


def _finish(result: Evaluated, options: Options, quoting: Quoting) -> int:
    for item in result.diagnostics:
        if item.span is not None and item.span.source.name == _TYPED:
            quoting.admit_typed(item.span.source)
    found = Diagnostics(quoting=quoting)
    found.extend(result.diagnostics)
    if result.diagnostics:
        report(found, options, "<expression>")
    else:
        keep_report(found, options, "<expression>")
    if found.errors:
        return status_of(found)
    write_out(f"{_shown(result)}\n")
    return 0


def _shown(result: Evaluated) -> str:
    if result.residual is not None:
        return visible_lines(result.residual)
    value: Any = result.value
    return (
        "none" if value is NONE else visible_json(json.dumps(value, ensure_ascii=False, indent=2))
    )
