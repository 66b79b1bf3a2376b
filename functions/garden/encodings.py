"""Base64, JSON, hashes and ids."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..core.encoding import base64_encode, digest
from ..core.json_text import PARSING, read_json
from ..registry import Environment
from ..signatures import Declarations
from ..value_limits import Pieces, ValueLimits
from .arguments import filled, number_text

function: Final = Declarations("encoding", __package__, propagates_none=False)

_WRITING: Final = 8
"""The weight of writing a value: time for each part."""


@function("base64Decode(string: string) -> string")
def decode_base64(text: str) -> str:
    """The text in a Base64 text, of which characters that do not belong there are passed over."""
    import re
    from binascii import a2b_base64

    plain = filled("base64Decode", text).partition("=")[0].replace("-", "+").replace("_", "/")
    digits = re.sub(r"[^A-Za-z0-9+/]", "", plain)
    if len(digits) % 4 == 1:
        digits = digits[:-1]
    raw = a2b_base64(digits + "=" * (-len(digits) % 4))
    return raw.decode("utf-8", "replace")


@function("jsonEncode(value: any) -> string", weight=_WRITING)
def encode_json(value: Any, *, limits: ValueLimits) -> str:
    """A value as JSON without spaces."""
    from json.encoder import encode_basestring

    pieces = Pieces("jsonEncode", limits)
    _write(value, pieces, encode_basestring)
    return pieces.text()


def _write(value: Any, pieces: Pieces, quoted: Callable[[str], str]) -> None:
    """Adds a value as JSON to the pieces of a text."""
    kind = type(value)
    if kind is list:
        pieces.add("[")
        for number, item in enumerate(value):
            if number:
                pieces.add(",")
            _write(item, pieces, quoted)
        pieces.add("]")
    elif kind is dict:
        pieces.add("{")
        for number, (key, item) in enumerate(value.items()):
            pieces.add(f"{',' if number else ''}{quoted(key)}:")
            _write(item, pieces, quoted)
        pieces.add("}")
    elif kind is int or kind is float:
        pieces.add(number_text(value))
    elif kind is str:
        pieces.add(quoted(value))
    else:
        pieces.add("null" if value is None else "true" if value else "false")


@function("jsonDecode(string: string) -> any", weight=PARSING)
def decode_json(text: str, *, limits: ValueLimits) -> Any:
    """The value of a JSON text, in which null is a value.

    Raises:
        FunctionError: `invalid_json`, `limit_exceeded`.
    """
    return read_json("jsonDecode", filled("jsonDecode", text), limits)


@function("uuidv4() -> string", effect="ids")
def new_uuid(environment: Environment) -> str:
    """A new random UUID."""
    return environment.uuid()


@function("base64Encode(string: string) -> string")
def encode_base64(text: str, *, limits: ValueLimits) -> str:
    """The string in Base64."""
    return base64_encode(filled("base64Encode", text), limits=limits)


@function("sha256(string: string) -> string")
def sha256(text: str) -> str:
    """The SHA-256 hash of the string."""
    return digest("sha256", filled("sha256", text))
