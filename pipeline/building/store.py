"""The cache of builds in the user's cache folder: an index for each configuration, and results.

The index holds the inputs, the key and the outputs of each target at its last render. A result is a
file named by its key, with the texts of the outputs. Everything is JSON behind a keyed digest:
foreign or damaged data is ignored, and nothing in it can be executed. Files are replaced
atomically, so parallel builds lose each other's updates at worst.

Secrets only go into keyed digests: the name of a file in the cache does not help to guess a
password, and the key never leaves the user's cache folder.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable, Container, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from ..values.diagnostics import Diagnostic, Diagnostics, Note
from ..values.quoting import Ranges
from ..values.settings import Limits, Settings
from ..values.source import Source, Span
from ..values.version import VERSION
from ..world.effects import Effects
from ..world.files import DiskFiles, FileProblem, Files, decode_text, read_kept
from ..world.writing import keep, keep_newest
from .target import Surroundings, Target

if TYPE_CHECKING:
    from ..world.searching import Choice

try:
    # hashlib has the same function, but loads OpenSSL, which takes longer than the digests
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

_HEAD: Final = b"bpp-build-1\n"
_KEY_FILE: Final = "key"
_KEY_BYTES: Final = 64
_MOST_IN_A_FOLDER: Final = 64
"""Results in one of the 256 folders."""

_LARGEST_RESULT: Final = 32 * 1024 * 1024
_LARGEST_FILE: Final = 8 * _LARGEST_RESULT
"""JSON escapes a character with at most six."""


class Store:
    """The cache of builds in a folder; without a folder it stores nothing."""

    def __init__(self, folder: str | None, key: bytes | None = None) -> None:
        self.folder = folder
        self.key = b""
        self._index: tuple[bytes | None, dict[str, Any]] = (None, {})
        if folder is not None:
            self.key = key or _key(folder)
        if not self.key:
            self.folder = None

    def load_index(self, configuration: str) -> dict[str, Any]:
        """The index of a configuration, by its real path; empty for a new one.

        While the file stays the same, so does the object, including changes by the caller.
        """
        data = read_kept(self._index_path(configuration), _LARGEST_FILE) if self.folder else None
        if data is not None and data == self._index[0]:
            return self._index[1]
        found = self._content(data)
        index = {"form": "", "names": [], "files": {}, "targets": {}}
        if isinstance(found, dict) and all(
            isinstance(found.get(name), type(value)) for name, value in index.items()
        ):
            index = found
        self._index = (data, index)
        return index

    def save_index(self, configuration: str, index: dict[str, Any]) -> None:
        """Saves an index; errors are ignored."""
        if self.folder:
            self._save(self._index_path(configuration), index)

    def _index_path(self, configuration: str) -> str:
        assert self.folder is not None
        name = keyed_digest(self.key, os.fsencode(configuration))[:32]
        return os.path.join(self.folder, f"{name}.index")

    def load_result(self, key: str) -> dict[str, Any] | None:
        """The result with a key, if the cache has it: its `files` with their texts."""
        data = read_kept(self._result_path(key), _LARGEST_FILE) if self.folder else None
        found = self._content(data)
        if not isinstance(found, dict) or found.get("key") != key:
            return None
        files = found.get("files")
        if not isinstance(files, dict) or not all(isinstance(t, str) for t in files.values()):
            return None
        return found

    def save_result(self, key: str, result: dict[str, Any]) -> None:
        """Saves a result, unless it is very large."""
        if self.folder and sum(map(len, result["files"].values())) < _LARGEST_RESULT:
            path = self._result_path(key)
            self._save(path, {**result, "key": key})
            keep_newest(os.path.dirname(path), _MOST_IN_A_FOLDER)

    def _result_path(self, key: str) -> str:
        assert self.folder is not None
        return os.path.join(self.folder, "results", key[:2], key)

    def _content(self, data: bytes | None) -> Any:
        """The content of a file of the cache; None if it is damaged or foreign."""
        if data is None:
            return None
        head, digest, body = data[: len(_HEAD)], data[len(_HEAD) :][:64], data[len(_HEAD) + 64 :]
        if head != _HEAD or keyed_digest(self.key, body).encode() != digest:
            return None
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            return None

    def _save(self, path: str, content: dict[str, Any]) -> None:
        body = json.dumps(content, separators=(",", ":")).encode()
        keep(path, _HEAD + keyed_digest(self.key, body).encode() + body)


def _key(folder: str) -> bytes:
    """The key of a cache folder, created if needed; empty if it cannot be saved."""
    path = os.path.join(folder, _KEY_FILE)
    key = _read_key(path)
    if key:
        return key
    # only `Effects` has random numbers; version 4 identifiers have 122 random bits each
    chance = Effects(Settings(), DiskFiles())
    fresh = "".join(chance.uuid().replace("-", "") for _ in range(2))
    keep(path, fresh.encode())
    # if two builds create a key at once, the later one stays
    return _read_key(path)


def _read_key(path: str) -> bytes:
    key = read_kept(path, _KEY_BYTES)
    return key if key is not None and len(key) == _KEY_BYTES else b""


ABSENT: Final = ""
"""The digest of a file that does not exist or is not a regular file."""

UNSTEADY: Final = "?"
"""The digest of a file that changed while it was read; never equal to another."""


def digest_of(data: bytes, key: bytes) -> str:
    """The digest of a file's content, which may hold secrets."""
    return blake2b(data, digest_size=20, key=key).hexdigest()


