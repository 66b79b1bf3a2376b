"""Documents, which flow through the stages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...functions.record import Record, field
from .source import Source
from .tree import Map

if TYPE_CHECKING:
    from .concealing import Concealed


class Document(Record, eq=False):
    """A blueprint on its way to its materialised form.

    `root` is the tree, `source` the text it was read from, `children` the materialised documents of
    its includes by name, `folder` what relative paths start from. `parts` are written instead of
    the root, in dialects whose files may hold several documents. `withheld` are texts that
    only a `product` may show: the document that a run writes, not what else is told of it. A `text`
    is written as it is, in dialects that make texts.
    """

    root: Map = field(repr=False)
    source: Source
    folder: str = ""
    children: Mapping[str, Document] = field(factory=dict, repr=False)
    parts: tuple[Document, ...] | None = field(default=None, repr=False)
    withheld: Concealed | None = field(default=None, repr=False)
    product: bool = False
    text: str | None = field(default=None, repr=False)

    def __init__(
        self,
        root: Map,
        source: Source,
        folder: str = "",
        children: Mapping[str, Document] | None = None,
        parts: tuple[Document, ...] | None = None,
        withheld: Concealed | None = None,
        product: bool = False,
        text: str | None = None,
    ) -> None:
        # a project has one for each configuration
        fields = self.__dict__
        fields["root"] = root
        fields["source"] = source
        fields["folder"] = folder
        fields["children"] = {} if children is None else children
        fields["parts"] = parts
        fields["withheld"] = withheld
        fields["product"] = product
        fields["text"] = text

    @property
    def version(self) -> str:
        """The version of the specification that the blueprint names."""
        node = self.root.get("version")
        return str(getattr(node, "value", ""))

    def section(self, name: str) -> Map | None:
        """A top-level section, when it is there and a map."""
        node = self.root.get(name)
        return node if isinstance(node, Map) else None

    def replacing(self, sections: Mapping[str, Any], step: str) -> Document:
        """The document with other sections; one that is None is left out."""
        items = dict(self.root.items)
        for name, node in sections.items():
            if node is None:
                items.pop(name, None)
            else:
                items[name] = node
        unchanged = len(items) == len(self.root.items) and all(
            self.root.items.get(key) is node for key, node in items.items()
        )
        if unchanged:
            return self
        return self.evolve(root=self.root.replacing(items, step))
