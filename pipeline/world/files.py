"""The only module that opens files to read them.

Files that a blueprint names are confined to a few roots: symbolic links are resolved first, the
result must lie below a root, and it is then opened folder by folder from that root without
following links, so that no folder can be swapped for a link between the check and the opening.
Resolving stops where the way leaves the roots, so nothing outside is looked at. `/` is a root only
where the user allows it, and what the system makes up (`/proc`, `/sys`, `/dev`) is never read. Hard
links cannot be detected. Files that the user names on the command line are not confined.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO, Final, Protocol

from ..values.settings import Limits
from ..values.source import Source, Span
from .file_problems import FileProblem as FileProblem
from .file_problems import (
    check_length,
    opening_problem,
    raise_missing,
    raise_no_file,
    raise_too_large,
    raise_too_many_bytes,
    reading_problem,
)

if TYPE_CHECKING:
    from .searching import Choice

_MOST_LINKS: Final = 40
"""Links on the way to a file: as many as Linux follows."""

_MOST_NAMES: Final = 1_000
"""Names in a folder among which one that is meant is looked for."""

_MADE_UP: Final = ("/proc", "/sys", "/dev")
_IN_MEMORY: Final = "/dev/shm"
"""Ordinary files, though below one of them."""


_CHUNK: Final = 1 << 20
_READ: Final = os.O_RDONLY | getattr(os, "O_BINARY", 0)
_AT_ONCE: Final = getattr(os, "O_NONBLOCK", 0)
"""Opening a pipe without a writer would block forever."""

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

    def open_input(self, path: str, only_file: bool = False) -> bytes:
        """The bytes of a file that the user names; a pipe or a terminal will do.

        With `only_file` it must be an ordinary file.

        Raises:
            FileProblem: when it cannot be read.
        """

    def resolve(self, path: str, base: str | None = None) -> str:
        """The one absolute path under which a file is known, however it is written.

        A path with a base is a blueprint's; one without is the user's own, and not confined.

        Raises:
            FileProblem: `file_not_allowed` for a blueprint's path that leads outside the roots,
                whether or not something is there; others when this is not a valid path.
        """

    def shown(self, path: str, base: str | None = None) -> str:
        """The path for people: relative below the working directory, absolute elsewhere."""

    def exists(self, path: str) -> bool:
        """True when something has that name; asking leaves no trace in `reads`."""

    def cwd(self) -> str:
        """The working directory."""

    def below(
        self,
        folder: str,
        wanted: Callable[[str], bool],
        work: Callable[[int], object] | None = None,
        choose: Choice | None = None,
    ) -> list[str]:
        """The files in a folder and in those below it whose names are wanted, sorted.

        They are paths relative to the folder, with `/`. Links to folders are not followed; unless
        `choose` chooses, hidden folders and `node_modules` are passed over. `work` counts each
        entry.

        Raises:
            FileProblem: `file_not_allowed` outside the roots, `limit_exceeded` for too many files
                or folders that are nested too deep.
            Exception: whatever `work` and `choose` raise.
        """

    def with_roots(self, *folders: str) -> Files:
        """The same files, with more folders that may be read from; `reads` is shared."""


class DiskFiles:
    """The files of this machine: the working directory and the given roots.

    Roots are folders, relative ones below `cwd` (default: the process's). One that does not exist
    is not a root until it does. A working directory `/` is a root only when it is given as one.
    """

    def __init__(
        self, roots: tuple[str, ...] = (), cwd: str | None = None, limits: Limits | None = None
    ) -> None:
        self._cwd = os.path.abspath(cwd) if cwd is not None else process_folder()
        # what lies on the way to a root may be looked at, and nothing else outside
        self._ways: set[str] = set()
        self._here = self._root(self._cwd)
        given = [self._root(root) for root in roots]
        self._roots = tuple(dict.fromkeys(_narrow([self._here]) + given))
        self._limits = limits or Limits()
        self.reads: list[str] = []
        self._seen: set[str] = set()
        self._left = self._limits.max_total_input_bytes
        self._kept: dict[str, bytes] | None = None

    def _root(self, folder: str) -> str:
        try:
            return _resolved(os.path.join(self._cwd, folder), self._passed)
        except (OSError, ValueError) as error:
            raise opening_problem(error, folder) from None

    def _passed(self, path: str) -> bool:
        self._ways.add(path)
        return True

    def cwd(self) -> str:
        """The working directory."""
        return self._cwd

    def exists(self, path: str) -> bool:
        """True when something has that name, if only a link that leads nowhere."""
        return os.path.lexists(os.path.join(self._cwd, path))

    def below(
        self,
        folder: str,
        wanted: Callable[[str], bool],
        work: Callable[[int], object] | None = None,
        choose: Choice | None = None,
    ) -> list[str]:
        """The files in a folder and in those below it whose names are wanted, sorted.

        Raises:
            FileProblem: `file_not_allowed` outside the roots, `limit_exceeded` for too many files
                or folders that are nested too deep.
            Exception: whatever `work` and `choose` raise.
        """
        from .searching import search

        real, _ = self._allowed(folder, None)
        return search(real, wanted, work, folder, self._limits, choose)

    def with_roots(self, *folders: str) -> DiskFiles:
        """The same files for one run, with more folders that may be read from; `reads` is shared.

        What a blueprint reads is read once: a run never sees two contents of a file. `/` is not
        added.
        """
        more = DiskFiles((), self._cwd, self._limits)
        more._ways |= self._ways
        added = _narrow([more._root(folder) for folder in folders])
        more._roots = tuple(dict.fromkeys([*self._roots, *added]))
        more.reads, more._seen = self.reads, self._seen
        more._kept = {}
        return more

    def resolve(self, path: str, base: str | None = None) -> str:
        """The real path, which need not exist; with a base, of a file that may be read.

        Raises:
            FileProblem: `file_not_allowed` for a path with a base that leads outside the roots;
                others when this is not a valid path.
        """
        return self._real(path, None) if base is None else self._allowed(path, base)[0]

    def _real(
        self, path: str, base: str | None, may_pass: Callable[[str], bool] | None = None
    ) -> str:
        full = self._absolute(path, base)
        try:
            return _resolved(full, may_pass)
        except _LeadsOutside:
            raise self._not_allowed(path, base) from None
        except (OSError, ValueError) as error:  # too many links, or no text for a path
            raise opening_problem(error, path) from None

    def _allowed(self, path: str, base: str | None) -> tuple[str, str]:
        """The real path of what a blueprint names, and the root that it is in."""
        real = self._real(path, base, self._may_pass)
        root = next((root for root in self._roots if is_inside(real, root)), None)
        if root is None:
            raise self._not_allowed(path, base)
        if _is_made_up(real):
            raise _made_up(path)
        return real, root

    def _may_pass(self, path: str) -> bool:
        return path in self._ways or any(is_inside(path, root) for root in self._roots)

    def shown(self, path: str, base: str | None = None) -> str:
        """The path for people: relative below the working directory, absolute elsewhere."""
        full = os.path.join(self._cwd, base or "", path)
        if os.pardir in full.split(os.sep):
            try:  # `link/..` is not where the text suggests
                full = _resolved(full, self._may_pass if base is not None else None)
            except (OSError, ValueError, _LeadsOutside):
                pass
        full = os.path.normpath(full)
        for folder in (self._cwd, self._here):
            if full != folder and is_inside(full, folder):
                return os.path.relpath(full, folder)
        return full

    def read(self, path: str, base: str | None = None) -> bytes:
        """The bytes of a file below one of the roots.

        Raises:
            FileProblem: `file_not_allowed` outside the roots, `file_not_found`, `file_unreadable`
                for anything but a readable file, `file_too_large`, `limit_exceeded` when the
                run has read too much.
        """
        real, root = self._allowed(path, base)
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

    def open_input(self, path: str, only_file: bool = False) -> bytes:
        """The bytes of a file that the user names; a pipe or a terminal will do.

        Raises:
            FileProblem: `file_not_found`, `file_unreadable`, `file_too_large`.
        """
        full = self._absolute(path, None)
        limit = self._limits.max_input_bytes
        standard = path == _STDIN
        try:
            descriptor = _open(full, path, _READ | (_AT_ONCE if only_file else 0))
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
            elif only_file or not (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)):
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
        if any(is_inside(full, folder) for folder in (*_narrow([self._cwd]), *self._roots)):
            return FileProblem(
                "file_not_allowed",
                f"`{path}` is a link that leads outside the folders that may be read",
                "allow the folder it leads to with `--allow-path`",
            )
        if _is_made_up(full):
            return _made_up(path)
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
    """The bytes of a cached file; None when it is not a file, not ours or root's, or too large.

    Nothing is read from a folder that is not private.
    """
    if not is_private(os.path.dirname(path)):
        return None
    try:
        with open(path, "rb", opener=_as_it_is) as stream:
            status = os.fstat(stream.fileno())
            if _is_ours(status) and stat.S_ISREG(status.st_mode) and status.st_size <= limit:
                return stream.read(limit)
    except (OSError, ValueError):
        pass
    return None


def is_private(folder: str) -> bool:
    """True for a folder that is this user's or root's, and that nobody else may write to."""
    if not hasattr(os, "geteuid"):
        return True
    try:
        status = os.stat(folder)
        return _is_ours(status) and _is_ours(os.lstat(folder)) and not status.st_mode & 0o022
    except (OSError, ValueError):
        return False


def may_keep(folder: str) -> bool:
    """True for a folder of a cache that is private, or that is still to be made."""
    return not os.path.lexists(folder) or is_private(folder)


def _is_ours(status: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or status.st_uid in (os.geteuid(), 0)


def _as_it_is(path: str, flags: int) -> int:
    return os.open(path, flags | _AT_ONCE | getattr(os, "O_NOFOLLOW", 0))


def decode_text(data: bytes, name: str) -> str:
    """The text in a file's bytes.

    A byte order mark in front is dropped, so that columns are those that editors show.

    Raises:
        FileProblem: `invalid_utf8`.
    """
    if data[:1] in (b"\xff", b"\xfe") or b"\0" in data[:4]:
        encoding = foreign_encoding(data)
        if encoding is not None:
            raise FileProblem(
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
        raise FileProblem(
            "invalid_utf8",
            f"`{name}` is not valid UTF-8: byte {error.start + 1}, in line {span.line}, "
            f"is 0x{data[error.start]:02X}",
            "save it as UTF-8",
            span,
        ) from None


def process_folder() -> str:
    """The working directory of this process.

    Raises:
        FileProblem: `file_unreadable` when it no longer exists.
    """
    try:
        return os.getcwd()
    except OSError:
        raise FileProblem("file_unreadable", "the working directory no longer exists") from None


def real_path(path: str) -> str:
    """The path without links of what the user names, which need not exist.

    Raises:
        FileProblem: when it leads through too many links, or is not a valid path.
    """
    try:
        return _resolved(os.path.join(process_folder(), path))
    except (OSError, ValueError) as error:
        raise opening_problem(error, path) from None


def same_file(one: str, other: str) -> bool:
    """True for two names of one file: other spellings, links, hard links."""
    return identity(one) == identity(other)


def identity(path: str) -> object:
    """What all names of a file have in common, and no two files; a missing one has its path."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return real_path(path)
    return status.st_dev, status.st_ino


class _LeadsOutside(Exception):
    """The way to a file leads through what may not be looked at."""


def _resolved(path: str, may_pass: Callable[[str], bool] | None = None) -> str:
    """An absolute path without links; parts that cannot be looked at are taken for none.

    `os.path.realpath` calls itself for each link. `may_pass` is asked before a part is looked at.

    Raises:
        OSError: for too many links.
        ValueError: for a path that no system has.
        _LeadsOutside: when a part may not be looked at.
    """
    if os.name == "nt":
        return os.path.realpath(path)
    links = 0
    here = os.sep
    rest = path.split(os.sep)[::-1]
    while rest:
        part = rest.pop()
        if part in ("", os.curdir):
            continue
        if part == os.pardir:
            here = os.path.dirname(here)
            continue
        step = os.path.join(here, part)
        if may_pass is not None and not may_pass(step):
            raise _LeadsOutside
        try:
            is_link = stat.S_ISLNK(os.lstat(step).st_mode)
            target = os.readlink(step) if is_link else ""
        except OSError:
            is_link = False
        if not is_link:
            here = step
            continue
        links += 1
        if links > _MOST_LINKS:
            import errno

            raise OSError(errno.ELOOP, "too many links")
        if os.path.isabs(target):
            here = os.sep
        rest += target.split(os.sep)[::-1]
    return here


def _narrow(folders: list[str]) -> list[str]:
    """The folders without that at the top, which holds everything."""
    return [folder for folder in folders if os.path.dirname(folder) != folder]


def _is_made_up(path: str) -> bool:
    """True for what holds no files of anybody, but answers of the system and devices."""
    return any(is_inside(path, top) for top in _MADE_UP) and not is_inside(path, _IN_MEMORY)


def _made_up(path: str) -> FileProblem:
    return FileProblem(
        "file_not_allowed",
        f"`{path}` is part of `/proc`, `/sys` or `/dev`, which no blueprint may read",
    )


def is_inside(path: str, folder: str) -> bool:
    """True for a folder itself and for what lies below it, as the paths are written."""
    path, folder = os.path.normcase(path), os.path.normcase(folder)
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _open(full: str, path: str, flags: int) -> int:
    try:
        return os.open(full, flags)
    except FileNotFoundError:
        folder = os.path.dirname(full)
        raise_missing(path, os.path.basename(full), _neighbours(folder))
    except (OSError, ValueError) as error:
        if isinstance(error, PermissionError) and os.path.isdir(full):
            raise_no_file(path, stat.S_IFDIR)  # what Windows says of a folder
        raise opening_problem(error, path) from None


def _walk(root: str, real: str, path: str) -> int:
    """Opens a real path folder by folder from a root; every link on the way is refused."""
    parts = [part for part in os.path.relpath(real, root).split(os.sep) if part != os.curdir]
    last = _READ | os.O_NOFOLLOW | _AT_ONCE
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
        raise_missing(path, name, _neighbours(".", folder))
    except (OSError, ValueError) as error:
        raise opening_problem(error, path) from None


def listing(folder: str) -> list[str]:
    """The names in a folder, none when it may not be listed."""
    try:
        return sorted(os.listdir(folder))
    except (OSError, ValueError):
        return []


_MOST_SCANNED: Final = 10_000


def paths_from(begun: str, endings: tuple[str, ...], base: str = "") -> list[str]:
    """The folders, and the files with one of the endings, that a path goes on with.

    A relative path starts from `base`. What begins with a dot is there for those who typed one.
    """
    typed = begun.rpartition("/")[2]
    folder = begun[: len(begun) - len(typed)]
    found = []
    for name in listing(os.path.join(base, folder) or ".")[:_MOST_SCANNED]:
        if not name.startswith(typed) or name[:1] == "." != typed[:1]:
            continue
        if os.path.isdir(os.path.join(base, folder, name)):
            found.append(f"{folder}{name}/")
        elif name.lower().endswith(endings):
            found.append(folder + name)
    return found


def _neighbours(folder: str, below: int | None = None) -> list[str]:
    """The names in a folder; none when it may not be listed or holds too many to look through."""
    try:
        if below is None:
            return _few_names(folder)
        descriptor = os.open(folder, _READ | os.O_DIRECTORY, dir_fd=below)
        try:
            return _few_names(descriptor)
        finally:
            os.close(descriptor)
    except (OSError, ValueError):
        return []


def _few_names(folder: int | str) -> list[str]:
    with os.scandir(folder) as entries:
        names = [entry.name for entry in islice(entries, _MOST_NAMES + 1)]
    return sorted(names) if len(names) <= _MOST_NAMES else []


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
