"""`bpp eval`: one expression, in the scope of a blueprint or on its own."""

from __future__ import annotations

import json
import sys
from typing import Any

from ...functions.values import NONE
from ..diagnostics import Diagnostics
from ..dialects.table import DEFAULT, find_dialect
from ..expressions import Evaluated, evaluate, evaluate_in
from ..language.language import Language
from ..rendering import prepare
from ..settings import Limits
from ..source import Source
from .entry import EXIT_ERRORS
from .render_command import REPORTS, Inputs, RenderOptions, report, status_of
from .usage import choice


def run_eval(expression: str, options: RenderOptions) -> int:
    """The exit status of `bpp eval`."""
    choice("--diagnostics", options.diagnostics, REPORTS)
    choice("--color", options.color, ("auto", "always", "never"))
    language = Language(find_dialect(DEFAULT).syntax, Limits())
    text = expression
    if language.opener not in text:
        text = f"{language.opener}{expression}{language.syntax.closer}"
    inputs = Inputs(options)
    if not options.file:
        result = evaluate(text, {}, settings=inputs.settings, files=inputs.files)
        return _finish(result, options)
    source = inputs.source()
    arguments = inputs.arguments() if source else None
    if source is None or arguments is None:
        return inputs.fail()
    context, document = prepare(source, **arguments)
    document = context.pipeline.upto("include").last(document, context)
    if context.diagnostics.errors:
        report(context.diagnostics, options, source.name)
        return status_of(context.diagnostics)
    from ..blueprint.names import check_text

    problems = check_text(text, document, context)
    if problems:
        return _finish(Evaluated(diagnostics=tuple(problems)), options)
    evaluation = document.evaluation
    result = evaluate_in(
        text,
        Source("<expression>", text),
        context.language,
        evaluation.evaluator,
        evaluation.at(None),
        evaluation.mask,
    )
    if context.diagnostics.errors:
        report(context.diagnostics, options, source.name)
        return status_of(context.diagnostics)
    return _finish(result, options)


def _finish(result: Evaluated, options: RenderOptions) -> int:
    if result.diagnostics:
        found = Diagnostics()
        found.extend(result.diagnostics)
        report(found, options, "<expression>")
        return EXIT_ERRORS
    sys.stdout.write(f"{_shown(result)}\n")
    return 0


def _shown(result: Evaluated) -> str:
    if result.residual is not None:
        return result.residual
    value: Any = result.value
    return "none" if value is NONE else json.dumps(value, ensure_ascii=False, indent=2)
