"""The first difference between two documents as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


def difference(actual: Any, expected: Any, ignored: Iterable[str] = (), path: str = "") -> str:
    """The first difference in types, values or the order of keys; empty when there is none.

    Paths in `ignored` are not compared. Where `children` stands among the sections is not demanded.
    """
    if path in ignored:
        return ""
    here = path or "the document"
    if isinstance(expected, dict) and isinstance(actual, dict):
        if _order(actual, path) != _order(expected, path):
            return f"{here}: the keys are {list(actual)}, expected {list(expected)}"
        pairs: Iterator[tuple[Any, Any, Any]] = ((k, actual[k], expected[k]) for k in expected)
    elif isinstance(expected, list) and isinstance(actual, list):
        if len(actual) != len(expected):
            return f"{here}: {len(actual)} elements, expected {len(expected)}: {actual!r}"
        pairs = ((n, a, e) for n, (a, e) in enumerate(zip(actual, expected, strict=True)))
    elif type(actual) is not type(expected) or actual != expected:
        return f"{here}: {actual!r}, expected {expected!r}"
    else:
        return ""
    for key, a, e in pairs:
        found = difference(a, e, ignored, f"{path}.{key}" if path else str(key))
        if found:
            return found
    return ""


def _order(keys: Iterable[str], path: str) -> list[str]:
    names = list(keys)
    document = not path or "children" in path.split(".")
    if document and "children" in names:
        names.remove("children")
        names.append("children")
    return names
