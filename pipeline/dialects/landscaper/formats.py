"""The formats that schemas assert, as the engine's library understands them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final

from ....functions.expr.layouts import read_time
from ....functions.go.regexps import BadPattern, compile_pattern
from ....functions.gotemplate.addresses import parse_url
from ....functions.regexes import compile_regex
from ....functions.values import FunctionError

_A_PATTERN: Final = 125
_CHARS_A_STEP: Final = 16
_LABEL: Final = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
# possessive: what begins like an address can be split in one way only
_ATOM: Final = r"(?:[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]|[^\x00-\x7f])++"
_QUOTED: Final = r'"(?:[^"\\\x00-\x1f\x7f]|\\[^\x00-\x1f\x7f])*"'
_NUMBERS: Final = r"\[[0-9]{1,3}(?:\.[0-9]{1,3}){3}\]"
_WORDS: Final = rf"{_ATOM}(?:\.{_ATOM})*+"
_ADDRESS: Final = rf"(?:{_WORDS}|{_QUOTED})@(?:{_WORDS}|{_NUMBERS})"
_PHRASE: Final = rf"(?:(?:{_WORDS}\.?|{_QUOTED})[ \t]*)*+"
_PATTERNS: Final = {
    "hostname": rf"(?=.{{1,255}}\Z){_LABEL}(?:\.{_LABEL})*",
    "uuid": "[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}",
    "json-pointer": "(?:/(?:[^~/]|~[01])*)*",
    "relative-json-pointer": "(?:0|[1-9][0-9]*)(?:#|(?:/(?:[^~/]|~[01])*)*)",
    "email": rf"[ \t]*(?:{_ADDRESS}|{_PHRASE}<[ \t]*{_ADDRESS}[ \t]*>)[ \t]*",
}
_LAYOUTS: Final = {
    "date": ("2006-01-02",),
    "time": ("15:04:05Z07:00", "15:04:05"),
    "date-time": (
        "15:04:05",
        "15:04:05Z07:00",
        "2006-01-02",
        "2006-01-02T15:04:05Z07:00",
    ),
}
_BRACES: Final = compile_regex(r"(?:[^{]|\{[^}]*\})*")


def _url(text: str) -> Mapping[str, str] | None:
    """The parts of a URL by Go's rules, None for a text that is not one."""
    try:
        return None if "\\" in text else parse_url(text)
    except ValueError:
        return None


def _is_time(text: str, layouts: tuple[str, ...]) -> bool:
    for layout in layouts:
        try:
            read_time(text, layout)
        except (FunctionError, ValueError):
            continue
        return True
    return False


def _is_address(text: str, kind: type[IPv4Address] | type[IPv6Address], mark: str) -> bool:
    try:
        return mark in text and "%" not in text and bool(kind(text))
    except AddressValueError:
        return False


def _is_ipv4(text: str) -> bool:
    return _is_address(text, IPv4Address, ".") or _is_address(text, IPv6Address, ".")


def _is_pattern(text: str) -> bool:
    try:
        compile_pattern(text)
    except BadPattern:
        return False
    return True


def _matching(pattern: str) -> Callable[[str], bool]:
    matches = re.compile(pattern, re.DOTALL).fullmatch
    return lambda text: matches(text) is not None


FORMATS: Final[Mapping[str, Callable[[str], bool]]] = {
    "ipv4": _is_ipv4,
    "ipv6": lambda text: _is_address(text, IPv6Address, ":"),
    **dict.fromkeys(("uri", "iri"), lambda text: bool((_url(text) or {}).get("scheme"))),
    **dict.fromkeys(("uri-reference", "iri-reference"), lambda text: _url(text) is not None),
    "uri-template": lambda text: bool(_BRACES.fullmatch((_url(text) or {"path": "{"})["path"])),
    "regex": _is_pattern,
    **{name: _matching(pattern) for name, pattern in _PATTERNS.items()},
    **{name: partial(_is_time, layouts=layouts) for name, layouts in _LAYOUTS.items()},
    "idn-email": _matching(_PATTERNS["email"]),
}
"""Whether a string has a format; names that are not here are not asserted."""


def conforms(value: object, name: str, work: Callable[[int], object]) -> bool:
    """Whether a value has a format; a number has none, other values any. `work` gets the steps."""
    known = FORMATS.get(name)
    if known is None or not isinstance(value, str):
        return known is None or isinstance(value, bool) or not isinstance(value, int | float)
    work(_A_PATTERN * (name == "regex") + len(value) // _CHARS_A_STEP)
    return known(value)
