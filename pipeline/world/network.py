"""The only module that opens sockets: one bounded HTTP request to hosts that the user allowed.

Loaded only when a blueprint fetches something. A name is resolved once, every address it has is
checked, and the connection goes to a checked address, so that a later answer of the name server
changes nothing. There are no proxies, no cookies, no credentials but those that a caller gives, and
no environment variables (except those with which OpenSSL finds the certificates of this machine).
"""

from __future__ import annotations

import http.client
import io
import ipaddress
import re
import socket
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from ...functions.value_limits import raising
from ..values.settings import Limits, how_to_raise
from ..values.threads import Deadline, within
from ..values.version import VERSION

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer


Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

# `ipaddress.is_global` calls several of these global, and which ones depends on the Python version
_DENIED: Final = tuple(
    ipaddress.ip_network(network)
    for networks in (
        "0.0.0.0/8",  # this host
        "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16",  # private
        "100.64.0.0/10",  # carrier-grade NAT, a metadata service
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # a cloud's platform service
        "169.254.0.0/16",  # link-local, metadata services
        "192.0.0.0/24",  # protocol assignments, a metadata service
        "192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20",  # documentation
        "192.31.196.0/24 192.175.48.0/24 2620:4f:8000::/48",  # AS112
        "192.52.193.0/24",  # AMT relays
        "192.88.99.0/24",  # 6to4 relays
        "198.18.0.0/15",  # benchmarks
        "224.0.0.0/4 ff00::/8",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
        "::/96",  # unspecified, loopback, IPv4-compatible
        "::ffff:0:0:0/96",  # IPv4-translated
        "64:ff9b::/96",  # NAT64
        "64:ff9b:1::/48",  # local NAT64
        "100::/64",  # discarded
        "2001::/23",  # Teredo, ORCHID, benchmarks
        "2002::/16",  # 6to4
        "5f00::/16",  # segment routing
        "fc00::/7",  # private, a metadata service
        "fe80::/10",  # link-local
        "fec0::/10",  # site-local
    )
    for network in networks.split()
)
_GLOBAL_V6: Final = ipaddress.ip_network("2000::/3")


def literal_address(host: str) -> Address | None:
    """The IP address in a text, or None; one with a zone, which is local, is not accepted."""
    try:
        return None if "%" in host else ipaddress.ip_address(host)
    except ValueError:
        return None


def allows(entry: str, host: str, port: int) -> bool:
    """True when an entry of the allow list names a host, in lower case, and a port of it.

    An entry is `host`, `host:port` or either with `*.` in front, which stands for any host below
    the name, though not for the name itself and not for IP addresses.
    """
    name, wanted_port = _parts(entry)
    if wanted_port is not None and wanted_port != str(port):
        return False
    if name.startswith("*."):
        return host.endswith(name[1:]) and literal_address(host) is None
    return name == host


def unwrapped(address: Address) -> Address:
    """The IPv4 address in an IPv6 address that only wraps one."""
    return getattr(address, "ipv4_mapped", None) or address


def may_connect(address: Address, host: str) -> bool:
    """True for a public address, and for this machine's own when it is asked as `localhost`."""
    if host == "localhost":
        return address.is_loopback
    if address.version == 6 and address not in _GLOBAL_V6:
        return False
    return not any(address in network for network in _DENIED)


def _parts(entry: str) -> tuple[str, str | None]:
    """The host of an entry and its port, if it has one."""
    text = entry.strip().lower()
    literal = literal_address(text)
    if literal is not None:
        return str(literal), None
    name, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        name, port = text, ""
    literal = literal_address(name.removeprefix("[").removesuffix("]"))
    return (str(literal) if literal is not None else name.removesuffix(".")), port or None


Resolver: TypeAlias = Callable[[str, int], list[str]]
"""The addresses of a host name, as text; raises OSError when it has none."""

