"""JSON, Base64, Base32 and checksums."""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from typing import Any, Final

from ..expr.encodings import parsed_json
from ..expr.kinds import of_bytes, to_bytes
from ..expr.texts import json_text
from ..signatures import Declarations
from ..value_limits import ValueLimits
from ..values import FunctionError
from .guards import TYPES, failed, hold_tree

function: Final = Declarations("encodings", __package__, propagates_none=False, types=TYPES)

_ESCAPED: Final = re.compile(r"\\(?:u003([ce])|u0026|.)", re.DOTALL)


# JSON


def _written(value: Any, indent: str, limits: ValueLimits) -> str:
    hold_tree(value, limits)
    return json_text(value, indent)


def _must_to_json(value: Any, *, limits: ValueLimits) -> str:
    return _written(value, "", limits)


def _must_to_pretty_json(value: Any, *, limits: ValueLimits) -> str:
    return _written(value, "  ", limits)


def _must_to_raw_json(value: Any, *, limits: ValueLimits) -> str:
    """Without the escapes of `<`, `>` and `&`."""
    return _ESCAPED.sub(_unescaped, _written(value, "", limits))


def _unescaped(match: re.Match[str]) -> str:
    if match[0] == "\\u0026":
        return "&"
    return {None: match[0], "c": "<", "e": ">"}[match[1]]


def _lenient(call: Any) -> Any:
    """The form of a function that answers with an empty text for what JSON does not have."""

    def to_json(value: Any, *, limits: ValueLimits) -> str:
        try:
            return str(call(value, limits=limits))
        except FunctionError as error:
            if error.code != "not_json":
                raise
            return ""

    return to_json


for _name, _call in (
    ("ToJson", _must_to_json),
    ("ToPrettyJson", _must_to_pretty_json),
    ("ToRawJson", _must_to_raw_json),
):
    function(f"must{_name}(value: any) -> string", weight=8)(_call)
    function(f"t{_name[1:]}(value: any) -> string", weight=8)(_lenient(_call))


@function("mustFromJson(text: string) -> any", weight=16)
def _must_from_json(text: str, *, limits: ValueLimits) -> Any:
    """All numbers become float64."""
    problem: Exception
    try:
        found = parsed_json(text)
    except RecursionError:
        found = [text]
        while found:
            found = [found]
            hold_tree(found, limits)
    except ValueError as error:
        problem = error
    else:
        hold_tree(found, limits)
        return found
    place = getattr(problem, "lineno", None)
    raise failed("the text is not JSON", f"at line {place}" if place is not None else None)


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


@function("b64dec(text: string) -> string")
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


@function("b32dec(text: string) -> string")
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

for _name in ("sha1", "sha256", "sha512"):
    function(f"{_name}sum(text: string) -> string")(
        lambda text, name=_name: hashlib.new(name, to_bytes(text)).hexdigest()
    )
function("adler32sum(text: string) -> string")(lambda text: str(zlib.adler32(to_bytes(text))))
