"""Reports of diagnostics: text for people; JSON, SARIF and GitHub commands for programs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, Final

from ...functions.record import Record
from ..values.diagnostics import ERROR, NOTE, WARNING, Diagnostic, Diagnostics, Note, discreet
from ..values.quoting import Quoting
from ..values.settings import Limits
from ..values.source import Span
from ..values.terminal import (
    ELLIPSIS,
    Palette,
    cells,
    shorten,
    use_color,
    visible,
    visible_json,
    visible_lines,
)
from ..values.version import VERSION

__all__ = [
    "cut",
    "render",
    "render_github",
    "render_json",
    "render_sarif",
    "render_text",
    "report",
    "use_color",
]

_SARIF_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_NAME_CHARS: Final = 300
_NOTES: Final = 8
_CLOSING_BYTES: Final = 200
_MIN_WIDTH: Final = 40
_RANKS: Final = (ERROR, WARNING, NOTE)
_VERSION: Final = 1
"""The version of the form of JSON reports, which `bpp schema diagnostics` describes."""


def report(diagnostics: Diagnostics, form: str = "text", main_file: str = "") -> str:
    """Diagnostics as one text in the form `text`, `json`, `sarif` or `github`; without color.

    `main_file` is the place of diagnostics without one, for forms that require it.

    Raises:
        ValueError: for an unknown form.
    """
    return render(diagnostics, form, color=False, main_file=main_file)


def render(
    diagnostics: Diagnostics,
    format: str,  # noqa: A002
    *,
    color: bool,
    main_file: str,
    width: int = 100,
    limits: Limits | None = None,
) -> str:
    """The diagnostics in the format `text`, `json`, `sarif` or `github`.

    `main_file` is the place of diagnostics without one, for formats that require it. Lines of
    source are shown if the `quoting` of the diagnostics says that they may be. `text` ends with the
    tracebacks of their `causes`.

    Raises:
        ValueError: for an unknown format.
    """
    match format:
        case "text":
            return render_text(diagnostics, color, width, limits) + tracebacks(diagnostics)
        case "json":
            return render_json(diagnostics, limits)
        case "sarif":
            return render_sarif(diagnostics, main_file, limits)
        case "github":
            return render_github(diagnostics, main_file, limits)
    raise ValueError(f"unknown format of diagnostics: {format}")


def render_text(
    diagnostics: Diagnostics,
    color: bool,
    width: int = 100,
    limits: Limits | None = None,
) -> str:
    """The diagnostics for people, by place, with the source lines they are about.

    Lines of source take at most `width` columns, the whole at most `max_report_bytes`. If that is
    too little, notes and warnings are left out first, and the last line counts what is not shown.
    """
    limits = limits or Limits()
    items = _sorted(diagnostics, limits)
    if not items:
        return ""
    quoting = diagnostics.quoting
    drawing = _Drawing(Palette(color), max(width, _MIN_WIDTH), quoting, limits.max_message_chars)
    blocks: dict[int, str] = {}
    left = limits.max_report_bytes - _CLOSING_BYTES
    for index in sorted(range(len(items)), key=lambda i: _RANKS.index(items[i].severity)):
        block = "\n".join(drawing.lines(items[index])) + "\n\n"
        left -= len(block.encode())
        if left < 0:
            break
        blocks[index] = block
    drawn = "".join(blocks[index] for index in sorted(blocks))
    return drawn + _closing(diagnostics, len(items) - len(blocks)) + "\n"


def tracebacks(diagnostics: Diagnostics) -> str:
    """The tracebacks of what plugins raised, with what led to it; empty without causes."""
    if not diagnostics.causes:
        return ""
    from traceback import format_exception

    texts = ("".join(format_exception(cause)) for cause in diagnostics.causes)
    return "".join(f"\n{visible_lines(text)}" for text in texts)


def render_json(diagnostics: Diagnostics, limits: Limits | None = None) -> str:
    """The diagnostics as a JSON report (`bpp schema diagnostics`), by place."""
    from ..formats.records import plain_diagnostics

    return json_report(plain_diagnostics(_listed(diagnostics, limits)))


def json_report(listed: list[dict[str, Any]]) -> str:
    """A JSON report of diagnostics that are plain data."""
    import json

    return visible_json(json.dumps({"version": _VERSION, "diagnostics": listed}, indent=2)) + "\n"


def render_sarif(diagnostics: Diagnostics, main_file: str, limits: Limits | None = None) -> str:
    """The diagnostics as a SARIF 2.1.0 log, as code scanning services read it."""
    import json

    return visible_json(json.dumps(_log(_listed(diagnostics, limits), main_file), indent=2)) + "\n"


def render_github(diagnostics: Diagnostics, main_file: str, limits: Limits | None = None) -> str:
    """The diagnostics as GitHub workflow commands, one a line."""
    return "".join(_command(item, main_file) + "\n" for item in _listed(diagnostics, limits))


def _listed(diagnostics: Diagnostics, limits: Limits | None) -> list[Diagnostic]:
    """All by place and bounded in size, and one more that counts those left out."""
    items = _sorted(diagnostics, limits or Limits())
    if diagnostics.dropped:
        items.append(
            Diagnostic(
                "limit_exceeded",
                f"{diagnostics.dropped} more diagnostics are not shown because `max_diagnostics` "
                f"is reached; there are {_counts(diagnostics)} in all",
                severity=WARNING,
            )
        )
    return items


def _sorted(diagnostics: Diagnostics, limits: Limits) -> list[Diagnostic]:
    """All by place, bounded in size, and without words of sources that must not be quoted."""
    quoting = diagnostics.quoting
    return [_bounded(discreet(item, quoting), limits) for item in diagnostics.sorted()]


def _bounded(item: Diagnostic, limits: Limits) -> Diagnostic:
    """The same diagnostic with sentences of bounded length and a bounded number of notes."""
    most = limits.max_message_chars
    notes = [Note(shorten(note.text, most), note.span) for note in item.notes[:_NOTES]]
    left_out = len(item.notes) - len(notes)
    if left_out:
        notes.append(Note(f"and {left_out} more"))
    return item.evolve(
        summary=shorten(item.summary, most),
        hint=shorten(item.hint, most) if item.hint else None,
        notes=tuple(notes),
    )


def _closing(diagnostics: Diagnostics, cut_off: int) -> str:
    """`2 errors, 1 warning (3 more not shown)`."""
    hidden = diagnostics.dropped + cut_off
    return _counts(diagnostics) + (f" ({hidden} more not shown)" if hidden else "")


def _counts(diagnostics: Diagnostics) -> str:
    """`2 errors, 1 warning`, including those that are not shown."""
    errors, notes = diagnostics.errors, diagnostics.notes
    warnings = len(diagnostics) + diagnostics.dropped - errors - notes
    return ", ".join(
        f"{count} {word}{'' if count == 1 else 's'}"
        for count, word in zip((errors, warnings, notes), _RANKS, strict=True)
        if count
    )


class _Drawing(Record):
    palette: Palette
    width: int
    quoting: Quoting
    most_chars: int

    def lines(self, item: Diagnostic) -> Iterator[str]:
        """One diagnostic: heading, place, source line, remarks, and places of notes in short."""
        paint = self.palette.paint
        level = item.severity
        heading = paint(level, f"{level}[{visible(item.code)}]")
        yield heading + paint("strong", f": {self._sentence(item.summary)}")

        spans = [item.span, *(note.span for note in item.notes)]
        digits = len(str(max((span.line for span in spans if span), default=0)))
        margin = " " * digits
        if item.span:
            yield self._place(item.span, margin)
            yield from self._underlined(item.span, margin, level)
        for note in item.notes:
            if note.span is None:
                yield self._remark("note", note.text, margin)
        if item.hint:
            yield self._remark("help", item.hint, margin)
        for note in item.notes:
            if note.span is not None:
                yield f"{margin}{paint('note', 'note')}: {self._sentence(note.text)}"
                yield self._place(note.span, margin)
                yield from self._quoted(note.span, margin)

    def _place(self, span: Span, margin: str) -> str:
        name = _file_name(span.source.name)
        guess = "" if span.exact else " (approximate)"
        arrow = self.palette.paint("gutter", f"{margin}-->")
        return f"{arrow} {name}:{span.line}:{span.column}{guess}{self._withheld(span)}"

    def _remark(self, word: str, text: str, margin: str) -> str:
        sign = self.palette.paint("gutter", f"{margin} =")
        return f"{sign} {self.palette.paint(word, word)}: {self._sentence(text)}"

    def _underlined(self, span: Span, margin: str, level: str) -> Iterator[str]:
        excerpt = self._excerpt(span, margin)
        if excerpt is None:
            return
        bar = self.palette.paint("gutter", f"{margin} |")
        yield bar
        yield self._numbered(excerpt.line, excerpt.text, margin)
        carets = self.palette.paint(level, "^" * excerpt.length)
        yield f"{bar} {' ' * excerpt.indent}{carets}"

    def _quoted(self, span: Span, margin: str) -> Iterator[str]:
        excerpt = self._excerpt(span, margin)
        if excerpt is not None:
            yield self._numbered(excerpt.line, excerpt.text, margin)

    def _numbered(self, line: int, text: str, margin: str) -> str:
        number = self.palette.paint("gutter", f"{line:>{len(margin)}} |")
        return f"{number} {text}" if text else number

    def _sentence(self, text: str) -> str:
        return shorten(visible(text), self.most_chars)

    def _excerpt(self, span: Span, margin: str) -> Excerpt | None:
        """The line of a place as far as it may be quoted; None when nothing of it may."""
        source = span.source
        stop = self._shown_until(span)
        if not source.text or (stop is not None and self._is_blank_before(span, stop)):
            return None
        return cut(span, self.width - len(margin) - 3, stop)

    def _shown_until(self, span: Span) -> int | None:
        return self.quoting.shown_until(span.source, span.line) if span.source.text else None

    def _is_blank_before(self, span: Span, stop: int) -> bool:
        first = span.source.line_starts[span.line - 1]
        return not span.source.text[first:stop].strip()

    def _withheld(self, span: Span) -> str:
        """Words on a line that is not quoted in a text that is."""
        stop = self._shown_until(span)
        if stop is None or not self._is_blank_before(span, stop):
            return ""
        known = self.quoting.recognises(span.source)
        return " (line not shown: it may give something to a secret)" if known else ""


def _file_name(name: str) -> str:
    """A file's name on one line; only the end of a very long one."""
    shown = visible(name[-_NAME_CHARS - 1 :])
    return shown if len(shown) <= _NAME_CHARS else ELLIPSIS + shown[-_NAME_CHARS:]


