"""Why a file cannot be read or written, in plain words."""

from __future__ import annotations

import os
import stat
from typing import Final, NoReturn

from ..functions.value_limits import raising
from .source import Span

_MAX_PATH: Final = 4096
_TOO_LONG: Final = "the path is too long for any file"


class FileProblem(Exception):
    """Why a file was not read or written, in plain words.

    `code` is a diagnostic code: `file_not_found`, `file_not_allowed`, `file_unreadable`,
    `file_too_large`, `invalid_utf8` or `file_unwritable`. `span` is set when a place in the file
    itself is to blame.
    """

    def __init__(
        self, code: str, message: str, hint: str | None = None, span: Span | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.span = span


def check_length(path: str) -> None:
    """Refuse what is no path by its length alone, so that no message has to quote it.

    Raises:
        FileProblem: `file_not_found`.
    """
    if not path:
        raise FileProblem("file_not_found", "the path is empty")
    if len(path) > _MAX_PATH:
        raise FileProblem("file_not_found", _TOO_LONG)


def reading_problem(error: OSError, path: str) -> FileProblem:
    """What an error of the operating system means for a file that should be read."""
    import errno

    match error.errno:
        case errno.ENOENT:
            return FileProblem("file_not_found", f"`{path}` does not exist")
        case errno.EACCES | errno.EPERM:
            return FileProblem("file_unreadable", f"`{path}` may not be read (permission denied)")
        case errno.EISDIR:
            return FileProblem("file_unreadable", f"`{path}` is a folder")
        case errno.ENOTDIR:
            return FileProblem(
                "file_not_found", f"`{path}` does not exist: a part of the path is no folder"
            )
        case errno.ELOOP:
            return FileProblem("file_unreadable", f"`{path}` is a link that never ends at a file")
        case errno.ENAMETOOLONG:
            return FileProblem("file_not_found", _TOO_LONG)
    reason = os.strerror(error.errno) if error.errno else "the system gives no reason"
    return FileProblem("file_unreadable", f"`{path}` cannot be read ({reason})")


def writing_problem(error: OSError, path: str) -> FileProblem:
    """What an error of the operating system means for a file that should be written."""
    import errno

    hint = None
    match error.errno:
        case errno.ENOENT:
            reason = "its folder does not exist"
        case errno.ENOTDIR:
            reason = "a part of its path is no folder"
        case errno.EISDIR:
            reason = "it is a folder"
        case errno.EEXIST:
            reason = "there is a file of that name"
        case errno.EACCES | errno.EPERM:
            reason = "permission denied"
        case errno.EROFS:
            reason = "the file system is read-only"
        case errno.ENOSPC:
            reason, hint = "the disk is full", "nothing was replaced"
        case errno.EDQUOT:
            reason, hint = "your share of the disk is used up", "nothing was replaced"
        case errno.EFBIG:
            reason, hint = "the file would be too large", "nothing was replaced"
        case errno.ELOOP:
            reason = "it is a link that never ends at a file"
        case errno.ENAMETOOLONG:
            path, reason = f"{path[:80]}...", "its path is too long"
        case errno.EPIPE:
            reason = "the reader has closed the pipe"
        case _:
            reason = os.strerror(error.errno) if error.errno else "the system gives no reason"
    return FileProblem("file_unwritable", f"`{path}` cannot be written: {reason}", hint)


def opening_problem(error: OSError | ValueError, path: str) -> FileProblem:
    """What an error means when a path was opened that may not even be one."""
    if isinstance(error, OSError):
        return reading_problem(error, path)
    return FileProblem("file_not_found", "no file can have such a path")


def raise_missing(path: str, name: str, names: list[str]) -> NoReturn:
    """Say that a path leads nowhere; `name` is the part that is missing, `names` are beside it.

    Raises:
        FileProblem: always.
    """
    from .diagnostics import meant

    raise FileProblem("file_not_found", f"`{path}` does not exist", meant(name, names)) from None


def raise_no_file(path: str, mode: int) -> NoReturn:
    """Say that something of this mode is no file.

    Raises:
        FileProblem: always.
    """
    match stat.S_IFMT(mode):
        case stat.S_IFDIR:
            what = "a folder"
        case stat.S_IFIFO:
            what = "a named pipe"
        case stat.S_IFSOCK:
            what = "a socket"
        case _:
            what = "a device"
    raise FileProblem("file_unreadable", f"`{path}` is {what}, not a file")


def raise_too_many_bytes(limit: int) -> NoReturn:
    """Say that all files that a blueprint reads have more than `max_total_input_bytes`.

    Raises:
        FileProblem: always.
    """
    name = "max_total_input_bytes"
    raise FileProblem(
        "limit_exceeded",
        f"the blueprint reads more than `{name}` allows ({limit} bytes)",
        raising(name, limit),
    )


def raise_too_large(path: str, limit_name: str, limit: int) -> NoReturn:
    """Say that a file has more bytes than a limit allows.

    Raises:
        FileProblem: always.
    """
    raise FileProblem(
        "file_too_large",
        f"`{path}` is larger than `{limit_name}` allows ({limit} bytes)",
        raising(limit_name, limit),
    )
