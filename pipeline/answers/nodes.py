"""Nodes at paths, and the same part of a document in the trees of different stages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..values.tree import AnyNode, Array, Map, Scalar, Template
from .paths import Path, path_text


def step(node: AnyNode, item: str | int) -> tuple[str | int, AnyNode] | None:
    """The child under a name or an index, with the item in its right type, or None."""
    if isinstance(node, Map):
        child = node.get(str(item)) if isinstance(item, str) else None
        return (item, child) if child is not None else None
    if isinstance(node, Array):
        if isinstance(item, str):  # in a JSON pointer an index is text
            if not (item.isascii() and item.isdigit() and len(item) < 10):
                return None
            item = int(item)
        return (item, node.items[item]) if item < len(node.items) else None
    return None


def paths_in(node: AnyNode, path: Path = ()) -> Iterator[Path]:
    """The paths of all parts of a node, in their order; `path` is that of the node."""
    children: Iterable[tuple[str | int, AnyNode]] = ()
    if isinstance(node, Map):
        children = node.items.items()
    elif isinstance(node, Array):
        children = enumerate(node.items)
    for item, child in children:
        yield (*path, item)
        yield from paths_in(child, (*path, item))


def path_texts(node: AnyNode, text: str) -> Iterator[str]:
    """The same as the language writes them; `text` is the path of the node, which is not empty."""
    stack = [(text, node)]
    steps: dict[str, str] = {}
    while stack:
        text, node = stack.pop()
        if isinstance(node, Map):
            for key, child in node.items.items():
                step = steps.get(key)
                if step is None:
                    written = path_text((key,))
                    step = steps[key] = written if written.startswith("[") else f".{written}"
                yield text + step
                stack.append((text + step, child))
        elif isinstance(node, Array):
            for index, child in enumerate(node.items):
                yield f"{text}[{index}]"
                stack.append((f"{text}[{index}]", child))


def chain(root: AnyNode, path: Path) -> tuple[Path, list[AnyNode]]:
    """As much of a path as a tree has, and the nodes along it, the root first."""
    items: list[str | int] = []
    nodes = [root]
    for item in path:
        found = step(nodes[-1], item)
        if found is None:
            break
        items.append(found[0])
        nodes.append(found[1])
    return tuple(items), nodes


def same_place(one: AnyNode, other: AnyNode) -> bool:
    """True for nodes that come from the same place of the same text."""
    return (
        one.start == other.start and one.end == other.end and one.trail.source is other.trail.source
    )


def node_at(root: AnyNode, path: Path, earlier: Path | None = None) -> AnyNode | None:
    """The node at a path of a tree, or at its earlier form if the tree has not renamed it yet."""
    items, nodes = chain(root, path)
    if len(items) == len(path):
        return nodes[-1]
    missing = slice(len(items), len(items) + 1)
    if earlier is None or earlier[missing] == path[missing]:
        return None
    items, nodes = chain(root, earlier)
    return nodes[-1] if len(items) == len(path) else None


def counterpart(
    root: AnyNode, path: Path, nodes: list[AnyNode], earlier: Path | None = None
) -> AnyNode | None:
    """The node of an earlier tree for the last of `nodes`, which a later tree has along `path`.

    `earlier` is the path before a stage renamed a part of it. The result is a template when the
    node lies in what a template gives, and None when there is no counterpart.
    """
    here = root
    for depth, item in enumerate(path):
        if isinstance(here, (Scalar, Template)):
            return here
        child: AnyNode | None = None
        if earlier is not None and earlier[depth] != item and step(here, item) is None:
            found = step(here, earlier[depth])
            child = found[1] if found else None
        if child is None:
            child = child_counterpart(here, item, nodes[depth + 1])
        if child is None:
            return None
        here = child
    return here


class Places:
    """The items of collections by their places, for many searches in the same tree."""

    def __init__(self) -> None:
        # by the address of a collection, which is kept
        self._known: dict[int, tuple[AnyNode, dict[tuple[int, int, int], AnyNode | None]]] = {}

    def only(self, above: Map | Array, ours: AnyNode) -> AnyNode | None:
        """What `_only` finds."""
        found = self._known.get(id(above))
        if found is None:
            index: dict[tuple[int, int, int], AnyNode | None] = {}
            for item in _items(above):
                place = _place(item)
                index[place] = None if place in index else item
            found = self._known[id(above)] = above, index
        return found[1].get(_place(ours))


def _place(node: AnyNode) -> tuple[int, int, int]:
    return node.start, node.end, id(node.trail.source)


def child_counterpart(
    above: AnyNode, item: str | int, ours: AnyNode, places: Places | None = None
) -> AnyNode | None:
    """The child of an earlier collection for one that a later collection has under `item`, or None.

    A name leads to the same name. Elements of arrays may have moved up, an export's value comes
    from its field, a condition may have lost its outer part, and a merged map may have overridden
    what is written: there the place decides, by `places` for those who ask often.
    """
    only = _only if places is None else places.only
    if isinstance(above, Map):
        child = above.items.get(str(item))
        if child is None or not same_place(child, ours):
            child = only(above, ours) or child
        if child is None:
            return None
    elif isinstance(above, Array):
        child = above.items[item] if isinstance(item, int) and item < len(above.items) else None
        if child is None or not same_place(child, ours):
            child = only(above, ours) or child
        if child is None:
            return None
    else:
        return above
    if child is ours or isinstance(child, (Scalar, Template)) or same_place(child, ours):
        return child
    return _below(child, ours) or child


def _items(above: Map | Array) -> Iterable[AnyNode]:
    return above.items.values() if isinstance(above, Map) else above.items


def _only(above: Map | Array, ours: AnyNode) -> AnyNode | None:
    """The one item at the place of a node."""
    found = [item for item in _items(above) if same_place(item, ours)]
    return found[0] if len(found) == 1 else None


def _below(node: AnyNode, ours: AnyNode) -> AnyNode | None:
    """The first node at a place, in a tree."""
    stack = [node]
    while stack:
        item = stack.pop()
        if item is not node and same_place(item, ours):
            return item
        if isinstance(item, Map):
            stack.extend(reversed(item.items.values()))
        elif isinstance(item, Array):
            stack.extend(reversed(item.items))
    return None
