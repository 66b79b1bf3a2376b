"""Writing results: a file has its old content or its new one, never a part of either.

New content is made in a file without a name where the system has such files, else in a temporary
one in the same folder, goes to the disk, and then takes the place of the old one. Names and links
in a checkout come from others, so nothing is written outside of where its name says that it is.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final
from zlib import crc32

from .file_problems import FileProblem, raise_no_file, writing_problem
from .files import identity, is_inside, is_private, process_folder, real_path

_FLAGS: Final = getattr(os, "O_BINARY", 0)
_NAMELESS: Final = getattr(os, "O_TMPFILE", 0)
_DESCRIPTORS: Final = "/proc/self/fd"
_STANDARD: Final = {"/dev/stdout": 1, "/dev/stderr": 2}
_MOST_OPEN: Final = 64
"""New files that are kept open at once; a process may have 256 on some systems."""

_NO_PATH: Final = "this is not a valid path"


def write_atomically(path: str, data: bytes, *, named: bool = True) -> bool:
    """Write a file in one step; False when it has that content already and is left alone.

    The data goes to a new file in the same folder, to the disk, and then takes the old file's
    place; the mode stays. Other hard links keep the old content. Pipes, terminals and `/dev/null`
    are written to and never replaced.

    A symbolic link that the user has `named` stays, and its target is replaced, when that is a file
    in the link's folder or below it that is not hidden; all other links are refused. So is a path
    below the working directory when one of its folders is a link that leads out of there.

    Raises:
        FileProblem: `file_unwritable`; the old content is still there then.
    """
    return write_together({path: data}, unnamed=() if named else (path,))[path]


def write_together(
    files: Mapping[str, bytes],
    between: Callable[[], object] | None = None,
    *,
    unnamed: Container[str] = (),
    start: str | None = None,
) -> dict[str, bool]:
    """Write several files as `write_atomically` does; returns which have new content.

    Nothing is replaced before all of them are on the disk, so what is too large, not allowed or in
    the way leaves all files as they were. `between` is done then, before the first is replaced;
    when it raises, none is. Files are replaced in the order of the mapping. `unnamed` are the paths
    that the user has not named; `start` is a folder like the working directory, which paths below
    it do not leave.

    Raises:
        FileProblem: `file_unwritable`.
    """
    staged: list[_Staged] = []
    changed = {}
    try:
        for path, data in files.items():
            _check_way(os.path.dirname(path), path, start)
            changed[path] = _reporting(path, _stage, path, data, staged, path not in unnamed)
        if between is not None:
            between()
        for one in staged:
            if not one.real:
                _reporting(one.path, _write_through, one)
        _replace_all(staged)
    finally:
        for one in staged:
            _discard(one)
    return changed


def write_privately(path: str, data: bytes) -> None:
    """Write a file of a cache in one step, for this user alone.

    It is not synced to disk: readers of a cache check a digest. An old file or link of that name is
    replaced, whatever its mode.

    Raises:
        FileProblem: `file_unwritable`.
    """
    one = _Staged(path, data, private=True)
    try:
        one.real = path
        _reporting(path, _fill, one, True)
        _replace_all([one])
    finally:
        _discard(one)


def keep(path: str, data: bytes) -> None:
    """Write a file of a cache, its folder as well if needed; failures are let go.

    A folder that others may write to is not written to.
    """
    folder = os.path.dirname(path)
    try:
        _reporting(folder, _make_folder, folder, 0o700)
        if is_private(folder):
            write_privately(path, data)
    except FileProblem:
        pass


def keep_newest(folder: str, most: int) -> None:
    """Remove the oldest files of a cache's folder until there are `most`; failures are let go."""
    try:
        with os.scandir(folder) as entries:
            files = [(e.stat().st_mtime_ns, e.path) for e in entries if not e.is_dir()]
        for _, path in sorted(files)[: max(len(files) - most, 0)]:
            os.unlink(path)
    except OSError:
        pass


