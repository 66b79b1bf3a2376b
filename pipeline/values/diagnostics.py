"""Diagnostics as data; `formats/report.py` decides how reports of them look."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from ...functions.names import QUOTE as QUOTE
from ...functions.names import REMOVE as REMOVE
from ...functions.names import REPLACE as REPLACE
from ...functions.names import Hint as Hint
from ...functions.names import Names as Names
from ...functions.names import Remedy as Remedy
from ...functions.names import did_you_mean as did_you_mean
from ...functions.names import likely as likely
from ...functions.names import meant as meant
from ...functions.names import nearest as nearest
from ...functions.names import saying_more as saying_more
from ...functions.names import suggestion as suggestion
from ...functions.names import worded as worded
from ...functions.names import write_instead as write_instead
from ...functions.record import Record, field
from .quoting import Quoting
from .source import Source, Span

T = TypeVar("T")

ERROR = "error"
WARNING = "warning"
NOTE = "note"
UNRECOGNISED = "unrecognised_file"
"""The code for a file that is not what was expected: its diagnostic has no word of the file."""
_OVER = "limit_exceeded"


class Note(Record):
    """A further remark, with a place of its own when it has one."""

    text: str
    span: Span | None = None


class Diagnostic(Record):
    """One mistake or remark.

    `code` is a stable snake_case word (`codes/` has a record for each), `severity` is `error`,
    `warning` or `note`, `summary` one plain sentence that starts in lower case and has no full
    stop, with names in backquotes. `span` is None only when the mistake is in no text. `stage` is
    the one that found it, in dialects that tell it.
    """

    code: str
    summary: str
    span: Span | None = None
    severity: str = ERROR
    hint: str | None = None
    notes: tuple[Note, ...] = ()
    stage: str = field(default="", eq=False)

    def __str__(self) -> str:
        """`app.yaml:7:5: error[code]: summary`, and a line for each note and the hint."""
        from .terminal import visible

        place = f"{self.span}: " if self.span else ""
        lines = [f"{place}{self.severity}[{self.code}]: {self.summary}"]
        lines += [f"  note: {n.text}" + (f" ({n.span})" if n.span else "") for n in self.notes]
        lines += [f"  help: {self.hint}"] if self.hint else []
        return "\n".join(map(visible, lines))

    def noting(self, *notes: Note) -> Diagnostic:
        """The same diagnostic with more notes."""
        return self.evolve(notes=self.notes + notes)


def discreet(item: Diagnostic, quoting: Quoting, source: Source | None = None) -> Diagnostic:
    """A diagnostic without words of a source that must not be quoted (`Quoting.told`), by default
    that of its span, and without values that no message tells (`Quoting.conceal`)."""
    if source is None and item.span is not None:
        source = item.span.source
    if source is None or item.code == UNRECOGNISED or quoting.recognises(source):
        if not quoting.conceals:
            return item
        told = quoting.without_values
    else:

        def told(text: str) -> str:
            return quoting.without_values(quoting.told(text, source))

    hint = told(item.hint) if item.hint else None
    return item.evolve(
        summary=told(item.summary),
        hint=item.hint if hint == item.hint else hint,  # a remedy stays one
        notes=tuple(note.evolve(text=told(note.text)) for note in item.notes),
    )


class Diagnostics:
    """A collector: mistakes are added, never thrown.

    Equal diagnostics (same code, place and text) are kept once, as errors if one of them is. Past
    `limit` of them the rest is only counted, in `dropped`; an error that comes then takes the place
    of another one that is none, and `limit_exceeded`, which ends a run, that of the last error.
    `quoting` is what reports of them may quote; the collectors of one run share it, and `spend`,
    which is called for what is only counted and may raise. What is added gets the `stage`.
    `causes` are the exceptions of plugins that broke, only with `Settings(debug=True)`: what they
    say may hold secrets.
    """

    def __init__(
        self,
        limit: int = 1000,
        quoting: Quoting | None = None,
        spend: Callable[[], object] | None = None,
    ) -> None:
        self._items: dict[int, Diagnostic] = {}
        # what is only counted, with its severity
        self._beyond: dict[int, str] = {}
        self._others: list[int] = []
        self._brought: dict[Source, tuple[Note, ...]] = {}
        self._limit = limit
        self.errors = 0
        self.causes: list[BaseException] = []
        self.notes = 0
        self.quoting = quoting or Quoting()
        self.spend = spend
        self.stage = ""

    def beside(self) -> Diagnostics:
        """Another collector of the same run, empty."""
        return Diagnostics(self._limit, self.quoting, self.spend)

    def add(self, diagnostic: Diagnostic, hint: Hint = None) -> None:
        """Keep a diagnostic unless the same one is there already; only then is a hint worded."""
        span = diagnostic.span
        place = (span.source.name, span.start, span.end) if span else None
        mark = hash((diagnostic.code, place, diagnostic.summary))
        is_error = diagnostic.severity == ERROR
        if (mark in self._items or mark in self._beyond) and not (is_error and self._weaker(mark)):
            return
        self.errors += is_error
        self.notes += diagnostic.severity == NOTE
        if len(self._items) >= self._limit:
            if is_error and self._others:
                last = self._others.pop()
            elif is_error and diagnostic.code == _OVER and self._items:
                last = next(reversed(self._items))
            else:
                self._beyond[mark] = diagnostic.severity
                if self.spend is not None:
                    self.spend()
                return
            self._beyond[last] = self._items.pop(last).severity
        if not is_error:
            self._others.append(mark)
        if hint is not None:
            diagnostic = diagnostic.evolve(hint=worded(hint))
        if self.stage and not diagnostic.stage:
            diagnostic = diagnostic.evolve(stage=self.stage)
        if self._brought and span is not None:
            brought = self._brought.get(span.source, ())
            diagnostic = diagnostic.noting(*(n for n in brought if n not in diagnostic.notes))
        self._items[mark] = (
            discreet(diagnostic, self.quoting) if self.quoting.speaks() else diagnostic
        )

    def _weaker(self, mark: int) -> bool:
        """True for what is kept as less than an error, which the error then replaces."""
        known = self._items.get(mark)
        severity = known.severity if known is not None else self._beyond[mark]
        if severity == ERROR:
            return False
        self.notes -= severity == NOTE
        self._beyond.pop(mark, None)
        if known is not None:
            del self._items[mark]
            self._others.remove(mark)
        return True

    @property
    def dropped(self) -> int:
        """The number of diagnostics that were only counted."""
        return len(self._beyond)

    @property
    def full(self) -> bool:
        """True when all further diagnostics are only counted: no wording is computed for them."""
        return len(self._items) >= self._limit and not self._others

    def watch(self, call: Callable[[], T], debug: bool) -> T:
        """The result of a call; with `debug`, `causes` keeps what plugins raise meanwhile."""
        if not debug:
            return call()
        from ...functions.breakage import kept

        with kept(self.causes):
            return call()

    def count(self, inner: Diagnostics) -> None:
        """Count what another collector only counted, and keep its causes."""
        self.causes += inner.causes
        for mark, severity in inner._beyond.items():
            if mark not in self._items and mark not in self._beyond:
                self._beyond[mark] = severity
                self.errors += severity == ERROR
                self.notes += severity == NOTE

    def explain(self, source: Source, note: Note) -> None:
        """Add a note to every diagnostic in a source: how that source came into the blueprint."""
        self._brought[source] = (note,)

    def adopt(self, inner: Diagnostics, source: Source) -> None:
        """Take over the notes about sources that the collector of an included source has."""
        way = self._brought.get(source, ())
        for other, notes in inner._brought.items():
            self._brought[other] = notes + way

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Add each of them; of a collector, also what it only counted and what it withholds."""
        if isinstance(diagnostics, Diagnostics) and diagnostics.quoting is not self.quoting:
            self.quoting.add(diagnostics.quoting)
        for diagnostic in diagnostics:
            self.add(diagnostic)
        if isinstance(diagnostics, Diagnostics):
            self.count(diagnostics)

    def error(
        self,
        code: str,
        span: Span | None,
        summary: str,
        hint: Hint = None,
        *notes: Note,
    ) -> None:
        """Add an error."""
        self.add(Diagnostic(code, summary, span, ERROR, None, notes), hint)

    def warn(
        self,
        code: str,
        span: Span | None,
        summary: str,
        hint: Hint = None,
        *notes: Note,
    ) -> None:
        """Add a warning."""
        self.add(Diagnostic(code, summary, span, WARNING, None, notes), hint)

    def __str__(self) -> str:
        """Each as `str` says it, by place; empty for none."""
        lines = [str(discreet(item, self.quoting)) for item in self.sorted()]
        if self.dropped:
            lines.append(f"({self.dropped} more not shown)")
        return "\n".join(lines)

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


