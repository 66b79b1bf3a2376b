"""What files hold now, by digest; a file that looks untouched is not read again."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import Any, Final

from ..values.settings import Limits, Settings
from ..world.effects import Effects
from ..world.files import DiskFiles, FileProblem
from .digests import ABSENT, digest_of

_SETTLED: Final = 2 * 10**9
"""Nanoseconds after which a time stamp tells two writings apart on all file systems."""

UNLIMITED: Final = Limits(max_input_bytes=1 << 40, max_total_input_bytes=1 << 50)
"""For digests: no file is too large to be looked at."""


class FileStates:
    """The digests of files at one moment; `key` goes into all of them.

    `known` are sizes, times and digests from before; what is learned is in it later, and `learned`
    says that there is something new.
    """

    def __init__(self, known: Mapping[str, list[Any]], key: bytes) -> None:
        self._key = key
        self.known: dict[str, list[Any]] = dict(known)
        self.learned = False
        self._files = DiskFiles(limits=UNLIMITED)
        self._now = int(Effects(Settings(), self._files).now() * 10**9)
        self._seen: dict[str, str] = {}

    def digest(self, path: str) -> str:
        """The digest of a file's content; the same for as long as this object is used."""
        found = self._seen.get(path)
        if found is None:
            found = self._seen[path] = self._digest(path)
        return found

    def forget(self, path: str) -> None:
        """Has a file looked at again, because it was written."""
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
        # a file may be written twice within one tick of the clock: only an old look is proof
        if max(status.st_mtime_ns, status.st_ctime_ns) + _SETTLED < self._now:
            self.known[path] = [*look, digest]
            self.learned = True
        return digest
