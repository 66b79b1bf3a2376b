"""Children and files that are elsewhere: fetched from a real server, refused, locked, cached."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bpp.pipeline import ChildRequest, DataSourceProvider, DiskFiles, Limits, Run, Settings, render
from bpp.pipeline.values.settings import Stores
from bpp.pipeline.world.remote import sources
from bpp.pipeline.world.remote.lock import content_of, lock_text
from support.harness import load_yaml
from support.in_process import bpp_inside
from support.web_server import WebServer, web_server

pytest.importorskip("trustme", reason="the server's certificate is made with it")

BPP = shutil.which("bpp", path=str(Path(sys.executable).parent)) or "bpp"

CHILD = """\
version: 2023-04-20
variables: {size: {type: string}}
values: {name: {type: string, value: "core-${variables.size}"}}
resources: {}
exports: {name: {type: string, field: values.name}}
"""
NOTHING = '{\n  "version": 1,\n  "diagnostics": []\n}\n'
LEAF = """\
version: 2023-04-20
values: {name: {type: string, value: leaf}}
resources: {}
exports: {name: {type: string, field: values.name}}
"""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[WebServer, Path]]:
    """One server for all tests of this module."""
    with web_server(tmp_path_factory.mktemp("web")) as pair:
        yield pair


@pytest.fixture
def server(running: tuple[WebServer, Path], monkeypatch: pytest.MonkeyPatch) -> WebServer:
    """The server, empty and trusted."""
    one, certificate = running
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    one.files, one.requests = {}, []
    return one


def parent(metadata: str, path: str = "core.yaml", more: str = "", export: str = "name") -> str:
    return (
        "version: 2023-04-20\n"
        f'include:\n  core: {{path: "{path}", metadata: {metadata}{more}}}\n'
        f'resources: {{a: {{type: x/y, spec: {{v: "${{children.core.{export}}}"}}}}}}\n'
    )


def rendered(folder: Path, text: str, *, resolvers: Any = None, **settings: Any) -> Run:
    """The run of a blueprint in a folder."""
    (folder / "app.yaml").write_text(text)
    limits = Limits(max_response_bytes=100_000)
    return render(
        "app.yaml",
        files=DiskFiles(cwd=str(folder)),
        settings=Settings(**{"limits": limits, **settings}),
        resolvers=resolvers,
    )


def output(run: Run) -> Any:
    """What a run gave, as data."""
    assert run.ok, list(run.diagnostics)
    return load_yaml(run.text())


def mistakes(run: Run) -> list[tuple[str, str]]:
    """The codes and places of a run's errors."""
    return [(d.code, str(d.span)) for d in run.diagnostics if d.severity == "error"]


def only(run: Run) -> str:
    """All that the one error of a run says."""
    assert len(mistakes(run)) == 1, mistakes(run)
    return first(run)


def first(run: Run) -> str:
    """All that the first error of a run says."""
    assert not run.ok
    item = next(item for item in run.diagnostics if item.severity == "error")
    notes = " ".join(f"{note.text} {note.span or ''}" for note in item.notes)
    return f"{item.code} {item.span} {item.summary} / {item.hint} / {notes}"


# --- what works ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metadata", "path", "asked"),
    [
        ("{{sourceType: https, host: '{host}'}}", "core.yaml", "/core.yaml"),
        ("{{sourceType: https, host: '{host}'}}", "/a//./b/../core.yaml", "/a/core.yaml"),
        ("{{sourceType: https, url: 'https://{host}/base/'}}", "core.yaml", "/base/core.yaml"),
        ("{{sourceType: https, url: 'https://{host}'}}", "a b.yaml", "/a%20b.yaml"),
        ("{{sourceType: https}}", "https://{host}/x/core.yaml?ref=2", "/x/core.yaml?ref=2"),
        ("{{sourceType: https, host: '{host}'}}", "core?ref=a b", "/core?ref=a%20b"),
    ],
)
def test_a_child_is_fetched(
    server: WebServer, tmp_path: Path, metadata: str, path: str, asked: str
) -> None:
    server.files[asked] = CHILD
    metadata, path = metadata.format(host=server.host), path.format(host=server.host)
    text = parent(metadata, path, ", variables: {size: big}")
    run = rendered(tmp_path, text, allow_net=(server.host,))
    assert output(run)["resources"]["a"]["spec"]["v"] == "core-big"
    assert server.requests == [asked]
    assert list(run.contents) == [f"https://{server.host}{asked}"]
    again = rendered(tmp_path, run.text())  # the child is in it: nothing is fetched
    assert again.text() == run.text()
    assert server.requests == [asked]


