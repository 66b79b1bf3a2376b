"""The texts that an editor has open, and the last analysis of each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

from lsprotocol.types import Position, PositionEncodingKind, WorkspaceEdit

from ...functions.record import Record, field
from ..building.checking import ENDINGS, is_excluded, is_named, placed, rules_of
from ..building.configuration import Configuration, find_configuration, load_check
from ..building.target import Surroundings, Target, Task
from ..building.target_rendering import render_arguments
from ..dialects.table import NAMES, detect_dialect, find_dialect
from ..engine.lints import Rules
from ..engine.run import Dialect
from ..formats.detection import format_of, format_of_text
from ..language.meter import Meter
from ..rendering import failed_to_read
from ..values.diagnostics import Diagnostics
from ..values.settings import Settings
from ..values.source import Source
from ..world.files import DiskFiles, FileProblem, decode_text, is_inside
from ..world.searching import is_pattern, matches
from .analysis import Analysis, Watch, analyse, part_of, rendered
from .inputs import Found, Inputs
from .texts import OpenFiles, is_file, path_of, uri_of

MOST_CHARS: Final = 4 * 1024 * 1024
"""Characters of a text that is looked at while someone types in it."""

_MOST_FILES: Final = 500
_LARGEST: Final = 1024 * 1024
"""Files of a folder, and characters of one, that are looked at though nobody has opened them."""

_IN_TARGET: Final = ("vars", "state", "allow_path", "keep_transform")


class Client(Protocol):
    """What may be asked of the editor, from the thread of a request."""

    def tell(self, message: str) -> None:
        """Shows a message."""

    def choose(self, message: str, options: Sequence[str]) -> str | None:
        """What the user chooses; None for nothing."""

    def apply(self, edit: WorkspaceEdit, label: str) -> bool:
        """Changes texts; False when the editor refuses."""

    def show(self, uri: str) -> bool:
        """Opens a document; False when the editor cannot."""

    def look_again(self, uri: str) -> None:
        """Has a document looked at again, which is rendered in another way now."""


class Checking(Record, eq=False):
    """What a configuration's `[check]` says of documents; paths are those that `files` show.

    `problems` are the mistakes in it, and then it says nothing.
    """

    configuration: Configuration | None = None
    table: Mapping[str, Any] = field(factory=dict)

    @property
    def rules(self) -> Rules:
        """Which diagnostics are told."""
        names = ("select", "ignore", "warn_as_error")
        return rules_of(*(self.table.get(name, ()) for name in names))


class Preferences(Record):
    """The user's settings, `bpp.*` in the editor.

    `dialects` has dialects by patterns of paths, for texts that do not tell theirs.
    """

    dialects: Mapping[str, str] = field(factory=dict)


class Workspace:
    """What the server knows.

    `folders` are those that the editor has open; `texts` are the open texts by real path,
    `analyses` the last analysis of each by URI. All are replaced, never changed, so that any thread
    may read them. `client` is None where nobody can be asked. `snippets` says that the editor has
    places to fill in what it completes.
    """

    def __init__(self, folder: str, environment: Mapping[str, str], settings: Settings) -> None:
        self.folders: tuple[str, ...] = (os.path.realpath(folder),)
        self.environment = environment
        self.settings = settings
        self.preferences = Preferences()
        self.snippets = False
        self.units: PositionEncodingKind | str = PositionEncodingKind.Utf16
        self.inputs = Inputs(environment)
        self.texts: Mapping[str, Source] = {}
        self.analyses: Mapping[str, Analysis] = {}
        self.client: Client | None = None
        self._parts: Mapping[str, Analysis] = {}
        self._uris: Mapping[str, str] = {}
        self._languages: Mapping[str, str] = {}
        self._read: tuple[str, str, bytes, Checking] | None = None

    @property
    def folder(self) -> str:
        """The first of the folders."""
        return self.folders[0]

    # texts

    def open(self, uri: str, text: str, language: str = "") -> Source:
        """The text of a document, from now on; `language` is what the editor calls its language."""
        path = path_of(uri)
        known = is_file(path)
        name = self.files(path).shown(path) if known else path
        kind = format_of(path) or format_of_text(text)
        source = Source(name, text, kind, path if known else None)
        self.texts = {**self.texts, path: source}
        self._uris = {**self._uris, path: uri}
        if language:
            self._languages = {**self._languages, path: language}
        return source

    def close(self, uri: str) -> None:
        """Forgets a text: the file counts again."""
        path = path_of(uri)
        self.texts = _without(self.texts, path)
        self.analyses = _without(self.analyses, uri)
        self._parts = _without(self._parts, uri)
        self._uris = _without(self._uris, path)
        self._languages = _without(self._languages, path)

    def source(self, uri: str) -> Source | None:
        """The present text of a document, which may be newer than its analysis."""
        return self.texts.get(path_of(uri))

    def latest(self, uri: str) -> Analysis | None:
        """The last analysis of a document that is finished, or of the one that it is a part of."""
        return self.analyses.get(uri) or self._part(uri)

    def _part(self, uri: str) -> Analysis | None:
        """The analysis of a text that an open document reads as a part of itself."""
        source = self.source(uri)
        known = self._parts.get(uri)
        for whole in [*self.all()] if source is not None and source.path else ():
            if whole.computed is None or source is None:
                continue
            if known is not None and known.whole is whole and known.source is source:
                return known
            if whole.computed.read(source.path or "") is not None:
                made = part_of(whole, uri, source)
                self._parts = {**self._parts, uri: made}
                return made
        return None

    def all(self) -> Iterable[Analysis]:
        """The last analyses of all open documents."""
        return self.analyses.values()

    def uri_of(self, path: str) -> str:
        """The URI of a path, as the editor writes it if it has the file open."""
        return self._uris.get(path) or uri_of(path)

    def place(self, uri: str, position: Position) -> tuple[Analysis, int] | None:
        """The latest analysis of a document, and the offset of a position in its text."""
        analysis = self.latest(uri)
        return (analysis, analysis.at.offset(position)) if analysis is not None else None

    # files

    def folder_of(self, path: str) -> str:
        """The innermost open folder that a file is in, or the first one."""
        inside = [folder for folder in self.folders if is_inside(path, folder)]
        return max(inside, key=len) if inside else self.folder

    def files(self, path: str = "", allowed: Iterable[str] = ()) -> OpenFiles:
        """The files that a document may read, with the open texts in front of them.

        Beside those in its folder, which a run adds, they are those in the `allowed` folders.
        """
        folder = self.folder_of(path) if path else self.folder
        disk = DiskFiles(tuple(allowed), cwd=folder, limits=self.settings.limits)
        return OpenFiles(disk, self.texts)

    def sources(self) -> Iterator[Source]:
        """The open texts, then those of the files in the folders that are called like documents."""
        yield from self.texts.values()
        for folder in self.folders:
            files = self.files(folder)
            try:
                names = files.below(folder, lambda name: name.lower().endswith(ENDINGS))
            except FileProblem:
                continue
            for name in names[:_MOST_FILES]:
                try:
                    real = files.resolve(name)
                    text = "" if real in self.texts else decode_text(files.read(real), name)
                except FileProblem:
                    continue
                if 0 < len(text) <= _LARGEST:
                    yield Source(files.shown(real), text, format_of(real) or "yaml", real)

    def checking(self, source: Source) -> Checking:
        """What the nearest configuration says of a document.

        Raises:
            FileProblem: it cannot be read.
        """
        if source.path is None:
            return Checking()
        path = find_configuration(os.path.dirname(source.path))
        if path is None:
            return Checking()
        files = self.files(source.path)
        content = files.open_input(path, only_file=True)
        if self._read is not None and self._read[:3] == (path, files.cwd(), content):
            return self._read[3]
        table, found = load_check(path, files)
        known = Checking(found, placed(table, found.folder, files))
        self._read = path, files.cwd(), content, known
        return known

    # documents

    def is_ours(self, source: Source) -> bool:
        """True for a text that is a document of a dialect."""
        return self.dialect(source) is not None

    def dialect(self, source: Source) -> Dialect | None:
        """The dialect of a document; None for a text that is not certainly one.

        It is named by the editor, by the user's settings or by `[check]`, or recognised as `bpp
        check` does in a folder. While a text is broken, it is what it was before.
        """
        try:
            table = self.checking(source).table
        except FileProblem:
            table = {}
        named = self._named(source, table)
        try:
            if named is not None:
                return find_dialect(named)
        except ValueError:  # no such dialect
            return None
        found = detect_dialect(source)
        certain = found.stands_alone is not None and found.stands_alone(source)
        if certain and not is_excluded(source.name, table.get("exclude", ())):
            return found
        path = source.path or source.name
        last = self.analyses.get(self._uris.get(path, ""))
        if last is not None:
            return last.dialect
        return found if is_named(source.name) else None

    def _named(self, source: Source, table: Mapping[str, Any]) -> str | None:
        path = source.path or source.name
        language = self._languages.get(path)
        if language in NAMES:
            return language
        for pattern, dialect in self.preferences.dialects.items():
            if matches(pattern, source.name, whole=False):
                return dialect
        named = table.get("dialect")
        folder = self.folder_of(path)
        words = [os.path.join(folder, word) for word in table.get("files", ())]
        return str(named) if named is not None and _is_listed(path, words) else None

    def arguments(self, source: Source) -> dict[str, Any]:
        """The arguments of `prepare` for a document that is only read."""
        return {"settings": self.settings, "files": self.files(source.path or "")}

    def given(self, analysis: Analysis) -> Found:
        """The arguments of `render` for a document, with the inputs that are chosen for it."""
        source = analysis.source
        files = self.files(source.path or "")
        return self.inputs.found(source, analysis.dialect, self.settings, files)

    def check_arguments(
        self, source: Source, dialect: Dialect, table: Mapping[str, Any], found: Diagnostics
    ) -> dict[str, Any]:
        """The arguments of `prepare` for a check, as `bpp check` makes them; `found` gets mistakes.

        Nothing is fetched while someone types.
        """
        own = {name: table[name] for name in _IN_TARGET if name in table}
        target = Target("check", "check", source.path or "", "", **own)
        around = Surroundings(self.environment, self.settings)
        settings = self.settings.evolve(
            allow_path=tuple(own.get("allow_path", ())),
            keep_transform=tuple(own.get("keep_transform", ())),
        )
        files = self.files(source.path or "", settings.allow_path)
        task = Task(target, source.path or "", around)
        meter = Meter(settings.limits)
        try:
            made = render_arguments(task, dialect, settings, files, found, meter)
        except FileProblem as problem:
            found.add(failed_to_read(problem))
            made = None
        made = made or {"settings": settings, "files": files, "dialect": dialect}
        made.pop("datasources", None)
        return made

    # analyses

    def analyse(self, uri: str, version: int, source: Source) -> Analysis:
        """Checks a text and renders it; its analysis is the latest from then on."""
        dialect = self.dialect(source) or detect_dialect(source)
        return self.keep(self.render(self.check(uri, version, source, dialect)))

    def check(
        self, uri: str, version: int, source: Source, dialect: Dialect, watch: Watch | None = None
    ) -> Analysis:
        """Checks a text, with the rules of the configuration that applies to it."""
        told = Diagnostics(self.settings.limits.max_diagnostics)
        checking = Checking()
        try:
            checking = self.checking(source)
        except FileProblem as problem:
            told.add(failed_to_read(problem))
        if checking.configuration is not None:
            told.extend(checking.configuration.diagnostics)
        arguments = self.check_arguments(source, dialect, checking.table, told)
        earlier = self.analyses.get(uri)
        found = analyse(uri, version, source, arguments, checking.rules, earlier, self.units, watch)
        found.diagnostics.extend(told)
        return found

    def render(self, analysis: Analysis, watch: Watch | None = None) -> Analysis:
        """The same analysis with a render of its text, if its inputs can be read."""
        arguments = self.given(analysis).arguments
        if arguments is None:
            return analysis.evolve(computed=None)
        return rendered(analysis, arguments, watch)

    def keep(self, analysis: Analysis) -> Analysis:
        """Makes an analysis the latest of its document."""
        self.analyses = {**self.analyses, analysis.uri: analysis}
        return analysis


def _without(table: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key != name}


def _is_listed(name: str, words: Iterable[str]) -> bool:
    """True for a file that one of these words stands for: a file, a pattern, or a folder above."""
    for word in words:
        if is_pattern(word):
            if matches(word, name):
                return True
        elif name == word or (is_inside(name, word) and name.lower().endswith(ENDINGS)):
            return True
    return False
