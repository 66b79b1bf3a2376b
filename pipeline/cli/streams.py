"""Standard output and standard error: UTF-8, and no bug when one is closed or full."""

from __future__ import annotations

import errno
import io
import sys


def put(text: str) -> None:
    """Writes to standard output as UTF-8, whatever the locale says.

    Raises:
        OSError: when nobody takes it.
    """
    buffer = getattr(sys.stdout, "buffer", None)
    sys.stdout.flush()
    if buffer is None:
        sys.stdout.write(text)
    else:
        buffer.write(text.encode("utf-8"))
    sys.stdout.flush()


def tell(text: str) -> None:
    """Writes to standard error; when nobody takes it, there is nobody to complain to."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        from .entry import drop

        drop(2)


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
