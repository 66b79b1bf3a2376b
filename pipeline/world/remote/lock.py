"""Lock files: the SHA-256 and size that each fetched file must have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ....functions.record import Record
from ...values.diagnostics import Diagnostics
from ...values.settings import Limits

FILE_NAME: Final = "bpp.lock"

_FORMAT: Final = 1
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


class Content(Record):
    """The SHA-256 of some bytes, in hexadecimal digits, and how many they are."""

    sha256: str
    size: int


class Lock(Record):
    """The locked contents, by the names they are fetched under; `name` is the lock file's."""

    name: str
    files: Mapping[str, Content]


def content_of(data: bytes) -> Content:
    """The digest and size of some bytes."""
    from hashlib import sha256

    return Content(sha256(data, usedforsecurity=False).hexdigest(), len(data))


def lock_text(files: Mapping[str, Content]) -> str:
    """A lock file: sorted, one entry a line, so that changes are easy to read and to merge."""
    from json import dumps

    lines = [
        f"    {dumps(name, ensure_ascii=False)}: "
        f'{{"sha256": "{content.sha256}", "size": {content.size}}}'
        for name, content in sorted(files.items())
    ]
    inner = ",\n".join(lines)
    shown = f"{{\n{inner}\n  }}" if lines else "{}"
    return f'{{\n  "version": {_FORMAT},\n  "files": {shown}\n}}\n'


def read_lock(name: str, data: bytes, limits: Limits, diagnostics: Diagnostics) -> Lock | None:
    """The content of a lock file; None for an invalid one, with errors in `diagnostics`."""
    from ...language.meter import Meter
    from ..data_files import place_of, read_data

    before = diagnostics.errors
    content, root = read_data(name, data, Meter(limits), diagnostics)
    if diagnostics.errors > before:
        return None
    wrong: list[tuple[tuple[str | int, ...], str]] = []
    files = _files(content, wrong)
    for path, message in wrong:
        diagnostics.error(
            "invalid_lock", place_of(root, path), message, "recreate it with `bpp lock`"
        )
    return None if wrong else Lock(name, files)


def _files(content: Any, wrong: list[tuple[tuple[str | int, ...], str]]) -> dict[str, Content]:
    if not isinstance(content, dict) or set(content) != {"version", "files"}:
        wrong.append(((), "a lock file has a `version` and `files`"))
        return {}
    if content["version"] != _FORMAT or isinstance(content["version"], bool):
        wrong.append((("version",), f"this version of bpp reads lock files of version {_FORMAT}"))
        return {}
    listed = content["files"]
    if not isinstance(listed, dict):
        wrong.append((("files",), "`files` of a lock file is an object"))
        return {}
    files = {}
    for name, entry in listed.items():
        digest, size = (
            (entry.get("sha256"), entry.get("size")) if isinstance(entry, dict) else (None, None)
        )
        fits = isinstance(digest, str) and _DIGEST.fullmatch(digest)
        if not fits or not isinstance(size, int) or isinstance(size, bool) or size < 0:
            message = "an entry has a `sha256` of 64 hexadecimal digits in lower case and a `size`"
            wrong.append((("files", name), message))
        else:
            files[name] = Content(str(digest), size)
    return files
