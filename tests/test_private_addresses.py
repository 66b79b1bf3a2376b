"""No spelling of an address that is not public is ever connected to, by whatever way it comes.

Nothing here touches the network: `socket` is replaced by something that keeps a list.
"""

from __future__ import annotations

import ipaddress
import itertools
import socket
from collections.abc import Callable, Iterator

import pytest
from bpp.pipeline.values.settings import Limits
from bpp.pipeline.world.network import NetworkProblem, fetch, may_connect, unwrapped

LIMITS = Limits(max_response_bytes=1000, fetch_seconds=5)
PUBLIC = "93.184.215.14"
ALLOWED = ("example.com", "*.example.com")

PRIVATE_V4 = """
0.0.0.0 0.0.0.1 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 127.0.0.1 127.0.1.1
127.255.255.254 168.63.129.16 169.254.0.1 169.254.169.254 169.254.170.2 172.16.0.1 172.17.0.1
172.31.255.255 192.0.0.1 192.0.0.8 192.0.0.170 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1
192.168.1.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 224.0.0.251
239.255.255.250 240.0.0.1 255.255.255.255
"""
PRIVATE_V6 = """
:: ::1 64:ff9b::1 64:ff9b:1::1 100::1 2001::1 2001:db8::1 2002:a00:1:: 2620:4f:8000::1 3fff::1
5f00::1 fc00::1 fd00:ec2::254 fd20:ce::254 fe80::1 fec0::1 ff02::1 4000::1
"""


def spellings_v4(text: str) -> Iterator[str]:
    """Ways to write an IPv4 address that some program or other understands."""
    address = ipaddress.IPv4Address(text)
    number = int(address)
    a, b, c, d = address.packed
    high, low = divmod(number, 1 << 16)
    yield text
    yield f"{text}."
    yield str(number)
    yield hex(number)
    yield hex(number).upper()
    yield f"0{number:o}"
    yield f"{a}.{number & 0xFFFFFF}"
    yield f"{a}.{b}.{number & 0xFFFF}"
    yield f"0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}"
    yield f"0{a:o}.0{b:o}.0{c:o}.0{d:o}"
    yield f"{a:03}.{b:03}.{c:03}.{d:03}"
    yield f"0x{a:02X}.{b}.0{c:o}.{d}"
    yield "".join(chr(0xFF10 + int(x)) if x.isdigit() else x for x in text)  # wide digits
    yield text.replace(".", "。")
    yield text.replace(".", "%2e")
    yield f"[::ffff:{text}]"
    yield f"[::FFFF:{high:X}:{low:X}]"
    yield f"[0:0:0:0:0:ffff:{high:04x}:{low:04x}]"
    yield f"[::{text}]"
    yield f"[::ffff:0:{text}]"
    yield f"[64:ff9b::{text}]"
    yield f"[64:ff9b:1::{text}]"
    yield f"[2002:{high:x}:{low:x}::]"
    yield f"[2001::{high ^ 0xFFFF:x}:{low ^ 0xFFFF:x}]"


def spellings_v6(text: str) -> Iterator[str]:
    """Ways to write an IPv6 address."""
    address = ipaddress.IPv6Address(text)
    yield f"[{text}]"
    yield f"[{text.upper()}]"
    yield f"[{address.exploded}]"
    yield f"[{address.exploded.replace('0000', '0')}]"
    yield f"[{text}%25eth0]"
    yield f"[{text}%eth0]"
    high, low = address.exploded[:30], int(address) & 0xFFFFFFFF
    yield f"[{high}{ipaddress.IPv4Address(low)}]"


SPELLINGS = [
    *itertools.chain.from_iterable(map(spellings_v4, PRIVATE_V4.split())),
    *itertools.chain.from_iterable(map(spellings_v6, PRIVATE_V6.split())),
]


