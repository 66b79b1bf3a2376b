"""The tree every stage reads and returns: nodes that know where they come from.

A document has some ten thousand nodes, so they are bare slots objects: offsets instead of spans,
and one shared `Trail` per source and stage instead of an origin each. Nodes are values: nothing
changes one after it is made, stages share what they leave alone. (The `templates` of a collection
are cached in it by `templates_in`.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeGuard

from .expression import Segments
from .source import Origin, Source, Span


class Trail:
    """A source and the stages and transforms that shaped what came from it, in order.

    `plain_keys` says that no key that was read holds a substitution, which saves a search.
    """

    __slots__ = ("_next", "plain_keys", "source", "steps")

    def __init__(
        self, source: Source, steps: tuple[str, ...] = (), plain_keys: bool = False
    ) -> None:
        self.source = source
        self.steps = steps
        self.plain_keys = plain_keys
        self._next: dict[str, Trail] = {}

    def then(self, step: str) -> Trail:
        """The trail one step further; asking twice gives the same object."""
        found = self._next.get(step)
        if found is None:
            again = self.steps and self.steps[-1] == step
            found = self._next[step] = self if again else Trail(self.source, (*self.steps, step))
        return found

    def __repr__(self) -> str:
        return f"Trail({self.source.name!r}, {self.steps!r})"


class Node:
    """The base of all nodes: a trail and the offsets of the text they were written as."""

    __slots__ = ("end", "start", "trail")

    trail: Trail
    start: int
    end: int

    @property
    def span(self) -> Span:
        """The whole node, quotes and brackets included."""
        return self.trail.source.span(self.start, self.end)

    @property
    def origin(self) -> Origin:
        """The span and the steps."""
        return Origin(self.span, self.trail.steps)


class Scalar(Node):
    """A string without substitutions, an integer, a float, a boolean or null (None)."""

    __slots__ = ("value",)

    def __init__(
        self, value: str | int | float | bool | None, trail: Trail, start: int, end: int
    ) -> None:
        self.value = value
        self.trail = trail
        self.start = start
        self.end = end

    def __repr__(self) -> str:
        return f"Scalar({self.value!r})"


class Template(Node):
    """A string with substitutions.

    `segments` alternates freely between text (str) and `Substitution`; there is at least one
    substitution. `text` is the decoded string the segments were parsed from, or None when a stage
    made the template (it is then a residual).
    """

    __slots__ = ("segments", "text")

    def __init__(
        self, segments: Segments, text: str | None, trail: Trail, start: int, end: int
    ) -> None:
        self.segments = segments
        self.text = text
        self.trail = trail
        self.start = start
        self.end = end

    def __repr__(self) -> str:
        return f"Template({self.segments!r})"


class Array(Node):
    """A sequence of nodes."""

    __slots__ = ("items", "templates")

    def __init__(self, items: list[AnyNode], trail: Trail, start: int, end: int) -> None:
        self.items = items
        self.templates: Sequence[Template] | None = None
        self.trail = trail
        self.start = start
        self.end = end

    def __repr__(self) -> str:
        return f"Array({self.items!r})"


class Map(Node):
    """A mapping with string keys in their written order.

    `places` gives the offset at which a key is written. It is shared by the maps that stages make
    from this one, so it may know keys that `items` no longer has, and lacks keys a stage added.
    """

    __slots__ = ("items", "places", "templates")

    def __init__(
        self,
        items: dict[str, AnyNode],
        places: Mapping[str, int],
        trail: Trail,
        start: int,
        end: int,
    ) -> None:
        self.items = items
        self.templates: Sequence[Template] | None = None
        self.places = places
        self.trail = trail
        self.start = start
        self.end = end

    def get(self, key: str) -> AnyNode | None:
        """The node under a key, or None."""
        return self.items.get(key)

    def key_span(self, key: str) -> Span:
        """Where a key is written; the start of the map for a key that a stage added."""
        source = self.trail.source
        start = self.places.get(key)
        if start is None:
            return source.span(self.start, min(self.start + 1, len(source.text)), exact=False)
        if source.text.startswith(key + ":", start):
            return source.span(start, start + len(key))
        from .positions import scalar_end

        return source.span(start, scalar_end(source.text, start, key))

    def entries(self) -> Iterator[Entry]:
        """Each key with its place and its node."""
        for key, node in self.items.items():
            yield Entry(key, self.key_span(key), node)

    def replacing(self, items: dict[str, AnyNode], step: str | None = None) -> Map:
        """A map in this one's place with other items."""
        trail = self.trail.then(step) if step else self.trail
        return Map(items, self.places, trail, self.start, self.end)

    def holding(self, items: dict[str, AnyNode], step: str | None = None) -> Map:
        """The same as `replacing`, but this map itself for the items that it has."""
        old = self.items
        if len(items) == len(old) and all(items.get(key) is node for key, node in old.items()):
            return self
        return self.replacing(items, step)

    def __repr__(self) -> str:
        return f"Map({self.items!r})"


