"""YAML text into nodes: line by line where it is ordinary, else straight from parser events.

Both are the hot path of every render, hence loops over local variables and no intermediate objects.
What the specification does not support (tags, anchors, aliases, merge keys) and what would
make two readers disagree (duplicate keys, several documents, directives) is refused at its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from ...functions.regexes import compile_regex
from ..language.meter import Meter
from ..values.diagnostics import Diagnostic, Diagnostics, Stop
from ..values.source import Repeated, Source
from ..values.tree import AnyNode, Array, Map, Scalar, Template, Trail
from .characters import (
    NODES_A_LOOK,
    check_size,
    check_yaml_characters,
    duplicate_key,
    most_nodes,
    number_out_of_range,
    over_limit,
    shown,
    too_many_nodes,
)
from .scalars import SUSPECT, OutOfRange, Split, leave, resolve, template
from .yaml_fast import Line, read_lines

_DIRECTIVE: Final = r"\ufeff?(?:[ \t]*(?:#[^\r\n]*)?[\r\n])*+(%[^\r\n]*)"
_PROPERTY: Final = r"[ \t]*([&!][^\s,\[\]{}]*)"
_IN_ARRAY: Final = object()
_MARKER: Final = compile_regex(r"^---[ \t]*(?:$|\n)|^\.\.\.(?![^ \t\n])", re.MULTILINE)
_CONTENT: Final = compile_regex(r"^[ ]*[^ #\n]", re.MULTILINE)
_MERGING: Final = object()
_NO_TEMPLATE: Final = "`{{..}}` is of another language: a substitution has one pair of braces"
_CALLS: Final = frozenset({"!Ref", "!Sub", "!GetAtt", "!Join", "!If", "!FindInMap", "!ImportValue"})
_MERGE: Final = "<<"


def read_yaml(
    source: Source, split: Split, opener: str, meter: Meter, diagnostics: Diagnostics
) -> AnyNode | None:
    """The nodes of a YAML text; null for an empty one, None when it cannot be read to its end.

    `split` is called for strings that contain `opener`. Mistakes are added to `diagnostics`, all of
    them up to the first that YAML cannot be read past; a tree that comes back may have mistakes.
    Keys that are not strings (`1`, `true`) become strings as they are written.
    """
    if not is_readable(source, meter, diagnostics):
        return None
    ordinary = read_lines(source, split, opener, meter)
    if ordinary is not None:
        return ordinary
    return _composed(source, split, opener, meter, diagnostics)


def read_yaml_documents(
    source: Source, split: Split, opener: str, meter: Meter, diagnostics: Diagnostics
) -> list[AnyNode] | None:
    """The nodes of each document of a YAML text; arguments and mistakes are those of `read_yaml`.

    Documents with nothing in them do not count. Anchors, aliases and merge keys are read: formats
    of several documents have them.
    """
    if not is_readable(source, meter, diagnostics):
        return None
    found = _ordinary_documents(source, split, opener, meter)
    if found is None:
        found = []
        if _composed(source, split, opener, meter, diagnostics, found) is None:
            return None
    return [node for node in found if not (isinstance(node, Scalar) and node.value is None)]


def _ordinary_documents(
    source: Source, split: Split, opener: str, meter: Meter
) -> list[AnyNode] | None:
    """All documents, read line by line; None when one of them is not ordinary."""
    text = source.text
    before = meter.nodes_left()
    found: list[AnyNode] = []
    known: dict[str, Line] = {}
    start = 0
    for marker in [*_MARKER.finditer(text), None]:
        if marker is not None and marker[0].startswith("."):
            return None
        stop = marker.start() if marker is not None else len(text)
        if _CONTENT.search(text, start, stop):
            node = read_lines(source, split, opener, meter, start, stop, known)
            if node is None:
                meter.spend_nodes(meter.nodes_left() - before)  # all will be read once more
                return None
            found.append(node)
        start = marker.end() if marker is not None else stop
    return found


def is_readable(source: Source, meter: Meter, diagnostics: Diagnostics) -> bool:
    """False for a text that no parser is given; says why."""
    if not check_size(source, meter, diagnostics):
        return False
    if not check_yaml_characters(source, diagnostics):
        return False
    directive = re.match(_DIRECTIVE, source.text) if "%" in source.text else None
    if directive:
        diagnostics.error(
            "yaml_directive_not_supported",
            source.span(directive.start(1), directive.end(1)),
            "YAML directives are not supported",
            "remove the line",
        )
        return False
    return True


def _composed(
    source: Source,
    split: Split,
    opener: str,
    meter: Meter,
    diagnostics: Diagnostics,
    documents: list[AnyNode] | None = None,
) -> AnyNode | None:
    """The nodes that `compose` makes; None when it stops at a mistake, which is reported."""
    from .yaml_events import YAMLError

    try:
        try:
            return compose(source, split, opener, meter, diagnostics, None, documents)
        except YAMLError as error:
            from .yaml_events import may_hold_words, open_word_events

            if not may_hold_words(source.text):
                raise
            events = partial(open_word_events, refused=error)
            if documents:
                documents.clear()
            return compose(source, split, opener, meter, diagnostics, events, documents)
    except Stop as stop:
        diagnostics.add(stop.diagnostic)
    except YAMLError as error:
        from .yaml_problems import describe

        diagnostics.add(describe(error, source, opener))
    return None


def compose(
    source: Source,
    split: Split,
    opener: str,
    meter: Meter,
    diagnostics: Diagnostics,
    events: Callable[[str], Callable[[], Any]] | None = None,
    documents: list[AnyNode] | None = None,
) -> AnyNode:
    """The nodes that a parser's events make; arguments are those of `read_yaml`.

    `events` opens the events of a text; by default `open_events` does. To the list `documents`
    all documents are added, which may have aliases; without it both are refused.

    Raises:
        Stop: after a mistake that makes the rest unreadable.
        YAMLError: when the text is not YAML.
    """
    from . import yaml_events as kinds

    scalar = kinds.ScalarEvent
    mapping_start, mapping_end = kinds.MappingStartEvent, kinds.MappingEndEvent
    sequence_start, sequence_end = kinds.SequenceStartEvent, kinds.SequenceEndEvent
    text = source.text
    next_event = (events or kinds.open_events)(for_parser(text))
    trail = Trail(source, ("load",))
    rare = "&" in text or "!" in text or "<<" in text or "?" in text
    limits = meter.limits
    max_depth = limits.max_depth
    max_key_chars = limits.max_key_chars
    max_scalar_chars = limits.max_scalar_chars
    long = len(text) > max_scalar_chars
    most = budget = most_nodes(meter)

    roots: list[AnyNode] = [] if documents is None else documents
    # what is being filled: an array's list (key is _IN_ARRAY) or a map's dict (key is the key that
    # waits for its value, None when a key is due); `end` is the end of the node read last
    items: Any = roots
    places: dict[str, int] = {}
    key: Any = _IN_ARRAY
    begin = end = 0
    stack: list[tuple[Any, dict[str, int], Any, int]] = []
    nameless: list[tuple[dict[object, AnyNode], object]] = []
    anchors: Anchors | None = None
    if documents is not None and rare:
        anchors = Anchors()
    # for each collection its anchor, and what was left of the budget before it
    anchored: list[tuple[str | None, int]] = []
    name: str | None = None
    size = 1
    node: AnyNode
    started = False

    while True:
        event = next_event()
        kind = type(event)
        if kind is scalar:
            start = event.start_mark.index
            if rare:
                _refuse_rare(event, source, start, key is None, diagnostics, anchors)
                name, size = event.anchor, 1
            if key is None:
                value = event.value
                if anchors is not None:
                    if value == _MERGE and not event.style:
                        key = _MERGING
                        continue
                    if name is not None:
                        anchors.keep(name, Scalar(value, trail, start, event.end_mark.index), 1)
                        name = None
                if value in items and not (anchors and anchors.gives_way(items, value)):
                    diagnostics.add(duplicate_key(source, value, start, places[value]))
                    value = Repeated(value)
                places[value] = start
                if len(value) > max_key_chars:
                    raise over_limit(source, start, "max_key_chars", limits)
                key = value
                continue
            budget -= 1
            if budget < 0:
                raise too_many_nodes(source, start, meter)
            if not budget & NODES_A_LOOK:
                meter.check_time()
            if long and len(event.value) > max_scalar_chars:
                raise over_limit(source, start, "max_scalar_chars", limits)
            cut = leave if rare and event.ctag is not None else split
            node = _scalar(event, cut, opener, trail, start, diagnostics)
            end = node.end
        elif kind is mapping_start or kind is sequence_start:
            start = event.start_mark.index
            budget -= 1
            if budget < 0:
                raise too_many_nodes(source, start, meter)
            if not budget & NODES_A_LOOK:
                meter.check_time()
            if len(stack) >= max_depth:
                raise over_limit(source, start, "max_depth", limits)
            if rare and (event.anchor is not None or event.ctag is not None):
                _refuse_properties(source, start, diagnostics, anchors)
            if key is None:
                _invalid_key(source, start, diagnostics)
            anchored.append((event.anchor, budget + 1))
            stack.append((items, places, key, begin))
            begin = start
            if kind is mapping_start:
                items, places, key = {}, {}, None
            else:
                items, key = [], _IN_ARRAY
            continue
        elif kind is mapping_end or kind is sequence_end:
            start = event.start_mark.index
            # brackets end where they close, block collections with the last node in them
            if text[start : start + 1] in ("]", "}") and event.end_mark.index == start + 1:
                end = start + 1
            if kind is mapping_end:
                node = Map(items, places, trail, begin, end)
            else:
                node = Array(items, trail, begin, end)
            items, places, key, begin = stack.pop()
            name, size = anchored.pop()
            size -= budget
        elif kind is kinds.AliasEvent:
            start = event.start_mark.index
            node, size = _alias(event, trail, start, anchors, diagnostics)
            end = event.end_mark.index
            if anchors is not None:
                budget -= size
                if budget < 0:
                    raise too_many_nodes(source, start, meter)
                if len(stack) + anchors.levels(node) > max_depth:
                    raise over_limit(source, start, "max_depth", limits)
                if key is None:
                    _invalid_key(source, start, diagnostics)
        elif kind is kinds.DocumentStartEvent:
            if started and documents is None:
                raise Stop(_second_document(source, event.start_mark.index))
            started = True
            if anchors is not None:
                anchors = Anchors()
            continue
        elif kind is kinds.StreamEndEvent:
            break
        else:
            continue

        if name is not None:
            if anchors is not None:
                anchors.keep(name, node, size)
            name = None
        if key is _IN_ARRAY:
            items.append(node)
        elif key is _MERGING:
            assert anchors is not None
            anchors.merge(items, places, node, diagnostics)
            key = None
        elif key is None:
            # a key that is not a scalar: an object stands in for it, and is removed with its value
            key = object()
            nameless.append((items, key))
        else:
            items[key] = node
            key = None

    meter.spend_nodes(most - budget)
    for holder, stand_in in nameless:
        holder.pop(stand_in, None)
    return roots[0] if roots else Scalar(None, trail, 0, 0)


def for_parser(text: str) -> str:
    """The text that a parser is given, with the same offsets."""
    # a line break replaces the byte order mark
    readable = "\n" + text[1:] if text.startswith("\ufeff") else text
    if text.endswith(" ") and not text.rpartition("\n")[2].strip(" "):
        readable += "\n"  # a block string at the end keeps a line of blanks as if it had ended
    return readable


def _scalar(
    event: Any, split: Split, opener: str, trail: Trail, start: int, diagnostics: Diagnostics
) -> Scalar | Template:
    """The node of a scalar's event."""
    value = event.value
    end = event.end_mark.index
    style = event.style
    if style:
        block = style in "|>"
        if block:
            text = trail.source.text
            end = min(end, len(text))
            while text[end - 1] in " \t\r\n":
                end -= 1
        if opener in value:
            return template(value, split, trail, start, end, diagnostics, block)
    elif opener in value:
        return template(value, split, trail, start, end, diagnostics)
    elif value[:1] in SUSPECT:
        try:
            return Scalar(resolve(value), trail, start, end)
        except OutOfRange as problem:
            diagnostics.add(number_out_of_range(problem, trail.source, start, end))
    return Scalar(value, trail, start, end)


