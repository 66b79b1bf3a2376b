"""Failures that both the static checks and the evaluation word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...functions.registry import Function, FunctionNotLoaded, Functions
from ...functions.values import FunctionValue, Unknown
from ..values.diagnostics import meant
from .errors import Failure
from .expression import Expression


def not_text(type_name: str, node: Expression) -> Failure:
    """The failure for an array, an object or a function as part of a text."""
    article = "a" if type_name == "function" else "an"
    hint = {
        "array": 'use `join(..., ",")` to make it a string, or let the substitution stand alone',
        "object": "let the substitution stand alone, or pick a field of the object",
    }.get(type_name)
    return Failure(
        "invalid_interpolation", f"{article} {type_name} cannot be part of a string", node, hint
    )


def find_function(
    name: str, functions: Mapping[str, Function], node: Expression, hints: bool = True
) -> Function:
    """The function that a call means, for a name that is not among those known so far.

    Without `hints` a name that is near is not looked for.

    Raises:
        Failure: `function_not_found`, or `function_not_loaded` for one that cannot be used.
    """
    if isinstance(functions, Functions):
        try:
            found = functions.find(name)
        except FunctionNotLoaded as problem:
            hint = "this is a mistake in an installed package, not in the blueprint"
            raise Failure("function_not_loaded", problem.message, node, hint) from None
        if found is not None:
            return found
    raise unknown_function(name, functions if hints else {}, node)


def unknown_function(name: str, functions: Mapping[str, Function], node: Expression) -> Failure:
    """The failure for a function that does not exist."""
    hint = (meant(name, functions) if functions else None) or "`bpp functions` lists all functions"
    return Failure("function_not_found", f"there is no function `{name}`", node, hint)


def refuse_function(value: Any, node: Expression) -> None:
    """Refuses a function where only values may stand.

    Raises:
        Failure: `function_not_allowed`.
    """
    kind = value.__class__
    if kind is FunctionValue or (kind is Unknown and value.type == "function"):
        name = f" `{value.name}`" if kind is FunctionValue else ""
        raise Failure(
            "function_not_allowed",
            f"the function{name} can only be an argument of another function",
            node,
        )
