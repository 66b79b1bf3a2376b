"""What stands on one line of YAML after a key or a dash, as far as that is certain."""

from __future__ import annotations

import re
from typing import Any, Final, TypeAlias

from ..settings import Limits
from .scalars import SUSPECT, OutOfRange, resolve
from .segments import Split, parts

SCALAR: Final = 0
TEMPLATE: Final = 1
ARRAY: Final = 2
MAP: Final = 3
BLOCK: Final = 4
WAITING: Final = 5
UNSURE: Final = 6
BLANK: Final = 7

Value: TypeAlias = tuple[int, Any, int]
"""A kind, what it holds, and how many characters it is written with.

A scalar holds its value, a template its segments and its text, an array and a map (written in
brackets) a `Brackets`. A block holds whether its last line break is left out. `WAITING` says that
the value comes on the next lines or is null, `UNSURE` that a parser must tell.
"""

Line: TypeAlias = tuple[int, int, bool, int, str | None, int, int, Any, int]
"""What a line says, in offsets from its start.

How long it is, its break included; where it begins to say something; whether that is a dash; where
what follows the dash begins; the key there, None for a value alone; and the offset of the value (of
the end of the colon or the dash for one that waits) with the value. A line that says nothing has
the kind `BLANK`.
"""

UNSURE_VALUE: Final[Value] = (UNSURE, None, 0)

