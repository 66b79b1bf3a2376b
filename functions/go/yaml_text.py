"""Values as YAML as Go's packages write it: sigs.k8s.io/yaml and yaml.v3.

Both order keys alike and decide alike what needs quotes. The first writes what JSON has, lists as
far left as their keys, and folds long lines; the second writes values of all types.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from functools import cmp_to_key, lru_cache, partial
from typing import Any, Final

from ..expr.kinds import AnyMap, NamedText, Struct, a_kind, to_bytes
from ..expr.moments import RFC3339_NANO, Duration, Time, format_time
from ..expr.texts import float_text, json_text, quoted_json, text_of
from ..regexes import compile_regex
from ..values import FunctionError
from .yaml_scalars import WORDS, is_string

_DEEPEST: Final = 200
_LONGEST_KEY: Final = 128
_MOST_DIGITS: Final = 1000
_IN_ORDER: Final = compile_regex(r"[A-Za-z./\n-]*").fullmatch
_PARTS: Final = compile_regex(r"([0-9]+)|([^\W\d_]+)|(.)", re.DOTALL).findall
_SPECIAL_ORDER: Final = compile_regex(r"[0-9](?:[A-Za-z]|[0-9]{17})|[^\x00-\x7f]").search
_NO_PLAIN: Final = compile_regex(
    r"""[#,\[\]{}&*!|>'"%@` ]|[?:-](?= |\Z)|---|\.\.\.|.*(?::(?= |\Z)| (?:#|\Z))"""
)
_PRINTABLE: Final = "\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd"
_NO_SINGLE: Final = compile_regex(f"[^{_PRINTABLE}]")
_NO_BLOCK: Final = compile_regex(rf"[^{_PRINTABLE}\n\t]| (?:\n|\Z)")
_CONTENT: Final = compile_regex("^(?=.)", re.MULTILINE).sub
_ESCAPED: Final = compile_regex(rf'[^{_PRINTABLE}]|[\\"]')
_SHORT: Final = dict(zip('\0\a\b\t\n\v\f\r\x1b"\\\x85\u2028\u2029', '0abtnvfre"\\NLP', strict=True))


def _quoted(text: str) -> str:
    return '"' + _ESCAPED.sub(_escape, text) + '"'


def _escape(match: re.Match[str]) -> str:
    short = _SHORT.get(match[0])
    if short is not None:
        return f"\\{short}"
    code = ord(match[0])
    width, letter = (2, "x") if code < 0x100 else (4, "u") if code < 0x10000 else (8, "U")
    return f"\\{letter}{code:0{width}X}"


def _literal(text: str, pad: str, hint: str) -> str:
    """A text on lines of its own, without the line break that ends the last one."""
    ends = "" if text.endswith("\n") else "-"
    if text.endswith("\n\n") or text == "\n":
        ends = "+"
    hint = hint if text[0] in " \n" else ""
    return f"|{hint}{ends}\n" + _CONTENT(pad, text.removesuffix("\n"))


def _in_order(keys: Iterable[str], wide: bool = False) -> list[str]:
    """Keys as `_order` has them, most by one look at each: its comparisons are slow."""
    found = sorted(keys)
    text = "\n".join(found)
    if _IN_ORDER(text):
        return found
    found.sort(key=_natural)
    if _SPECIAL_ORDER(text):
        found.sort(key=cmp_to_key(partial(_order, wide=wide)))
    return found


def _natural(text: str) -> list[tuple[int, int, int, str]]:
    """What orders texts without letters behind digits: other characters, numbers, letters."""
    return [
        (1, int(digits[:_MOST_DIGITS]), len(digits), "")
        if digits
        else (2, 0, 0, letters)
        if letters
        else (0, 0, 0, other)
        for digits, letters, other in _PARTS(text)
    ]


def _order(left: str, right: str, wide: bool = False) -> int:
    """-1, 0 or 1: names in their natural order (`a2`, `a10`), letters behind all else.

    `wide` puts them before it after a digit.
    """
    place = next((n for n, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), None)
    if place is None:
        return (len(left) > len(right)) - (len(left) < len(right))
    one, other = left[place], right[place]
    if one.isalpha() and other.isalpha():
        return -1 if one < other else 1
    if one.isalpha() or other.isalpha():
        digits = wide and left[:place][-1:].isdecimal()
        return -1 if (one if digits else other).isalpha() else 1
    lead = "1" if "0" in (one, other) and re.search("[1-9][0-9]*\\Z", left[:place]) else "0"
    first, second = (_digits(text[place:]) for text in (left, right))
    before = (_int64(lead + first), len(first), one) < (_int64(lead + second), len(second), other)
    return -1 if before else 1


