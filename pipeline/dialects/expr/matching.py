"""Patterns of `matches`: RE2's, in linear time, by google-re2."""

from __future__ import annotations

from typing import Any

from ....functions.go.regexps import BadPattern, compile_pattern
from ....functions.values import FunctionError


def compiled(pattern: str) -> Any:
    """A compiled pattern.

    Raises:
        FunctionError: `invalid_pattern`, or `function_not_loaded` without the library.
    """
    try:
        return compile_pattern(pattern).compiled
    except BadPattern as error:
        raise FunctionError(str(error), "invalid_pattern", error.hint, 1) from None


def matches(pattern: Any, text: str | bytes) -> bool:
    """Whether a pattern matches anywhere in a text."""
    if isinstance(text, str):
        text = text.encode("utf-8", "surrogateescape")
    return pattern.search(text) is not None
