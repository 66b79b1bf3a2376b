"""The tables of what the server answers; each topic brings rows of its own."""

from __future__ import annotations

<<<<<<< HEAD
from typing import Final

from . import hints, hovering, lenses, navigation, renaming, signatures
=======
from . import actions, navigation, renaming
>>>>>>> h/l4
from .feature import Command, Feature

_TOPICS: Final = (hints, hovering, lenses, navigation, renaming, signatures)


def features() -> tuple[Feature, ...]:
    """All requests."""
<<<<<<< HEAD
    return tuple(row for topic in _TOPICS for row in topic.FEATURES)
=======
    return (*actions.FEATURES, *navigation.FEATURES, *renaming.FEATURES)
>>>>>>> h/l4


def commands() -> tuple[Command, ...]:
    """All commands."""
    return tuple(row for topic in _TOPICS for row in getattr(topic, "COMMANDS", ()))
