"""How diagnostics look: as text for people, as JSON, SARIF and GitHub commands for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from ...functions.record import Record
from ..values.diagnostics import ERROR, WARNING, Diagnostic, Diagnostics, Note
from ..values.settings import Limits
from ..values.source import Source, Span
from .excerpt import cut
from .terminal import ELLIPSIS, Palette, shorten, use_color, visible, visible_json

__all__ = [
    "FORMATS",
    "render",
    "render_github",
    "render_json",
    "render_sarif",
    "render_text",
    "use_color",
]

FORMATS: Final = ("text", "json", "sarif", "github")

_NAME_CHARS: Final = 300
_NOTES: Final = 8
_CLOSING_BYTES: Final = 200
_MIN_WIDTH: Final = 40

MayQuote: TypeAlias = Callable[[Source, int], bool]


def render(
    diagnostics: Diagnostics,
    format: str,  # noqa: A002
    *,
    color: bool,
    main_file: str,
    width: int = 100,
    may_quote: MayQuote | None = None,
    limits: Limits | None = None,
) -> str:
    """The diagnostics in one of `FORMATS`; the empty text for none in `text` and `github`.

    `main_file` is the place of what has none, for readers that insist on one. `may_quote` is asked
    with a source and a line number whether that line may be shown.

    Raises:
        ValueError: for an unknown format.
    """
    match format:
        case "text":
            return render_text(diagnostics, color, width, may_quote, limits)
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
    may_quote: MayQuote | None = None,
    limits: Limits | None = None,
) -> str:
    """The diagnostics for people, by place, with the source lines they are about.

    Lines of source take at most `width` columns, the whole at most `max_report_bytes`. When that is
    too little, errors stay rather than warnings, and the last line says how many are not shown.
    """
    limits = limits or Limits()
    items = [_bounded(item, limits) for item in diagnostics.sorted()]
    if not items:
        return ""

    def quoted(source: Source, line: int) -> bool:
        shown = diagnostics.quoting.may_show(source, line)
        return shown and (not may_quote or may_quote(source, line))

    drawing = _Drawing(Palette(color), max(width, _MIN_WIDTH), quoted, limits.max_message_chars)
    blocks: dict[int, str] = {}
    left = limits.max_report_bytes - _CLOSING_BYTES
    for index in sorted(range(len(items)), key=lambda i: items[i].severity != ERROR):
        block = "\n".join(drawing.lines(items[index])) + "\n\n"
        left -= len(block.encode())
        if left < 0:
            break
        blocks[index] = block
    drawn = "".join(blocks[index] for index in sorted(blocks))
    return drawn + _closing(diagnostics, len(items) - len(blocks)) + "\n"


def render_json(diagnostics: Diagnostics, limits: Limits | None = None) -> str:
    """The diagnostics as one JSON array of objects, by place."""
    import json

    from ..formats.records import plain_diagnostics

    listed = plain_diagnostics(_listed(diagnostics, limits))
    return visible_json(json.dumps(listed, indent=2)) + "\n"


def render_sarif(diagnostics: Diagnostics, main_file: str, limits: Limits | None = None) -> str:
    """The diagnostics as a SARIF 2.1.0 log, as code scanning services read it."""
    import json

    from .sarif import log

    return visible_json(json.dumps(log(_listed(diagnostics, limits), main_file), indent=2)) + "\n"


def render_github(diagnostics: Diagnostics, main_file: str, limits: Limits | None = None) -> str:
    """The diagnostics as GitHub workflow commands, one a line."""
    from .github import command

    return "".join(command(item, main_file) + "\n" for item in _listed(diagnostics, limits))


def _listed(diagnostics: Diagnostics, limits: Limits | None) -> list[Diagnostic]:
    """All by place and bounded in size, and one more that says how many were left out."""
    limits = limits or Limits()
    items = [_bounded(item, limits) for item in diagnostics.sorted()]
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
    """`2 errors, 1 warning`, those that are not shown among them."""
    warnings = len(diagnostics) + diagnostics.dropped - diagnostics.errors
    return ", ".join(
        f"{count} {word}{'' if count == 1 else 's'}"
        for count, word in ((diagnostics.errors, "error"), (warnings, "warning"))
        if count
    )


class _Drawing(Record):
    palette: Palette
    width: int
    may_quote: MayQuote | None
    most_chars: int

    def lines(self, item: Diagnostic) -> Iterator[str]:
        """One diagnostic: heading, place, source line, remarks, and places of notes in short."""
        paint = self.palette.paint
        level = "error" if item.severity == ERROR else "warning"
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
        return f"{arrow} {name}:{span.line}:{span.column}{guess}"

    def _remark(self, word: str, text: str, margin: str) -> str:
        sign = self.palette.paint("gutter", f"{margin} =")
        return f"{sign} {self.palette.paint(word, word)}: {self._sentence(text)}"

    def _underlined(self, span: Span, margin: str, level: str) -> Iterator[str]:
        if not self._may_show(span):
            return
        excerpt = cut(span, self.width - len(margin) - 3)
        bar = self.palette.paint("gutter", f"{margin} |")
        yield bar
        yield self._numbered(excerpt.line, excerpt.text, margin)
        carets = self.palette.paint(level, "^" * excerpt.length)
        yield f"{bar} {' ' * excerpt.indent}{carets}"

    def _quoted(self, span: Span, margin: str) -> Iterator[str]:
        if self._may_show(span):
            excerpt = cut(span, self.width - len(margin) - 3)
            yield self._numbered(excerpt.line, excerpt.text, margin)

    def _numbered(self, line: int, text: str, margin: str) -> str:
        number = self.palette.paint("gutter", f"{line:>{len(margin)}} |")
        return f"{number} {text}" if text else number

    def _sentence(self, text: str) -> str:
        return shorten(visible(text), self.most_chars)

    def _may_show(self, span: Span) -> bool:
        if not span.source.text:
            return False
        return self.may_quote is None or self.may_quote(span.source, span.line)


def _file_name(name: str) -> str:
    """A file's name on one line; of a very long one the end, which tells more."""
    shown = visible(name[-_NAME_CHARS - 1 :])
    return shown if len(shown) <= _NAME_CHARS else ELLIPSIS + shown[-_NAME_CHARS:]
