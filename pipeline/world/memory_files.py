"""Files that exist in memory only: for tests, and for callers that have read everything."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from .file_problems import check_length, raise_missing

if TYPE_CHECKING:
    from .searching import Choice


class MemoryFiles:
    """Files that exist only here: paths to texts or bytes, relative ones below `cwd`.

    All of them may be read.
    """

    def __init__(self, mapping: Mapping[str, str | bytes], cwd: str = "/") -> None:
        self._cwd = posixpath.normpath(posixpath.join("/", cwd))
        self._files = {
            self._absolute(path, None): data.encode() if isinstance(data, str) else data
            for path, data in mapping.items()
        }
        self.reads: list[str] = []

    def cwd(self) -> str:
        """The working directory."""
        return self._cwd

    def exists(self, path: str) -> bool:
        """True when there is a file."""
        return self._absolute(path, None) in self._files

    def below(
        self,
        folder: str,
        wanted: Callable[[str], bool],
        work: Callable[[int], object] | None = None,
        choose: Choice | None = None,
    ) -> list[str]:
        """The files in a folder and in those below it whose names are wanted, sorted."""
        from .searching import in_order, usual

        if work is not None:
            work(len(self._files))
        prefix = self._absolute(folder, None).rstrip("/") + "/"
        inside: dict[str, tuple[dict[str, None], list[str]]] = {"": ({}, [])}
        for path in self._files:
            if not path.startswith(prefix):
                continue
            above = ""
            *folders, name = path.removeprefix(prefix).split("/")
            for one in folders:
                inside[above][0][one] = None
                above += f"{one}/"
                inside.setdefault(above, ({}, []))
            inside[above][1].append(name)
        found = []
        left = [""]
        while left:
            above = left.pop()
            inner, names = inside[above]
            files = [name for name in names if wanted(name)]
            chosen, files = (choose or usual)(above, [*inner], files)
            found += [f"{above}{name}" for name in files]
            left += [f"{above}{name}/" for name in chosen]
        return sorted(found, key=in_order)

    def with_roots(self, *folders: str) -> MemoryFiles:
        """This object: all files may be read already."""
        return self

    def resolve(self, path: str, base: str | None = None) -> str:
        """The absolute path.

        Raises:
            FileProblem: when the path is empty or too long.
        """
        return self._absolute(path, base)

    def shown(self, path: str, base: str | None = None) -> str:
        """The path for people: relative below the working directory, absolute elsewhere."""
        full = posixpath.normpath(posixpath.join(self._cwd, base or "", path))
        prefix = self._cwd.rstrip("/") + "/"
        return full.removeprefix(prefix) if full != prefix else full

    def read(self, path: str, base: str | None = None) -> bytes:
        """The bytes of a file.

        Raises:
            FileProblem: `file_not_found`.
        """
        full = self._absolute(path, base)
        name = self.shown(path, base)
        if name not in self.reads:
            self.reads.append(name)
        found = self._files.get(full)
        if found is None:
            raise_missing(path, posixpath.basename(full), self._beside(full))
        return found

    def open_input(self, path: str, only_file: bool = False) -> bytes:
        """The bytes of a file.

        Raises:
            FileProblem: `file_not_found`.
        """
        return self.read(path)

    def _absolute(self, path: str, base: str | None) -> str:
        check_length(path)
        return posixpath.normpath(posixpath.join(self._cwd, base or "", path))

    def _beside(self, full: str) -> list[str]:
        folder = posixpath.dirname(full)
        return [posixpath.basename(f) for f in self._files if posixpath.dirname(f) == folder]
