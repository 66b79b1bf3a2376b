"""The built-in remote sources: web servers and object stores.

The requests are ordinary ones, so they go through the same door as every other. The libraries of
object stores find credentials (environment, profiles, single sign-on, roles) and sign; they are
loaded when they are needed. Their errors are never quoted, because they could hold a secret.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final, TypeVar
from urllib.parse import quote, urlsplit

from ....functions.record import Record, field
from ...values.settings import Stores
from .store import Place, RemoteProblem, Signed, joined, missing_key

T = TypeVar("T")

_SAFE: Final = "/%:@!$&'()*+,;=~"
_S3_BUCKET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]")
_AS_HOST: Final = re.compile(r"[a-z0-9][a-z0-9-]{1,61}[a-z0-9]")
_REGION: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,40}")
_GCS: Final = "https://storage.googleapis.com"
_GCS_SCOPE: Final = "https://www.googleapis.com/auth/devstorage.read_only"
_GCS_BUCKET: Final = re.compile(r"[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]")
_AZURE_VERSION: Final = "2021-08-06"
_AZURE_SCOPE: Final = "https://storage.azure.com/.default"
_CONTAINER: Final = re.compile(r"\$root|\$web|[a-z0-9](?:-?[a-z0-9]){2,62}")
_ACCOUNT: Final = re.compile(r"[a-z0-9]{3,24}")
_LIFETIME: Final = 600


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


def web_place(metadata: Mapping[str, str], path: str, _: Stores) -> Place:
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
    path, query = path.partition("?")[::2]
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


def library(name: str, extra: str) -> Any:
    """A module of a library that an extra of bpp brings.

    Raises:
        RemoteProblem: `remote_extra_missing`.
    """
    try:
        return import_module(name)
    except ImportError:
        raise RemoteProblem(
            "remote_extra_missing",
            f"the packages for it are not installed (the extra `{extra}`)",
            f'install them with `pip install "blueprint-preprocessor[{extra}]"`',
        ) from None


def sought(call: Callable[[], T], *expected: type[Exception]) -> T:
    """The answer of a library about credentials; expected errors are left to the caller.

    Raises:
        RemoteProblem: `remote_denied` for any other error.
    """
    try:
        return call()
    except expected:
        raise
    except Exception as error:
        raise RemoteProblem(
            "remote_denied",
            f"the credentials that are set up for it cannot be used ({type(error).__name__})",
            "log in again, or unset what does not apply",
        ) from None


class _ObjectStore(Record):
    """A store; `endpoint` is a server that the user has set up instead of the usual one."""

    endpoint: str

    @property
    def own_host(self) -> str:
        """The host of `endpoint`."""
        return urlsplit(self.endpoint).hostname or ""


class S3Store(_ObjectStore):
    """A bucket in Amazon S3, or in what speaks its protocol."""

    bucket: str
    region: str

    def identity(self, path: str) -> str:
        """`s3://bucket/key`."""
        return f"s3://{self.bucket}/{path}"

    def url(self, path: str) -> str:
        """The address of an object, with the bucket in the host where it can be one."""
        key = quote(path, safe="/~")
        if self.endpoint:
            return f"{self.endpoint}/{self.bucket}/{key}"
        tail = "amazonaws.com.cn" if self.region.startswith("cn-") else "amazonaws.com"
        host = f"s3.{self.region}.{tail}"
        if _AS_HOST.fullmatch(self.bucket):
            return f"https://{self.bucket}.{host}/{key}"
        return f"https://{host}/{self.bucket}/{key}"

    def signed(self, path: str, kept: dict[str, Any]) -> Signed:
        """The request with a signature, or without one where there are no credentials."""
        session = library("botocore.session", "s3")
        auth = library("botocore.auth", "s3")
        request = library("botocore.awsrequest", "s3").AWSRequest("GET", self.url(path))
        if "s3" not in kept:
            kept["s3"] = sought(lambda: session.Session().get_credentials())
        credentials = kept["s3"]
        if credentials is None:
            return Signed(request.url)
        frozen = sought(credentials.get_frozen_credentials)
        sought(lambda: auth.S3SigV4Auth(frozen, "s3", self.region).add_auth(request))
        return Signed(request.url, dict(request.headers.items()))


def s3_store(bucket: str, region: str | None, stores: Stores) -> S3Store:
    """A bucket in S3.

    Raises:
        RemoteProblem: `remote_address_invalid` for an invalid name of a bucket or region.
    """
    if not _S3_BUCKET.fullmatch(bucket) or ".." in bucket:
        raise wrong_key("bucket", "the name of a bucket")
    region = region or stores.s3_region or "us-east-1"
    if not _REGION.fullmatch(region):
        raise wrong_key("region", "the name of a region")
    return S3Store(stores.s3_endpoint.rstrip("/"), bucket, region)


class GcsStore(_ObjectStore):
    """A bucket in Google Cloud Storage; `endpoint` is an emulator, asked without a token."""

    bucket: str

    def identity(self, path: str) -> str:
        """`gs://bucket/name`."""
        return f"gs://{self.bucket}/{path}"

    def url(self, path: str) -> str:
        """The address of an object in the JSON API."""
        name = quote(path, safe="~")
        return f"{self.endpoint or _GCS}/storage/v1/b/{self.bucket}/o/{name}?alt=media"

    def signed(self, path: str, kept: dict[str, Any]) -> Signed:
        """The request with a token, or without one where there are no credentials."""
        if self.endpoint:
            return Signed(self.url(path))
        auth = library("google.auth", "gcs")
        problems = library("google.auth.exceptions", "gcs")
        transport = library("google.auth.transport.requests", "gcs")
        if "gcs" not in kept:
            try:
                kept["gcs"] = sought(
                    lambda: auth.default(scopes=[_GCS_SCOPE])[0], problems.DefaultCredentialsError
                )
            except problems.DefaultCredentialsError:
                kept["gcs"] = None
        credentials = kept["gcs"]
        if credentials is None:
            return Signed(self.url(path))
        if not credentials.valid:
            sought(lambda: credentials.refresh(transport.Request()))
        return Signed(self.url(path), {"Authorization": f"Bearer {credentials.token}"})


def gcs_store(bucket: str, stores: Stores) -> GcsStore:
    """A bucket in Google Cloud Storage.

    Raises:
        RemoteProblem: `remote_address_invalid` for an invalid name of a bucket.
    """
    if not _GCS_BUCKET.fullmatch(bucket) or ".." in bucket:
        raise wrong_key("bucket", "the name of a bucket")
    endpoint = stores.gcs_endpoint.rstrip("/")
    if endpoint and "://" not in endpoint:
        endpoint = f"http://{endpoint}"  # as Google's own libraries read it
    return GcsStore(endpoint, bucket)


class AzureStore(_ObjectStore):
    """A container of an account in Azure Blob Storage.

    `endpoint`, `key` and `signature` are those of a connection string: the key of the account, or
    a shared access signature. Without them azure-identity finds credentials.
    """

    account: str
    container: str
    key: str = field(default="", repr=False)
    signature: str = field(default="", repr=False)

    def identity(self, path: str) -> str:
        """`az://container@account/name`."""
        return f"az://{self.container}@{self.account}/{path}"

    def url(self, path: str) -> str:
        """The address of a blob."""
        base = self.endpoint or f"https://{self.account}.blob.core.windows.net"
        return f"{base}/{self.container}/{quote(path, safe='/~')}"

    def signed(self, path: str, kept: dict[str, Any]) -> Signed:
        """The request with a signature or a token, or without where there are no credentials."""
        version = {"x-ms-version": _AZURE_VERSION}
        if self.signature:
            return Signed(f"{self.url(path)}?{self.signature}", version)
        if self.key:
            return Signed(f"{self.url(path)}?{self._own_signature(path, kept)}", version)
        identity = library("azure.identity", "azure")
        problems = library("azure.core.exceptions", "azure")
        if "azure" not in kept:
            kept["azure"] = sought(identity.DefaultAzureCredential)
        credential = kept["azure"]
        if credential is None:
            return Signed(self.url(path), version)
        try:
            token = sought(
                lambda: credential.get_token(_AZURE_SCOPE).token, problems.ClientAuthenticationError
            )
        except problems.ClientAuthenticationError:
            kept["azure"] = None
            return Signed(self.url(path), version)
        return Signed(self.url(path), {**version, "Authorization": f"Bearer {token}"})

    def _own_signature(self, path: str, kept: dict[str, Any]) -> str:
        """A shared access signature for one blob, to read it for a few minutes."""
        from datetime import UTC, datetime

        blobs = library("azure.storage.blob", "azure")
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


def azure_store(container: str, account: str | None, stores: Stores) -> AzureStore:
    """A container in Azure Blob Storage.

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
        return AzureStore("", account, container)
    return AzureStore(
        _endpoint(connection, account),
        account,
        container,
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


def wrong_key(key: str, what: str) -> RemoteProblem:
    """The problem of metadata, or of an address, with a value that cannot be."""
    return RemoteProblem(
        "remote_address_invalid",
        f"its `{key}` is not {what}",
        "such a name has at least 3 characters: letters, digits, `-`, `.` and `_`",
        key,
    )
