"""Differences as lines for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from ...functions.values import type_of
from ..answers.comparison import ADDED, CHANGED, MOVED, REMOVED, Difference
from .terminal import ELLIPSIS, Palette, shorten, visible, visible_json

_SIGNS: Final = {ADDED: "+", REMOVED: "-", CHANGED: "~", MOVED: ">"}
_STYLES: Final = {ADDED: "note", REMOVED: "error", CHANGED: "warning", MOVED: "gutter"}
_VALUE_CHARS: Final = 120
_CONTEXT_CHARS: Final = 20


def difference_lines(differences: Iterable[Difference], color: bool) -> str:
    """One line for each difference; empty if there are none."""
    palette = Palette(color)
    return "".join(
        f"{palette.paint(_STYLES[item.kind], f'{_SIGNS[item.kind]} {visible(item.where)}')}"
        f"{_change(item)}\n"
        for item in differences
    )


def difference_json(differences: Iterable[Difference]) -> str:
    """A JSON array of objects with `path`, `kind`, `old` and `new`."""
    plain = [
        {"path": item.where, "kind": item.kind, "old": item.old, "new": item.new}
        for item in differences
    ]
    return visible_json(json.dumps(plain, ensure_ascii=False, indent=2)) + "\n"


def _change(item: Difference) -> str:
    match item.kind:
        case "added":
            return f": {_shown(item.new)}"
        case "removed":
            return f": {_shown(item.old)}"
        case "moved":
            return f" moved to [{item.new}]"
    old, new = item.old, item.new
    if old.__class__ is not new.__class__:
        return f": {_shown(old)} ({type_of(old)}) -> {_shown(new)} ({type_of(new)})"
    if isinstance(old, str):
        old, new = _without_prefix(old, new)
    return f": {_shown(old)} -> {_shown(new)}"


def _shown(value: Any) -> str:
    """A value as JSON on one line, cut when it is long."""
    return shorten(visible_json(json.dumps(value, ensure_ascii=False)), _VALUE_CHARS)


def _without_prefix(old: str, new: str) -> tuple[str, str]:
    """Two long strings without their common prefix, except for some context."""
    if max(len(old), len(new)) <= _VALUE_CHARS - 2:
        return old, new
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    start = same - _CONTEXT_CHARS
    if start <= len(ELLIPSIS):
        return old, new
    return ELLIPSIS + old[start:], ELLIPSIS + new[start:]
