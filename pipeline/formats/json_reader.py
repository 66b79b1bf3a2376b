"""JSON text into nodes: RFC 8259, and with it `//` and `/* */` comments and trailing commas.

One regular expression takes a whole ordinary member (key, colon, scalar) at a time; whatever it
does not match (escapes, comments, mistakes) is looked at piece by piece. Nesting is a list, so no
depth of it can exhaust the stack.
"""

from __future__ import annotations

import re
from typing import Any, Final

from ...functions.regexes import compile_regex
from ..language.meter import Meter
from ..values.diagnostics import (
    QUOTE,
    Diagnostic,
    Diagnostics,
    Note,
    Remedy,
    Stop,
    write_instead,
)
from ..values.source import Repeated, Source
from ..values.tree import AnyNode, Array, Map, Scalar, Trail
from .characters import (
    NODES_A_LOOK,
    check_json_characters,
    check_size,
    duplicate_key,
    most_nodes,
    number_out_of_range,
    over_limit,
    too_many_nodes,
)
from .scalars import OutOfRange, Split, floating, integer, template

_run: Final = compile_regex(r'[^"\\\x00-\x1f]*+').match
_hexadecimal: Final = compile_regex(r"[0-9a-fA-F]{4}").match
_ESCAPES: Final = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
}


def read_string(source: Source, start: int) -> tuple[str, int]:
    """A string that begins at `start`: its value, and the offset after its closing quote."""
    text = source.text
    parts: list[str] = []
    position = start + 1
    while True:
        run = _run(text, position)
        stop = run.end() if run else position
        parts.append(text[position:stop])
        character = text[stop : stop + 1]
        if character == '"':
            return "".join(parts), stop + 1
        if not character or character in "\r\n":
            raise invalid_json(source, start, stop, "this string has no closing quote", 'add `"`')
        if character != "\\":
            summary = f"the control character U+{ord(character):04X} is not allowed in a string"
            hint = "write it as an escape, such as `\\t`"
            raise invalid_json(source, stop, stop + 1, summary, hint, code="invalid_character")
        decoded, position = _escape(source, stop)
        parts.append(decoded)


def _escape(source: Source, start: int) -> tuple[str, int]:
    text = source.text
    letter = text[start + 1 : start + 2]
    if letter in _ESCAPES:
        return _ESCAPES[letter], start + 2
    if letter != "u":
        raise invalid_json(
            source,
            start,
            min(start + 2, len(text)),
            "this escape is not known in JSON",
            "write `\\\\` for a backslash",
        )
    digits = _hexadecimal(text, start + 2)
    if digits is None:
        raise invalid_json(source, start, start + 2, "`\\u` takes four hexadecimal digits")
    code = int(digits[0], 16)
    end = start + 6
    if 0xD800 <= code <= 0xDBFF and text.startswith("\\u", end):
        low = _hexadecimal(text, end + 2)
        if low is not None and 0xDC00 <= int(low[0], 16) <= 0xDFFF:
            return chr(0x10000 + ((code - 0xD800) << 10) + int(low[0], 16) - 0xDC00), end + 6
    if 0xD800 <= code <= 0xDFFF:
        hint = "characters beyond U+FFFF take two escapes, the first `\\ud800` to `\\udbff`"
        summary = "this escape is half of a character"
        raise invalid_json(source, start, end, summary, hint, code="invalid_character")
    return chr(code), end


def invalid_json(
    source: Source,
    start: int,
    end: int,
    summary: str,
    hint: str | None = None,
    *notes: Note,
    code: str = "invalid_json",
) -> Stop:
    """A syntax error; reading ends there."""
    return Stop(Diagnostic(code, summary, source.span(start, end), hint=hint, notes=notes))


_PLAIN: Final = r'"([^"\\\x00-\x1f]*)"'
_VALUE: Final = (
    _PLAIN
    + r"|(-?(?:0|[1-9][0-9]*)(?![0-9.eE+\-\w]))"
    + r"|(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![0-9.eE+\-\w]))"
    + r"|(true|false|null)(?!\w)"
    + r"|([\[{])"
)
_SPACE: Final = r"[ \t\r\n]*+"
_member: Final = compile_regex(f"{_SPACE}{_PLAIN}{_SPACE}:{_SPACE}(?:{_VALUE})").match
_item: Final = compile_regex(f"{_SPACE}(?:{_VALUE})").match
_after: Final = compile_regex(f"{_SPACE}([,\\]}}]){_SPACE}").match
_blank: Final = compile_regex(r"(?:[ \t\r\n]++|//[^\r\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+").match
_word: Final = compile_regex(r"[-+.\w]+").match
_WORDS: Final = {"true": True, "false": False, "null": None}


