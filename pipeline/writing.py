"""Writing results: a file has its old content or its new one, never a part of either."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from typing import Final

from .files import FileProblem

_FLAGS: Final = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_DESCRIPTOR: Final = re.compile(r"/(?:dev|proc/self)/fd/([0-9]{1,9})")
_STANDARD: Final = {"/dev/stdout": 1, "/dev/stderr": 2}
_WIDTH: Final = 78
_NEVER: Final = re.compile(r"[\n\r;]")
_SPECIAL: Final = re.compile(r"\.[A-Z_]+\Z|[^/]*=")
"""Paths that make would read as a setting of its own or as one of its variables."""
_NO_TARGET: Final = re.compile(r"[=|%]")
"""In the path of a target make takes these for something else."""
_NO_PATH: Final = "no file or folder can have such a path"


def write_atomically(path: str, data: bytes) -> bool:
    """Write a file in one step; False when it has that content already and is left alone.

    The data goes to a temporary file in the same folder, to the disk, and then takes the file's
    place; the mode stays, a symbolic link stays and its target is replaced. Other hard links keep
    the old content. Pipes, terminals and `/dev/null` are written to and never replaced.

    Raises:
        FileProblem: `file_unwritable`; the old content is still there then.
    """
    if not path or "\0" in path:
        raise FileProblem("file_unwritable", _NO_PATH)
    try:
        return _write(path, data)
    except OSError as error:
        raise _problem(error, path) from None
    except UnicodeEncodeError:
        raise FileProblem("file_unwritable", _NO_PATH) from None


def write_privately(path: str, data: bytes) -> None:
    """Write a file of a cache in one step, for this user alone.

    Nobody waits for the disk: who reads a cache holds it against a digest. An old file of that name
    goes, whatever its mode.

    Raises:
        FileProblem: `file_unwritable`.
    """
    try:
        _replace(os.path.realpath(path), data, None, private=True)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError):
            raise _problem(error, path) from None
        raise FileProblem("file_unwritable", _NO_PATH) from None


def keep_newest(folder: str, most: int) -> None:
    """Remove the oldest files of a cache's folder until there are `most`; failures are let go."""
    try:
        with os.scandir(folder) as entries:
            files = [(entry.stat().st_mtime_ns, entry.path) for entry in entries]
        for _, path in sorted(files)[: max(len(files) - most, 0)]:
            os.unlink(path)
    except OSError:
        pass


def make_folder(path: str) -> None:
    """Make a folder and those above it, unless they are there.

    Raises:
        FileProblem: `file_unwritable`.
    """
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise _problem(error, path) from None
    except ValueError:
        raise FileProblem("file_unwritable", _NO_PATH) from None


def depfile_text(targets: str | Sequence[str], inputs: Sequence[str], phony: bool = False) -> str:
    """A rule that says what files are made from, as make, ninja and CMake read it.

    `phony` adds an empty rule for each input, so that make does not stop when one is deleted.

    Raises:
        FileProblem: `file_unwritable` for a path with a line break or a `;`, which no such rule can
            have: make would run what follows as a command.
    """
    made = [targets] if isinstance(targets, str) else targets
    # make takes a first word with `=` for a variable, so such words stand behind others
    words = sorted(map(_escaped, inputs), key=lambda word: "=" in word)
    lines = [f"{' '.join(map(_escaped, made))}:"]
    for word in words:
        if len(lines[-1]) + len(word) > _WIDTH:
            lines[-1] += " \\"
            lines.append(f"  {word}")
        else:
            lines[-1] += f" {word}"
    # make takes nothing for quoted at the end of a line, but a blank is needed there
    lines[-1] = re.sub(r"(\\+)\1\Z", r"\1 ", lines[-1])
    if phony:
        lines += [f"{word}:" for word in words if not _NO_TARGET.search(word)]
    return "\n".join(lines) + "\n"


def _escaped(path: str) -> str:
    if _NEVER.search(path):
        raise FileProblem(
            "file_unwritable",
            "a path with a line break or a `;` cannot be written to a dependency file",
        )
    if _SPECIAL.match(path):
        path = f"./{path}"
    drive = path[:2] if os.name == "nt" and path[1:2] == ":" else ""
    # backslashes are plain, except in front of what would need one
    rest = re.sub(r"(\\+)\Z", r"\1\1", path[len(drive) :])
    return drive + re.sub(r"(\\*)([ \t#:|])", r"\1\1\\\2", rest).replace("$", "$$")


