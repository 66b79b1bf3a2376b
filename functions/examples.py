"""Short spellings for the example rows of function records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .registry import Example


def given(expression: str, result: Any = None, **scope: Mapping[str, Any]) -> Example:
    """An example for readers, with the plain data that its references stand for.

    A result of Python's `None` says that it differs from run to run or stays to be computed.
    """
    return Example(expression, result, scope=scope)


def edge(
    expression: str, result: Any = None, error: str | None = None, **scope: Mapping[str, Any]
) -> Example:
    """An example that is only a test: a corner of the definition, or a mistake by its code."""
    return Example(expression, result, error, scope, shown=False)
