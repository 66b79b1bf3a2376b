"""Values as text and text as values: what becomes of a template when its parts are known."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, Final, NoReturn

from ....functions.expr.numbers import read_float
from ....functions.expr.texts import json_text
from ....functions.record import Record
from ....functions.values import Unknown
from ...language.waiting import WaitingText
from ...values.expression import Segments

_NUMERIC: Final = "0123456789+-.iInN"
_WORDS: Final = {
    **dict.fromkeys(("t", "T", "true", "True", "TRUE"), True),
    **dict.fromkeys(("f", "F", "false", "False", "FALSE"), False),
    "null": None,
}
_EXACT: Final = 1 << 63
_DEEPEST: Final = 10_000
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
    body = text.removesuffix("\n")
    if len(body) > 1 and body[0] == body[-1] == '"':
        return body[1:-1] + text[len(body) :]
    if body[:1] in _NUMERIC:
        number = read_float(body)
        if number is not None:
            return number
    if body in _WORDS:
        return _WORDS[body]
    if body[:1] in '{[ntf" \t\r\n-0123456789':
        try:
            return _from_json(body)
        except (ValueError, RecursionError):
            return text
    return text


def _from_json(text: str) -> Any:
    def refuse(word: str) -> NoReturn:
        raise ValueError(word)

    return json.loads(text, parse_int=_number, parse_float=_number, parse_constant=refuse)


def _number(text: str) -> float:
    found = float(text)
    if math.isinf(found):
        raise ValueError(text)
    return found


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
    """A value as config has it: whole floats are ints."""
    kind = value.__class__
    if kind is float and value.is_integer() and abs(value) < _EXACT:
        return int(value)
    if kind is list:
        return [*map(config_value, value)]
    if kind is dict:
        return {key: config_value(item) for key, item in value.items()}
    return value


class Remark(Record):
    """What a coercion did that may surprise."""

    code: str
    severity: str
    summary: str
    hint: str | None = None


def remarks(segments: Segments, value: Any, result: Any) -> Iterator[Remark]:
    """What there is to say of a known template: its `value`, before it became the `result`."""
    yield from ()
