"""Bytes and text: Base64, UTF-8 and hashes."""

from __future__ import annotations

from functools import partial

from .examples import edge, given
from .registry import Function, Parameter
from .value_limits import ValueLimits, hold_chars
from .values import NONE, FunctionError, decode_utf8


def base64_encode(data: bytes | str, *, limits: ValueLimits) -> str:
    """Bytes, or a string's UTF-8 bytes, in standard Base64 with padding (RFC 4648).

    Raises:
        FunctionError: `limit_exceeded`.
    """
    from binascii import b2a_base64

    raw = to_bytes(data)
    hold_chars("base64encode", (len(raw) + 2) // 3 * 4, limits)
    return b2a_base64(raw, newline=False).decode("ascii")


def base64_decode(text: str) -> bytes:
    """The bytes of a standard Base64 text, which has its padding and no line breaks.

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
            hint = "take white space out with `trim` or `replace` first"
        elif len(text) % 4:
            hint = "the padding with `=` to a multiple of four characters is part of the text"
        raise FunctionError(
            "the text for `base64decode` is not valid Base64",
            code="invalid_base64",
            hint=hint,
            argument=0,
        ) from None


def digest(algorithm: str, data: bytes | str) -> str:
    """The hash of bytes, or of a string's UTF-8 bytes, in lower-case hexadecimal."""
    import hashlib

    return hashlib.new(algorithm, to_bytes(data), usedforsecurity=False).hexdigest()


def decode_text(data: bytes) -> str:
    """The text that bytes hold in UTF-8.

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
        FunctionError: `invalid_utf8` for a string with a lone surrogate, which has no UTF-8 form.
    """
    if isinstance(data, bytes):
        return data
    try:
        return data.encode("utf-8")
    except UnicodeEncodeError as error:
        raise FunctionError(
            f"the string has a lone surrogate (at character {error.start}) and so no UTF-8 form",
            code="invalid_utf8",
            argument=0,
        ) from None


def encoding_functions(limits: ValueLimits) -> tuple[Function, ...]:
    """The records."""
    data = Parameter("data", ("binary", "string"), "the data; a string stands for its UTF-8 bytes")

    def hashing(name: str, title: str, of_hello: str, of_nothing: str) -> Function:
        more = {
            "sha256": (
                given(
                    "sha256(base64decode(datasources.certificate.certificateBody))",
                    "a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e",
                    datasources={"certificate": {"certificateBody": "SGVsbG8gV29ybGQ="}},
                ),
                given(
                    "sha256(variables.environment)",
                    "6754af9632a2745e85c293e5aac0863370d9bd3330b9938c00cadfd215227d77",
                    variables={"environment": "prod"},
                ),
                given('sha256(utf8(file("data.txt")))'),
            ),
            "md5": (given('md5(file("config.json"))'),),
            "sha1": (
                given(
                    "sha1(values.configData)",
                    "bf21a9e8fbc5a3846fb05b4fa0859e0917b2202f",
                    values={"configData": "{}"},
                ),
            ),
        }[name]
        return Function(
            name=name,
            summary=f"the {title} hash of binary data or a string, in lower-case hexadecimal",
            parameters=(data,),
            result="string",
            call=partial(digest, name),
            topic="encoding",
            examples=(
                given(f'{name}("Hello World")', of_hello),
                *more,
                edge(f'{name}("")', of_nothing),
                edge(f'eq({name}("é"), {name}(base64decode("w6k=")))', True),
                edge(f"{name}(none)", NONE),
                edge(f"{name}(1)", error="invalid_argument_type"),
                edge(f'{name}(list("a"))', error="invalid_argument_type"),
            ),
        )

    return (
        Function(
            name="base64encode",
            summary="binary data or a string in Base64",
            parameters=(data,),
            result="string",
            call=partial(base64_encode, limits=limits),
            topic="encoding",
            examples=(
                given('base64encode("Hello World")', "SGVsbG8gV29ybGQ="),
                given('base64encode(file("certificates/server.pem"))'),
                given('base64encode(http_resource("https://example.com/app.zip"))'),
                given(
                    "base64encode(\"#!/bin/bash\\necho 'Hello World'\")",
                    "IyEvYmluL2Jhc2hcbmVjaG8gJ0hlbGxvIFdvcmxkJw==",
                ),
                edge('base64encode("")', ""),
                edge('base64encode("é")', "w6k="),
                edge('base64encode(base64decode("/+8="))', "/+8="),
                edge("base64encode(none)", NONE),
                edge("base64encode(1)", error="invalid_argument_type"),
            ),
        ),
        Function(
            name="base64decode",
            summary="the binary data of a Base64 text",
            parameters=(Parameter("text", ("string",), "standard Base64 with its padding"),),
            result="binary",
            call=base64_decode,
            topic="encoding",
            examples=(
                given('utf8(base64decode("SGVsbG8gV29ybGQ="))', "Hello World"),
                given('base64decode("SGVsbG8gV29ybGQ=")', "Hello World"),
                given(
                    "jsondecode(utf8(base64decode(variables.encodedConfig)))",
                    {"a": 1},
                    variables={"encodedConfig": "eyJhIjoxfQ=="},
                ),
                edge('utf8(base64decode(""))', ""),
                edge('base64decode("SGVsbG8")', error="invalid_base64"),
                edge('base64decode("SGVs*G8=")', error="invalid_base64"),
                edge('base64decode("_-8=")', error="invalid_base64"),
                edge('base64decode("é")', error="invalid_base64"),
                edge('base64decode("YQ==YQ==")', error="invalid_base64"),
                edge("base64decode(none)", NONE),
                edge("base64decode(1)", error="invalid_argument_type"),
            ),
        ),
        Function(
            name="utf8",
            summary="binary data as the text that it holds in UTF-8",
            parameters=(Parameter("data", ("binary",), "the data"),),
            result="string",
            call=decode_text,
            topic="encoding",
            examples=(
                given('utf8(base64decode("aMOpbGxv"))', "héllo"),
                given('jsondecode(utf8(file("config.json")))'),
                given(
                    'replace(utf8(http_resource("https://example.com/template.txt")), "{{name}}", '
                    "variables.appName)",
                    variables={"appName": "orders"},
                ),
                edge('utf8(base64decode("/w=="))', error="invalid_utf8"),
                edge("utf8(none)", NONE),
                edge('utf8("text")', error="invalid_argument_type"),
            ),
        ),
        hashing(
            "sha256",
            "SHA-256",
            "a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        ),
        hashing(
            "md5", "MD5", "b10a8db164e0754105b7a99be72e3fe5", "d41d8cd98f00b204e9800998ecf8427e"
        ),
        hashing(
            "sha1",
            "SHA-1",
            "0a4d55a8d778e5022fab701977c5d840bbc486d0",
            "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        ),
    )
