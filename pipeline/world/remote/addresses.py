"""Files in object stores by their address, as `file("s3://bucket/key")` names them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from ...values.settings import Stores
from . import azure, gcs, s3
from .problems import RemoteProblem
from .store import Place, joined


def _s3(host: str, path: str, stores: Stores) -> Place:
    return Place(s3.store(host, None, stores), joined("", path))


def _gcs(host: str, path: str, stores: Stores) -> Place:
    return Place(gcs.store(host, stores), joined("", path))


def _azure(host: str, path: str, stores: Stores) -> Place:
    container, _, account = host.partition("@")
    account = account.partition(".")[0]  # `account.blob.core.windows.net` is the account
    return Place(azure.store(container, account, stores), joined("", path))


SCHEMES: Final[Mapping[str, Callable[[str, str, Stores], Place]]] = {
    "s3": _s3,
    "gs": _gcs,
    "gcs": _gcs,
    "az": _azure,
    "azure": _azure,
    "azureblob": _azure,
}


def place_of(address: str, scheme: str, stores: Stores) -> Place | None:
    """Where an address with one of these schemes leads; None for another scheme.

    Raises:
        RemoteProblem: `remote_address_invalid`.
    """
    make = SCHEMES.get(scheme)
    if make is None:
        return None
    host, slash, path = address[len(scheme) + len("://") :].partition("/")
    if not slash or not path.strip("/"):
        raise RemoteProblem(
            "remote_address_invalid",
            "it does not name a file",
            f"write `{scheme}://{'container' if make is _azure else 'bucket'}/path`",
        )
    return make(host, path, stores)
