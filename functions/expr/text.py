"""Strings: case, trimming, cutting, replacing, looking for parts."""

from __future__ import annotations

from typing import Any, Final

from ..core.text import WHITE_SPACE
from ..signatures import Declarations
from ..value_limits import ValueLimits, hold_chars
from ..values import FunctionError
from .kinds import a_kind, to_bytes
from .texts import by_character, text_of

function: Final = Declarations("strings", __package__, propagates_none=False)

_MOST_REPEATS: Final = 1_000_000

function("string(value: any) -> string")(text_of)
function("hasPrefix(string: string, prefix: string) -> boolean")(str.startswith)
function("hasSuffix(string: string, suffix: string) -> boolean")(str.endswith)
function("trim(string: string, characters?: string) -> string")(
    lambda text, characters=WHITE_SPACE: text.strip(characters) if characters else text
)
function("trimPrefix(string: string, prefix?: string) -> string")(
    lambda text, prefix=" ": text.removeprefix(prefix)
)
function("trimSuffix(string: string, suffix?: string) -> string")(
    lambda text, suffix=" ": text.removesuffix(suffix)
)
# places are counted in bytes
function("indexOf(string: string, part: string) -> integer")(
    lambda text, part: to_bytes(text).find(to_bytes(part))
)
function("lastIndexOf(string: string, part: string) -> integer")(
    lambda text, part: to_bytes(text).rfind(to_bytes(part))
)
function("split(string: string, separator: string, count?: integer) -> array")(
    lambda text, separator, count=-1: parts(text, separator, count, False)
)
function("splitAfter(string: string, separator: string, count?: integer) -> array")(
    lambda text, separator, count=-1: parts(text, separator, count, True)
)


@function("upper(string: string) -> string")
def upper(text: str) -> str:
    """Character by character: `ß` has no capital of its own."""
    return text.upper() if text.isascii() else by_character(text, capital)


def capital(character: str) -> str:
    """A character as a capital, if that is one character."""
    changed = character.upper()
    if len(changed) == 1:
        return changed
    title = character.title()  # some have one character for their title case only
    return title if len(title) == 1 else character


@function("lower(string: string) -> string")
def lower(text: str) -> str:
    """Character by character."""
    return text.lower() if text.isascii() else by_character(text, lambda one: one.lower()[0])


def parts(text: str, separator: str, count: int, after: bool) -> list[str]:
    """The parts of a text between separators, a number of them at most; `after` keeps those."""
    if count == 0:
        return []
    if separator == "":
        if count < 0 or count >= len(text):
            return [*text]
        return [*text[: count - 1], text[count - 1 :]]
    found = text.split(separator, count - 1) if count > 0 else text.split(separator)
    return [f"{part}{separator}" for part in found[:-1]] + found[-1:] if after else found


@function("replace(string: string, old: string, new: string, count?: integer) -> string")
def _replace(text: str, old: str, new: str, count: int = -1, *, limits: ValueLimits) -> str:
    times = text.count(old) if count < 0 else min(text.count(old), count)
    hold_chars("replace", len(text) + times * max(len(new) - len(old), 0), limits)
    return text.replace(old, new, count if count >= 0 else -1)


@function("repeat(string: string, count: integer) -> string")
def _repeat(text: str, count: int, *, limits: ValueLimits) -> str:
    if count < 0:
        raise FunctionError("the number of times is negative", argument=1)
    if count > _MOST_REPEATS:
        summary = f"`repeat` repeats a string {_MOST_REPEATS} times at the most"
        raise FunctionError(summary, "limit_exceeded", argument=1)
    hold_chars("repeat", len(text) * count, limits)
    return text * count


@function("join(array: array, separator?: string) -> string")
def _join(items: list[Any], separator: str = "", *, limits: ValueLimits) -> str:
    for item in items:
        if item.__class__ is not str:
            raise FunctionError(
                f"`join` joins strings, not {a_kind(item)}",
                "invalid_argument_type",
                "make strings of the items with `map(.., string(#))`",
                0,
            )
    hold_chars("join", sum(map(len, items)) + len(items) * len(separator), limits)
    return separator.join(items)