def kept_in(folder: str, levels: int = 4) -> Iterator[tuple[str, int]]:
    """The files in a cache's folder and in those below it, by their paths there, with their sizes.

    Links are left out, and so are folders that others may write to.
    """
    if levels < 1 or not is_private(folder):
        return
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                for path, size in kept_in(entry.path, levels - 1):
                    yield f"{entry.name}/{path}", size
            elif entry.is_file(follow_symlinks=False):
                yield entry.name, entry.stat(follow_symlinks=False).st_size
    except OSError:
        return


def remove_kept(folder: str, names: Iterable[str]) -> int:
    """Remove files that `kept_in` has found, and folders that are empty then; how many files.

    Failures are let go: another process may have removed them.
    """
    removed = 0
    above = set()
    for name in names:
        try:
            os.unlink(os.path.join(folder, name))
        except OSError:
            continue
        removed += 1
        while "/" in name:
            name = name.rpartition("/")[0]
            above.add(name)
    for name in sorted(above, key=len, reverse=True):
        try:
            os.rmdir(os.path.join(folder, name))
        except OSError:
            continue
    return removed


def make_folder(path: str, start: str | None = None) -> None:
    """Make a folder and those above it, unless they are there; `start` as in `write_together`.

    Raises:
        FileProblem: `file_unwritable`.
    """
    _check_way(path, path, start)
    _reporting(path, _make_folder, path)


@contextmanager
def folders_of(paths: Iterable[str], start: str | None = None) -> Iterator[None]:
    """Folders for the files that are written inside, made as `make_folder` does.

    Those that are new go again when the files cannot be written.

    Raises:
        FileProblem: `file_unwritable`.
    """
    made: list[str] = []
    try:
        for path in paths:
            folder = os.path.dirname(path)
            _check_way(folder, folder, start)
            _reporting(folder, _make_folder, folder, 0o777, made)
        yield
    except BaseException:
        for folder in reversed(made):
            with suppress(OSError):
                os.rmdir(folder)
        raise


def _make_folder(path: str, mode: int = 0o777, made: list[str] | None = None) -> None:
    # `os.makedirs` calls itself for each folder
    missing = []
    while path and not os.path.isdir(path):
        missing.append(path)
        above = os.path.dirname(path)
        path = above if above != path else ""
    for folder in reversed(missing):
        try:
            os.mkdir(folder, mode)
        except FileExistsError:
            if not os.path.isdir(folder):
                raise
        else:
            if made is not None:
                made.append(folder)


def _check_way(folder: str, path: str, start: str | None) -> None:
    """Refuse a folder that looks as if it were below another, but leads out of it by a link."""
    here = process_folder()
    full = os.path.join(here, folder)
    for top in (here, start):
        if top is None or not is_inside(os.path.normpath(full), os.path.normpath(top)):
            continue
        if "\0" not in folder and not is_inside(real_path(full), real_path(top)):
            raise FileProblem(
                "file_unwritable",
                f"`{path}` cannot be written: a folder in its path is a link that leads outside",
                "name the folder that it leads to",
            )


def refuse_inputs(outputs: Iterable[str], inputs: Iterable[str]) -> None:
    """Refuse to replace a file that was read, whatever its names; an empty path is standard output.

    Raises:
        FileProblem: `file_unwritable`.
    """
    made = {_identity(path): path for path in outputs}
    made.pop(None, None)
    for name in inputs if made else ():
        path = made.get(_identity(name))
        if path is not None:
            raise FileProblem(
                "file_unwritable",
                f"`{path or '<stdout>'}` cannot be written: it is `{name}`, which was read",
                "write to another file",
            )


def _identity(path: str) -> object:
    """What all names of a file have in common; None for pipes and devices."""
    number = _descriptor(path) if path else 1
    try:
        status = os.stat(path) if number is None else os.fstat(number)
    except (OSError, ValueError):
        return identity(path) if number is None else None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _reporting(path: str, action: Callable[..., Any], *arguments: Any) -> Any:
    """The result of an action; an OSError becomes the FileProblem of writing to a path."""
    try:
        return action(*arguments)
    except OSError as error:
        raise writing_problem(error, path) from None
    except ValueError:  # a NUL, or a lone surrogate
        raise FileProblem("file_unwritable", _NO_PATH) from None


