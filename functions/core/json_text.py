"""JSON as text: decoded whole, or the part that a pointer names (RFC 6901)."""

from __future__ import annotations

from functools import partial
from typing import Any, Final, NoReturn

from ..names import meant_key
from ..signatures import Declarations
from ..value_limits import ValueLimits, hold_chars, raising
from ..values import NONE, FunctionError, article, type_of

function: Final = Declarations("JSON", __package__)


PARSING: Final = 32
"""The weight of reading a text into values: time and memory for each character."""

_DEEPEST: Final = 128
"""The depth that Python's JSON reader supports in every version, whatever the limits allow."""

_MOST_DIGITS: Final = 20

_STRUCTURE: Final = r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|([\[{])|([\]}])|,'
"""Strings, including an unfinished one, and structural characters, without backtracking."""


@function("fromjson(json: string, pointer: string) -> any", composable=True, weight=PARSING)
def from_json(text: str, pointer: str, *, limits: ValueLimits) -> Any:
    """The value at a JSON pointer in a JSON text whose root is an object.

    Raises:
        FunctionError: as `read_json` and `resolve_pointer` do.
    """
    document = read_json("fromjson", text, limits)
    if not isinstance(document, dict):
        raise FunctionError(
            f"the JSON text for `fromjson` must be an object, not {article(type_of(document))}",
            code="invalid_json",
            hint="use `jsondecode` for other JSON",
            argument=0,
        )
    return to_value(resolve_pointer(document, pointer))


@function("jsondecode(json: string) -> any", weight=PARSING)
def json_decode(text: str, *, limits: ValueLimits) -> Any:
    """The value of a JSON text.

    Raises:
        FunctionError: as `read_json` does.
    """
    return to_value(read_json("jsondecode", text, limits))


def to_value(document: Any) -> Any:
    """Decoded JSON as a value: null is none, and as everywhere none is in no array or object."""
    if document is None:
        return NONE
    if isinstance(document, list):
        return [to_value(item) for item in document if item is not None]
    if isinstance(document, dict):
        return {key: to_value(item) for key, item in document.items() if item is not None}
    return document


def read_json(name: str, text: str, limits: ValueLimits) -> Any:
    """Decodes JSON strictly: RFC 8259 without duplicate keys, lone surrogates and huge numbers.

    Null is Python's `None`; integers stay integers. Size and depth are checked before anything is
    built. Messages show only places and types: the text may be a secret.

    Raises:
        FunctionError: `invalid_json`, `limit_exceeded`.
    """
    import json

    hold_chars(name, len(text), limits)
    _hold_structure(name, text, limits)
    try:
        document = json.loads(
            text,
            object_pairs_hook=partial(_object, name),
            parse_int=partial(_integer, name),
            parse_float=partial(_float, name),
            parse_constant=partial(_constant, name),
        )
    except json.JSONDecodeError as error:
        raise _invalid(
            name,
            f"is not valid (at line {error.lineno}, column {error.colno})",
            None if text.strip() else "the text is empty",
        ) from None
    if "\\u" in text or not text.isascii():
        _hold_strings(name, document)
    return document


def _hold_structure(name: str, text: str, limits: ValueLimits) -> None:
    deepest = min(limits.max_depth, _DEEPEST)
    opened = text.count("[") + text.count("{")
    if opened <= deepest and text.count(",") < limits.max_value_items:
        return
    import re

    depth = commas = 0
    for match in re.finditer(_STRUCTURE, text, re.DOTALL):
        if match.lastindex == 1:
            depth += 1
            if depth > deepest:
                raise FunctionError(
                    f"the JSON text for `{name}` is nested deeper than {deepest} levels "
                    "(`max_depth`)",
                    code="limit_exceeded",
                    hint=raising("max_depth", deepest, _DEEPEST),
                    argument=0,
                )
        elif match.lastindex == 2:
            depth -= 1
        elif match[0] == ",":
            commas += 1
            if commas >= limits.max_value_items:
                raise FunctionError(
                    f"the JSON text for `{name}` has more than {limits.max_value_items} items "
                    "(`max_value_items`)",
                    code="limit_exceeded",
                    hint=raising("max_value_items", limits.max_value_items),
                    argument=0,
                )


