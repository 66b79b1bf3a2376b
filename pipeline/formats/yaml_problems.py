"""YAML syntax errors as diagnostics: in our words, at the place of their cause.

The libraries' own texts quote the source and differ between the two parsers, so only the kind of a
problem is read from them; the rest is looked up in the text.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any, Final

from ..values.diagnostics import Diagnostic, Note
from ..values.source import Source, Span
from .characters import invisible

_QUOTE_IT: Final = "put quotes around the whole string"

_INDENT: Final = "indent with spaces"
_LINES_ABOVE: Final = 3

_OTHER_QUOTES: Final = 'put single quotes around the whole string, or write `\\"` in it'


def describe(error: Any, source: Source, opener: str) -> Diagnostic:
    """The diagnostic for an error of a YAML parser."""
    text = source.text
    problem = str(getattr(error, "problem", None) or "")
    context = str(getattr(error, "context", None) or "")
    place = _offset(getattr(error, "problem_mark", None))
    began = _offset(getattr(error, "context_mark", None))
    if place is None:
        place = began or 0
    place = min(place, len(text))
    began = None if began is None else min(began, len(text))

    known = _known()
    for row in known["unsupported"]:
        if any(p in context for p in row["context"]) or any(p in problem for p in row["problem"]):
            span = _span(source, began if began is not None else place)
            return Diagnostic(row["code"], row["summary"], span, hint=row["hint"])
    told = _out_of_sight(source, place) or _odd_quote(source, place)
    cut = None if told else _cut_substitution(text, opener, place, began)
    if cut is not None:
        start, why, remedy = cut
        return Diagnostic(
            "invalid_yaml",
            f"YAML does not read this substitution as one string, because {why}",
            source.span(start, max(start + 1, place)),
            hint=remedy,
        )
    told = told or _inner_quote(source, place) or _no_colon(source, place, problem, began)
    if told is not None:
        return told
    if "cannot start any token" in problem:
        return _bad_start(source, place)
    if "quoted scalar" in context and "end of stream" in problem and began is not None:
        closing = f"close it with `{text[began : began + 1]}`"
        return _invalid(source, began, "this quoted string has no closing quote", closing)
    at_end = place >= len(text.rstrip())
    if "flow node" in context and at_end:
        summary = "the text ends before a bracket is closed"
        return _invalid(source, place, summary, "close it with `]` or `}`")
    summary, hint = next(
        ((row["summary"], row.get("hint")) for row in known["syntax"] if row["part"] in problem),
        ("this is not valid YAML", None),
    )
    if "flow" in context and began is not None:
        kind = "list" if "sequence" in context else "map"
        if at_end:
            return _invalid(source, began, f"this {kind} in brackets is not closed")
        note = Note(f"the {kind} starts here", _span(source, began))
        return _invalid(source, place, summary, hint, note)
    return _invalid(source, place, summary, hint)


def _out_of_sight(source: Source, place: int) -> Diagnostic | None:
    """A character that looks like a space, in the indentation of this line or of one just above."""
    text = source.text
    start = _line_end(text, place)
    for _ in range(_LINES_ABOVE):
        stop, start = start, max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
        found = invisible(text[start:stop])
        if found is not None and not text[start : start + found[1]].strip():
            at = start + found[1]
            return _invalid(source, at, f"the indentation holds {found[0]}", _INDENT)
        if start == 0:
            break
        start -= 1
    return None


def _odd_quote(source: Source, place: int) -> Diagnostic | None:
    """A quote that was meant to begin a string, and ends one that began on an earlier line."""
    text = source.text
    line = text.rfind("\n", 0, place) + 1
    string = _last_string(text, line, place)
    if string is None or not string[0] < line <= string[1]:
        return None
    start, end = string
    quote = text[start]
    note = Note(f"the next `{quote}` ends it here", source.span(end - 1, end))
    summary = "this quoted string has no closing quote on its line"
    return _invalid(source, start, summary, f"close it with `{quote}`", note)


def _inner_quote(source: Source, place: int) -> Diagnostic | None:
    """A quote inside a string, which ends it."""
    text = source.text
    line = text.rfind("\n", 0, place) + 1
    string = _last_string(text, line, place)
    if string is None or string[1] != place or string[0] < line:
        return None
    start = string[0]
    number, column = source.locate(start)
    summary = f"the string that begins at {number}:{column} ends here, before the rest of the line"
    quote = text[start]
    written = "''" if quote == "'" else '\\"'
    return _invalid(source, place - 1, summary, f"a `{quote}` in the string is written `{written}`")


def _last_string(text: str, line: int, place: int) -> tuple[int, int] | None:
    """The offsets of the quoted string that a parser reads last before a place, if any."""
    if re.search("[\"']", text[line:place]) is None:
        return None
    from .yaml_events import ScalarEvent, YAMLError, open_events

    last = None
    with suppress(YAMLError):
        next_event = open_events(text[: _line_end(text, place)])
        while (event := next_event()).end_mark.index <= place and event.start_mark.index < place:
            last = event if event.end_mark.index > event.start_mark.index else last
    if not isinstance(last, ScalarEvent) or last.style not in ("'", '"'):
        return None
    return last.start_mark.index, last.end_mark.index


def _no_colon(source: Source, place: int, problem: str, began: int | None) -> Diagnostic | None:
    """A key without a colon, which a parser tells where it looks for one: on the next line."""
    text = source.text
    if "could not find expected ':'" in problem:
        start = began
    elif "mapping values are not allowed" in problem:
        start = _key_above(text, place)
    else:
        return None
    if start is None:
        return None
    end = max(start + 1, start + len(text[start : _line_end(text, start)].rstrip()))
    blank = invisible(text[start:end])
    joined = re.match(r"[\w.-]+:(?=\S)", text[start:end])
    if joined:
        stop = start + joined.end()
        return _invalid(source, stop - 1, "this `:` ends no key", "write a space after it")
    hint = (
        f"{blank[0]} stands in it: write a space"
        if blank
        else "a map needs `key: value` on every line; a key is at most 1024 characters long"
    )
    return Diagnostic(
        "invalid_yaml", "a key without a `:` after it", source.span(start, end), hint=hint
    )


def _key_above(text: str, place: int) -> int | None:
    """The beginning of the text just above a line, if it is as far to the right and no pair."""
    line = text.rfind("\n", 0, place) + 1
    indent = len(text[line:place]) - len(text[line:place].lstrip(" "))
    above = text.rfind("\n", 0, max(line - 1, 0)) + 1
    body = text[above : max(line - 1, 0)].strip()
    start = text.find(body, above) if body else -1
    if (
        start - above != indent
        or re.match("[-#?|>&*!%@`\"'{\\[]", body)
        or re.search(r":(?:\s|\Z)", body)
    ):
        return None
    return start


def _known() -> dict[str, list[dict[str, Any]]]:
    """The mistakes that parsers know, from the table beside this module."""
    import tomllib
    from pkgutil import get_data

    data = get_data(__package__, "yaml_problems.toml")
    assert data is not None
    return tomllib.loads(data.decode())


def _invalid(
    source: Source, start: int, summary: str, hint: str | None = None, *notes: Note
) -> Diagnostic:
    return Diagnostic("invalid_yaml", summary, _span(source, start), hint=hint, notes=notes)


def _offset(mark: Any) -> int | None:
    index = getattr(mark, "index", None)
    return index if isinstance(index, int) else None


def _span(source: Source, start: int) -> Span:
    return source.span(start, min(start + 1, len(source.text)))


def _bad_start(source: Source, place: int) -> Diagnostic:
    character = source.text[place : place + 1]
    if character == "\t":
        return _invalid(source, place, "a tab is used for indentation", _INDENT)
    if character == "%" and source.text.startswith("{%", place - 1):
        summary = "`{%` begins a statement of another tool's templates"
        hint = "a file is read as it is: no other tool fills it in before"
        return _invalid(source, place - 1, summary, hint)
    shown = "a backquote" if character == "`" else f"`{character}`"
    return _invalid(source, place, f"{shown} cannot start a string without quotes", _QUOTE_IT)


def _cut_substitution(
    text: str, opener: str, place: int, began: int | None
) -> tuple[int, str, str] | None:
    """A substitution without quotes that the problem falls into, and what YAML makes of it."""
    line = text.rfind("\n", 0, place) + 1
    start = text.rfind(opener, line, place + len(opener))
    inside = text[start:place]
    if start >= 0 and inside.endswith('"') and inside.count('"') == 1 and "}" not in inside:
        return start, 'the `"` in it ends the string', _OTHER_QUOTES
    # in brackets the brace of the substitution itself is the problem
    if start < 0 or _inside_quotes(text, line, start):
        return None
    before = text[start:place]
    if began is not None and text[began : began + 1] in ("[", "{") and place - start < len(opener):
        return (
            start,
            "it stands in brackets, where `{` starts a map",
            "put quotes around the substitution",
        )
    if "}" in before and "{" not in before.partition("}")[2]:
        return None
    if text[place : place + 1] == ":":
        return start, "it contains `: `", _QUOTE_IT
    if re.search(r"[ \t]#", text[start : _line_end(text, start)]):
        return start, "it contains ` #`, which starts a comment", _QUOTE_IT
    return None


def _inside_quotes(text: str, line: int, position: int) -> bool:
    """True when a quote that begins a value on this line is still open at a position."""
    opened = ""
    previous = " "
    for character in text[line:position]:
        if opened:
            if character == opened:
                opened = ""
        elif character in "\"'" and previous in " \t[{,":
            opened = character
        if character not in " \t" or previous not in ":-,[{":
            previous = character
    return bool(opened)


def _line_end(text: str, position: int) -> int:
    stop = re.compile(r"[\r\n]|\Z").search(text, position)
    return stop.start() if stop else len(text)
