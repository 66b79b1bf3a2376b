"""YAML as most blueprints are written, read line by line.

Blocks of `key: value` and `- item` with values on one line, and literal block scalars: for these a
line is all that has to be looked at, and what equal lines say is worked out once. That takes two
thirds of the time of a parser's events, which are an object and two marks for each word, and the
parser need not be imported. Whatever is not certain is not read here at all: `read_lines` then
answers None, and the text is read from the events of a real parser, which also finds the words for
what is wrong. So one parser says what YAML means; that this reader never differs from it is tested
with random texts.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Any, Final, TypeAlias

from ...functions.regexes import compile_regex
from ..language.errors import LanguageError
from ..language.meter import Meter
from ..values.settings import Limits
from ..values.source import Source
from ..values.tree import AnyNode, Array, Map, Scalar, Template, Trail
from .characters import most_nodes
from .scalars import CORE, OutOfRange, Split, Words, parts

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
the value comes on the next lines or is null, `UNSURE` that a parser must decide.
"""

Line: TypeAlias = tuple[int, int, bool, int, str | None, int, int, Any, int]
"""The content of a line, in offsets from its start.

How long it is, its break included; where it begins to say something; whether that is a dash; where
what follows the dash begins; the key there, None for a value alone; and the offset of the value (of
the end of the colon or the dash for one that waits) with the value. A line that says nothing has
the kind `BLANK`.
"""

UNSURE_VALUE: Final[Value] = (UNSURE, None, 0)