def read_json(
    source: Source,
    split: Split,
    opener: str,
    meter: Meter,
    diagnostics: Diagnostics,
    floats: bool = False,
) -> AnyNode | None:
    """The nodes of a JSON text; None when it cannot be read to its end.

    `split` is called for strings that contain `opener`. With `floats` all numbers are floats.
    Mistakes are added to `diagnostics`, all of them up to the first error of syntax; a tree that
    comes back may have mistakes.
    """
    if not check_size(source, meter, diagnostics):
        return None
    if not check_json_characters(source, diagnostics):
        return None
    try:
        return _read(source, split, opener, meter, diagnostics, floats)
    except Stop as stop:
        diagnostics.add(stop.diagnostic)
        return None


def _read(
    source: Source,
    split: Split,
    opener: str,
    meter: Meter,
    diagnostics: Diagnostics,
    floats: bool,
) -> AnyNode:
    text = source.text
    trail = Trail(source, ("load",))
    limits = meter.limits
    max_key_chars = limits.max_key_chars
    max_scalar_chars = limits.max_scalar_chars
    long = len(text) > max_scalar_chars
    most = budget = most_nodes(meter)
    member, item, after = _member, _item, _after

    # what is being filled: a map (`places` is a dict) or an array or the root (None)
    items: Any = []
    places: dict[str, int] | None = None
    begin = 0
    stack: list[tuple[Any, dict[str, int] | None, int, str]] = []
    key = ""
    position = 1 if text.startswith("\ufeff") else 0
    node: AnyNode

    while True:
        # one value, with its key when a map is being filled
        if places is None:
            match = item(text, position)
            shift = 0
        else:
            match = member(text, position)
            shift = 1
        if match is not None and match.lastindex is not None:
            if places is not None:
                key = match[1]
                key_start = match.start(1) - 1
            group = match.lastindex - shift
            start, position = match.span(match.lastindex)
            raw = match[match.lastindex]
            if group == 1:
                start -= 1
                position += 1
        else:
            position = _skip(source, position)
            if stack and position == len(text):
                raise _unclosed(source, places is not None, begin)
            if places is not None:
                key, key_start, position = _key(source, position)
            start = position
            group, raw, position = _value(source, position)

        if places is not None:
            if key in places:
                diagnostics.add(duplicate_key(source, key, key_start, places[key]))
                key = Repeated(key)
            places[key] = key_start
            if len(key) > max_key_chars:
                raise over_limit(source, key_start, "max_key_chars", limits)
        budget -= 1
        if budget < 0:
            raise too_many_nodes(source, start, meter)
        if not budget & NODES_A_LOOK:
            meter.check_time()

        if group == 1:
            if long and len(raw) > max_scalar_chars:
                raise over_limit(source, start, "max_scalar_chars", limits)
            if opener in raw:
                node = template(raw, split, trail, start, position, diagnostics)
            else:
                node = Scalar(raw, trail, start, position)
        elif group == 4:
            node = Scalar(_WORDS[raw], trail, start, position)
        elif group == 5:
            if len(stack) >= limits.max_depth:
                raise over_limit(source, start, "max_depth", limits)
            stack.append((items, places, begin, key))
            begin = start
            if raw == "{":
                items, places = {}, {}
                closing = "}"
            else:
                items, places = [], None
                closing = "]"
            position = _skip(source, position)
            if not text.startswith(closing, position):
                continue
            node, position = _close(items, places, trail, begin, position)
            items, places, begin, key = stack.pop()
        else:
            node = _number(raw, group, floats, trail, start, position, diagnostics)

        # what follows a value: a comma and the next one, or the ends of what holds it
        while True:
            if places is None:
                items.append(node)
            else:
                items[key] = node
            if not stack:
                _finish(source, position)
                meter.spend_nodes(most - budget)
                return node
            match = after(text, position)
            if match is not None:
                place = match.start(1)
                position = match.end()
            else:
                place = _separator(source, position, places is not None, begin)
                position = _skip(source, place + 1)
            closing = "]" if places is None else "}"
            if text[place] == ",":
                if text[position : position + 1] not in "/]}":
                    break
                # a comment, or a bracket after a trailing comma
                position = _skip(source, position)
                if not text.startswith(closing, position):
                    break
                place = position
            if text[place] != closing:
                raise _wrong_bracket(source, place, closing, begin)
            node, position = _close(items, places, trail, begin, place)
            items, places, begin, key = stack.pop()


def _close(
    items: Any, places: dict[str, int] | None, trail: Trail, begin: int, position: int
) -> tuple[AnyNode, int]:
    """The map or array that the bracket at `position` ends."""
    end = position + 1
    if places is None:
        return Array(items, trail, begin, end), end
    return Map(items, places, trail, begin, end), end


def _number(
    raw: str,
    group: int,
    floats: bool,
    trail: Trail,
    start: int,
    end: int,
    diagnostics: Diagnostics,
) -> Scalar:
    try:
        value = integer(raw, 10) if group == 2 else floating(raw)
        return Scalar(float(value) if floats else value, trail, start, end)
    except OutOfRange as problem:
        diagnostics.add(number_out_of_range(problem, trail.source, start, end))
        return Scalar(raw, trail, start, end)


