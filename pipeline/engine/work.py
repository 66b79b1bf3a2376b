"""What a run knows of one document, beside the document itself."""

from __future__ import annotations

from typing import TypeVar

from ..values.document import Document

T = TypeVar("T")


class Work:
    """What a run has computed of one document; a `Context` has that of its document.

    Documents are data and stages keep nothing: what several stages need is kept here. `written` is
    the document before anything was computed, None until then. `stages` has the name and the result
    of each stage that ran. `children` is the work on the documents that this one includes.

    A dialect keeps objects of its own, at most one of each class (`keep`, `find`).
    """

    def __init__(self) -> None:
        self.written: Document | None = None
        self.stages: list[tuple[str, Document]] = []
        self.children: dict[str, Work] = {}
        self._kept: dict[type, object] = {}

    def child(self, name: str) -> Work | None:
        """The work on an included document; None for one that was not read."""
        return self.children.get(name)

    def keep(self, found: object) -> None:
        """Keeps an object instead of the last one of its class."""
        self._kept[type(found)] = found

    def find(self, kind: type[T]) -> T | None:
        """The object of a class that was kept last, or None."""
        found = self._kept.get(kind)
        return found if isinstance(found, kind) else None
