"""The formats that schemas assert, as the engine's library understands them."""

from __future__ import annotations

import re
from collections.abc import Callable
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final

from ....functions.expr.layouts import read_time
from ....functions.go.regexps import BadPattern, compile_pattern
from ....functions.values import FunctionError

_LABEL: Final = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_ATOM: Final = r"(?:[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]|[^\x00-\x7f])+"
_QUOTED: Final = r'"(?:[^"\\\x00-\x1f\x7f]|\\[^\x00-\x1f\x7f])*"'
_NUMBERS: Final = r"\[[0-9]{1,3}(?:\.[0-9]{1,3}){3}\]"
_WORDS: Final = rf"{_ATOM}(?:\.{_ATOM})*"
_ADDRESS: Final = rf"(?:{_WORDS}|{_QUOTED})@(?:{_WORDS}|{_NUMBERS})"
_PHRASE: Final = rf"(?:(?:{_WORDS}\.?|{_QUOTED})[ \t]*)*"
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
_SCHEME: Final = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_AUTHORITY: Final = re.compile(
    r"(?:(?:[A-Za-z0-9\-._:~!$&'()*+,;=@]|%[0-9a-fA-F]{2})*@)?"
    r"(?:\[(?P<inner>[^\[\]%]*)(?:%25[^\[\]]*)?\]"
    r"|(?:[A-Za-z0-9\-._~!$&'()*+,;=<>\"\]]|[^\x00-\x7f]|%[89a-fA-F][0-9a-fA-F])*)"
    r"(?::[0-9]*)?"
)
_ESCAPES: Final = re.compile(r"(?:[^%]|%[0-9a-fA-F]{2})*")
_BRACES: Final = re.compile(r"(?:[^{]|\{[^}]*\})*")


def parse_url(text: str) -> tuple[str, str] | None:
    """The scheme and the path of a URL by Go's rules, None for a text that is not one."""
    if any(one < " " or one == "\x7f" for one in text):
        return None
    rest, _, fragment = text.partition("#")
    if not _ESCAPES.fullmatch(fragment):
        return None
    found = _SCHEME.match(rest)
    if rest.startswith(":"):
        return None
    scheme = found[1] if found else ""
    rest = rest[found.end() if found else 0 :].partition("?")[0]
    if not rest.startswith("/"):
        if scheme:
            return scheme, ""
        return ("", rest) if ":" not in rest.partition("/")[0] and _escaped(rest) else None
    if rest.startswith("//") and (scheme or not rest.startswith("///")):
        authority, slash, path = rest[2:].partition("/")
        host = _AUTHORITY.fullmatch(authority)
        if not host or not (host["inner"] is None or _is_address(host["inner"], IPv6Address, ":")):
            return None
        rest = slash + path
    return (scheme, rest) if _escaped(rest) else None


def _escaped(path: str) -> bool:
    return _ESCAPES.fullmatch(path) is not None


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


def _is_reference(text: str) -> bool:
    return "\\" not in text and parse_url(text) is not None


def _is_uri(text: str) -> bool:
    found = parse_url(text)
    return found is not None and found[0] != "" and "\\" not in text


def _is_uri_template(text: str) -> bool:
    found = parse_url(text)
    return found is not None and "\\" not in text and bool(_BRACES.fullmatch(found[1]))


def _is_pattern(text: str) -> bool:
    try:
        compile_pattern(text)
    except BadPattern:
        return False
    return True


FORMATS: Final[dict[str, Callable[[str], bool]]] = {
    "ipv4": _is_ipv4,
    "ipv6": lambda text: _is_address(text, IPv6Address, ":"),
    "uri": _is_uri,
    "iri": _is_uri,
    "uri-reference": _is_reference,
    "iri-reference": _is_reference,
    "uri-template": _is_uri_template,
    "regex": _is_pattern,
}
"""Whether a string has a format; names that are not here are not asserted."""


def _matching(pattern: str) -> Callable[[str], bool]:
    matches = re.compile(pattern, re.DOTALL).fullmatch
    return lambda text: matches(text) is not None


FORMATS.update((name, _matching(pattern)) for name, pattern in _PATTERNS.items())
FORMATS.update(
    (name, lambda text, layouts=layouts: _is_time(text, layouts))  # type: ignore[misc]
    for name, layouts in _LAYOUTS.items()
)
FORMATS["idn-email"] = FORMATS["email"]