class Excerpt(Record):
    """One line of a source as it is printed.

    `indent` is the number of columns before the span, `length` the number that the span takes, at
    least one; for a span over several lines, the part on its first line.
    """

    line: int
    text: str
    indent: int
    length: int


def cut(span: Span, room: int, stop: int | None = None) -> Excerpt:
    """The first line of a span in at most `room` columns, which always show its start.

    From the offset `stop` on an ellipsis stands for the rest; all of it is marked for a span that
    begins there.

    Reads only the text near the span: a document may be one line of many megabytes.
    """
    text = span.source.text
    start = max(0, min(span.start, len(text)))
    line = span.source.locate(start)[0]
    first, last = _line_bounds(span, line)
    hidden = stop is not None and stop < last
    last = stop if hidden and stop is not None else last
    withheld = hidden and start >= last
    start = min(start, last)
    low = max(first, start - 2 * room)
    high = min(last, start + 2 * room)
    printed = cells(text[low:high])
    widths = [cell.width for cell in printed]
    begin = start - low
    end = max(begin, min(span.end, high) - low)

    left, right = _window(widths, begin, end, room, low > first, high < last or hidden)
    before = ELLIPSIS if left > 0 or low > first else ""
    after = ELLIPSIS if right < len(printed) or high < last or hidden else ""
    shown = "".join(cell.text for cell in printed[left:right])
    return Excerpt(
        line,
        (before + shown + after).rstrip(),
        len(before) + sum(widths[left:begin]),
        len(ELLIPSIS) if withheld else max(1, sum(widths[begin : min(end, right)])),
    )


