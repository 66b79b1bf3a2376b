"""Patterns of `matches`: RE2's, in linear time, by google-re2."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from ....functions.values import FunctionError


@cache
def _options(kind: Any) -> Any:
    options = kind()
    options.log_errors = False
    return options


@lru_cache(256)
def compiled(pattern: str) -> Any:
    """A compiled pattern.

    Raises:
        FunctionError: `invalid_pattern`, or `function_not_loaded` without the library.
    """
    try:
        import re2
    except ImportError:
        raise FunctionError(
            "`matches` needs the package google-re2, which is not installed",
            "function_not_loaded",
            "`pip install 'blueprint-preprocessor[expr]'`",
        ) from None
    hint = None
    if "(?=" in pattern or "(?!" in pattern or "(?<=" in pattern or "(?<!" in pattern:
        hint = "there is no looking ahead or behind in RE2"
    elif any(f"\\{digit}" in pattern for digit in "123456789"):
        hint = "there are no references to groups in RE2"
    try:
        if "\\C" not in pattern:
            return re2.compile(pattern, _options(re2.Options))
    except re2.error as error:
        message = error.args[0] if error.args else ""
        text = message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)
        hint = hint or text.split(":")[0] or None
    raise FunctionError("the pattern is not valid", "invalid_pattern", hint, 1)


def matches(pattern: Any, text: str | bytes) -> bool:
    """Whether a pattern matches anywhere in a text."""
    if isinstance(text, str):
        text = text.encode("utf-8", "surrogateescape")
    return pattern.search(text) is not None
