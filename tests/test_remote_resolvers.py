"""Resolvers: registered by the caller, installed as a package, and what can be wrong with them."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bpp.pipeline import ChildRequest, Limits, ResolverError, Run, Settings, render
from bpp.pipeline.values.source import Source
from bpp.pipeline.world import plugins
from bpp.pipeline.world.memory_files import MemoryFiles
from bpp.pipeline.world.remote.resolvers import Resolvers
from support.harness import load_yaml

LEAF = """\
version: 2023-04-20
values: {name: {type: string, value: leaf}}
resources: {}
exports: {name: {type: string, field: values.name}}
"""
PARENT = """\
version: 2023-04-20
include: {core: {path: infra/core.yaml, metadata: {sourceType: git, ref: v2, deep: [1]}}}
resources: {a: {type: x/y, spec: {v: "${children.core.name}"}}}
"""
LIMITS = Limits(fetch_seconds=2, max_response_bytes=5000)


def rendered(text: str, resolvers: Any = None, **settings: Any) -> Run:
    return render(
        Source("app.yaml", text, "yaml"),
        files=MemoryFiles({}),
        settings=Settings(limits=LIMITS, **settings),
        resolvers=resolvers,
    )


def only(run: Run) -> str:
    """All that the one error of a run says."""
    (item,) = [item for item in run.diagnostics if item.severity == "error"]
    return f"{item.code} {item.span} {item.summary} / {item.hint}"


def test_a_registered_resolver_is_asked_with_path_and_metadata() -> None:
    asked: list[ChildRequest] = []
    files = {
        "infra/core.yaml": LEAF.replace("value: leaf", 'value: "${children.sub.name}"').replace(
            "resources", "include: {sub: {path: ../sub.json}}\nresources", 1
        ),
        "sub.json": '{"version": "2023-04-20", "resources": {}, "values": {"name": '
        '{"type": "string", "value": "${file(\\"text\\")}"}}, '
        '"exports": {"name": {"type": "string", "field": "values.name"}}}',
        "text": b"beside",
    }

    def resolve(request: ChildRequest) -> str | bytes:
        asked.append(request)
        return files[request.path]

    run = rendered(PARENT, {"git": resolve})
    assert run.ok, list(run.diagnostics)
    assert load_yaml(run.text())["resources"]["a"]["spec"]["v"] == "beside"
    assert [request.path for request in asked] == list(files)
    assert all(r.metadata == {"sourceType": "git", "ref": "v2", "deep": [1]} for r in asked)
    assert list(run.contents) == [f"git:{path}?deep=%5B1%5D&ref=v2" for path in files]


def test_a_registered_resolver_goes_before_a_built_in_one() -> None:
    text = PARENT.replace("git", "aws/s3")
    run = rendered(text, {"aws/s3": lambda request: LEAF})
    assert load_yaml(run.text())["resources"]["a"]["spec"]["v"] == "leaf"


def test_an_unknown_source_type_stays_with_a_warning() -> None:
    for text, hint in ((PARENT, "available: "), (PARENT.replace("git", "aws/s4"), "`aws/s3`?")):
        run = rendered(text, Resolvers(entry_points=False))
        (item,) = run.diagnostics
        assert (item.code, item.severity) == ("include_resolver_not_found", "warning")
        assert hint in str(item.hint)
        assert load_yaml(run.text())["resources"]["a"]["spec"]["v"] == "${children.core.name}"


def slow(request: ChildRequest) -> str:
    time.sleep(4)
    return LEAF


def says(request: ChildRequest) -> str:
    raise ResolverError("there is no tag `v2`")


def breaks(request: ChildRequest) -> str:
    raise KeyError("hunter2")


def leaves(request: ChildRequest) -> str:
    raise SystemExit(0)


def asks(request: ChildRequest) -> bytes:
    return request.fetch("https://example.com/x")


@pytest.mark.parametrize(
    ("resolver", "code", "words"),
    [
        (lambda request: None, "remote_resolver_failed", "answered with a `NoneType`"),
        (lambda request: {"version": 1}, "remote_resolver_failed", "answered with a `dict`"),
        (says, "remote_resolver_failed", "the resolver `git` says: there is no tag `v2`"),
        (breaks, "remote_resolver_failed", "`git` failed (KeyError at test_remote_resolvers.py:"),
        (leaves, "remote_resolver_failed", "failed (SystemExit at test_remote_resolvers.py:"),
        (asks, "remote_resolver_failed", "`example.com` is not an allowed host"),
        (slow, "remote_failed", "`fetch_seconds` (2 s)"),
        (lambda request: "x" * 5001, "remote_failed", "`max_response_bytes`"),
        (lambda request: b"\xff\xff", "remote_not_a_blueprint", "not valid UTF-8"),
        (lambda request: "<html>", "remote_not_a_blueprint", "an HTML page"),
        (lambda request: "\ud800", "remote_not_a_blueprint", "not valid UTF-8"),
    ],
)
def test_a_resolver_that_does_not_resolve(
    resolver: Callable[..., Any], code: str, words: str
) -> None:
    start = time.monotonic()
    said = only(rendered(PARENT, {"git": resolver}, allow_net=("other.example.com",)))
    assert time.monotonic() - start < 3.5
    assert said.startswith(f"{code} app.yaml:2:24 ")
    assert words in said
    assert "hunter2" not in said


def test_what_is_not_known_yet_waits() -> None:
    def resolve(request: ChildRequest) -> str:
        raise AssertionError

    for text in (
        PARENT.replace("ref: v2", 'ref: "${resources.a.state.id}"'),
        PARENT.replace("sourceType: git", 'sourceType: "${resources.a.state.id}"'),
    ):
        text = text.replace('v: "${children.core.name}"', "v: 1")
        run = rendered(text, {"git": resolve})
        assert [(d.code, d.severity) for d in run.diagnostics] == [
            ("include_not_opened", "warning")
        ]
        assert run.ok


def test_a_secret_is_not_given_to_a_resolver() -> None:
    text = PARENT.replace("ref: v2", "ref: '${variables.s}'").replace(
        "include", "variables: {s: {type: string, secret: true, default: hunter2}}\ninclude", 1
    )
    for secrets in ("keep", "mask", "reveal"):
        said = only(rendered(text, {"git": lambda request: LEAF}, secrets=secrets))
        assert said.startswith("secret_not_allowed")
        assert "hunter2" not in said


def test_what_cannot_be_called_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="cannot be called"):
        Resolvers({"git": 5})  # type: ignore[dict-item]


# --- packages -----------------------------------------------------------------------------------


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str, str], None]:
    """Installs a package of one module with one entry point."""

    def make(name: str, code: str, point: str) -> None:
        folder = tmp_path / name
        info = folder / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (folder / f"{name}.py").write_text(code, "utf-8")
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[bpp.resolvers]\n{point}\n")
        monkeypatch.syspath_prepend(folder)
        monkeypatch.delitem(sys.modules, name, raising=False)

    return make


def test_an_installed_resolver_is_found(install: Callable[[str, str, str], None]) -> None:
    code = f"def resolve(request):\n    return {LEAF!r}\n"
    install("acme_git", code, "git = acme_git:resolve")
    assert load_yaml(rendered(PARENT).text())["resources"]["a"]["spec"]["v"] == "leaf"
    assert "git" in Resolvers().names()
    assert Resolvers(entry_points=False).find("git") is None


@pytest.mark.parametrize(
    ("code", "point", "words"),
    [
        ("import no_such_module", "git = acme_bad:resolve", "cannot be imported (ModuleNotFound"),
        (
            "raise SystemExit(0)",
            "git = acme_bad:resolve",
            "cannot be imported (SystemExit at acme_bad.py:1)",
        ),
        ("resolve = 5", "git = acme_bad:resolve", "is a `int`, not a `function`"),
        ("", "git = acme_bad:resolve", "cannot be imported (AttributeError)"),
        ("resolve = lambda request: 5", "git = acme_bad:resolve", "answered with a `int`"),
    ],
)
def test_an_installed_resolver_that_cannot_be_used(
    install: Callable[[str, str, str], None], code: str, point: str, words: str
) -> None:
    install("acme_bad", code, point)
    said = only(rendered(PARENT))
    assert said.startswith("remote_resolver_failed app.yaml:2:")
    assert words in said
    assert "`git = acme_bad:resolve` of the package `acme_bad`" in said


def test_entry_points_are_not_looked_at_for_what_is_built_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def scanned(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(plugins, "find_plugin", scanned)
    run = rendered(PARENT.replace("git", "https").replace("ref: v2", "host: example.com"))
    assert [item.code for item in run.diagnostics] == ["include_not_opened"]
