"""YAML syntax errors as diagnostics: in our words, at the place of their cause.

The libraries' own texts quote the source and differ between the two parsers, so only the kind of a
problem is read from them; the rest is looked up in the text.
"""

from __future__ import annotations

import re
from typing import Any, Final

from ..values.diagnostics import Diagnostic, Note
from ..values.source import Source, Span

_QUOTE_IT: Final = "put quotes around the whole string"

_OTHER_QUOTES: Final = 'put single quotes around the whole string, or write `\\"` in it'

# a part of the problem as either parser words it, a sentence, a hint
_KINDS: Final[tuple[tuple[str, str, str | None], ...]] = (
    (
        "could not find expected ':'",
        "a key without a `:` after it",
        "a map needs `key: value` on every line; a key is at most 1024 characters long",
    ),
    ("unknown escape", "this escape is not known in a double-quoted string", "write `\\\\`"),
    (
        "found invalid Unicode character escape code",
        "this escape is not a Unicode character",
        "write characters beyond U+FFFF as `\\U` and eight digits",
    ),
    (
        "hexdecimal number",
        "this escape has too few hexadecimal digits",
        "`\\x` takes two digits, `\\u` four, `\\U` eight",
    ),
    ("found unexpected document", "a document marker stands inside a quoted string", None),
    (
        "mapping values are not allowed",
        "a `:` that YAML takes for the end of a key cannot stand here",
        "check the indentation, or put quotes around a string that contains `: `",
    ),
    ("mapping keys are not allowed", "a key cannot start here", "check the indentation"),
    (
        "sequence entries are not allowed",
        "a list item cannot start here",
        "put the first `-` on a line of its own",
    ),
    ("',' or ']'", "this list in brackets needs a comma or `]` here", None),
    ("',' or '}'", "this map in braces needs a comma or `}` here", None),
    (
        "'-' indicator",
        "this is not an item of the list above",
        "begin the line with `-`, or check the indentation",
    ),
    (
        "did not find expected key",
        "this line does not belong to the map above it",
        "check the indentation, and quotes that end too early",
    ),
    (
        "expected <block end>",
        "this line does not belong to what stands above it",
        "check the indentation, and quotes that end too early",
    ),
    ("node content", "a value is missing before this", None),
    ("indentation indicator", "a block string cannot be indented by 0", None),
    ("chomping or indentation", "only `+`, `-` and a digit may follow `|` or `>`", None),
    ("comment or line break", "nothing else may stand on this line", None),
    ("comment or a line break", "nothing else may stand on this line", None),
    (
        "tab character",
        "a tab is used for indentation",
        "indent with spaces, and write how many, as in `|2`, where a block begins with a tab",
    ),
    (
        "found unexpected ':'",
        "a `:` cannot stand here inside brackets",
        "write a space after the `:` of a key, or put quotes around the whole string",
    ),
    ("found unexpected end of stream", "the text ends too early", None),
    ("document start", "there is more text after the end of the document", None),
)


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

    if "directive" in context or "%YAML" in problem or "incompatible YAML" in problem:
        return Diagnostic(
            "yaml_directive_not_supported",
            "YAML directives are not supported",
            _span(source, began if began is not None else place),
            hint="remove the line",
        )
    if "tag" in context or "tag handle" in problem:
        return Diagnostic(
            "yaml_tag_not_supported",
            "YAML tags are not supported",
            _span(source, began if began is not None else place),
            hint="remove the tag, or put quotes around the string if it is meant as text",
        )
    if "alias" in context or "anchor" in context:
        return Diagnostic(
            "yaml_alias_not_supported",
            "YAML anchors and aliases are not supported",
            _span(source, began if began is not None else place),
            hint="put quotes around the string if it is meant as text",
        )
    cut = _cut_substitution(text, opener, place, began)
    if cut is not None:
        start, why, remedy = cut
        return Diagnostic(
            "invalid_yaml",
            f"YAML does not read this substitution as one string, because {why}",
            Span(source, start, max(start + 1, place)),
            hint=remedy,
        )
    if "cannot start any token" in problem:
        return _bad_start(source, place)
    if "quoted scalar" in context and "end of stream" in problem and began is not None:
        return Diagnostic(
            "invalid_yaml",
            "this quoted string has no closing quote",
            _span(source, began),
            hint=f"close it with `{text[began : began + 1]}`",
        )
    summary, hint = next(
        ((summary, hint) for part, summary, hint in _KINDS if part in problem),
        ("this is not valid YAML", None),
    )
    notes: tuple[Note, ...] = ()
    if "flow node" in context and place >= len(text.rstrip()):
        return Diagnostic(
            "invalid_yaml",
            "the text ends before a bracket is closed",
            _span(source, place),
            hint="close it with `]` or `}`",
        )
    if "flow" in context and began is not None:
        kind = "list" if "sequence" in context else "map"
        notes = (Note(f"the {kind} starts here", _span(source, began)),)
        if place >= len(text.rstrip()):
            summary = f"this {kind} in brackets is not closed"
            return Diagnostic("invalid_yaml", summary, _span(source, began))
    return Diagnostic("invalid_yaml", summary, _span(source, place), hint=hint, notes=notes)


def _offset(mark: Any) -> int | None:
    index = getattr(mark, "index", None)
    return index if isinstance(index, int) else None


def _span(source: Source, start: int) -> Span:
    return Span(source, start, min(start + 1, len(source.text)))


def _bad_start(source: Source, place: int) -> Diagnostic:
    character = source.text[place : place + 1]
    if character == "\t":
        return Diagnostic(
            "invalid_yaml",
            "a tab is used for indentation",
            _span(source, place),
            hint="indent with spaces",
        )
    shown = "a backquote" if character == "`" else f"`{character}`"
    return Diagnostic(
        "invalid_yaml",
        f"{shown} cannot start a string without quotes",
        _span(source, place),
        hint=_QUOTE_IT,
    )


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