def test_an_address_says_its_source_type(server: WebServer, tmp_path: Path) -> None:
    server.files["/x/core.yaml?ref=2"] = CHILD
    text = parent("{}", f"https://{server.host}/x/core.yaml?ref=2", ", variables: {size: big}")
    text = text.replace("metadata: {}, ", "")
    run = rendered(tmp_path, text, allow_net=(server.host,))
    assert output(run)["resources"]["a"]["spec"]["v"] == "core-big"
    assert list(run.contents) == [f"https://{server.host}/x/core.yaml?ref=2"]
    assert rendered(tmp_path, run.text()).text() == run.text()
    assert server.requests == ["/x/core.yaml?ref=2"]
    said = only(rendered(tmp_path, text.replace("core.yaml", "no.yaml"), allow_net=(server.host,)))
    assert f"https://{server.host}/x/no.yaml?…" in said
    assert "ref=2" not in said


@pytest.mark.parametrize(
    ("metadata", "path", "why"),
    [
        ("{sourceType: https, host: a.b}", "s3://bucket/c.yaml", "an address of `aws/s3`"),
        ("{sourceType: aws/s3, bucket: abc}", "https://a.b/c.yaml", "an address of `https`"),
        ("{sourceType: https, url: 'https://a.b'}", "https://a.b/c.yaml", "has `url`, too"),
        ("{sourceType: aws/s3, bucket: abc}", "s3://abc/c.yaml", "has `bucket`, too"),
    ],
)
def test_an_address_contradicts_its_metadata(
    tmp_path: Path, metadata: str, path: str, why: str
) -> None:
    said = only(rendered(tmp_path, parent(metadata, path), allow_net=("a.b",)))
    assert said.startswith("remote_address_invalid app.yaml:3:16")
    assert why in said


def test_what_is_beside_a_fetched_child_is_fetched_too(server: WebServer, tmp_path: Path) -> None:
    server.files["/base/infra/core.yaml"] = (
        "version: 2023-04-20\n"
        "include: {leaf: {path: ../lib/leaf.yaml}, same: {path: /lib/leaf.yaml}}\n"
        "values:\n"
        "  text: {type: string, value: '${file(\"certs/a.pem\")}'}\n"
        "  name: {type: string, value: '${children.leaf.name}${children.same.name}'}\n"
        "resources: {}\n"
        "exports: {text: {type: string, field: values.text}, "
        "name: {type: string, field: values.name}}\n"
    )
    server.files["/base/lib/leaf.yaml"] = LEAF
    server.files["/base/infra/certs/a.pem"] = "PEM"
    metadata = f"{{sourceType: https, url: 'https://{server.host}/base'}}"
    text = parent(metadata, "infra/core.yaml", export="text}-${children.core.name")
    run = rendered(tmp_path, text, allow_net=(server.host,))
    assert output(run)["resources"]["a"]["spec"]["v"] == "PEM-leafleaf"
    # one file, one request, however often it is included
    assert sorted(server.requests) == [
        "/base/infra/certs/a.pem",
        "/base/infra/core.yaml",
        "/base/lib/leaf.yaml",
    ]


# --- what is not asked --------------------------------------------------------------------------


def test_a_host_that_is_not_allowed_is_not_asked(server: WebServer, tmp_path: Path) -> None:
    text = parent(f"{{sourceType: https, host: '{server.host}'}}")
    run = rendered(tmp_path, text)
    assert [(d.code, d.severity) for d in run.diagnostics] == [("include_not_opened", "warning")]
    assert output(run)["resources"]["a"]["spec"]["v"] == "${children.core.name}"
    assert output(run)["include"]["core"]["metadata"]["host"] == server.host
    run = rendered(tmp_path, text, keep_remote_includes=False)
    assert "include_not_opened app.yaml:3:" in only(run)
    assert "--allow-net localhost" in only(run)
    assert server.requests == []


