"""The evaluation of a single string in a scope."""

from __future__ import annotations

from typing import Any, Final

from ...functions.record import Record
from ...functions.values import NONE, FunctionError, Unknown, decode_utf8, has_unknown
from ..language.errors import Failure, LanguageError
from ..language.evaluator import Evaluator
from ..language.language import Language
from ..language.syntax import Scope
from ..language.waiting import WaitingText, is_secret, to_expression
from ..values.diagnostics import Diagnostic, worded
from ..values.expression import Segments, residual
from ..values.source import Source, Span
from ..values.threads import with_stack_room
from ..values.tree import Template, Trail

_LONGEST_WHOLE: Final = 2.0**63


class Evaluated(Record):
    """The result of evaluating one string.

    `value` is the value as plain data (`NONE` for none), or None if it is unknown; `residual` is
    the smaller template if the value is unknown in this scope; `diagnostics` are the problems.
    `partial` is plain data for an array or object of which some parts are unknown: each of these is
    a string, the smaller template of that part.
    `causes` are those of `Diagnostics`. `text` is an answer that is a text and shown as it is. The
    numbers of a string that was `finished` are floats, and whole ones are shown as integers.
    """

    value: Any = None
    residual: str | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    partial: Any = None
    causes: tuple[BaseException, ...] = ()
    text: str | None = None
    finished: bool = False


class Bare(str):
    """An expression without delimiters, in a language that has some."""

    __slots__ = ()


def segments_of(text: str, language: Language) -> Segments:
    """What a string is made of.

    Raises:
        LanguageError: it cannot be read.
    """
    return language.alone(text) if isinstance(text, Bare) else language.split(text)


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
        segments = segments_of(text, language)
    except LanguageError as error:
        return Evaluated(
            diagnostics=tuple(
                Diagnostic(one.code, one.summary, Span(source, one.start, one.end), hint=one.hint)
                for one in (error, *error.others)
            )
        )
    template = Template(segments, text, Trail(source), 0, len(text))
    try:
        lone = len(segments) == 1
        value = evaluator.segments(segments, scope, None if lone else mask)
        finish = None if isinstance(text, Bare) else evaluator.semantics.finished
        if finish is not None and segments.substitutions:
            value = finish(value)
        made = _result(value, evaluator, language, mask)
        return made if finish is None else made.evolve(finished=True)
    except (Failure, FunctionError) as problem:
        span = template.span
        if isinstance(problem, FunctionError):
            return Evaluated(diagnostics=(Diagnostic(problem.code, problem.message, span),))
        if problem.substitution is not None:
            # offsets need no mapping: the string is the whole source
            span = Span(source, *language.offsets_of(problem.substitution, problem.node))
        hint = worded(problem.discreet_hint if reveal else problem.hint)
        return Evaluated(diagnostics=(Diagnostic(problem.code, problem.summary, span, hint=hint),))


def _result(value: Any, evaluator: Evaluator, language: Language, mask: str | None) -> Evaluated:
    evaluator.keep([value])  # all of it is written out
    waits = isinstance(value, WaitingText)
    known = value.partial if isinstance(value, Unknown) else None if waits else value
    # of a reference to what is known in part, only the secret parts are masked
    if mask is not None and is_secret(value) and (known is None or known is value):
        return Evaluated(value=mask)
    if waits:
        return Evaluated(residual=_text(value.segments, language))
    if has_unknown(value):
        left = _text(Segments((residual(to_expression(value)),)), language)
        if known is None:
            return Evaluated(residual=left)
        evaluator.keep([known])
        try:
            return Evaluated(residual=left, partial=plain_value(known, language, mask))
        except FunctionError:  # binary that is no text, which only an expression can write
            return Evaluated(residual=left)
    make_plain = evaluator.semantics.plain or _decoded
    return Evaluated(value=make_plain(value))


def plain_value(value: Any, language: Language, mask: str | None = None) -> Any:
    """A computed value as plain data, in which the template of an unknown part stands for it.

    `mask` stands for parts that depend on a secret, if it is given.
    """
    kind = value.__class__
    if kind is Unknown:
        if value.partial is not None:
            return plain_value(value.partial, language, mask)
        if value.secret and mask is not None:
            return mask
        return _text(Segments((residual(value.expression),)), language)
    if kind is WaitingText:
        return mask if value.secret and mask else _text(value.segments, language)
    if kind is list:
        return [plain_value(item, language, mask) for item in value if item is not NONE]
    if kind is dict:
        known = ((key, part) for key, part in value.items() if part is not NONE)
        return {key: plain_value(part, language, mask) for key, part in known}
    if kind is bytes:
        return decode_utf8(value)
    return None if value is NONE else value


def _decoded(value: Any) -> Any:
    """A value with bytes decoded as UTF-8, at any depth."""
    if isinstance(value, bytes):
        return decode_utf8(value)
    if isinstance(value, list):
        return [_decoded(item) for item in value]
    if isinstance(value, dict):
        return {key: _decoded(item) for key, item in value.items()}
    return value


def as_written(value: Any) -> Any:
    """What a finished string stands for, whose numbers are floats, with whole ones as integers."""
    if value.__class__ is float and value.is_integer() and abs(value) < _LONGEST_WHOLE:
        return int(value)
    if value.__class__ is list:
        return [*map(as_written, value)]
    if value.__class__ is dict:
        return {key: as_written(item) for key, item in value.items()}
    return value


def _text(segments: Segments, language: Language) -> str:
    return language.template(Template(segments, None, Trail(Source("", "")), 0, 0))
