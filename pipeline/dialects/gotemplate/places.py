"""Where templates are written, and what their mistakes point at."""

from __future__ import annotations

from typing import Any

from ....functions.values import FunctionError
from ...language.errors import Failure
from ...values.diagnostics import Hint
from ...values.positions import span_in_scalar
from ...values.source import Source, Span


class TemplateText:
    """A template and where it is written: a whole file, or the scalar at `source[start:end]`."""

    __slots__ = ("end", "source", "start", "text")

    def __init__(self, source: Source, start: int, end: int, text: str) -> None:
        self.source = source
        self.start = start
        self.end = end
        self.text = text

    @classmethod
    def of(cls, source: Source) -> TemplateText:
        """The template that is all of a source."""
        return cls(source, 0, len(source.text), source.text)

    def span(self, from_: int, to: int) -> Span:
        """The place of a range of the template."""
        source = self.source
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


def located(failure: Any) -> Span | None:
    """The span of a failure, or None."""
    return getattr(failure.node, "span", None)
