"""All codes by name, and the page that explains one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ..dialects.table import DEFAULT, find_dialect
from . import (
    building,
    configuration,
    datasources,
    exports,
    files,
    functions,
    includes,
    instances,
    language,
    provenance,
    providers,
    reading,
    references,
    remote,
    rendering,
    resources,
    structure,
    transforms,
    values,
    variables,
)
from .record import Code

_MODULES: Final = (
    reading,
    structure,
    transforms,
    variables,
    values,
    datasources,
    providers,
    resources,
    instances,
    includes,
    exports,
    language,
    references,
    functions,
    files,
    remote,
    rendering,
    building,
    provenance,
    configuration,
)

_WIDTH: Final = 80


def _by_name() -> Mapping[str, Code]:
    syntax = find_dialect(DEFAULT).syntax
    codes: dict[str, Code] = {}
    for module in _MODULES:
        for code in module.CODES:
            if code.name in codes:
                raise ValueError(f"the code `{code.name}` is recorded twice")
            codes[code.name] = code.spoken(syntax.opener, syntax.closer)
    return MappingProxyType(codes)


CODES: Final = _by_name()

TOPICS: Final = tuple(dict.fromkeys(code.topic for code in CODES.values()))


def find(name: str) -> Code | None:
    """The record of a code, however it is spelled (`Unknown-Field`), or None."""
    return CODES.get(name.strip().lower().replace("-", "_"))


def page(code: Code) -> str:
    """A plain text page about a code, 80 columns wide."""
    from textwrap import TextWrapper, indent

    # flags such as `--allow-path` stay in one piece
    fill = TextWrapper(_WIDTH, break_on_hyphens=False, break_long_words=False).fill
    parts = [f"{code.name} ({code.topic})", fill(f"{code.title}."), fill(code.text)]
    if code.example:
        parts.append("Example:\n\n" + indent(code.example.rstrip("\n"), "    "))
    parts.append("What to do:\n\n" + fill(code.remedy))
    return "\n\n".join(parts) + "\n"