def _alias(
    event: Any, trail: Trail, start: int, anchors: Anchors | None, diagnostics: Diagnostics
) -> tuple[AnyNode, int]:
    """The node that an alias stands for, and its size; null for a refused or unknown one."""
    span = trail.source.span(start, event.end_mark.index)
    known = anchors.find(event.anchor) if anchors is not None else None
    if known is not None:
        return known
    if anchors is not None:
        summary = f"there is no anchor `&{shown(event.anchor)}` before this alias"
        diagnostics.error("invalid_yaml", span, summary)
    else:
        diagnostics.error(
            "yaml_alias_not_supported",
            span,
            "YAML aliases are not supported",
            "write the value out, or compute it once and refer to it",
        )
    return Scalar(None, trail, start, span.end), 1


def _refuse_rare(
    event: Any,
    source: Source,
    start: int,
    is_key: bool,
    diagnostics: Diagnostics,
    anchors: Anchors | None,
) -> None:
    if source.text[start : start + 1] in ("&", "!"):
        _refuse_properties(source, start, diagnostics, anchors)
        return
    end = event.end_mark.index
    before = source.text[max(0, start - 1) : start] == "?"
    # a part of a word, which must not be quoted
    if before or (event.value and not event.style and source.text.startswith("?", end)):
        from .yaml_events import mark_in_word

        raise mark_in_word(start - 1 if before else end)
    if is_key and event.value == _MERGE and not event.style and anchors is None:
        diagnostics.error(
            "yaml_alias_not_supported",
            source.span(start, start + 2),
            "YAML merge keys are not supported",
            "write the keys out",
        )


