"""The registry of the core functions."""

from __future__ import annotations

from functools import cache, partial

from ..registry import Functions
from ..signatures import advice, declared_functions
from ..value_limits import DEFAULT_LIMITS, SizeLimits, ValueLimits
from .index import INDEX, load


def core_functions(
    substr_end_exclusive: bool = False, limits: ValueLimits = DEFAULT_LIMITS
) -> Functions:
    """The registry of the core functions, in the order of their specification (v2025-11-02).

    The specification's end index of `substr` is the last character included; the reference engine
    stops before it, and so does `substr_end_exclusive`.
    Registries are values: the same arguments give the same one.
    """
    return _registry(
        substr_end_exclusive, limits.max_value_chars, limits.max_value_items, limits.max_depth
    )


@cache
def _registry(
    substr_end_exclusive: bool, max_value_chars: int, max_value_items: int, max_depth: int
) -> Functions:
    limits = SizeLimits(max_value_chars, max_value_items, max_depth)
    settings = {"substr_end_exclusive": substr_end_exclusive, "limits": limits}
    functions = declared_functions(INDEX, load, settings)
    functions.advise = partial(advice, __package__)
    return functions