def _digits(text: str) -> str:
    """The digits that a text begins with."""
    return text[: len(text) - len(text.lstrip("0123456789"))]


def _int64(digits: str) -> int:
    """A number as Go computes it, which has 64 bits."""
    return (int(digits[-_MOST_DIGITS:]) + 2**63) % 2**64 - 2**63


# as sigs.k8s.io/yaml writes it, from JSON

_WIDTH: Final = 80
_LONGEST_IN_JSON: Final = 1024
_SAFE: Final = compile_regex(r"[A-Za-z/$][\w./$()=+-]*", re.ASCII).fullmatch
_NO_LITERAL: Final = compile_regex(rf"[^{_PRINTABLE}\n]| (?:\n|\Z)").search
_REFUSED: Final = compile_regex("[\x7f-\x84\x86-\x9f\ufffe\uffff]").search
_NO_CHARACTER: Final = compile_regex("[\ud800-\udfff]")
_ONE_BLANK: Final = compile_regex(r"(?<! ) (?! )").finditer
_FIRST_BLANK: Final = compile_regex(r"(?<! ) ").finditer
_FITS: Final = (-(2.0**63), 2.0**64)
_EXACT: Final = 2.0**53
_NEVER_FOLDED: Final = -(10**6)


def to_yaml(value: Any) -> str:
    """A value as a YAML document, its last line break included.

    Numbers are those of JSON: 2.0 is `2`, a million `1000000`.

    Raises:
        FunctionError: `not_json` for a value that this cannot be written of, such as a number that
            is not finite; `limit_exceeded` when it is nested too deep.
    """
    written = _lines(value, 0, 0) if _has_items(value) else _leaf(value, 2, 0)
    return written + "\n"


def _has_items(value: Any) -> bool:
    return isinstance(value, list | dict) and bool(value)


def _lines(value: Any, indent: int, depth: int) -> str:
    """The lines of a list or a map, the first of which stands at `indent` already."""
    if depth > _DEEPEST:
        raise FunctionError(f"data is nested more than {_DEEPEST} deep", "limit_exceeded")
    pad = "\n" + " " * indent
    inner, depth = indent + 2, depth + 1
    if isinstance(value, list):
        return pad.join(
            [
                f"- {_lines(one, inner, depth) if _has_items(one) else _leaf(one, inner, inner)}"
                for one in value
            ]
        )
    lines = []
    for key in _in_order(value):
        item = value[key]
        mark = _mark(key)
        if not mark:
            name = _text(key, inner, inner)
            item = _lines(item, inner, depth) if _has_items(item) else _leaf(item, inner, inner)
            lines.append(f"? {name}{pad}: {item}")
        elif not _has_items(item):
            lines.append(f"{mark} {_leaf(item, inner, indent + len(mark) + 1)}")
        elif isinstance(item, list):
            lines.append(f"{mark}{pad}{_lines(item, indent, depth)}")
        else:
            lines.append(f"{mark}{pad}  {_lines(item, inner, depth)}")
    return pad.join(lines)


@lru_cache(maxsize=4096)
def _mark(key: str) -> str:
    """A key with its colon; empty for one that stands on lines of its own."""
    if len(key) > _LONGEST_KEY // 4:
        if len(quoted_json(key)) > _LONGEST_IN_JSON:
            raise FunctionError("a key is too long for YAML", "not_json")
        if len(to_bytes(key)) > _LONGEST_KEY:
            return ""
    return "" if "\n" in key else _text(key, 0, _NEVER_FOLDED) + ":"


def _leaf(value: Any, indent: int, column: int) -> str:
    """A value without items that begins at a column; its further lines begin at `indent`."""
    if isinstance(value, str):
        if value not in WORDS and _SAFE(value):
            return value
        return _text(value, indent, column)
    if value is None or isinstance(value, int):
        return json_text(value)
    if isinstance(value, float):
        if value - value != 0:
            raise FunctionError("JSON has only finite numbers", "not_json")
        if value != int(value) or not _FITS[0] < value < _FITS[1]:
            return float_text(value)
        return str(int(value)) if abs(value) < _EXACT else json_text(value)
    if isinstance(value, list | dict):
        return "{}" if isinstance(value, dict) else "[]"
    import json

    return _leaf(json.loads(json_text(value)), indent, column)


