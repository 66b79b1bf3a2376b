"""What editors have open, in front of the files on disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from ..values.source import Source
from ..world.files import Files
from ..world.searching import Choice


class OpenFiles:
    """Files of which some are open in an editor: their texts count, saved or not.

    `texts` are the open ones by their real paths.
    """

    def __init__(self, files: Files, texts: Mapping[str, Source]) -> None:
        self._files = files
        self._texts = texts

    @property
    def reads(self) -> list[str]:
        """What was opened or looked for."""
        return self._files.reads

    def _open(self, path: str, base: str | None) -> bytes | None:
        """The open text of a file that may be read, if it is open.

        Raises:
            FileProblem: it may not be read.
        """
        text = self._texts.get(self._files.resolve(path, base))
        if text is None:
            return None
        shown = self._files.shown(path, base)
        if shown not in self._files.reads:
            self._files.reads.append(shown)
        return text.text.encode("utf-8", "surrogatepass")

    def read(self, path: str, base: str | None = None) -> bytes:
        """The bytes of a file that a document names."""
        found = self._open(path, base)
        return self._files.read(path, base) if found is None else found

    def open_input(self, path: str, only_file: bool = False) -> bytes:
        """The bytes of a file that the user names."""
        found = self._open(path, None)
        return self._files.open_input(path, only_file) if found is None else found

    def resolve(self, path: str, base: str | None = None) -> str:
        """The one absolute path of a file."""
        return self._files.resolve(path, base)

    def shown(self, path: str, base: str | None = None) -> str:
        """The path for people."""
        return self._files.shown(path, base)

    def exists(self, path: str) -> bool:
        """True when something has that name."""
        return os.path.join(self.cwd(), path) in self._texts or self._files.exists(path)

    def cwd(self) -> str:
        """The working directory."""
        return self._files.cwd()

    def below(
        self,
        folder: str,
        wanted: Callable[[str], bool],
        work: Callable[[int], object] | None = None,
        choose: Choice | None = None,
    ) -> list[str]:
        """The files in a folder and below it whose names are wanted."""
        return self._files.below(folder, wanted, work, choose)

    def with_roots(self, *folders: str) -> OpenFiles:
        """The same files, with more folders that may be read from."""
        return OpenFiles(self._files.with_roots(*folders), self._texts)
