"""The only module that opens files to read them.

Files that a blueprint names are confined to a few roots: symbolic links are resolved first, the
result must lie below a root, and it is then opened folder by folder from that root without
following links, so that no folder can be swapped for a link between the check and the opening. Hard
links cannot be detected. Files that the user names on the command line are not confined.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from typing import BinaryIO, Final, NoReturn, Protocol

from ...functions.value_limits import raising
from ..values.settings import Limits, how_to_raise
from ..values.source import Source, Span

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
            return FileProblem("file_unreadable", f"`{path}` is a link that never ends at a file")
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
    "ELOOP": "it is a link that never ends at a file",
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


_CHUNK: Final = 1 << 20
_READ: Final = os.O_RDONLY | getattr(os, "O_BINARY", 0)
_FOLDER: Final = (
    # a folder that may only be searched can be walked through, though not listed
    getattr(os, "O_PATH", os.O_RDONLY)
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
)
_STDIN: Final = "/dev/stdin"
_WALKS: Final = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")


class Files(Protocol):
    """Where the texts and files of a run come from.

    `reads` lists what was opened or looked for, in that order and once each, as `shown` writes it.
    A `base` is the folder that a relative path starts from; None is the working directory.
    """

    reads: list[str]

    def read(self, path: str, base: str | None = None) -> bytes:
        """The bytes of a file that a blueprint names.

        Raises:
            FileProblem: when it may not or cannot be read.
        """

    def open_input(self, path: str) -> bytes:
        """The bytes of a file that the user names; a pipe or a terminal will do.

        Raises:
            FileProblem: when it cannot be read.
        """

    def resolve(self, path: str, base: str | None = None) -> str:
        """The one absolute path under which a file is known, however it is written.

        Raises:
            FileProblem: when this is not a valid path.
        """

    def shown(self, path: str, base: str | None = None) -> str:
        """The path for people: relative below the working directory, absolute elsewhere."""

    def exists(self, path: str) -> bool:
        """True when there is a file; asking leaves no trace in `reads`."""

    def cwd(self) -> str:
        """The working directory."""

    def below(self, folder: str, wanted: Callable[[str], bool]) -> list[str]:
        """The files in a folder and in those below it whose names are wanted, sorted.

        They are paths relative to the folder, with `/`. Links to folders are not followed; hidden
        folders and `node_modules` are passed over.

        Raises:
            FileProblem: `file_not_allowed` outside the roots, `limit_exceeded` for too many files.
        """

    def with_roots(self, *folders: str) -> Files:
        """The same files, with more folders that may be read from; `reads` is shared."""


class DiskFiles:
    """The files of this machine: the working directory and the given roots.

    Roots are folders, relative ones below `cwd` (default: the process's). One that does not exist
    is not a root until it does.
    """

    def __init__(
        self, roots: tuple[str, ...] = (), cwd: str | None = None, limits: Limits | None = None
    ) -> None:
        self._cwd = os.path.abspath(cwd) if cwd is not None else _process_folder()
        self._roots = tuple(
            dict.fromkeys(os.path.realpath(os.path.join(self._cwd, r)) for r in ("", *roots))
        )
        self._limits = limits or Limits()
        self.reads: list[str] = []
        self._seen: set[str] = set()
        self._left = self._limits.max_total_input_bytes
        self._kept: dict[str, bytes] | None = None

    def cwd(self) -> str:
        """The working directory."""
        return self._cwd

    def exists(self, path: str) -> bool:
        """True when there is a file, or a link to one."""
        return os.path.isfile(os.path.join(self._cwd, path))

    def below(self, folder: str, wanted: Callable[[str], bool]) -> list[str]:
        """The files in a folder and in those below it whose names are wanted, sorted.

        Raises:
            FileProblem: `file_not_allowed` outside the roots, `limit_exceeded` for too many files.
        """

        real = self.resolve(folder)
        if not any(_inside(real, root) for root in self._roots):
            raise self._not_allowed(folder, None)
        return files_below(real, os.walk(real), wanted, folder, self._limits)

    def with_roots(self, *folders: str) -> DiskFiles:
        """The same files for one run, with more folders that may be read from; `reads` is shared.

        What a blueprint reads is read once: a run never sees two contents of a file.
        """
        more = DiskFiles((*self._roots, *folders), self._cwd, self._limits)
        more.reads, more._seen = self.reads, self._seen
        more._kept = {}
        return more

    def resolve(self, path: str, base: str | None = None) -> str:
        """The real path, which need not exist.

        Raises:
            FileProblem: when this is not a valid path.
        """
        full = self._absolute(path, base)
        try:
            return os.path.realpath(full)
        except (OSError, ValueError) as error:  # a link that vanishes, or no text for a path
            raise opening_problem(error, path) from None

    def shown(self, path: str, base: str | None = None) -> str:
        """The path for people: relative below the working directory, absolute elsewhere."""
        full = os.path.join(self._cwd, base or "", path)
        if os.pardir in full.split(os.sep):
            try:
                full = os.path.realpath(full)  # `link/..` is not where the text suggests
            except (OSError, ValueError):
                pass
        full = os.path.normpath(full)
        for folder in (self._cwd, self._roots[0]):
            if full != folder and _inside(full, folder):
                return os.path.relpath(full, folder)
        return full

    def read(self, path: str, base: str | None = None) -> bytes:
        """The bytes of a file below one of the roots.

        Raises:
            FileProblem: `file_not_allowed` outside the roots, `file_not_found`, `file_unreadable`
                for anything but a readable file, `file_too_large`, `limit_exceeded` when the
                run has read too much.
        """
        real = self.resolve(path, base)
        root = next((r for r in self._roots if _inside(real, r)), None)
        if root is None:
            raise self._not_allowed(path, base)
        self._note(self.shown(path, base))
        kept = self._kept.get(real) if self._kept is not None else None
        if kept is not None:
            return kept
        data = self._read_below(root, real, path)
        if self._kept is not None:
            self._kept[real] = data
        return data

    def _read_below(self, root: str, real: str, path: str) -> bytes:
        descriptor = _walk(root, real, path) if _WALKS else _open(real, path, _READ)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise_no_file(path, status.st_mode)
            limit = self._limits.max_file_bytes
            if status.st_size > limit:
                raise_too_large(path, "max_file_bytes", limit)
            with os.fdopen(descriptor, "rb", closefd=False) as stream:
                return self._counted(read_bounded(stream, path, "max_file_bytes", limit))
        finally:
            os.close(descriptor)

    def open_input(self, path: str) -> bytes:
        """The bytes of a file that the user names; a pipe or a terminal will do.

        Raises:
            FileProblem: `file_not_found`, `file_unreadable`, `file_too_large`.
        """
        full = self._absolute(path, None)
        limit = self._limits.max_input_bytes
        standard = path == _STDIN
        try:
            descriptor = _open(full, path, _READ)
        except FileProblem:
            self._note(self.shown(path))
            if standard and not os.path.exists(full):
                raise FileProblem(
                    "file_unreadable", "standard input cannot be read: it is closed"
                ) from None
            raise
        path = "<stdin>" if standard else path
        try:
            mode = os.fstat(descriptor).st_mode
            if stat.S_ISREG(mode):
                self._note(self.shown(full))
            elif not (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)):
                raise_no_file(path, mode)
            with os.fdopen(descriptor, "rb", closefd=False) as stream:
                return read_bounded(stream, path, "max_input_bytes", limit)
        finally:
            os.close(descriptor)

    def _absolute(self, path: str, base: str | None) -> str:
        check_length(path)
        if "\0" in path:
            raise FileProblem("file_not_found", "the path contains a NUL character")
        return os.path.join(self._cwd, base or "", path)

    def _not_allowed(self, path: str, base: str | None) -> FileProblem:
        # the path as written: the target of a link outside the roots is not disclosed
        full = os.path.normpath(os.path.join(self._cwd, base or "", path))
        if any(_inside(full, folder) for folder in (self._cwd, *self._roots)):
            return FileProblem(
                "file_not_allowed",
                f"`{path}` is a link that leads outside the folders that may be read",
                "allow the folder it leads to with `--allow-path`",
            )
        return FileProblem(
            "file_not_allowed",
            f"`{path}` is outside the folders that may be read",
            f"allow its folder with `--allow-path {os.path.dirname(full)}`",
        )

    def _counted(self, data: bytes) -> bytes:
        """The data, unless the run has now read too much in total."""
        self._left -= len(data)
        if self._left < 0:
            raise_too_many_bytes(self._limits.max_total_input_bytes)
        return data

    def _note(self, name: str) -> None:
        if name not in self._seen:
            self._seen.add(name)
            self.reads.append(name)


def read_bounded(stream: BinaryIO, name: str, limit_name: str, limit: int) -> bytes:
    """All bytes of a stream, at most `limit` of them; `limit_name` is the setting to blame.

    Raises:
        FileProblem: `file_too_large` when there are more, `file_unreadable` when reading fails.
    """
    parts = []
    left = limit + 1
    try:
        while left and (part := stream.read(min(left, _CHUNK))):
            parts.append(part)
            left -= len(part)
    except OSError as error:
        raise reading_problem(error, name) from None
    if not left:
        raise_too_large(name, limit_name, limit)
    return b"".join(parts)


def read_kept(path: str, limit: int) -> bytes | None:
    """The bytes of a cached file; None when it is not a file, not ours or root's, or too large."""
    try:
        with open(path, "rb", opener=_without_waiting) as stream:
            status = os.fstat(stream.fileno())
            trusted = not hasattr(os, "geteuid") or status.st_uid in (os.geteuid(), 0)
            if trusted and stat.S_ISREG(status.st_mode) and status.st_size <= limit:
                return stream.read(limit)
    except (OSError, ValueError):
        pass
    return None


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def decode_text(data: bytes, name: str) -> str | FileProblem:
    """The text in a file's bytes, or the problem `invalid_utf8`.

    A byte order mark in front is dropped, so that columns are those that editors show.
    """
    if data[:1] in (b"\xff", b"\xfe") or b"\0" in data[:4]:
        encoding = foreign_encoding(data)
        if encoding is not None:
            return FileProblem(
                "invalid_utf8",
                f"`{name}` is written in {encoding}",
                "save it as UTF-8",
                Span(Source(name, ""), 0, 0),
            )
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8").removeprefix("\ufeff")
        source = Source(name, data.decode("utf-8", "replace").removeprefix("\ufeff"))
        span = Span(source, len(before), len(before) + 1)
        return FileProblem(
            "invalid_utf8",
            f"`{name}` is not valid UTF-8: byte {error.start + 1}, in line {span.line}, "
            f"is 0x{data[error.start]:02X}",
            "save it as UTF-8",
            span,
        )


def _process_folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        raise FileProblem("file_unreadable", "the working directory no longer exists") from None


def _inside(path: str, folder: str) -> bool:
    path, folder = os.path.normcase(path), os.path.normcase(folder)
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _open(full: str, path: str, flags: int) -> int:
    try:
        return os.open(full, flags)
    except FileNotFoundError:
        folder = os.path.dirname(full)
        raise_missing(path, os.path.basename(full), listing(folder))
    except (OSError, ValueError) as error:
        if isinstance(error, PermissionError) and os.path.isdir(full):
            raise_no_file(path, stat.S_IFDIR)  # what Windows says of a folder
        raise opening_problem(error, path) from None


def _walk(root: str, real: str, path: str) -> int:
    """Opens a real path folder by folder from a root; every link on the way is refused."""
    parts = [part for part in os.path.relpath(real, root).split(os.sep) if part != os.curdir]
    # without O_NONBLOCK opening a pipe without a writer would block forever
    last = _READ | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        if not parts:  # a root may be a file; its neighbours are not disclosed
            return os.open(root, last)
        here = os.open(root, _FOLDER)
    except OSError as error:
        raise reading_problem(error, path) from None
    try:
        for part in parts[:-1]:
            inner = _step(here, part, _FOLDER, path)
            os.close(here)
            here = inner
        return _step(here, parts[-1], last, path)
    finally:
        os.close(here)


def _step(folder: int, name: str, flags: int, path: str) -> int:
    try:
        return os.open(name, flags, dir_fd=folder)
    except FileNotFoundError:
        raise_missing(path, name, listing(".", folder))
    except (OSError, ValueError) as error:
        raise opening_problem(error, path) from None


def listing(folder: str, below: int | None = None) -> list[str]:
    """The names in a folder, none when it may not be listed."""
    try:
        if below is None:
            return sorted(os.listdir(folder))
        descriptor = os.open(folder, _READ | os.O_DIRECTORY, dir_fd=below)
        try:
            return sorted(os.listdir(descriptor))
        finally:
            os.close(descriptor)
    except (OSError, ValueError):
        return []


def files_below(
    folder: str,
    walk: Iterable[tuple[str, list[str], list[str]]],
    wanted: Callable[[str], bool],
    shown: str,
    limits: Limits,
) -> list[str]:
    """The files in a folder and in those below it, as paths relative to it, with `/`.

    `walk` goes through the folder as `os.walk` does, which follows no links to folders. Hidden ones
    and `node_modules` are passed over. `shown` is the folder for people.

    Raises:
        FileProblem: `limit_exceeded` when there are too many files and folders.
    """
    found: list[str] = []
    left = limits.max_scanned_files
    for here, folders, names in walk:
        folders[:] = filter(is_searched, folders)
        left -= len(folders) + len(names)
        if left < 0:
            most = limits.max_scanned_files
            raise FileProblem(
                "limit_exceeded",
                f"there are more than {most} files below `{shown}` (`max_scanned_files`)",
                how_to_raise("max_scanned_files", limits),
            )
        at = os.path.relpath(here, folder).replace(os.sep, "/")
        found += [name if at == "." else f"{at}/{name}" for name in names if wanted(name)]
    return sorted(found, key=in_order)


def is_searched(folder: str) -> bool:
    """False for the names of folders that are never searched."""
    return not folder.startswith(".") and folder != "node_modules"


def in_order(path: str) -> tuple[str, ...]:
    """The order of found files: those of a folder before those of the folders in it."""
    *folders, name = path.split("/")
    return (*(f"\1{folder}" for folder in folders), f"\0{name}")


# the marks of UTF-32 begin like those of UTF-16
_MARKS: Final = (
    (b"\xff\xfe\0\0", "UTF-32"),
    (b"\0\0\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
# which of the first four bytes are null in ASCII text without a mark
_NULLS: Final[dict[tuple[bool, ...], str]] = {
    (True, False, True, False): "UTF-16",
    (False, True, False, True): "UTF-16",
    (True, True, True, False): "UTF-32",
    (False, True, True, True): "UTF-32",
}


def foreign_encoding(data: bytes) -> str | None:
    """UTF-16 or UTF-32 when a file's bytes begin as one of them does, else None."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    return _NULLS.get(tuple([byte == 0 for byte in data[:4]]))
