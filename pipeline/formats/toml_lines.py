"""Ordinary TOML, read line by line.

Configurations of builds are mostly headers and plain values on lines of their own. The standard
library's reader takes 9 ms to import and 10 ms for the tables of 500 targets, as long as rendering
one of them. Here is what such lines say; for everything else (comments after values, escapes,
dates, inline tables, names that come twice, every mistake) the answer is None, and that reader
decides.
"""

from __future__ import annotations

from typing import Any


def ordinary_toml(text: str) -> dict[str, Any] | None:
    """The data of a text; None when not all of it is ordinary."""
    root: dict[str, Any] = {}
    table = root
    # tables of keys with dots, which no header may open again, by the tables that they are in
    dotted: set[int] = set()
    for line in text.split("\n"):
        if not line:
            continue
        if not line.isprintable():
            return None
        if line[0] == "#":
            continue
        if line[0] == "[":
            opened = _opened(root, line, dotted)
            if opened is None:
                return None
            table = opened
        elif not _take(table, line, dotted):
            return None
    return root


def _opened(root: dict[str, Any], line: str, dotted: set[int]) -> dict[str, Any] | None:
    """The new table of a header."""
    names = line[1:-1].split(".")
    if line[-1] != "]" or not all(map(_is_bare, names)):
        return None
    table = root
    for name in names[:-1]:
        table = table.setdefault(name, {})
        if not isinstance(table, dict) or id(table) in dotted:
            return None
    if names[-1] in table:
        return None
    opened: dict[str, Any] = {}
    table[names[-1]] = opened
    return opened


def _take(table: dict[str, Any], line: str, dotted: set[int]) -> bool:
    """Takes over `key = value`."""
    key, sign, text = line.partition(" = ")
    names = key.split(".")
    if not sign or not all(map(_is_bare, names)):
        return False
    value = _value(text)
    for name in names[:-1]:
        if name not in table:
            inner: dict[str, Any] = {}
            table[name] = inner
            dotted.add(id(inner))
        table = table[name]
        if id(table) not in dotted:
            return False
    if value is None or names[-1] in table:
        return False
    table[names[-1]] = value
    return True


def _is_bare(name: str) -> bool:
    return name.isascii() and name.replace("_", "a").replace("-", "a").isalnum()


def _value(text: str) -> Any:
    """A text without escapes, an integer, a truth value or a list of them; None for all others."""
    quote = text[:1]
    if quote in ('"', "'"):
        inner = text[1:-1]
        whole = len(text) > 1 and text[-1] == quote
        return inner if whole and quote not in inner and "\\" not in inner else None
    if text in ("true", "false"):
        return text == "true"
    if text.isascii() and text.isdigit() and len(text) < 16 and (text[0] != "0" or text == "0"):
        return int(text)
    if quote == "[" and text[-1] == "]" and "[" not in text[1:]:
        values = [_value(item) for item in text[1:-1].split(", ")] if text != "[]" else []
        return None if None in values else values
    return None