def _text(text: str, indent: int, column: int) -> str:
    if _REFUSED(text):
        raise FunctionError("YAML has no control characters", "not_json")
    if not text.isascii():
        text = _NO_CHARACTER.sub("\ufffd", text)
    pad = " " * indent
    if "\n" in text:
        if _NO_LITERAL(text):
            return _folded(_quoted(text), pad, column)
        return _literal(text, pad, "2")
    if not is_string(text) or _NO_SINGLE.search(text):
        text = _quoted(text)
    elif _NO_PLAIN.match(text):
        text = "'" + text.replace("'", "''") + "'"
    return _folded(text, pad, column)


def _folded(text: str, pad: str, column: int) -> str:
    """A text that goes on in a new line at each of its blanks that comes after the width."""
    if len(text) + column <= _WIDTH or " " not in text:
        return text
    double, quoted = text[0] == '"', text[0] in "\"'"
    written, first, last = [], 0, len(text) - 2
    lead = ""
    for match in (_FIRST_BLANK if double else _ONE_BLANK)(text):
        place = match.start()
        # the blanks beside quotes stay
        if column + place - first > _WIDTH and (1 < place < last or not quoted):
            written.append(lead + text[first:place])
            first = place + 1
            lead = "\\" if text[first] == " " else ""
            column = len(pad) + len(lead)
    return f"\n{pad}".join([*written, lead + text[first:]])


# as yaml.v3 writes it

_STEP: Final = 4
_SPECIAL: Final = {"+Inf": ".inf", "-Inf": "-.inf", "NaN": ".nan"}


def yaml_text(value: Any) -> str:
    """A value as a YAML document.

    Raises:
        FunctionError: `not_json` for a value that is no data.
    """
    text = _block(value, 0) if _is_filled(value) else _scalar(value, _STEP)
    # line breaks at the end that count are marked
    return text + ("\n...\n" if text.endswith("\n") else "\n")


def _is_filled(value: Any) -> bool:
    """True for a list or a map that has items."""
    if isinstance(value, Struct):
        return bool(value.type.fields)
    return isinstance(value, list | dict | bytes) and bool(value)


def _block(value: Any, indent: int) -> str:
    """A list or a map whose first line stands at `indent` already."""
    pad = "\n" + " " * indent
    if isinstance(value, list | bytes):
        return pad.join(
            f"- {(_block if _is_filled(item) else _scalar)(item, indent + 2)}" for item in value
        )
    inner = (indent + _STEP) // _STEP * _STEP
    lines = []
    for key, item in _pairs(value):
        name = _scalar(key, 0, True)
        mark = f"{name}:" if len(name) <= _LONGEST_KEY else f"? {name}{pad}:"
        below = "\n" + " " * inner if _is_filled(item) else " "
        lines.append(mark + below + (_block if _is_filled(item) else _scalar)(item, inner))
    return pad.join(lines)


def _pairs(value: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(value, Struct):
        return [(name.lower(), value.field(name)) for name in value.type.fields]
    if isinstance(value, AnyMap):
        texts = {key[1]: item for key, item in value.items() if key[0] is str}
        rest = [(key[1], item) for key, item in value.items() if key[0] is not str]
        return [*sorted(rest, key=lambda pair: text_of(pair[0])), *_pairs(texts)]
    return [(key, value[key]) for key in _in_order(value, True)]


def _scalar(value: Any, indent: int, in_key: bool = False) -> str:
    """A value without items; the lines of a text begin at `indent`."""
    if value is None or isinstance(value, int):
        return json_text(value)
    if isinstance(value, float):
        text = float_text(value)
        return _SPECIAL.get(text, text)
    if isinstance(value, Time):
        return format_time(value, RFC3339_NANO)
    if isinstance(value, list | dict | bytes):
        return "{}" if isinstance(value, dict) else "[]"
    if isinstance(value, str | NamedText | Struct | Duration):
        return _string(text_of(value), indent, in_key)
    raise FunctionError(f"{a_kind(value)} cannot be written as YAML", "not_json", argument=0)


def _string(text: str, indent: int, in_key: bool) -> str:
    if any("\ud800" <= character <= "\udfff" for character in text):
        return f"!!binary {base64.b64encode(to_bytes(text)).decode('ascii')}"
    if "\n" in text:
        if not in_key and not _NO_BLOCK.search(text):
            lost = text[0] == "\n"  # the first line, when it is empty
            written = _literal(text, " " * indent, str(_STEP))
            return written.replace("\n\n", "\n", 1) if lost else written
    elif is_string(text) and _NO_SINGLE.search(text) is None:
        return "'" + text.replace("'", "''") + "'" if _NO_PLAIN.match(text) else text
    return _quoted(text)
