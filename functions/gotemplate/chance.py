"""Chance, passwords, keys and the network: what a seed or a canned answer makes reproducible."""

from __future__ import annotations

from typing import Any, Final, Protocol

from ..expr.kinds import to_bytes
from ..signatures import Declarations
from ..value_limits import DEFAULT_LIMITS, hold_chars
from ..values import FunctionError
from .guards import TYPES, failed, needs_stub

function: Final = Declarations("chance", __package__, propagates_none=False, types=TYPES)

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_DIGITS: Final = "0123456789"
_AT_ONCE: Final = 1 << 16
_ALPHABETS: Final = {
    "randAlpha": _LETTERS,
    "randAlphaNum": _LETTERS + _DIGITS,
    "randAscii": "".join(map(chr, range(32, 127))),
    "randNumeric": _DIGITS,
}


class Chance(Protocol):
    """What functions with the effect `seed` get first."""

    def stream(self) -> Any:
        """The numbers of one call; `FunctionError` without a seed."""


def _below(numbers: Any, count: int) -> int:
    """A number below another one, from bits alone: the same by all versions of Python."""
    bits = count.bit_length()
    found = count
    while found >= count:
        found = numbers.getrandbits(bits)
    return found


def _text_of(alphabet: str) -> Any:
    """What draws a text: the highest bits of each number of 32 bits, as `_below` takes them."""
    unused = 8 - len(alphabet).bit_length()
    table = (alphabet + "\0" * 128)[: 1 << 8 - unused]
    meant = bytes(ord(table[byte >> unused]) for byte in range(256))
    refused = bytes(byte for byte in range(256) if not meant[byte])

    def call(chance: Chance, length: int) -> str:
        hold_chars("rand", length, DEFAULT_LIMITS)
        numbers, pieces, left = chance.stream(), [], length
        while left > 0:
            drawn = numbers.randbytes(4 * min(left, _AT_ONCE))[3::4]
            pieces.append(drawn.translate(meant, refused))
            left -= len(pieces[-1])
        return b"".join(pieces).decode("ascii")

    return call


for _name, _alphabet in _ALPHABETS.items():
    function(f"{_name}(length: int) -> string", effect="seed")(_text_of(_alphabet))


@function("randInt(least: int, end: int) -> int", effect="seed")
def _rand_int(chance: Chance, least: int, end: int) -> int:
    if end <= least:
        raise failed("invalid argument to Intn")
    return least + _below(chance.stream(), end - least)


@function("randBytes(count: int) -> string", effect="seed")
def _rand_bytes(chance: Chance, count: int) -> str:
    from base64 import b64encode

    hold_chars("randBytes", count, DEFAULT_LIMITS)
    return b64encode(chance.stream().randbytes(max(count, 0))).decode("ascii")


@function("uuidv4() -> string", effect="seed")
def _uuid(chance: Chance) -> str:
    from uuid import UUID

    return str(UUID(bytes=chance.stream().randbytes(16), version=4))


@function("shuffle(text: string) -> string", effect="seed", weight=32)
def _shuffle(chance: Chance, text: str) -> str:
    numbers, characters = chance.stream(), [*text]
    for at in range(len(characters) - 1, 0, -1):
        other = _below(numbers, at + 1)
        characters[at], characters[other] = characters[other], characters[at]
    return "".join(characters)


# passwords

_KINDS: Final = {
    "maximum": "anoxxxxxxxxxxxxxxxxx axxxxxxxxxxxxxxxxxno",
    "long": "CvcvnoCvcvCvcv CvcvCvcvnoCvcv CvcvCvcvCvcvno CvccnoCvcvCvcv CvccCvcvnoCvcv "
    "CvccCvcvCvcvno CvcvnoCvccCvcv CvcvCvccnoCvcv CvcvCvccCvcvno CvcvnoCvcvCvcc CvcvCvcvnoCvcc "
    "CvcvCvcvCvccno CvccnoCvccCvcv CvccCvccnoCvcv CvccCvccCvcvno CvcvnoCvccCvcc CvcvCvccnoCvcc "
    "CvcvCvccCvccno CvccnoCvcvCvcc CvccCvcvnoCvcc CvccCvcvCvccno",
    "medium": "CvcnoCvc CvcCvcno",
    "short": "Cvcn",
    "basic": "aaanaaan aannaaan aaannaaa",
    "pin": "nnnn",
}
_CHARACTERS: Final = {
    "V": "AEIOU",
    "C": "BCDFGHJKLMNPQRSTVWXYZ",
    "v": "aeiou",
    "c": "bcdfghjklmnpqrstvwxyz",
    "A": "AEIOUBCDFGHJKLMNPQRSTVWXYZ",
    "a": "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz",
    "n": _DIGITS,
    "o": "@&%?,=[]_:-+*$#!'^~;()/.",
    "x": "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()",
}


@function(
    "derivePassword(counter: int, kind: string, password: string, user: string, site: string)"
    " -> string",
    weight=3_000_000,
)
def _derive_password(counter: int, kind: str, password: str, user: str, site: str) -> str:
    """The algorithm of Master Password."""
    import hashlib
    import hmac

    templates = _KINDS.get(kind, "").split()
    if not templates:
        return f"cannot find password template {kind}"
    if not 0 <= counter < 1 << 32:
        raise failed(f"wrong type for value; expected uint32; got {counter}")
    scope = b"com.lyndir.masterpassword"
    name, place = to_bytes(user), to_bytes(site)
    salt = scope + len(name).to_bytes(4, "big") + name
    key = hashlib.scrypt(to_bytes(password), salt=salt, n=32768, r=8, p=2, maxmem=1 << 27, dklen=64)
    message = scope + len(place).to_bytes(4, "big") + place + counter.to_bytes(4, "big")
    seed = hmac.digest(key, message, "sha256")
    template = templates[seed[0] % len(templates)]
    pairs = zip(template, seed[1:], strict=False)
    return "".join(_CHARACTERS[one][byte % len(_CHARACTERS[one])] for one, byte in pairs)


# what needs a canned answer, and what is refused


for _form in (
    "bcrypt(text: string) -> string",
    "htpasswd(user: string, password: string) -> string",
    "encryptAES(password: string, text: string) -> string",
    "decryptAES(password: string, text: string) -> string",
    "genPrivateKey(kind: string) -> string",
    "buildCustomCert(certificate: string, key: string) -> any",
    "genCA(name: string, days: int) -> any",
    "genCAWithKey(name: string, days: int, key: string) -> any",
    "genSelfSignedCert(name: string, ips: list, names: list, days: int) -> any",
    "genSelfSignedCertWithKey(name: string, ips: list, names: list, days: int, key: string) -> any",
    "genSignedCert(name: string, ips: list, names: list, days: int, ca: any) -> any",
    "genSignedCertWithKey(name: string, ips: list, names: list, days: int, ca: any, key: string)"
    " -> any",
):
    function(_form, effect="stub")(
        needs_stub(_form.partition("(")[0], "gives another result in each run")
    )


@function("getHostByName(name: string) -> string", effect="refused")
def _host_by_name(chance: Chance, name: str) -> str:
    raise FunctionError(
        "`getHostByName` asks the network, which a render never does",
        "function_refused",
        "write the address into an import",
    )