class _Staged:
    """New content on its way to a path; without a `real` path it is for a stream or a device."""

    __slots__ = ("data", "descriptor", "path", "private", "real", "status", "sure", "temporary")

    def __init__(self, path: str, data: bytes, private: bool = False) -> None:
        self.path = path
        self.data = data
        self.private = private
        self.real = ""
        self.status: os.stat_result | None = None
        self.descriptor = -1
        self.temporary = ""
        # whether the temporary name is certainly this process's own
        self.sure = False


def _stage(path: str, data: bytes, staged: list[_Staged], named: bool) -> bool:
    """Makes the new content of a path; False when there is nothing to do."""
    if not path or "\0" in path:
        raise FileProblem("file_unwritable", _NO_PATH)
    one = _Staged(path, data)
    if _descriptor(path) is not None:
        staged.append(one)
        return True
    one.status = _status(path)
    if one.status is not None and not stat.S_ISREG(one.status.st_mode):
        if not named:
            raise_no_file(path, one.status.st_mode)
        _check_device(path, one.status.st_mode)
        staged.append(one)
        return True
    if path.endswith(("/", os.sep)):
        raise FileProblem("file_unwritable", f"`{path}` names a folder, not a file")
    one.real = _without_link(path, named)
    if one.status is not None:
        if _holds(one.real, one.status, data):
            _remove_abandoned(_own_name(one.real))
            return False
        if not os.access(one.real, os.W_OK):
            # a rename would get past the protection
            raise FileProblem("file_unwritable", f"`{path}` is write-protected")
    staged.append(one)
    _fill(one, len(staged) <= _MOST_OPEN)
    return True


def _without_link(path: str, named: bool) -> str:
    """Where the file is that a link leads to; other paths stay, so that nothing above is needed."""
    if not os.path.islink(path):
        return path
    real, folder = real_path(path), real_path(os.path.dirname(path) or os.curdir)
    below = real.removeprefix(folder).split(os.sep)
    if named and is_inside(real, folder) and not any(part.startswith(".") for part in below):
        return real
    raise FileProblem(
        "file_unwritable",
        f"`{path}` cannot be written: it is a link"
        + (", whose target is hidden or outside its folder" if named else ""),
        "name the file that it leads to" if named else "remove the link",
    )


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _holds(real: str, status: os.stat_result, data: bytes) -> bool:
    """True when a file has exactly this content."""
    if status.st_size != len(data):
        return False
    try:
        with open(real, "rb", opener=_without_waiting) as stream:
            return stream.read(len(data) + 1) == data
    except PermissionError:
        return False


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _descriptor(path: str) -> int | None:
    """The number of an open file that a path like `/dev/stdout` stands for.

    Opening the path anew would start at the beginning of a file that the shell appends to.
    """
    if os.name != "posix":
        return None
    name = os.path.normpath(path)
    if name in _STANDARD:
        return _STANDARD[name]
    folder, _, number = name.rpartition("/")
    if folder in ("/dev/fd", _DESCRIPTORS) and number.isascii() and number.isdigit():
        return int(number) if len(number) < 10 else None
    return None


def _check_device(path: str, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise FileProblem("file_unwritable", f"`{path}` is a folder")
    if not (stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)):
        raise FileProblem("file_unwritable", f"`{path}` is a device or a socket, not a file")


def _write_through(one: _Staged) -> None:
    number = _descriptor(one.path)
    if number is not None:
        _write_all(number, one.data)
        return
    one.descriptor = os.open(one.path, os.O_WRONLY | _FLAGS)
    _write_all(one.descriptor, one.data)
    _close(one)


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest[: 1 << 20]) :]


