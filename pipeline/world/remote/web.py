"""Files of web servers: `sourceType: https`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote, urlsplit

from ....functions.record import Record
from .store import Place, RemoteProblem, Signed, joined, missing_key

KEYS: Final = ("host", "url")


_SAFE: Final = "/%:@!$&'()*+,;=~"


class WebStore(Record):
    """Everything below an address, which no path leaves.

    `query` is that of the file `first`, as in `core.yaml?ref=v2`; files beside it are asked for
    without one.
    """

    base: str
    first: str = ""
    query: str = ""
    own_host: str = ""

    def identity(self, path: str) -> str:
        """The address of a file."""
        return self.url(path)

    def url(self, path: str) -> str:
        """The address of a file."""
        query = f"?{self.query}" if self.query and path == self.first else ""
        return f"{self.base}/{quote(path, safe=_SAFE)}{quote(query, safe=_SAFE + '?')}"

    def signed(self, path: str, kept: dict[str, Any]) -> Signed:
        """The plain address: web servers are asked without credentials."""
        return Signed(self.url(path))


def place(metadata: Mapping[str, str], path: str) -> Place:
    """Where the metadata and the path of an include lead.

    `host` is a server with or without a port, `url` a folder on one that no path leaves; without
    either, the path itself is the address.

    Raises:
        RemoteProblem: `remote_address_invalid`.
    """
    if "host" in metadata and "url" in metadata:
        raise _invalid("its metadata has both `host` and `url`", "write one of them")
    if "url" in metadata:
        base = _base(metadata["url"], "url")
    elif "host" in metadata:
        host = metadata["host"]
        if "/" in host:
            raise _invalid("its `host` is not a host name", "write an address as `url`", "host")
        base = _base(f"https://{host}", "host")
    elif "://" in path:
        parts = urlsplit(_checked(path, "path"))
        base = f"https://{parts.netloc.lower()}"
        path = path.partition("://")[2][len(parts.netloc) :]
    else:
        raise missing_key("host", metadata, "the server")
    path, _, query = path.partition("?")
    if "#" in path + query:
        raise _invalid("its path has a `#`, which is never sent to a server", key="path")
    name = joined("", path)
    return Place(WebStore(base, name, query), name)


def _base(text: str, key: str) -> str:
    parts = urlsplit(_checked(text, key))
    if parts.query or parts.fragment:
        raise _invalid(f"its `{key}` has a query or a fragment", "write the query in `path`", key)
    folder = parts.path.strip("/")
    base = f"https://{parts.netloc.lower()}"
    return f"{base}/{joined('', folder)}" if folder else base


def _checked(text: str, key: str) -> str:
    try:
        parts = urlsplit(text)
    except ValueError:
        raise _invalid(f"its `{key}` is not a valid address", key=key) from None
    if parts.scheme.lower() != "https":
        raise _invalid(f"its `{key}` does not begin with `https://`", key=key)
    if "@" in parts.netloc:
        # not even quoted: what stands there is a password
        raise _invalid("addresses with a user name or a password are not fetched", key=key)
    if not parts.hostname or not text.isprintable() or " " in text:
        raise _invalid(f"its `{key}` is not a valid address", key=key)
    return text


def _invalid(why: str, hint: str | None = None, key: str | None = None) -> RemoteProblem:
    return RemoteProblem("remote_address_invalid", why, hint, key)
