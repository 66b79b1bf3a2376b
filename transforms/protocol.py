"""What can be registered as a transform beside a `Transform` itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from ..pipeline.values.document import Document
    from .registry import Transform, TransformContext


class TransformObject(Protocol):
    """An object that is a transform by having what one has."""

    @property
    def name(self) -> str:
        """What a blueprint asks for it by."""

    @property
    def types(self) -> tuple[str, ...]:
        """The resource types that it expands."""

    def run(self, document: Document, context: TransformContext, /) -> Document:
        """The document with the resources expanded; see `Transform`."""


TransformLike: TypeAlias = "Transform | TransformObject | type[TransformObject]"
"""What can be registered: a `Transform`, an object like one, or the class of such objects.

A class is called without arguments when it is registered, or loaded.
"""
