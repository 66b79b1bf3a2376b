"""Encodings: JSON, YAML, base64, hashes, URLs."""

from __future__ import annotations

import base64
import hashlib
from typing import Any, Final

from ..expr.kinds import of_bytes, to_bytes
from ..expr.texts import json_text
from ..go.yaml_text import to_yaml
from ..values import FunctionError
from .values import declarations

function: Final = declarations("encodings")
_HASHES: Final = {
    **{name: name for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")},
    "sha512/224": "sha512_224",
    "sha512/256": "sha512_256",
}

function("asjson(value: any) -> string")(json_text)
function("asyaml(value: any) -> string")(to_yaml)


@function("base64(text: string, width?: int | string) -> string")
def _base64(text: str, width: Any = -1) -> str:
    if isinstance(width, str) and not width.removeprefix("-").isdecimal():
        raise FunctionError("second argument for base64 must be an integer")
    return encoded(to_bytes(text), int(width))


def encoded(data: bytes, width: int = -1) -> str:
    """Bytes as base64, in lines of a width."""
    text = base64.b64encode(data).decode("ascii")
    if width <= 0:
        return text
    return "\n".join(text[at : at + width] for at in range(0, len(text), width))


@function("base64_decode(text: string) -> string")
def _base64_decode(text: str) -> str:
    try:
        plain = text.replace("\n", "").replace("\r", "")
        return of_bytes(base64.b64decode(plain, validate=True))
    except ValueError:
        raise FunctionError("cannot decode string") from None


@function("hash(text: string, kind?: string) -> string")
def _hash(text: str, kind: str = "sha256") -> str:
    if kind == "md4":  # the engine appends the hash of nothing to the text
        return to_bytes(text).hex() + "31d6cfe0d16ae931b73c59d7e0c089c0"
    name = _HASHES.get(kind)
    if name is None:
        raise FunctionError(f"invalid hash type '{kind}'")
    return hashlib.new(name, to_bytes(text), usedforsecurity=False).hexdigest()


function("md5(text: string) -> string")(lambda text: _hash(text, "md5"))
