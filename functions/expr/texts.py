"""Values as text: `string()`, JSON as Go writes it, floats, and `%q`."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from ..regexes import compile_regex
from ..values import FunctionError
from .kinds import AnyMap, Named, NamedText, StringMap, Struct, a_kind, is_int, to_bytes
from .moments import LAYOUT_OF_STRING, Time, format_time

_WHOLE: Final = 1e15
_GREATEST_PLAIN: Final = 1e21
_LEAST_PLAIN: Final = 1e-6
_GREATEST_SHORT: Final = 1e6
_LEAST_SHORT: Final = 1e-4
_ESCAPED: Final = compile_regex("[<>&\u2028\u2029\ud800-\udfff]")
_SIMPLE: Final = compile_regex(r"[ !#-%'-;=?-\[\]-~]*").fullmatch


def _digits(value: float) -> tuple[str, str, int]:
    """The sign, the shortest digits of a float and its decimal exponent."""
    from decimal import Decimal

    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(exponent, int)
    return "-" if sign else "", "".join(map(str, digits)), len(digits) - 1 + exponent


def _special(value: float) -> str | None:
    if math.isnan(value):
        return "NaN"
    return None if math.isfinite(value) else "+Inf" if value > 0 else "-Inf"


def _scientific(sign: str, digits: str, exponent: int, least: int) -> str:
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{'-' if exponent < 0 else '+'}{abs(exponent):0{least}}"


def _plain(value: float) -> str:
    from decimal import Decimal

    text = format(Decimal(repr(value)), "f")
    return text[:-2] if text.endswith(".0") else text


def float_text(value: float) -> str:
    """A float as `string()` writes it, which is Go's `%v`: `1`, `0.0001`, `1e+06`, `NaN`."""
    if _LEAST_SHORT <= abs(value) < _GREATEST_SHORT or value == 0:
        return repr(value).removesuffix(".0")
    return _special(value) or _scientific(*_digits(value), 2)


def json_float(value: float) -> str:
    """A float in JSON: plain for 1e-6 <= |x| < 1e21, else `1e+21`, `1e-7`.

    Raises:
        FunctionError: `not_json` for infinities and what is no number.
    """
    if value.is_integer() and 0 < abs(value) < _WHOLE:
        return str(int(value))
    special = _special(value)
    if special is not None:
        raise FunctionError(f"JSON has no number {special}", "not_json")
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    if _LEAST_PLAIN <= abs(value) < _GREATEST_PLAIN:
        return _plain(value)
    return _scientific(*_digits(value), 1)


def text_of(value: Any) -> str:
    """A value as `string()` has it: `<nil>`, `[1 a <nil>]`, `map[a:1 b:x]`."""
    if value is None:
        return "<nil>"
    if value.__class__ is str:
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Named | NamedText):
        return value.text
    if is_int(value):
        return str(int(value))
    match value:
        case float():
            return float_text(value)
        case complex():
            sign = "" if (imaginary := float_text(value.imag))[0] in "+-" else "+"
            return f"({float_text(value.real)}{sign}{imaginary}i)"
        case list():
            return f"[{' '.join(map(text_of, value))}]"
        case bytes():
            return f"[{' '.join(map(str, value))}]"
        case AnyMap():
            shown = sorted((text_of(key[1]), text_of(item)) for key, item in value.items())
            return f"map[{' '.join(f'{key}:{item}' for key, item in shown)}]"
        case dict():
            return f"map[{' '.join(f'{key}:{text_of(value[key])}' for key in sorted(value))}]"
        case Struct():
            return _struct_text(value)
        case Time():
            return format_time(value, LAYOUT_OF_STRING)
    return str(value)