class Entry:
    """One key of a map, where it is written, and the node under it."""

    __slots__ = ("key", "key_span", "node")

    def __init__(self, key: str, key_span: Span, node: AnyNode) -> None:
        self.key = key
        self.key_span = key_span
        self.node = node


AnyNode: TypeAlias = Scalar | Template | Array | Map


def is_text(node: AnyNode | None) -> TypeGuard[Scalar | Template]:
    """True for a string, with or without substitutions."""
    return isinstance(node, Template) or (isinstance(node, Scalar) and isinstance(node.value, str))


def kind_of(node: AnyNode) -> str:
    """The kind of a node in the words of the specification, for messages."""
    match node:
        case Map():
            return "object"
        case Array():
            return "array"
        case Template():
            return "string"
        case Scalar(value=None):
            return "null"
        case Scalar(value=bool()):
            return "boolean"
        case Scalar(value=int()):
            return "integer"
        case Scalar(value=float()):
            return "float"
    return "string"


def at(node: AnyNode | Mapping[str, AnyNode] | None, *path: str) -> AnyNode | None:
    """The node at a path of keys below a node, or below the fields of a map; None without one."""
    found: Any = node
    for key in path:
        found = found.get(key) if isinstance(found, (Map, dict)) else None
    return found  # type: ignore[no-any-return]


def text_at(node: AnyNode | Mapping[str, AnyNode] | None, *path: str) -> str:
    """The string at a path of keys; empty for anything else."""
    value = getattr(at(node, *path), "value", None)
    return value if isinstance(value, str) else ""


def items_at(
    node: AnyNode | Mapping[str, AnyNode] | None, *path: str
) -> Iterable[tuple[str, AnyNode]]:
    """The keys and nodes of the map at a path; none for anything else."""
    found = at(node, *path)
    return found.items.items() if isinstance(found, Map) else ()


def list_at(node: AnyNode | Mapping[str, AnyNode] | None, *path: str) -> list[AnyNode]:
    """The items of the list at a path; none for anything else."""
    found = at(node, *path)
    return found.items if isinstance(found, Array) else []


def is_as_read(node: AnyNode) -> bool:
    """True for a node that no stage has changed since it was read, nor anything in it."""
    return len(node.trail.steps) == 1


def templates_in(node: AnyNode | None) -> Sequence[Template]:
    """All templates in a node; each collection is searched once, as nodes do not change."""
    if node is None or type(node) is Scalar:
        return ()
    if type(node) is Template:
        return (node,)
    assert not isinstance(node, (Scalar, Template))
    known = node.templates
    if known is None:
        inside = node.items.values() if isinstance(node, Map) else node.items
        found: list[Template] = []
        for child in [child for child in inside if type(child) is not Scalar]:  # few are
            if type(child) is Template:
                found.append(child)
            else:
                found += templates_in(child)
        known = node.templates = found or ()
    return known


def templates_at(
    node: AnyNode, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], Template]]:
    """The templates in a node with their paths, in their order; `path` is that of the node."""
    if isinstance(node, Template):
        yield path, node
    elif isinstance(node, Map):
        for key, child in node.items.items():
            yield from templates_at(child, (*path, key))
    elif isinstance(node, Array):
        for index, child in enumerate(node.items):
            yield from templates_at(child, (*path, index))


def build(data: Any, trail: Trail, start: int, end: int) -> AnyNode:
    """Nodes for plain data (dict, list, str, int, float, bool, None), all at one place.

    What is a node already stays as it is. Strings stay as they are: text from outside is data and
    never parsed.
    """
    if isinstance(data, dict):
        items = {str(key): build(value, trail, start, end) for key, value in data.items()}
        return Map(items, {}, trail, start, end)
    if isinstance(data, (list, tuple)):
        return Array([build(item, trail, start, end) for item in data], trail, start, end)
    if isinstance(data, Scalar | Template | Array | Map):
        return data
    return Scalar(data, trail, start, end)
