"""Where templates are written, and what their mistakes point at."""

from __future__ import annotations

from ....functions.values import FunctionError
from ...language.errors import Failure
from ...values.diagnostics import Diagnostic, Hint, worded
from ...values.positions import span_in_scalar
from ...values.source import Source, Span


class TemplateText:
    """A template and where it is written: a whole file, or the scalar at `source[start:end]`.

    A pipe that stands alone is wrapped in delimiters, so that its text begins at `shift`.
    """

    __slots__ = ("end", "shift", "source", "start", "text")

    def __init__(self, source: Source, start: int, end: int, text: str, shift: int = 0) -> None:
        self.source = source
        self.start = start
        self.end = end
        self.text = text
        self.shift = shift

    @classmethod
    def of(cls, source: Source) -> TemplateText:
        """The template that is all of a source."""
        return cls(source, 0, len(source.text), source.text)

    def span(self, from_: int, to: int) -> Span:
        """The place of a range of the template."""
        source = self.source
        if self.shift:
            size = len(source.text)
            start = min(max(from_ - self.shift, 0), size)
            return source.span(start, min(max(to - self.shift, start), size))
        if self.start == 0 and source.text is self.text:
            return source.span(from_, to)
        return span_in_scalar(source, self.start, self.end, self.text, from_, to)


class Place:
    """A range of a template, for the node of a `Failure`; its span is made when it is asked for."""

    __slots__ = ("end", "start", "text")

    def __init__(self, text: TemplateText, start: int, end: int) -> None:
        self.text = text
        self.start = start
        self.end = end

    @property
    def span(self) -> Span:
        """The range in its source."""
        return self.text.span(self.start, self.end)

    def failure(self, summary: str, code: str = "template_error", hint: Hint = None) -> Failure:
        """The error of a run here."""
        return Failure(code, summary, self, hint)

    def blamed(self, error: FunctionError, name: str) -> Failure:
        """The error that a function gave; `name` is that of the function."""
        code, summary = error.code, error.message
        if code in ("invalid_argument", "template_error"):
            code, summary = "template_error", f"error calling {name}: {summary}"
        return Failure(code, summary, self, error.hint)


def told(failure: Failure) -> Diagnostic:
    """The diagnostic of a run that failed."""
    span = getattr(failure.node, "span", None)
    hint = worded(failure.hint)
    return Diagnostic(failure.code, failure.summary, span, hint=hint, notes=failure.notes)
