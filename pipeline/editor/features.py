"""The tables of what the server answers; each topic brings rows of its own."""

from __future__ import annotations

from . import actions, navigation, renaming
from .feature import Command, Feature


def features() -> tuple[Feature, ...]:
    """All requests."""
    return (*actions.FEATURES, *navigation.FEATURES, *renaming.FEATURES)


def commands() -> tuple[Command, ...]:
    """All commands."""
    return ()
