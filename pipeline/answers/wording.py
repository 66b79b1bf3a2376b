"""Causes in words, a line each."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Final

from ..values.source import Span
from ..values.terminal import shorten, visible
from .explanation import (
    KNOWN,
    NONE_VALUE,
    PARTLY,
    RESIDUAL,
    SECRET,
    UNUSED,
    WITHHELD,
    Cause,
)

_VALUE_CHARS: Final = 60
_WITHOUT_VALUE: Final = {
    SECRET: ": a secret",
    WITHHELD: ": not shown, as a secret is made of it",
    RESIDUAL: ": not known yet",
    NONE_VALUE: " = none",
}


def caused(causes: tuple[Cause, ...]) -> list[Callable[[], str]]:
    """What gives the lines of causes and of theirs; of thousands only the first are asked for."""
    found: list[Callable[[], str]] = []

    def collect(causes: tuple[Cause, ...], indent: str) -> None:
        functions = []
        for cause in causes:
            if cause.kind == "function":
                functions.append(cause)
                continue
            found.append(partial(described, cause, indent))
            if cause.causes:
                collect(cause.causes, indent + "  ")
        if functions:
            shown = [f"{one.name} ({one.how})" if one.how else one.name for one in functions]
            line = f"{indent}function{'s' if len(shown) > 1 else ''} {visible(', '.join(shown))}"
            found.append(partial(str, line))

    collect(causes, "  ")
    return found


def described(cause: Cause, indent: str = "") -> str:
    """One line about a cause: its name, its value, its giver and its place."""
    name = indent + visible(cause.name)
    if cause.status == UNUSED:
        return f"{name}: not needed, its branch is not taken"
    if cause.status in (KNOWN, PARTLY):
        value = json.dumps(cause.value, ensure_ascii=False)
        text = f"{name} = {visible(shorten(value, _VALUE_CHARS))}"
    else:
        text = name + _WITHOUT_VALUE[cause.status]
    where = where_from(cause)
    text += f"  ({where})" if where else ""
    return f"{text}  (shown above)" if cause.repeated else text


def where_from(cause: Cause) -> str:
    """Who gives a cause its value, and where that is written."""
    place = shown_place(cause.span) if cause.span is not None else ""
    if cause.kind == "variable" and cause.how.startswith("the file ") and place:
        where = [f"from {place}"]
    elif cause.how:
        where = [_giver(cause), place]
    else:
        where = [f"at {place}" if place else ""]
    if cause.way and not place:
        where.append(f"in the child `{visible('.'.join(cause.way))}`")
    return ", ".join(part for part in where if part)


def _giver(cause: Cause) -> str:
    how = visible(cause.how)
    if cause.kind in ("element", "index", "import") or how.startswith(("known ", "given ")):
        return how
    return f"from {how}"


def shown_place(span: Span) -> str:
    """Where something is written, for people."""
    return f"{visible(span.source.name)}:{span.line}:{span.column}"
