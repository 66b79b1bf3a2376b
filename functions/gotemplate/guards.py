"""What functions of Go's templates say when they fail, and the sizes that they refuse to make."""

from __future__ import annotations

from typing import Any, Final

from ..names import Hint
from ..value_limits import ValueLimits, hold_chars, hold_items
from ..values import FunctionError
from .kinds import DEEPEST, PARAMETERS, Absent

TYPES: Final = frozenset((*PARAMETERS, "ints", "lists", "version"))
"""The types that signatures name: Go's, some of which only results have."""

_NIL: Final = "runtime error: invalid memory address or nil pointer dereference"


def failed(message: str, hint: Hint = None) -> FunctionError:
    """The error of a call that Go's function returns or panics with; `message` is its sentence."""
    return FunctionError(message, "template_error", hint)


def nil_failed() -> FunctionError:
    """The error of a function that has no answer for nil."""
    return failed(_NIL)


def hold_tree(value: Any, limits: ValueLimits) -> None:
    """Refuses a value that contains itself, is nested too deeply, or is too large written out.

    Values share parts, so a small template can make a huge tree: each part is looked at once, and
    counted as often as it would be written.

    Raises:
        FunctionError: `limit_exceeded`, which names the limit.
    """
    sizes: dict[int, tuple[int, int]] = {}
    if value.__class__ is str or not isinstance(value, list | dict):
        return
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
                raise FunctionError(
                    f"the value contains itself or is nested more than {DEEPEST} deep",
                    "limit_exceeded",
                    "`deepCopy` a map before it is put into itself",
                )
            pending += missing
            continue
        path.discard(id(one))
        items = len(one) + sum(sizes[id(part)][0] for part in parts)
        chars = sum(len(part) for part in inner if isinstance(part, str))
        chars += sum(sizes[id(part)][1] for part in parts)
        hold_items("the value", items, limits)
        hold_chars("the value", chars, limits)
        sizes[id(one)] = items, chars
