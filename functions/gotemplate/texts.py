"""Strings: case, cutting, trimming, wrapping, quoting; lengths and places are counted in bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..core.text import WHITE_SPACE
from ..expr.kinds import StringMap, of_bytes, to_bytes
from ..expr.text import lower, parts, upper
from ..expr.texts import quoted
from ..signatures import Declarations
from ..value_limits import ValueLimits, hold_chars, hold_items
from .guards import TYPES, checked_text, failed
from .kinds import Strings
from .lists import items_of

function: Final = Declarations("strings", __package__, propagates_none=False, types=TYPES)


def strval(value: Any) -> str:
    """A value as most functions of strings take it: bytes are decoded."""
    return of_bytes(value) if isinstance(value, bytes) else checked_text(value)


def strings_of(value: Any) -> Strings:
    """The items of a list as strings, without nil; another value is the only item."""
    if isinstance(value, Strings):
        return value
    items = items_of(value)
    if items is None:
        return Strings() if value is None else Strings([strval(value)])
    return Strings([strval(item) for item in items if item is not None])


function("lower(text: string) -> string")(lower)
function("upper(text: string) -> string")(upper)
function("trim(text: string) -> string")(lambda text: text.strip(WHITE_SPACE))
for _name in ("trimAll", "trimall"):
    function(f"{_name}(characters: string, text: string) -> string")(
        lambda characters, text: text.strip(characters) if characters else text
    )
function("trimPrefix(prefix: string, text: string) -> string")(
    lambda prefix, text: text.removeprefix(prefix)
)
function("trimSuffix(suffix: string, text: string) -> string")(
    lambda suffix, text: text.removesuffix(suffix)
)
function("contains(part: string, text: string) -> bool")(lambda part, text: part in text)
function("hasPrefix(prefix: string, text: string) -> bool")(
    lambda prefix, text: text.startswith(prefix)
)
function("hasSuffix(suffix: string, text: string) -> bool")(
    lambda suffix, text: text.endswith(suffix)
)
function("toString(value: any) -> string", weight=4)(strval)
function("toStrings(list: any) -> strings", weight=4)(strings_of)
function("plural(one: string, many: string, count: int) -> string")(
    lambda one, many, count: one if count == 1 else many
)
function("hello() -> string")(lambda: "Hello!")


@function("replace(old: string, new: string, text: string) -> string")
def _replace(old: str, new: str, text: str, *, limits: ValueLimits) -> str:
    more = text.count(old) * (len(new) - len(old))
    hold_chars("replace", len(text) + max(more, 0), limits)
    return text.replace(old, new)


@function("repeat(count: int, text: string) -> string")
def _repeat(count: int, text: str, *, limits: ValueLimits) -> str:
    if count < 0:
        raise failed("strings: negative Repeat count")
    hold_chars("repeat", len(text) * count, limits)
    return text * count


@function("indent(spaces: int, text: string) -> string")
def _indent(spaces: int, text: str, *, limits: ValueLimits) -> str:
    if spaces < 0:
        raise failed("strings: negative Repeat count")
    hold_chars("indent", len(text) + spaces * (text.count("\n") + 1), limits)
    pad = " " * spaces
    return pad + text.replace("\n", "\n" + pad)


@function("nindent(spaces: int, text: string) -> string")
def _nindent(spaces: int, text: str, *, limits: ValueLimits) -> str:
    return "\n" + _indent(spaces, text, limits=limits)


def _spaced(write: Callable[[Any], str]) -> Callable[..., str]:
    """A function of any values, written with spaces between them; nil is left out."""
    return lambda *values: " ".join([write(value) for value in values if value is not None])


function("quote(...values: any) -> string", weight=6)(_spaced(lambda value: quoted(strval(value))))
function("squote(...values: any) -> string", weight=4)(
    _spaced(lambda value: f"'{checked_text(value)}'")
)
function("cat(...values: any) -> string", weight=4)(_spaced(checked_text))


@function("join(separator: string, list: any) -> string", weight=4)
def _join(separator: str, values: Any, *, limits: ValueLimits) -> str:
    joined = strings_of(values)
    hold_chars("join", sum(map(len, joined)) + len(joined) * len(separator), limits)
    return separator.join(joined)


@function("sortAlpha(list: any) -> strings", weight=6)
def _sort_alpha(values: Any) -> Strings:
    if items_of(values) is None:
        return Strings([strval(values)])
    return Strings(sorted(strings_of(values), key=to_bytes))


@function("splitList(separator: string, text: string) -> strings")
def _split_list(separator: str, text: str, *, limits: ValueLimits) -> Strings:
    hold_items("splitList", text.count(separator), limits)
    return Strings(parts(text, separator, -1, False))


@function("splitn(separator: string, count: int, text: string) -> string_map")
def _splitn(separator: str, count: int, text: str, *, limits: ValueLimits) -> StringMap:
    hold_items("splitn", text.count(separator), limits)
    found = enumerate(parts(text, separator, count, False))
    return StringMap((f"_{number}", part) for number, part in found)


@function("split(separator: string, text: string) -> string_map")
def _split(separator: str, text: str, *, limits: ValueLimits) -> StringMap:
    return _splitn(separator, -1, text, limits=limits)


# cutting


@function("trunc(length: int, text: string) -> string")
def _trunc(length: int, text: str) -> str:
    return _cut(text, 0, length) if length >= 0 else _cut(text, length, None)


def _cut(text: str, start: int, end: int | None) -> str:
    """A slice of bytes."""
    return text[start:end] if text.isascii() else of_bytes(to_bytes(text)[start:end])


@function("substr(start: int, end: int, text: string) -> string")
def _substr(start: int, end: int, text: str) -> str:
    size = len(text) if text.isascii() else len(to_bytes(text))
    if start < 0:
        start = 0
        if end < 0:
            raise failed(f"runtime error: slice bounds out of range [:{end}]")
        if end > size:
            raise failed(f"runtime error: slice bounds out of range [:{end}] with length {size}")
    elif end < 0 or end > size:
        end = size
        if start > size:
            raise failed(f"runtime error: slice bounds out of range [{start}:{size}]")
    if start > end:
        raise failed(f"runtime error: slice bounds out of range [{start}:{end}]")
    return _cut(text, start, end)


@function("abbrev(length: int, text: string) -> string")
def _abbrev(length: int, text: str) -> str:
    return text if length < 4 else _shortened(to_bytes(text), 0, length)


@function("abbrevboth(start: int, length: int, text: string) -> string")
def _abbrev_both(start: int, length: int, text: str) -> str:
    if length < 4 or (start > 0 and length < 7):
        return text
    return _shortened(to_bytes(text), start, length)


def _shortened(data: bytes, start: int, length: int) -> str:
    """So many bytes from about a place on, with dots for what is left out at either end."""
    dots, size = b"...", len(data)
    if size <= length:
        return of_bytes(data)
    start = min(start, size)
    if size - start < length - 3:
        start = size - (length - 3)
    if start <= 4:
        return of_bytes(data[: length - 3] + dots)
    if length < 7:
        return ""
    if start + length - 3 < size:
        return "..." + _shortened(data[start:], 0, length - 3)
    return of_bytes(dots + data[size - (length - 3) :])


@function("wrap(width: int, text: string) -> string", weight=8)
def _wrap(width: int, text: str) -> str:
    return _wrapped(text, max(width, 1), "\n", False)


@function("wrapWith(width: int, separator: string, text: string) -> string", weight=8)
def _wrap_with(width: int, separator: str, text: str, *, limits: ValueLimits) -> str:
    width = max(width, 1)
    hold_chars("wrapWith", len(text) + len(to_bytes(text)) // width * len(separator), limits)
    return _wrapped(text, width, separator or "\n", True)


def _wrapped(text: str, width: int, separator: str, cuts_words: bool) -> str:
    """Lines of a width at most, broken at spaces; longer words stand alone unless they are cut."""
    data, start = to_bytes(text), 0
    lines: list[bytes] = []
    while len(data) - start > width:
        if data[start] == 0x20:
            start += 1
            continue
        space = data.rfind(b" ", start, start + width + 1)
        if space < 0:
            space = start + width if cuts_words else data.find(b" ", start + width)
            if space < 0:
                break
            lines.append(data[start:space])
            start = space + (not cuts_words)
        else:
            lines.append(data[start:space])
            start = space + 1
    lines.append(data[start:])
    return separator.join(map(of_bytes, lines))
