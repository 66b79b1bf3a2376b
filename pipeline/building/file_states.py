"""Digests of files: as they are now, and exactly as a render has read them."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from typing import Any, Final

from ..values.settings import Limits, Settings
from ..world.effects import Effects
from ..world.files import DiskFiles, FileProblem, Files
from .store import ABSENT, UNSTEADY, digest_of

_SETTLED: Final = 2 * 10**9
"""Nanoseconds after which a time stamp distinguishes two writes on all file systems."""

UNLIMITED: Final = Limits(max_input_bytes=1 << 40, max_total_input_bytes=1 << 50)
"""Limits for digests: no file is too large."""


class FileStates:
    """The digests of files at one moment; `key` goes into all of them.

    `known` are sizes, times and digests of earlier builds, to which new ones are added; `learned`
    is set if there are any. A file with the same size, times and inode is not read again.
    """

    def __init__(self, known: Mapping[str, list[Any]], key: bytes) -> None:
        self._key = key
        self.known: dict[str, list[Any]] = dict(known)
        self.learned = False
        self._files = DiskFiles(limits=UNLIMITED)
        self._now = int(Effects(Settings(), self._files).now() * 10**9)
        self._seen: dict[str, str] = {}

    def digest(self, path: str) -> str:
        """The digest of a file's content, the same for the life of this object."""
        found = self._seen.get(path)
        if found is None:
            found = self._seen[path] = self._digest(path)
        return found

    def forget(self, path: str) -> None:
        """Forgets a file that was written, so that it is read again."""
        self._seen.pop(path, None)

    def _digest(self, path: str) -> str:
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            return ABSENT
        if not stat.S_ISREG(status.st_mode):
            return ABSENT
        look = [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
        known = self.known.get(path)
        if known is not None and known[:4] == look:
            return str(known[4])
        try:
            digest = digest_of(self._files.open_input(path), self._key)
        except FileProblem:
            return ABSENT
        # a file may be written twice within one tick of the clock: recent time stamps prove nothing
        if max(status.st_mtime_ns, status.st_ctime_ns) + _SETTLED < self._now:
            self.known[path] = [*look, digest]
            self.learned = True
        return digest


class WitnessedFiles:
    """Files that record in `digests` what was read, by absolute path, as digests keyed with `key`.

    A file that does not exist is `ABSENT`; one that changed between two reads is `UNSTEADY`, which
    is never equal to a digest. `searched` are the folders that were searched.
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
            FileProblem: if it cannot or must not be read.
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
            FileProblem: if it cannot be read.
        """
        try:
            data = self._inner.open_input(path)
        except FileProblem:
            self._note(path, None, None)
            raise
        self._note(path, None, data)
        return data

    def exists(self, path: str) -> bool:
        """True if the file exists."""
        found = self._inner.exists(path)
        if not found:
            self._note(path, None, None)
        return found

    def resolve(self, path: str, base: str | None = None) -> str:
        """The absolute path that identifies a file.

        Raises:
            FileProblem: if the path is invalid.
        """
        return self._inner.resolve(path, base)

    def shown(self, path: str, base: str | None = None) -> str:
        """The path for messages: relative below the working directory, absolute elsewhere."""
        return self._inner.shown(path, base)

    def cwd(self) -> str:
        """The working directory."""
        return self._inner.cwd()

    def below(self, folder: str, wanted: Callable[[str], bool]) -> list[str]:
        """The files in a folder and below it whose names are wanted, sorted.

        Raises:
            FileProblem: if the folder must not be searched, or has too many files.
        """
        self.searched.append(folder)
        return self._inner.below(folder, wanted)

    def with_roots(self, *folders: str) -> WitnessedFiles:
        """The same files with more allowed folders; the records are shared."""
        inner = self._inner.with_roots(*folders)
        return WitnessedFiles(inner, self._key, self.digests, self.searched)

    def _note(self, path: str, base: str | None, data: bytes | None) -> None:
        full = os.path.join(self.cwd(), self.shown(path, base))
        digest = ABSENT if data is None else digest_of(data, self._key)
        known = self.digests.setdefault(full, digest)
        if known != digest:
            self.digests[full] = UNSTEADY
