"""Whether what a transform returned is a tree at all, and whether it left its input alone.

A transform is code of somebody else: nothing it returns is trusted before it was looked at here.
What is looked for here are mistakes of code; what stands where in a blueprint is `structure`'s.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, Final

from ..formats.scalars import MAX_INTEGER, MIN_INTEGER
from ..language.errors import LanguageError
from ..language.expression import Segments, Shape
from ..language.language import Language
from ..language.substitution import Substitution
from ..settings import Limits
from ..tree import AnyNode, Array, Map, Scalar, Template, Trail

_SCALARS: Final = (str, int, float, bool, type(None))


class Unsound(Exception):
    """What is wrong with a tree, as the end of a sentence; `path` is where."""

    def __init__(self, path: tuple[str, ...], why: str) -> None:
        super().__init__(why)
        self.path = path
        self.why = why

    @property
    def resource(self) -> str | None:
        """The resource it is in, if it is in one."""
        return self.path[1] if len(self.path) > 1 and self.path[0] == "resources" else None

    def __str__(self) -> str:
        return f"`{'.'.join(self.path)}` {self.why}" if self.path else f"the root {self.why}"


def check_soundness(root: Any, language: Language, limits: Limits) -> None:
    """Looks at every node of a tree: its class, what it holds, where it says that it is from.

    Raises:
        Unsound: at the first node that is none, holds something else than nodes, or holds itself.
    """
    if root.__class__ is not Map:
        raise Unsound((), f"is a `{type(root).__name__}`, not a `Map`")
    count = 0
    around: set[int] = set()
    # a node is looked at when it is entered, and left when all below it is done
    stack: list[tuple[Any, tuple[str, ...], bool]] = [(root, (), True)]
    while stack:
        node, path, enter = stack.pop()
        if not enter:
            around.discard(id(node))
            continue
        count += 1
        if count > limits.max_nodes:
            raise Unsound((), f"holds more than {limits.max_nodes} nodes (`max_nodes`)")
        _check_node(node, path, language)
        if node.__class__ is Scalar or node.__class__ is Template:
            continue
        if id(node) in around:
            raise Unsound(path, "is a node that holds itself")
        if len(path) > limits.max_depth:
            raise Unsound(path[:3], f"is nested more than {limits.max_depth} deep (`max_depth`)")
        around.add(id(node))
        stack.append((node, path, False))
        for key, child in _children(node, path):
            stack.append((child, (*path, key), True))


def _children(node: Map | Array, path: tuple[str, ...]) -> list[tuple[str, Any]]:
    items: Any = getattr(node, "items", None)
    if isinstance(node, Array):
        if items.__class__ is not list:
            raise Unsound(path, f"is an `Array` of a `{type(items).__name__}`, not of a list")
        return [(str(index), child) for index, child in enumerate(items)]
    if items.__class__ is not dict:
        raise Unsound(path, f"is a `Map` of a `{type(items).__name__}`, not of a dict")
    if not isinstance(getattr(node, "places", None), Mapping):
        raise Unsound(path, "is a `Map` whose `places` are no mapping")
    for key in items:
        if key.__class__ is not str:
            raise Unsound(path, f"has a key that is a `{type(key).__name__}`")
        if not _is_unicode(key):
            raise Unsound(path, "has a key that is not valid Unicode")
    return list(items.items())


def _check_node(node: Any, path: tuple[str, ...], language: Language) -> None:
    kind = node.__class__
    if kind not in (Map, Array, Scalar, Template):
        raise Unsound(path, f"is a `{kind.__name__}`, not a node")
    trail, start, end = (getattr(node, name, None) for name in ("trail", "start", "end"))
    if not isinstance(trail, Trail):
        raise Unsound(path, "is a node without an origin: make it with `context.node`")
    if start.__class__ is not int or end.__class__ is not int:
        raise Unsound(path, "is a node without a place: make it with `context.node`")
    if not 0 <= start <= end <= len(trail.source.text):
        raise Unsound(path, f"says that it is written outside of `{trail.source.name}`")
    if kind is Scalar:
        _check_value(getattr(node, "value", ...), path)
    elif kind is Template:
        _check_template(node, path, language)


def _check_value(value: Any, path: tuple[str, ...]) -> None:
    if value.__class__ not in _SCALARS:
        raise Unsound(path, f"is a `Scalar` of a `{type(value).__name__}`")
    if value.__class__ is float and not isfinite(value):
        raise Unsound(path, "is a number that is not finite")
    if value.__class__ is int and not MIN_INTEGER <= value <= MAX_INTEGER:
        raise Unsound(path, "is an integer of more than 64 bits")
    if value.__class__ is str and not _is_unicode(value):
        raise Unsound(path, "is text that is not valid Unicode")


def _check_template(node: Template, path: tuple[str, ...], language: Language) -> None:
    segments = getattr(node, "segments", None)
    if not isinstance(segments, Segments) or not all(
        isinstance(one, str | Substitution) for one in segments
    ):
        raise Unsound(path, "is a `Template` without `Segments`: make it with `context.template`")
    if not segments.substitutions:
        raise Unsound(path, "is a `Template` without substitutions: text alone is a `Scalar`")
    if not hasattr(node, "text") or node.text is not None:
        return
    # Made, not written: what it prints must be something that can be read.
    try:
        if not all(isinstance(one.shape, Shape) for one in segments.substitutions):
            raise TypeError
        language.split(language.template(node))
    except LanguageError as error:
        raise Unsound(path, f"holds an expression that cannot be read: {error.summary}") from None
    except (TypeError, AttributeError, ValueError, KeyError, IndexError):
        raise Unsound(path, "is a `Template` of something that is no expression") from None


def _is_unicode(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


def contents(root: AnyNode) -> list[tuple[AnyNode, Any]]:
    """Every node of a tree with what it holds now, to be asked for later by `is_altered`."""
    found: list[tuple[AnyNode, Any]] = []
    stack: list[AnyNode] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, Map):
            found.append((node, list(node.items.items())))
            stack.extend(node.items.values())
        elif isinstance(node, Array):
            found.append((node, list(node.items)))
            stack.extend(node.items)
        else:
            found.append((node, node.value if isinstance(node, Scalar) else node.segments))
    return found


def is_altered(before: list[tuple[AnyNode, Any]]) -> bool:
    """True when a node holds something else than it did, which nothing may do to a node."""
    for node, held in before:
        if isinstance(node, Map):
            items: Any = node.items
            same = len(items) == len(held) and all(
                key == old and child is was
                for (key, child), (old, was) in zip(items.items(), held, strict=True)
            )
        elif isinstance(node, Array):
            same = len(node.items) == len(held) and all(map(_same, node.items, held))
        else:
            same = (node.value if isinstance(node, Scalar) else node.segments) is held
        if not same:
            return True
    return False


def _same(first: object, second: object) -> bool:
    return first is second
