"""Remote sources, places in them, and why a remote file cannot be fetched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol

from ....functions.record import Record, field

_MAX_CHARS: Final = 1024


def joined(folder: str, path: str) -> str:
    """A path as its source knows it: one with `/` in front starts at the root, others at a folder.

    Raises:
        RemoteProblem: `remote_address_invalid` for an invalid path or one that leaves the source.
    """
    if len(path) > _MAX_CHARS:
        raise _invalid(f"its path is longer than {_MAX_CHARS} characters", None)
    if not path.isprintable() or "\\" in path:
        raise _invalid("its path contains an invalid character", None)
    parts = [] if path.startswith("/") else [part for part in folder.split("/") if part]
    for part in path.split("/"):
        if part == "..":
            if not parts:
                raise _invalid(
                    "its path leads outside its source",
                    "a source is a bucket, a container, a host, or what is below its `url`",
                )
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    if not parts or path.endswith(("/", "/.", "/..")) or path in (".", ".."):
        raise _invalid("its path names a folder, not a file", None)
    return "/".join(parts)


def shown_address(identity: str) -> str:
    """A name of a file for messages: what follows `?` in a web address may be a credential."""
    head, mark, _ = identity.partition("?")
    return f"{head}?…" if mark and head.startswith(("https://", "http://")) else identity


def folder_of(path: str) -> str:
    """The folder of a path inside a source; empty for its root."""
    return path.rpartition("/")[0]


def _invalid(why: str, hint: str | None) -> RemoteProblem:
    return RemoteProblem("remote_address_invalid", why, hint, "path")


class Store(Protocol):
    """A remote source: a web server, a bucket, a container, or what a plugin answers for."""

    def identity(self, path: str) -> str:
        """The one name of a file, as diagnostics and lock files write it."""


class Signed(Record):
    """A request: an address, and headers with credentials."""

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(factory=dict, repr=False)


class ServerStore(Store, Protocol):
    """A source that a GET request is sent to."""

    @property
    def own_host(self) -> str:
        """The host of a server that the user has set up instead of the usual one, or nothing."""

    def url(self, path: str) -> str:
        """The address of a file, without anything secret."""

    def signed(self, path: str, kept: dict[str, Any]) -> Signed:
        """The request for a file; `kept` holds credentials between the calls of a run.

        Raises:
            RemoteProblem: without the library for it, or without usable credentials.
        """


class Place(Record):
    """A file in a remote source."""

    store: Store
    path: str

    @property
    def identity(self) -> str:
        """The one name of the file, as diagnostics and lock files write it."""
        return self.store.identity(self.path)

    def beside(self, path: str) -> Place:
        """Another file of the same source, relative to this one's folder.

        Raises:
            RemoteProblem: `remote_address_invalid` when the path leads out of the source.
        """
        return Place(self.store, joined(folder_of(self.path), path))


class RemoteProblem(Exception):
    """Why a remote file cannot be fetched, in words that fit behind "cannot be fetched:".

    `code` is a diagnostic code, `key` the part of an include to blame: a key of its metadata, or
    `path`. What a library says is never quoted: it could hold a secret.
    """

    def __init__(
        self, code: str, why: str, hint: str | None = None, key: str | None = None
    ) -> None:
        super().__init__(why)
        self.code = code
        self.why = why
        self.hint = hint
        self.key = key


class ResolverError(Exception):
    """Raised by a resolver of a plugin that cannot answer; its text is shown to the user."""


def missing_key(key: str, given: Iterable[str], what: str) -> RemoteProblem:
    """The problem of metadata that lacks a key."""
    from ...values.diagnostics import meant

    near = next((hint for other in given if (hint := meant(other, [key]))), None)
    return RemoteProblem(
        "remote_address_invalid",
        f"its metadata has no `{key}`, which names {what}",
        near or f"add `{key}` to the include's `metadata`",
    )
