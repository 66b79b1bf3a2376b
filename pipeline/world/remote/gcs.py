"""Files in Google Cloud Storage: `sourceType: googlecloud/storage`, `gs://`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote, urlsplit

from ....functions.record import Record
from ...values.settings import Stores
from .store import Place, Signed, joined, library, missing_key, sought, wrong_key

KEYS: Final = ("bucket",)
EXTRA: Final = "gcs"

_ENDPOINT: Final = "https://storage.googleapis.com"
_SCOPE: Final = "https://www.googleapis.com/auth/devstorage.read_only"
_BUCKET: Final = re.compile(r"[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]")


class GcsStore(Record):
    """A bucket; `endpoint` is an emulator that the user has set up, asked without a token."""

    bucket: str
    endpoint: str = ""

    @property
    def own_host(self) -> str:
        """The host of `endpoint`."""
        return urlsplit(self.endpoint).hostname or ""

    def identity(self, path: str) -> str:
        """`gs://bucket/name`."""
        return f"gs://{self.bucket}/{path}"

    def url(self, path: str) -> str:
        """The address of an object in the JSON API."""
        name = quote(path, safe="~")
        return f"{self.endpoint or _ENDPOINT}/storage/v1/b/{self.bucket}/o/{name}?alt=media"

    def signed(self, path: str, kept: dict[str, Any]) -> Signed:
        """The request with a token, or without one where there are no credentials."""
        if self.endpoint:
            return Signed(self.url(path))
        auth = library("google.auth", EXTRA)
        problems = library("google.auth.exceptions", EXTRA)
        transport = library("google.auth.transport.requests", EXTRA)
        if "gcs" not in kept:
            try:
                kept["gcs"] = sought(
                    lambda: auth.default(scopes=[_SCOPE])[0], problems.DefaultCredentialsError
                )
            except problems.DefaultCredentialsError:
                kept["gcs"] = None
        credentials = kept["gcs"]
        if credentials is None:
            return Signed(self.url(path))
        if not credentials.valid:
            sought(lambda: credentials.refresh(transport.Request()))
        return Signed(self.url(path), {"Authorization": f"Bearer {credentials.token}"})


def place(metadata: Mapping[str, str], path: str, stores: Stores) -> Place:
    """Where the metadata and the path of an include lead: `bucket`.

    Raises:
        RemoteProblem: `remote_address_invalid`.
    """
    if "bucket" not in metadata:
        raise missing_key("bucket", metadata, "the bucket")
    return Place(store(metadata["bucket"], stores), joined("", path))


def store(bucket: str, stores: Stores) -> GcsStore:
    """A bucket.

    Raises:
        RemoteProblem: `remote_address_invalid` for an invalid name of a bucket.
    """
    if not _BUCKET.fullmatch(bucket) or ".." in bucket:
        raise wrong_key("bucket", "the name of a bucket")
    endpoint = stores.gcs_endpoint.rstrip("/")
    if endpoint and "://" not in endpoint:
        endpoint = f"http://{endpoint}"  # as Google's own libraries read it
    return GcsStore(bucket, endpoint)
