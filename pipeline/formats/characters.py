"""Checks of a text before a reader gets it, its size and its characters; diagnostics of readers."""

from __future__ import annotations

import re
from typing import Final

from ...functions.values import FunctionError
from ..language.meter import Meter
from ..values.diagnostics import QUOTE, Diagnostic, Diagnostics, Note, Remedy, Stop, worded
from ..values.settings import Limits, how_to_raise
from ..values.source import Source
from .scalars import OutOfRange

_HARMLESS: Final = bytes([9, 10, 13, *range(0x20, 0x7F)])
_MOST: Final = 20
NODES_A_LOOK: Final = 4095
"""A mask: where it leaves nothing of the nodes that are left, readers look at the clock."""
# patterns that few texts need, so they are compiled when one does
_SURROGATE: Final = "[\ud800-\udfff]"
_FORBIDDEN: Final = (
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]"
)

_NAMES: Final = {
    "\x00": "the null character",
    "\x1b": "the escape character",
    "\x7f": "the delete character",
    "\x85": "the line break U+0085",
    "\u2028": "the line separator U+2028",
    "\u2029": "the paragraph separator U+2029",
    "\ufeff": "a byte order mark inside the text",
}


def check_size(source: Source, meter: Meter, diagnostics: Diagnostics) -> bool:
    """True for a text within the budget and `max_input_bytes`; adds `limit_exceeded` for others.

    Every reader asks before it reads, so the meter knows of every text.
    """
    text = source.text
    limits = meter.limits
    most = limits.max_input_bytes
    size = len(text)
    if size <= most and not text.isascii() and size * 4 > most:
        size = len(text.encode("utf-8", "surrogatepass"))
    if size <= most:
        try:
            meter.read(text)
        except FunctionError as error:
            diagnostics.error(error.code, source.span(0, 0), error.message, error.hint)
            return False
        return True
    diagnostics.error(
        "limit_exceeded",
        source.span(0, 0),
        f"the text is larger than {most} bytes, the limit `max_input_bytes`",
        how_to_raise("max_input_bytes", limits),
    )
    return False


def check_yaml_characters(source: Source, diagnostics: Diagnostics) -> bool:
    """True when YAML allows all characters of a text; adds `invalid_character` for each other one.

    Stricter than YAML in one point: U+0085, U+2028 and U+2029, which some readers take for line
    breaks and others do not, are refused, so that every reader sees the same lines.
    """
    text = source.text
    # an ASCII text of usual size is checked ten times faster as bytes
    if text.isascii() and not text.encode("ascii").translate(None, _HARMLESS):
        return True
    return _report(source, _FORBIDDEN, diagnostics, "write it as an escape in a quoted string")


def check_json_characters(source: Source, diagnostics: Diagnostics) -> bool:
    """True when a text holds only Unicode characters; adds `invalid_character` for surrogates."""
    if source.text.isascii():
        return True
    return _report(source, _SURROGATE, diagnostics, None)


def _report(source: Source, pattern: str, diagnostics: Diagnostics, hint: str | None) -> bool:
    found = 0
    start = 1 if source.text.startswith("\ufeff") else 0
    for match in re.compile(pattern).finditer(source.text, start):
        found += 1
        if found > _MOST:
            break
        character = match[0]
        surrogate = "\ud800" <= character <= "\udfff"
        diagnostics.error(
            "invalid_character",
            source.span(match.start(), match.end()),
            f"{name_of(character)} is not allowed here",
            "save the file as UTF-8" if surrogate else hint,
        )
    return not found


def name_of(character: str) -> str:
    """A name for a character that must not be printed."""
    if character in _NAMES:
        return _NAMES[character]
    code = f"U+{ord(character):04X}"
    if "\ud800" <= character <= "\udfff":
        return f"a byte or half character that is not valid UTF-8 ({code})"
    if character in "\ufffe\uffff":
        return f"the code {code}, which is not a character,"
    return f"the control character {code}"


# blanks that are no spaces, and characters without a width
_INVISIBLE: Final = "[^\\S \t\r\n]|[\xad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]"


def invisible(text: str) -> tuple[str, int] | None:
    """The name of the first character that looks like a space or like nothing, and its offset."""
    found = None if text.isascii() else re.search(_INVISIBLE, text)
    if found is None:
        return None
    import unicodedata

    name = unicodedata.name(found[0], "an invisible character").lower()
    return f"U+{ord(found[0]):04X} ({name})", found.start()


def shown(text: str, most: int = 80) -> str:
    """Text for a message: cut after `most` characters, unprintable ones escaped."""
    cut = text if len(text) <= most else text[:most] + "..."
    if cut.isprintable():
        return cut
    return "".join(
        character
        if character.isprintable()
        else character.encode("unicode_escape", "backslashreplace").decode("ascii")
        for character in cut
    )


def duplicate_key(source: Source, key: str, start: int, first: int) -> Diagnostic:
    """The same key at two places of one map."""
    from ..values.positions import scalar_end

    text = source.text
    return Diagnostic(
        "duplicate_key",
        f"the key `{shown(key)}` is written twice in this map",
        source.span(start, scalar_end(text, start, key)),
        notes=(Note("first written here", source.span(first, scalar_end(text, first, key))),),
    )


def number_out_of_range(problem: OutOfRange, source: Source, start: int, end: int) -> Diagnostic:
    """A number beyond the range of the language."""
    return Diagnostic(
        "number_out_of_range",
        str(problem),
        source.span(start, end),
        hint=Remedy("put quotes around it if it is meant as text", action=QUOTE),
    )


_OVER: Final = {
    "max_depth": ("this is nested deeper than", "levels"),
    "max_nodes": ("the text has more than", "nodes"),
    "max_key_chars": ("this key is longer than", "characters"),
    "max_scalar_chars": ("this string is longer than", "characters"),
}


def over_limit(source: Source, start: int, name: str, limits: Limits) -> Stop:
    """A text that exceeds the limit `name` at an offset; reading ends there."""
    what, units = _OVER[name]
    return Stop(
        Diagnostic(
            "limit_exceeded",
            f"{what} {getattr(limits, name)} {units}, the limit `{name}`",
            source.span(start, min(start + 1, len(source.text))),
            hint=how_to_raise(name, limits),
        )
    )


def most_nodes(meter: Meter) -> int:
    """The nodes that a text may have."""
    return min(meter.limits.max_nodes, meter.nodes_left())


def too_many_nodes(source: Source, start: int, meter: Meter) -> Stop:
    """A text with more nodes than `most_nodes` allows, at the first of them."""
    if meter.limits.max_nodes <= meter.nodes_left():
        return over_limit(source, start, "max_nodes", meter.limits)
    error = meter.over_nodes()
    span = source.span(start, min(start + 1, len(source.text)))
    return Stop(Diagnostic(error.code, error.message, span, hint=worded(error.hint)))
