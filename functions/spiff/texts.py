"""Strings: joining, cutting, searching, patterns."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import unquote

from ..expr.kinds import of_bytes, to_bytes
from ..go.regexps import BadPattern, compile_pattern
from ..go.yaml_text import to_yaml
from ..gotemplate.formatting import sprintf
from ..regexes import compile_regex
from ..value_limits import Pieces, ValueLimits, hold_chars, hold_items
from ..values import FunctionError
from .values import declarations, holds, to_text

function: Final = declarations("texts")


@function("join(separator: any, ...parts: any) -> string")
def _join(*parts: Any, limits: ValueLimits) -> str:
    texts: list[str] = []
    for number, part in enumerate(parts):
        if isinstance(part, list) and number:
            for item in part:
                text = to_text(item)
                if text is None:
                    message = f"elements of list(arg {number}) to join must be simple values"
                    raise FunctionError(message)
                texts.append(text)
        elif part is not None:
            text = to_text(part)
            if text is None:
                message = f"argument {number} to join must be simple value or list"
                raise FunctionError(message, hint=_floats(part))
            texts.append(text)
    size = sum(map(len, texts)) + len(texts) * len(texts[0])
    hold_chars("join", size, limits)
    return texts[0].join(texts[1:])


def _floats(value: Any) -> str | None:
    return "`integer(..)` or `string(..)` makes text of a float" if type(value) is float else None


@function("split(separator: string | int, text: string, most?: int) -> list")
def _split(separator: Any, text: str, most: int = -1, *, limits: ValueLimits) -> list[str]:
    count = text.count(separator) if isinstance(separator, str) else len(text) // max(separator, 1)
    hold_items("split", count if most < 0 else min(count, most), limits)
    if isinstance(separator, int):
        return _lines(text, separator, most)
    if most == 0:
        return []
    if separator:
        return text.split(separator, most - 1 if most > 0 else -1)
    count = len(text) if most < 0 else min(most, len(text))
    return [*text[: count - 1], text[count - 1 :]] if text else []


def _lines(text: str, width: int, most: int) -> list[str]:
    if width <= 0:
        raise FunctionError("max line length argument must be positive")
    made = []
    while len(text) > width and (most < 0 or most > 1):
        made.append(text[:width])
        text, most = text[width:], most - 1
    return [*made, text] if text else made


def _pattern(pattern: str, text: str, name: str, spend: Callable[[int], object]) -> Any:
    """A compiled pattern; what a search of the text costs is spent."""
    try:
        made = compile_pattern(pattern)
    except BadPattern as error:
        raise FunctionError(f"{name}: the pattern is not valid", hint=error.hint) from None
    spend(made.cost(text) + len(text) // 8)
    return made.compiled


@function("split_match(pattern: string, text: string, most?: int) -> list")
def _split_match(
    pattern: str, text: str, most: int = -1, *, spend: Callable[[int], object]
) -> list[str]:
    if most == 0:
        return []
    made: list[str] = []
    start = last = 0
    if text:
        for match in _pattern(pattern, text, "split_match", spend).finditer(text):
            if most > 0 and len(made) == most - 1:
                break
            last = match.start()
            if match.end():
                made.append(text[start:last])
            start = match.end()
    if last != len(text) or start != len(text) or not text:
        made.append(text[start:])
    return made


@function("trim(text: string | list, characters?: string) -> any")
def _trim(text: Any, characters: str = " \t") -> Any:
    if isinstance(text, str):
        return text.strip(characters) if characters else text
    if not all(isinstance(item, str) for item in text):
        raise FunctionError("list elements must be strings to be trimmed")
    return [_trim(item, characters) for item in text]


@function("length(value: string | list | map) -> int")
def _length(value: Any) -> int:
    return len(to_bytes(value) if isinstance(value, str) else value)


def _sought(value: Any) -> str:
    text = to_text(value)
    if text is None:
        raise FunctionError("invalid type for check string")
    return text


@function("contains(where: string | list | map, what: any) -> bool")
def _contains(where: Any, what: Any) -> bool:
    if isinstance(where, str):
        return _sought(what) in where
    if isinstance(where, dict):
        return isinstance(what, str) and what in where
    return what is not None and holds(where, what) >= 0


@function("index(where: string | list, what: any) -> int")
def _index(where: Any, what: Any) -> int:
    if isinstance(where, str):
        return to_bytes(where).find(to_bytes(_sought(what)))
    return -1 if what is None else holds(where, what)


@function("lastindex(where: string | list, what: any) -> int")
def _last_index(where: Any, what: Any) -> int:
    if isinstance(where, str):
        return to_bytes(where).rfind(to_bytes(_sought(what)))
    found = -1 if what is None else holds(where[::-1], what)
    return found if found < 0 else len(where) - 1 - found


def _given(by: Any, parts: list[str]) -> str:
    made = by(parts)
    if not isinstance(made, str):
        raise FunctionError("replace: lambda must return a string")
    return made


@function("replace(text: string, old: string, new: string | lambda, most?: int) -> string")
def _replace(text: str, old: str, new: Any, most: int = -1, *, limits: ValueLimits) -> str:
    if isinstance(new, str):
        count = text.count(old) if most < 0 else min(most, text.count(old))
        hold_chars("replace", len(text) + count * len(new), limits)
        return text.replace(old, new, most)
    parts = text.split(old, most) if old else [text]
    return parts[0] + "".join(_given(new, [old]) + part for part in parts[1:])


@function(
    "replace_match(text: string, pattern: string, new: string | lambda, most?: int) -> string"
)
def _replace_match(
    text: str,
    pattern: str,
    new: Any,
    most: int = -1,
    *,
    limits: ValueLimits,
    spend: Callable[[int], object],
) -> str:
    compiled = _pattern(pattern, text, "replace_match", spend)
    pieces, start, was_empty = Pieces("replace_match", limits), 0, True
    while most and (match := compiled.search(text, start)) is not None:
        most -= 1
        pieces.add(text[start : match.start()])
        if was_empty or match.end() > start:
            groups = [one or "" for one in (match.group(), *match.groups())]
            names = {str(at): one for at, one in enumerate(groups)}
            names |= {name: one or "" for name, one in match.groupdict().items()}
            pieces.add(_expanded(new, names) if isinstance(new, str) else _given(new, groups))
        start, was_empty = match.end(), match.end() == match.start()
        if was_empty:
            if start == len(text):
                break
            pieces.add(text[start])
            start += 1
    pieces.add(text[start:])
    return pieces.text()


def _expanded(template: str, names: dict[str, str]) -> str:
    """A template with `$1`, `${1}` and `${name}`, of which unknown ones are empty."""

    def named(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        return names.get(name, "") if name else "$"

    return re.sub(r"(?a)\$(?:\$|(\w+)|\{(\w+)\})", named, template)


@function("match(pattern: string, text: string | int | bool | nil, most?: int | bool) -> any")
def _match(pattern: str, text: Any, most: Any = None, *, spend: Callable[[int], object]) -> Any:
    if text is None:
        return False
    if most is not None and most == 0 and not isinstance(most, bool):
        raise FunctionError("repetition count may not be zero")
    plain = to_text(text) or ""
    found = _pattern(pattern, plain, "match", spend).finditer(plain)
    if most is None:
        first = next(found, None)
        return [] if first is None else [one or "" for one in (first.group(), *first.groups())]
    count = (-1 if most else 1) if isinstance(most, bool) else most
    groups = [[one or "" for one in (match.group(), *match.groups())] for match in found]
    return groups if count < 0 else groups[:count]


@function("substr(text: string, start: int, end?: int) -> string")
def _substr(text: str, start: int, end: int | None = None) -> str:
    data = to_bytes(text)
    size = len(data)
    first = start if start >= 0 else size + start
    last = size if end is None else end if end >= 0 else size + end
    if last > size:
        message = f"substr effective end index ({last}) exceeds string length ({size})"
        raise FunctionError(message)
    if first < 0:
        raise FunctionError(f"negative substr effective start index ({first})")
    if first > last:
        raise FunctionError(f"substr start index ({first}) after end index ({last})")
    return of_bytes(data[first:last])


function("upper(text: string) -> string")(str.upper)
function("lower(text: string) -> string")(str.lower)


def formatted(layout: Any, *values: Any) -> str:
    """Go's `Sprintf`; lists and maps are written as YAML."""
    first, *shown = (
        to_yaml(one) if isinstance(one, list | dict) else one for one in (layout, *values)
    )
    return sprintf(str(first), *shown)


function("format(layout: string | list | map, ...values: any) -> string")(formatted)


@function("error(layout: string | list | map, ...values: any) -> nil")
def _error(layout: Any, *values: Any) -> None:
    raise FunctionError(formatted(layout, *values), "template_failed")


_PATH: Final = compile_regex(r"(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?(?://[^/?#]*)?([^?#]*)")


def _path(text: str) -> str:
    found = _PATH.match(text)
    return unquote(found[1]) if found else text


@function("basename(path: string) -> string")
def _basename(path: str) -> str:
    inner = _path(path)
    return posixpath.basename(inner.rstrip("/")) or "/"


@function("dirname(path: string) -> string")
def _dirname(path: str) -> str:
    inner = _path(path)
    return posixpath.normpath(posixpath.dirname(inner) or ".") if inner else "/"
