"""Patterns of `matches`."""

from __future__ import annotations

from typing import Any

from ....functions import patterns
from ....functions.values import FunctionError


def compiled(pattern: str) -> Any:
    """A compiled pattern.

    Raises:
        FunctionError: `invalid_pattern`, or `function_not_loaded` without the library.
    """
    try:
        return patterns.compiled(pattern, "matches", "expr")
    except patterns.PatternError as error:
        hint = error.hint or error.message or None
    raise FunctionError("the pattern is not valid", "invalid_pattern", hint, 1)


def matches(pattern: Any, text: str | bytes) -> bool:
    """Whether a pattern matches anywhere in a text."""
    if isinstance(text, str):
        text = text.encode("utf-8", "surrogateescape")
    return pattern.search(text) is not None
