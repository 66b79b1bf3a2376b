"""The tables of what the server answers; each topic brings rows of its own."""

from __future__ import annotations

from typing import Final

from . import (
    actions,
    completing,
    hints,
    hovering,
    lenses,
    links,
    navigation,
    outline,
    renaming,
    signatures,
    tidying,
    tokens,
)
from .feature import Command, Feature

_TOPICS: Final = (
    actions,
    completing,
    hints,
    hovering,
    lenses,
    links,
    navigation,
    outline,
    renaming,
    signatures,
    tidying,
    tokens,
)


def features() -> tuple[Feature, ...]:
    """All requests."""
    return tuple(row for topic in _TOPICS for row in topic.FEATURES)


def commands() -> tuple[Command, ...]:
    """All commands."""
    return tuple(row for topic in _TOPICS for row in getattr(topic, "COMMANDS", ()))
