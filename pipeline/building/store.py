"""What builds keep in the user's cache folder: an index for each configuration, and results.

An index says what each target read, was found by and wrote when it was last rendered. A result is a
file named by its key, with what was written. Everything is JSON behind a keyed digest: what is
foreign, damaged or of another version is not looked at, and there is nothing in it that could be
run. Files are replaced in one step, so builds at the same time lose each other's news at worst.
"""

from __future__ import annotations

import json
import os
from typing import Any, Final

from ..values.settings import Settings
from ..world.effects import Effects
from ..world.files import DiskFiles, FileProblem, read_kept
from ..world.writing import keep_newest, make_folder, write_privately
from .digests import keyed_digest

_HEAD: Final = b"bpp-build-1\n"
_KEY_FILE: Final = "key"
_KEY_BYTES: Final = 64
_MOST_IN_A_FOLDER: Final = 64
"""Results in one of the 256 folders."""

_LARGEST_RESULT: Final = 32 * 1024 * 1024
_LARGEST_FILE: Final = 8 * _LARGEST_RESULT
"""JSON writes one character as six at most."""


class Store:
    """The cache of builds in a folder, or one that keeps nothing."""

    def __init__(self, folder: str | None, key: bytes | None = None) -> None:
        self.folder = folder
        self.key = b""
        self._index: tuple[bytes | None, dict[str, Any]] = (None, {})
        if folder is not None:
            self.key = key or _key(folder)
        if not self.key:
            self.folder = None

    # ---------------------------------------------------------------- index

    def load_index(self, configuration: str) -> dict[str, Any]:
        """The index of a configuration, by its real path; an empty one when there is none.

        As long as its file is the same, so is the index, with what its user has changed in it.
        """
        data = read_kept(self._index_path(configuration), _LARGEST_FILE) if self.folder else None
        if data is not None and data == self._index[0]:
            return self._index[1]
        found = self._content(data)
        index = {"form": "", "files": {}, "targets": {}}
        if isinstance(found, dict) and all(
            isinstance(found.get(name), type(value)) for name, value in index.items()
        ):
            index = found
        self._index = (data, index)
        return index

    def save_index(self, configuration: str, index: dict[str, Any]) -> None:
        """Keeps an index; a cache that cannot be written is none."""
        if self.folder:
            self._save(self._index_path(configuration), index)

    def _index_path(self, configuration: str) -> str:
        assert self.folder is not None
        name = keyed_digest(self.key, os.fsencode(configuration))[:32]
        return os.path.join(self.folder, f"{name}.index")

    # ---------------------------------------------------------------- results

    def load_result(self, key: str) -> dict[str, Any] | None:
        """What a target wrote when it was found by this key: a map of `files` to their texts."""
        found = self._load(self._result_path(key)) if self.folder else None
        if not isinstance(found, dict) or found.get("key") != key:
            return None
        files = found.get("files")
        if not isinstance(files, dict) or not all(isinstance(t, str) for t in files.values()):
            return None
        return found

    def save_result(self, key: str, result: dict[str, Any]) -> None:
        """Keeps what a target wrote, unless that is very large."""
        if self.folder and sum(map(len, result["files"].values())) < _LARGEST_RESULT:
            path = self._result_path(key)
            self._save(path, {**result, "key": key})
            keep_newest(os.path.dirname(path), _MOST_IN_A_FOLDER)

    def _result_path(self, key: str) -> str:
        assert self.folder is not None
        return os.path.join(self.folder, "results", key[:2], key)

    # ---------------------------------------------------------------- files

    def _load(self, path: str) -> Any:
        return self._content(read_kept(path, _LARGEST_FILE))

    def _content(self, data: bytes | None) -> Any:
        """What a file of the cache holds; None when it is not whole."""
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
        try:
            make_folder(os.path.dirname(path))
            write_privately(path, _HEAD + keyed_digest(self.key, body).encode() + body)
        except FileProblem:
            return


def _key(folder: str) -> bytes:
    """The key of a cache folder, made when there is none; nothing when it cannot be kept."""
    path = os.path.join(folder, _KEY_FILE)
    key = _read_key(path)
    if key:
        return key
    # chance has one door; version 4 identifiers have 122 random bits each
    chance = Effects(Settings(), DiskFiles())
    fresh = "".join(chance.uuid().replace("-", "") for _ in range(2))
    try:
        make_folder(folder)
        write_privately(path, fresh.encode())
    except FileProblem:
        return b""
    # of two that are made at once the later one stays
    return _read_key(path)


def _read_key(path: str) -> bytes:
    key = read_kept(path, _KEY_BYTES)
    return key if key is not None and len(key) == _KEY_BYTES else b""
