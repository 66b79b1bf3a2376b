"""The texts that an editor has open, and the last analysis of each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from lsprotocol.types import Position, PositionEncodingKind

from ..dialects.table import detect_dialect
from ..engine.lints import Rules
from ..formats.detection import format_of, format_of_text
from ..values.settings import Settings
from ..values.source import Source
from ..world.files import DiskFiles
from .analysis import Analysis, analyse, rendered
from .inputs import Inputs
from .texts import OpenFiles


class Workspace:
    """What the server knows.

    `texts` are the open texts by real path, `analyses` the last analysis of each by URI. Both are
    replaced, never changed, so that any thread may read them.
    """

    def __init__(self, folder: str, environment: Mapping[str, str], settings: Settings) -> None:
        self.folder = folder
        self.environment = environment
        self.settings = settings
        self.snippets = False
        self.units: PositionEncodingKind | str = PositionEncodingKind.Utf16
        self.inputs = Inputs(folder, environment)
        self.texts: Mapping[str, Source] = {}
        self.analyses: Mapping[str, Analysis] = {}

    def open(self, uri: str, text: str) -> Source:
        """The text of a document, from now on."""
        path = path_of(uri)
        name = self.files().shown(path)
        source = Source(name, text, format_of(path) or format_of_text(text), path)
        self.texts = {**self.texts, path: source}
        return source

    def close(self, uri: str) -> None:
        """Forgets a text: the file counts again."""
        path = path_of(uri)
        self.texts = {name: text for name, text in self.texts.items() if name != path}
        self.analyses = {name: one for name, one in self.analyses.items() if name != uri}

    def source(self, uri: str) -> Source | None:
        """The present text of a document, which may be newer than its analysis."""
        return self.texts.get(path_of(uri))

    def latest(self, uri: str) -> Analysis | None:
        """The last analysis of a document that is finished."""
        return self.analyses.get(uri)

    def all(self) -> Iterable[Analysis]:
        """The last analyses of all open documents."""
        return self.analyses.values()

    def files(self) -> OpenFiles:
        """The files of the workspace, with the open texts in front of them."""
        disk = DiskFiles((self.folder,), cwd=self.folder, limits=self.settings.limits)
        return OpenFiles(disk, self.texts)

    def arguments(self, source: Source) -> dict[str, Any]:
        """The arguments of `prepare` and `render` for a document."""
        return {"settings": self.settings, "files": self.files()}

    def is_ours(self, source: Source) -> bool:
        """True for a text that is certainly a document of a dialect."""
        stem = os.path.splitext(os.path.basename(source.name))[0]
        dialect = detect_dialect(source)
        known = dialect.stands_alone is not None and dialect.stands_alone(source)
        return stem.endswith(".blueprint") or known

    def analyse(self, uri: str, version: int, source: Source) -> Analysis:
        """Checks a text and renders it; its analysis is the latest from then on."""
        arguments = self.arguments(source)
        earlier = self.latest(uri)
        found = analyse(uri, version, source, arguments, Rules(), earlier, self.units)
        given = self.inputs.found(source, found.dialect, self.settings, self.texts)
        if given.arguments is not None:
            found = rendered(found, given.arguments)
        self.analyses = {**self.analyses, uri: found}
        return found

    def place(self, uri: str, position: Position) -> tuple[Analysis, int] | None:
        """The latest analysis of a document, and the offset of a position in its text."""
        analysis = self.latest(uri)
        return (analysis, analysis.at.offset(position)) if analysis is not None else None


def path_of(uri: str) -> str:
    """The path of a document; the URI itself for those that are no files."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return uri
    path = unquote(parts.path)
    return os.path.realpath(path)


def uri_of(path: str) -> str:
    """The URI of a path."""
    from pathlib import Path

    return Path(path).as_uri()
