"""The diagnostic codes by name, read from `codes.toml`, and the page that explains one."""

from __future__ import annotations

import pkgutil
import tomllib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ...functions.record import Record

_WIDTH: Final = 80


class Code(Record):
    """One diagnostic code and its page.

    `title` is a few words, `text` explains the error and why it is one, `remedy` how to fix it.
    `example` is a small input that gives the diagnostic: a substitution if it begins with one, else
    sections of a blueprint; empty if no short input can show it.
    """

    name: str
    title: str
    text: str
    remedy: str
    topic: str
    example: str = ""


def _read() -> Mapping[str, Code]:
    data = pkgutil.get_data(__package__, "codes.toml")
    if data is None:
        raise FileNotFoundError("bpp was installed without `codes.toml`")
    topics = tomllib.loads(data.decode())
    delimiters = str.maketrans(topics.pop("delimiters"))
    codes: dict[str, Code] = {}
    for topic, pages in topics.items():
        for name, entry in pages.items():
            if name in codes:
                raise ValueError(f"the code `{name}` is defined twice")
            codes[name] = Code(
                name=name,
                title=entry["title"].translate(delimiters),
                text=" ".join(entry["text"].translate(delimiters).split()),
                remedy=" ".join(entry["remedy"].translate(delimiters).split()),
                topic=topic,
                example=entry.get("example", "").translate(delimiters),
            )
    return MappingProxyType(codes)


CODES: Final = _read()

TOPICS: Final = tuple(dict.fromkeys(code.topic for code in CODES.values()))


def find(name: str) -> Code | None:
    """The code of a name in any spelling (`Unknown-Field`), or None."""
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
