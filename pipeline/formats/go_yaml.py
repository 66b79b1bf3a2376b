"""YAML 1.1 as Go's packages read it, into nodes: `y` is true, all numbers are those of JSON.

Ordinary text is read line by line as everywhere (`yaml_fast`), with other words; the rest from the
events of a parser. Tags, anchors, aliases and merge keys are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import islice
from math import isfinite
from typing import Any, Final

from ...functions.go.yaml_scalars import SUSPECT, float32_text, is_time
from ...functions.go.yaml_scalars import resolve as go_value
from ...functions.regexes import compile_regex
from ...functions.values import FunctionError
from ..language.meter import Meter
from ..values.diagnostics import WARNING, Diagnostic, Diagnostics, Stop
from ..values.expression import Segments
from ..values.source import Source
from ..values.tree import AnyNode, Array, Map, Scalar, Trail
from .characters import (
    NODES_A_LOOK,
    check_yaml_characters,
    duplicate_key,
    most_nodes,
    over_limit,
    shown,
    too_many_nodes,
)
from .scalars import OutOfRange, Words
from .yaml_fast import Line, read_lines
from .yaml_reader import Anchors, for_parser, is_readable

_NO_OPENER: Final = "\0"
_MARKER: Final = compile_regex(r"^---[ \t]*(?:$|\n)|^\.\.\.(?![^ \t\n])", re.MULTILINE)
_QUOTED: Final = (
    r"(?:(?<=[-:,\[{ ] )|(?<=[\[{\n]))"
    r"""(?:"(?:[^"\\\n]|\\[^\n])*+"|'(?:[^'\n]|'')*+')"""
)
_CERTAIN: Final = compile_regex(rf"(?:[^\"'|>#!%\n]++|\n(?!---|\.\.\.)|{_QUOTED}(?=[ ,\]}}:\n]))*+")
"""What no text begins in that goes on, so that colons and dashes mean something."""
_SURE: Final = compile_regex(rf"{_QUOTED}|(^ *-(?= [^\n]*:[ \n])|:(?=[ \n]))", re.MULTILINE)
"""Each group is a node of its own in a valid text: an item with a key, the value of a key."""
_CONTENT: Final = compile_regex(r"^[ ]*[^ #\n]", re.MULTILINE)
_TAG: Final = "tag:yaml.org,2002:"
_TYPES: Final[dict[str, type]] = {"int": int, "float": float, "bool": bool, "null": type(None)}
_MERGE: Final = "<<"
_DUPLICATE: Final = "rendered_duplicate_key"
_LARGEST: Final = 2**63 - 1
_COMPUTED: Final = 2


@lru_cache(maxsize=4096)
def _float(text: str) -> str | int | float | bool | None:
    value = _integer(text)
    return float(value) if value.__class__ is int else value


def _integer(text: str) -> str | int | float | bool | None:
    value = go_value(text)
    if isinstance(value, float) and not isfinite(value):
        raise OutOfRange("a number must be finite")
    return float(value) if isinstance(value, int) and value > _LARGEST else value


_FLOATS: Final = Words("".join(SUSPECT), _float, "".join(SUSPECT))
_INTEGERS: Final = Words("".join(SUSPECT), _integer, "".join(SUSPECT))


def read_go(
    source: Source,
    meter: Meter,
    diagnostics: Diagnostics,
    *,
    integers: bool = False,
    documents: bool = False,
    computed: bool = False,
) -> AnyNode | None:
    """The nodes of the first document of a text, null for an empty one; None after a mistake.

    Numbers are floats; with `integers` those without a fraction stay integers and a key that is
    not a string is an error, as in Spiff. With `documents` an array of all documents that are not
    null. `computed` says that this run made the text, so that reading it grants nothing, and nodes
    count as two, since the text is there, too. Of equal keys the last one counts, and what follows
    the first document is ignored, with warnings.
    """
    if computed:
        if not check_yaml_characters(source, diagnostics):
            return None
    elif not is_readable(source, meter, diagnostics):
        return None
    words = _INTEGERS if integers else _FLOATS
    meter.node_weight = _COMPUTED if computed else 1
    try:
        if not (computed or documents) and (data := _json(source, meter, integers)) is not None:
            return data
        reader = _Reader(source, meter, diagnostics, words, documents)
        found = reader.ordinary()
        if found is None:
            found = reader.composed()
        if found is None or not documents:
            return found[0] if found is not None else None
        found = [one for one in found if not (isinstance(one, Scalar) and one.value is None)]
        return Array(found, found[0].trail if found else Trail(source), 0, 0)
    except FunctionError as error:  # the time is up
        diagnostics.error(error.code, source.span(0, 0), error.message, error.hint)
        return None
    finally:
        meter.node_weight = 1