def _hold_strings(name: str, document: Any) -> None:
    try:
        if isinstance(document, str):
            document.encode("utf-8")
        elif isinstance(document, list):
            for item in document:
                _hold_strings(name, item)
        elif isinstance(document, dict):
            for key, item in document.items():
                key.encode("utf-8")
                _hold_strings(name, item)
    except UnicodeEncodeError:
        raise _invalid(name, "has a lone surrogate in a string") from None


def _object(name: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _invalid(name, "has an object with the same key twice")
    return result


def _integer(name: str, digits: str) -> int:
    if len(digits) <= _MOST_DIGITS:
        number = int(digits)
        if -(2**63) <= number < 2**63:
            return number
    raise _invalid(name, "has an integer that does not fit into 64 bits", "quote it as a string")


def _float(name: str, digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise _invalid(name, "has a number that is too large for a float")
    return number


def _constant(name: str, word: str) -> NoReturn:
    raise _invalid(name, f"has `{word}`, which is not a JSON number")


def _invalid(name: str, problem: str, hint: str | None = None) -> FunctionError:
    return FunctionError(
        f"the JSON text for `{name}` {problem}", code="invalid_json", hint=hint, argument=0
    )


def parse_pointer(pointer: str) -> list[str]:
    """The keys and indexes that a pointer names, unescaped.

    `""` is the whole document and `/` the key `""`. The URI fragment form (`#/a%20b`) is accepted,
    and so is a pointer without its first slash (`host`), which real blueprints use.

    Raises:
        FunctionError: `invalid_json_pointer`.
    """
    text = pointer
    if text.startswith("#"):
        text = _percent_decoded(text[1:])
        if text and not text.startswith("/"):
            raise _invalid_pointer("must have a `/` after its `#`")
    elif text and not text.startswith("/"):
        text = "/" + text
    return [_unescaped(part) for part in text.split("/")[1:]]


def resolve_pointer(document: Any, pointer: str) -> Any:
    """The value at a pointer in decoded JSON, where null is Python's `None`.

    Raises:
        FunctionError: `invalid_json_pointer`, `path_not_found` for a missing key or a step
            into a scalar, `index_out_of_bounds` for a missing element.
    """
    value = document
    for number, part in enumerate(parse_pointer(pointer), 1):
        # a pointer may be a secret like any string: messages only number its parts
        which = f"part {number} of the pointer"
        if isinstance(value, dict):
            if part not in value:
                raise FunctionError(
                    f"the JSON object does not have the key in {which}",
                    code="path_not_found",
                    hint=meant_key(part, value),
                    argument=1,
                )
            value = value[part]
        elif isinstance(value, list):
            value = value[_position(part, len(value), which)]
        else:
            raise FunctionError(
                f"{which} leads into {article(type_of(value))}, which has no parts",
                code="path_not_found",
                argument=1,
            )
    return value


def _position(part: str, size: int, which: str) -> int:
    if part != "-":
        if not (part.isascii() and part.isdigit()) or (part[0] == "0" and part != "0"):
            raise _invalid_pointer(f"leads into an array, but {which} is not a position")
        if len(part) < 19 and int(part) < size:
            return int(part)
    raise FunctionError(
        f"{which} is outside the array of {size} element{'' if size == 1 else 's'}",
        code="index_out_of_bounds",
        argument=1,
    )


def _unescaped(part: str) -> str:
    if "~" not in part:
        return part
    if part.count("~") != part.count("~0") + part.count("~1"):
        raise _invalid_pointer("has a `~` that is not followed by `0` or `1`")
    return part.replace("~1", "/").replace("~0", "~")


def _percent_decoded(text: str) -> str:
    import re
    from urllib.parse import unquote_to_bytes

    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise _invalid_pointer("has a `%` that is not followed by two hexadecimal digits")
    try:
        return unquote_to_bytes(text).decode("utf-8")
    except UnicodeError:
        raise _invalid_pointer("has percent-encoded bytes that are not UTF-8") from None


def _invalid_pointer(problem: str) -> FunctionError:
    return FunctionError(
        f"the JSON pointer {problem}",
        code="invalid_json_pointer",
        hint="write it like `/hosts/0/name`; `~1` stands for `/` and `~0` for `~`",
        argument=1,
    )
