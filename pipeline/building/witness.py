"""Files whose contents are remembered as digests, exactly as they were when a render read them."""

from __future__ import annotations

import os
from collections.abc import Callable

from ..world.files import FileProblem, Files
from .digests import ABSENT, UNSTEADY, digest_of


class WitnessedFiles:
    """Other files, and in `digests` what was read, by absolute path; `key` goes into all digests.

    A file that is not there is `ABSENT`; one that changed between two looks is `UNSTEADY`, and no
    later look will agree with that. `searched` are folders that were looked through.
    """

    def __init__(
        self,
        inner: Files,
        key: bytes,
        digests: dict[str, str] | None = None,
        searched: list[str] | None = None,
    ) -> None:
        self._inner = inner
        self._key = key
        self.reads = inner.reads
        self.digests: dict[str, str] = {} if digests is None else digests
        self.searched: list[str] = [] if searched is None else searched

    def read(self, path: str, base: str | None = None) -> bytes:
        """The bytes of a file that a blueprint names.

        Raises:
            FileProblem: when it may not or cannot be read.
        """
        try:
            data = self._inner.read(path, base)
        except FileProblem:
            self._note(path, base, None)
            raise
        self._note(path, base, data)
        return data

    def open_input(self, path: str) -> bytes:
        """The bytes of a file that the user names.

        Raises:
            FileProblem: when it cannot be read.
        """
        try:
            data = self._inner.open_input(path)
        except FileProblem:
            self._note(path, None, None)
            raise
        self._note(path, None, data)
        return data

    def exists(self, path: str) -> bool:
        """True when there is a file."""
        found = self._inner.exists(path)
        if not found:
            self._note(path, None, None)
        return found

    def resolve(self, path: str, base: str | None = None) -> str:
        """The one absolute path under which a file is known, however it is written.

        Raises:
            FileProblem: when no file can have such a path.
        """
        return self._inner.resolve(path, base)

    def shown(self, path: str, base: str | None = None) -> str:
        """The path for people: relative below the working directory, absolute elsewhere."""
        return self._inner.shown(path, base)

    def cwd(self) -> str:
        """The working directory."""
        return self._inner.cwd()

    def below(self, folder: str, wanted: Callable[[str], bool]) -> list[str]:
        """The files in a folder and in those below it whose names are wanted, sorted.

        Raises:
            FileProblem: when the folder may not be searched, or holds too many files.
        """
        self.searched.append(folder)
        return self._inner.below(folder, wanted)

    def with_roots(self, *folders: str) -> WitnessedFiles:
        """The same files, with more folders that may be read from; what is seen is shared."""
        inner = self._inner.with_roots(*folders)
        return WitnessedFiles(inner, self._key, self.digests, self.searched)

    def _note(self, path: str, base: str | None, data: bytes | None) -> None:
        full = os.path.join(self.cwd(), self.shown(path, base))
        digest = ABSENT if data is None else digest_of(data, self._key)
        known = self.digests.setdefault(full, digest)
        if known != digest:
            self.digests[full] = UNSTEADY
