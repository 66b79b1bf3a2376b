"""Fetching: what is asked, what is refused, and that everything ends."""

from __future__ import annotations

import errno
import gzip
import ipaddress
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from bpp.pipeline.values.settings import Limits
from bpp.pipeline.world import network
from bpp.pipeline.world.network import NetworkProblem, allows, fetch, may_connect, unwrapped
from support.web_server import answering

# an answer that is not closed tells so on standard error when it is collected
pytestmark = pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")

SMALL = Limits(max_response_bytes=1000, fetch_seconds=2)


class Handler(BaseHTTPRequestHandler):
    """Answers by path; the server keeps the requests it gets."""

    server: Server

    def do_GET(self) -> None:
        self.server.requests.append((self.path, dict(self.headers.items())))
        name = self.path.partition("?")[0].strip("/").replace("-", "_") or "ok"
        getattr(self, name)()

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), value)
        if "Content_Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def ok(self) -> None:
        self.answer(200, b"body")

    def empty(self) -> None:
        self.answer(200)

    def created(self) -> None:
        self.answer(201, b"made", Location="/absent")

    def no_content(self) -> None:
        self.answer(204)

    def absent(self) -> None:
        self.answer(404, b"nothing here")

    def broken(self) -> None:
        self.answer(500)

    def not_modified(self) -> None:
        self.answer(304)

    def here(self) -> None:
        self.answer(302, Location="/ok")

    def twice(self) -> None:
        self.answer(307, Location="here")

    def thrice(self) -> None:
        self.answer(308, Location="twice")

    def four_times(self) -> None:
        self.answer(301, Location="thrice")

    def round(self) -> None:
        self.answer(302, Location="/round")

    def away(self) -> None:
        self.answer(302, Location="http://example.com/")

    def inside(self) -> None:
        self.answer(302, Location=f"http://127.0.0.1:{self.server.other_port}/ok")

    def to_file(self) -> None:
        self.answer(302, Location="file:///etc/passwd")

    def nowhere(self) -> None:
        self.answer(302, Location="http://[::1/")

    def without_location(self) -> None:
        self.answer(302)

    def large(self) -> None:
        self.answer(200, b"x" * 1001)

    def endless(self) -> None:
        self.send_response(200)
        self.end_headers()
        while True:
            self.wfile.write(b"x" * 500)

    def until_closed(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"body")

    def chunked(self) -> None:
        self.protocol_version = "HTTP/1.1"
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n")
        self.close_connection = True

    def cut_chunks(self) -> None:
        self.protocol_version = "HTTP/1.1"
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"2\r\nbo\r\n5\r\ndy")
        self.close_connection = True

    def truncated(self) -> None:
        self.answer(200, b"12345", Content_Length="100")

    def promising(self) -> None:
        self.answer(200, b"", Content_Length=str(10**12))

    def zipped(self) -> None:
        self.answer(200, gzip.compress(b"x" * 100_000), Content_Encoding="gzip")

    def garbage(self) -> None:
        self.wfile.write(b"this is no HTTP\r\n\r\n")

    def silent(self) -> None:
        pass

    def drip(self) -> None:
        self.send_response(200)
        self.end_headers()
        self._drip(b"x")

    def drip_head(self) -> None:
        self._drip(b"H")

    def drip_header(self) -> None:
        self.send_response(200)
        self.flush_headers()
        self._drip(b"A")

    def drip_interim(self) -> None:
        self._drip(b"HTTP/1.1 100 Continue\r\n\r\n")

    def drip_chunk(self) -> None:
        self.protocol_version = "HTTP/1.1"
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self._drip(b"0")

    def drip_chunks(self) -> None:
        self.protocol_version = "HTTP/1.1"
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self._drip(b"1\r\nx\r\n")

    def _drip(self, byte: bytes) -> None:
        for _ in range(100):
            self.wfile.write(byte)
            self.wfile.flush()
            time.sleep(0.1)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


