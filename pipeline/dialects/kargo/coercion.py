"""Values as text and text as values: what becomes of a template when its parts are known."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, Final

from ....functions.expr.texts import float_text, json_float, json_text
from ....functions.values import FunctionError, Unknown
from ...language.waiting import WaitingText
from ...values.diagnostics import NOTE, WARNING, Diagnostic
from ...values.expression import Call, Segments, Substitution

_BRACKETS: Final = ("{", "[")
_SPACE: Final = " \t\r\n"  # which JSON may have around a value
_NUMERIC: Final = "0123456789+-.iInN"
_WORDS: Final = {
    **dict.fromkeys(("t", "T", "true", "True", "TRUE"), True),
    **dict.fromkeys(("f", "F", "false", "False", "FALSE"), False),
    "null": None,
}
_EXACT: Final = 1 << 63
_LONGEST: Final = 40  # a number that is shown
_LOST: Final = "[\x7f-\x84\x86-\x9f\ufffe\uffff]"
_ESCAPE: Final = r"\\."
_KINDS: Final = {bool: "a boolean", type(None): "null", list: "a list", dict: "a map"}
QUOTES: Final = frozenset({"quote", "unsafeQuote", "asJSON", "asYAML"})
"""The functions whose quotes the coercion takes off."""


def pasted(value: Any) -> str:
    """A value as a part of a text: a string as it is, all else as JSON.

    Raises:
        FunctionError: `not_json` for what JSON does not have.
    """
    return value if value.__class__ is str else json_text(value)


def coerced(text: str) -> Any:
    """The value that a finished text stands for: string, number (a float), boolean, null, JSON."""
    if not text.isascii():
        from ....functions.expr.encodings import in_unicode

        text = in_unicode(text)
    body = text.removesuffix("\n")
    if len(body) > 1 and body[0] == body[-1] == '"':
        return body[1:-1] + text[len(body) :]
    if body[:1] in _NUMERIC:
        from ....functions.expr.numbers import read_float

        number = read_float(body)
        if number is not None:
            return number
    if body in _WORDS:
        return _WORDS[body]
    if body[:1] in _BRACKETS or body.strip(_SPACE) != body:
        from ....functions.expr.encodings import parsed_json

        try:
            return parsed_json(body)
        except (ValueError, RecursionError):
            return text
    return text


def finished(value: Any) -> Any:
    """What a template gives, whose value is known or waits.

    Raises:
        FunctionError: `not_json`.
    """
    kind = value.__class__
    if kind is Unknown or kind is WaitingText or kind is bool or value is None:
        return value
    if kind is int:
        return float(value)
    return coerced(pasted(value))


def config_value(value: Any) -> Any:
    """A value as config has it, which is written as JSON and read as YAML: whole floats are ints.

    Raises:
        FunctionError: `not_json` for infinities, `config_lost` for characters that YAML refuses.
    """
    kind = value.__class__
    if kind is float:
        if value.is_integer() and abs(value) < _EXACT:
            return int(value)
        json_float(value)
    elif kind is str and (not value.isascii() or "\x7f" in value) and re.search(_LOST, value):
        summary = "a control character makes Kargo go on with an empty config, without an error"
        raise FunctionError(summary, "config_lost", "take it out with `replace(..)`")
    elif kind is list:
        return [*map(config_value, value)]
    elif kind is dict:
        return {key: config_value(item) for key, item in value.items()}
    return value


def beside_text(name: str) -> tuple[str, str]:
    """What there is to say of a function like `quote` beside other text, and the remedy."""
    hint = f"put all of it into one `{name}(..)`, such as `{name}('v' + tag)`"
    return f"the quotes of `{name}` stay in the text, since it stands beside other text", hint


def remarks(
    segments: Segments, value: Any, result: Any, quotable: bool = True
) -> Iterator[Diagnostic]:
    """What a coercion did that may surprise: `value` is what was pasted before it became `result`.

    Without `quotable`, no summary shows a part of them.
    """
    called = {*map(_called, segments.substitutions)} & QUOTES
    alone = len(segments.substitutions) == 1 and all(
        one.__class__ is Substitution or one == "\n" for one in segments
    )
    if called and not alone:
        summary, hint = beside_text(min(called))
        yield Diagnostic("quote_not_alone", summary, None, WARNING, hint)
    if value.__class__ is str and result.__class__ is str:
        body = value.removesuffix("\n")
        if value == result or (called and not alone):
            return
        if not called:
            hint = "`quote(..)` of it keeps them"
            summary = 'the text begins and ends with `"`, which are taken off'
            yield Diagnostic("quotes_stripped", summary, None, WARNING, hint)
        elif "quote" in called and "\\" in body and '"' not in re.sub(_ESCAPE, "", body[1:-1]):
            summary = "the escapes that `quote` makes stay visible, such as `\\n` for a line break"
            hint = "without `quote`, the text stays as it is"
            yield Diagnostic("quote_escapes", summary, None, WARNING, hint)
    elif result.__class__ is float:
        yield from _numeric(value, result, quotable)
    elif value.__class__ is str:
        word = _KINDS[result.__class__]
        yield _coerced(word)


def _numeric(value: Any, result: float, quotable: bool) -> Iterator[Diagnostic]:
    """What there is to say of a number."""
    written = pasted(value).removesuffix("\n")
    number = json_float(result) if math.isfinite(result) else float_text(result)
    if written != number:
        shown = f"`{written}` becomes the number {number}"
        if not quotable or len(written) > _LONGEST:
            shown = "the string becomes a number whose text is another"
        hint = "`quote(..)` keeps the text"
        yield Diagnostic("coercion_changes_text", shown, None, WARNING, hint)
    elif value.__class__ is str:
        yield _coerced("a number")


def _coerced(word: str) -> Diagnostic:
    summary, hint = f"the string becomes {word}", "`quote(..)` keeps it"
    return Diagnostic("coerced_value", summary, None, NOTE, hint)


def _called(substitution: Substitution) -> str:
    """The function whose result a substitution is; empty for none."""
    tree = substitution.shape.expression
    return tree.function if tree.__class__ is Call else ""