def _struct_text(value: Struct) -> str:
    """What its method `String` gives, or its fields as Kubernetes writes them: `&Image{Tag:1,}`."""
    own = value.type.methods.get("String")
    if own is not None:
        return str(own[2](value))
    shown = []
    for name in value.type.fields:
        part = value.field(name)
        text = text_of(part)
        if isinstance(part, StringMap):
            text = f"map[string]string{{{''.join(f'{k}: {part[k]},' for k in sorted(part))}}}"
        shown.append(f"{name}:{text},")
    return f"&{value.type.go.rpartition('.')[2]}{{{''.join(shown)}}}"


def json_text(value: Any, indent: str = "", depth: int = 0) -> str:
    """A value as Go's `encoding/json` writes it, keys in the order of their bytes.

    `indent` is put before each level of an item on a line of its own; empty for a compact text.

    Raises:
        FunctionError: `not_json` for what JSON does not have.
    """
    kind = value.__class__
    if kind is str:
        return quoted_json(value)
    if kind is float:
        return json_float(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    match value:
        case bytes():
            import base64

            return f'"{base64.b64encode(value).decode("ascii")}"'
        case list():
            return _items(
                "[", "]", [json_text(one, indent, depth + 1) for one in value], indent, depth
            )
        case dict() if not isinstance(value, AnyMap):
            keys = sorted(value) if all(map(str.isascii, value)) else sorted(value, key=to_bytes)
            return _object(keys, value, indent, depth)
        case NamedText():
            return quoted_json(value.text)
        case Struct():
            if not value.type.fields:
                return quoted_json(text_of(value))
            fields = value.written()
            return _object([*fields], fields, indent, depth)
    own: Callable[[], str] | None = getattr(value, "to_json", None)
    if own is None:
        what = "a map with keys of any kind" if isinstance(value, AnyMap) else a_kind(value)
        raise FunctionError(f"{what} cannot be written as JSON", "not_json")
    return own()


def _object(keys: list[str], value: dict[str, Any], indent: str, depth: int) -> str:
    colon = ": " if indent else ":"
    pairs = [quoted_json(k) + colon + json_text(value[k], indent, depth + 1) for k in keys]
    return _items("{", "}", pairs, indent, depth)


def _items(opening: str, closing: str, items: list[str], indent: str, depth: int) -> str:
    if not indent or not items:
        return f"{opening}{','.join(items)}{closing}"
    inner = f"\n{indent * (depth + 1)}"
    return f"{opening}{inner}{f',{inner}'.join(items)}\n{indent * depth}{closing}"


def quoted_json(text: str) -> str:
    """A string in JSON; `<`, `>`, `&` and the separators of lines are escaped, as Go does it."""
    if _SIMPLE(text):
        return f'"{text}"'
    import json

    written = json.dumps(text, ensure_ascii=False)
    return by_character(written, _escape) if _ESCAPED.search(written) else written


def _escape(character: str) -> str:
    """A byte that is no UTF-8 becomes U+FFFD."""
    if not _ESCAPED.match(character):
        return character
    return "\\ufffd" if character >= "\ud800" else f"\\u{ord(character):04x}"


def by_character(text: str, change: Callable[[str], str]) -> str:
    """A text whose characters are changed one by one, each kind of them once."""
    return text.translate({ord(one): change(one) for one in set(text)})


_ESCAPES: Final = dict(zip('\a\b\f\n\r\t\v\\"', 'abfnrtv\\"', strict=True))


def quoted(text: str, in_ascii: bool = False) -> str:
    r"""A string as Go's `%q` writes it, or `%+q`: `"a\n\x7f\u200b"`; what is printable stays."""
    if _SIMPLE(text):
        return f'"{text}"'
    return f'"{by_character(text, partial(_escaped, in_ascii))}"'


def _escaped(in_ascii: bool, character: str) -> str:
    known = _ESCAPES.get(character)
    if known is not None:
        return f"\\{known}"
    # all that Python prints Go prints too, but for what newer versions of Unicode have added
    if character.isprintable() and (not in_ascii or character.isascii()):
        return character
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is no UTF-8
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