class Server(ThreadingHTTPServer):
    """A server on this machine."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.other_port = 1

    @property
    def host(self) -> str:
        """The entry of the allow list for it."""
        return f"127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    """A running server."""
    with running(Server()) as one:
        yield one


class running:  # noqa: N801
    """Runs a server for a while."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Server:
        self._thread.start()
        return self._server

    def __exit__(self, *details: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def refusal(
    url: str,
    allowed: tuple[str, ...],
    limits: Limits = SMALL,
    resolve: Callable[[str, int], list[str]] | None = None,
) -> NetworkProblem:
    """The problem that fetching gives, which never quotes a path or a query."""
    with pytest.raises(NetworkProblem) as caught:
        fetch(url, allowed, limits, resolve or forbidden)
    assert "secret" not in f"{caught.value.message} {caught.value.hint}"
    return caught.value


def forbidden(host: str, port: int) -> list[str]:
    """A resolver for tests in which no name may be looked up."""
    raise AssertionError(host)


# --- answers ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("", b"body"),
        ("/ok", b"body"),
        ("/empty", b""),
        ("/created", b"made"),
        ("/no-content", b""),
        ("/here", b"body"),
        ("/twice", b"body"),
        ("/thrice", b"body"),
        ("/until-closed", b"body"),
        ("/chunked", b"body"),
        ("/ok?a=b#fragment", b"body"),
    ],
)
def test_answers(server: Server, path: str, body: bytes) -> None:
    assert fetch(f"http://{server.host}{path}", (server.host,), SMALL) == body
    assert fetch(f"HTTP://{server.host}{path}", ("127.0.0.1",), SMALL) == body


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/absent", "answered with the status 404"),
        ("/broken", "answered with the status 500"),
        ("/not-modified", "answered with the status 304"),
        ("/without-location", "answered with the status 302"),
        ("/large", "more than `max_response_bytes` allows (1000 bytes)"),
        ("/promising", "more than `max_response_bytes` allows (1000 bytes)"),
        ("/endless", "more than `max_response_bytes` allows (1000 bytes)"),
        ("/truncated", "ended the connection too early"),
        ("/cut-chunks", "ended the connection too early"),
        ("/silent", "ended the connection too early"),
        ("/zipped", "a compressed body, which was not asked for"),
        ("/garbage", "is not valid HTTP"),
        ("/four-times", "redirects more than 3 times"),
        ("/round", "redirects more than 3 times"),
        ("/nowhere", "is not a valid URL|invalid address"),
    ],
)
def test_answers_that_are_no_success(server: Server, path: str, words: str) -> None:
    problem = refusal(f"http://{server.host}{path}?key=secret", (server.host,))
    assert problem.code == "network_failed"
    assert any(word in problem.message for word in words.split("|")), problem.message


