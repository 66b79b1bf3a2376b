"""JSON and Base64."""

from __future__ import annotations

from typing import Any, Final, NoReturn

from ..signatures import Declarations
from ..value_limits import ValueLimits
from ..values import FunctionError
from .kinds import of_bytes, to_bytes
from .texts import json_text

function: Final = Declarations("encodings", __package__, propagates_none=False)


@function("toJSON(value: any) -> string", weight=8)
def _to_json(value: Any) -> str:
    return json_text(value, "  ")


@function("fromJSON(string: string) -> any", weight=16)
def _from_json(text: str, *, limits: ValueLimits) -> Any:
    """All numbers become floats; the last one of equal keys counts."""

    hint = None
    try:
        found = parsed_json(text)
        if _depth(found) <= limits.max_depth:
            return found
        hint = f"data may be nested {limits.max_depth} deep"
    except (ValueError, RecursionError) as error:
        place = getattr(error, "lineno", None)
        hint = f"at line {place}" if place is not None else None
    raise FunctionError("the text is not JSON", hint=hint, argument=0)


def parsed_json(text: str) -> Any:
    """What a text says as Go reads it: numbers are floats, half of a surrogate pair is U+FFFD.

    Raises:
        ValueError: it is not JSON.
        RecursionError: it is nested too deeply.
    """
    import json

    found = json.loads(text, parse_int=_number, parse_float=_number, parse_constant=_refused)
    return found if text.isascii() and "\\u" not in text else _mended(found)


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return in_unicode(value)
    if isinstance(value, list):
        return [*map(_mended, value)]
    if isinstance(value, dict):
        return {in_unicode(key): _mended(item) for key, item in value.items()}
    return value


def in_unicode(text: str) -> str:
    """A string with U+FFFD for what is no UTF-8."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _refused(word: str) -> NoReturn:
    raise ValueError(word)


def _number(text: str) -> float:
    found = float(text)
    if found in (float("inf"), float("-inf")):
        raise ValueError(text)
    return found


def _depth(value: Any) -> int:
    deepest, level = 0, [value]
    while level:
        deepest += 1
        inner: list[Any] = []
        for item in level:
            if isinstance(item, list):
                inner += item
            elif isinstance(item, dict):
                inner += item.values()
        level = inner
    return deepest


@function("toBase64(string: string) -> string")
def _to_base64(text: str) -> str:
    import base64

    return base64.b64encode(to_bytes(text)).decode("ascii")


@function("fromBase64(string: string) -> string")
def _from_base64(text: str) -> str:
    """The standard alphabet with its padding; line breaks are skipped."""
    import base64

    plain = text.replace("\n", "").replace("\r", "")
    try:
        return of_bytes(base64.b64decode(plain, validate=True))
    except ValueError:
        problem = FunctionError("the text is not Base64", "invalid_base64", argument=0)
    raise problem
