"""Transforms: what a blueprint asks for by name to expand its abstract resources."""
