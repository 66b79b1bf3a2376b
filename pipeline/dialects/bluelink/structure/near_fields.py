"""The key of a definition that another key stands for: misspelt, or a word of another language."""

from __future__ import annotations

from functools import cache
from typing import Any

from .....functions.signatures import read_table
from ....values.diagnostics import nearest
from .sections import Definition


def near_field(key: str, definition: Definition) -> str | None:
    """The key that is meant by one that the definition does not have, or None.

    What is proposed in a hint is also what recovery takes the key for.
    """
    return field_elsewhere(key, definition) or nearest(key, definition.fields)


def field_elsewhere(key: str, definition: Definition) -> str | None:
    """The key for what another language calls differently, or None."""
    return _words(definition).get(_plain(key))


def advice(key: str, noun: str) -> str | None:
    """What to write instead of a word that no key or name stands for, or None.

    `noun` is that of a definition, or `reference` for the first name of one.
    """
    return _advice(noun).get(_plain(key))


def _plain(key: str) -> str:
    return key.replace("_", "").replace("-", "").casefold()


@cache
def _table() -> dict[str, dict[str, Any]]:
    return {**read_table(__package__, "elsewhere.toml")}


@cache
def _words(definition: Definition) -> dict[str, str]:
    rows = _table().get(definition.noun, {})
    words = {_plain(field): field for field in definition.fields}
    return words | {_plain(word): field for field, others in rows.items() for word in others}


@cache
def _advice(noun: str) -> dict[str, str]:
    rows: dict[str, str] = _table()["advice"].get(noun, {})
    return {_plain(word): hint for word, hint in rows.items()}
