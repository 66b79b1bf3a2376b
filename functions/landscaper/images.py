"""References to images and other artifacts of registries."""

from __future__ import annotations

import re
from typing import Final

from ..gotemplate.guards import TYPES, failed
from ..gotemplate.kinds import Strings
from ..regexes import compile_regex
from ..signatures import Declarations

function: Final = Declarations("images", __package__, propagates_none=False, types=TYPES)

_PATH: Final = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_REFERENCE: Final = compile_regex(
    rf"(?P<name>(?:(?P<host>[A-Za-z0-9.-]+(?::[0-9]+)?)/)?{_PATH}(?:/{_PATH})*)"
    r"(?::(?P<tag>\w[\w.-]{0,127}))?(?:@(?P<digest>[A-Za-z][A-Za-z0-9+._-]*:[0-9a-fA-F]{32,}))?",
    re.ASCII,
).fullmatch
_DEFAULT: Final = ("docker.io", "index.docker.io")


def _parsed(reference: str) -> tuple[str, str]:
    """The repository of a reference and its version: the digest, the tag, or `latest`."""
    match = _REFERENCE(reference.partition("://")[2] if "://" in reference else reference)
    host, name = (match["host"], match["name"]) if match else (None, "")
    if host is not None and not ("." in host or ":" in host or host == "localhost"):
        host = None
    if match is None or ":" not in reference or (host is None and name != name.lower()):
        raise failed("this is not a reference such as `repository:tag`")
    if host in _DEFAULT:
        name = name.removeprefix(f"{host}/").removeprefix("library/")
    return name, match["digest"] or match["tag"] or "latest"


for _signature, _call in (
    ("parseOCIRef(reference: string) -> list", lambda reference: Strings(_parsed(reference))),
    ("ociRefRepo(reference: string) -> string", lambda reference: _parsed(reference)[0]),
    ("ociRefVersion(reference: string) -> string", lambda reference: _parsed(reference)[1]),
):
    function(_signature, notes=("In GoTemplates and in Spiff",))(_call)
