"""Standard output and standard error, written as UTF-8, and the exit statuses."""

from __future__ import annotations

import errno
import io
import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import BinaryIO, TextIO

EXIT_ERRORS = 1
EXIT_USAGE = 2
EXIT_UNREADABLE = 3
EXIT_BUG = 70
EXIT_STOPPED = 128
"""Plus the number of the signal."""

EXIT_INTERRUPTED = 130


def write_raw(text: str) -> bool:
    """Writes to standard output; False if its reader has closed it.

    A closed pipe is a success (`bpp functions | head`): it changes neither the exit status nor what
    else is done.

    Raises:
        OSError: when the text cannot be written.
    """
    try:
        _write(sys.stdout, text)
    except BrokenPipeError:
        discard(1)
        return False
    return True


def write_out(text: str) -> None:
    """Writes text for people to standard output; no line of it is a command to a CI system.

    Raises:
        OSError: when the text cannot be written.
    """
    from ..values.terminal import without_commands

    write_raw(without_commands(text))


def write_err(text: str, *, commands: bool = False) -> None:
    """Writes to standard error; errors are ignored, because there is nowhere left to report them.

    Unless it is meant to hold `commands`, no line of it is a command to a CI system.
    """
    if "::" in text and not commands:
        from ..values.terminal import without_commands

        text = without_commands(text)
    try:
        _write(sys.stderr, text)
    except OSError:
        discard(2)


def _write(stream: TextIO, text: str) -> None:
    buffer = getattr(stream, "buffer", None)
    stream.flush()
    if buffer is None:
        stream.write(text)
    else:
        # lone surrogates come from file names that are not valid UTF-8
        buffer.write(text.encode("utf-8", "surrogateescape"))
    stream.flush()


def discard(descriptor: int) -> None:
    """Sends the buffered rest of a stream to the null device: the flush at exit must not fail."""
    import os

    try:
        null = os.open(os.devnull, os.O_WRONLY)
    except OSError:  # no descriptor is left, or no devices are here
        return
    os.dup2(null, descriptor)
    if null != descriptor:
        os.close(null)


def own_streams() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output, unbuffered, for this caller alone.

    What others print goes to standard error, and there is nothing for them to read.
    """
    import os

    sys.stdout.flush()
    incoming, outgoing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    return os.fdopen(incoming, "rb", 0), os.fdopen(outgoing, "wb", 0)


def open_missing() -> None:
    """Replaces streams that were closed before the process started, which Python leaves as None.

    Writing to a missing standard output fails as on a full disk; standard error is ignored.
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
