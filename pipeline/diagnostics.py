"""What bpp says about a mistake, as data; how it looks is decided in `cli/report.py`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..functions.record import Record
from .source import Source, Span

ERROR = "error"
WARNING = "warning"


class Note(Record):
    """A further remark, with a place of its own when it has one."""

    text: str
    span: Span | None = None


class Diagnostic(Record):
    """One mistake or remark.

    `code` is a stable snake_case word (`codes/` has a record for each), `severity` is `error` or
    `warning`, `summary` one plain sentence that starts in lower case and has no full stop, with
    names in backquotes. `span` is None only when no text is to blame.
    """

    code: str
    summary: str
    span: Span | None = None
    severity: str = ERROR
    hint: str | None = None
    notes: tuple[Note, ...] = ()

    def noting(self, *notes: Note) -> Diagnostic:
        """The same diagnostic with more notes."""
        return self.evolve(notes=self.notes + notes)


class Diagnostics:
    """A collector: mistakes are added, never thrown.

    Equal diagnostics (same code, place and text) are kept once. Past `limit` errors the rest is
    only counted, in `dropped`.
    """

    def __init__(self, limit: int = 1000) -> None:
        self._items: dict[tuple[object, ...], Diagnostic] = {}
        self._brought: dict[Source, tuple[Note, ...]] = {}
        self._limit = limit
        self.errors = 0
        self.dropped = 0
        self.withheld: list[Span] = []

    def add(self, diagnostic: Diagnostic) -> None:
        """Keep a diagnostic unless the same one is there already."""
        span = diagnostic.span
        place = (span.source.name, span.start, span.end) if span else None
        key = (diagnostic.code, place, diagnostic.summary)
        if key in self._items:
            return
        if self._brought and span is not None:
            told = self._brought.get(span.source, ())
            diagnostic = diagnostic.noting(*(n for n in told if n not in diagnostic.notes))
        if diagnostic.severity == ERROR:
            self.errors += 1
        if len(self._items) >= self._limit:
            self.dropped += 1
            return
        self._items[key] = diagnostic

    def explain(self, source: Source, note: Note) -> None:
        """Say with every diagnostic in a source how that source came into the blueprint."""
        self._brought[source] = (note,)

    def adopt(self, inner: Diagnostics, source: Source) -> None:
        """Know of what a source brought along what the collector of that source knows."""
        way = self._brought.get(source, ())
        for other, notes in inner._brought.items():
            self._brought[other] = notes + way

    def withhold(self, span: Span) -> None:
        """Says that a secret is written there: no report may quote those lines."""
        self.withheld.append(span)

    def may_show(self, source: Source, line: int) -> bool:
        """False for a line that holds a part of what is withheld."""
        return not any(
            span.source is source and span.line <= line <= span.end_line for span in self.withheld
        )

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Add each of them."""
        for diagnostic in diagnostics:
            self.add(diagnostic)

    def error(
        self,
        code: str,
        span: Span | None,
        summary: str,
        hint: str | None = None,
        *notes: Note,
    ) -> None:
        """Add an error."""
        self.add(Diagnostic(code, summary, span, ERROR, hint, notes))

    def warn(
        self,
        code: str,
        span: Span | None,
        summary: str,
        hint: str | None = None,
        *notes: Note,
    ) -> None:
        """Add a warning."""
        self.add(Diagnostic(code, summary, span, WARNING, hint, notes))

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self._items.values())

    def __len__(self) -> int:
        return len(self._items)

    def sorted(self) -> list[Diagnostic]:
        """By source in order of appearance, then by place; those without a place come first."""
        order: dict[int, int] = {}
        for item in self:
            if item.span:
                order.setdefault(id(item.span.source), len(order))

        def place(item: Diagnostic) -> tuple[int, int, int]:
            if item.span is None:
                return (-1, 0, 0)
            return (order[id(item.span.source)], item.span.start, item.span.end)

        return sorted(self, key=place)


class Stop(Exception):
    """Carries one diagnostic out of deep reading code to the stage that collects it.

    Raised and caught inside the pipeline only, for mistakes after which a text cannot be read on.
    """

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.summary)
        self.diagnostic = diagnostic


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate a writer most likely meant by `name`, or None when none is near."""
    from difflib import get_close_matches

    names = sorted({c for c in candidates if c != name})
    folded = {c.casefold(): c for c in names}
    if name.casefold() in folded:
        return folded[name.casefold()]
    found = get_close_matches(name[:200], names[:5000], n=1, cutoff=0.75)
    if not found:
        # `equals` means `eq`, `upper` means `to_upper`
        found = [n for n in names if len(n) > 1 and (name.startswith(n) or n.endswith(f"_{name}"))]
    found = found or get_close_matches(name[:200], names[:5000], n=1, cutoff=0.6)
    return found[-1] if found else None


def meant(name: str, candidates: Iterable[str]) -> str | None:
    """The hint "did you mean ...?" for an unknown name, or None."""
    near = nearest(name, candidates)
    return f"did you mean `{near}`?" if near else None