@pytest.mark.parametrize(
    ("metadata", "path", "words"),
    [
        ("{sourceType: https}", "core.yaml", "no `host`"),
        ("{sourceType: https, hots: x}", "core.yaml", "did you mean `host`?"),
        ("{sourceType: https, host: x, url: 'https://x'}", "c", "both `host` and `url`"),
        ("{sourceType: https, host: x/y}", "c", "`host` is not a host name"),
        ("{sourceType: https, host: 5}", "c", "its `host` is a string, not an integer"),
        ("{sourceType: https, url: 'http://x'}", "c", "does not begin with `https://`"),
        ("{sourceType: https, url: 'https://u:hunter2@x'}", "c", "user name or a password"),
        ("{sourceType: https, url: 'https://x/?a=b'}", "c", "has a query"),
        ("{sourceType: https, url: 'https://[x'}", "c", "not a valid address"),
        ("{sourceType: https, host: x}", "../c", "leads outside its source"),
        ("{sourceType: https, url: 'https://x/base'}", "a/../../c", "leads outside its source"),
        ("{sourceType: https, host: x}", "a/", "names a folder"),
        ("{sourceType: https, host: x}", "..", "leads outside its source"),
        ("{sourceType: https, host: x}", "a#b", "has a `#`"),
        ("{sourceType: https, host: x}", "a\\tb", "an invalid character"),
        ("{sourceType: https, host: x}", "a" * 2000, "longer than 1024"),
        ("{sourceType: [https]}", "c", "is a string, not an array"),
        ("{sourceType: aws/s3}", "c", "no `bucket`"),
        ("{sourceType: aws/s3, bucket: 'evil.com/'}", "c", "`bucket` is not the name"),
        ("{sourceType: aws/s3, bucket: abc, region: 'x.evil.com/'}", "c", "`region` is not"),
        ("{sourceType: googlecloud/storage, bucket: a..b}", "c", "`bucket` is not the name"),
        ("{sourceType: googlecloud/storage, bucket: '../x'}", "c", "`bucket` is not the name"),
        ("{sourceType: azure/blob}", "c", "no `container`"),
        ("{sourceType: azure/blob, container: abc}", "c", "no `storageAccountName`"),
        ("{sourceType: azure/blob, container: a/b, account: abc}", "c", "`container` is not"),
        (
            "{sourceType: azure/blob, container: abc, storageAccountName: 'x.evil.com/'}",
            "c",
            "`storageAccountName` is not the name",
        ),
    ],
)
def test_metadata_that_lead_nowhere(tmp_path: Path, metadata: str, path: str, words: str) -> None:
    run = rendered(tmp_path, parent(metadata, path), allow_net=("x", "*.evil.com", "evil.com"))
    said = only(run)
    assert said.startswith("remote_address_invalid app.yaml:3:")
    assert words in said
    assert "hunter2" not in said


@pytest.mark.parametrize(
    ("expression", "code", "words"),
    [
        ('file("/etc/hostname")', "remote_not_found", "/etc/hostname`"),
        ('file("file:///etc/hostname")', "effect_not_allowed", "read local files"),
        ('file("FILE://x")', "effect_not_allowed", "read local files"),
        ('file("../x")', "remote_address_invalid", "leads outside its source"),
        ('file("https://example.com/x")', "effect_not_allowed", "`http_resource`"),
        ("file(resources.r.state.x)", "effect_not_allowed", "needs a known path"),
        ("cwd()", "effect_not_allowed", "cannot see the working directory"),
        ('file("s3://bucket/key")', "network_not_allowed", "bucket.s3.us-east-1.amazonaws.com"),
    ],
)
def test_a_fetched_child_sees_nothing_of_this_machine(
    server: WebServer, tmp_path: Path, expression: str, code: str, words: str
) -> None:
    server.files["/core.yaml"] = (
        f"version: 2023-04-20\nvalues: {{t: {{type: string, value: '${{{expression}}}'}}}}\n"
        "resources: {r: {type: a/b, spec: {}}}\n"
        "exports: {t: {type: string, field: values.t}}\n"
    )
    text = parent(f"{{sourceType: https, host: '{server.host}'}}", export="t")
    said = only(rendered(tmp_path, text, allow_net=(server.host,)))
    assert said.startswith(f"{code} https://{server.host}/core.yaml:2:")
    assert words in said
    assert "`core` is included here app.yaml:3:" in said


def test_a_fetched_child_cannot_include_a_local_one(server: WebServer, tmp_path: Path) -> None:
    (tmp_path / "leaf.yaml").write_text(LEAF)
    server.files["/core.yaml"] = (
        f"version: 2023-04-20\ninclude: {{leaf: {{path: {tmp_path}/leaf.yaml}}}}\nresources: {{}}\n"
    )
    text = parent(f"{{sourceType: https, host: '{server.host}'}}")
    said = only(rendered(tmp_path, text, allow_net=(server.host,)))
    assert said.startswith(f"remote_not_found https://{server.host}/core.yaml:2:")


