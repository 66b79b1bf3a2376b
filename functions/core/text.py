"""Text: parts of strings, replacing, splitting, joining, case and search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from ..signatures import Declarations
from ..value_limits import ValueLimits, hold_chars, hold_items
from ..values import NONE, FunctionError, article, equal, to_text, type_of

function: Final = Declarations("text", __package__)

WHITE_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""Unicode's White_Space property. Python's own has four more control characters."""

_TEXTUAL: Final = frozenset({"string", "integer", "float", "boolean", "binary"})
_MOST_CHARS_PER_CASE: Final = 3

function("trimprefix(text: string, prefix: string) -> string", composable=True)(str.removeprefix)
function("trimsuffix(text: string, suffix: string) -> string", composable=True)(str.removesuffix)


@function("replace(text: string, search: string, replacement: string) -> string", composable=True)
def replace_all(text: str, search: str, replacement: str, *, limits: ValueLimits) -> str:
    """The string with every occurrence of `search` replaced; an empty one is around each character.

    Raises:
        FunctionError: `limit_exceeded`.
    """
    grown = len(text) + text.count(search) * (len(replacement) - len(search))
    hold_chars("replace", grown, limits)
    return text.replace(search, replacement)


@function("split(text: string, delimiter: string) -> array", composable=True)
def split_text(text: str, delimiter: str, *, limits: ValueLimits) -> list[str]:
    """The parts between the delimiters; the single characters for an empty delimiter.

    Raises:
        FunctionError: `limit_exceeded`.
    """
    if not delimiter:
        hold_items("split", len(text), limits)
        return list(text)
    hold_items("split", text.count(delimiter) + 1, limits)
    return text.split(delimiter)


@function("join(items: array, delimiter: string) -> string")
def join_items(items: list[Any], delimiter: str, *, limits: ValueLimits) -> str:
    """The elements as strings with the delimiter between them; none is left out.

    Raises:
        FunctionError: `invalid_argument_type` for an element that is no scalar, `limit_exceeded`.
    """
    texts: list[str] = []
    size = 0
    for position, item in enumerate(items):
        if item is NONE:
            continue
        kind = type_of(item)
        if kind not in _TEXTUAL:
            raise FunctionError(
                f"element {position} of the array for `join` is {article(kind)}, "
                "which cannot be part of a string",
                code="invalid_argument_type",
                argument=0,
            )
        text = to_text(item)
        size += len(text) + (len(delimiter) if texts else 0)
        hold_chars("join", size, limits)
        texts.append(text)
    return delimiter.join(texts)


def change_case(name: str, change: Callable[[str], str], text: str, *, limits: ValueLimits) -> str:
    """The string in upper or lower case.

    Raises:
        FunctionError: `limit_exceeded`.
    """
    if _MOST_CHARS_PER_CASE * len(text) > limits.max_value_chars:
        counts = Counter(text)
        hold_chars(name, sum(len(change(char)) * n for char, n in counts.items()), limits)
    return change(text)


@function("substr(text: string, start: integer, end?: integer) -> string", composable=True)
def substring(
    text: str,
    start: int,
    end: int | None = None,
    *,
    substr_end_exclusive: bool = False,
) -> str:
    """The characters from `start` to `end`, or to the last one when there is no `end`.

    Raises:
        FunctionError: `invalid_argument` for a position outside the string, or an end before the
            start.
    """
    size = len(text)
    _hold_position("start", start, size - 1, size)
    if end is None:
        return text[start:]
    _hold_position("end", end, size if substr_end_exclusive else size - 1, size)
    if start > end:
        raise FunctionError("the start of `substr` must not be after its end", argument=1)
    return text[start : end if substr_end_exclusive else end + 1]


def _hold_position(name: str, position: int, last: int, size: int) -> None:
    if 0 <= position <= last:
        return
    if position < 0:
        problem = "must not be negative"
    else:
        problem = f"is outside the string, which has {size} character{'' if size == 1 else 's'}"
    raise FunctionError(
        f"the {name} of `substr` {problem}",
        argument=1 if name == "start" else 2,
    )


@function("trim(text: string) -> string")
def trim(text: str) -> str:
    """The string without white space at its start and end."""
    return text.strip(WHITE_SPACE)


@function("to_upper(text: string) -> string")
def to_upper(text: str, *, limits: ValueLimits) -> str:
    """The string in upper case."""
    return change_case("to_upper", str.upper, text, limits=limits)


@function("to_lower(text: string) -> string")
def to_lower(text: str, *, limits: ValueLimits) -> str:
    """The string in lower case."""
    return change_case("to_lower", str.lower, text, limits=limits)


@function("index(text: string, needle: string) -> integer")
def first_index(text: str, needle: str) -> int:
    """The position of the first occurrence, or -1."""
    return text.find(needle)


@function("last_index(text: string, needle: string) -> integer")
def last_index(text: str, needle: str) -> int:
    """The position of the last occurrence, or -1."""
    return text.rfind(needle)


@function("has_prefix(text: string, prefix: string) -> boolean", composable=True)
def has_prefix(text: str, prefix: str) -> bool:
    """True when the string starts with another."""
    return text.startswith(prefix)


@function("has_suffix(text: string, suffix: string) -> boolean", composable=True)
def has_suffix(text: str, suffix: str) -> bool:
    """True when the string ends with another."""
    return text.endswith(suffix)


@function("contains(haystack: string | array, needle: any) -> boolean", composable=True)
def contains(haystack: str | list[Any], needle: Any) -> bool:
    """True when a string contains a string, or an array an equal element.

    Raises:
        FunctionError: `invalid_argument_type` for a needle of another type in a string.
    """
    if isinstance(haystack, list):
        return any(equal(item, needle) for item in haystack)
    if not isinstance(needle, str):
        raise FunctionError(
            "argument 2 (`needle`) of `contains` must be a string when the first is a string, "
            f"not {article(type_of(needle))}",
            code="invalid_argument_type",
            argument=1,
        )
    return needle in haystack
