"""What functions see of the world."""

from __future__ import annotations

import re
import time

import pytest
from bpp.functions.registry import Environment
from bpp.functions.values import FunctionError
from bpp.pipeline import network
from bpp.pipeline.effects import Effects
from bpp.pipeline.memory_files import MemoryFiles
from bpp.pipeline.network import NetworkProblem
from bpp.pipeline.settings import Settings

FILES = MemoryFiles({"/w/app/data.txt": "data", "/w/b c.txt": "blank"}, cwd="/w")


def effects(**settings: object) -> Effects:
    """The environment of a blueprint in `/w/app`."""
    return Effects(Settings(**settings), FILES, "/w/app")  # type: ignore[arg-type]


def test_effects_are_an_environment() -> None:
    environment: Environment = effects()
    assert environment.cwd() == "/w"


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
            "`bucket.s3.us-east-1.amazonaws.com` is not among",
        ),
        ("s3://bucket", "remote_address_invalid", "does not name a file"),
        ("gs://b/../key", "remote_address_invalid", "not the name of a bucket"),
        ("gs://bucket/../key", "remote_address_invalid", "leads out of the source"),
        ("az://box/key", "remote_address_invalid", "no account is set up"),
        ("az://box@acme/key", "network_not_allowed", "`acme.blob.core.windows.net` is not among"),
        ("ftp://host/key", "effect_not_allowed", "not `ftp` addresses"),
        ("https://example.com/x", "effect_not_allowed", "`file` reads local files and"),
    ],
)
def test_what_cannot_be_read(path: str, code: str, words: str) -> None:
    with pytest.raises(FunctionError, match=words) as caught:
        effects().read(path)
    assert caught.value.code == code
    assert caught.value.hint is not None


def test_the_network_is_off() -> None:
    with pytest.raises(FunctionError, match="the network may not be used") as caught:
        effects().fetch("https://example.com/")
    assert caught.value.code == "network_not_allowed"


def test_what_is_fetched_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def fetch(url: str, *arguments: object) -> bytes:
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
