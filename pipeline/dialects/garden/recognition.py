"""Whether a text is configuration of Garden, and of which version, by its top-level keys.

This is asked of texts of other dialects as well, so it reads nothing but what may be such a key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ...values.source import Source

KINDS: Final = frozenset(
    {
        *("Project", "Build", "Deploy", "Run", "Test", "Workflow", "Module", "Group", "Command"),
        *("ConfigTemplate", "RenderTemplate", "ModuleTemplate"),
    }
)

# In block style a key of a document stands at the beginning of its line.
_LINE: Final = re.compile(
    r"""^(?:---[ \t]+)?["']?(kind|apiVersion)["']?[ \t]*:"""
    r"""[ \t]+["']?([\w./-]+)["']?[ \t\r]*(?:\#|$)""",
    re.MULTILINE | re.ASCII,
)
_FLOW: Final = re.compile(r"(?:[\ufeff \t\r\n]|---|\#[^\n]*|//[^\n]*|/\*(?s:.*?)\*/)*[\[{]")
_TOKEN: Final = re.compile(
    r""""(?P<text>(?:[^"\\\n]|\\.)*)"(?P<key>\s*:)?|(?P<open>[\[{])|(?P<close>[\]}])"""
    r"""|//[^\n]*|\#[^\n]*|/\*(?s:.*?)\*/|(?P<word>[^\s"\[\]{},:\#/]+)(?P<word_key>\s*:)?""",
)
_LOOKED_AT: Final = 10_000
"""Tokens of a text that begins with a brace: its own keys come early."""


def dialect_of(source: Source) -> str | None:
    """`garden` or `garden-v2` for configuration of Garden; None for any other text.

    It is told by the `kind` or the `apiVersion` of a document.
    """
    found = None
    keys = _flow_keys(source.text) if _FLOW.match(source.text) else _LINE.findall(source.text)
    for key, value in keys:
        if key == "apiVersion" and value == "garden.io/v2":
            return "garden-v2"
        if (key == "kind" and value in KINDS) or (
            key == "apiVersion" and value.startswith("garden.io/")
        ):
            found = "garden"
    return found


def recognises(source: Source) -> bool:
    """True for configuration of Garden of the first version, or of none that it names."""
    return dialect_of(source) == "garden"


def recognises_second(source: Source) -> bool:
    """True for configuration of Garden that names its second version."""
    return dialect_of(source) == "garden-v2"


def _flow_keys(text: str) -> Iterator[tuple[str, str]]:
    """The plain fields of a map in flow style, or of the maps in an array of them."""
    depth = 0
    base = 1
    key = ""
    for number, token in enumerate(_TOKEN.finditer(text)):
        if number > _LOOKED_AT:
            return
        if token["open"]:
            if token["open"] == "[" and depth == 0:
                base = 2
            depth, key = depth + 1, ""
        elif token["close"]:
            depth, key = depth - 1, ""
        else:
            word = token["text"] if token["text"] is not None else token["word"]
            if word is None:
                continue
            if token["key"] or token["word_key"]:
                key = word
            elif key:
                if depth == base:
                    yield key, word
                key = ""
