"""A key that is written twice."""

from __future__ import annotations


class Repeated(str):
    """A key that its map has already, in a text with this mistake; equal to no other key.

    So what stands under it is looked at like everything else. No stage after `load` sees one.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    __hash__ = object.__hash__
