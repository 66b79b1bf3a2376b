"""The size of a document's values when they are written out."""

from __future__ import annotations

from typing import Any

from ...functions.values import FunctionError
from ..language.errors import BREAK_CYCLE, Failure
from ..language.meter import Meter, over_limit
from ..values.settings import Limits
from ..values.tree import AnyNode, Array, Map


class Budget:
    """Counts the parts of values and of the document that is made of them.

    Values share parts, so that a small blueprint can mean a huge document: a part counts as often
    as it occurs, and is looked at once. `meter` is that of the run.
    """

    def __init__(self, limits: Limits, meter: Meter) -> None:
        self._limits = limits
        self._meter = meter
        self._sizes: dict[int, tuple[int, int]] = {}
        self._kept: list[Any] = []
        self._told = False

    def size(self, value: Any) -> int:
        """The number of parts of a value.

        Raises:
            Failure: `limit_exceeded` for too many of them, and for a value that is nested too deep.
        """
        kind = type(value)
        if kind is not list and kind is not dict:
            return 1
        return self._measure(value, 0)[0]

    def _measure(self, value: Any, above: int) -> tuple[int, int]:
        """The number of parts and the depth of an array or object that is `above` levels down."""
        known = self._sizes.get(id(value))
        limits = self._limits
        if known is None:
            if above >= limits.max_depth:
                raise self._too_deep()
            parts, depth = 1, 0
            for item in value.values() if type(value) is dict else value:
                kind = type(item)
                if kind is list or kind is dict:
                    more, deeper = self._measure(item, above + 1)
                    parts += more
                    if deeper > depth:
                        depth = deeper
                else:
                    parts += 1
                if parts > limits.max_value_items:
                    raise _failure(
                        over_limit(
                            "max_value_items",
                            f"a value may have {limits.max_value_items} parts",
                            limits,
                        )
                    )
            known = parts, depth + 1
            self._sizes[id(value)] = known
            self._kept.append(value)  # so that its id stays its own
        if above + known[1] > limits.max_depth:
            raise self._too_deep()
        return known

    def _too_deep(self) -> Failure:
        return _failure(self._meter.too_deep())

    def spend(self, value: Any) -> None:
        """Counts what becomes part of the document; going over the limit is reported once.

        Raises:
            Failure: `limit_exceeded`.
        """
        self.spend_nodes(self.size(value))

    def spend_nodes(self, count: int) -> None:
        """Counts nodes of the document; going over the limit is reported once.

        Raises:
            Failure: `limit_exceeded`.
        """
        try:
            self._meter.spend_nodes(count)
        except FunctionError as error:
            if self._told:
                raise Failure("limit_exceeded", "", reported=True) from None
            self._told = True
            raise _failure(error) from None


def count_nodes(node: AnyNode) -> int:
    """The number of nodes of a tree."""
    count = 0
    left = [node]
    while left:
        one = left.pop()
        count += 1
        if isinstance(one, Map):
            left.extend(one.items.values())
        elif isinstance(one, Array):
            left.extend(one.items)
    return count


def too_long_a_way(limits: Limits, blame: Any = None) -> Failure:
    """The failure for a chain of references that is too long."""
    most = limits.max_reference_depth
    error = over_limit(
        "max_reference_depth",
        f"references lead from one to the next more than {most} times",
        limits,
    )
    return Failure(error.code, error.message, blame, error.hint)


def in_a_cycle(labels: list[str], blame: Any = None) -> Failure:
    """The failure for references that lead back to the first of them; some may have no label."""
    named = [label for label in labels if label]
    path = f": {' -> '.join([*named, named[0]])}" if named else ""
    return Failure(
        "reference_cycle",
        f"the references form a cycle{path}",
        blame,
        BREAK_CYCLE,
    )


def _failure(error: FunctionError) -> Failure:
    return Failure(error.code, error.message, hint=error.hint)
