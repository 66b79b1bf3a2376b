"""Values as YAML, as Go's package yaml.v3 writes it."""

from __future__ import annotations

import base64
import re
from functools import cmp_to_key
from typing import Any, Final

from ..expr.kinds import AnyMap, NamedText, Struct, a_kind, to_bytes
from ..expr.moments import RFC3339_NANO, Duration, Time, format_time
from ..expr.texts import float_text, json_text, text_of
from ..values import FunctionError

_STEP: Final = 4
_LONGEST_KEY: Final = 128
_WORD: Final = re.compile(
    r"~|[yYnN]|[yY]es|YES|[nN]o|NO|[oO]n|ON|[oO]ff|OFF|[tT]rue|TRUE|[fF]alse|FALSE|[nN]ull|NULL"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)|"
)
_LOOKALIKE: Final = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)"
    r"|[0-9]{4}-[01]?[0-9]-[0-3]?[0-9]"
    r"(?:(?:[Tt][0-9:]+(?:[.,][0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2}))|(?: [0-9:]+(?:[.,][0-9]+)?))?"
    r"|[-+]?[0-9]+(?::[0-5]?[0-9])+(?:\.[0-9]*)?"
)
_NO_PLAIN: Final = re.compile(
    r"""[#,\[\]{}&*!|>'"%@` ]|[?:-](?= |\Z)|---|\.\.\.|.*(?::(?= |\Z)| (?:#|\Z))"""
)
_PRINTABLE: Final = "\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd"
_NO_SINGLE: Final = re.compile(f"[^{_PRINTABLE}]")
_NO_BLOCK: Final = re.compile(rf"[^{_PRINTABLE}\n\t]| (?:\n|\Z)")
_ESCAPED: Final = re.compile(rf'[^{_PRINTABLE}]|[\\"]')
_SHORT: Final = dict(zip('\0\a\b\t\n\v\f\r\x1b"\\\x85\u2028\u2029', '0abtnvfre"\\NLP', strict=True))
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


def _pairs(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, Struct):
        return [(name.lower(), value.field(name)) for name in value.type.fields]
    pairs: list[tuple[Any, Any]] = [*value.items()]
    if isinstance(value, AnyMap):
        pairs = [(key[1], item) for key, item in pairs]
    key = cmp_to_key(_order)
    return sorted(pairs, key=lambda pair: key(pair[0]))


def _order(left: Any, right: Any) -> int:
    """-1, 0 or 1: names in their natural order (`a2`, `a10`), letters behind all else."""
    if not (isinstance(left, str) and isinstance(right, str)):
        kinds: list[Any] = [(isinstance(one, str), text_of(one)) for one in (left, right)]
        return int(kinds[0] > kinds[1]) - int(kinds[0] < kinds[1])
    place = next((n for n, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), None)
    if place is None:
        return (len(left) > len(right)) - (len(left) < len(right))
    one, other = left[place], right[place]
    if one.isalpha() and other.isalpha():
        return -1 if one < other else 1
    if one.isalpha() or other.isalpha():
        digits = left[:place][-1:].isdecimal()
        return -1 if (one if digits else other).isalpha() else 1
    lead = "1" if "0" in (one, other) and re.search("[1-9][0-9]*\\Z", left[:place]) else "0"
    first, second = (_digits(text[place:]) for text in (left, right))
    before = (int(lead + first), len(first), one) < (int(lead + second), len(second), other)
    return -1 if before else 1


def _digits(text: str) -> str:
    """The digits that a text begins with."""
    return text[: len(text) - len(text.lstrip("0123456789"))]


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
            return _literal(text, " " * indent)
    elif not _is_lookalike(text) and _NO_SINGLE.search(text) is None:
        return "'" + text.replace("'", "''") + "'" if _NO_PLAIN.match(text) else text
    return '"' + _ESCAPED.sub(_escape, text) + '"'


def _is_lookalike(text: str) -> bool:
    """True for a string that a reader takes for something else."""
    return bool(_WORD.fullmatch(text) or _LOOKALIKE.fullmatch(text.replace("_", "")))


def _literal(text: str, pad: str) -> str:
    """A text on lines of its own. As in Go, the first of its lines is lost when it is empty."""
    ends = "" if text.endswith("\n") else "-"
    if text.endswith("\n\n") or text == "\n":
        ends = "+"
    lines = text.removesuffix("\n").split("\n")
    hint = str(_STEP) if text[0] in " \n" else ""
    return f"|{hint}{ends}" + "".join(
        f"\n{pad if line else ''}{line}" for line in lines[text[0] == "\n" :]
    )


def _escape(match: re.Match[str]) -> str:
    short = _SHORT.get(match[0])
    if short is not None:
        return f"\\{short}"
    code = ord(match[0])
    width, letter = (2, "x") if code < 0x100 else (4, "u") if code < 0x10000 else (8, "U")
    return f"\\{letter}{code:0{width}X}"
