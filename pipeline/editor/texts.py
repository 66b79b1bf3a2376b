"""What editors have open, in front of the files on disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import quote, unquote, urlsplit

from lsprotocol import types

from ..values.source import Source
from ..world.files import Files
from ..world.searching import Choice
from .coordinates import Coordinates

Change = types.TextDocumentContentChangePartial | types.TextDocumentContentChangeWholeDocument


def changed(text: str, changes: Sequence[Change], units: str) -> str:
    """A text after changes, each of which is of the text that the one before it made.

    Lines end as the protocol says: with LF, CR LF or CR, and with no other character.
    """
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangeWholeDocument):
            text = change.text
            continue
        at = Coordinates(Source("", text), units)
        start, end = sorted((at.offset(change.range.start), at.offset(change.range.end)))
        text = text[:start] + change.text + text[end:]
    return text


def path_of(uri: str) -> str:
    """The real path of a document; the URI itself for those that are no files."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return uri
    if parts.scheme != "file" or "\0" in uri or "%00" in uri:
        return uri
    path = unquote(parts.path)
    if os.name == "nt":  # `/c:/folder`, or a folder that another machine shares
        path = f"//{parts.netloc}{path}" if parts.netloc else path.lstrip("/")
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return uri


def is_file(path: str) -> bool:
    """False for the URI of a document that is no file, such as one that was never saved."""
    return os.path.isabs(path)


def uri_of(path: str) -> str:
    """The URI of a path; of what is no file, its own."""
    if not is_file(path):
        return path
    if os.name == "nt":
        path = path.replace("\\", "/")
        path = path if path.startswith("//") else f"///{path}"
        return "file:" + quote(path, safe="/:~")
    return "file://" + quote(os.fsencode(path), safe="/~")


class OpenFiles:
    """Files of which some are open in an editor: their texts count, saved or not.

    `texts` are the open ones by their real paths.
    """

    def __init__(self, files: Files, texts: Mapping[str, Source]) -> None:
        self._files = files
        self._texts = texts
        self.reads = files.reads

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

    def on(self, files: Files) -> OpenFiles:
        """The open texts in front of other files."""
        return OpenFiles(files, self._texts)

    def with_roots(self, *folders: str) -> OpenFiles:
        """The same files, with more folders that may be read from."""
        return OpenFiles(self._files.with_roots(*folders), self._texts)