def _skip(source: Source, position: int) -> int:
    """The offset after white space and comments."""
    text = source.text
    match = _blank(text, position)
    position = match.end() if match else position
    if text.startswith("/*", position):
        raise invalid_json(source, position, position + 2, "this comment is not closed", "add `*/`")
    return position


def _key(source: Source, position: int) -> tuple[str, int, int]:
    """A key and its colon: the key, where it starts, and where its value starts."""
    text = source.text
    start = position
    character = text[position : position + 1]
    if not character:
        raise _end(source, position)
    if character == ",":
        raise invalid_json(source, position, position + 1, "a key is missing before this comma")
    if character == "'":
        raise invalid_json(
            source, position, position + 1, "expected a key in double quotes", "write `\"` for `'`"
        )
    if character != '"':
        word = _word(text, position)
        stop = word.end() if word else position + 1
        hint = Remedy("put double quotes around it", action=QUOTE) if word else None
        raise invalid_json(source, position, stop, "expected a key in double quotes", hint)
    key, position = read_string(source, position)
    stop = position
    position = _skip(source, position)
    if not text.startswith(":", position):
        raise invalid_json(source, start, stop, "expected a `:` and a value after this key")
    return key, start, _skip(source, position + 1)


def _value(source: Source, position: int) -> tuple[int, str, int]:
    """A value as a group of the pattern: the group's number, the text, and its end."""
    match = _item(source.text, position)
    if match is not None and match.lastindex is not None:
        return match.lastindex, match[match.lastindex], match.end()
    text = source.text
    character = text[position : position + 1]
    if not character:
        raise _end(source, position)
    if character == '"':
        value, position = read_string(source, position)
        return 1, value, position
    if character in ",]}:":
        raise invalid_json(
            source, position, position + 1, f"a value is missing before this `{character}`"
        )
    if character == "'":
        raise invalid_json(
            source, position, position + 1, "a string needs double quotes", "write `\"` for `'`"
        )
    word = _word(text, position)
    if word is None:
        hint = "a comment begins with `//`" if character in "#/" else None
        raise invalid_json(source, position, position + 1, "this does not begin a value", hint)
    written = word[0]
    stop = word.end()
    if written.lstrip("+-").lower() in ("nan", "infinity", "inf"):
        raise invalid_json(source, position, stop, "JSON holds finite numbers only")
    if written.lower() in ("true", "false", "null", "none"):
        meant = "null" if written.lower() == "none" else written.lower()
        raise invalid_json(
            source, position, stop, f"`{written}` is not a value", write_instead(written, meant)
        )
    # other words may be a secret without its quotes
    if written[0] in "+-.0123456789":
        raise invalid_json(source, position, stop, "this is not a number", _hint(written))
    raise invalid_json(
        source, position, stop, "this word is not a value", "a string needs double quotes"
    )


def _hint(written: str) -> str | None:
    if re.match(r"-?0\d", written):
        return "a number does not begin with 0"
    if written.startswith("+"):
        return "a number does not begin with `+`"
    if re.match(r"-?\.|-?\d+\.(?!\d)", written):
        return "a decimal point needs a digit before and after it"
    return None


def _separator(source: Source, position: int, in_map: bool, begin: int) -> int:
    """Where the comma or bracket stands that follows a value and comments."""
    after = _skip(source, position)
    mark = source.text[after : after + 1]
    if not mark:
        raise _unclosed(source, in_map, begin)
    if mark in ",]}":
        return after
    closing = "}" if in_map else "]"
    summary = f"expected a comma or `{closing}` after this value"
    hint = 'a `"` in a string is written as `\\"`' if _ends_early(source, position) else None
    note = _start_of(source, closing, begin)
    raise invalid_json(source, max(position - 1, 0), position, summary, hint, note)


def _ends_early(source: Source, position: int) -> bool:
    """True when a string ends in front of more text, which mostly means with a quote inside it."""
    return source.text[position - 1 : position] == '"' and bool(_word(source.text, position))


def _unclosed(source: Source, in_map: bool, begin: int) -> Stop:
    kind, closing = ("map", "}") if in_map else ("list", "]")
    return invalid_json(source, begin, begin + 1, f"this {kind} is not closed", f"add `{closing}`")


def _wrong_bracket(source: Source, position: int, closing: str, begin: int) -> Stop:
    note = _start_of(source, closing, begin)
    return invalid_json(source, position, position + 1, f"expected `{closing}` here", None, note)


def _start_of(source: Source, closing: str, begin: int) -> Note:
    kind = "map" if closing == "}" else "list"
    return Note(f"the {kind} starts here", source.span(begin, begin + 1))


def _finish(source: Source, position: int) -> None:
    position = _skip(source, position)
    if position < len(source.text):
        raise invalid_json(
            source, position, position + 1, "there is more text after the end of the document"
        )


def _end(source: Source, position: int) -> Stop:
    if not source.text[:position].strip("\ufeff \t\r\n"):
        return invalid_json(source, 0, 0, "the text is empty")
    return invalid_json(source, position, position, "the text ends where a value is expected")
