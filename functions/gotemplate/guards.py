"""What functions of Go's templates say when they fail, and the sizes that they refuse to make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..expr.kinds import identity
from ..expr.texts import text_of
from ..names import Hint
from ..signatures import Declarations
from ..value_limits import DEFAULT_LIMITS, ValueLimits, hold_chars, hold_items
from ..values import FunctionError
from .kinds import DEEPEST, PARAMETERS, Absent, too_deep

TYPES: Final = frozenset((*PARAMETERS, "ints", "lists", "version"))
"""The types that signatures name: Go's, some of which only results have."""

_NIL: Final = "runtime error: invalid memory address or nil pointer dereference"


def failed(message: str, hint: Hint = None) -> FunctionError:
    """The error of a call that Go's function returns or panics with; `message` is its sentence."""
    return FunctionError(message, "template_error", hint)


def nil_failed() -> FunctionError:
    """The error of a function that has no answer for nil."""
    return failed(_NIL)


_FEW: Final = 4096
_FLAT: Final = 6


def _few(value: Any, left: int, depth: int) -> int:
    """What is left of a number of parts and characters; below zero when it may be too few."""
    for part in value.values() if isinstance(value, dict) else value:
        kind = part.__class__
        if kind is str:
            left -= len(part) + 1
        elif kind is dict or isinstance(part, list):
            left = _few(part, left - 1, depth - 1) if depth else -1
        else:
            left = left - 1 if kind is not Absent else -1
        if left < 0:
            return left
    return left


def with_must(
    function: Declarations, signature: str, **fields: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares a function and its `must` form, which fails alike."""

    def declare(call: Callable[..., Any]) -> Callable[..., Any]:
        function(signature, **fields)(call)
        return function(f"must{signature[0].upper()}{signature[1:]}", **fields)(call)

    return declare


def hold_tree(value: Any, limits: ValueLimits = DEFAULT_LIMITS) -> None:
    """Refuses a value that contains itself, is nested too deeply, or is too large written out.

    Values share parts, so a small template can make a huge tree: each part is looked at once, and
    counted as often as it would be written.

    Raises:
        FunctionError: `limit_exceeded`, which names the limit.
    """
    if value.__class__ is str or not isinstance(value, list | dict):
        return
    if _few(value, _FEW, _FLAT) >= 0:
        return
    sizes: dict[int, tuple[int, int]] = {}
    path: set[int] = set()
    pending: list[Any] = [value]
    while pending:
        one = pending[-1]
        if id(one) in sizes:
            pending.pop()
            continue
        inner = one.values() if isinstance(one, dict) else one
        for part in inner:
            if part.__class__ is Absent:
                raise part.error()
        parts = [part for part in inner if isinstance(part, list | dict)]
        missing = [part for part in parts if id(part) not in sizes]
        if missing:
            path.add(id(one))
            if len(path) > DEEPEST or any(id(part) in path for part in missing):
                raise too_deep()
            pending += missing
            continue
        path.discard(id(one))
        items = len(one) + sum(sizes[id(part)][0] for part in parts)
        chars = sum(len(part) for part in inner if isinstance(part, str))
        chars += sum(sizes[id(part)][1] for part in parts)
        hold_items("the value", items, limits)
        hold_chars("the value", chars, limits)
        sizes[id(one)] = items, chars


def checked_text(value: Any) -> str:
    """A value as `%v` writes it.

    Raises:
        FunctionError: `limit_exceeded` for what contains itself or would be too long.
    """
    hold_tree(value)
    return text_of(value)


def mark_of(value: Any) -> Any:
    """What equal values of a type have in common, and only they; it can be hashed.

    Raises:
        FunctionError: `limit_exceeded` for what contains itself or is too large, `unknown_value`.
    """
    hold_tree(value)
    return identity(value, True)


def deep_equal(left: Any, right: Any) -> bool:
    """Equality of values and types, in any depth."""
    return left is right or bool(mark_of(left) == mark_of(right))
