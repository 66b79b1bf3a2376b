"""The dialects there are, by name."""

from __future__ import annotations

from .dialect import Dialect

NAMES = ("bluelink",)
DEFAULT = "bluelink"


def find_dialect(name: str) -> Dialect:
    """The dialect of a name, loaded when it is asked for.

    Raises:
        ValueError: when there is none.
    """
    if name == "bluelink":
        from .bluelink.dialect import BLUELINK

        return BLUELINK
    raise ValueError(f"there is no dialect `{name}`; there are {', '.join(NAMES)}")
