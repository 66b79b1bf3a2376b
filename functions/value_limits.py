"""Limits on the size of values, checked before a value is built."""

from __future__ import annotations

from typing import Final, Protocol

from .record import Record
from .values import FunctionError


class ValueLimits(Protocol):
    """The limits that functions use; the settings of a run have them under these names."""

    @property
    def max_value_chars(self) -> int:
        """The most code points of one string, and the most bytes of one binary value."""

    @property
    def max_value_items(self) -> int:
        """The most items of one array or object."""

    @property
    def max_depth(self) -> int:
        """The deepest nesting of one value that is read from text."""


class SizeLimits(Record):
    """Limits as a value, with defaults."""

    max_value_chars: int = 16 * 1024 * 1024
    max_value_items: int = 1_000_000
    max_depth: int = 64


DEFAULT_LIMITS: Final = SizeLimits()


def raising(name: str, bound: int, highest: int | None = None) -> str:
    """The hint for a limit that was reached: how to raise it, up to `highest`."""
    if highest is not None and bound >= highest:
        return f"`{name}` cannot be raised further"
    more = 2 * bound if highest is None else min(2 * bound, highest)
    return f"if you trust the blueprint, raise the limit with `--limit {name}={more}`"


def hold_chars(name: str, count: int, limits: ValueLimits) -> None:
    """Refuses a string of `count` code points when that is too long.

    Raises:
        FunctionError: `limit_exceeded`, which names the function and the limit.
    """
    if count > limits.max_value_chars:
        raise FunctionError(
            f"the result of `{name}` would have more than {limits.max_value_chars} characters "
            "(`max_value_chars`)",
            code="limit_exceeded",
            hint=raising("max_value_chars", limits.max_value_chars),
        )


class Pieces:
    """The pieces of a text whose size is held before they are joined."""

    def __init__(self, name: str, limits: ValueLimits) -> None:
        self._name = name
        self._limits = limits
        self._texts: list[str] = []
        self._size = 0

    def add(self, text: str) -> None:
        """Adds a piece.

        Raises:
            FunctionError: `limit_exceeded`.
        """
        self._size += len(text)
        hold_chars(self._name, self._size, self._limits)
        self._texts.append(text)

    def text(self) -> str:
        """All of them."""
        return "".join(self._texts)


def hold_items(name: str, count: int, limits: ValueLimits) -> None:
    """Refuses an array or object of `count` items when those are too many.

    Raises:
        FunctionError: `limit_exceeded`, which names the function and the limit.
    """
    if count > limits.max_value_items:
        raise FunctionError(
            f"the result of `{name}` would have more than {limits.max_value_items} items "
            "(`max_value_items`)",
            code="limit_exceeded",
            hint=raising("max_value_items", limits.max_value_items),
        )
