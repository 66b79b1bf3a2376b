"""What was fetched, kept in a folder by its SHA-256; read back, it is held against that again."""

from __future__ import annotations

import os

import attrs

from ..file_problems import FileProblem
from ..files import read_kept
from ..settings import Limits
from ..writing import make_folder, write_privately
from .lock import Content, content_of


@attrs.frozen
class ContentCache:
    """A folder of contents, or none at all."""

    folder: str | None
    limits: Limits

    def load(self, content: Content) -> bytes | None:
        """The bytes of a content; None when they are not there, or are no longer these."""
        if self.folder is None or content.size > self.limits.max_response_bytes:
            return None
        data = read_kept(self._path(self.folder, content), content.size)
        return data if data is not None and content_of(data) == content else None

    def store(self, content: Content, data: bytes) -> None:
        """Keeps bytes; a cache that cannot be written is none."""
        if self.folder is None:
            return
        path = self._path(self.folder, content)
        try:
            make_folder(os.path.dirname(path))
            write_privately(path, data)
        except FileProblem:
            return

    def _path(self, folder: str, content: Content) -> str:
        return os.path.join(folder, content.sha256[:2], content.sha256)
