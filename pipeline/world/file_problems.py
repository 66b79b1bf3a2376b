"""Why a file is not read or written, in plain words."""

from __future__ import annotations

import os
import stat
from typing import Final, NoReturn

from ...functions.value_limits import raising
from ..values.source import Span

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
    """Refuse an empty or overlong path, so that no message quotes it.

    Raises:
        FileProblem: `file_not_found`.
    """
    if not path:
        raise FileProblem("file_not_found", "the path is empty")
    if len(path) > _MAX_PATH:
        raise FileProblem("file_not_found", _TOO_LONG)


def reading_problem(error: OSError, path: str) -> FileProblem:
    """The problem for an error of the operating system when reading a file."""
    import errno

    match error.errno:
        case errno.ENOENT:
            return FileProblem("file_not_found", f"`{path}` does not exist")
        case errno.EACCES | errno.EPERM:
            return FileProblem("file_unreadable", f"`{path}` cannot be read (permission denied)")
        case errno.EISDIR:
            return FileProblem("file_unreadable", f"`{path}` is a folder")
        case errno.ENOTDIR:
            return FileProblem(
                "file_not_found", f"`{path}` does not exist: a part of the path is not a folder"
            )
        case errno.ELOOP:
            return FileProblem("file_unreadable", f"`{path}` leads through too many links")
        case errno.ENAMETOOLONG:
            return FileProblem("file_not_found", _TOO_LONG)
    return FileProblem("file_unreadable", f"`{path}` cannot be read ({_reason(error)})")


def writing_problem(error: OSError, path: str) -> FileProblem:
    """The problem for an error of the operating system when writing a file."""
    import errno

    name = errno.errorcode.get(error.errno or 0, "")
    hint = "nothing was replaced" if name in ("ENOSPC", "EDQUOT", "EFBIG") else None
    shown = f"{path[:80]}..." if name == "ENAMETOOLONG" else path
    reason = _UNWRITABLE.get(name) or _reason(error)
    return FileProblem("file_unwritable", f"`{shown}` cannot be written: {reason}", hint)


_UNWRITABLE: Final = {
    "ENOENT": "its folder does not exist",
    "ENOTDIR": "a part of its path is not a folder",
    "EISDIR": "it is a folder",
    "EEXIST": "a file of that name exists",
    "EACCES": "permission denied",
    "EPERM": "permission denied",
    "EROFS": "the file system is read-only",
    "ENOSPC": "the disk is full",
    "EDQUOT": "your disk quota is exhausted",
    "EFBIG": "the file would be too large",
    "ELOOP": "it leads through too many links",
    "ENAMETOOLONG": "its path is too long",
    "EPIPE": "the reader has closed the pipe",
}


def _reason(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno else "the system gives no reason"


def opening_problem(error: OSError | ValueError, path: str) -> FileProblem:
    """The problem for an error when opening a path, which may be invalid."""
    if isinstance(error, OSError):
        return reading_problem(error, path)
    return FileProblem("file_not_found", "this is not a valid path")


def raise_missing(path: str, name: str, names: list[str]) -> NoReturn:
    """Report a path that does not exist; `name` is the missing part, `names` are in its folder.

    Raises:
        FileProblem: always.
    """
    from ..values.diagnostics import meant

    raise FileProblem("file_not_found", f"`{path}` does not exist", meant(name, names)) from None


def raise_no_file(path: str, mode: int) -> NoReturn:
    """Report something that is not a file, by its mode.

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
    """Report that the files of a blueprint exceed `max_total_input_bytes`.

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
    """Report a file that has more bytes than a limit allows.

    Raises:
        FileProblem: always.
    """
    raise FileProblem(
        "file_too_large",
        f"`{path}` is larger than `{limit_name}` allows ({limit} bytes)",
        raising(limit_name, limit),
    )
