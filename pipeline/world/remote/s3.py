"""Files in Amazon S3 and in what speaks its protocol: `sourceType: aws/s3`, `s3://`.

The request is an ordinary one, so it goes through the same door as every other; botocore finds the
credentials (environment, profiles, single sign-on, roles) and signs it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote, urlsplit

from ....functions.record import Record
from ...values.settings import Stores
from .store import Place, Signed, joined, library, missing_key, sought, wrong_key

KEYS: Final = ("bucket", "region")
EXTRA: Final = "s3"

_BUCKET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]")
_AS_HOST: Final = re.compile(r"[a-z0-9][a-z0-9-]{1,61}[a-z0-9]")
_REGION: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,40}")


class S3Store(Record):
    """A bucket; `endpoint` is a server that the user has set up instead of Amazon's."""

    bucket: str
    region: str
    endpoint: str = ""

    @property
    def own_host(self) -> str:
        """The host of `endpoint`."""
        return urlsplit(self.endpoint).hostname or ""

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
        session = library("botocore.session", EXTRA)
        auth = library("botocore.auth", EXTRA)
        request = library("botocore.awsrequest", EXTRA).AWSRequest("GET", self.url(path))
        if "s3" not in kept:
            kept["s3"] = sought(lambda: session.Session().get_credentials())
        credentials = kept["s3"]
        if credentials is None:
            return Signed(request.url)
        frozen = sought(credentials.get_frozen_credentials)
        sought(lambda: auth.S3SigV4Auth(frozen, "s3", self.region).add_auth(request))
        return Signed(request.url, dict(request.headers.items()))


def place(metadata: Mapping[str, str], path: str, stores: Stores) -> Place:
    """Where the metadata and the path of an include lead: `bucket`, and `region` if need be.

    Raises:
        RemoteProblem: `remote_address_invalid`.
    """
    if "bucket" not in metadata:
        raise missing_key("bucket", metadata, "the bucket")
    return Place(store(metadata["bucket"], metadata.get("region"), stores), joined("", path))


def store(bucket: str, region: str | None, stores: Stores) -> S3Store:
    """A bucket.

    Raises:
        RemoteProblem: `remote_address_invalid` for an invalid name of a bucket or region.
    """
    if not _BUCKET.fullmatch(bucket) or ".." in bucket:
        raise wrong_key("bucket", "the name of a bucket")
    region = region or stores.s3_region or "us-east-1"
    if not _REGION.fullmatch(region):
        raise wrong_key("region", "the name of a region")
    return S3Store(bucket, region, stores.s3_endpoint.rstrip("/"))
