"""Diagnostics as a SARIF 2.1.0 log."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from ..codes import find
from ..values.diagnostics import ERROR, Diagnostic, Note
from ..values.source import Span
from ..values.version import VERSION
from .terminal import visible

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def log(items: Iterable[Diagnostic], main_file: str) -> dict[str, Any]:
    """The log as plain data: one run, and the rules that have a result.

    Services refuse a result without a place, so such a result is put on `main_file`.
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
    """A plain text message; viewers would make a link of `[text](target)`."""
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
    """A file's name as a URI reference: relative names stay relative, addresses as they are."""
    from urllib.parse import quote

    if name.startswith(("https://", "http://", "s3://", "gs://", "az://")):
        return quote(name, safe=":/?#[]@!$&'()*+,;=%~")
    # Bytes of a name that are no UTF-8 arrive as surrogates and go out as the same bytes.
    try:
        raw = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raw = name.encode("utf-8", "replace")
    quoted = quote(raw, safe="/")
    return f"file://{quoted}" if quoted.startswith("/") else quoted
