"""Object stores: real requests to servers on this machine that speak their protocols.

moto stands for S3 and gcp-storage-emulator for Google Cloud Storage; both come with the extra
`remote-tests`. For Azure, Azurite has to be on the path (`npm install azurite`).
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
from bpp.pipeline import Limits, Run, Settings, render
from bpp.pipeline.values.settings import Stores
from bpp.pipeline.values.source import Source
from bpp.pipeline.world import effects
from bpp.pipeline.world.memory_files import MemoryFiles
from bpp.pipeline.world.remote import sources
from bpp.pipeline.world.remote.resolvers import SCHEMES
from support.harness import load_yaml

FILES = {
    "infra/core a.yaml": (
        b"version: 2023-04-20\n"
        b"include: {leaf: {path: ../lib/leaf.yaml}}\n"
        b"values: {name: {type: string, value: '${children.leaf.name}-${file(\"../lib/text\")}'}}\n"
        b"resources: {}\n"
        b"exports: {name: {type: string, field: values.name}}\n"
    ),
    "lib/leaf.yaml": (
        b"version: 2023-04-20\nvalues: {name: {type: string, value: leaf}}\nresources: {}\n"
        b"exports: {name: {type: string, field: values.name}}\n"
    ),
    "lib/text": b"text",
    "lib/empty": b"",
    "lib/large": b"x" * 60_001,
}
AZURITE = {
    "account": "devstoreaccount1",
    # every installation of the emulator has this key, which is printed in its documentation
    "key": "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsu"
    "Fq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
}


def rendered(metadata: str, path: str, stores: Stores, value: str = "x", **settings: Any) -> Run:
    text = (
        "version: 2023-04-20\n"
        f"include: {{core: {{path: '{path}', metadata: {{{metadata}}}}}}}\n"
        f"resources: {{a: {{type: x/y, spec: {{c: '${{children.core.name}}', v: '{value}'}}}}}}\n"
    )
    allowed = {"allow_net": ("127.0.0.1",), "limits": Limits(max_response_bytes=60_000)}
    return render(
        Source("app.yaml", text, "yaml"),
        files=MemoryFiles({}),
        settings=Settings(stores=stores, **{**allowed, **settings}),
    )


def only(run: Run) -> str:
    """All that the one error of a run says."""
    (item,) = [item for item in run.diagnostics if item.severity == "error"]
    return f"{item.code} {item.summary} / {item.hint}"


def holds(metadata: str, address: str, stores: Stores, empty: bool = True) -> None:
    """What holds for every store, with the files above in it."""
    path = "infra/core a.yaml"
    run = rendered(metadata, path, stores, f'${{file("{address}/lib/text")}}')
    assert run.ok, list(run.diagnostics)
    assert load_yaml(run.text())["resources"]["a"]["spec"] == {"c": "leaf-text", "v": "text"}
    assert sorted(run.contents) == sorted(
        f"{address}/{name}" for name in ("infra/core a.yaml", "lib/leaf.yaml", "lib/text")
    )
    if empty:
        nothing = rendered(metadata, path, stores, f'${{file("{address}/lib/empty")}}')
        assert load_yaml(nothing.text())["resources"]["a"]["spec"]["v"] == ""
    large = rendered(metadata, path, stores, f'${{file("{address}/lib/large")}}')
    assert "`max_response_bytes` allows (60000 bytes)" in only(large)
    missing = only(rendered(metadata, "infra/kore.yaml", stores))
    assert missing.startswith("remote_not_found ")
    assert f"`{address}/infra/kore.yaml`: the file does not exist" in missing
    closed = rendered(metadata, path, stores, allow_net=("localhost",))
    assert [item.code for item in closed.diagnostics] == ["include_not_opened"]


# --- servers ------------------------------------------------------------------------------------


class Started:
    """A server in a process of its own, ended with the test."""

    def __init__(self, arguments: Callable[[int], list[str]], folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.process = subprocess.Popen(
            arguments(self.port),
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def __enter__(self) -> Started:
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        self.__exit__()
        pytest.fail("the server does not start")

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(10)


@pytest.fixture(scope="module")
def amazon() -> Iterator[str]:
    """The address of a server that speaks S3."""
    moto = pytest.importorskip("moto.server", reason="the extra remote-tests is not installed")
    session = pytest.importorskip("botocore.session")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        endpoint = "http://{}:{}".format(*server.get_host_and_port())
        client = session.Session().create_client(
            "s3",
            region_name="us-east-1",
            endpoint_url=endpoint,
            aws_access_key_id="writer",
            aws_secret_access_key="writer",
        )
        client.create_bucket(Bucket="blueprints")
        for name, data in FILES.items():
            client.put_object(Bucket="blueprints", Key=name, Body=data)
        client.put_object(
            Bucket="blueprints", Key="public.yaml", Body=FILES["lib/leaf.yaml"], ACL="public-read"
        )
        yield endpoint
    finally:
        server.stop()


@pytest.fixture(scope="module")
def google(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that speaks the JSON API of Google Cloud Storage."""
    program = shutil.which("gcp-storage-emulator", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("gcp-storage-emulator is not installed")

    def arguments(port: int) -> list[str]:
        where = ["--host=127.0.0.1", f"--port={port}"]
        return [str(program), "start", *where, "--in-memory", "--default-bucket=blueprints"]

    with Started(arguments, tmp_path_factory.mktemp("google")) as server:
        endpoint = f"http://127.0.0.1:{server.port}"
        upload = f"{endpoint}/upload/storage/v1/b/blueprints/o?uploadType=media&name="
        for name, data in FILES.items():
            if not data:
                continue  # the emulator ends the connection instead of taking an empty file
            header = {"Content-Type": "text/plain"}
            urlopen(Request(upload + name.replace(" ", "%20"), data, header), timeout=10).close()
        yield endpoint


@pytest.fixture(scope="module")
def microsoft(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The connection string of a server that speaks Azure Blob Storage and checks signatures."""
    program = shutil.which("azurite-blob")
    if program is None:
        pytest.skip("azurite-blob is not on the path")
    blobs = pytest.importorskip("azure.storage.blob")

    def arguments(port: int) -> list[str]:
        where = ["--blobHost", "127.0.0.1", "--blobPort", str(port)]
        kind = ["--inMemoryPersistence", "--silent", "--skipApiVersionCheck"]
        return [str(program), *where, *kind]

    with Started(arguments, tmp_path_factory.mktemp("microsoft")) as server:
        connection = (
            f"DefaultEndpointsProtocol=http;AccountName={AZURITE['account']};"
            f"AccountKey={AZURITE['key']};"
            f"BlobEndpoint=http://127.0.0.1:{server.port}/{AZURITE['account']};"
        )
        service = blobs.BlobServiceClient.from_connection_string(connection)
        container = service.create_container("blueprints")
        for name, data in FILES.items():
            container.upload_blob(name, data)
        yield connection


# --- what holds ---------------------------------------------------------------------------------


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Credentials for S3 in the environment, and none elsewhere."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "reader")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))


@pytest.mark.usefixtures("keys")
def test_s3(amazon: str) -> None:
    metadata = "sourceType: aws/s3, bucket: blueprints, region: eu-west-1"
    holds(metadata, "s3://blueprints", Stores(s3_endpoint=amazon))


def test_s3_without_credentials(
    amazon: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    metadata = "sourceType: aws/s3, bucket: blueprints"
    stores = Stores(s3_endpoint=amazon)
    assert rendered(metadata, "public.yaml", stores).ok
    said = only(rendered(metadata, "lib/leaf.yaml", stores))
    assert said.startswith("remote_denied ")
    assert "answered with the status 403" in said


def test_google_cloud_storage(google: str) -> None:
    metadata = "sourceType: googlecloud/storage, bucket: blueprints"
    holds(metadata, "gs://blueprints", Stores(gcs_endpoint=google), empty=False)


def test_azure_blob_storage(microsoft: str) -> None:
    stores = Stores(azure_connection=microsoft)
    metadata = "sourceType: azure/blob, container: blueprints"
    holds(metadata, f"az://blueprints@{AZURITE['account']}", stores)
    wrong = Stores(azure_connection=microsoft.replace(AZURITE["key"], "d3Jvbmc="))
    said = only(rendered(metadata, "lib/leaf.yaml", wrong))
    assert said.startswith("remote_denied ")
    assert "your credentials may read it" in said


def test_azure_blob_storage_with_a_signature(microsoft: str) -> None:
    store = sources.azure_store("blueprints", None, Stores(azure_connection=microsoft))
    signed = store.signed("lib/leaf.yaml", {"clock": time.time})
    parts = urlsplit(signed.url)
    endpoint = f"{parts.scheme}://{parts.netloc}/{AZURITE['account']}"
    connection = f"BlobEndpoint={endpoint};AccountName={AZURITE['account']};"
    connection += f"SharedAccessSignature={parts.query}"
    metadata = "sourceType: azure/blob, container: blueprints"
    run = rendered(metadata, "lib/leaf.yaml", Stores(azure_connection=connection))
    assert run.ok, list(run.diagnostics)
    assert parts.query not in str(list(run.contents))
    # the signature is for one file
    assert only(rendered(metadata, "lib/text", Stores(azure_connection=connection)))


# --- addresses and signatures, without a server -------------------------------------------------


def test_the_schemes_that_effects_know_are_those_of_the_stores() -> None:
    # effects have a list of their own, so that a plain render loads no store
    assert set(SCHEMES) == effects._STORES


@pytest.mark.parametrize(
    ("bucket", "region", "stores", "url"),
    [
        ("acme", None, Stores(), "https://acme.s3.us-east-1.amazonaws.com/a/b%20c%2B%3F"),
        ("acme", "eu-west-1", Stores(), "https://acme.s3.eu-west-1.amazonaws.com/a/b%20c%2B%3F"),
        (
            "acme",
            "cn-north-1",
            Stores(),
            "https://acme.s3.cn-north-1.amazonaws.com.cn/a/b%20c%2B%3F",
        ),
        ("a.b.c", "x", Stores(), "https://s3.x.amazonaws.com/a.b.c/a/b%20c%2B%3F"),
        ("Old_one", "x", Stores(), "https://s3.x.amazonaws.com/Old_one/a/b%20c%2B%3F"),
        ("acme", None, Stores(s3_region="x"), "https://acme.s3.x.amazonaws.com/a/b%20c%2B%3F"),
        (
            "acme",
            "x",
            Stores(s3_endpoint="http://minio:9000/"),
            "http://minio:9000/acme/a/b%20c%2B%3F",
        ),
    ],
)
def test_addresses_of_s3(bucket: str, region: str | None, stores: Stores, url: str) -> None:
    store = sources.s3_store(bucket, region, stores)
    assert store.url("a/b c+?") == url
    assert store.identity("a/b c+?") == f"s3://{bucket}/a/b c+?"


@pytest.mark.usefixtures("keys")
def test_a_signature_is_in_the_headers_and_never_shown() -> None:
    pytest.importorskip("botocore.session", reason="the extra s3 is not installed")
    signed = sources.s3_store("acme", "eu-west-1", Stores()).signed("a b", {})
    assert signed.url == "https://acme.s3.eu-west-1.amazonaws.com/a%20b"
    assert "Credential=reader/" in signed.headers["Authorization"]
    assert "/eu-west-1/s3/aws4_request" in signed.headers["Authorization"]
    assert "Signature" not in repr(signed)
    assert "amazonaws" not in repr(signed)


def test_addresses_of_google() -> None:
    store = sources.gcs_store("acme", Stores())
    assert store.url("a/b c") == (
        "https://storage.googleapis.com/storage/v1/b/acme/o/a%2Fb%20c?alt=media"
    )
    emulated = sources.gcs_store("acme", Stores(gcs_endpoint="localhost:9023"))
    assert emulated.url("a").startswith("http://localhost:9023/storage/v1/")
    assert emulated.own_host == "localhost"
    assert store.own_host == ""


@pytest.mark.parametrize(
    ("account", "stores", "url", "own_host"),
    [
        ("acme", Stores(), "https://acme.blob.core.windows.net/box/a%20b", ""),
        (None, Stores(azure_account="acme"), "https://acme.blob.core.windows.net/box/a%20b", ""),
        (
            "acme",
            Stores(azure_connection="AccountName=other;AccountKey=k;EndpointSuffix=x.net"),
            "https://acme.blob.core.windows.net/box/a%20b",
            "",
        ),
        (
            None,
            Stores(azure_connection="AccountName=acme;AccountKey=k==;EndpointSuffix=x.net"),
            "https://acme.blob.x.net/box/a%20b",
            "acme.blob.x.net",
        ),
        (
            None,
            Stores(azure_connection="AccountName=acme;EndpointSuffix=core.windows.net"),
            "https://acme.blob.core.windows.net/box/a%20b",
            "",
        ),
        (
            None,
            Stores(
                azure_connection="BlobEndpoint=https://acme.blob.core.windows.net/;"
                "SharedAccessSignature=?sv=1&sig=x"
            ),
            "https://acme.blob.core.windows.net/box/a%20b",
            "",
        ),
    ],
)
def test_addresses_of_azure(account: str | None, stores: Stores, url: str, own_host: str) -> None:
    store = sources.azure_store("box", account, stores)
    assert store.url("a b") == url
    assert store.own_host == own_host
    assert store.identity("a b") == f"az://box@{store.account}/a b"
    if "sig=x" in stores.azure_connection:
        assert store.signed("a b", {}).url == f"{url}?sv=1&sig=x"
    for secret in ("k==", "sig=x"):
        assert secret not in repr(store)
        assert secret not in repr(stores)


@pytest.mark.parametrize(
    ("metadata", "extra"),
    [
        ("sourceType: aws/s3, bucket: acme", "s3"),
        ("sourceType: googlecloud/storage, bucket: acme", "gcs"),
        ("sourceType: azure/blob, container: box, account: acme", "azure"),
    ],
)
def test_an_extra_that_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, metadata: str, extra: str
) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(sources, "import_module", missing)
    allowed = ("*.amazonaws.com", "storage.googleapis.com", "*.windows.net")
    said = only(rendered(metadata, "a.yaml", Stores(), allow_net=allowed))
    assert said.startswith("remote_extra_missing ")
    assert f'`pip install "blueprint-preprocessor[{extra}]"`' in said


def test_credentials_that_take_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    class Session:
        def get_credentials(self) -> None:
            time.sleep(5)

    class Module:
        def __init__(self, name: str) -> None:
            self.Session = Session
            self.AWSRequest = lambda method, url: None

    monkeypatch.setattr(sources, "import_module", Module)
    start = time.monotonic()
    limits = Limits(fetch_seconds=1)
    metadata = "sourceType: aws/s3, bucket: acme"
    allowed = ("*.amazonaws.com",)
    said = only(rendered(metadata, "a", Stores(), allow_net=allowed, limits=limits))
    assert time.monotonic() - start < 3
    assert said.startswith("remote_failed ")
    assert "credentials for it took longer than `fetch_seconds` (1 s)" in said


def test_credentials_that_cannot_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    class Session:
        def get_credentials(self) -> None:
            raise RuntimeError("hunter2 has expired")

    class Module:
        def __init__(self, name: str) -> None:
            self.Session = Session
            self.AWSRequest = lambda method, url: None

    monkeypatch.setattr(sources, "import_module", Module)
    metadata = "sourceType: aws/s3, bucket: acme"
    said = only(rendered(metadata, "a", Stores(), allow_net=("*.amazonaws.com",)))
    assert said.startswith("remote_denied ")
    assert "(RuntimeError)" in said
    assert "hunter2" not in said