def test_the_request_is_plain(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    fetch(f"http://{server.host}/ok?q=ä b%20c".replace(" ", "+"), (server.host,), SMALL)
    path, headers = server.requests[0]
    assert path == "/ok?q=%C3%A4+b%20c"
    assert headers["Host"] == server.host
    assert headers["Accept-Encoding"] == "identity"
    assert headers["User-Agent"].startswith("bpp/")
    assert (headers["Accept"], headers["Connection"]) == ("*/*", "close")
    assert not {"Authorization", "Cookie", "Referer"} & set(headers)


@pytest.mark.parametrize(
    "path", ["/drip", "/drip-head", "/drip-header", "/drip-interim", "/drip-chunk", "/drip-chunks"]
)
def test_a_slow_server_does_not_hold_us_up(server: Server, path: str) -> None:
    start = time.monotonic()
    problem = refusal(f"http://{server.host}{path}", (server.host,), Limits(fetch_seconds=1))
    assert "within `fetch_seconds` (1 s)" in problem.message
    assert time.monotonic() - start < 2


OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
FLOOD = b"x" * 200_000
TOO_LARGE = "more than `max_response_bytes` allows (1000 bytes)"
TOO_LONG = "the headers of `127.0.0.1` are longer than 65536 bytes"
INVALID = "is not valid HTTP"
ENDED = "ended the connection too early"


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        # sizes of chunks
        (CHUNKED + b"-1\r\n" + FLOOD, TOO_LARGE),
        (CHUNKED + b"-1;a=b\r\nx\r\n-1\r\n" + FLOOD, TOO_LARGE),
        (CHUNKED + b"-1\r\nbody\r\n0\r\n\r\n", ENDED),
        (CHUNKED + b"-2\r\n" + FLOOD, INVALID),
        (CHUNKED + b"ffffffffffffffff\r\n" + FLOOD, TOO_LARGE),
        (CHUNKED + b"f" * 60_000 + b"\r\n" + FLOOD, TOO_LARGE),
        (CHUNKED + b"\r\n" + FLOOD, ENDED),
        (CHUNKED + FLOOD, INVALID),
        (CHUNKED + b"1\r\nx\r\n" * 30_000, TOO_LARGE),
        (CHUNKED + (b"1;" + b"e" * 50_000 + b"\r\nx\r\n") * 4, TOO_LARGE),
        (CHUNKED + b"4\r\nbody\r\n0\r\n" + b"A: b\r\n" * 30_000, INVALID),
        (CHUNKED + b"4\r\nbody\r\n0\r\nA: " + FLOOD, INVALID),
        (CHUNKED + b"4\r\nbody\r\n0\r\n" + b"A: b\r\n" * 101 + b"\r\n", INVALID),
        # headers
        (OK + b"A: " + FLOOD, TOO_LONG),
        (OK + (b"A: " + b"x" * 50_000 + b"\r\n") * 4, TOO_LONG),
        (OK + b"A: b\r\n" * 30_000, INVALID),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000, TOO_LONG),
        ((b"HTTP/1.1 100 Continue\r\n" + b"A: b\r\n" * 90 + b"\r\n") * 400, TOO_LONG),
        (b"HTTP/1.1 101 Switching Protocols\r\n\r\n" + FLOOD, "with the status 101"),
        (b"HTTP/1.1 200 " + FLOOD, TOO_LONG),
        (b"HTTP/1.1 206 Partial Content\r\n\r\nbo", "with the status 206"),
        (b"body", INVALID),  # HTTP/0.9
        # where the body ends
        (OK + b"\r\n" + FLOOD, TOO_LARGE),
        (OK + b"Content-Length: 4\r\nContent-Length: 2\r\n\r\nbody", INVALID),
        (OK + b"Content-Length: 4, 4\r\n\r\nbody", INVALID),
        (OK + b"Content-Length: -1\r\n\r\n" + FLOOD, INVALID),
        (OK + b"Content-Length: +4\r\n\r\nbody", INVALID),
        (OK + b"Content-Length: 1_0\r\n\r\n0123456789", INVALID),
        (OK + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\nbody", INVALID),
        (OK + b"Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", INVALID),
        (OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", INVALID),
        (OK + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n", INVALID),
        (OK + b"Content-Encoding: identity, gzip\r\n\r\nbody", "a compressed body"),
        (OK + b"Content-Encoding: identity\r\nContent-Encoding: br\r\n\r\n", "a compressed body"),
        # a host name whose encoding takes time that grows with the square of its length
        (
            b"HTTP/1.1 302 Found\r\nLocation: http://" + b"\xe4" * 60_000 + b"/\r\n\r\n",
            "redirects to an invalid address",
        ),
    ],
)
def test_what_arrives_is_bounded_whatever_sizes_the_server_names(reply: bytes, words: str) -> None:
    arrived: list[int] = []
    with answering(lambda: [reply]) as host, pytest.raises(NetworkProblem) as caught:
        fetch(f"http://{host}/", (host,), SMALL, forbidden, spend=arrived.append)
    assert words in caught.value.message
    assert sum(arrived) <= SMALL.max_response_bytes + 65_536


@pytest.mark.parametrize(
    "reply",
    [
        b"HTTP/1.1 100 Continue\r\nA: b\r\n\r\n" + OK + b"Content-Length: 4\r\n\r\nbody",
        OK + b"Content-Length: 4\r\nContent-Length: 4\r\n\r\nbody, and more",
        CHUNKED + b"04;a=b\r\nbody\r\n0\r\nA: b\r\n\r\n",
        OK + b"Content-Encoding: identity\r\n\r\nbody",
    ],
)
def test_unusual_answers_that_are_valid(reply: bytes) -> None:
    with answering(lambda: [reply]) as host:
        assert fetch(f"http://{host}/", (host,), SMALL, forbidden) == b"body"


def test_what_is_told_of_the_bytes_that_arrive_can_end_a_fetch() -> None:
    def spend(count: int) -> None:
        raise LookupError(count)

    with answering(lambda: [OK]) as host, pytest.raises(LookupError, match=str(len(OK))):
        fetch(f"http://{host}/", (host,), SMALL, forbidden, spend=spend)


def test_a_slow_resolver_does_not_hold_us_up() -> None:
    def slow(host: str, port: int) -> list[str]:
        time.sleep(5)
        return []

    start = time.monotonic()
    problem = refusal("http://a.example/", ("a.example",), Limits(fetch_seconds=1), slow)
    assert "within `fetch_seconds`" in problem.message
    assert time.monotonic() - start < 2


def test_nobody_listens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        problem = refusal(f"http://127.0.0.1:{port}/", ("127.0.0.1",))
    assert problem.code == "network_failed"
    assert "refused the connection" in problem.message


@pytest.mark.parametrize(
    ("errors", "tried", "words"),
    [
        ([OSError(errno.EHOSTUNREACH, "no")], 2, None),
        ([OSError(errno.EHOSTUNREACH, "no")] * 2, 2, "could not be reached"),
        ([ConnectionRefusedError(), ConnectionRefusedError()], 2, "refused the connection"),
        ([ConnectionRefusedError(), ConnectionResetError()], 2, "ended the connection too early"),
        # no time is left for another one
        ([TimeoutError()], 1, "did not answer completely within `fetch_seconds` (2 s)"),
    ],
)
def test_addresses_are_tried_in_their_order(
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
    errors: list[OSError],
    tried: int,
    words: str | None,
) -> None:
    asked: list[str] = []
    left, real = iter(errors), socket.create_connection

    def connect(address: tuple[str, int], timeout: float) -> socket.socket:
        asked.append(address[0])
        assert 0 < timeout <= 2
        error = next(left, None)
        if error is not None:
            raise error
        return real(server.server_address[:2], timeout)  # type: ignore[arg-type]

    def resolve(host: str, port: int) -> list[str]:
        return ["8.8.8.8", "1.1.1.1"]

    monkeypatch.setattr(socket, "create_connection", connect)
    if words is None:
        assert fetch("http://a.example/", ("a.example",), SMALL, resolve) == b"body"
    else:
        problem = refusal("http://a.example/", ("a.example",), resolve=resolve)
        assert problem.code == "network_failed"
        assert problem.message == f"`a.example` {words}"
    assert asked == ["8.8.8.8", "1.1.1.1"][:tried]


# --- hosts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/away", "/inside", "/to-file"])
def test_redirects_are_checked(server: Server, path: str) -> None:
    with running(Server()) as other:
        server.other_port = other.server_address[1]
        problem = refusal(f"http://{server.host}{path}?secret", (server.host,))
        assert problem.code == "network_not_allowed"
        assert other.requests == []
        both = (server.host, other.host)
        assert path != "/inside" or fetch(f"http://{server.host}{path}", both, SMALL) == b"body"


@pytest.mark.parametrize(
    ("entry", "host", "port", "expected"),
    [
        ("example.com", "example.com", 80, True),
        ("Example.COM.", "example.com", 8443, True),
        ("example.com", "a.example.com", 80, False),
        ("example.com", "badexample.com", 80, False),
        ("example.com:8443", "example.com", 8443, True),
        ("example.com:8443", "example.com", 443, False),
        ("*.example.com", "a.b.example.com", 80, True),
        ("*.example.com", "example.com", 80, False),
        ("*.example.com", "badexample.com", 80, False),
        ("*.example.com:81", "a.example.com", 81, True),
        ("*.example.com:81", "a.example.com", 80, False),
        ("*.0.0.1", "127.0.0.1", 80, False),
        ("*", "example.com", 80, False),
        ("*.", "example.com", 80, False),
        ("", "example.com", 80, False),
        ("10.0.0.7", "10.0.0.7", 80, True),
        ("10.0.0.7:81", "10.0.0.7", 80, False),
        ("::1", "::1", 80, True),
        ("[::1]", "::1", 80, True),
        ("[0:0::1]:81", "::1", 81, True),
        ("[::1]:81", "::1", 80, False),
        ("127.0.0.1", "::ffff:127.0.0.1", 80, False),
    ],
)
def test_the_allow_list(entry: str, host: str, port: int, expected: bool) -> None:
    assert allows(entry, host, port) is expected


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "FILE:///etc/passwd",
        "ftp://example.com/",
        "data:,x",
        "gopher://example.com/",
        "//example.com/",
        "example.com",
        "",
        "http://user@example.com/",
        "http://user:secret@example.com/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://0/",
        "http://127.0.0.1./",
        "http://[::ffff:127.0.0.1]/",
        "http://[::1]/",
        "http://[fe80::1%25eth0]/",
        "http://localhost/",
        "http://other.com/",
        "http://example.com.other.com/",
        "http://example.com:81@other.com/",
        "http://①②⑦.⓪.⓪.①/",
    ],
)
def test_what_may_not_be_asked(url: str) -> None:
    problem = refusal(url, ("example.com", "*.example.com"))
    assert problem.code in ("network_not_allowed", "invalid_argument")


