"""The registry of the helper functions."""

from __future__ import annotations

from ..registry import Functions
from ..signatures import declared_functions
from ..value_limits import ValueLimits
from .index import INDEX, load


def helper_functions(limits: ValueLimits) -> Functions:
    """The helper functions that need no reader or writer of documents, sorted by name."""
    return declared_functions(INDEX, load, {"limits": limits})