# three dots and a blank end a document where they stand leftmost
_KEY: Final = compile_regex(
    r"((?!\.\.\.\ )[A-Za-z0-9_$./][\w$./@+*-]*+(?:\ [\w$./@+*-]++)*+)|\"([^\"\\]++)\"|'([^']++)'",
    re.ASCII,
).fullmatch
LONGEST_KEY: Final = 128
_PLAIN: Final = compile_regex(
    r"(?:[^-?:,\[\]{}#&*!|>'\"%@` ]|-[^ :#])"
    r"(?:[^ :#]++|:(?=[^ ])|(?<=[^ ])\#|\ ++(?=[^ #]))*+"
).match
_FIRST: Final = frozenset("$./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_DOUBLE: Final = compile_regex(r'"((?:[^"\\]++|\\["\\/nt])*+)"').match
_SINGLE: Final = compile_regex(r"'((?:[^']++|'')*+)'").match
_ESCAPE: Final = compile_regex(r"\\(.)").sub
_ESCAPES: Final = {"n": "\n", "t": "\t"}
REST: Final = compile_regex(r"\ *(?:\ \#.*)?").fullmatch


def line_of(line: str, split: Split, opener: str, limits: Limits, words: Words) -> Line:
    """The content of a line: `key: value`, `key:` or a value alone, after a dash or not.

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
            and (not words.keys or key[0] not in words.keys)
        ):
            offset = size - 1 - len(text)
            value: Value
            if opener in text:
                segments = split(text)
                if segments.substitutions:
                    value = TEMPLATE, (segments, text), len(text)
                else:
                    value = SCALAR, text, len(text)
            elif text[0] in words.suspect:
                value = plain_value(text, len(text), split, opener, words)
            else:
                value = SCALAR, text, len(text)
            return size, indent, dashed, inner, key, offset, *value
    return _line_of(line, split, opener, limits, words)


def _line_of(line: str, split: Split, opener: str, limits: Limits, words: Words) -> Line:
    """The content of any line, parsed in small steps."""
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
    key, colon, raw = _key(body, opener, limits, words)
    if key is not None and (not raw or raw[0] == "#"):
        return size, indent, dash, inner, key, inner + colon, WAITING, None, 0
    value = _value(raw, split, opener, limits, words)
    return size, indent, dash, inner, key, size - 1 - len(raw), *value


def _key(body: str, opener: str, limits: Limits, words: Words) -> tuple[str | None, int, str]:
    """The key that a line begins with, where its colon ends, and what follows.

    None without a key, or if it is not certain; all of the line follows then.
    """
    head, colon, tail = body.partition(": ")
    if not colon and body[-1] == ":":
        head, colon = body[:-1], ":"
    if colon and len(head) <= min(LONGEST_KEY, limits.max_key_chars):
        match = _KEY(head)
        if match is not None and opener not in head and is_name(match[1], words):
            return match[1] or match[2] or match[3], len(head) + 1, tail.lstrip(" ")
    return None, 0, body


def is_name(key: str | None, words: Words) -> bool:
    """True for a key that is a string; one with quotes is given as None."""
    if not words.keys or not key or key[0] not in words.keys:
        return True
    try:
        return isinstance(words.resolve(key), str)
    except OutOfRange:
        return False


def _value(raw: str, split: Split, opener: str, limits: Limits, words: Words) -> Value:
    """The value that a line ends with, blanks and a comment after it included."""
    first = raw[0]
    if first == "|":
        strip = raw[1:2] == "-"
        return (BLOCK, strip, 0) if REST(raw, 1 + strip) else UNSURE_VALUE
    if first == "[" or first == "{":
        return read_brackets(raw, split, opener, limits, words)
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
    return plain_value(match[0], length, split, opener, words)


def text_value(text: str, length: int, split: Split, opener: str) -> Value:
    if opener in text:
        segments = parts(text, split)
        if segments is not None:
            return TEMPLATE, (segments, text), length
    return SCALAR, text, length


def plain_value(text: str, length: int, split: Split, opener: str, words: Words) -> Value:
    if opener not in text and text[0] in words.suspect:
        try:
            return SCALAR, words.resolve(text), length
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


# nodes besides those in brackets: two collections, a value, and a null for the line before
_NODES_OF_A_LINE: Final = 4
_LINES_A_LOOK: Final = 1024
_NONE: Final = -1


def read_lines(
    source: Source,
    split: Split,
    opener: str,
    meter: Meter,
    start: int = 0,
    stop: int | None = None,
    known: dict[str, Line] | None = None,
    words: Words = CORE,
) -> AnyNode | None:
    """The nodes of an ordinary YAML text; None when it is not ordinary or has a mistake.

    The nodes, their places included, are those that the events of a parser give. With `start` and
    `stop` the document that stands there is read, which begins with a line; the documents of a text
    share what is `known` of lines.
    """
    text = source.text if stop is None else source.text[start:stop]
    if "\t" in text or "\r" in text:
        return None
    lines = text.split("\n")
    room = most_nodes(meter) - len(lines) * _NODES_OF_A_LINE
    if room < 0:
        return None
    try:
        return _compose(
            source, lines, split, opener, meter, room, start, {} if known is None else known, words
        )
    except LanguageError:
        return None


def _compose(
    source: Source,
    lines: list[str],
    split: Split,
    opener: str,
    meter: Meter,
    room: int,
    begin: int,
    known: dict[str, Line],
    words: Words,
) -> AnyNode | None:
    # `line_of` and `read_brackets` leave keys with substitutions to a parser
    trail = Trail(source, ("load",), plain_keys=True)
    known_line = known.get
    # the collection that is being filled, its lines indented by `level`; `places` is None for a
    # list; `key` is the key read last, `after` where the colon or the dash ends that waits for a
    # value, -1 when none does; `end` is the end of the value read last; `simple` is the indent of a
    # line that only adds a key and its value to the map that is being filled, as most lines do
    roots: list[AnyNode] = []
    top: Any = None
    items: Any = roots
    places: Any = None
    level = -1
    stack: list[tuple[Any, Any, Any, int]] = []
    key = ""
    after = end = 0
    simple = _NONE
    node: AnyNode
    number = 0
    position = counted = begin
    limits = meter.limits
    max_depth = limits.max_depth
    count = 1
    unlooked = _LINES_A_LOOK
    scalar, template = SCALAR, TEMPLATE

    rest = iter(lines)
    for line in rest:
        said = known_line(line)
        if said is None:
            said = known[line] = line_of(line, split, opener, limits, words)
            unlooked -= 1
            if unlooked < 0:
                unlooked = _LINES_A_LOOK
                meter.check_time()
        size, indent, dash, inner, name, offset, kind, content, length = said
        if kind <= template and indent == simple and name is not None and not dash:
            if name in items:
                return None
            places[name] = position + indent
            at = position + offset
            end = at + length
            if kind == scalar:
                items[name] = Scalar(content, trail, at, end)
            else:
                items[name] = Template(content[0], content[1], trail, at, end)
            position += size
            continue

        start = position
        position += size
        if kind == BLANK:
            continue

        if dash or indent != level or after >= 0 or places is None:
            # a list may stand as far left as the key it belongs to
            if after >= 0 and (indent > level or (dash and indent == level and places is not None)):
                if len(stack) >= max_depth:
                    return None
                stack.append((top, items, places, level))
                at = start + indent
                top = Array([], trail, at, 0) if dash else Map({}, {}, trail, at, 0)
                if places is None:
                    items.append(top)
                else:
                    items[key] = top
                items, places = top.items, None if dash else top.places
                level, after = indent, -1
            else:
                if after >= 0:
                    end = after
                    node = Scalar(None, trail, end, end)
                    if places is None:
                        items.append(node)
                    else:
                        items[key] = node
                    after = -1
                while indent < level or (places is None and not dash and indent == level):
                    top.end = end
                    count += len(items)
                    top, items, places, level = stack.pop()
                if indent != level or dash is not (places is None):
                    return None

        if name is not None:
            if dash:
                if len(stack) >= max_depth:
                    return None
                stack.append((top, items, places, level))
                top = Map({}, {}, trail, start + inner, 0)
                items.append(top)
                items, places, level = top.items, top.places, inner
            elif name in items:
                return None
            places[name] = start + inner
            key = name
        elif not dash:
            return None

        at = start + offset
        if kind == scalar:
            end = at + length
            node = Scalar(content, trail, at, end)
        elif kind == template:
            end = at + length
            node = Template(content[0], content[1], trail, at, end)
        elif kind == WAITING:
            after = at
            simple = _NONE
            continue
        elif kind == BLOCK:
            number += source.text.count("\n", counted, position)
            counted = position
            found = block(lines, number, level, content)
            if found is None or len(found[0]) > limits.max_scalar_chars:
                return None
            text, taken, blanks = found
            position += sum(map(len, islice(rest, taken))) + taken
            end = position - blanks
            segments = parts(text, split, True) if opener in text else None
            if segments is None:
                node = Scalar(text, trail, at, end)
            else:
                node = Template(segments, text, trail, at, end)
        elif kind == UNSURE:
            return None
        else:
            room -= content.count
            count += content.count
            if room < 0 or len(stack) + content.depth > max_depth:
                return None
            end = at + length
            node = content.node(kind, trail, at, at, end)
        if places is None:
            items.append(node)
            simple = _NONE
        else:
            items[key] = node
            simple = level

    if after >= 0:
        if not stack:
            return None
        end = after
        node = Scalar(None, trail, end, end)
        if places is None:
            items.append(node)
        else:
            items[key] = node
    while stack:
        top.end = end
        count += len(items)
        top, items, places, level = stack.pop()
    meter.spend_nodes(count)
    return roots[0]


_MOST_LEVELS: Final = 20
_BLANKS: Final = compile_regex(r"\ *+").match
_BRACKET_KEY: Final = compile_regex(
    r"(?:([A-Za-z0-9_$./][\w$./@+-]*+):\ |(?:\"([^\"\\]++)\"|'([^']++)'):)\ *+", re.ASCII
).match
_SCALAR: Final = compile_regex(
    r"\"((?:[^\"\\]++|\\[\"\\/nt])*+)\"|'([^']*+)'|"
    r"((?:[A-Za-z0-9_$./+]|-(?=[0-9]))(?:[\w$./@+-]|:(?=[\w$./@+-]))*+(?:\ ++[\w$./@+-]++)*+)",
    re.ASCII,
).match


class Brackets:
    """A collection in brackets.

    `items` has for each value its key and the key's offset (None and 0 in an array), the value's
    offset and the value. `count` is the number of all values inside, `depth` of levels.
    """

    __slots__ = ("count", "depth", "items")

    def __init__(self) -> None:
        self.items: list[tuple[str | None, int, int, Value]] = []
        self.count = 0
        self.depth = 1

    def node(self, kind: int, trail: Trail, origin: int, at: int, end: int) -> AnyNode:
        """The nodes for it, written from `at` to `end`; its offsets count from `origin`."""
        nodes: list[AnyNode] = []
        for _, _, offset, (what, content, size) in self.items:
            begin = origin + offset
            if what in (ARRAY, MAP):
                nodes.append(content.node(what, trail, origin, begin, begin + size))
            elif what == TEMPLATE:
                nodes.append(Template(content[0], content[1], trail, begin, begin + size))
            else:
                nodes.append(Scalar(content, trail, begin, begin + size))
        if kind == ARRAY:
            return Array(nodes, trail, at, end)
        keys: Any = [key for key, *_ in self.items]
        places: Any = {key: origin + offset for key, offset, *_ in self.items}
        return Map(dict(zip(keys, nodes, strict=True)), places, trail, at, end)


def read_brackets(raw: str, split: Split, opener: str, limits: Limits, words: Words) -> Value:
    """The value of a text that begins with a bracket; it may end with a comment.

    Raises:
        LanguageError: for what `split` refuses.
    """
    longest = min(LONGEST_KEY, limits.max_key_chars)
    value = _read(raw, 0, split, opener, longest, _MOST_LEVELS, words)
    return value if value[0] != UNSURE and REST(raw, value[2]) else UNSURE_VALUE


def _read(
    raw: str, begin: int, split: Split, opener: str, longest: int, levels: int, words: Words
) -> Value:
    kind, closing = (ARRAY, "]") if raw[begin] == "[" else (MAP, "}")
    found = Brackets()
    keys: set[str | None] = set()
    position = _after_blanks(raw, begin + 1)
    if raw[position : position + 1] == closing:
        return kind, found, position + 1 - begin
    if not levels:
        return UNSURE_VALUE
    while True:
        key, place = None, 0
        if kind == MAP:
            match = _BRACKET_KEY(raw, position)
            if match is None:
                return UNSURE_VALUE
            key, place = match[1] or match[2] or match[3], position
            if key in keys or len(key) > longest or opener in key or not is_name(match[1], words):
                return UNSURE_VALUE
            keys.add(key)
            position = match.end()
        if raw[position : position + 1] in ("[", "{"):
            value = _read(raw, position, split, opener, longest, levels - 1, words)
            if value[0] != UNSURE:
                found.count += value[1].count
                found.depth = max(found.depth, value[1].depth + 1)
        else:
            value = _scalar(raw, position, split, opener, words)
        if value[0] == UNSURE:
            return UNSURE_VALUE
        found.items.append((key, place, position, value))
        position = _after_blanks(raw, position + value[2])
        after = raw[position : position + 1]
        if after == closing:
            found.count += len(found.items)
            return kind, found, position + 1 - begin
        position = _after_blanks(raw, position + 1)
        if after != "," or raw[position : position + 1] in ("", closing):
            return UNSURE_VALUE


def _scalar(raw: str, position: int, split: Split, opener: str, words: Words) -> Value:
    match = _SCALAR(raw, position)
    if match is None:
        return UNSURE_VALUE
    double, single, plain = match.groups()
    length = match.end() - position
    if plain is not None:
        return plain_value(plain, length, split, opener, words)
    if double is None:
        return text_value(single, length, split, opener)
    if "\\" in double:
        double = _ESCAPE(lambda escape: _ESCAPES.get(escape[1], escape[1]), double)
    return text_value(double, length, split, opener)


def _after_blanks(raw: str, position: int) -> int:
    if not raw.startswith(" ", position):
        return position
    match = _BLANKS(raw, position)
    assert match is not None
    return match.end()
