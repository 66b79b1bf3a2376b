"""Standard output and standard error: UTF-8, and no bug when one is closed or full."""

from __future__ import annotations

import errno
import io
import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import TextIO


def put(text: str) -> bool:
    """Writes to standard output as UTF-8, whatever the locale says; False for a reader that left.

    Whoever stops reading has what he wants, as in `bpp functions | head`: that changes nothing of
    what else is done, nor of the exit status.

    Raises:
        OSError: when it cannot be written.
    """
    try:
        _write(sys.stdout, text)
    except BrokenPipeError:
        from .entry import drop

        drop(1)
        return False
    return True


def say(text: str) -> None:
    """Writes text for people to standard output; no line of it is a command to who keeps the log.

    Raises:
        OSError: when nobody takes it.
    """
    from .terminal import without_commands

    put(without_commands(text))


def tell(text: str, *, commands: bool = False) -> None:
    """Writes to standard error as UTF-8; when nobody takes it, there is nobody to complain to.

    Unless it holds `commands`, no line of it is one to who keeps the log.
    """
    if "::" in text and not commands:
        from .terminal import without_commands

        text = without_commands(text)
    try:
        _write(sys.stderr, text)
    except OSError:
        from .entry import drop

        drop(2)


def _write(stream: TextIO, text: str) -> None:
    buffer = getattr(stream, "buffer", None)
    stream.flush()
    if buffer is None:
        stream.write(text)
    else:
        # what is no character can only be a byte of a file's name
        buffer.write(text.encode("utf-8", "surrogateescape"))
    stream.flush()


def open_missing() -> None:
    """Stands in for streams that were closed before the process started, which Python leaves out.

    What goes to a missing standard output fails as on a full disk; standard error is let go.
    """
    if sys.stdout is None:
        sys.stdout = _Refusing()
    if sys.stderr is None:
        sys.stderr = _Ignoring()


class _Refusing(io.TextIOBase):
    def write(self, text: str, /) -> int:
        raise OSError(errno.EBADF, "it is closed")


class _Ignoring(io.TextIOBase):
    def write(self, text: str, /) -> int:
        return len(text)
