"""The search of a folder and of those in it, which never recurses and never leaves it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from typing import Final, TypeAlias

from ..values.settings import Limits, how_to_raise
from .file_problems import FileProblem, reading_problem

_WALKS: Final = (
    os.open in os.supports_dir_fd and os.scandir in os.supports_fd and hasattr(os, "O_NOFOLLOW")
)
_Folder: TypeAlias = int | str
"""A folder to list: its descriptor, or where there are none its path."""

Choice: TypeAlias = Callable[[str, list[str], list[str]], tuple[list[str], list[str]]]
"""Chooses what is searched and found in a folder, which is asked before those in it.

It takes the folder's path (empty, or with `/` at its end), the names of the folders in it and those
of the wanted files, and gives those that remain of both.
"""


class _Level:
    """A folder that is being searched: its path below the first, and the folders still to enter."""

    def __init__(self, folder: _Folder, path: str) -> None:
        self.folder = folder
        self.path = path
        self.inner: list[str] = []

    def close(self) -> None:
        """Close its descriptor."""
        if isinstance(self.folder, int):
            os.close(self.folder)


def search(
    root: str,
    wanted: Callable[[str], bool],
    work: Callable[[int], object] | None,
    shown: str,
    limits: Limits,
    choose: Choice | None = None,
) -> list[str]:
    """The files in a real folder and in those below it, as paths relative to it, with `/`.

    Links to folders are passed over, and so is what may not be listed or is gone meanwhile; unless
    `choose` chooses, so are hidden folders and `node_modules`. Folders are opened from the one
    above, so that none of them can be swapped for a link. `work` is told of each entry. `shown` is
    the folder for people.

    Raises:
        FileProblem: `limit_exceeded` for too many files and folders, or too deep ones.
        Exception: whatever `work` and `choose` raise.
    """
    choose = choose or usual
    found: list[str] = []
    levels: list[_Level] = []
    count = 0
    name: str | None = root
    try:
        while name is not None:
            if len(levels) > limits.max_depth:
                words = f"folders are nested more than {limits.max_depth} deep in `{shown}`"
                raise _too_much("max_depth", words, limits)
            level = _entered(name, levels[-1] if levels else None, shown)
            if level is not None:
                levels.append(level)
                folders: list[str] = []
                files: list[str] = []
                for entry in _entries(level, work, shown):
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.name)
                    else:
                        count += 1
                        if wanted(entry.name):
                            files.append(entry.name)
                    if count + len(folders) > limits.max_scanned_files:
                        words = (
                            f"there are more than {limits.max_scanned_files} files below `{shown}`"
                        )
                        raise _too_much("max_scanned_files", words, limits)
                level.inner, files = choose(level.path, folders, files)
                count += len(level.inner)
                found += [f"{level.path}{name}" for name in files]
            while levels and not levels[-1].inner:
                levels.pop().close()
            name = levels[-1].inner.pop() if levels else None
    finally:
        for level in levels:
            level.close()
    return sorted(found, key=in_order)


def _too_much(name: str, words: str, limits: Limits) -> FileProblem:
    return FileProblem("limit_exceeded", f"{words} (`{name}`)", how_to_raise(name, limits))


def _entered(name: str, above: _Level | None, shown: str) -> _Level | None:
    """A folder to search; None when it may not be listed, or is a link or gone by now."""
    path = f"{above.path}{name}/" if above is not None else ""
    if not _WALKS:
        return _Level(os.path.join(above.folder, name) if above else name, path)  # type: ignore[arg-type]
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
    try:
        return _Level(os.open(name, flags, dir_fd=above and above.folder), path)  # type: ignore[arg-type]
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None
    except OSError as error:
        import errno

        if error.errno == errno.ELOOP:
            return None
        raise reading_problem(error, shown) from None


def _entries(
    level: _Level, work: Callable[[int], object] | None, shown: str
) -> Iterator[os.DirEntry[str]]:
    """What is in a folder."""
    try:
        with os.scandir(level.folder) as entries:
            for entry in entries:
                if work is not None:
                    work(1)
                yield entry
    except PermissionError:
        return
    except OSError as error:
        raise reading_problem(error, shown) from None


def usual(path: str, folders: list[str], files: list[str]) -> tuple[list[str], list[str]]:
    """What is searched where nothing else is chosen: no hidden folders and no `node_modules`."""
    return [one for one in folders if one[0] != "." and one != "node_modules"], files


def is_pattern(path: str) -> bool:
    """True for a path with a wildcard: `*`, `?` or `[`."""
    return any(sign in path for sign in "*?[")


def matches(pattern: str, path: str, whole: bool = True) -> bool:
    """True for a path with `/` that a pattern matches, or unless `whole` one of its folders.

    `**` stands for any number of folders, `*` and `?` for characters of one name. Takes steps in
    the number of names in both.
    """
    names = path.split("/")
    reached = {0}
    for part in pattern.split("/"):
        if part == "**":
            reached = set(range(min(reached), len(names) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(names) and fnmatchcase(names[at], part)}
        if not reached:
            return False
    return len(names) in reached if whole else max(reached) > 0


def in_order(path: str) -> tuple[str, ...]:
    """The order of found files: those of a folder before those of the folders in it."""
    *folders, name = path.split("/")
    return (*(f"\1{folder}" for folder in folders), f"\0{name}")
