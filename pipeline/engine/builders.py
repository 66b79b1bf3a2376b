"""Nodes from plain data: what transforms and stages make new parts of a document with.

Every node that is made has the origin of a node that was written, so that what is said about it
points at the author's line, and one step more, which names who made it.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, Final

from ..formats.scalars import MAX_INTEGER, MIN_INTEGER
from ..language.errors import LanguageError
from ..language.language import Language
from ..values.source import Origin
from ..values.tree import AnyNode, Array, Map, Scalar, Template, Trail

DEEPEST: Final = 64
"""The maximum depth of data, which also stops data that contains itself."""


class BuildError(ValueError):
    """Data of which no nodes can be made; the message names the place in the data, no value."""


def node(
    data: Any,
    origin: AnyNode | Origin,
    *,
    step: str | None = None,
    language: Language | None = None,
) -> AnyNode:
    """Nodes for plain data, all with one origin.

    `data` are dicts with text keys, lists, tuples, strings, integers, floats, booleans and None, in
    which nodes may stand as well: those stay as they are. `origin` is the node (or its origin) that
    the data stand for, `step` names who makes them (a transform's name). With a `language`, strings
    are read as a blueprint's are, and one with substitutions becomes a `Template`; without, strings
    are data, also when they contain `${`.

    Raises:
        BuildError: for data that no document can hold, or a string that `language` cannot read.
    """
    return _Place(_trail(origin, step), *_offsets(origin), language).node(data, "")


def template(
    text: str, origin: AnyNode | Origin, language: Language, *, step: str | None = None
) -> Scalar | Template:
    """The node of one string: a `Template` when it has substitutions, otherwise a `Scalar`.

    `text` is what would stand in a blueprint, such as `${variables.stage}-orders`; see `node` for
    the other arguments. Implements "References & Substitutions" of the specification.

    Raises:
        BuildError: when the string cannot be read.
    """
    place = _Place(_trail(origin, step), *_offsets(origin), language)
    made = place.node(text, "")
    assert isinstance(made, (Scalar, Template))
    return made


class _Place:
    """Where nodes are made: one trail, one pair of offsets, one way to read strings."""

    def __init__(self, trail: Trail, start: int, end: int, language: Language | None) -> None:
        self.trail = trail
        self.start = start
        self.end = end
        self.language = language

    def node(self, data: Any, path: str, depth: int = 0) -> AnyNode:
        if isinstance(data, (Map, Array, Scalar, Template)):
            return data
        if depth > DEEPEST:
            raise BuildError(f"{_at(path[:60])} is nested more than {DEEPEST} deep")
        if isinstance(data, Mapping):
            return self._map(data, path, depth)
        if isinstance(data, (list, tuple)):
            items = [self.node(item, f"{path}[{i}]", depth + 1) for i, item in enumerate(data)]
            return Array(items, self.trail, self.start, self.end)
        return self._scalar(data, path)

    def _map(self, data: Mapping[Any, Any], path: str, depth: int) -> Map:
        items: dict[str, AnyNode] = {}
        for key, value in data.items():
            if not isinstance(key, str):
                raise BuildError(f"{_at(path)} has a key that is a `{type(key).__name__}`")
            items[str(key)] = self.node(value, f"{path}.{key}" if path else key, depth + 1)
        return Map(items, {}, self.trail, self.start, self.end)

    def _scalar(self, data: Any, path: str) -> Scalar | Template:
        if data is not None and data.__class__ not in (str, int, float, bool):
            raise BuildError(
                f"{_at(path)} is a `{type(data).__name__}`, which no blueprint can hold"
            )
        if data.__class__ is str:
            return self._text(data, path)
        if data.__class__ is float and not isfinite(data):
            raise BuildError(f"{_at(path)} is a number that is not finite")
        if data.__class__ is int and not MIN_INTEGER <= data <= MAX_INTEGER:
            raise BuildError(f"{_at(path)} is an integer of more than 64 bits")
        return Scalar(data, self.trail, self.start, self.end)

    def _text(self, text: str, path: str) -> Scalar | Template:
        if text.isascii() is False and any("\ud800" <= letter <= "\udfff" for letter in text):
            raise BuildError(f"{_at(path)} is text that is not valid Unicode")
        if self.language is None or self.language.opener not in text:
            return Scalar(text, self.trail, self.start, self.end)
        try:
            segments = self.language.split(text)
        except LanguageError as error:
            raise BuildError(f"{_at(path)} cannot be read: {error.summary}") from None
        # the text is written nowhere, so that places in it are those of the origin
        return Template(segments, None, self.trail, self.start, self.end)


def _trail(origin: AnyNode | Origin, step: str | None) -> Trail:
    if isinstance(origin, Origin):
        trail = Trail(origin.span.source, origin.steps)
    elif isinstance(origin, (Map, Array, Scalar, Template)):
        trail = origin.trail
    else:
        raise TypeError(f"an origin is a node or an `Origin`, not a `{type(origin).__name__}`")
    return trail.then(step) if step else trail


def _offsets(origin: AnyNode | Origin) -> tuple[int, int]:
    if isinstance(origin, Origin):
        return origin.span.start, origin.span.end
    return origin.start, origin.end


def _at(path: str) -> str:
    return f"`{path}`" if path else "the data"
