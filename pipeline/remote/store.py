"""What every kind of remote source is, and a place in one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import attrs

from .paths import folder_of, joined


class Store(Protocol):
    """A remote source: a web server, a bucket, a container, or what a plugin answers for."""

    def identity(self, path: str) -> str:
        """The one name of a file, as diagnostics and lock files write it."""


@attrs.frozen
class Signed:
    """What to ask a server for: an address, and headers that say who asks."""

    url: str = attrs.field(repr=False)
    headers: Mapping[str, str] = attrs.field(factory=dict, repr=False)


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
            RemoteProblem: when there is no library for it, or the credentials cannot be had.
        """


@attrs.frozen
class Place:
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