def _line_bounds(span: Span, line: int) -> tuple[int, int]:
    """Offsets of a line's first character and of its line break."""
    text = span.source.text
    starts = span.source.line_starts
    first = starts[line - 1]
    last = starts[line] if line < len(starts) else len(text)
    while last > first and text[last - 1] in "\r\n":
        last -= 1
    return first, last


def _window(
    widths: list[int], begin: int, end: int, room: int, more_left: bool, more_right: bool
) -> tuple[int, int]:
    """The range of cells to show: all if they fit, else the span and its surroundings."""
    if not more_left and not more_right and sum(widths) <= room:
        return 0, len(widths)
    room -= 2 * len(ELLIPSIS)
    left = right = begin
    used = 0
    while right < end and used + widths[right] <= room:
        used += widths[right]
        right += 1
    growing = True
    while growing:
        growing = False
        if left > 0 and used + widths[left - 1] <= room:
            left -= 1
            used += widths[left]
            growing = True
        if right < len(widths) and used + widths[right] <= room:
            used += widths[right]
            right += 1
            growing = True
    return left, right


def _command(item: Diagnostic, main_file: str) -> str:
    """One `::error`, `::warning` or `::notice` line, which GitHub shows beside the changed line.

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
    level = "notice" if item.severity == NOTE else item.severity
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


def _log(items: Iterable[Diagnostic], main_file: str) -> dict[str, Any]:
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
    return {"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


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
        "level": item.severity,
        "message": _message(item.summary, *remarks),
        "locations": [_location(item.span, main_file)],
    }
    related = [_related(note, note.span) for note in item.notes if note.span is not None]
    if related:
        result["relatedLocations"] = related
    if item.span and not item.span.exact:
        result["properties"] = {"approximate": True}
    from .remedies import edit_of

    edit = edit_of(item)
    if edit is not None:
        result["fixes"] = [_fix(edit, item.hint or "")]
    return result


def _fix(edit: Any, hint: str) -> dict[str, Any]:
    """What follows a hint that says exactly what to write."""
    place = _location(edit.span, "")["physicalLocation"]
    change = {"deletedRegion": place["region"], "insertedContent": {"text": edit.text}}
    changes = [{"artifactLocation": place["artifactLocation"], "replacements": [change]}]
    return {"description": _message(hint), "artifactChanges": changes}


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