def _fill(one: _Staged, keep_open: bool) -> None:
    """Puts new content on the disk, where it has no name yet or a temporary one."""
    # a private file must not be open to others for a moment; a new one follows the umask
    mode = 0o666 if one.status is None and not one.private else 0o600
    if not (keep_open and _open_nameless(one, mode)):
        _open_named(one, mode, keep_open)
    if one.status is not None:
        _take_over(one, one.status)
    _write_all(one.descriptor, one.data)
    if not one.private:
        os.fsync(one.descriptor)
    if one.sure:
        _close(one)


def _open_nameless(one: _Staged, mode: int) -> bool:
    """Opens a file that disappears with this process; False if the system has no such files."""
    if not (_NAMELESS and os.path.isdir(_DESCRIPTORS)):
        return False
    try:
        one.descriptor = os.open(_folder(one.real), os.O_WRONLY | _NAMELESS | _FLAGS, mode)
    except OSError:  # the fallback meets the same obstacle and reports it
        return False
    return True


def _open_named(one: _Staged, mode: int, keep_open: bool) -> None:
    """Opens a temporary file; one that is kept open has a name under which it is found again."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS
    one.temporary = _own_name(one.real)
    for _ in range(2 if keep_open and os.name == "posix" else 0):
        try:
            one.descriptor = os.open(one.temporary, flags, mode)
        except FileExistsError:
            _remove_abandoned(one.temporary)
            continue
        held = _lock(one.descriptor)
        if held and _is_at(one.descriptor, one.temporary):
            return
        one.sure = held is None
        _discard(one)
        break
    one.temporary, one.sure = _other_name(one.real), True
    one.descriptor = os.open(one.temporary, flags, mode)


def _take_over(one: _Staged, status: os.stat_result) -> None:
    """Gives a new file the mode and, where that is allowed, the owner of the old one."""
    mode = stat.S_IMODE(status.st_mode)
    if not hasattr(os, "fchown"):
        os.chmod(one.temporary, mode)
        return
    made = os.fstat(one.descriptor)
    for owner in (status.st_uid, -1):
        if (made.st_uid, made.st_gid) != (status.st_uid, status.st_gid):
            try:
                os.fchown(one.descriptor, owner, status.st_gid)
            except OSError:
                continue
            made = os.fstat(one.descriptor)
    if made.st_uid != status.st_uid:
        mode &= ~stat.S_ISUID
    if made.st_gid != status.st_gid:
        # another group gets the rights of others, not those meant for the old group
        mode = mode & ~(stat.S_ISGID | stat.S_IRWXG) | mode & mode << 3 & stat.S_IRWXG
    os.fchmod(one.descriptor, mode)


def _replace_all(staged: list[_Staged]) -> None:
    """Lets new files take the places of the old ones, each with a name just for that."""
    files = [one for one in staged if one.real]
    for one in files:
        if not one.temporary:
            _reporting(one.path, _give_name, one)
        _reporting(one.path, os.replace, one.temporary, one.real)
        one.temporary = ""
    for folder in dict.fromkeys(_folder(one.real) for one in files if not one.private):
        _sync_folder(folder)


def _give_name(one: _Staged) -> None:
    own, other = _own_name(one.real), _other_name(one.real)
    for name in (own, own, other) if _lock(one.descriptor) else (other,):
        one.temporary, one.sure = name, name == other
        try:
            # links are followed when a folder is given, though this path needs none
            os.link(f"{_DESCRIPTORS}/{one.descriptor}", name, src_dir_fd=one.descriptor)
            return
        except FileExistsError:
            _remove_abandoned(name)
        except OSError:
            break
    # no links here: once more, with a name from the start
    _discard(one)
    _fill(one, keep_open=False)


def _discard(one: _Staged) -> None:
    """Removes what did not take its place."""
    _close(one)
    if one.temporary and one.sure:
        try:
            os.unlink(one.temporary)
        except OSError:
            pass
    elif one.temporary:
        _remove_abandoned(one.temporary)
    one.temporary = ""


def _close(one: _Staged) -> None:
    if one.descriptor >= 0:
        descriptor, one.descriptor = one.descriptor, -1
        os.close(descriptor)


def _folder(real: str) -> str:
    return os.path.dirname(real) or os.curdir


def _own_name(real: str) -> str:
    """The temporary name of a path, so that the next run finds what a killed one has left."""
    folder, name = os.path.split(real)
    return os.path.join(folder, f".bpp-{crc32(os.fsencode(name)):08x}.tmp")


def _other_name(real: str) -> str:
    return os.path.join(os.path.dirname(real), f".bpp-{os.urandom(8).hex()}.tmp")


def _remove_abandoned(name: str) -> None:
    """Removes a temporary file, unless a process that is at work holds it."""
    try:
        descriptor = os.open(name, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | _FLAGS)
    except OSError:
        return
    try:
        if _lock(descriptor) and _is_at(descriptor, name):
            os.unlink(name)
    except OSError:
        pass
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool | None:
    """Locks a file until it is closed; False when another process has, None without locks here."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True


