"""Functions made of functions, and functions that reach into objects and arrays."""

from __future__ import annotations

from typing import Any, Final

from ..names import meant_key
from ..signatures import Declarations
from ..values import FunctionError, FunctionValue

function: Final = Declarations("functions", __package__)


@function("compose(function: function, ...more: function) -> function")
def compose(*functions: FunctionValue) -> FunctionValue:
    """Several functions as one, called from right to left."""
    return chain("compose", functions[::-1])


@function("pipe(function: function, ...more: function) -> function")
def pipe(*functions: FunctionValue) -> FunctionValue:
    """Several functions as one, called from left to right."""
    return chain("pipe", functions)


def chain(name: str, functions: tuple[FunctionValue, ...]) -> FunctionValue:
    """A function that gives each function's result to the next; an index goes to the first."""
    head, *rest = functions

    def apply(*arguments: Any) -> Any:
        value = head(*arguments)
        for function in rest:
            value = function(value)
        return value

    return FunctionValue(name, apply, indexed=head.indexed)


@function("getattr(mapping: object, name: string) -> any", composable="only")
def attribute(mapping: dict[str, Any], name: str) -> Any:
    """The value of an attribute that must be there.

    Raises:
        FunctionError: `path_not_found`.
    """
    if name not in mapping:
        raise FunctionError(
            "the object does not have the attribute that `getattr` looks up",
            code="path_not_found",
            hint=meant_key(name, mapping),
        )
    return mapping[name]


@function("getelem(items: array, position: integer) -> any", composable="only")
def element(items: list[Any], position: int) -> Any:
    """The element at a position that must be there.

    Raises:
        FunctionError: `index_out_of_bounds`.
    """
    if not 0 <= position < len(items):
        plural = "" if len(items) == 1 else "s"
        raise FunctionError(
            f"the position for `getelem` is outside the array of {len(items)} element{plural}",
            code="index_out_of_bounds",
        )
    return items[position]