def test_children_that_include_each_other_end(server: WebServer, tmp_path: Path) -> None:
    one = "version: 2023-04-20\ninclude: {{next: {{path: {}}}}}\nresources: {{}}\n"
    server.files["/core.yaml"] = one.format("b.yaml")
    server.files["/b.yaml"] = one.format("./core.yaml")
    text = parent(f"{{sourceType: https, host: '{server.host}'}}")
    said = only(rendered(tmp_path, text, allow_net=(server.host,)))
    assert said.startswith(f"include_cycle https://{server.host}/b.yaml:2:")


# --- servers that answer badly ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("none", "remote_not_found", "the file does not exist"),
        ("bad/denied", "remote_denied", "status 403"),
        ("bad/broken", "remote_failed", "status 500"),
        ("bad/truncated", "remote_failed", "ended the connection too early"),
        ("bad/page", "remote_not_a_blueprint", "an HTML page"),
        ("bad/binary", "remote_not_a_blueprint", "not valid UTF-8"),
        ("bad/large", "remote_failed", "`max_response_bytes`"),
        ("bad/silent", "remote_failed", "`fetch_seconds` (2 s)"),
        ("bad/drip", "remote_failed", "`fetch_seconds` (2 s)"),
        ("bad/away", "network_not_allowed", "--allow-net example.com"),
        ("bad/inside", "network_not_allowed", "169.254.169.254"),
        ("bad/plain", "network_not_allowed", "from `https` to `http`"),
        ("bad/round", "remote_failed", "more than 3 times"),
        ("bad/garbage", "remote_failed", "not valid HTTP"),
        ("bad/closed", "remote_failed", "ended the connection too early"),
    ],
)
def test_a_server_that_answers_badly(
    server: WebServer, tmp_path: Path, name: str, code: str, words: str
) -> None:
    text = parent(f"{{sourceType: https, host: '{server.host}'}}", f"{name}.yaml")
    start = time.monotonic()
    limits = Limits(fetch_seconds=2 if "(2 s)" in words else 15, max_response_bytes=100_000)
    said = only(rendered(tmp_path, text, allow_net=(server.host,), limits=limits))
    assert time.monotonic() - start < 10
    assert said.startswith(f"{code} app.yaml:3:16 "), said  # the path of the include
    assert words in said


def test_nobody_answers(server: WebServer, tmp_path: Path) -> None:
    text = parent("{sourceType: https, host: 'localhost:1'}")
    assert "remote_failed app.yaml:3:16" in only(rendered(tmp_path, text, allow_net=("localhost",)))


