"""Transforms: what a blueprint asks for by name to expand its abstract resources."""

from .registry import Transform, TransformContext, TransformNotLoaded, Transforms

__all__ = ["Transform", "TransformContext", "TransformNotLoaded", "Transforms"]