NOT_ALLOWED: Final = "network_not_allowed"
FAILED: Final = "network_failed"
INVALID: Final = "invalid_argument"

_MAX_REDIRECTS: Final = 3
_CHUNK: Final = 65_536
_HEAD: Final = 65_536
"""The most bytes that the status line and the headers may take, those of interim answers too."""
_PORTS: Final = {"http": 80, "https": 443}
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_HOST_CHARS: Final = 253
_HOST: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?:\.(?!-)[a-z0-9_-]{1,63})*")
_LENGTH: Final = re.compile(r"[0-9]{1,18}")
_NUMERIC: Final = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)")


class NetworkProblem(Exception):
    """Why something was not fetched, in plain words; neither path nor query is ever quoted.

    `code` is `network_not_allowed`, `network_failed`, or `invalid_argument` for an address that no
    server could have. `status` is what a server answered when that was no success, else 0.
    """

    def __init__(self, code: str, message: str, hint: str | None = None, status: int = 0) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.status = status


def system_addresses(host: str, port: int) -> list[str]:
    """The addresses that this machine's resolver knows for a host name."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def fetch(
    url: str,
    allowed: tuple[str, ...],
    limits: Limits,
    resolve: Resolver = system_addresses,
    *,
    headers: Mapping[str, str] | None = None,
    own_host: str = "",
    deadline: Deadline | None = None,
    spend: Callable[[int], None] | None = None,
) -> bytes:
    """The body of the answer to a GET request.

    `allowed` lists hosts: `example.com`, `example.com:8443`, `*.example.com`, `10.0.0.7`, `[::1]`.
    Addresses that are not public are refused, unless the host is allowed as that very address, or
    as `localhost` for the addresses of the machine itself, or is `own_host`, which the user has
    set up. At most three redirects are followed, each checked like the first address; `headers`
    are for the first server only. The whole takes at most `limits.fetch_seconds`. `spend` is told
    of the bytes that arrive, whatever they are; what it raises ends the fetch.

    Raises:
        NetworkProblem: when it may not or cannot be fetched, or the answer is not a success.
    """
    deadline = deadline or Deadline(limits.fetch_seconds)
    target = first = _parse(url)
    for _ in range(_MAX_REDIRECTS + 1):
        host, port = _host(target), _port(target)
        _check_allowed(host, port, allowed)
        addresses = _checked_addresses(host, port, allowed, resolve, deadline, own_host)
        sent = {**_HEADERS, **(headers or {})} if _same_server(target, first) else _HEADERS
        secure = target.scheme.lower() == "https"
        connection = _Connection(host, port, addresses, secure, deadline, spend)
        answer = _ask(connection, target, limits, sent)
        if isinstance(answer, bytes):
            return answer
        target = _redirected(target, answer.location)
    raise NetworkProblem(
        FAILED, f"`{_host(target)}` redirects more than {_MAX_REDIRECTS} times in a row"
    )


def allowed_host(url: str, allowed: tuple[str, ...]) -> str:
    """The host of an address that may be asked; nothing is sent.

    Raises:
        NetworkProblem: when it may not, or the address is invalid.
    """
    target = _parse(url)
    host = _host(target)
    _check_allowed(host, _port(target), allowed)
    return host


class _Redirect:
    def __init__(self, location: str) -> None:
        self.location = location


def _parse(url: str) -> SplitResult:
    if not url.isprintable() or " " in url or "\\" in url:
        raise NetworkProblem(INVALID, "the address contains an invalid character")
    try:
        target = urlsplit(url)
        port_fits = target.port is None or target.port > 0
    except ValueError:
        raise NetworkProblem(INVALID, "the address is not a valid URL") from None
    scheme = target.scheme.lower()
    if scheme not in _PORTS:
        shown = f"`{scheme[:20]}`" if scheme else "an address without a scheme"
        raise NetworkProblem(
            INVALID,
            f"{shown} cannot be fetched, only `http` and `https` can",
            "use `file` to read a file" if scheme == "file" else None,
        )
    if not target.hostname or not port_fits:
        raise NetworkProblem(INVALID, "the address is not a valid URL")
    if target.username is not None or target.password is not None:
        raise NetworkProblem(
            NOT_ALLOWED, "addresses with a user name or a password are not fetched"
        )
    return target


def _host(target: SplitResult) -> str:
    """The host in lower case: a name in ASCII or an IP address in its shortest form."""
    host = (target.hostname or "").removesuffix(".")
    literal = literal_address(host)
    if literal is not None:
        return str(literal)
    if len(host) > _HOST_CHARS:  # the work of encoding one grows with the square of its length
        raise NetworkProblem(INVALID, "the host name is not valid")
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            raise NetworkProblem(INVALID, "the host name is not valid") from None
    host = host.lower()
    if not _HOST.fullmatch(host) or len(host) > _HOST_CHARS:
        raise NetworkProblem(INVALID, "the host name is not valid")
    if _NUMERIC.fullmatch(host.rpartition(".")[2]):
        raise NetworkProblem(
            NOT_ALLOWED,
            f"`{host}` is a number, not a host name",
            "write an IP address as four numbers from 0 to 255",
        )
    return host


def _port(target: SplitResult) -> int:
    return target.port or _PORTS[target.scheme.lower()]


def _same_server(one: SplitResult, other: SplitResult) -> bool:
    return (one.scheme, _host(one), _port(one)) == (other.scheme, _host(other), _port(other))


def _check_allowed(host: str, port: int, allowed: tuple[str, ...]) -> None:
    if any(allows(entry, host, port) for entry in allowed):
        return
    raise NetworkProblem(
        NOT_ALLOWED,
        f"`{host}` is not an allowed host",
        f"allow it with `--allow-net {host}`",
    )


def _checked_addresses(
    host: str,
    port: int,
    allowed: tuple[str, ...],
    resolve: Resolver,
    deadline: Deadline,
    own_host: str,
) -> list[Address]:
    literal = literal_address(host)
    if literal is not None:
        # the allow list names this very address, or it would not have come this far
        return [unwrapped(literal)]
    try:
        # the system's resolver knows no deadline of its own
        texts = within(deadline, lambda: resolve(host, port))
    except (OSError, UnicodeError) as error:
        raise _failure(error, host, deadline) from None
    addresses = []
    for text in texts:
        address = literal_address(text)
        if address is None or not (host == own_host or may_connect(unwrapped(address), host)):
            raise NetworkProblem(
                NOT_ALLOWED,
                f"`{host}` has an address that is not public",
                "to reach a host in a private network, name its IP address in the blueprint and "
                "with `--allow-net`",
            )
        addresses.append(unwrapped(address))
    if not addresses:
        raise NetworkProblem(FAILED, f"the host `{host}` was not found")
    return addresses


def _ask(
    connection: _Connection, target: SplitResult, limits: Limits, headers: Mapping[str, str]
) -> bytes | _Redirect:
    host = connection.host
    path = quote(target.path or "/", safe="/%:@!$&'()*+,;=~")
    if target.query:
        path += "?" + quote(target.query, safe="/%:@!$&'()*+,;=~?")
    response = None
    try:
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        location = response.getheader("Location")
        if response.status in _REDIRECTS and location:
            return _Redirect(location)
        if not 200 <= response.status < 300 or response.status == http.client.PARTIAL_CONTENT:
            raise NetworkProblem(
                FAILED,
                f"`{host}` answered with the status {response.status}",
                status=response.status,
            )
        return _body(response, connection, limits)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise _failure(error, host, connection.deadline) from None
    finally:
        if response is not None:
            response.close()
        connection.finish()


_HEADERS: Final[Mapping[str, str]] = {
    "User-Agent": f"bpp/{VERSION}",
    "Accept": "*/*",
    "Connection": "close",
}


def _body(response: http.client.HTTPResponse, connection: _Connection, limits: Limits) -> bytes:
    host, limit = connection.host, limits.max_response_bytes
    encoding = (response.getheader("Content-Encoding") or "identity").strip().lower()
    if encoding != "identity":
        # a small compressed body can hold any amount of data
        raise NetworkProblem(
            FAILED, f"`{host}` answered with a compressed body, which was not asked for"
        )
    _check_framing(response)
    too_large = NetworkProblem(
        FAILED,
        f"`{host}` answers with more than `max_response_bytes` allows ({limit} bytes)",
        how_to_raise("max_response_bytes", limits),
    )
    # `http.client` believes the sizes of chunks, and reads any number of chunks and trailers
    connection.arrivals.allow(limit, too_large)
    promised = response.length
    parts: list[bytes] = []
    size = 0
    while size <= limit and (promised is None or promised <= limit):
        part = response.read(_CHUNK)
        if not part:
            if promised is not None and size != promised:
                raise http.client.IncompleteRead(b"")
            return b"".join(parts)
        parts.append(part)
        size += len(part)
    raise too_large


def _check_framing(response: http.client.HTTPResponse) -> None:
    """Refuses what leaves the end of a body open to interpretation (RFC 9112, section 6.3).

    `http.client` takes the first of several lengths, none for an invalid one, and reads a coding
    that it does not know as a part of the body.
    """
    lengths = response.headers.get_all("Content-Length", [])
    codings = response.headers.get_all("Transfer-Encoding", [])
    if (
        len(codings) + len(set(lengths)) > 1
        or not all(map(_LENGTH.fullmatch, lengths))
        or not {coding.lower() for coding in codings} <= {"chunked"}
    ):
        raise http.client.HTTPException


def _redirected(target: SplitResult, location: str) -> SplitResult:
    try:
        url = urljoin(target.geturl(), location)
    except ValueError:
        raise NetworkProblem(FAILED, "the server redirects to an invalid address") from None
    if url.partition(":")[0].lower() not in _PORTS:
        raise NetworkProblem(
            NOT_ALLOWED, f"`{_host(target)}` redirects to neither `http` nor `https`"
        )
    try:
        following = _parse(url)
        _host(following)
    except NetworkProblem as problem:
        if problem.code != INVALID:
            raise
        # not the blueprint's mistake: the address is the server's
        raise NetworkProblem(FAILED, f"`{_host(target)}` redirects to an invalid address") from None
    if target.scheme.lower() == "https" and following.scheme.lower() != "https":
        raise NetworkProblem(
            NOT_ALLOWED, f"`{_host(target)}` redirects from `https` to `{following.scheme}`"
        )
    return following


class _Response(http.client.HTTPResponse):
    """An answer with few trailers: `http.client` reads any number, line by line."""

    def _read_and_discard_trailer(self) -> None:
        for _ in range(_MOST_TRAILERS):
            line = self.fp.readline(_LONGEST_TRAILER + 1)
            if len(line) > _LONGEST_TRAILER:
                break
            if line in (b"\r\n", b"\n", b""):
                return
        raise http.client.HTTPException


_MOST_TRAILERS: Final = 100
_LONGEST_TRAILER: Final = 1 << 16


class _Connection(http.client.HTTPConnection):
    """A connection to one of the checked addresses, whatever the name resolves to meanwhile."""

    response_class = _Response

    def __init__(
        self,
        host: str,
        port: int,
        addresses: list[Address],
        secure: bool,
        deadline: Deadline,
        spend: Callable[[int], None] | None,
    ) -> None:
        super().__init__(host, port)
        if secure:
            self.default_port = _PORTS["https"]  # the Host header leaves out the usual port
        self.deadline = deadline
        self._addresses = addresses
        self._secure = secure
        self._spend = spend
        self._connected: socket.socket | None = None

    def connect(self) -> None:
        """Try the addresses in their order."""
        for last, address in enumerate(self._addresses, 1 - len(self._addresses)):
            try:
                plain = socket.create_connection((str(address), self.port), self.deadline.left())
                break
            except TimeoutError:
                raise
            except OSError:
                if last == 0:
                    raise
        self._connected = plain
        if self._secure:
            self._connected = self._with_tls(plain)
        self.arrivals = _Arrivals(self._connected, self.deadline, self._spend)
        too_long = f"the headers of `{self.host}` are longer than {_HEAD} bytes"
        self.arrivals.allow(_HEAD, NetworkProblem(FAILED, too_long))
        self.sock: Any = _BoundSocket(self._connected, self.deadline, self.arrivals)

    def finish(self) -> None:
        """Close the socket; `close` is called while the body is still to be read."""
        if self._connected is not None:
            self._connected.close()

    def _with_tls(self, plain: socket.socket) -> socket.socket:
        import ssl

        # unlike `create_default_context` this writes no key log, whatever the environment says
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_default_certs()
        plain.settimeout(self.deadline.left())
        try:
            return context.wrap_socket(plain, server_hostname=self.host)
        except ssl.SSLCertVerificationError:
            raise NetworkProblem(
                FAILED, f"the certificate of `{self.host}` is not trusted"
            ) from None
        except ssl.SSLError:
            raise NetworkProblem(
                FAILED, f"no secure connection to `{self.host}` could be made"
            ) from None


class _BoundSocket:
    """The parts of a socket that `http.client` uses."""

    def __init__(self, connected: socket.socket, deadline: Deadline, arrivals: _Arrivals) -> None:
        self._connected = connected
        self._deadline = deadline
        self._arrivals = arrivals

    def sendall(self, data: ReadableBuffer) -> None:
        self._connected.settimeout(self._deadline.left())
        self._connected.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(self._arrivals, _CHUNK)

    def close(self) -> None:
        """Nothing: the connection closes its socket when it is done with it."""


class _Arrivals(io.RawIOBase):
    """The bytes from a server: at most as many as are allowed, and none after the deadline.

    A timeout of a socket begins anew with each byte that arrives, so it alone bounds nothing.
    """

    def __init__(
        self, connected: socket.socket, deadline: Deadline, spend: Callable[[int], None] | None
    ) -> None:
        self._connected = connected
        self._deadline = deadline
        self._spend = spend
        self._left = 0

    def allow(self, more: int, problem: NetworkProblem) -> None:
        """Lets more bytes through; the problem is raised where another one is asked for."""
        self._left += more
        self._problem = problem

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        if self._left <= 0:
            raise self._problem
        self._connected.settimeout(self._deadline.left())
        count = self._connected.recv_into(memoryview(buffer)[: self._left])
        self._left -= count
        if self._spend is not None:
            self._spend(count)
        return count


def _failure(error: Exception, host: str, deadline: Deadline) -> NetworkProblem:
    """The problem for an error of the system or the protocol, without quoting its text."""
    if isinstance(error, TimeoutError):
        limit = f"`fetch_seconds` ({deadline.seconds:g} s)"
        hint = raising("fetch_seconds", int(deadline.seconds))
        return NetworkProblem(FAILED, f"`{host}` did not answer completely within {limit}", hint)
    if isinstance(error, (socket.gaierror, UnicodeError)):
        return NetworkProblem(FAILED, f"the host `{host}` was not found")
    if isinstance(error, ConnectionRefusedError):
        return NetworkProblem(FAILED, f"`{host}` refused the connection")
    if isinstance(error, (http.client.IncompleteRead, ConnectionError)):
        return NetworkProblem(FAILED, f"`{host}` ended the connection too early")
    if isinstance(error, OSError):
        return NetworkProblem(FAILED, f"`{host}` could not be reached")
    return NetworkProblem(FAILED, f"the answer of `{host}` is not valid HTTP")