def keyed_digest(key: bytes, data: bytes) -> str:
    """A digest that cannot be computed without the key."""
    return blake2b(data, digest_size=32, key=key).hexdigest()


def target_digest(key: bytes, target: Target) -> str:
    """The digest of a target with all its values, some of which may be secrets."""
    return keyed_digest(key, repr(target.plain()).encode("utf-8", "surrogatepass"))


def result_key(
    key: bytes,
    target: str,
    shared: str,
    environment: Mapping[str, str],
    names: Iterable[str],
    inputs: Mapping[str, str],
    packages: str,
) -> str:
    """The key of a result: one keyed digest of everything the result depends on.

    `target` is the digest of the target, `shared` the result of `shared_by_all`, `names` are the
    variables that the blueprint declares, `inputs` the digests of the files it reads, `packages`
    the digest of the installed packages, or empty if no plugin was looked for.
    """
    given = [
        shared,
        target,
        sorted(_declared(environment, names)),
        sorted(inputs.items()),
        packages,
    ]
    return keyed_digest(key, repr(given).encode("utf-8", "surrogatepass"))


def shared_by_all(folder: str, around: Surroundings) -> str:
    """The inputs that all targets share; `folder` is that of the configuration."""
    settings = around.settings.evolve(cache=None, debug=False)
    limits = sorted(around.limits.items())
    return repr([VERSION, sys.version, folder, _plain(settings), limits])


def _declared(environment: Mapping[str, str], names: Iterable[str]) -> list[tuple[str, str]]:
    given = ((name, environment.get(f"BPP_VAR_{name}")) for name in names)
    return [(name, value) for name, value in given if value is not None]


def _plain(record: Any) -> Any:
    """A record as plain data, including the fields that its `repr` hides."""
    names = getattr(record, "__match_args__", None)
    if names is None:
        return record
    return [_plain(getattr(record, name)) for name in names]


def packed(diagnostics: Diagnostics, folder: str, files: Container[str]) -> list[Any] | None:
    """Diagnostics without their sources; None if the source of one is not among the files."""
    spans = [item.span for item in diagnostics]
    spans += [note.span for item in diagnostics for note in item.notes]
    sources = dict.fromkeys(span.source for span in spans if span)
    for span in spans:
        if span and os.path.normpath(os.path.join(folder, span.source.name)) not in files:
            return None
    items = [
        [
            item.code,
            item.summary,
            item.severity,
            item.hint,
            _place(item.span),
            [[note.text, _place(note.span)] for note in item.notes],
        ]
        for item in diagnostics
    ]
    hidden = [
        [source.name, source.format, ranges]
        for source in sources
        if (ranges := diagnostics.quoting.hidden_in(source)) is not None
    ]
    return [items, hidden] if items else []


def unpacked(data: list[Any], folder: str) -> Diagnostics:
    """The diagnostics, with their sources read again.

    Raises:
        FileProblem: if a source cannot be read any more.
        ValueError, TypeError: for data that `packed` did not make.
    """
    sources: dict[str, Source] = {}
    found = Diagnostics()
    items, hidden = data
    # a source that is not admitted is not quoted
    for name, form, ranges in hidden:
        quoted = _source(name, form, sources, folder)
        found.quoting.admit(quoted, Ranges((start, end) for start, end in ranges).rule())
    for code, summary, severity, hint, place, notes in items:
        remarks = tuple(Note(text, _span(where, sources, folder)) for text, where in notes)
        span = _span(place, sources, folder)
        found.add(Diagnostic(code, summary, span, severity, hint, remarks))
    return found


def _place(span: Span | None) -> list[Any] | None:
    if span is None:
        return None
    return [span.source.name, span.source.format, span.start, span.end, span.exact]


def _span(place: list[Any] | None, sources: dict[str, Source], folder: str) -> Span | None:
    if place is None:
        return None
    name, form, start, end, exact = place
    return Span(_source(name, form, sources, folder), start, end, exact)


def _source(name: str, form: str, sources: dict[str, Source], folder: str) -> Source:
    if name not in sources:
        text = decode_text(DiskFiles().open_input(os.path.join(folder, name)), name)
        sources[name] = Source(name, text, form)
    return sources[name]


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

    def open_input(self, path: str, only_file: bool = False) -> bytes:
        """The bytes of a file that the user names.

        Raises:
            FileProblem: if it cannot be read.
        """
        try:
            data = self._inner.open_input(path, only_file)
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

    def below(
        self,
        folder: str,
        wanted: Callable[[str], bool],
        work: Callable[[int], object] | None = None,
        choose: Choice | None = None,
    ) -> list[str]:
        """The files in a folder and below it whose names are wanted, sorted.

        Raises:
            FileProblem: if the folder must not be searched, or has too many files.
        """
        self.searched.append(folder)
        return self._inner.below(folder, wanted, work, choose)

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
