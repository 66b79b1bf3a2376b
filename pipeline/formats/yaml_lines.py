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


def read_lines(source: Source, split: Split, opener: str, limits: Limits) -> AnyNode | None:
    """The nodes of an ordinary YAML text; None when it is not ordinary or has a mistake.

    The nodes, their places included, are those that the events of a parser give.
    """
    text = source.text
    if "\t" in text or "\r" in text:
        return None
    lines = text.split("\n")
    room = limits.max_nodes - len(lines) * _NODES_OF_A_LINE
    if room < 0:
        return None
    try:
        return _compose(source, lines, split, opener, limits, room)
    except LanguageError:
        return None


def _compose(
    source: Source, lines: list[str], split: Split, opener: str, limits: Limits, room: int
) -> AnyNode | None:
    trail = Trail(source, ("load",))
    known: dict[str, Line] = {}
    # the collection that is being filled, its lines indented by `level`; `places` is None for a
    # list; `key` is the key read last, `after` where the colon or the dash ends that waits for a
    # value, -1 when none does; `end` is the end of the value read last
    roots: list[AnyNode] = []
    top: Any = None
    items: Any = roots
    places: Any = None
    level = -1
    stack: list[tuple[Any, Any, Any, int]] = []
    key = ""
    after = end = 0
    node: AnyNode
    position = number = 0
    count = len(lines)
    max_depth = limits.max_depth
    scalar, template, blank = SCALAR, TEMPLATE, BLANK

    while number < count:
        line = lines[number]
        number += 1
        start = position
        said = known.get(line)
        if said is None:
            said = known[line] = line_of(line, split, opener, limits)
        size, indent, dash, inner, name, offset, kind, content, length = said
        position += size
        if kind == blank:
            continue

        if dash or indent != level or after >= 0 or places is None:
            # a list may stand as far left as the key it belongs to
            if after >= 0 and (indent > level or (dash and indent == level and places is not None)):
                if len(stack) >= max_depth:
                    return None
                stack.append((top, items, places, level))
                begin = start + indent
                top = Array([], trail, begin, 0) if dash else Map({}, {}, trail, begin, 0)
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
            continue
        elif kind == BLOCK:
            found = block(lines, number, level, content)
            if found is None or len(found[0]) > limits.max_scalar_chars:
                return None
            text, taken, rest = found
            position += sum(map(len, lines[number : number + taken])) + taken
            number += taken
            end = position - rest
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
        else:
            items[key] = node

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