def _write(path: str, data: bytes) -> bool:
    number = _descriptor(path)
    if number is not None:
        _write_all(number, data)
        return True
    status = _status(path)
    if status is not None and not stat.S_ISREG(status.st_mode):
        _write_through(path, data, status.st_mode)
        return True
    if path.endswith(("/", os.sep)):
        raise FileProblem("file_unwritable", f"`{path}` names a folder, not a file")
    real = os.path.realpath(path)
    if status is not None:
        if _holds(real, status, data):
            return False
        if not os.access(real, os.W_OK):
            # a rename would get past the protection
            raise FileProblem("file_unwritable", f"`{path}` is write-protected")
    _replace(real, data, status)
    return True


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _descriptor(path: str) -> int | None:
    """The number of an open file that a path like `/dev/stdout` stands for.

    Opening the path anew would start at the beginning of a file that the shell appends to.
    """
    if os.name != "posix":
        return None
    name = os.path.normpath(path)
    if name in _STANDARD:
        return _STANDARD[name]
    found = _DESCRIPTOR.fullmatch(name)
    return int(found[1]) if found else None


def _write_through(path: str, data: bytes, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise FileProblem("file_unwritable", f"`{path}` is a folder")
    if not (stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)):
        raise FileProblem("file_unwritable", f"`{path}` is a device or a socket, not a file")
    descriptor = os.open(path, os.O_WRONLY | _FLAGS)
    try:
        _write_all(descriptor, data)
    finally:
        os.close(descriptor)


def _holds(real: str, status: os.stat_result, data: bytes) -> bool:
    """True when a file has exactly this content."""
    if status.st_size != len(data):
        return False
    try:
        with open(real, "rb") as stream:
            return stream.read(len(data) + 1) == data
    except PermissionError:
        return False


def _replace(real: str, data: bytes, status: os.stat_result | None, private: bool = False) -> None:
    folder = os.path.dirname(real)
    temporary = os.path.join(folder, f".bpp-{os.urandom(8).hex()}.tmp")
    descriptor = -1
    try:
        # a private file must not be open to others for a moment; a new one follows the umask
        descriptor = os.open(
            temporary,
            os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS,
            0o666 if status is None and not private else 0o600,
        )
        if status is not None:
            _take_over(descriptor, temporary, status)
        _write_all(descriptor, data)
        if not private:
            os.fsync(descriptor)
        os.close(descriptor)
        descriptor = -1
        os.replace(temporary, real)
    except BaseException:
        if descriptor >= 0:
            os.close(descriptor)
        try:
            os.unlink(temporary)
        except OSError:
            pass
        raise
    if not private:
        _sync_folder(folder)


def _take_over(descriptor: int, temporary: str, status: os.stat_result) -> None:
    """Gives a new file the mode and, where that is allowed, the owner of the old one."""
    if hasattr(os, "fchown"):
        try:
            os.fchown(descriptor, status.st_uid, status.st_gid)
        except OSError:
            pass
    os.chmod(temporary, stat.S_IMODE(status.st_mode))


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest[: 1 << 20]) :]


def _sync_folder(folder: str) -> None:
    """Makes a rename survive a power cut, where the system can do that."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _FLAGS)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)


def _problem(error: OSError, path: str) -> FileProblem:
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
            reason, hint = "the disk is full", "the file is as it was before"
        case errno.EDQUOT:
            reason, hint = "your share of the disk is used up", "the file is as it was before"
        case errno.EFBIG:
            reason, hint = "the file would be too large", "the file is as it was before"
        case errno.ELOOP:
            reason = "it is a link that never ends at a file"
        case errno.ENAMETOOLONG:
            reason = "its path is too long"
        case errno.EPIPE:
            reason = "the reader has closed the pipe"
        case _:
            reason = os.strerror(error.errno) if error.errno else "the system gives no reason"
    return FileProblem("file_unwritable", f"`{path}` cannot be written: {reason}", hint)
