"""Bytes and text: Base64, UTF-8 and hashes."""

from __future__ import annotations

from functools import partial
from typing import Final

from ..signatures import Declarations
from ..value_limits import ValueLimits, hold_chars
from ..values import FunctionError, decode_utf8

function: Final = Declarations("encoding", __package__)


@function("base64encode(data: binary | string) -> string")
def base64_encode(data: bytes | str, *, limits: ValueLimits) -> str:
    """Bytes, or a string's UTF-8 bytes, in standard Base64 with padding (RFC 4648).

    Raises:
        FunctionError: `limit_exceeded`.
    """
    from binascii import b2a_base64

    raw = to_bytes(data)
    hold_chars("base64encode", (len(raw) + 2) // 3 * 4, limits)
    return b2a_base64(raw, newline=False).decode("ascii")


@function("base64decode(text: string) -> binary")
def base64_decode(text: str) -> bytes:
    """The bytes in a standard Base64 string with padding and without line breaks.

    Raises:
        FunctionError: `invalid_base64`.
    """
    from binascii import Error, a2b_base64

    try:
        return a2b_base64(text.encode("ascii"), strict_mode=True)
    except (Error, UnicodeEncodeError):
        hint = None
        if "-" in text or "_" in text:
            hint = "the URL-safe alphabet is not accepted: write `+` for `-` and `/` for `_`"
        elif "\n" in text or " " in text:
            hint = "remove white space with `trim` or `replace` first"
        elif len(text) % 4:
            hint = "pad the string with `=` to a multiple of four characters"
        raise FunctionError(
            "the string for `base64decode` is not valid Base64",
            code="invalid_base64",
            hint=hint,
            argument=0,
        ) from None


def digest(algorithm: str, data: bytes | str) -> str:
    """The hash of bytes, or of a string's UTF-8 bytes, in lower-case hexadecimal."""
    import hashlib

    return hashlib.new(algorithm, to_bytes(data), usedforsecurity=False).hexdigest()


@function("utf8(data: binary) -> string")
def decode_text(data: bytes) -> str:
    """Bytes decoded as UTF-8.

    Raises:
        FunctionError: `invalid_utf8`.
    """
    try:
        return decode_utf8(data)
    except FunctionError as error:
        raise FunctionError(
            error.message, code="invalid_utf8", hint=error.hint, argument=0
        ) from None


def to_bytes(data: bytes | str) -> bytes:
    """Bytes as they are, a string in UTF-8.

    Raises:
        FunctionError: `invalid_utf8` for a string with a lone surrogate.
    """
    if isinstance(data, bytes):
        return data
    try:
        return data.encode("utf-8")
    except UnicodeEncodeError as error:
        raise FunctionError(
            f"the string has a lone surrogate (at character {error.start}), invalid in UTF-8",
            code="invalid_utf8",
            argument=0,
        ) from None


function("sha256(data: binary | string) -> string")(partial(digest, "sha256"))
function("md5(data: binary | string) -> string")(partial(digest, "md5"))
function("sha1(data: binary | string) -> string")(partial(digest, "sha1"))
