"""Anchors, aliases and merge keys of YAML, for dialects whose files may have them."""

from __future__ import annotations

from ..values.diagnostics import Diagnostics
from ..values.tree import AnyNode, Array, Map


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
        """The node of an anchor that is complete, and its size; None when there is none."""
        return self._nodes.get(name)

    def levels(self, node: AnyNode) -> int:
        """How deep a node is nested; each is looked at once."""
        if not isinstance(node, Map | Array):
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