def test_a_certificate_that_nobody_vouches_for(
    server: WebServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    server.files["/core.yaml"] = CHILD
    text = parent(f"{{sourceType: https, host: '{server.host}'}}")
    assert "is not trusted" in only(rendered(tmp_path, text, allow_net=(server.host,)))


def test_what_is_too_long_is_cut_where_the_server_says(server: WebServer, tmp_path: Path) -> None:
    text = parent(f"{{sourceType: https, host: '{server.host}'}}", "bad/longer.yaml")
    said = first(rendered(tmp_path, text, allow_net=(server.host,)))
    assert f"https://{server.host}/bad/longer.yaml:1:" in said  # only `version: ` came


def test_mistakes_in_a_fetched_child_name_both_files(server: WebServer, tmp_path: Path) -> None:
    server.files["/core.yaml"] = "version: 2023-04-20\nresources: {a: {type: 5}}\n"
    text = parent(f"{{sourceType: https, host: '{server.host}'}}")
    said = first(rendered(tmp_path, text, allow_net=(server.host,)))
    assert f" https://{server.host}/core.yaml:2:" in said
    assert "`core` is included here app.yaml:3:3" in said


def test_a_run_fetches_only_so_much(server: WebServer, tmp_path: Path) -> None:
    server.files.update({f"/{n}.yaml": LEAF + "#" * 900 for n in range(5)})
    includes = "".join(
        f"  c{n}: {{path: {n}.yaml, metadata: {{sourceType: https, host: '{server.host}'}}}}\n"
        for n in range(5)
    )
    text = f"version: 2023-04-20\ninclude:\n{includes}resources: {{}}\n"
    limits = Limits(max_fetched_bytes=4000)
    run = rendered(tmp_path, text, allow_net=(server.host,), limits=limits)
    assert [code for code, _ in mistakes(run)] == ["limit_exceeded", "limit_exceeded"]
    assert len(server.requests) == 4  # the headers count, too


def test_what_arrives_counts_also_when_it_is_no_answer(server: WebServer, tmp_path: Path) -> None:
    metadata = f"{{sourceType: https, host: '{server.host}'}}"
    includes = "".join(
        f"  c{n}: {{path: 'bad/truncated.yaml?{n}', metadata: {metadata}}}\n" for n in range(12)
    )
    text = f"version: 2023-04-20\ninclude:\n{includes}resources: {{}}\n"
    limits = Limits(max_fetched_bytes=500)
    run = rendered(tmp_path, text, allow_net=(server.host,), limits=limits)
    codes = [code for code, _ in mistakes(run)]
    asked = len(server.requests)
    assert 1 < asked < 6  # each answer has some 150 bytes, nearly all of them headers
    assert codes == ["remote_failed"] * (asked - 1) + ["limit_exceeded"] * (13 - asked)


# --- time ---------------------------------------------------------------------------------------


class Clock(list[str]):
    """Keeps what was asked for; each question takes two seconds of the clock, and none of ours."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        real = time.monotonic
        patch.setattr(time, "monotonic", lambda: real() + 2 * len(self))


WAYS = {
    "include": "c{n}: {{path: '{n}', metadata: {{sourceType: https, host: '{host}'}}}}",
    "include ": "c{n}: {{path: '{n}', metadata: {{sourceType: git}}}}",
    "include  ": "c{n}: {{path: '{n}', metadata: {{sourceType: lazy}}}}",
    "values": "v{n}: {{type: string, value: '${{http_resource(\"https://{host}/{n}\")}}'}}",
    "values ": "v{n}: {{type: string, value: '${{file(\"s3://bucket/{n}\")}}'}}",
    "datasources": "d{n}: {{type: a/b, filter: {{field: n, operator: '=', search: {n}}}, "
    "exports: {{n: {{type: integer}}}}}}",
}
"""Ways to ask somebody, by section."""


@pytest.mark.parametrize("section", WAYS)
def test_no_fetch_is_begun_or_awaited_when_the_run_is_over(
    server: WebServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, section: str
) -> None:
    asked = Clock(monkeypatch)

    class Session:
        def get_credentials(self) -> None:
            asked.append("credentials")

    class Module:
        def __init__(self, name: str) -> None:
            self.Session = Session
            self.S3SigV4Auth = None
            self.AWSRequest = lambda method, url: SimpleNamespace(url=url)

    def answer(about: Any) -> Any:
        asked.append(repr(about))
        return LEAF if section.startswith("include") else [{"n": n} for n in range(12)]

    def swallow(request: ChildRequest) -> str:
        with suppress(Exception):
            request.fetch(f"https://{server.host}/1")
        return LEAF

    monkeypatch.setattr(sources, "import_module", Module)
    server.requests = asked
    server.files = dict.fromkeys([f"/{n}" for n in range(12)], LEAF)
    server.files |= dict.fromkeys([f"/bucket/{n}" for n in range(12)], "text")
    entries = "".join(f"  {WAYS[section].format(n=n, host=server.host)}\n" for n in range(12))
    (tmp_path / "app.yaml").write_text(
        f"version: 2023-04-20\n{section.strip()}:\n{entries}resources: {{}}\n"
    )
    run = render(
        "app.yaml",
        files=DiskFiles(cwd=str(tmp_path)),
        settings=Settings(
            allow_net=(server.host,),
            limits=Limits(run_seconds=5),
            stores=Stores(s3_endpoint=f"https://{server.host}"),
        ),
        resolvers={"git": answer, "lazy": swallow},
        providers=[DataSourceProvider(("a/b",), answer)],
    )
    assert "the run takes longer than 5 s (`run_seconds`)" in first(run)
    assert len(asked) == 3


# --- secrets ------------------------------------------------------------------------------------


@pytest.mark.parametrize("secrets", ["keep", "mask", "reveal"])
@pytest.mark.parametrize(
    ("metadata", "path", "value"),
    [
        ("{sourceType: https, host: '${variables.s}.example.com'}", "c.yaml", "x"),
        ("{sourceType: https, host: example.com}", "c.yaml?key=${variables.s}", "x"),
        ("{sourceType: https, host: example.com}", "c.yaml?key=${values.t}", "x"),
        ("{sourceType: '${variables.s}'}", "c.yaml", "x"),
        ("{}", "${variables.s}.yaml", "x"),
        ("{}", "app.yaml", '${http_resource("https://example.com/?k=${variables.s}")}'),
        ("{}", "app.yaml", '${file("${variables.s}.pem")}'),
        ("{}", "app.yaml", '${file("s3://bucket/${variables.s}.pem")}'),
    ],
)
def test_secrets_are_not_sent_or_opened(
    tmp_path: Path, metadata: str, path: str, value: str, secrets: str
) -> None:
    include = f'include: {{core: {{path: "{path}", metadata: {metadata}}}}}\n'
    text = (
        "version: 2023-04-20\n"
        "variables: {s: {type: string, secret: true, default: 'hun/ter2'}}\n"
        "values: {t: {type: string, secret: true, value: '${variables.s}'}, "
        f"v: {{type: string, value: '{value}'}}}}\n"
        f"{include if value == 'x' else ''}"
        "resources: {a: {type: x/y, spec: {v: '${values.v}'}}}\n"
    ).replace('"${variables.s}.pem"', 'join(list(variables.s, "pem"), ".")')
    text = text.replace(
        '"https://example.com/?k=${variables.s}"',
        'join(list("https://example.com/?k=", variables.s), "")',
    )
    text = text.replace(
        '"s3://bucket/${variables.s}.pem"', 'join(list("s3://bucket/", variables.s), "")'
    )
    run = rendered(tmp_path, text, secrets=secrets, allow_net=("*.example.com", "example.com"))
    assert not run.ok
    codes = {code for code, _ in mistakes(run)}
    told = " ".join(f"{d.summary} {d.hint}" for d in run.diagnostics)
    assert codes <= {"secret_not_allowed", "include_path_unknown"}
    assert codes
    assert "hun" not in told


# --- lock file and cache ------------------------------------------------------------------------


def locked(folder: Path, server: WebServer, **contents: str) -> None:
    """Writes a lock file for files of the server."""
    files = {
        f"https://{server.host}/{name}.yaml": content_of(text.encode())
        for name, text in contents.items()
    }
    (folder / "bpp.lock").write_text(lock_text(files))


def test_what_is_locked_is_accepted_and_nothing_else(server: WebServer, tmp_path: Path) -> None:
    server.files["/core.yaml"] = LEAF
    text = parent(f"{{sourceType: https, host: '{server.host}'}}")
    allowed = {"allow_net": (server.host,)}
    locked(tmp_path, server, core=LEAF)
    run = rendered(tmp_path, text, **allowed)
    assert output(run)["resources"]["a"]["spec"]["v"] == "leaf"
    assert run.reads == ("app.yaml", "bpp.lock")
    server.files["/core.yaml"] = LEAF.replace("leaf", "lead")
    said = only(rendered(tmp_path, text, **allowed))
    assert said.startswith("remote_changed app.yaml:3:16")
    for part in (
        f"https://{server.host}/core.yaml",
        "`bpp.lock`",
        content_of(LEAF.encode()).sha256,
        content_of(LEAF.replace("leaf", "lead").encode()).sha256,
    ):
        assert part in said
    locked(tmp_path, server, other=LEAF)
    said = only(rendered(tmp_path, text, **allowed))
    assert said.startswith("remote_not_locked app.yaml:3:16")
    assert "run `bpp lock`" in said
    assert rendered(tmp_path, text, use_lock=False, **allowed).ok


def test_files_and_resources_are_locked_too(server: WebServer, tmp_path: Path) -> None:
    server.files["/a"] = "A"
    text = (
        "version: 2023-04-20\nresources: {a: {type: x/y, spec: {v: "
        f"'${{http_resource(\"https://{server.host}/a\")}}'}}}}}}\n"
    )
    run = rendered(tmp_path, text, allow_net=(server.host,))
    assert dict(run.contents) == {f"https://{server.host}/a": content_of(b"A")}
    locked(tmp_path, server)
    said = only(rendered(tmp_path, text, allow_net=(server.host,)))
    assert said.startswith("remote_not_locked app.yaml:2:")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "a lock file has a `version` and `files`"),
        ("{", "line 1"),
        ("<<<<<<< HEAD\n", "line 1"),
        ('{"version": 2, "files": {}}', "version 1"),
        ('{"version": 1, "files": []}', "`files` of a lock file is an object"),
        ('{"version": 1, "files": {"a": {"sha256": "x", "size": 1}}}', "64 hexadecimal digits"),
        ('{"version": 1, "files": {"a": 5}}', "64 hexadecimal digits"),
        (b"\xff", "not valid UTF-8"),
    ],
)
def test_a_lock_file_that_is_none(
    server: WebServer, tmp_path: Path, content: str | bytes, words: str
) -> None:
    server.files["/core.yaml"] = LEAF
    data = content if isinstance(content, bytes) else content.encode()
    (tmp_path / "bpp.lock").write_bytes(data)
    text = parent(f"{{sourceType: https, host: '{server.host}'}}")
    said = only(rendered(tmp_path, text, allow_net=(server.host,)))
    assert said.startswith("invalid_lock app.yaml:3:16")
    assert words in said
    assert rendered(tmp_path, "version: 2023-04-20\nresources: {}\n").ok  # nothing asks for it


def test_the_cache_answers_without_the_network(server: WebServer, tmp_path: Path) -> None:
    server.files["/core.yaml"] = LEAF
    text = parent(f"{{sourceType: https, host: '{server.host}'}}")
    cache = tmp_path / "cache"
    kept = {"cache": str(cache)}
    said = only(rendered(tmp_path, text, offline=True, **kept))
    assert said.startswith("remote_not_cached app.yaml:3:16")
    assert "there is none" in said
    locked(tmp_path, server, core=LEAF)
    said = only(rendered(tmp_path, text, offline=True, **kept))
    assert content_of(LEAF.encode()).sha256 in said
    assert server.requests == []
    first = rendered(tmp_path, text, allow_net=(server.host,), **kept)
    second = rendered(tmp_path, text, offline=True, **kept)
    third = rendered(tmp_path, text, allow_net=(server.host,), **kept)
    assert first.text() == second.text() == third.text()
    assert server.requests == ["/core.yaml"]
    (entry,) = [file for file in cache.rglob("*") if file.is_file()]
    entry.write_text("something else")
    assert not rendered(tmp_path, text, offline=True, **kept).ok
    assert rendered(tmp_path, text, allow_net=(server.host,), **kept).ok  # fetched anew
    assert rendered(tmp_path, text, offline=True, **kept).text() == first.text()


# --- the command --------------------------------------------------------------------------------


def bpp(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the command in a folder."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("BPP_", "AWS_"))}
    return subprocess.run(
        [BPP, *arguments],
        cwd=folder,
        env={**kept, "BPP_CACHE_DIR": str(folder / "cache"), "NO_COLOR": "1", **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.slow
def test_lock_and_render_offline(server: WebServer, tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    main = tmp_path / "app" / "app.yaml"
    text = parent(f"{{sourceType: https, host: '{server.host}'}}")
    main.write_text(text)
    allow = ("--allow-net", server.host)
    done = bpp(tmp_path, "lock", "app/app.yaml", *allow)
    assert (done.returncode, done.stdout) == (3, "")
    assert "error[remote_not_found]" in done.stderr
    done = bpp(tmp_path, "lock", "app/app.yaml")
    assert done.returncode == 1
    assert "error[include_not_opened]" in done.stderr
    assert not (tmp_path / "app" / "bpp.lock").exists()

    server.files["/core.yaml"] = LEAF
    done = bpp(tmp_path, "lock", "app/app.yaml", *allow)
    assert (done.returncode, done.stderr) == (0, "app/bpp.lock: 1 file\n")
    first = (tmp_path / "app" / "bpp.lock").read_text()
    assert load_yaml(first)["files"] == {
        f"https://{server.host}/core.yaml": {
            "sha256": content_of(LEAF.encode()).sha256,
            "size": len(LEAF),
        }
    }
    done = bpp(tmp_path, "lock", "app/app.yaml", *allow)
    assert done.stderr == "app/bpp.lock: 1 file, unchanged\n"
    assert bpp(tmp_path, "lock", "app/app.yaml", "--check", *allow).returncode == 0

    asked = len(server.requests)
    done = bpp(tmp_path, "render", "app/app.yaml", "--offline", "-o", "out.yaml", "--depfile", "d")
    assert (done.returncode, done.stderr) == (0, "")
    assert "v: leaf" in (tmp_path / "out.yaml").read_text()
    assert (tmp_path / "d").read_text().startswith("out.yaml: app/app.yaml app/bpp.lock\n")
    done = bpp(tmp_path, "render", "app/app.yaml", "--offline", BPP_NO_CACHE="1")
    assert done.returncode == 3
    assert "error[remote_not_cached]" in done.stderr
    assert len(server.requests) == asked

    server.files["/core.yaml"] = LEAF + "# changed\n"
    done = bpp(tmp_path, "lock", "app/app.yaml", "--check", *allow)
    assert done.returncode == 1
    assert done.stderr.endswith(f"~ https://{server.host}/core.yaml\n")
    assert (tmp_path / "app" / "bpp.lock").read_text() == first
    done = bpp(tmp_path, "render", "app/app.yaml", *allow, BPP_NO_CACHE="1")
    assert done.returncode == 1
    assert "error[remote_changed]" in done.stderr


def test_a_lock_file_for_several_ways_to_render(server: WebServer, tmp_path: Path) -> None:
    server.files.update({"/dev.yaml": LEAF, "/prod.yaml": LEAF + "# prod\n"})
    text = parent(f"{{sourceType: https, host: '{server.host}'}}", "${variables.env}.yaml")
    variables = "variables: {env: {type: string}}\n"
    (tmp_path / "app.yaml").write_text(text.replace("include:", f"{variables}include:", 1))
    allow = ("--allow-net", server.host)
    assert bpp(tmp_path, "lock", "app.yaml", *allow, "--var", "env=dev").returncode == 0
    assert bpp(tmp_path, "render", "app.yaml", *allow, "--var", "env=prod").returncode == 1
    done = bpp(tmp_path, "lock", "app.yaml", "--add", *allow, "--var", "env=prod")
    assert done.stderr == "bpp.lock: 2 files\n"
    for env in ("dev", "prod"):
        done = bpp(tmp_path, "render", "app.yaml", "--offline", "--var", f"env={env}")
        assert done.returncode == 0
    moved = tmp_path / "elsewhere.lock"
    (tmp_path / "bpp.lock").rename(moved)
    arguments = ("render", "app.yaml", "--offline", "--var", "env=dev")
    assert bpp(tmp_path, *arguments).returncode == 3
    assert bpp(tmp_path, *arguments, "--lock", "elsewhere.lock").returncode == 0
    done = bpp(tmp_path, *arguments, "--lock", "missing.lock")
    assert (done.returncode, "error[file_not_found]" in done.stderr) == (3, True)
    assert bpp(tmp_path, "lock", "app.yaml", "--add", "--check").returncode == 2


def test_a_plain_render_knows_nothing_of_it(tmp_path: Path) -> None:
    (tmp_path / "app.yaml").write_text("version: 2023-04-20\nresources: {}\n")
    program = (
        "import sys\n"
        "from bpp.pipeline import render\n"
        "assert render('app.yaml').ok\n"
        "parts = ('.pipeline.remote', '.pipeline.network', '.pipeline.plugins')\n"
        "print(*[name for name in sys.modules if any(part in name for part in parts)])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "\n"


@pytest.mark.parametrize(
    ("terminal", "options", "env", "shown"),
    [
        (True, (), {}, True),
        (False, (), {}, False),
        (True, (), {"TERM": "dumb"}, False),
        (True, ("--diagnostics", "json"), {}, False),
    ],
)
def test_a_terminal_shows_what_is_fetched(
    server: WebServer,
    tmp_path: Path,
    terminal: bool,
    options: tuple[str, ...],
    env: dict[str, str],
    shown: bool,
) -> None:
    server.files["/core.yaml?token=hush"] = LEAF
    (tmp_path / "app.yaml").write_text(
        f"version: 2023-04-20\nresources: {{}}\n"
        f"include: {{c: {{path: 'https://{server.host}/core.yaml?token=hush'}}}}\n"
    )
    done = bpp_inside(
        tmp_path,
        *("render", "app.yaml", "--allow-net", server.host, *options),
        env={"TERM": "xterm", "NO_COLOR": "1", **env},
        terminal=terminal,
    )
    assert (done.returncode, len(server.requests)) == (0, 1), done.stderr
    line = f"fetching https://{server.host}/core.yaml"
    said = done.stderr[: -len(NOTHING)] if options else done.stderr
    assert said == (f"\r{line}\r{' ' * len(line)}\r" if shown else "")
