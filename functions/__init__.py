"""Functions that expressions call: the public names, loaded when used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .core.registry import core_functions
    from .declaring import function
    from .guarding import guarded
    from .registry import (
        Environment,
        Example,
        Function,
        FunctionNotLoaded,
        Functions,
        Parameter,
        as_value,
        invoke,
    )
    from .signatures import DeclarationError
    from .values import NONE, FunctionError, FunctionValue, Unknown

_HOMES = {
    "NONE": "values",
    "DeclarationError": "signatures",
    "Environment": "registry",
    "Example": "registry",
    "Function": "registry",
    "FunctionError": "values",
    "FunctionNotLoaded": "registry",
    "FunctionValue": "values",
    "Functions": "registry",
    "Parameter": "registry",
    "Unknown": "values",
    "as_value": "registry",
    "core_functions": "core.registry",
    "function": "declaring",
    "guarded": "guarding",
    "invoke": "registry",
}

__all__ = [
    "NONE",
    "DeclarationError",
    "Environment",
    "Example",
    "Function",
    "FunctionError",
    "FunctionNotLoaded",
    "FunctionValue",
    "Functions",
    "Parameter",
    "Unknown",
    "as_value",
    "core_functions",
    "function",
    "guarded",
    "invoke",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
