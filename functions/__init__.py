"""Functions that expressions call: the registry and the core functions, by topic."""

from .core import core_functions
from .registry import (
    Environment,
    Example,
    Function,
    Functions,
    Parameter,
    as_value,
    invoke,
)
from .values import NONE, FunctionError, FunctionValue, Unknown

__all__ = [
    "NONE",
    "Environment",
    "Example",
    "Function",
    "FunctionError",
    "FunctionValue",
    "Functions",
    "Parameter",
    "Unknown",
    "as_value",
    "core_functions",
    "invoke",
]
