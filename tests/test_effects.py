"""What functions see of the world."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from uuid import uuid4

import pytest
from bpp.functions.registry import Environment
from bpp.functions.values import FunctionError
from bpp.pipeline.values.settings import (
    SECRETS_KEEP,
    SECRETS_MASK,
    SECRETS_REVEAL,
    Settings,
    Stores,
)
from bpp.pipeline.world import network
from bpp.pipeline.world.effects import Effects
from bpp.pipeline.world.memory_files import MemoryFiles
from bpp.pipeline.world.network import NetworkProblem

FILES = MemoryFiles({"/w/app/data.txt": "data", "/w/b c.txt": "blank"}, cwd="/w")


def effects(**settings: object) -> Effects:
    """The environment of a blueprint in `/w/app`."""
    return Effects(Settings(**settings), FILES, "/w/app")  # type: ignore[arg-type]


def test_effects_are_an_environment() -> None:
    environment: Environment = effects()
    assert environment.cwd() == "/w"


def test_nothing_is_allowed_that_nobody_has_asked_for() -> None:
    assert Settings() == Settings(
        strict=False,
        secrets="keep",
        now=None,
        seed=None,
        allow_net=(),
        allow_path=(),
        keep_transform=(),
        strict_vars=False,
        keep_remote_includes=True,
        substr_end_exclusive=False,
        lock=None,
        use_lock=True,
        offline=False,
        cache=None,
        stores=Stores("", "", "", "", ""),
    )
    assert (SECRETS_KEEP, SECRETS_MASK, SECRETS_REVEAL) == ("keep", "mask", "reveal")
    # it holds a key
    assert "hunter2" not in repr(Settings(stores=Stores(azure_connection="hunter2")))


def test_the_clock_is_asked_once() -> None:
    one = effects()
    before = time.time()
    first = one.now()
    assert before <= first <= time.time()
    time.sleep(0.01)
    assert one.now() == one.beside("/w").now() == first
    assert effects(now=12.5).now() == 12.5
    assert effects(now=0.0).now() == 0.0


def test_ids_are_version_4_and_differ() -> None:
    ids = [effects().uuid() for _ in range(50)]
    assert len(set(ids)) == 50
    form = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    assert all(re.fullmatch(form, text) for text in ids)


def test_a_seed_makes_ids_reproducible() -> None:
    one, two = effects(seed=7), effects(seed=7)
    ids = [one.uuid(), one.beside("/w").uuid(), one.uuid()]
    assert ids == [two.uuid(), two.uuid(), two.uuid()]
    assert len(set(ids)) == 3
    assert ids[0] == "38b4e652-e44d-47f2-b70d-9e260e271365"
    assert effects(seed=8).uuid() not in ids


@pytest.mark.parametrize(
    "path",
    ["data.txt", "./data.txt", "/w/app/data.txt", "file:///w/app/data.txt", "FILE://data.txt"],
)
def test_paths_start_at_the_blueprint(path: str) -> None:
    assert effects().read(path) == b"data"


def test_addresses_of_files_are_decoded() -> None:
    assert effects().read("file:///w/b%20c.txt") == b"blank"
    assert effects().read("file://localhost/w/b%20c.txt") == b"blank"
    assert effects().beside("/w").read("b c.txt") == b"blank"


@pytest.mark.parametrize(
    ("path", "code", "words"),
    [
        ("data.tx", "file_not_found", "`data.tx` does not exist"),
        (
            "s3://bucket/key",
            "network_not_allowed",
            "`bucket.s3.us-east-1.amazonaws.com` is not an allowed host",
        ),
        ("s3://bucket", "remote_address_invalid", "names no file"),
        ("gs://b/../key", "remote_address_invalid", "not the name of a bucket"),
        ("gs://bucket/../key", "remote_address_invalid", "leads outside its source"),
        ("gcs://b/../key", "remote_address_invalid", "not the name of a bucket"),
        ("az://box/key", "remote_address_invalid", "no account is set up"),
        ("azure://box/key", "remote_address_invalid", "no account is set up"),
        ("AzureBlob://box/key", "remote_address_invalid", "no account is set up"),
        (
            "az://box@acme/key",
            "network_not_allowed",
            "`acme.blob.core.windows.net` is not an allowed host",
        ),
        ("ftp://host/key", "effect_not_allowed", "not `ftp` addresses"),
        ("https://example.com/x", "effect_not_allowed", "`file` reads local files and"),
    ],
)
def test_what_cannot_be_read(path: str, code: str, words: str) -> None:
    with pytest.raises(FunctionError, match=words) as caught:
        effects().read(path)
    assert caught.value.code == code
    assert caught.value.hint is not None
    if code == "remote_address_invalid" or path.startswith("s3:"):
        assert caught.value.message.startswith(f"`{path}` cannot be fetched: ")


@pytest.mark.parametrize("path", ["s3:/bucket/key", "s3//bucket", "a b://c", "3s://bucket/key"])
def test_what_is_no_address_is_a_path(path: str) -> None:
    assert refused(effects().read, path) == ("file_not_found", f"`{path}` does not exist")


def test_the_network_is_off() -> None:
    with pytest.raises(FunctionError, match="is not an allowed host") as caught:
        effects().fetch("https://example.com/")
    assert caught.value.code == "network_not_allowed"


def test_what_is_fetched_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def fetch(url: str, *arguments: object, **named: object) -> bytes:
        asked.append((url, *arguments))
        if "bad" in url:
            raise NetworkProblem("network_failed", "no", "hint")
        return b"body"

    monkeypatch.setattr(network, "fetch", fetch)
    one = effects(allow_net=("a",))
    assert one.fetch("http://a/") == one.beside("/w").fetch("http://a/") == b"body"
    assert asked == [("http://a/", ("a",), Settings().limits)]
    with pytest.raises(FunctionError) as caught:
        one.fetch("http://a/bad")
    assert (caught.value.code, caught.value.message, caught.value.hint) == (
        "network_failed",
        "no",
        "hint",
    )


SOME_ID = "00000000-0000-4000-8000-000000000000"


def refused(ask: Callable[[str], bytes], text: str) -> tuple[str, str]:
    """The code and the message with which something is not asked for."""
    with pytest.raises(FunctionError) as caught:
        ask(text)
    return caught.value.code, caught.value.message


def test_only_what_was_rehearsed_is_asked_for_once_secrets_are_known() -> None:
    one = effects(seed=7)
    assert not one.holds_secret("hunter22")
    one.withhold([])
    assert refused(one.read, "data.txt") == ("secret_not_allowed", "the path depends on a secret")
    assert one.rehearsing().read("data.txt") == one.read("data.txt") == b"data"
    assert refused(one.read, "/w/b c.txt")[0] == "secret_not_allowed"
    # an id is another one each time
    assert one.rehearsing().uuid() == SOME_ID
    refused(one.rehearsing().read, f"{SOME_ID}.txt")
    drawn, other = one.uuid(), str(uuid4())
    assert refused(one.read, f"{drawn}.txt")[0] == "file_not_found"
    assert refused(one.read, f"{other}.txt")[0] == "secret_not_allowed"


@pytest.mark.parametrize(
    ("way", "text", "what"),
    [
        ("read", "hunter22.txt", "path"),
        ("read", "file:///hunter22", "path"),
        ("read", "s3://bucket/hunter22", "address"),
        ("fetch", "http://a.example/?q=hunter22", "address"),
    ],
)
def test_what_holds_a_secret_is_never_asked_for(way: str, text: str, what: str) -> None:
    one = effects(allow_net=("a.example", "*.amazonaws.com"))
    one.withhold(["hunter22"])
    assert list(one.withheld) == ["hunter22"]
    assert one.holds_secret("x-hunter22-y")
    assert not one.holds_secret("hunter2")
    assert refused(getattr(one, way), text)[1].endswith(" depends on a secret")
    for ask in (one.rehearsing(), one, one.beside("/w")):
        assert refused(getattr(ask, way), text) == (
            "secret_not_allowed",
            f"the {what} holds a secret",
        )
