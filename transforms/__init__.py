"""Transforms: expansions of abstract resources, which a blueprint requests by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .expansion import Expansion, Resource, carry_over, expand_resources, expanding
    from .registry import (
        ExpansionError,
        Transform,
        TransformContext,
        TransformError,
        TransformLike,
        TransformNotLoaded,
        TransformObject,
        Transforms,
    )

_HOMES = {
    "expansion": "Expansion Resource carry_over expand_resources expanding",
    "registry": "ExpansionError Transform TransformContext TransformError TransformLike "
    "TransformNotLoaded TransformObject Transforms",
}

__all__ = ["Expansion", "ExpansionError", "Resource", "Transform", "TransformContext"]
__all__ += ["TransformError", "TransformLike", "TransformNotLoaded", "TransformObject"]
__all__ += ["Transforms", "carry_over", "expand_resources", "expanding"]


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
