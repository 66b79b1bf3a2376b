"""Regular expressions: RE2's, which take linear time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any, Final

from ..expr.kinds import of_bytes, to_bytes
from ..go.regexps import BadPattern, compile_pattern
from ..regexes import compile_regex
from ..signatures import Declarations
from ..value_limits import Pieces, ValueLimits, hold_items
from ..values import FunctionError
from .guards import TYPES, failed, with_must
from .kinds import Strings

function: Final = Declarations("patterns", __package__, propagates_none=False, types=TYPES)

_MOST_STEPS: Final = 100_000
"""Steps of one search, a thousand characters by one character of the pattern or so."""
_MOST_SECONDS: Final = 2
_WITHIN: Final = frozenset(bytes((byte,)) for byte in range(0x80, 0xC0))
"""The bytes of a character behind its first one."""
_REFERENCE: Final = compile_regex(r"\$(?:\{(\w+)\}|(\w+)|\$)")
_SPECIAL: Final = compile_regex(r"[\\.+*?()|\[\]{}^$]")


def _compiled(pattern: str, text: str) -> tuple[Any, bytes]:
    """The pattern, and the bytes that it searches."""
    try:
        found = compile_pattern(pattern)
    except BadPattern as error:
        raise failed(str(error), error.hint) from None
    if found.cost(text) * (found.compiled.groups + 1) > _MOST_STEPS:
        raise FunctionError("the pattern takes too many steps on this text", "limit_exceeded")
    return found.compiled, to_bytes(text)


def _searching(signature: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares a function that gets a compiled pattern."""

    def declare(call: Callable[..., Any]) -> Callable[..., Any]:
        @with_must(function, signature, weight=4)
        def compiling(pattern: str, text: str, *more: Any, limits: ValueLimits) -> Any:
            return call(*_compiled(pattern, text), *more, limits)

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
    found, data = _compiled(pattern, text)
    return found.search(data) is not None


def _matches(pattern: Any, data: bytes) -> Iterator[Any]:
    """All matches; an empty one right behind another one does not count."""
    last, started = -1, monotonic()
    for match in pattern.finditer(data):
        if monotonic() - started > _MOST_SECONDS:  # each match may look at all of the rest
            raise FunctionError(
                f"the pattern takes longer than {_MOST_SECONDS} seconds", "limit_exceeded"
            )
        start, end = match.span()
        if start < end or (start != last and data[start : start + 1] not in _WITHIN):
            yield match
        last = end


@_searching("regexFind(pattern: string, text: string) -> string")
def _find(pattern: Any, data: bytes, limits: ValueLimits) -> str:
    match = pattern.search(data)
    return of_bytes(match[0]) if match else ""


@_searching("regexFindAll(pattern: string, text: string, count: int) -> strings")
def _find_all(pattern: Any, data: bytes, count: int, limits: ValueLimits) -> Strings:
    found = Strings()
    for match in _matches(pattern, data):
        if 0 <= count <= len(found):
            break
        hold_items("regexFindAll", len(found) + 1, limits)
        found.append(of_bytes(match[0]))
    return found


@_searching("regexSplit(pattern: string, text: string, count: int) -> strings")
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
    pattern: Any, data: bytes, replacement: Callable[[Any], str], limits: ValueLimits
) -> str:
    pieces, at = Pieces("regexReplaceAll", limits), 0
    for match in _matches(pattern, data):
        start, end = match.span()
        pieces.add(of_bytes(data[at:start]) + replacement(match))
        at = end
    pieces.add(of_bytes(data[at:]))
    return pieces.text()


@_searching("regexReplaceAll(pattern: string, text: string, replacement: string) -> string")
def _replace_all(pattern: Any, data: bytes, replacement: str, limits: ValueLimits) -> str:
    """`$1` and `${name}` stand for groups, `$$` for a dollar."""

    def group(match: Any, reference: re.Match[str]) -> str:
        name = reference[1] or reference[2]
        if name is None:
            return "$"
        number = (
            int(name) if name.isdecimal() and len(name) < 9 else pattern.groupindex.get(name, -1)
        )
        return of_bytes(match[number] or b"") if 0 <= number <= pattern.groups else ""

    return _replaced(
        pattern,
        data,
        lambda found: _REFERENCE.sub(lambda one: group(found, one), replacement),
        limits,
    )


@_searching("regexReplaceAllLiteral(pattern: string, text: string, replacement: string) -> string")
def _replace_literally(pattern: Any, data: bytes, replacement: str, limits: ValueLimits) -> str:
    return _replaced(pattern, data, lambda match: replacement, limits)


@function("regexQuoteMeta(text: string) -> string")
def _quote_meta(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)
