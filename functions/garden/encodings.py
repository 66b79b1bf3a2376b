"""Base64, JSON, hashes and ids."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..encoding import base64_encode, digest
from ..examples import edge, given
from ..registry import Environment, Function, Parameter
from ..serialised import read_json
from ..value_limits import ValueLimits, hold_chars
from .arguments import TEXT, filled, helper
from .numbers import number_text


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


def encode_json(value: Any, *, limits: ValueLimits) -> str:
    """A value as JSON without spaces."""
    text = _json(value)
    hold_chars("jsonEncode", len(text), limits)
    return text


def _json(value: Any) -> str:
    import json

    match value:
        case bool() | None:
            return json.dumps(value)
        case int() | float():
            return number_text(value)
        case list():
            return f"[{','.join(map(_json, value))}]"
        case dict():
            fields = (f"{_json(key)}:{_json(item)}" for key, item in value.items())
            return f"{{{','.join(fields)}}}"
    return json.dumps(value, ensure_ascii=False)


def decode_json(text: str, *, limits: ValueLimits) -> Any:
    """The value of a JSON text, in which null is a value.

    Raises:
        FunctionError: `invalid_json`, `limit_exceeded`.
    """
    return read_json("jsonDecode", filled("jsonDecode", text), limits)


def new_uuid(environment: Environment) -> str:
    """A new random UUID."""
    return environment.uuid()


def encoding_functions(limits: ValueLimits) -> tuple[Function, ...]:
    """The records."""
    text = Parameter("string", TEXT, "the text, which is not empty")

    def encode_base64(value: str) -> str:
        return base64_encode(filled("base64Encode", value), limits=limits)

    def sha256(value: str) -> str:
        return digest("sha256", filled("sha256", value))

    return (
        helper(
            "base64Encode",
            "a text in Base64",
            (text,),
            "string",
            encode_base64,
            "encoding",
            (
                given('base64Encode("my value")', "bXkgdmFsdWU="),
                edge('base64Encode("\u00fc")', "w7w="),
            ),
        ),
        helper(
            "base64Decode",
            "the text in a Base64 text",
            (text,),
            "string",
            decode_base64,
            "encoding",
            (
                given('base64Decode("bXkgdmFsdWU=")', "my value"),
                edge('base64Decode("bXkg dmFsdWU")', "my value"),
                edge('base64Decode("_w")', "\ufffd"),
                edge('base64Decode("!")', ""),
            ),
        ),
        helper(
            "jsonEncode",
            "a value as JSON",
            (Parameter("value", ("any",), "the value"),),
            "string",
            partial(encode_json, limits=limits),
            "encoding",
            (
                given('jsonEncode(["some", "array"])', '["some","array"]'),
                given("jsonEncode(var.map)", '{"some":"object"}', var={"map": {"some": "object"}}),
                edge("jsonEncode(null)", "null"),
                edge('jsonEncode(["\u00fc", 2.0, 1e21, true])', '["\u00fc",2,1e+21,true]'),
            ),
        ),
        helper(
            "jsonDecode",
            "the value that a JSON text stands for",
            (text,),
            "any",
            partial(decode_json, limits=limits),
            "encoding",
            (
                given('jsonDecode(\'{"foo": "bar"}\')', {"foo": "bar"}),
                edge('jsonDecode("[1, null, {}]")', [1, None, {}]),
                edge('jsonDecode("null")', None),
                edge('jsonDecode("{a: 1}")', error="invalid_json"),
                edge('jsonDecode("")', error="invalid_argument"),
            ),
        ),
        helper(
            "sha256",
            "the SHA-256 of a text",
            (text,),
            "string",
            sha256,
            "encoding",
            (
                given(
                    'sha256("Some String")',
                    "7f0fd64653ba0bb1a579ced2b6bf375e916cc60662109ee0c0b24f0a750c3a6c",
                ),
            ),
        ),
        helper(
            "uuidv4",
            "a new random UUID (version 4)",
            (),
            "string",
            new_uuid,
            "encoding",
            (given("uuidv4()"),),
            effect="ids",
        ),
    )
