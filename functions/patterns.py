"""Patterns of RE2, in linear time, by google-re2."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from .values import FunctionError

_GO: Final = {
    "missing ]": "missing closing ]",
    "missing )": "missing closing )",
    "no argument for repetition operator": "missing argument to repetition operator",
    "bad repetition operator": "invalid nested repetition operator",
    "trailing \\": "trailing backslash at end of expression",
    "invalid named capture group": "invalid named capture",
    "invalid repetition size": "invalid repeat count",
    "invalid perl operator": "invalid or unsupported Perl syntax",
}
"""What Go's library says for what RE2 says."""


class PatternError(Exception):
    """A pattern that RE2 does not take.

    `message` is what is wrong in the words of RE2, `sentence` in those of Go's library; `hint` says
    what RE2 does not have.
    """

    def __init__(self, message: str, hint: str | None) -> None:
        super().__init__(message)
        self.message, colon, part = message.partition(": ")
        self.sentence = _GO.get(self.message, self.message) + (f": `{part}`" if colon else "")
        self.hint = hint


@lru_cache(256)
def compiled(pattern: str, function: str, extra: str) -> Any:
    """A compiled pattern, which searches bytes.

    `function` asks for it, and `extra` is what installs the library for that.

    Raises:
        PatternError: the pattern is not valid.
        FunctionError: `function_not_loaded` without the library.
    """
    try:
        import re2
    except ImportError:
        raise FunctionError(
            f"`{function}` needs the package google-re2, which is not installed",
            "function_not_loaded",
            f"`pip install 'blueprint-preprocessor[{extra}]'`",
        ) from None
    options = re2.Options()
    options.log_errors = False
    message = "invalid escape sequence: \\C"
    try:
        if "\\C" not in pattern:
            return re2.compile(pattern.encode("utf-8", "surrogateescape"), options)
    except re2.error as error:
        found = error.args[0] if error.args else ""
        message = found.decode("utf-8", "replace") if isinstance(found, bytes) else str(found)
    raise PatternError(message, _missing(pattern))


def _missing(pattern: str) -> str | None:
    if "(?=" in pattern or "(?!" in pattern or "(?<=" in pattern or "(?<!" in pattern:
        return "there is no looking ahead or behind in RE2"
    if any(f"\\{digit}" in pattern for digit in "123456789"):
        return "there are no references to groups in RE2"
    return None
