"""Paths and addresses."""

from __future__ import annotations

import re
from typing import Any, Final

from ..expr.kinds import of_bytes, to_bytes
from ..expr.texts import quoted
from ..signatures import Declarations
from .guards import TYPES, failed
from .kinds import kind_name

function: Final = Declarations("addresses", __package__, propagates_none=False, types=TYPES)


# paths


def clean(path: str) -> str:
    """The shortest path that is the same one."""
    rooted = path.startswith("/")
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and (rooted or (parts and parts[-1] != "..")):
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return f"{'/' if rooted else ''}{'/'.join(parts)}" or "."


def _base(path: str) -> str:
    bare = path.rstrip("/")
    return bare.rpartition("/")[2] or ("/" if path else ".")


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
        function(f"{_own}(path: string) -> string")(_call)
for _own in ("isAbs", "osIsAbs"):
    function(f"{_own}(path: string) -> bool")(lambda path: path.startswith("/"))


# URLs

_SCHEME: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*")
_WRONG: Final = re.compile(r"%(?![0-9a-fA-F]{2}).{0,2}", re.DOTALL)
_WRONG_IN_HOST: Final = re.compile(r"%(?!25|[89a-fA-F][0-9a-fA-F]).{0,2}", re.DOTALL)
_KEPT: Final = {
    "userinfo": b"-_.~$&+,;=",
    "path": b"-_.~$&+,/:;=@",
    "host": b"-_.~!$&'()*+,;=:[]<>\"",
    "fragment": b"-_.~$&+,/:;=?@!()*",
}
"""The punctuation that is not escaped in a part of a URL."""


@function("urlParse(url: string) -> map")
def _url_parse(url: str) -> dict[str, Any]:
    try:
        return _parsed(url)
    except ValueError as error:
        message = f"unable to parse url: parse {quoted(url.partition('#')[0])}: {error.args[0]}"
    raise failed(message)


def _parsed(url: str) -> dict[str, Any]:
    """The parts of an address.

    Raises:
        ValueError: Go's sentence.
    """
    if any(character < " " or character == "\x7f" for character in url):
        raise ValueError("net/url: invalid control character in URL")
    rest, _, fragment = url.partition("#")
    scheme, rest = _scheme(rest)
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


def _scheme(text: str) -> tuple[str, str]:
    match = _SCHEME.match(text)
    if match and text[match.end() : match.end() + 1] == ":":
        return match[0], text[match.end() + 1 :]
    if text.startswith(":"):
        raise ValueError("missing protocol scheme")
    return "", text


def _authority(text: str) -> dict[str, str]:
    userinfo, at, host = text.rpartition("@")
    if at:
        if not re.fullmatch(r"[A-Za-z0-9._:~!$&'()*+,;=%@-]*", userinfo):
            raise ValueError("net/url: invalid userinfo")
        name, colon, password = (*userinfo.partition(":"),)
        userinfo = _escaped(_unescaped(name, False), "userinfo")
        userinfo += colon + _escaped(_unescaped(password, False), "userinfo")
    bracket = host.rfind("]")
    if host.startswith("["):
        if bracket < 0:
            raise ValueError("missing ']' in host")
        port = host[bracket + 1 :]
    else:
        port = host[host.rfind(":") :] if ":" in host else ""
    if port and not re.fullmatch(r":[0-9]*", port):
        raise ValueError(f"invalid port {quoted(port)} after host")
    host = _unescaped(host, True)
    name = host[: len(host) - len(port)]
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1]
    return {"userinfo": userinfo, "host": host, "hostname": name}


def _unescaped(text: str, is_host: bool) -> str:
    pattern = _WRONG_IN_HOST if is_host else _WRONG
    wrong = pattern.search(text)
    if wrong:
        raise ValueError(f"invalid URL escape {quoted(wrong[0])}")
    if is_host:
        for character in text:
            if character in " \\^`{}|":
                raise ValueError(f"invalid character {quoted(character)} in host name")
    if "%" not in text:
        return text
    data = re.sub(rb"%(..)", lambda match: bytes([int(match[1], 16)]), to_bytes(text))
    return of_bytes(data)


def _escaped(text: str, part: str) -> str:
    kept = _KEPT[part]
    return "".join(
        chr(byte) if byte < 128 and (chr(byte).isalnum() or byte in kept) else f"%{byte:02X}"
        for byte in to_bytes(text)
    )


@function("urlJoin(parts: map) -> string")
def _url_join(parts: dict[str, Any] | None) -> str:
    given = {name: _part(parts or {}, name) for name in _JOINED}
    userinfo = ""
    if given["userinfo"]:
        try:
            found = _parsed(f"proto://{given['userinfo']}@host")
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


_JOINED: Final = ("scheme", "host", "path", "query", "opaque", "fragment", "userinfo")


def _part(parts: dict[str, Any], name: str) -> str:
    value = parts.get(name, "")
    if value.__class__ is str:
        return str(value)
    raise failed(
        f"unable to parse {name} key, must be of type string, but {kind_name(value)} found"
    )
