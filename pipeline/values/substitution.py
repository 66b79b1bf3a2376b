"""A substitution, one of ten thousand in a large blueprint: a module of its own to be compiled."""

from __future__ import annotations

from typing import Any


class Substitution:
    """One substitution in a string: a shape, the values for its holes, and where it stands.

    `start` and `end` are offsets in the decoded string, delimiters included; `inner` is the text
    between them, None for a residual.
    """

    __slots__ = ("end", "inner", "literals", "shape", "start")

    def __init__(
        self,
        shape: Any,  # a `Shape`, which stands above
        literals: tuple[Any, ...] = (),
        start: int = 0,
        end: int = 0,
        inner: str | None = None,
    ) -> None:
        self.shape = shape
        self.literals = literals
        self.start = start
        self.end = end
        self.inner = inner

    def __repr__(self) -> str:
        return f"Substitution({self.shape.expression!r}, {self.literals!r})"
