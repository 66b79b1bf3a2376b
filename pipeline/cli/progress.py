"""One line of a terminal that says what is being done."""

from __future__ import annotations

import os
import sys
from time import perf_counter

from ..values.terminal import is_terminal, shorten, visible
from .streams import write_err

_CHARS = 78
_SELDOM = 0.05


class Progress:
    """A line of standard error, overwritten each time; nothing if that is not a terminal.

    `form` is the format of diagnostics: programs that read them want nothing else.
    """

    def __init__(self, form: str) -> None:
        overwrites = is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"
        self.wanted = form == "text" and overwrites
        self._length = 0
        self._last = 0.0

    def show(self, text: str) -> None:
        """Shows what is being done, at most 20 times a second; clears the line for no text."""
        if not self.wanted:
            return
        if not text:
            self.clear()
            return
        now = perf_counter()
        if now - self._last < _SELDOM:
            return
        self._last = now
        text = shorten(visible(text), _CHARS)
        write_err(f"\r{text}{' ' * (self._length - len(text))}")
        self._length = len(text)

    def clear(self) -> None:
        """Clears the line."""
        if self._length:
            write_err(f"\r{' ' * self._length}\r")
            self._length = 0


def terminal_width(stream: object, usual: int = 80) -> int:
    """The columns of a terminal: COLUMNS, else what the system says, else the usual ones."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and int(columns[:6]) > 0:
        return int(columns[:6])
    try:
        return os.get_terminal_size(stream.fileno()).columns or usual  # type: ignore[attr-defined]
    except (AttributeError, ValueError, OSError):
        return usual