def _json(source: Source, meter: Meter, integers: bool) -> AnyNode | None:
    """The nodes of a text that is JSON, by the reader of JSON; None for another one."""
    if source.text.lstrip()[:1] not in ("{", "["):
        return None
    from json import loads

    from .json_reader import read_json

    try:
        loads(source.text)  # it has no comments and no mistakes then
    except (ValueError, RecursionError):
        return None
    problems = Diagnostics(1)
    found = read_json(source, _unsplit, _NO_OPENER, meter, problems, floats=not integers)
    return found if not len(problems) else None


def plain(node: AnyNode) -> Any:
    """The data of a node without its places."""
    if isinstance(node, Map):
        return {key: plain(child) for key, child in node.items.items()}
    if isinstance(node, Array):
        return [plain(child) for child in node.items]
    assert isinstance(node, Scalar)
    return node.value


def as_floats(value: Any) -> Any:
    """Data as Go has it from JSON: all numbers are floats."""
    if isinstance(value, Mapping):
        return {str(key): as_floats(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_floats(item) for item in value]
    return float(value) if type(value) is int else value


def _unsplit(text: str) -> Segments:
    return Segments((text,))


class _Reader:
    """Reads a text line by line, or else event by event."""

    def __init__(
        self,
        source: Source,
        meter: Meter,
        diagnostics: Diagnostics,
        words: Words,
        documents: bool,
    ) -> None:
        self._source = source
        self._diagnostics = diagnostics
        self._meter = meter
        self._words = words
        self._documents = documents
        self._trail = Trail(source, ("load",), plain_keys=True)

    def ordinary(self) -> list[AnyNode] | None:
        """Documents that are read line by line, the first or all; None when one is not ordinary."""
        text, meter = self._source.text, self._meter
        if "\t" in text or "\r" in text:
            return None
        markers: list[re.Match[str]] = []
        if text.startswith(("---", "...")) or "\n---" in text or "\n..." in text:
            markers += _MARKER.finditer(text)
        found: list[AnyNode] = []
        known: dict[str, Line] = {}
        start, before = 0, meter.nodes_left()
        for marker in [*markers, None]:
            stop = marker.start() if marker is not None else len(text)
            content = _CONTENT.search(text, start, stop)
            if content and found and not self._documents:
                self._warn_of_second(text.rindex("---", 0, content.start()))
                break
            node: AnyNode | None = Scalar(None, self._trail, start, start)
            if content:
                end = stop if markers else None
                node = read_lines(
                    self._source, _unsplit, _NO_OPENER, meter, start, end, known, self._words
                )
            if node is None or (marker is not None and marker[0].startswith(".")):
                meter.spend_nodes(meter.nodes_left() - before)  # all will be read once more
                return None
            if content or start or marker is None:  # what a marker begins may be empty
                found.append(node)
            start = marker.end() if marker is not None else stop
        return found

    def composed(self) -> list[AnyNode] | None:
        """The documents that the events of a parser make; None after a mistake."""
        from .yaml_events import YAMLError, may_hold_words, open_events, open_word_events

        before = self._diagnostics.errors
        text = for_parser(self._source.text)
        try:
            self._hold_nodes()
            try:
                found = self._read(open_events(text))
            except YAMLError as error:
                if not may_hold_words(text):
                    raise
                found = self._read(open_word_events(text, error))
            return found if self._diagnostics.errors == before else None
        except Stop as stop:
            self._diagnostics.add(stop.diagnostic)
        except YAMLError as error:
            from .yaml_problems import describe

            self._diagnostics.add(describe(error, self._source, _NO_OPENER))
        return None

    def _hold_nodes(self) -> None:
        """Refuse a text that surely has too many nodes before the parser makes all that fit.

        Raises:
            Stop: at the first of them, or later.
        """
        text, most = self._source.text, most_nodes(self._meter)
        if len(text) <= most:
            return
        certain = _CERTAIN.match(text)
        found = _SURE.finditer(text, 0, certain.end() if certain else 0)
        over = next(islice((one for one in found if one[1]), most, None), None)
        if over is not None:
            raise too_many_nodes(self._source, over.start(), self._meter)

    def _read(self, next_event: Callable[[], Any]) -> list[AnyNode]:
        """The first document, null for none, or all.

        Raises:
            Stop: after a mistake that makes the rest unreadable.
            YAMLError: when the text is not YAML.
        """
        from . import yaml_events as kinds

        self._kinds = kinds
        self._next = next_event
        self._budget = most = most_nodes(self._meter)
        found: list[AnyNode] = []
        try:
            while not isinstance(event := next_event(), kinds.StreamEndEvent):
                if not isinstance(event, kinds.DocumentStartEvent):
                    continue
                if found and not self._documents:
                    self._second(event.start_mark.index)
                    break
                self._anchors = Anchors()
                node, _ = self._node(next_event(), 0)
                next_event()  # the end of the document, or what is wrong with it
                found.append(node)
        except kinds.YAMLError:
            if not found or self._documents:
                raise
            # Go does not look at what follows the first document
        self._meter.spend_nodes(most - self._budget)
        return found or [Scalar(None, self._trail, 0, 0)]

    def _second(self, start: int) -> None:
        try:
            event = self._next()
            if isinstance(event, self._kinds.ScalarEvent) and not (event.value or event.style):
                return
        except self._kinds.YAMLError:
            pass  # Go does not look at it
        self._warn_of_second(start)

    def _warn_of_second(self, start: int) -> None:
        span = self._source.span(start, min(start + 3, len(self._source.text)))
        summary = "only the first document is read, a second one starts here"
        hint = "remove the line `---`, or what follows it"
        told = Diagnostic("rendered_second_document", summary, span, WARNING, hint)
        self._diagnostics.add(told)

    def _node(self, event: Any, depth: int) -> tuple[AnyNode, int]:
        """The node that begins with an event, and how many nodes it is."""
        kinds, limits = self._kinds, self._meter.limits
        start: int = event.start_mark.index
        self._budget -= 1
        if self._budget < 0:
            raise too_many_nodes(self._source, start, self._meter)
        if not self._budget & NODES_A_LOOK:
            self._meter.check_time()
        if isinstance(event, kinds.AliasEvent):
            return self._alias(event, start, depth)
        node: AnyNode
        left = self._budget
        if isinstance(event, kinds.ScalarEvent):
            if len(event.value) > limits.max_scalar_chars:
                raise over_limit(self._source, start, "max_scalar_chars", limits)
            node = Scalar(self._value(event), self._trail, start, self._end(event))
        else:
            if depth >= limits.max_depth:
                raise over_limit(self._source, start, "max_depth", limits)
            if isinstance(event, kinds.MappingStartEvent):
                node = self._map(start, depth + 1)
            else:
                node = self._array(start, depth + 1)
        size = left - self._budget + 1
        if event.anchor is not None:
            self._anchors.keep(event.anchor, node, size)
        return node, size

    def _array(self, start: int, depth: int) -> Array:
        items: list[AnyNode] = []
        end = start
        while not isinstance(event := self._next(), self._kinds.SequenceEndEvent):
            items.append(self._node(event, depth)[0])
            end = max(end, items[-1].end)
        return Array(items, self._trail, start, self._closed(event, end))

    def _map(self, start: int, depth: int) -> Map:
        items: dict[str, AnyNode] = {}
        places: dict[str, int] = {}
        own: set[str] = set()
        end = start
        while not isinstance(event := self._next(), self._kinds.MappingEndEvent):
            place = event.start_mark.index
            if self._merges(event):
                node, _ = self._node(self._next(), depth)
                self._merge(items, places, node)
            else:
                key = self._key(event, place, depth)
                node, _ = self._node(self._next(), depth)
                if key is not None:
                    if key in own:
                        self._meter.mistake()
                        found = duplicate_key(self._source, key, place, places[key])
                        self._diagnostics.add(found.evolve(code=_DUPLICATE, severity=WARNING))
                    own.add(key)
                    items[key] = node
                    places[key] = place
            end = max(end, node.end)
        return Map(items, places, self._trail, start, self._closed(event, end))

    def _closed(self, event: Any, end: int) -> int:
        """Where a collection ends: brackets where they close, others with the last node in them."""
        place: int = event.start_mark.index
        brackets = self._source.text[place : place + 1] in ("]", "}")
        return place + 1 if brackets and event.end_mark.index == place + 1 else end

    def _end(self, event: Any) -> int:
        text = self._source.text
        end: int = min(event.end_mark.index, len(text))
        if event.style and event.style in "|>":
            while text[end - 1] in " \t\r\n":
                end -= 1
        return end

    def _alias(self, event: Any, start: int, depth: int) -> tuple[AnyNode, int]:
        found = self._anchors.find(event.anchor)
        if found is None:
            span = self._source.span(start, event.end_mark.index)
            summary = f"there is no anchor `&{shown(event.anchor)}` before this alias"
            self._diagnostics.error("invalid_yaml", span, summary)
            return Scalar(None, self._trail, start, event.end_mark.index), 1
        self._budget -= found[1]
        if self._budget < 0:
            raise too_many_nodes(self._source, start, self._meter)
        if depth + self._anchors.levels(found[0]) > self._meter.limits.max_depth:
            raise over_limit(self._source, start, "max_depth", self._meter.limits)
        return found

    def _merges(self, event: Any) -> bool:
        return (
            self._words is _FLOATS  # Spiff has a meaning of its own for this key
            and isinstance(event, self._kinds.ScalarEvent)
            and event.value == _MERGE
            and not event.style
            and event.ctag in (None, f"{_TAG}merge")
        )

    def _merge(self, items: dict[str, AnyNode], places: dict[str, int], node: AnyNode) -> None:
        """Puts maps into one: they replace what is written before them, the first one wins."""
        for one in reversed(node.items) if isinstance(node, Array) else [node]:
            if not isinstance(one, Map):
                self._diagnostics.error(
                    "invalid_map",
                    one.span,
                    "a merge key takes a map or a list of maps",
                    "write `<<: *name` for the map with the anchor `&name`",
                )
                continue
            self._budget -= len(one.items)
            items.update(one.items)
            places.update((key, one.places.get(key, one.start)) for key in one.items)

    def _key(self, event: Any, start: int, depth: int) -> str | None:
        """The text of a key; None for one that is refused."""
        if not isinstance(event, self._kinds.ScalarEvent):
            node, _ = self._node(event, depth)
            value = node.value if isinstance(node, Scalar) else node
        else:
            if len(event.value) > self._meter.limits.max_key_chars:
                raise over_limit(self._source, start, "max_key_chars", self._meter.limits)
            is_plain = not event.style and event.ctag is None
            value = go_value(event.value) if is_plain else self._value(event)
            if event.anchor is not None:
                node = Scalar(self._value(event), self._trail, start, event.end_mark.index)
                self._anchors.keep(event.anchor, node, 1)
        if isinstance(value, str):
            return value
        if self._words is _FLOATS:
            if isinstance(value, float):
                return float32_text(value)
            if isinstance(value, int) and value <= _LARGEST:
                return str(value).lower()
        kind = {Map: "a map", Array: "a list", type(None): "null", bool: "a boolean"}
        self._diagnostics.error(
            "invalid_key",
            self._source.span(start, max(start + 1, event.end_mark.index)),
            f"a key must be a string, this one is {kind.get(type(value), 'a number')}",
            "put quotes around it if it is meant as text",
        )
        return None

    def _value(self, event: Any) -> Any:
        """The value of a scalar; null for one that is refused."""
        text: str = event.value
        start = event.start_mark.index
        try:
            if event.ctag is not None and self._words is _FLOATS:
                return self._tagged(str(event.ctag), text)
            return text if event.style else self._words.resolve(text)
        except (OutOfRange, ValueError) as problem:
            code = "number_out_of_range" if isinstance(problem, OutOfRange) else "invalid_yaml"
            span = self._source.span(start, max(start + 1, self._end(event)))
            self._diagnostics.error(code, span, str(problem))
        return None

    def _tagged(self, tag: str, text: str) -> Any:
        """The value of a scalar with a tag; an unknown one makes it a string.

        Raises:
            ValueError: for a value that is not of the type; the message says so.
        """
        name = tag.removeprefix(_TAG)
        wrong = ValueError(f"this is not a valid `!!{name}`")
        if name == "binary":
            from base64 import b64decode

            try:
                return b64decode(text, validate=True).decode("utf-8", "replace")
            except ValueError:
                raise wrong from None
        if name == "timestamp" and not is_time(text):
            raise wrong
        if name not in _TYPES:
            return text
        kind = type(go_value(text))
        if kind is not _TYPES[name] and (name, kind) != ("float", int):
            raise wrong
        return self._words.resolve(text)
