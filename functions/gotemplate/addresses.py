"""Paths and addresses."""

from __future__ import annotations

import re
from ipaddress import IPv6Address
from posixpath import normpath
from typing import Any, Final
from urllib.parse import quote, unquote_to_bytes

from ..expr.kinds import of_bytes, to_bytes
from ..expr.texts import quoted
from ..regexes import compile_regex
from ..signatures import Declarations
from .guards import TYPES, failed
from .kinds import kind_name

function: Final = Declarations("addresses", __package__, propagates_none=False, types=TYPES)


# paths


def clean(path: str) -> str:
    """The shortest path that is the same one."""
    return normpath(f"/{path.lstrip('/')}" if path.startswith("/") else path)


def _base(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2] or ("/" if path else ".")


def _extension(path: str) -> str:
    name = path.rpartition("/")[2]
    return name[name.rfind(".") :] if "." in name else ""


for _name, _call in {
    "base": _base,
    "dir": lambda path: clean("".join(path.rpartition("/")[:2])),
    "ext": _extension,
    "clean": clean,
}.items():
    for _own in (_name, f"os{_name.title()}"):
        function(f"{_own}(path: string) -> string", weight=8)(_call)
for _own in ("isAbs", "osIsAbs"):
    function(f"{_own}(path: string) -> bool")(lambda path: path.startswith("/"))


# URLs

_SCHEME: Final = compile_regex(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_WRONG: Final = compile_regex(r"%(?![0-9a-fA-F]{2}).{0,2}", re.DOTALL)
_WRONG_IN_HOST: Final = compile_regex(r"%(?!25|[89a-fA-F][0-9a-fA-F]).{0,2}", re.DOTALL)
_NO_HOST: Final = compile_regex(r"[ \\^`{}|]")
_KEPT: Final = {
    "userinfo": "$&+,;=",
    "path": "$&+,/:;=@",
    "host": "!$&'()*+,;=:[]<>\"",
    "fragment": "$&+,/:;=?@!()*",
}
"""The punctuation that is not escaped in a part of a URL."""


@function("urlParse(url: string) -> map", weight=8)
def _url_parse(url: str) -> dict[str, Any]:
    try:
        return parse_url(url)
    except ValueError as error:
        message = f"unable to parse url: parse {quoted(url.partition('#')[0])}: {error.args[0]}"
    raise failed(message)


def parse_url(url: str) -> dict[str, Any]:
    """The parts of an address.

    Raises:
        ValueError: Go's sentence.
    """
    if re.search(r"[\x00-\x1f\x7f]", url):
        raise ValueError("net/url: invalid control character in URL")
    rest, _, fragment = url.partition("#")
    if rest.startswith(":"):
        raise ValueError("missing protocol scheme")
    match = _SCHEME.match(rest)
    scheme = match[1] if match else ""
    rest = rest[len(match[0]) :] if match else rest
    rest, _, query = rest.partition("?")
    found = dict.fromkeys(
        ("fragment", "host", "hostname", "opaque", "path", "query", "scheme", "userinfo"), ""
    )
    found.update(scheme=scheme.lower(), query=query)
    if scheme and not rest.startswith("/"):
        found["opaque"] = rest
    else:
        if not rest.startswith("/") and ":" in rest.partition("/")[0]:
            raise ValueError("first path segment in URL cannot contain colon")
        if rest.startswith("//") and (scheme or not rest.startswith("///")):
            authority, slash, rest = rest[2:].partition("/")
            rest = slash + rest
            found.update(_authority(authority))
        found["path"] = _unescaped(rest, False)
    found["fragment"] = _unescaped(fragment, False)
    return found


def _authority(text: str) -> dict[str, str]:
    userinfo, at, host = text.rpartition("@")
    if at:
        if not re.fullmatch(r"[A-Za-z0-9._:~!$&'()*+,;=%@-]*", userinfo):
            raise ValueError("net/url: invalid userinfo")
        name, colon, password = userinfo.partition(":")
        userinfo = _escaped(_unescaped(name, False), "userinfo")
        userinfo += colon + _escaped(_unescaped(password, False), "userinfo")
    port = host[host.rfind(":") :] if ":" in host else ""
    if host.startswith("["):
        if "]" not in host:
            raise ValueError("missing ']' in host")
        port = host[host.rfind("]") + 1 :]
        IPv6Address(host[1 : host.rfind("]")].replace("%25", "%"))
    if port and not re.fullmatch(r":[0-9]*", port):
        raise ValueError(f"invalid port {quoted(port)} after host")
    host = _unescaped(host, True)
    name = host[: len(host) - len(port)]
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1]
    return {"userinfo": userinfo, "host": host, "hostname": name}


def _unescaped(text: str, is_host: bool) -> str:
    wrong = (_WRONG_IN_HOST if is_host else _WRONG).search(text)
    if wrong:
        raise ValueError(f"invalid URL escape {quoted(wrong[0])}")
    wrong = _NO_HOST.search(text) if is_host else None
    if wrong:
        raise ValueError(f"invalid character {quoted(wrong[0])} in host name")
    return of_bytes(unquote_to_bytes(to_bytes(text)))


def _escaped(text: str, part: str) -> str:
    return quote(to_bytes(text), _KEPT[part])


_JOINED: Final = ("scheme", "host", "path", "query", "opaque", "fragment", "userinfo")


@function("urlJoin(parts: map) -> string")
def _url_join(parts: dict[str, Any]) -> str:
    given = {name: parts.get(name, "") for name in _JOINED}
    for name, value in given.items():
        if value.__class__ is not str:
            kinds = f"must be of type string, but {kind_name(value)} found"
            raise failed(f"unable to parse {name} key, {kinds}")
    userinfo = ""
    if given["userinfo"]:
        try:
            found = parse_url(f"proto://{given['userinfo']}@host")
        except ValueError as error:
            raise failed(f"unable to parse userinfo in dict: {error.args[0]}") from None
        userinfo = found["userinfo"] + "@"
    text = f"{given['scheme']}:" if given["scheme"] else ""
    if given["opaque"]:
        text += given["opaque"]
    else:
        host, path = given["host"], _escaped(given["path"], "path")
        if given["scheme"] or host or userinfo:
            text += "//" if host or path or userinfo else ""
            text += userinfo + _escaped(host, "host")
        if path and not path.startswith("/") and host:
            text += "/"
        if not text and ":" in path.partition("/")[0]:
            text = "./"
        text += path
    text += f"?{given['query']}" if given["query"] else ""
    return text + (f"#{_escaped(given['fragment'], 'fragment')}" if given["fragment"] else "")