def _refuse_properties(
    source: Source, start: int, diagnostics: Diagnostics, anchors: Anchors | None
) -> None:
    """Report the tag that begins a node, and the anchor where there may be none."""
    properties = re.compile(_PROPERTY)
    found = properties.match(source.text, start)
    while found:
        span = source.span(found.start(1), found.end(1))
        is_anchor = found[1].startswith("&")
        if not is_anchor or anchors is None:
            code = "yaml_alias_not_supported" if is_anchor else "yaml_tag_not_supported"
            kind = "anchor" if is_anchor else "tag"
            hint = f"remove the {kind}, or put quotes around the string if it is meant as text"
            if found[1] in _CALLS:
                hint = "write a substitution instead"
            diagnostics.error(code, span, f"YAML {kind}s are not supported", hint)
        found = properties.match(source.text, found.end())


def _invalid_key(source: Source, start: int, diagnostics: Diagnostics) -> None:
    diagnostics.error(
        "invalid_key",
        source.span(start, start + 1),
        "a key must be a string, this one is a map or a list",
        _NO_TEMPLATE
        if source.text.startswith("{{", start - 1)
        else "put quotes around it if it is meant as text",
    )


def _second_document(source: Source, start: int) -> Diagnostic:
    return Diagnostic(
        "multiple_documents",
        "a second YAML document starts here, and a blueprint is one document",
        source.span(start, min(start + 3, len(source.text))),
        hint="put each document in a file of its own",
    )


