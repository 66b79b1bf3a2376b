"""Regular expressions: RE2's, which take linear time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any, Final

from .. import patterns
from ..expr.kinds import of_bytes, to_bytes
from ..signatures import Declarations
from ..value_limits import Pieces, ValueLimits, hold_items
from ..values import FunctionError
from .guards import TYPES, failed
from .kinds import Strings

function: Final = Declarations("patterns", __package__, propagates_none=False, types=TYPES)

_MOST_WORK: Final = 10_000_000
"""Bytes of a text, by bytes of the pattern."""
_MOST_SECONDS: Final = 2
_REFERENCE: Final = re.compile(r"\$(?:\{(\w+)\}|(\w+)|\$)")
_SPECIAL: Final = re.compile(r"[\\.+*?()|\[\]{}^$]")


def _compiled(pattern: str, text: str, prefix: str) -> tuple[Any, bytes]:
    """The pattern, and the text that it searches."""
    data = to_bytes(text)
    if len(pattern) * len(data) > _MOST_WORK:
        raise FunctionError(
            f"the pattern and the text are too long: more than {_MOST_WORK} when multiplied",
            "limit_exceeded",
        )
    try:
        return patterns.compiled(pattern, "regexMatch", "landscaper"), data
    except patterns.PatternError as error:
        raise failed(f"{prefix}error parsing regexp: {error.sentence}", error.hint) from None


_Search = Callable[..., Any]


def _twice(signature: str) -> Callable[[_Search], _Search]:
    """Declares a function that gets a compiled pattern, and its `must` form."""
    name, _, rest = signature.partition("(")

    def declare(call: _Search) -> _Search:
        def panicking(pattern: str, text: str, *more: Any, limits: ValueLimits) -> Any:
            found, data = _compiled(pattern, text, f"regexp: Compile(`{pattern}`): ")
            return call(found, data, *more, limits)

        def failing(pattern: str, text: str, *more: Any, limits: ValueLimits) -> Any:
            return call(*_compiled(pattern, text, ""), *more, limits)

        function(signature)(panicking)
        function(f"must{name[0].upper()}{name[1:]}({rest}")(failing)
        return call

    return declare


@function("regexMatch(pattern: string, text: string) -> bool")
def _match(pattern: str, text: str) -> bool:
    """False for a bad pattern, too."""
    try:
        return _must_match(pattern, text)
    except FunctionError as error:
        if error.code != "template_error":
            raise
        return False


@function("mustRegexMatch(pattern: string, text: string) -> bool")
def _must_match(pattern: str, text: str) -> bool:
    found, data = _compiled(pattern, text, "")
    return found.search(data) is not None


def _matches(pattern: Any, data: bytes) -> Iterator[Any]:
    """All matches; an empty one right behind another one does not count."""
    at, last = 0, -1
    started = monotonic()
    while at <= len(data):
        if monotonic() - started > _MOST_SECONDS:  # each match may look at all of the rest
            raise FunctionError(
                f"the pattern takes longer than {_MOST_SECONDS} seconds", "limit_exceeded"
            )
        match = pattern.search(data, at)
        if match is None:
            return
        start, end = match.span()
        if end > at:
            at = end
        else:
            at += 1
            while at < len(data) and data[at] & 0xC0 == 0x80:
                at += 1
        if start < end or start != last:
            yield match
        last = end


@_twice("regexFind(pattern: string, text: string) -> string")
def _find(pattern: Any, data: bytes, limits: ValueLimits) -> str:
    match = pattern.search(data)
    return of_bytes(match[0]) if match else ""


@_twice("regexFindAll(pattern: string, text: string, count: int) -> strings")
def _find_all(pattern: Any, data: bytes, count: int, limits: ValueLimits) -> Strings:
    found = Strings()
    for match in _matches(pattern, data):
        if 0 <= count <= len(found):
            break
        hold_items("regexFindAll", len(found) + 1, limits)
        found.append(of_bytes(match[0]))
    return found


@_twice("regexSplit(pattern: string, text: string, count: int) -> strings")
def _split(pattern: Any, data: bytes, count: int, limits: ValueLimits) -> Strings:
    found, start, end = Strings(), 0, 0
    if count == 0:
        return found
    for match in _matches(pattern, data) if data else ():
        if len(found) == count - 1:
            break
        end, after = match.span()
        if after:
            found.append(of_bytes(data[start:end]))
        start = after
        hold_items("regexSplit", len(found), limits)
    if end != len(data) or not data:
        found.append(of_bytes(data[start:]))
    return found


def _replaced(
    pattern: Any, data: bytes, replacement: Callable[[Any], bytes], limits: ValueLimits
) -> str:
    pieces, at = Pieces("regexReplaceAll", limits), 0
    for match in _matches(pattern, data):
        start, end = match.span()
        pieces.add(of_bytes(data[at:start] + replacement(match)))
        at = end
    pieces.add(of_bytes(data[at:]))
    text = pieces.text()
    return text if text.isascii() else of_bytes(to_bytes(text))


@_twice("regexReplaceAll(pattern: string, text: string, replacement: string) -> string")
def _replace_all(pattern: Any, data: bytes, replacement: str, limits: ValueLimits) -> str:
    """`$1` and `${name}` stand for groups, `$$` for a dollar."""

    def group(match: Any, reference: re.Match[str]) -> str:
        name = reference[1] or reference[2]
        if name is None:
            return "$"
        if name.isdecimal():
            number = int(name) if len(name) < 9 else pattern.groups + 1
        else:
            number = pattern.groupindex.get(to_bytes(name), pattern.groups + 1)
        found = match[number] if number <= pattern.groups else None
        return of_bytes(found or b"")

    return _replaced(
        pattern,
        data,
        lambda match: to_bytes(_REFERENCE.sub(lambda one: group(match, one), replacement)),
        limits,
    )


@_twice("regexReplaceAllLiteral(pattern: string, text: string, replacement: string) -> string")
def _replace_literally(pattern: Any, data: bytes, replacement: str, limits: ValueLimits) -> str:
    plain = to_bytes(replacement)
    return _replaced(pattern, data, lambda match: plain, limits)


@function("regexQuoteMeta(text: string) -> string")
def _quote_meta(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)