@pytest.mark.parametrize(
    "url",
    [
        "http://",
        "http:///path",
        "http://example.com:x/",
        "http://example.com:0/",
        "http://example.com:99999/",
        "http://[::1/",
        "http://exa mple.com/",
        "http://example.com/\r\nX: y",
        "http://example.com\\@other.com/",
        "http://ex_ä\u200b.com/",
        f"http://{'ä' * 70}.example.com/",
        "http://ä..example.com/",
        "http://.example.com/",
        "http://-a.example.com/",
        f"http://{'a' * 64}.example.com/",
        f"http://{'a.' * 130}example.com/",
        "http://a%2eexample.com/",
    ],
)
def test_bad_addresses(url: str) -> None:
    problem = refusal(url, ("example.com", "*.example.com"))
    assert problem.code == "invalid_argument", problem.message


# --- addresses ----------------------------------------------------------------------------------

DENIED = """
0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254
168.63.129.16 169.254.0.1 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.8
192.0.0.192 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.1 192.175.48.1 198.18.0.1
198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 ::
::1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254
::ffff:0:127.0.0.1 64:ff9b::127.0.0.1 64:ff9b::8.8.8.8 64:ff9b:1::1 100::1 2001::1 2001:0:1::1
2001:2::1 2001:10::1 2001:20::1 2001:1ff::1 2001:db8::1 2002:7f00:1:: 2002:808:808::
2620:4f:8000::1 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fd12:3456::1 fe80::1 febf::1 fec0::1 ff02::1
1::1 4000::1 8000::1
"""
PUBLIC = """
1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1
172.15.255.255 172.32.0.0 192.0.1.1 192.167.255.255 198.17.255.255 198.20.0.0 223.255.255.255
::ffff:8.8.8.8 2001:4860:4860::8888 2001:200::1 2003::1 2606:4700::1111 3ffe::1 3fff:1000::1
2001:db7:ffff::1 2001:db9::1 2620:4f:7fff::1 2620:4f:8001::1 192.31.195.255 192.31.197.0
192.52.192.255 192.52.194.0 192.88.98.255 192.88.100.0 192.175.47.255 192.175.49.0 198.51.99.255
198.51.101.0 203.0.112.255 203.0.114.0 168.63.129.15 168.63.129.17 169.253.255.255
169.255.0.0 1.0.0.0
"""


