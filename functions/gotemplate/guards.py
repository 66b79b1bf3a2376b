"""What functions of Go's templates say when they fail, and the sizes that they refuse to make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NoReturn

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
    if isinstance(value, _WITH_PARTS):
        _hold(value, limits, {}, 0)


_WITH_PARTS: Final = (list, dict)


def _hold(
    value: Any, limits: ValueLimits, sizes: dict[int, tuple[int, int]], depth: int
) -> tuple[int, int]:
    """The items and the characters of a value written out; `sizes` are those of known parts."""
    if depth > DEEPEST:
        raise too_deep()
    items, chars = len(value), 0
    for part in value.values() if isinstance(value, dict) else value:
        kind = part.__class__
        if kind is str:
            chars += len(part)
        elif isinstance(part, _WITH_PARTS):
            size = sizes.get(id(part)) or _hold(part, limits, sizes, depth + 1)
            items, chars = items + size[0], chars + size[1]
        elif kind is Absent:
            raise part.error()
    hold_items("the value", items, limits)
    hold_chars("the value", chars, limits)
    sizes[id(value)] = items, chars
    return items, chars


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


def needs_stub(name: str, why: str) -> Callable[..., Any]:
    """A function that only canned answers can stand for."""

    def call(environment: Any, *arguments: Any) -> NoReturn:
        hint = f"`--stub {name}=FILE` supplies its results"
        raise FunctionError(f"`{name}` {why}", "function_needs_stub", hint)

    return call
