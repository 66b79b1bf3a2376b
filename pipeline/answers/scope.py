"""The elements that references name, and a scope that finds their values, in any dialect."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...functions.values import Unknown
from ..engine.materialisation import exported
from ..language.errors import Failure
from ..language.navigation import navigate
from ..values.document import Document
from ..values.expression import Reference
from ..values.tree import Map
from .nodes import node_at
from .paths import Path


def element_of(root: Map, reference: Reference) -> Path | None:
    """The path of the element that a reference names, None for a name from outside.

    Elements are the entries of the maps at the top of a document, and its other top-level keys. A
    reference names one by its own name, or by the key of the map and the name.
    """
    section = root.items.get(reference.root)
    if isinstance(section, Map) and reference.path and str(reference.path[0]) in section.items:
        return reference.root, str(reference.path[0])
    for key, node in root.items.items():
        if isinstance(node, Map) and reference.root in node.items:
            return key, reference.root
    return (reference.root,) if section is not None else None


class TreeScope:
    """A scope that finds values in the trees of a run, for dialects that keep no scope.

    `written` is the tree before anything was computed, `stages` has the result of each stage.
    """

    def __init__(self, written: Map, stages: Iterable[tuple[str, Document]]) -> None:
        self._written = written
        self._stages = tuple(stages)

    def resolve(self, reference: Reference) -> Any:
        """See `language.syntax.Scope`."""
        path = element_of(self._written, reference)
        trees = [document.root for _, document in reversed(self._stages)]
        nodes = [node_at(root, path) for root in trees] if path is not None else []
        node = next((one for one in nodes if one is not None), None)
        if path is None or node is None:
            raise Failure("path_not_found", f"`{reference.root}` does not exist", reference)
        value = exported(node, Reference(reference.root, ()))
        by_section = len(path) > 1 and path[0] == reference.root
        return navigate(value, reference.path[1:] if by_section else reference.path, reference)

    def names_resource(self, name: str) -> bool:
        """See `language.syntax.Scope`."""
        return False

    def link(self, first: Any, second: Any, call: Any) -> Any:
        """See `language.syntax.Scope`."""
        return Unknown(call, "object")