@pytest.mark.parametrize("address", DENIED.split())
def test_addresses_that_are_not_public(address: str) -> None:
    assert not may_connect(unwrapped(ipaddress.ip_address(address)), "a.example")
    problem = refusal("http://a.example/", ("a.example",), resolve=lambda *_: [address])
    assert problem.code == "network_not_allowed"
    assert "has an address that is not public" in problem.message


@pytest.mark.parametrize("address", PUBLIC.split())
def test_addresses_that_are_public(address: str) -> None:
    assert may_connect(unwrapped(ipaddress.ip_address(address)), "a.example")


@pytest.mark.parametrize(
    "answers",
    [
        ["8.8.8.8", "127.0.0.1"],
        ["fe80::1%eth0"],
        ["2606:4700::1111%eth0"],
        ["127.1"],
        ["2130706433"],
        ["x"],
    ],
)
def test_one_address_that_is_not_public_is_enough(answers: list[str]) -> None:
    problem = refusal("http://a.example/", ("a.example",), resolve=lambda *_: answers)
    assert problem.code == "network_not_allowed"


@pytest.mark.parametrize("spelling", ["127.1", "2130706433", "0x7f000001", "0"])
def test_numbers_are_refused_even_when_the_list_has_them(spelling: str) -> None:
    problem = refusal(f"http://{spelling}/", (spelling,), resolve=lambda *_: ["127.0.0.1"])
    assert problem.code == "network_not_allowed"
    assert "a number, not a host name" in problem.message


