"""Recognises Garden configuration and its version by the top-level keys of a text.

Texts of other dialects are checked as well, so only possible top-level keys are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from ....functions.regexes import compile_regex
from ...formats.detection import in_flow_style, top_level_fields
from ...values.diagnostics import likely
from ...values.quoting import QuotingRule, quote_all
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
_LINE: Final = compile_regex(
    r"""^(?:---[ \t]+)?["']?(kind|apiVersion)["']?[ \t]*:"""
    r"""[ \t]+["']?([\w./-]+)["']?[ \t\r]*(?:\#|$)""",
    re.MULTILINE | re.ASCII,
)


def dialect_of(source: Source) -> str | None:
    """`garden` or `garden-v2`, by the `kind` or `apiVersion` of a document, or None."""
    text = source.text
    return version_of(top_level_fields(text) if in_flow_style(text) else _LINE.findall(text))


def version_of(fields: Iterable[tuple[str, str]]) -> str | None:
    """`garden` or `garden-v2`, by top-level keys of documents and their words, or None."""
    found = None
    for key, value in fields:
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


def is_project(source: Source) -> bool:
    """True for configuration of a project, of which all other files are parts.

    Other tools have a kind `Project`, too, with their own `apiVersion`.
    """
    text = source.text
    keys = list(top_level_fields(text) if in_flow_style(text) else _LINE.findall(text))
    ours = all(value.startswith("garden.io/") for key, value in keys if key == "apiVersion")
    return ours and ("kind", KINDS[0]) in keys


_KEYS: Final = ("kind", "apiVersion")
_MOST_KEYS: Final = 200


def _is_configuration(source: Source) -> bool:
    """True for a text with a kind of Garden or its version, one of the words misspelt at most."""
    if dialect_of(source) is not None:
        return True
    for number, (key, value) in enumerate(top_level_fields(source.text)):
        if number > _MOST_KEYS:
            break
        exact = key in _KEYS
        if exact and (value.startswith("garden.io") or likely(value, KINDS)):
            return True
        if not exact and (value in KINDS or value.startswith("garden.io/")) and likely(key, _KEYS):
            return True
    return False


QUOTES: Final = QuotingRule(_is_configuration, quote_all)
"""How configuration may be quoted: secrets come from elsewhere."""
