"""Diagnostics for CI: GitHub workflow commands, and SARIF 2.1.0 logs for code scanning."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Final

from ..values.diagnostics import ERROR, Diagnostic, Note
from ..values.source import Span
from ..values.version import VERSION
from .terminal import visible

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def command(item: Diagnostic, main_file: str) -> str:
    """One `::error` or `::warning` line, which GitHub shows beside the changed line.

    A diagnostic without a place is put on `main_file`. GitHub accepts columns only for a place on
    one line.
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
    return f"::{level} {shown}::{_annotation(item)}"


def _annotation(item: Diagnostic) -> str:
    lines = [item.summary]
    if item.hint:
        lines.append(f"help: {item.hint}")
    for note in item.notes:
        place = f" ({note.span})" if note.span else ""
        lines.append(f"note: {note.text}{place}")
    return _data("\n".join(map(visible, lines)))


def _file(name: str) -> str:
    """A path relative to the working directory, if inside it, as in a checkout."""
    if not os.path.isabs(name):
        return name
    below = os.path.relpath(name)
    return name if below.partition(os.sep)[0] == os.pardir else below


def _data(text: str) -> str:
    """Escapes the message of a command, which ends with the line."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escapes the value of a property, which ends with `,` or the second `::`."""
    return _data(visible(text)).replace(":", "%3A").replace(",", "%2C")


def log(items: Iterable[Diagnostic], main_file: str) -> dict[str, Any]:
    """A SARIF log as plain data: one run, and the rules that have a result.

    Services require a place, so a result without one is put on `main_file`.
    """
    rules: dict[str, int] = {}
    results = [_result(item, rules.setdefault(item.code, len(rules)), main_file) for item in items]
    driver = {
        "name": "bpp",
        "version": VERSION,
        "semanticVersion": VERSION,
        "rules": [_rule(name) for name in rules],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "results": results,
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(name: str) -> dict[str, Any]:
    from ..codes import find

    code = find(name)
    if code is None:
        return {"id": name, "shortDescription": {"text": name.replace("_", " ")}}
    return {
        "id": name,
        "shortDescription": {"text": code.title},
        "fullDescription": {"text": code.text},
        "help": {"text": f"{code.text} {code.remedy}".strip()},
        "properties": {"tags": [code.topic]},
    }


def _result(item: Diagnostic, rule: int, main_file: str) -> dict[str, Any]:
    remarks = [f"help: {item.hint}"] if item.hint else []
    remarks += [f"note: {note.text}" for note in item.notes if note.span is None]
    result: dict[str, Any] = {
        "ruleId": item.code,
        "ruleIndex": rule,
        "level": "error" if item.severity == ERROR else "warning",
        "message": _message(item.summary, *remarks),
        "locations": [_location(item.span, main_file)],
    }
    related = [_related(note, note.span) for note in item.notes if note.span is not None]
    if related:
        result["relatedLocations"] = related
    if item.span and not item.span.exact:
        result["properties"] = {"approximate": True}
    return result


def _message(*lines: str) -> dict[str, str]:
    """A plain text message; escapes `[text](target)`, which viewers would turn into a link."""
    text = "\n".join(visible(line) for line in lines)
    if "](" in text:
        text = text.replace("[", "\\[").replace("]", "\\]")
    return {"text": text}


def _location(span: Span | None, main_file: str) -> dict[str, Any]:
    if span is None:
        return {"physicalLocation": {"artifactLocation": {"uri": _uri(main_file)}}}
    region = {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
    artifact = {"uri": _uri(span.source.name)}
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}


def _related(note: Note, span: Span) -> dict[str, Any]:
    return {**_location(span, ""), "message": _message(note.text)}


def _uri(name: str) -> str:
    """A file's name as a URI reference; relative names and addresses stay as they are."""
    from urllib.parse import quote

    if name.startswith(("https://", "http://", "s3://", "gs://", "az://")):
        return quote(name, safe=":/?#[]@!$&'()*+,;=%~")
    # lone surrogates stand for bytes that are not valid UTF-8, and become the same bytes
    try:
        raw = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raw = name.encode("utf-8", "replace")
    quoted = quote(raw, safe="/")
    return f"file://{quoted}" if quoted.startswith("/") else quoted
