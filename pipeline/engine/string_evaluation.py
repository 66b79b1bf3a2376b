"""The evaluation of a single string in a scope."""

from __future__ import annotations

from typing import Any

from ...functions.record import Record
from ...functions.values import FunctionError, decode_utf8, has_unknown
from ..language.errors import Failure, LanguageError
from ..language.evaluator import Evaluator
from ..language.language import Language
from ..language.syntax import Scope
from ..language.waiting import WaitingText, to_expression
from ..values.diagnostics import Diagnostic, worded
from ..values.expression import Segments, residual
from ..values.source import Source, Span
from ..values.threads import with_stack_room
from ..values.tree import Template, Trail


class Evaluated(Record):
    """The result of evaluating one string.

    `value` is the value as plain data (`NONE` for none), or None if it is unknown; `residual` is
    the smaller template if the value is unknown in this scope; `diagnostics` are the problems.
    `causes` are those of `Diagnostics`.
    """

    value: Any = None
    residual: str | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    causes: tuple[BaseException, ...] = ()


@with_stack_room
def evaluate_in(
    text: str,
    source: Source,
    language: Language,
    evaluator: Evaluator,
    scope: Scope,
    mask: str | None = None,
    reveal: bool = False,
) -> Evaluated:
    """Evaluates one string in any scope; `mask` replaces values that depend on a secret.

    With `reveal` the scope may contain secrets, and hints do not show parts of them.
    """
    try:
        segments = language.split(text)
    except LanguageError as error:
        span = Span(source, error.start, error.end)
        return Evaluated(
            diagnostics=(Diagnostic(error.code, error.summary, span, hint=error.hint),)
        )
    template = Template(segments, text, Trail(source), 0, len(text))
    try:
        return _result(evaluator.segments(segments, scope, mask), evaluator, language)
    except (Failure, FunctionError) as problem:
        span = template.span
        if isinstance(problem, FunctionError):
            return Evaluated(diagnostics=(Diagnostic(problem.code, problem.message, span),))
        if problem.substitution is not None:
            # offsets need no mapping: the string is the whole source
            span = Span(source, *language.offsets_of(problem.substitution, problem.node))
        hint = worded(problem.discreet_hint if reveal else problem.hint)
        return Evaluated(diagnostics=(Diagnostic(problem.code, problem.summary, span, hint=hint),))


def _result(value: Any, evaluator: Evaluator, language: Language) -> Evaluated:
    evaluator.keep([value])  # all of it is written out
    if isinstance(value, WaitingText):
        return Evaluated(residual=_text(value.segments, language))
    if has_unknown(value):
        return Evaluated(residual=_text(Segments((residual(to_expression(value)),)), language))
    return Evaluated(value=_decoded(value))


def _decoded(value: Any) -> Any:
    """A value with bytes decoded as UTF-8, at any depth."""
    if isinstance(value, bytes):
        return decode_utf8(value)
    if isinstance(value, list):
        return [_decoded(item) for item in value]
    if isinstance(value, dict):
        return {key: _decoded(item) for key, item in value.items()}
    return value


def _text(segments: Segments, language: Language) -> str:
    return language.template(Template(segments, None, Trail(Source("", "")), 0, 0))