class Relay(Diagnostics):
    """A collector that passes on to another one the diagnostics that `accepts` is true for."""

    def __init__(self, outer: Diagnostics, accepts: Callable[[Diagnostic], bool]) -> None:
        super().__init__(quoting=outer.quoting)
        self._outer = outer
        self._accepts = accepts
        self.errors = outer.errors

    def add(self, diagnostic: Diagnostic, hint: Hint = None) -> None:
        """Pass it on, or forget it."""
        if self._accepts(diagnostic):
            self._outer.add(diagnostic, hint)
            self.errors = self._outer.errors

    def count(self, inner: Diagnostics) -> None:
        """Count them in the other one."""
        self._outer.count(inner)
        self.errors = self._outer.errors

    @property
    def full(self) -> bool:
        """True when the other one is."""
        return self._outer.full


class BlueprintError(Exception):
    """A blueprint with errors, raised only on demand (`Run.raise_for_errors`).

    Its text is the report; `diagnostics` are all of it.
    """

    def __init__(self, report: str, diagnostics: Diagnostics) -> None:
        super().__init__(report)
        self.diagnostics = diagnostics


class Stop(Exception):
    """Carries one diagnostic out of deep reading code to the stage that collects it.

    Raised and caught inside the pipeline only, for mistakes after which a text cannot be read on.
    """

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.summary)
        self.diagnostic = diagnostic
