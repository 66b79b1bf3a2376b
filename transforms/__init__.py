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
    "Expansion": "expansion",
    "ExpansionError": "registry",
    "Resource": "expansion",
    "Transform": "registry",
    "TransformContext": "registry",
    "TransformError": "registry",
    "TransformLike": "registry",
    "TransformNotLoaded": "registry",
    "TransformObject": "registry",
    "Transforms": "registry",
    "carry_over": "expansion",
    "expand_resources": "expansion",
    "expanding": "expansion",
}

__all__ = [
    "Expansion",
    "ExpansionError",
    "Resource",
    "Transform",
    "TransformContext",
    "TransformError",
    "TransformLike",
    "TransformNotLoaded",
    "TransformObject",
    "Transforms",
    "carry_over",
    "expand_resources",
    "expanding",
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
