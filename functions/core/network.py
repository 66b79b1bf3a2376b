"""Addresses: subnets of a CIDR block, by arithmetic alone."""

from __future__ import annotations

from typing import Final

from ..signatures import Declarations
from ..values import FunctionError

function: Final = Declarations("network", __package__)


@function("cidrsubnet(block: string, newbits: integer, netnum: integer) -> string")
def cidr_subnet(block: str, new_bits: int, number: int) -> str:
    """The `number`-th subnet of a block whose prefix is `new_bits` longer than the block's.

    Host bits of the block are ignored; the text form is that of RFC 5952.

    Raises:
        FunctionError: `invalid_cidr` for an invalid block, and for bits or a subnet number that do
            not fit into it.
    """
    version, address, prefix = parse_block(block)
    size = 32 if version == 4 else 128
    if new_bits < 0:
        raise FunctionError(
            "the new bits of `cidrsubnet` must not be negative", code="invalid_cidr", argument=1
        )
    if prefix + new_bits > size:
        raise FunctionError(
            f"`cidrsubnet` cannot add {size - prefix + 1} or more bits to a prefix of {prefix} "
            f"in an IPv{version} block",
            code="invalid_cidr",
            hint=f"an IPv{version} address has {size} bits",
            argument=1,
        )
    if not 0 <= number < 1 << new_bits:
        raise FunctionError(
            f"the subnet number of `cidrsubnet` must be between 0 and {(1 << new_bits) - 1} "
            f"for {new_bits} new bit{'' if new_bits == 1 else 's'}",
            code="invalid_cidr",
            argument=2,
        )
    hosts = size - prefix
    network = address >> hosts << hosts
    length = prefix + new_bits
    return f"{address_text(version, network | number << (size - length))}/{length}"


def parse_block(block: str) -> tuple[int, int, int]:
    """The version, address and prefix length of a CIDR block.

    Raises:
        FunctionError: `invalid_cidr`.
    """
    from ipaddress import AddressValueError, IPv4Address, IPv6Address

    text, slash, length = block.partition("/")
    if not slash:
        raise _invalid("has no prefix length", "write it like `10.0.0.0/8`")
    version = 6 if ":" in text else 4
    try:
        if "%" in text:
            raise AddressValueError
        address = int(IPv6Address(text) if version == 6 else IPv4Address(text))
    except AddressValueError:
        raise _invalid(f"has no valid IPv{version} address") from None
    digits = length.isascii() and length.isdigit() and len(length) <= 3
    if not digits or length != str(int(length)) or int(length) > (32 if version == 4 else 128):
        raise _invalid(f"has no valid prefix length for IPv{version}")
    return version, address, int(length)


def address_text(version: int, address: int) -> str:
    """An address as RFC 5952 writes it.

    IPv4-mapped addresses are spelled out here, because Python's own form depends on its version.
    """
    from ipaddress import IPv4Address, IPv6Address

    if version == 4:
        return str(IPv4Address(address))
    if address >> 32 == 0xFFFF:
        return f"::ffff:{IPv4Address(address & 0xFFFFFFFF)}"
    return str(IPv6Address(address))


def _invalid(problem: str, hint: str | None = None) -> FunctionError:
    return FunctionError(
        f"the CIDR block for `cidrsubnet` {problem}", code="invalid_cidr", hint=hint, argument=0
    )
