"""Files in Azure Blob Storage: `sourceType: azure/blob`, `az://`.

Credentials are those of a connection string (an account's key or a shared access signature), else
those that azure-identity finds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote, urlsplit

from ....functions.record import Record, field
from ...values.settings import Stores
from .store import Place, RemoteProblem, Signed, joined, library, missing_key, sought, wrong_key

KEYS: Final = ("container", "storageAccountName", "account")
EXTRA: Final = "azure"

_VERSION: Final = "2021-08-06"
_SCOPE: Final = "https://storage.azure.com/.default"
_CONTAINER: Final = re.compile(r"\$root|\$web|[a-z0-9](?:-?[a-z0-9]){2,62}")
_ACCOUNT: Final = re.compile(r"[a-z0-9]{3,24}")
_LIFETIME: Final = 600


class AzureStore(Record):
    """A container of an account; `endpoint`, `key` and `signature` are from a connection string."""

    account: str
    container: str
    endpoint: str = ""
    key: str = field(default="", repr=False)
    signature: str = field(default="", repr=False)

    @property
    def own_host(self) -> str:
        """The host of `endpoint`."""
        return urlsplit(self.endpoint).hostname or ""

    def identity(self, path: str) -> str:
        """`az://container@account/name`."""
        return f"az://{self.container}@{self.account}/{path}"

    def url(self, path: str) -> str:
        """The address of a blob."""
        base = self.endpoint or f"https://{self.account}.blob.core.windows.net"
        return f"{base}/{self.container}/{quote(path, safe='/~')}"

    def signed(self, path: str, kept: dict[str, Any]) -> Signed:
        """The request with a signature or a token, or without where there are no credentials."""
        version = {"x-ms-version": _VERSION}
        if self.signature:
            return Signed(f"{self.url(path)}?{self.signature}", version)
        if self.key:
            return Signed(f"{self.url(path)}?{self._own_signature(path, kept)}", version)
        identity = library("azure.identity", EXTRA)
        problems = library("azure.core.exceptions", EXTRA)
        if "azure" not in kept:
            kept["azure"] = sought(identity.DefaultAzureCredential)
        credential = kept["azure"]
        if credential is None:
            return Signed(self.url(path), version)
        try:
            token = sought(
                lambda: credential.get_token(_SCOPE).token, problems.ClientAuthenticationError
            )
        except problems.ClientAuthenticationError:
            kept["azure"] = None
            return Signed(self.url(path), version)
        return Signed(self.url(path), {**version, "Authorization": f"Bearer {token}"})

    def _own_signature(self, path: str, kept: dict[str, Any]) -> str:
        """A shared access signature for one blob, to read it for a few minutes."""
        from datetime import UTC, datetime

        blobs = library("azure.storage.blob", EXTRA)
        expiry = datetime.fromtimestamp(kept["clock"]() + _LIFETIME, UTC)
        return str(
            sought(
                lambda: blobs.generate_blob_sas(
                    self.account,
                    self.container,
                    path,
                    account_key=self.key,
                    permission=blobs.BlobSasPermissions(read=True),
                    expiry=expiry,
                )
            )
        )


def place(metadata: Mapping[str, str], path: str, stores: Stores) -> Place:
    """Where the metadata and the path of an include lead: `container`, and the account.

    Raises:
        RemoteProblem: `remote_address_invalid`.
    """
    if "container" not in metadata:
        raise missing_key("container", metadata, "the container")
    account = metadata.get("storageAccountName") or metadata.get("account")
    return Place(store(metadata["container"], account, stores), joined("", path))


def store(container: str, account: str | None, stores: Stores) -> AzureStore:
    """A container.

    Raises:
        RemoteProblem: `remote_address_invalid` for an invalid name of a container or account, and
            when nothing says which account is meant.
    """
    if not _CONTAINER.fullmatch(container):
        raise wrong_key("container", "the name of a container")
    connection = _connection(stores.azure_connection)
    usual = connection.get("accountname", "")
    account = account or stores.azure_account or usual
    if not account:
        raise RemoteProblem(
            "remote_address_invalid",
            "its metadata has no `storageAccountName`, and no account is set up",
            "add `storageAccountName`, or set AZURE_STORAGE_ACCOUNT",
        )
    if not _ACCOUNT.fullmatch(account):
        raise wrong_key("storageAccountName", "the name of a storage account")
    if account != usual:
        return AzureStore(account, container)
    return AzureStore(
        account,
        container,
        _endpoint(connection, account),
        connection.get("accountkey", ""),
        connection.get("sharedaccesssignature", "").lstrip("?"),
    )


def _connection(text: str) -> dict[str, str]:
    """The parts of a connection string, by their names in lower case."""
    parts = (part.partition("=") for part in text.split(";") if "=" in part)
    found = {name.strip().lower(): value.strip() for name, _, value in parts}
    endpoint = found.get("blobendpoint", "").rstrip("/")
    if endpoint and "accountname" not in found:
        # a string with a signature names the account in the host only
        found["accountname"] = (urlsplit(endpoint).hostname or "").partition(".")[0]
    return found


def _endpoint(connection: Mapping[str, str], account: str) -> str:
    given = connection.get("blobendpoint", "").rstrip("/")
    usual = f"https://{account}.blob.core.windows.net"
    if given == usual:
        return ""  # only another server than the usual one is the user's own
    suffix = connection.get("endpointsuffix")
    if given or not suffix:
        return given
    made = f"{connection.get('defaultendpointsprotocol', 'https')}://{account}.blob.{suffix}"
    return "" if made == usual else made