def test_unknown_hosts() -> None:
    def unknown(host: str, port: int) -> list[str]:
        raise socket.gaierror

    resolvers: list[Callable[[str, int], list[str]]] = [unknown, lambda *_: []]
    for resolve in resolvers:
        problem = refusal("http://a.example/", ("a.example",), resolve=resolve)
        assert problem.message == "the host `a.example` was not found"


def test_a_name_is_resolved_once_and_the_checked_address_is_asked(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, int]] = []
    connected: list[tuple[str, int]] = []
    answers = iter([["93.184.215.14"], ["127.0.0.1"]])
    real = socket.create_connection

    def resolve(host: str, port: int) -> list[str]:
        asked.append((host, port))
        return next(answers)

    def connect(address: tuple[str, int], timeout: float) -> socket.socket:
        connected.append(address)
        return real(server.server_address[:2], timeout)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "create_connection", connect)
    assert fetch("http://Rebind.example/ok", ("rebind.example",), SMALL, resolve) == b"body"
    assert asked == [("rebind.example", 80)]
    assert connected == [("93.184.215.14", 80)]
    assert server.requests[0][1]["Host"] == "rebind.example"


def test_localhost_is_this_machine_only(server: Server) -> None:
    port = server.server_address[1]
    url = f"http://localhost:{port}/ok"
    assert fetch(url, ("localhost",), SMALL, lambda *_: ["127.0.0.1"]) == b"body"
    assert fetch(url, (f"localhost:{port}",), SMALL, lambda *_: ["::1", "127.0.0.1"]) == b"body"
    problem = refusal(url, ("localhost",), resolve=lambda *_: ["169.254.169.254"])
    assert problem.code == "network_not_allowed"


