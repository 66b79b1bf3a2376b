"""Composable variants: functions that take the static arguments and answer with a function."""

from __future__ import annotations

from typing import Any

from .registry import Example, Function, invoke
from .values import FunctionError, FunctionValue


def composable(
    base: Function,
    summary: str = "",
    examples: tuple[Example, ...] = (),
    name: str | None = None,
) -> Function:
    """The variant of `base` that waits for its first argument.

    It takes all parameters of `base` but the first, and its result is a function of the first; that
    function calls `base`, so it checks types and propagates none as `base` does. The name is that
    of `base` with `_g` unless another is given (core functions, "Clarification on _g functions").
    A `base` that takes an element's index as its last argument gets it from `map` and the like.

    Raises:
        ValueError: when `base` has nothing to wait for.
    """
    own_name = name or f"{base.name}_g"
    indexed = base.indexed
    parameters = base.parameters[1:-1] if indexed else base.parameters[1:]
    if not base.parameters or base.parameters[0].variadic or base.effect is not None:
        raise ValueError(f"`{base.name}` has no first argument that `{own_name}` could wait for")

    def call(*static: Any) -> FunctionValue:
        def apply(*dynamic: Any) -> Any:
            if len(dynamic) not in ((1, 2) if indexed else (1,)):
                raise FunctionError(
                    f"the function made by `{own_name}` takes 1 argument, but got {len(dynamic)}",
                    code="invalid_argument_count",
                )
            return invoke(base, [dynamic[0], *static, *dynamic[1:]])

        return FunctionValue(own_name, apply, indexed)

    return Function(
        name=own_name,
        summary=summary or f"`{base.name}` as a function that waits for its first argument",
        parameters=parameters,
        result="function",
        call=call,
        topic=base.topic,
        examples=examples,
        origin=base.origin,
    )