# three dots and a blank end a document where they stand leftmost
_KEY: Final = re.compile(
    r"((?!\.\.\.\ )[A-Za-z0-9_$./][\w$./@+*-]*+(?:\ [\w$./@+*-]++)*+)|\"([^\"\\]++)\"|'([^']++)'",
    re.ASCII,
).fullmatch
LONGEST_KEY: Final = 128
_PLAIN: Final = re.compile(
    r"(?:[^-?:,\[\]{}#&*!|>'\"%@` ]|-[^ :#])"
    r"(?:[^ :#]++|:(?=[^ ])|(?<=[^ ])\#|\ ++(?=[^ #]))*+"
).match
_FIRST: Final = frozenset("$./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_DOUBLE: Final = re.compile(r'"((?:[^"\\]++|\\["\\/nt])*+)"').match
_SINGLE: Final = re.compile(r"'((?:[^']++|'')*+)'").match
_ESCAPE: Final = re.compile(r"\\(.)").sub
_ESCAPES: Final = {"n": "\n", "t": "\t"}
REST: Final = re.compile(r"\ *(?:\ \#.*)?").fullmatch


def line_of(line: str, split: Split, opener: str, limits: Limits) -> Line:
    """What a line says: `key: value`, `key:` or a value alone, after a dash or not.

    Raises:
        LanguageError: for what `split` refuses.
    """
    # most lines are a word, a colon and a plain value; once compiled, looking for what they may not
    # hold takes a third of the time of a pattern for what they are
    size = len(line) + 1
    body = line.lstrip(" ")
    indent = inner = size - 1 - len(body)
    dashed = body.startswith("- ")
    if dashed:
        body = body[2:].lstrip(" ")
        inner = size - 1 - len(body)
    key, colon, text = body.partition(": ")
    if colon and key.isascii() and key.replace("_", "a").isalnum():
        text = text.lstrip(" ")
        if (
            text
            and text[0] in _FIRST
            and text[-1] not in ": "
            and ": " not in text
            and " #" not in text
            and len(key) <= min(LONGEST_KEY, limits.max_key_chars)
            and size <= limits.max_scalar_chars
        ):
            offset = size - 1 - len(text)
            value: Value
            if opener in text:
                segments = split(text)
                if segments.substitutions:
                    value = TEMPLATE, (segments, text), len(text)
                else:
                    value = SCALAR, text, len(text)
            elif text[0] in SUSPECT:
                value = plain_value(text, len(text), split, opener)
            else:
                value = SCALAR, text, len(text)
            return size, indent, dashed, inner, key, offset, *value
    return _line_of(line, split, opener, limits)


def _line_of(line: str, split: Split, opener: str, limits: Limits) -> Line:
    """What any line says, in small steps."""
    body = line.lstrip(" ")
    size = len(line) + 1
    indent = inner = size - 1 - len(body)
    if not body or body[0] == "#":
        return size, indent, False, inner, None, 0, BLANK, None, 0
    dash = body[0] == "-" and body[1:2] in " "
    if dash:
        body = body[1:].lstrip(" ")
        inner = size - 1 - len(body)
        if not body:
            return size, indent, True, inner, None, indent + 1, WAITING, None, 0
    if len(body) > limits.max_scalar_chars:
        return size, indent, dash, inner, None, 0, *UNSURE_VALUE
    key, colon, raw = _key(body, opener, limits)
    if key is not None and (not raw or raw[0] == "#"):
        return size, indent, dash, inner, key, inner + colon, WAITING, None, 0
    return size, indent, dash, inner, key, size - 1 - len(raw), *_value(raw, split, opener, limits)


def _key(body: str, opener: str, limits: Limits) -> tuple[str | None, int, str]:
    """The key that a line begins with, where its colon ends, and what follows.

    None when there is no key, or none that is certain; all of the line follows then.
    """
    head, colon, tail = body.partition(": ")
    if not colon and body[-1] == ":":
        head, colon = body[:-1], ":"
    if colon and len(head) <= min(LONGEST_KEY, limits.max_key_chars):
        match = _KEY(head)
        if match is not None and opener not in head:
            return match[1] or match[2] or match[3], len(head) + 1, tail.lstrip(" ")
    return None, 0, body


def _value(raw: str, split: Split, opener: str, limits: Limits) -> Value:
    """What a line ends with, blanks and a comment after it included."""
    first = raw[0]
    if first == "|":
        strip = raw[1:2] == "-"
        return (BLOCK, strip, 0) if REST(raw, 1 + strip) else UNSURE_VALUE
    if first == "[" or first == "{":
        from .line_brackets import read_brackets

        return read_brackets(raw, split, opener, limits)
    if first == '"':
        match = _DOUBLE(raw)
    elif first == "'":
        match = _SINGLE(raw)
    else:
        match = _PLAIN(raw)
    if match is None:
        return UNSURE_VALUE
    length = match.end()
    if length < len(raw) and not REST(raw, length):
        return UNSURE_VALUE
    if first == '"':
        text = match[1]
        if "\\" in text:
            text = _ESCAPE(lambda escape: _ESCAPES.get(escape[1], escape[1]), text)
        return text_value(text, length, split, opener)
    if first == "'":
        return text_value(match[1].replace("''", "'"), length, split, opener)
    return plain_value(match[0], length, split, opener)


def text_value(text: str, length: int, split: Split, opener: str) -> Value:
    if opener in text:
        segments = parts(text, split)
        if segments is not None:
            return TEMPLATE, (segments, text), length
    return SCALAR, text, length


def plain_value(text: str, length: int, split: Split, opener: str) -> Value:
    if opener not in text and text[0] in SUSPECT:
        try:
            return SCALAR, resolve(text), length
        except OutOfRange:
            return UNSURE_VALUE
    return text_value(text, length, split, opener)


def block(lines: list[str], number: int, level: int, strip: bool) -> tuple[str, int, int] | None:
    """The text of a literal block that begins with a line; None when it is not certain.

    Also how many lines it takes, and how many characters of them stand after its last one.
    """
    content: list[str] = []
    width = 0
    last = taken = number
    while taken < len(lines) - 1:
        line = lines[taken]
        body = line.lstrip(" ")
        if body:
            indent = len(line) - len(body)
            if not width:
                if indent <= level:
                    return None
                width = indent
            elif indent < width:
                break
            last = taken
        elif len(line) > width:
            return None
        content.append(line[width:])
        taken += 1
    else:
        if taken >= len(lines) or lines[taken]:  # the text does not end with a line break
            return None
    if not width:
        return None
    after = sum(map(len, lines[last + 1 : taken])) + taken - last
    after += len(lines[last]) - len(lines[last].rstrip(" "))
    text = "\n".join(content[: last - number + 1])
    return text if strip else text + "\n", taken - number, after
