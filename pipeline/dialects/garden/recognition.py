"""Recognises Garden configuration and its version by the top-level keys of a text.

Texts of other dialects are checked as well, so only possible top-level keys are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ...values.source import Source

ACTIONS: Final = ("Build", "Deploy", "Run", "Test")
KINDS: Final = (
    "Project",
    *ACTIONS,
    "ConfigTemplate",
    "RenderTemplate",
    "Module",
    "Workflow",
    "Command",
    "Group",
    "ModuleTemplate",
)

# in block style a top-level key is at the beginning of its line
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
"""Tokens to read of a text in flow style, whose top-level keys come early."""


def dialect_of(source: Source) -> str | None:
    """`garden` or `garden-v2`, by the `kind` or `apiVersion` of a document, or None."""
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
    """True for Garden configuration of the first version, or without a version."""
    return dialect_of(source) == "garden"


def recognises_second(source: Source) -> bool:
    """True for Garden configuration of the second version."""
    return dialect_of(source) == "garden-v2"


def _flow_keys(text: str) -> Iterator[tuple[str, str]]:
    """The scalar fields of a map in flow style, or of the maps in an array."""
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
