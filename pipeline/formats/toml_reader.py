"""TOML text into plain data, by the standard library, with diagnostics of our own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final, TypeAlias

from ...functions.record import Record
from ...functions.regexes import compile_regex
from ...functions.values import FunctionError
from ..language.meter import Meter
from ..values.diagnostics import Diagnostics, Stop
from ..values.source import Source, Span
from .characters import (
    check_size,
    most_nodes,
    over_limit,
    shown,
    too_many_nodes,
)

_PLACE: Final = compile_regex(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)")

_AGAIN: Final = compile_regex(r"Cannot (?:declare|mutate|overwrite|redefine) |Duplicate ").match


def read_toml(
    source: Source, meter: Meter, diagnostics: Diagnostics, code: str
) -> dict[str, Any] | None:
    """The data of a text; None when it cannot be read, which is added to `diagnostics`."""
    if not check_size(source, meter, diagnostics):
        return None
    import tomllib

    text = source.text
    try:
        _hold_structure(source, meter)
        return tomllib.loads(text)
    except Stop as stop:
        diagnostics.add(stop.diagnostic)
    except FunctionError as limit:
        diagnostics.error(limit.code, Span(source, 0, 0), limit.message, limit.hint)
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.fullmatch(str(error))
        start = len(text)
        if found and found[2]:
            start = min(source.line_starts[int(found[2]) - 1] + int(found[3]) - 1, len(text))
        if _AGAIN(str(error)):
            # where the standard library is when it sees that, the name has been read long ago
            again = name_before(source, start)
            if again is not None:
                name = shown(source.text[again.start : again.end])
                summary = f"invalid TOML: `{name}` clashes with what stands before it"
                diagnostics.error(code, again, summary)
                return None
        # the words of the standard library hold names and single characters, no values
        reason = found[1] if found else "the text is not valid"
        span = Span(source, start, min(start + 1, len(text)))
        diagnostics.error(code, span, f"invalid TOML: {reason[:1].lower()}{reason[1:]}")
    except (RecursionError, ValueError):
        # too many digits, dates out of range, and nesting that is only there to do harm
        diagnostics.error(
            code, Span(source, 0, min(1, len(text))), "this TOML holds a value that cannot be read"
        )
    return None


def _hold_structure(source: Source, meter: Meter) -> None:
    """Refuses a text before the standard library takes long for it: it walks to a key from the top
    for each of its parts, and nothing bounds the values.

    Raises:
        Stop: for a key of too many parts, and for too many values.
        FunctionError: for too many steps, or when the time is up.
    """
    text = source.text
    limits = meter.limits
    most = most_nodes(meter)
    count = 1
    above = 0
    for token in re.compile(_STRUCTURE, re.DOTALL).finditer(text):
        kind = token.lastgroup
        if kind == "key":
            start = token.start()
            parts = token[0].count(".") + 1
            if parts > limits.max_depth:
                raise over_limit(source, start, "max_depth", limits)
            if text[text.rfind("\n", 0, start) + 1 : start].strip() in ("[", "[["):
                above = parts
            meter.work((above + parts) * parts)
        elif kind == "value":
            count += 1
            if count > most:
                raise too_many_nodes(source, token.start(), meter)
            meter.work(1 + above)
    meter.spend_nodes(count)


# Where the keys and values of a TOML text stand, which the standard library's reader does not say.
#
# The text is taken to be valid: it is read after `read_toml` has accepted it, or up to a mistake.

Path: TypeAlias = tuple[str | int, ...]

_SPACE: Final = compile_regex(r"(?:[ \t\r\n]|#[^\r\n]*)*+")
_BLANK: Final = compile_regex(r"[ \t]*")
_KEY: Final = compile_regex(r"""[A-Za-z0-9_-]+|"((?:[^"\\\n]|\\.)*+)"|'([^'\n]*)'""")
_STRING: Final = compile_regex(
    r'"""(?:\\.|[^\\"]|"{1,2}(?=[^"]))*+"{3,5}'
    r"|'''(?:[^']|'{1,2}(?=[^']))*+'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*+"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
# strings of several lines, comments, dotted keys, other words, and what stands at each value; what
# is not closed is taken to its end as well, so that nothing is looked at again and again
_STRUCTURE: Final = (
    r'"""(?:\\.|[^\\"]|"{1,2}(?=[^"]))*+"*+'
    r"|'''(?:[^']|'{1,2}(?=[^']))*+'*+"
    r"|#[^\n]*+"
    r"""|(?P<key>(?:(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+)++)"""
    r"""|[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"?+|'[^'\n]*+'?+"""
    r"|(?P<value>[=,\[{])"
)
_MOST_LEVELS: Final = 10
_MOST_ELEMENTS: Final = 1_000
_BRACKET: Final = compile_regex(_STRING.pattern + r"|#[^\r\n]*|[\[\]{}]", re.DOTALL)
_BARE: Final = compile_regex(r"[^,\]}#\r\n]+")


class Place(Record):
    """Where a key and its value stand; a table's value is where its name is written last."""

    key: Span
    value: Span


def toml_places(source: Source, levels: int = _MOST_LEVELS) -> Mapping[Path, Place]:
    """The places of what is in a TOML text, by path; elements of arrays have indexes.

    What lies deeper than `levels`, or far behind in an array, has none of its own.
    """
    scan = _Scan(source, levels)
    try:
        scan.document()
    except RecursionError:
        pass  # nested so deep that the rest is not needed
    return scan.places


def name_before(source: Source, end: int) -> Span | None:
    """The last name of a value or a table that stands before an offset, dotted as it is written.

    The text is valid up to there, what names mean left aside.
    """
    scan = _Names(source, end)
    try:
        scan.document()
    except (AssertionError, IndexError, RecursionError, ValueError):
        pass  # what comes after need not be valid
    return scan.found


class _Scan:
    def __init__(self, source: Source, levels: int = 0) -> None:
        self.places: dict[Path, Place] = {}
        self._levels = levels
        self._source = source
        self._text = source.text
        self._lengths: dict[Path, int] = {}  # of arrays of tables, so far

    def document(self) -> None:
        text = self._text
        table: Path = ()
        position = 0
        while (position := self._after(_SPACE, position)) < len(text):
            if text[position] == "[":
                several = text.startswith("[[", position)
                keys, position = self._keys(position + 1 + several)
                table = self._table(keys, several)
                position = text.index("]", position) + 1 + several
            else:
                position = self._assignment(table, position)

    def _table(self, keys: list[tuple[str, Span]], several: bool) -> Path:
        """The path of a table by its heading, whose names may be those of arrays of tables."""
        path: Path = ()
        for number, (name, span) in enumerate(keys, 1):
            path = (*path, name)
            last = number == len(keys)
            self._note(path, span, span, last)
            if several and last:
                self._lengths[path] = self._lengths.get(path, 0) + 1
            if path in self._lengths:
                path = (*path, self._lengths[path] - 1)
                self._note(path, span, span, last)
        return path

    def _assignment(self, table: Path, position: int) -> int:
        keys, position = self._keys(position)
        position = self._after(_BLANK, self._text.index("=", position) + 1)
        path = table
        for (name, span), (_, following) in pairwise(keys):
            path = (*path, name)
            self._note(path, span, following)
        name, span = keys[-1]
        return self._value((*path, name), span, position)

    def _keys(self, position: int) -> tuple[list[tuple[str, Span]], int]:
        """The names of a dotted key with their places, and where it ends."""
        keys = []
        while True:
            found = _KEY.match(self._text, self._after(_BLANK, position))
            assert found is not None
            keys.append((_name(found), Span(self._source, *found.span())))
            position = self._after(_BLANK, found.end())
            if not self._text.startswith(".", position):
                return keys, position
            position += 1

    def _value(self, path: Path, key: Span | None, start: int) -> int:
        match self._text[start]:
            case "[" | "{" if self._levels and len(path) >= self._levels:
                end = self._closed(start + 1)
            case "[":
                end = self._array(path, start + 1)
            case "{":
                end = self._inline_table(path, start + 1)
            case '"' | "'":
                end = self._after(_STRING, start)
            case _:
                found = _BARE.match(self._text, start)
                assert found is not None
                end = start + len(found[0].rstrip())
        span = Span(self._source, start, end)
        self._note(path, key or span, span)
        return end

    def _array(self, path: Path, position: int) -> int:
        index = 0
        while True:
            position = self._after(_SPACE, position)
            if self._text[position] == "]":
                return position + 1
            if self._text[position] == ",":
                position += 1
                continue
            if index == _MOST_ELEMENTS and self._levels:
                return self._closed(position)
            position = self._value((*path, index), None, position)
            index += 1

    def _inline_table(self, path: Path, position: int) -> int:
        while True:
            position = self._after(_SPACE, position)
            if self._text[position] == "}":
                return position + 1
            if self._text[position] == ",":
                position += 1
                continue
            position = self._assignment(path, position)

    def _closed(self, position: int) -> int:
        """Where the bracket ends in which a position is, with nothing in it looked at."""
        open_ones = 1
        while open_ones:
            found = _BRACKET.search(self._text, position)
            assert found is not None
            open_ones += (found[0] in ("[", "{")) - (found[0] in ("]", "}"))
            position = found.end()
        return position

    def _note(self, path: Path, key: Span, value: Span, again: bool = False) -> None:
        if len(path) <= self._levels and (again or path not in self.places):
            self.places[path] = Place(key, value)

    def _after(self, pattern: re.Pattern[str], position: int) -> int:
        found = pattern.match(self._text, position)
        assert found is not None
        return found.end()


class _Names(_Scan):
    """Keeps the name that stands last before an offset."""

    def __init__(self, source: Source, end: int) -> None:
        super().__init__(source)
        self.found: Span | None = None
        self._end = end

    def _keys(self, position: int) -> tuple[list[tuple[str, Span]], int]:
        keys, position = super()._keys(position)
        if position <= self._end:
            self.found = Span(self._source, keys[0][1].start, keys[-1][1].end)
        return keys, position


def _name(found: re.Match[str]) -> str:
    if found[1] is None:
        return found[0] if found[2] is None else found[2]
    if "\\" not in found[1]:
        return found[1]
    import tomllib

    [name] = tomllib.loads(f"{found[0]} = 0")
    return name
