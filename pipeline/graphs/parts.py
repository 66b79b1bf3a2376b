"""The documents that a graph is made of: each blueprint as written, with what rendering made of it.

References are read from what was written, as a reference whose value is known by now still is one.
Which resources there are is read from the materialised blueprint when there is one.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from ..document import Document
from ..tree import Map


@attrs.frozen(eq=False)
class Part:
    """One blueprint of a graph.

    `written` is the document after its transforms, `rendered` its materialised form or None, and
    `children` those that were opened.
    """

    written: Document
    rendered: Document | None
    children: Mapping[str, Part]

    @property
    def resources(self) -> Map | None:
        """The resources that there are: instances instead of templates when they are known."""
        return (self.rendered or self.written).section("resources")

    def template_of(self, name: str) -> tuple[str, int] | None:
        """The template and the index that a resource was made from, or None."""
        written = self.written.section("resources")
        if self.rendered is None or written is None or name in written.items:
            return None
        template, line, index = name.rpartition("_")
        node = written.get(template)
        if line and index.isdecimal() and isinstance(node, Map) and "each" in node.items:
            return template, int(index)
        return None


def rendered_part(document: Document) -> Part:
    """The parts of a materialised document."""
    evaluation = document.evaluation
    written = evaluation.document if evaluation is not None else document
    children = {name: rendered_part(child) for name, child in document.children.items()}
    return Part(written, document, children)


def written_part(
    document: Document,
    opened: Mapping[tuple[str, ...], Document],
    way: tuple[str, ...] = (),
) -> Part:
    """The parts of a document that was only read.

    `opened` are its children by the names that lead to them; what it brings along in `children` is
    found in itself.
    """
    children: dict[str, Part] = {}
    include = document.section("include")
    bundled = document.section("children")
    for name in [*(include.items if include else ()), *(bundled.items if bundled else ())]:
        node = bundled.get(name) if bundled else None
        step = (*way, name)
        if isinstance(node, Map):
            child = document.evolve(root=node, children={}, evaluation=None)
            children[name] = written_part(child, {}, step)
        elif step in opened:
            children[name] = written_part(opened[step], opened, step)
    return Part(document, None, children)
