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
    "core.registry": "core_functions",
    "declaring": "function",
    "guarding": "guarded",
    "registry": "Environment Example Function FunctionNotLoaded Functions Parameter "
    "as_value invoke",
    "signatures": "DeclarationError",
    "values": "NONE FunctionError FunctionValue Unknown",
}

__all__ = ["NONE", "DeclarationError", "Environment", "Example", "Function", "FunctionError"]
__all__ += ["FunctionNotLoaded", "FunctionValue", "Functions", "Parameter", "Unknown", "as_value"]
__all__ += ["core_functions", "function", "guarded", "invoke"]


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names.split():
            from importlib import import_module

            value = getattr(import_module(f".{home}", __name__), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
