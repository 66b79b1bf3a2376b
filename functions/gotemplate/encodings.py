"""JSON, Base64, Base32 and checksums."""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from ..expr.encodings import parsed_json
from ..expr.kinds import of_bytes, to_bytes
from ..expr.texts import json_text
from ..signatures import Declarations
from ..value_limits import ValueLimits
from ..values import FunctionError
from .guards import TYPES, failed, hold_tree
from .kinds import too_deep

function: Final = Declarations("encodings", __package__, propagates_none=False, types=TYPES)

# JSON


def _writing(indent: str, escapes: bool, fails: bool) -> Callable[..., str]:
    """What writes JSON; what JSON does not have is an error, or an empty text."""

    def write(value: Any, *, limits: ValueLimits) -> str:
        hold_tree(value, limits)
        try:
            text = json_text(value, indent)
        except FunctionError as error:
            if fails or error.code != "not_json":
                raise
            return ""
        return text if escapes else _without_escapes(text)

    return write


def _without_escapes(text: str) -> str:
    """JSON in which `<`, `>` and `&` stand for themselves."""
    text = text.replace(r"\\", "\0")
    for escape, plain in ((r"\u003c", "<"), (r"\u003e", ">"), (r"\u0026", "&")):
        text = text.replace(escape, plain)
    return text.replace("\0", r"\\")


for _name, _indent, _escapes in (
    ("ToJson", "", True),
    ("ToPrettyJson", "  ", True),
    ("ToRawJson", "", False),
):
    for _own in (f"t{_name[1:]}", f"must{_name}"):
        function(f"{_own}(value: any) -> string", weight=12)(
            _writing(_indent, _escapes, _own[0] == "m")
        )


@function("mustFromJson(text: string) -> any", weight=16)
def _must_from_json(text: str, *, limits: ValueLimits) -> Any:
    """All numbers become float64."""
    try:
        found = parsed_json(text)
    except RecursionError:
        raise too_deep() from None
    except ValueError as error:
        place = getattr(error, "lineno", None)
        hint = f"at line {place}" if place is not None else None
        raise failed("the text is not JSON", hint) from None
    hold_tree(found, limits)
    return found


@function("fromJson(text: string) -> any", weight=16)
def _from_json(text: str, *, limits: ValueLimits) -> Any:
    try:
        return _must_from_json(text, limits=limits)
    except FunctionError as error:
        if error.code == "limit_exceeded":
            raise
        return None


# Base64 and Base32

_STANDARD: Final = re.compile(rb"[A-Za-z0-9+/]")
_BASE32: Final = re.compile(rb"[A-Z2-7]*")


@function("b64enc(text: string) -> string")
def _b64_encoded(text: str) -> str:
    return base64.b64encode(to_bytes(text)).decode("ascii")


@function("b64dec(text: string) -> string", weight=8)
def _b64_decoded(text: str) -> str:
    """What is wrong is said by the result."""
    data = to_bytes(text)
    wrong = _wrong_base64(data)
    if wrong is not None:
        return f"illegal base64 data at input byte {wrong}"
    return of_bytes(base64.b64decode(data))


def _wrong_base64(data: bytes) -> int | None:
    """Where a text stops being Base64."""
    places = [at for at, byte in enumerate(data) if byte not in b"\r\n"]
    for number, at in enumerate(places):
        if _STANDARD.match(data, at):
            continue
        within, following = number % 4, places[number + 1 :]
        if data[at] != 0x3D or within < 2:
            return at
        if within == 2:
            if not following:
                return len(data)
            if data[following[0]] != 0x3D:
                return at
            del following[0]
        return following[0] if following else None
    left = len(places) % 4
    return len(data) - left if left else None


@function("b32enc(text: string) -> string")
def _b32_encoded(text: str) -> str:
    return base64.b32encode(to_bytes(text)).decode("ascii")


@function("b32dec(text: string) -> string", weight=8)
def _b32_decoded(text: str) -> str:
    """What is wrong is said by the result."""
    data = to_bytes(text).replace(b"\r", b"").replace(b"\n", b"")
    match = _BASE32.match(data)
    end = match.end() if match else 0
    wrong = _wrong_base32(data, end)
    if wrong is not None:
        return f"illegal base32 data at input byte {wrong}"
    return of_bytes(base64.b32decode(data[:end] + b"=" * (-end % 8)))


def _wrong_base32(data: bytes, end: int) -> int | None:
    """Where a text whose letters end at a place stops being Base32."""
    within, left = end % 8, len(data) - end - 1
    if left < 0:
        return end - within if within else None
    if data[end] != 0x3D or within < 2 or left > 7:
        return end
    if left + within < 7:
        return len(data)
    padding = data[end + 1 : end + 8 - within]
    bare = len(padding) - len(padding.lstrip(b"="))
    if bare < len(padding):
        return end + bare
    return end if within in (3, 6) else None


# checksums


def _digest(name: str, text: str) -> str:
    import hashlib  # which loads OpenSSL, and templates import this module for JSON

    return hashlib.new(name, to_bytes(text)).hexdigest()


for _name in ("sha1", "sha256", "sha512"):
    function(f"{_name}sum(text: string) -> string")(partial(_digest, _name))
function("adler32sum(text: string) -> string")(lambda text: str(zlib.adler32(to_bytes(text))))