def _is_at(descriptor: int, name: str) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(name))
    except OSError:
        return False


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


_WIDTH: Final = 78
# text, not compiled patterns: few commands write such files
_NEVER: Final = r"[\n\r;]"
_SPECIAL: Final = r"(?:\./+)*(?:\.[A-Z][A-Z0-9_]*|(?:un)?define)\Z"
"""Names that make would read as a setting of its own, even behind `./`, which it removes."""
_VARIABLE: Final = r"[^/]*="
"""Paths that make would read as one of its variables."""
_NO_TARGET: Final = r"[=|%]"
"""In the path of a target make takes these for something else."""


def depfile_text(
    targets: str | Sequence[str],
    inputs: Sequence[str],
    phony: bool = False,
    folder: str | None = None,
) -> str:
    """A rule that says what files are made from, as make, ninja and CMake read it.

    Relative paths start at `folder` (default: the working directory); those that make would take
    for settings are written in full. `phony` adds an empty rule for each input, so that make does
    not stop when one is deleted.

    Raises:
        FileProblem: `file_unwritable` for a path with a line break or a `;`, which no such rule can
            have: make would run what follows as a command.
    """
    made = [_in_full(path, folder) for path in ([targets] if isinstance(targets, str) else targets)]
    inputs = [_in_full(path, folder) for path in inputs]
    # make takes a first word with `=` for a variable, so such words stand behind others
    words = sorted(map(_escaped, inputs), key=lambda word: "=" in word)
    lines = [_before_colon(" ".join(map(_escaped, made)))]
    for word in words:
        if len(lines[-1]) + len(word) > _WIDTH:
            lines[-1] += " \\"
            lines.append(f"  {word}")
        else:
            lines[-1] += f" {word}"
    # make takes nothing for quoted at the end of a line, but a blank is needed there
    lines[-1] = re.sub(r"(\\+)\1\Z", r"\1 ", lines[-1])
    if phony:
        lines += [_before_colon(word) for word in words if not re.search(_NO_TARGET, word)]
    return "\n".join(lines) + "\n"


def _before_colon(targets: str) -> str:
    return f"{targets} :" if targets.endswith("&") else f"{targets}:"  # `&:` means something else


def _in_full(path: str, folder: str | None) -> str:
    if not re.match(_SPECIAL, path):
        return path
    return os.path.normpath(os.path.join(folder or process_folder(), path))


def _escaped(path: str) -> str:
    if re.search(_NEVER, path):
        raise FileProblem(
            "file_unwritable",
            "a path with a line break or a `;` cannot be written to a dependency file",
        )
    if re.match(_VARIABLE, path):
        path = f"./{path}"
    drive = path[:2] if os.name == "nt" and path[1:2] == ":" else ""
    # backslashes are plain, except in front of what would need one
    rest = re.sub(r"(\\+)\Z", r"\1\1", path[len(drive) :])
    return drive + re.sub(r"(\\*)([ \t#:|])", r"\1\1\\\2", rest).replace("$", "$$")