# --- TLS ----------------------------------------------------------------------------------------


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")
def test_certificates_are_checked(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, certificate = tmp_path / "key", tmp_path / "certificate"
    request = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
    names = "-addext subjectAltName=DNS:localhost"
    subprocess.run(
        ["openssl", *request.split(), *names.split(), "-keyout", key, "-out", certificate],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    port = server.server_address[1]
    url = f"https://localhost:{port}"

    def resolve(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    problem = refusal(f"{url}/ok", ("localhost",), resolve=resolve)
    assert problem.message == "the certificate of `localhost` is not trusted"
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert fetch(f"{url}/ok", ("localhost",), SMALL, resolve) == b"body"
    log = tmp_path / "keylog"
    monkeypatch.setenv("SSLKEYLOGFILE", str(log))
    assert fetch(f"{url}/chunked", ("localhost",), SMALL, resolve) == b"body"
    assert not log.exists()
    problem = refusal(f"{url}/truncated", ("localhost",), resolve=resolve)
    assert "ended the connection too early" in problem.message
    # the certificate is for another name
    problem = refusal(f"https://127.0.0.1:{port}/ok", ("127.0.0.1",))
    assert "is not trusted" in problem.message
    problem = refusal(f"{url}/away", ("localhost", "example.com"), resolve=resolve)
    assert problem.code == "network_not_allowed"
    assert "from `https` to `http`" in problem.message


def test_a_server_without_tls(server: Server) -> None:
    problem = refusal(f"https://{server.host}/ok", (server.host,))
    assert "no secure connection" in problem.message


def test_a_server_that_is_slow_before_it_is_known() -> None:
    def drip() -> Iterator[bytes]:
        yield b"\x16\x03\x03\x40\x00"  # a record of TLS, of 16 KiB
        for _ in range(100):
            time.sleep(0.1)
            yield b"\x02"

    with answering(drip) as host:
        start = time.monotonic()
        problem = refusal(f"https://{host}/", (host,), Limits(fetch_seconds=1))
        assert "within `fetch_seconds` (1 s)" in problem.message
        assert time.monotonic() - start < 2


def test_a_server_that_is_silent_before_it_is_known() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        host = f"127.0.0.1:{silent.getsockname()[1]}"
        start = time.monotonic()
        problem = refusal(f"https://{host}/", (host,), Limits(fetch_seconds=1))
    assert "within `fetch_seconds` (1 s)" in problem.message
    assert time.monotonic() - start < 2


@pytest.mark.parametrize(
    ("url", "name"), [("https://a.example/ok", ""), ("https://a.example:8443/ok", ":8443")]
)
def test_the_usual_port_is_not_named(
    server: Server, monkeypatch: pytest.MonkeyPatch, url: str, name: str
) -> None:
    asked: list[tuple[str, int]] = []
    real = socket.create_connection

    def connect(address: tuple[str, int], timeout: float) -> socket.socket:
        asked.append(address)
        return real(server.server_address[:2], timeout)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "create_connection", connect)
    monkeypatch.setattr(network._Connection, "_with_tls", lambda self, plain: plain)
    assert fetch(url, ("a.example",), SMALL, lambda *_: ["8.8.8.8"]) == b"body"
    assert asked == [("8.8.8.8", int(name[1:] or 443))]
    assert server.requests[0][1]["Host"] == f"a.example{name}"


def test_headers_are_for_the_first_server_only(server: Server) -> None:
    headers = {"Authorization": "Bearer hunter2"}
    assert fetch(f"http://{server.host}/here", (server.host,), SMALL, headers=headers) == b"body"
    assert [sent.get("Authorization") for _, sent in server.requests] == ["Bearer hunter2"] * 2
    with running(Server()) as other:
        server.requests.clear()
        server.other_port = other.server_address[1]
        allowed = (server.host, other.host)
        assert fetch(f"http://{server.host}/inside", allowed, SMALL, headers=headers) == b"body"
        assert [sent.get("Authorization") for _, sent in server.requests] == ["Bearer hunter2"]
        assert [sent.get("Authorization") for _, sent in other.requests] == [None]


def test_the_host_that_the_user_has_set_up_may_be_private(server: Server) -> None:
    port = server.server_address[1]

    def resolve(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    url = f"http://minio.internal:{port}/ok"
    assert refusal(url, ("minio.internal",), resolve=resolve).code == "network_not_allowed"
    allowed = ("minio.internal",)
    assert fetch(url, allowed, SMALL, resolve, own_host="minio.internal") == b"body"
    assert refusal(url, (), resolve=resolve).code == "network_not_allowed"