class Answer:
    """A connected socket with an answer to be read."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def settimeout(self, seconds: float) -> None:
        pass

    def sendall(self, data: bytes) -> None:
        pass

    def recv_into(self, buffer: memoryview) -> int:
        part, self._data = self._data[: len(buffer)], self._data[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)

    def close(self) -> None:
        pass


class Wire:
    """What stands for the network: it keeps who was connected to, and answers with one text."""

    def __init__(self) -> None:
        self.connected: list[tuple[str, int]] = []
        self.answer = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"

    def connect(self, address: tuple[str, int], timeout: float) -> Answer:
        """Stands for `socket.create_connection`."""
        self.connected.append(address)
        return Answer(self.answer)

    def redirect(self, target: str) -> None:
        """From now on the answer leads there."""
        lines = ["HTTP/1.1 302 Found", f"Location: {target}", "Content-Length: 0", "", ""]
        self.answer = "\r\n".join(lines).encode()


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Wire:
    """No network."""
    one = Wire()

    def none(*arguments: object, **named: object) -> object:
        raise AssertionError("a socket was made past `create_connection`")

    monkeypatch.setattr(socket, "create_connection", one.connect)
    monkeypatch.setattr(socket, "socket", none)
    return one


def refused(url: str, resolve: Callable[[str, int], list[str]]) -> str:
    """The code of the problem that fetching gives."""
    with pytest.raises(NetworkProblem) as caught:
        fetch(url, ALLOWED, LIMITS, resolve)
    return caught.value.code


def answering(*texts: str) -> Callable[[str, int], list[str]]:
    """A name server that always says the same."""
    return lambda host, port: list(texts)


def test_there_are_enough() -> None:
    assert len(PRIVATE_V4.split()) + len(PRIVATE_V6.split()) >= 40
    assert len(list(spellings_v4("127.0.0.1"))) >= 22
    assert len(SPELLINGS) >= 900


def test_the_wire_works(wire: Wire) -> None:
    assert fetch("http://example.com/", ALLOWED, LIMITS, answering(PUBLIC)) == b"body"
    assert wire.connected == [(PUBLIC, 80)]


def test_no_spelling_in_a_blueprint_is_connected_to(wire: Wire) -> None:
    # a resolver that would take any spelling, as some do
    for spelling in SPELLINGS:
        code = refused(f"http://{spelling}/", answering("127.0.0.1"))
        assert code in ("network_not_allowed", "invalid_argument"), spelling
    assert wire.connected == []


def test_no_answer_of_a_name_server_is_connected_to(wire: Wire) -> None:
    for spelling in SPELLINGS:
        text = spelling.strip("[]")
        for resolve in (answering(text), answering(PUBLIC, text)):
            assert refused("http://example.com/", resolve) == "network_not_allowed", text
    assert wire.connected == []


def test_no_redirect_is_followed_to_one(wire: Wire) -> None:
    for spelling in SPELLINGS:
        if not spelling.isascii():
            continue
        wire.redirect(f"http://{spelling}/")
        assert refused("http://example.com/", answering(PUBLIC)) in (
            "network_not_allowed",
            "network_failed",
        ), spelling
    assert {*wire.connected} == {(PUBLIC, 80)}


@pytest.mark.parametrize(
    "target",
    [
        "file:///etc/passwd",
        "FILE:///etc/passwd",
        "ftp://example.com/x",
        "data:text/plain,x",
        "gopher://example.com/",
        "//127.0.0.1/",
        "\\\\127.0.0.1\\x",
        "http:127.0.0.1",
        "http://example.com@127.0.0.1/",
        "http://127.0.0.1#@example.com/",
        "http://127.0.0.1\\@example.com/",
        "https://example.com:99999/",
        "javascript:x",
        "",
    ],
)
def test_redirects_elsewhere_are_not_followed(wire: Wire, target: str) -> None:
    wire.redirect(target)
    assert refused("http://example.com/", answering(PUBLIC)) in (
        "network_not_allowed",
        "network_failed",
    )
    assert {*wire.connected} == {(PUBLIC, 80)}


def test_a_name_server_that_changes_its_mind_is_asked_once(wire: Wire) -> None:
    """What was checked is what is connected to, and every hop is checked anew."""
    asked: list[str] = []
    answers = iter([PUBLIC, "127.0.0.1"])

    def rebinding(host: str, port: int) -> list[str]:
        asked.append(host)
        return [next(answers)]

    assert fetch("http://example.com/", ALLOWED, LIMITS, rebinding) == b"body"
    assert (asked, wire.connected) == (["example.com"], [(PUBLIC, 80)])
    asked.clear()
    wire.connected.clear()
    answers = iter([PUBLIC, "127.0.0.1"])
    wire.redirect("http://example.com/again")
    assert refused("http://example.com/", rebinding) == "network_not_allowed"
    assert (asked, wire.connected) == (["example.com"] * 2, [(PUBLIC, 80)])


def test_the_list_is_our_own() -> None:
    """Every address is judged alike by each Python, whatever its `is_global` says."""
    for text in (*PRIVATE_V4.split(), *PRIVATE_V6.split()):
        assert not may_connect(unwrapped(ipaddress.ip_address(text)), "example.com"), text
