"""Diagnostics as GitHub workflow commands, which show them beside the changed lines."""

from __future__ import annotations

import os

from ..values.diagnostics import ERROR, Diagnostic
from .terminal import visible


def command(item: Diagnostic, main_file: str) -> str:
    """One `::error` or `::warning` line.

    What has no place is put on `main_file`. Columns are given for places on one line only: GitHub
    refuses others.
    """
    span = item.span
    file = _file(span.source.name if span else main_file)
    properties: dict[str, str | int] = {"file": file}
    if span:
        properties |= {"line": span.line, "endLine": span.end_line}
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
    return _data("\n".join(map(visible, lines)))


def _file(name: str) -> str:
    """A name as it is below the working directory: annotations are put on files of a checkout."""
    if not os.path.isabs(name):
        return name
    below = os.path.relpath(name)
    return name if below.partition(os.sep)[0] == os.pardir else below


def _data(text: str) -> str:
    """What stands behind the second `::` and ends with the line."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """The value of a property, which ends with `,` or with the second `::`."""
    return _data(visible(text)).replace(":", "%3A").replace(",", "%2C")
