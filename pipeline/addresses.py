"""Which hosts the user allowed, and which addresses are public: pure tables and comparisons."""

from __future__ import annotations

import ipaddress
from typing import Final, TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

# `ipaddress.is_global` calls several of these global, and which ones depends on the Python version
_DENIED: Final = tuple(
    ipaddress.ip_network(network)
    for network in (
        "0.0.0.0/8",  # this host
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT, a metadata service
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # a cloud's platform service
        "169.254.0.0/16",  # link-local, metadata services
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments, a metadata service
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # AMT relays
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
        "::/96",  # unspecified, loopback, IPv4-compatible
        "::ffff:0:0:0/96",  # IPv4-translated
        "64:ff9b::/96",  # NAT64
        "64:ff9b:1::/48",  # local NAT64
        "100::/64",  # discarded
        "2001::/23",  # Teredo, ORCHID, benchmarks
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
        "5f00::/16",  # segment routing
        "fc00::/7",  # private, a metadata service
        "fe80::/10",  # link-local
        "fec0::/10",  # site-local
        "ff00::/8",  # multicast
    )
)
_GLOBAL_V6: Final = ipaddress.ip_network("2000::/3")


def literal_address(host: str) -> Address | None:
    """The IP address that a text is; an address with a zone, which is a local one, is none."""
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
