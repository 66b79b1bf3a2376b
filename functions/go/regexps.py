"""Patterns of Go: RE2's, which take linear time, by google-re2."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any, Final

from ..values import FunctionError

_A_STEP: Final = 1024
_LOOKING: Final = ("(?=", "(?!", "(?<=", "(?<!")


class BadPattern(ValueError):
    """A text that is not a pattern; `hint` says what is wrong with it, if that is known."""

    def __init__(self, hint: str | None = None) -> None:
        super().__init__("the pattern is not valid")
        self.hint = hint


class Regexp:
    """A compiled pattern: `compiled` has the methods of those of `re`, for strings and bytes."""

    __slots__ = ("compiled", "source")

    def __init__(self, source: str, compiled: Any) -> None:
        self.source = source
        self.compiled = compiled

    def cost(self, text: str | bytes) -> int:
        """The steps that a search of a text may take, to be spent before it."""
        return len(self.source) * len(text) // _A_STEP

    def finds(self, text: str | bytes) -> bool:
        """Whether the pattern matches anywhere in a text."""
        return self.compiled.search(text) is not None


@cache
def _options(kind: Any) -> Any:
    options = kind()
    options.log_errors = False
    return options


@lru_cache(256)
def compile_pattern(pattern: str) -> Regexp:
    """A compiled pattern.

    Raises:
        BadPattern: it is not a pattern of RE2.
        FunctionError: `function_not_loaded` without the library.
    """
    hint = None
    if any(mark in pattern for mark in _LOOKING):
        hint = "there is no looking ahead or behind in RE2"
    elif any(f"\\{digit}" in pattern for digit in "123456789"):
        hint = "there are no references to groups in RE2"
    if "\\C" in pattern:
        raise BadPattern(hint)
    try:
        import re2
    except ImportError:
        raise FunctionError(
            "patterns need the package google-re2, which is not installed",
            "function_not_loaded",
            "`pip install 'blueprint-preprocessor[expr]'`",
        ) from None
    try:
        return Regexp(pattern, re2.compile(pattern, _options(re2.Options)))
    except re2.error as error:
        message = error.args[0] if error.args else ""
        text = message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)
        raise BadPattern(hint or text.split(":")[0] or None) from None
