"""Diagnostics as GitHub workflow commands, which show them beside the changed lines."""

from __future__ import annotations

from ..diagnostics import ERROR, Diagnostic
from .terminal import visible


def command(item: Diagnostic, main_file: str) -> str:
    """One `::error` or `::warning` line.

    What has no place is put on `main_file`. Columns are given for places on one line only: GitHub
    refuses others.
    """
    properties: dict[str, str | int] = {"file": main_file}
    span = item.span
    if span:
        properties = {"file": span.source.name, "line": span.line, "endLine": span.end_line}
        if span.line == span.end_line:
            properties |= {"col": span.column, "endColumn": span.end_column}
    properties["title"] = item.code
    shown = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    level = "error" if item.severity == ERROR else "warning"
    return f"::{level} {shown}::{_message(item)}"


def _message(item: Diagnostic) -> str:
    lines = [item.summary]
    if item.hint:
        lines.append(f"help: {item.hint}")
    for note in item.notes:
        place = f" ({note.span})" if note.span else ""
        lines.append(f"note: {note.text}{place}")
    return "%0A".join(_data(line) for line in lines)


def _data(text: str) -> str:
    """Text in which nothing can be taken for a command: `visible` leaves no line breaks."""
    return visible(text).replace("%", "%25").replace("::", ":\\u{3a}")


def _property(text: str) -> str:
    return visible(text).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
