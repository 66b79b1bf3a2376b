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

from itertools import islice
from typing import Any, Final

from ..language.errors import LanguageError
from ..settings import Limits
from ..source import Source
from ..tree import AnyNode, Array, Map, Scalar, Template, Trail
from .line_values import (
    BLANK,
    BLOCK,
    SCALAR,
    TEMPLATE,
    UNSURE,
    WAITING,
    Line,
    block,
    line_of,
)
from .segments import Split, parts

# beside what stands in brackets: two collections, a value, and a null for the line before
_NODES_OF_A_LINE: Final = 4
_NONE: Final = -1


def read_lines(
    source: Source,
    split: Split,
    opener: str,
    limits: Limits,
    start: int = 0,
    stop: int | None = None,
    known: dict[str, Line] | None = None,
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
    room = limits.max_nodes - len(lines) * _NODES_OF_A_LINE
    if room < 0:
        return None
    try:
        return _compose(
            source, lines, split, opener, limits, room, start, {} if known is None else known
        )
    except LanguageError:
        return None


def _compose(
    source: Source,
    lines: list[str],
    split: Split,
    opener: str,
    limits: Limits,
    room: int,
    begin: int,
    known: dict[str, Line],
) -> AnyNode | None:
    # a key with a substitution is none that `line_of` and `read_brackets` are sure of
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
    max_depth = limits.max_depth
    scalar, template = SCALAR, TEMPLATE

    rest = iter(lines)
    for line in rest:
        said = known_line(line)
        if said is None:
            said = known[line] = line_of(line, split, opener, limits)
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
        top, items, places, level = stack.pop()
    return roots[0]
