"""What tools write to follow the hint of a diagnostic."""

from __future__ import annotations

import json
import re
from typing import Final

from ...functions.record import Record
from ..values.diagnostics import QUOTE, REMOVE, Diagnostic, Remedy
from ..values.source import Span

_PLAIN: Final = re.compile(r"[\w$@][\w$@./()\[\]{}\"#-]*(?:,? [\w./-]+)*\Z")
"""What stands for itself in every text: no quotes or escapes are needed."""
_OPERATOR: Final = re.compile(r"[!=<>]+\Z")
"""What needs quotes to be a string of YAML."""
_COMMENT: Final = re.compile(r"[ \t]*(?:#|//)[ \t]*bpp:[ \t]*ignore\b(?P<codes>[^\r\n#]*)")
_CODE: Final = re.compile(r"[A-Za-z][\w-]*")


class Edit(Record):
    """A text that is to stand in the place of a span."""

    span: Span
    text: str


def edit_of(item: Diagnostic) -> Edit | None:
    """The edit that the hint of a diagnostic asks for, None for any other hint.

    A name keeps the quotes it stands in. None, too, where it is not certain what is to be replaced:
    a place that is a guess, or at which the name stands twice.
    """
    hint, span = item.hint, item.span
    if not isinstance(hint, Remedy) or span is None or not span.exact:
        return None
    if hint.action == REMOVE:
        return _without_code(span)
    shown = span.source.text[span.start : span.end]
    if hint.action == QUOTE:
        return _in_quotes(span, shown)
    if not hint.written:
        return Edit(span, hint.instead)
    if shown == hint.written and _OPERATOR.match(hint.instead):
        return Edit(span, json.dumps(hint.instead))
    if shown == hint.written:
        return Edit(span, hint.instead) if _PLAIN.match(hint.instead) else None
    inside = requoted(shown, hint.written, hint.instead)
    if inside is not None:
        return Edit(span, inside)
    found = list(re.finditer(rf"(?<![\w-]){re.escape(hint.written)}(?![\w-])", shown))
    if len(found) != 1 or not _PLAIN.match(hint.instead):
        return None
    start = span.start + found[0].start()
    return Edit(span.source.span(start, start + len(hint.written)), hint.instead)


def requoted(shown: str, old: str, new: str) -> str | None:
    """A new text in the quotes that an old one stands in; None for one that is not in quotes."""
    mark = shown[:1]
    if len(shown) < 2 or shown[-1:] != mark or mark not in ("'", '"'):
        return None
    if shown[1:-1] != old and not (mark == '"' and json.dumps(old) == shown):
        return None
    if mark == '"':
        return json.dumps(new, ensure_ascii=False)
    return None if "\\" in new else "'" + new.replace("'", "''") + "'"


def _in_quotes(span: Span, shown: str) -> Edit | None:
    """A scalar that is written without quotes, in quotes."""
    if not shown or shown[0] in "\"'|>&*!{[" or "\n" in shown:
        return None
    return Edit(span, json.dumps(shown, ensure_ascii=False))


def _without_code(span: Span) -> Edit | None:
    """A comment without one of its codes; without the comment when it has no other."""
    source = span.source
    line = source.locate(span.start)[0]
    begin = source.line_starts[line - 1]
    text = source.line(line)
    found = next(
        (m for m in _COMMENT.finditer(text) if begin + m.start() < span.start <= begin + m.end()),
        None,
    )
    if found is None:
        return None
    gone = source.text[span.start : span.end]
    codes = _CODE.findall(found["codes"])
    rest = [code for code in codes if code != gone]
    start, end = begin + found.start("codes"), begin + found.end("codes")
    if rest:
        return Edit(source.span(start, end), " " + ", ".join(rest))
    start = begin + found.start()
    if not text[: found.start()].strip() and found.end() == len(text):
        starts = source.line_starts
        return Edit(source.span(begin, starts[line] if line < len(starts) else end), "")
    return Edit(source.span(start, end), "")
