"""Resolvers, which fetch children of a source type: built in, registered, or installed.

A resolver is a callable that gets a `ChildRequest` and gives the child's text. Callers register
theirs (`render(..., resolvers={"git": resolve})`); packages offer theirs with an entry point in the
group `bpp.resolvers`, whose name is the source type. Entry points are looked at only for a source
type that is neither built in nor registered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ....functions.breakage import breakage
from ....functions.record import Record
from ...values.settings import Stores
from .sources import azure_store, gcs_store, s3_store, web_place
from .store import Place, RemoteProblem, ResolverError, Store, joined, missing_key

if TYPE_CHECKING:
    from ..plugins import PluginProblem

GROUP: Final = "bpp.resolvers"


class ChildRequest(Record):
    """A request to a resolver.

    `path` is the path of an include, or of a file beside a child that the resolver has fetched;
    `metadata` is the include's, evaluated plain data. `fetch` gives the body of a web address, held
    to the hosts that the user allows and to the limits of the run; it raises `ResolverError`.
    """

    path: str
    metadata: Mapping[str, Any]
    fetch: Callable[[str], bytes]


Resolver: TypeAlias = Callable[[ChildRequest], str | bytes]
"""Gives the text of a child; may raise `ResolverError` with a sentence for the user."""


class ResolverStore(Record, eq=False):
    """A resolver with the metadata of one include; `origin` names its owner for messages."""

    source_type: str
    metadata: Mapping[str, Any]
    resolver: Resolver
    origin: str

    def identity(self, path: str) -> str:
        """`source type:path`, with the metadata as a query."""
        from json import dumps
        from urllib.parse import urlencode

        query = {
            key: value if isinstance(value, str) else dumps(value, sort_keys=True)
            for key, value in sorted(self.metadata.items())
            if key != "sourceType"
        }
        return f"{self.source_type}:{path}" + (f"?{urlencode(query)}" if query else "")

    def call(self, path: str, fetch: Callable[[str], bytes]) -> bytes:
        """The resolver's answer.

        Raises:
            RemoteProblem: `remote_resolver_failed` when it fails or does not give text.
        """
        try:
            answer = self.resolver(ChildRequest(path, dict(self.metadata), fetch))
        except ResolverError as error:
            raise self._failed(f"{self.origin} says: {error}") from None
        except RemoteProblem:
            raise
        # a resolver that ends the process must not end bpp
        except (Exception, SystemExit) as error:
            raise self._failed(f"{self.origin} failed ({breakage(error)})") from None
        if isinstance(answer, str):
            return answer.encode("utf-8", "surrogatepass")
        if not isinstance(answer, bytes):
            found = type(answer).__name__
            raise self._failed(f"{self.origin} answered with a `{found}`, not with text")
        return answer

    def _failed(self, why: str) -> RemoteProblem:
        return RemoteProblem("remote_resolver_failed", why)


class Kind(Record):
    """One source type: the metadata that it looks at, and how a place is made from that."""

    keys: tuple[str, ...]
    place: Callable[[Mapping[str, Any], str, Stores], Place]


def _in_store(keys: tuple[str, ...], store: Callable[[Mapping[str, Any], Stores], Store]) -> Kind:
    """Files in an object store; the first key of the metadata names a bucket or a container."""

    def place(metadata: Mapping[str, Any], path: str, stores: Stores) -> Place:
        if keys[0] not in metadata:
            raise missing_key(keys[0], metadata, f"the {keys[0]}")
        return Place(store(metadata, stores), joined("", path))

    return Kind(keys, place)


_AZURE: Final = "azure/blob"
_BUILT_IN: Final[Mapping[str, Kind]] = {
    "https": Kind(("host", "url"), web_place),
    "aws/s3": _in_store(
        ("bucket", "region"),
        lambda told, stores: s3_store(told["bucket"], told.get("region"), stores),
    ),
    "googlecloud/storage": _in_store(
        ("bucket",), lambda told, stores: gcs_store(told["bucket"], stores)
    ),
    _AZURE: _in_store(
        ("container", "storageAccountName", "account"),
        lambda told, stores: azure_store(
            told["container"], told.get("storageAccountName") or told.get("account"), stores
        ),
    ),
}
SCHEMES: Final = {
    "s3": "aws/s3",
    "gs": "googlecloud/storage",
    "gcs": "googlecloud/storage",
    "az": _AZURE,
    "azure": _AZURE,
    "azureblob": _AZURE,
}
"""The source types that addresses with a scheme lead to."""


class Resolvers:
    """A registry; a registered resolver goes before a built-in one."""

    def __init__(
        self, resolvers: Mapping[str, Resolver] | None = None, entry_points: bool = True
    ) -> None:
        self._registered = dict(resolvers or {})
        self._entry_points = entry_points
        for name, resolver in self._registered.items():
            if not callable(resolver):
                raise ValueError(f"the resolver `{name}` cannot be called")

    def find(self, source_type: str) -> Kind | PluginProblem | None:
        """The kind of a source type, the problem with its resolver, or None."""
        registered = self._registered.get(source_type)
        if registered is not None:
            return _kind_of(source_type, registered, f"the resolver `{source_type}`")
        found = _BUILT_IN.get(source_type)
        if found is not None or not self._entry_points:
            return found
        from ..plugins import Plugin, find_plugin, wrong_type

        plugin = find_plugin(GROUP, source_type)
        if not isinstance(plugin, Plugin):
            return plugin
        if not callable(plugin.value):
            return wrong_type(plugin, "function")
        return _kind_of(source_type, plugin.value, plugin.origin)

    def names(self) -> list[str]:
        """All source types: built in, registered and installed."""
        installed: list[str] = []
        if self._entry_points:
            from ..plugins import plugin_names

            installed = plugin_names(GROUP)
        return sorted({*_BUILT_IN, *self._registered, *installed})


def _kind_of(source_type: str, resolver: Resolver, origin: str) -> Kind:
    def place(metadata: Mapping[str, Any], path: str, _: Stores) -> Place:
        store = ResolverStore(source_type, metadata, resolver, origin)
        return Place(store, joined("", path))

    return Kind((), place)


def place_of_address(address: str, stores: Stores, region: str = "") -> Place:
    """Where a whole address leads, which says itself what its source type is.

    Raises:
        RemoteProblem: `remote_address_invalid`, also for a scheme that no source type has.
    """
    scheme = address.partition("://")[0].lower()
    if scheme == "https":
        return web_place({}, address, stores)
    place = place_of(address, scheme, stores, region)
    if place is not None:
        return place
    raise RemoteProblem(
        "remote_address_invalid",
        f"addresses that begin with `{scheme[:20]}://` are not supported",
        {"http": "write `https://`", "file": "write the path alone"}.get(
            scheme, "use the `https://` address of the file itself, or a resolver (`sourceType`)"
        ),
        "path",
    )


def check_agreement(source_type: str, metadata: Mapping[str, Any], address: str) -> None:
    """Refuses an address that contradicts the metadata beside it.

    Raises:
        RemoteProblem: `remote_address_invalid`.
    """
    scheme = address.partition("://")[0].lower()
    implied = "https" if scheme == "http" else SCHEMES.get(scheme, scheme)
    if implied != source_type and implied in _BUILT_IN:
        raise RemoteProblem(
            "remote_address_invalid",
            f"its `path` is an address of `{implied}`, but its `sourceType` is `{source_type}`",
            "leave `sourceType` out, or write the path alone",
            "path",
        )
    key = next((key for key in ("host", "url", "bucket", "container") if key in metadata), None)
    if implied == source_type and key is not None:
        raise RemoteProblem(
            "remote_address_invalid",
            f"its `path` is a whole address, and its metadata has `{key}`, too",
            f"remove `{key}`, or write the path alone",
            "path",
        )


def place_of(address: str, scheme: str, stores: Stores, region: str = "") -> Place | None:
    """Where an address with one of these schemes leads; None for another scheme.

    Raises:
        RemoteProblem: `remote_address_invalid`.
    """
    source_type = SCHEMES.get(scheme)
    if source_type is None:
        return None
    host, slash, path = address[len(scheme) + len("://") :].partition("/")
    in_azure = source_type == _AZURE
    if not slash or not path.strip("/"):
        raise RemoteProblem(
            "remote_address_invalid",
            "it names no file",
            f"write `{scheme}://{'container' if in_azure else 'bucket'}/path`",
        )
    told = {"bucket": host, "region": region}
    if in_azure:
        container, _, account = host.partition("@")
        # `account.blob.core.windows.net` is the account
        told = {"container": container, "account": account.partition(".")[0]}
    return _BUILT_IN[source_type].place(told, path, stores)