class Anchors:
    """The anchored nodes of one document.

    An alias stands for the very node, places included; `size` is how many nodes that is. What a
    merge key brings gives way to what is written in the same map, before or after it.
    """

    def __init__(self) -> None:
        self._nodes: dict[str, tuple[AnyNode, int]] = {}
        self._levels: dict[int, int] = {}
        self._brought: dict[int, set[str]] = {}

    def keep(self, name: str, node: AnyNode, size: int) -> None:
        """Keeps an anchored node; a later one of the same name takes its place."""
        self._nodes[name] = node, size

    def find(self, name: str) -> tuple[AnyNode, int] | None:
        """The node of a complete anchor, and its size; None for an unknown name."""
        return self._nodes.get(name)

    def levels(self, node: AnyNode) -> int:
        """The depth of a node; each node is visited once."""
        if not isinstance(node, (Map, Array)):
            return 0
        known = self._levels.get(id(node))
        if known is None:
            inside = node.items.values() if isinstance(node, Map) else node.items
            known = self._levels[id(node)] = 1 + max(map(self.levels, inside), default=0)
        return known

    def gives_way(self, items: dict[str, AnyNode], key: str) -> bool:
        """True, once, for a key of a map that only a merge key has brought."""
        brought = self._brought.get(id(items), set())
        if key in brought:
            brought.discard(key)
            return True
        return False

    def merge(
        self,
        items: dict[str, AnyNode],
        places: dict[str, int],
        node: AnyNode,
        diagnostics: Diagnostics,
    ) -> None:
        """Adds to a map what its merge key holds: a map or a list, earlier first."""
        brought = self._brought.setdefault(id(items), set())
        for one in node.items if isinstance(node, Array) else [node]:
            if not isinstance(one, Map):
                diagnostics.error(
                    "invalid_map",
                    one.span,
                    "a merge key takes a map or a list of maps",
                    "write `<<: *name` for the map with the anchor `&name`",
                )
                continue
            for key, child in one.items.items():
                if key not in items:
                    items[key] = child
                    places[key] = one.places.get(key, one.start)
                    brought.add(key)
