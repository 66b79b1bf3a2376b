"""Files found below a folder, by their names; nothing of what they hold is looked at."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from .file_problems import FileProblem
from .settings import Limits, how_to_raise


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
    """False for the names of folders that hold nobody's configuration."""
    return not folder.startswith(".") and folder != "node_modules"


def in_order(path: str) -> tuple[str, ...]:
    """The order of found files: those of a folder before those of the folders in it."""
    *folders, name = path.split("/")
    return (*(f"\1{folder}" for folder in folders), f"\0{name}")
