"""How large the values of a document are when they are written out."""

from __future__ import annotations

from typing import Any

from ..language.errors import Failure
from ..settings import Limits


class Budget:
    """Counts the parts of values and of the document that is made of them.

    Values share parts, so that a small blueprint can mean a huge document: a part counts as often
    as it occurs, and is looked at once.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._sizes: dict[int, int] = {}
        self._kept: list[Any] = []
        self._built = 0

    def size(self, value: Any) -> int:
        """The number of parts of a value.

        Raises:
            Failure: `limit_exceeded`.
        """
        kind = value.__class__
        if kind is not list and kind is not dict:
            return 1
        known = self._sizes.get(id(value))
        if known is None:
            limit = self._limits.max_value_items
            known = 1
            for item in value.values() if kind is dict else value:
                known += self.size(item)
                if known > limit:
                    raise Failure(
                        "limit_exceeded", f"a value may have {limit} parts (`max_value_items`)"
                    )
            self._sizes[id(value)] = known
            self._kept.append(value)  # so that its id stays its own
        return known

    def spend(self, value: Any) -> None:
        """Counts what becomes part of the document; going over the limit is reported once.

        Raises:
            Failure: `limit_exceeded`.
        """
        limit = self._limits.max_nodes
        told = self._built > limit
        self._built += self.size(value)
        if self._built > limit:
            if told:
                raise Failure("limit_exceeded", "", reported=True)
            raise Failure(
                "limit_exceeded", f"the document would have more than {limit} nodes (`max_nodes`)"
            )
