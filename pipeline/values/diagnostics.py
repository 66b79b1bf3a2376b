"""What bpp says about a mistake, as data; how it looks is decided in `cli/report.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ...functions.record import Record
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


class Quoting:
    """Which lines of sources no report may quote.

    `withheld` are the places at which secrets are written, `unquoted` those at which one may be
    written, where a mistake hides whether it is one.
    """

    def __init__(self) -> None:
        self.withheld: list[Span] = []
        self.unquoted: list[Span] = []

    def withhold(self, span: Span) -> None:
        """Says that a secret is written there."""
        self.withheld.append(span)

    def leave_unquoted(self, span: Span) -> None:
        """Says that a secret may be written there."""
        self.unquoted.append(span)

    def add(self, other: Quoting) -> None:
        """Withholds what another one withholds."""
        self.withheld += other.withheld
        self.unquoted += other.unquoted

    def may_show(self, source: Source, line: int) -> bool:
        """False for a line that holds a part of what is withheld."""
        return not any(
            span.source is source and span.line <= line <= span.end_line
            for span in (*self.withheld, *self.unquoted)
        )


class Diagnostics:
    """A collector: mistakes are added, never thrown.

    Equal diagnostics (same code, place and text) are kept once. Past `limit` of them the rest is
    only counted, in `dropped`; an error that comes then takes the place of a warning. `quoting` is
    what reports of them may quote; the collectors of one run share it.
    """

    def __init__(self, limit: int = 1000, quoting: Quoting | None = None) -> None:
        self._items: dict[int, Diagnostic] = {}
        # what is only counted, and whether it is an error
        self._beyond: dict[int, bool] = {}
        self._warnings: list[int] = []
        self._brought: dict[Source, tuple[Note, ...]] = {}
        self._limit = limit
        self.errors = 0
        self.quoting = quoting or Quoting()

    def add(self, diagnostic: Diagnostic) -> None:
        """Keep a diagnostic unless the same one is there already."""
        span = diagnostic.span
        place = (span.source.name, span.start, span.end) if span else None
        mark = hash((diagnostic.code, place, diagnostic.summary))
        if mark in self._items or mark in self._beyond:
            return
        is_error = diagnostic.severity == ERROR
        self.errors += is_error
        if len(self._items) >= self._limit:
            if not is_error or not self._warnings:
                self._beyond[mark] = is_error
                return
            last = self._warnings.pop()
            del self._items[last]
            self._beyond[last] = False
        if not is_error:
            self._warnings.append(mark)
        if self._brought and span is not None:
            told = self._brought.get(span.source, ())
            diagnostic = diagnostic.noting(*(n for n in told if n not in diagnostic.notes))
        self._items[mark] = diagnostic

    @property
    def dropped(self) -> int:
        """How many were only counted."""
        return len(self._beyond)

    @property
    def full(self) -> bool:
        """True when what is added now is only counted: words for it are not looked for."""
        return len(self._items) >= self._limit

    def count(self, inner: Diagnostics) -> None:
        """Count what another collector only counted."""
        for mark, is_error in inner._beyond.items():
            if mark not in self._items and mark not in self._beyond:
                self._beyond[mark] = is_error
                self.errors += is_error

    def explain(self, source: Source, note: Note) -> None:
        """Say with every diagnostic in a source how that source came into the blueprint."""
        self._brought[source] = (note,)

    def adopt(self, inner: Diagnostics, source: Source) -> None:
        """Know of what a source brought along what the collector of that source knows."""
        way = self._brought.get(source, ())
        for other, notes in inner._brought.items():
            self._brought[other] = notes + way

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Add each of them, and count what they only count."""
        for diagnostic in diagnostics:
            self.add(diagnostic)
        if isinstance(diagnostics, Diagnostics):
            self.count(diagnostics)

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


class Relay(Diagnostics):
    """A collector that passes on to another one what `accepts` is true for, and counts like it."""

    def __init__(self, outer: Diagnostics, accepts: Callable[[Diagnostic], bool]) -> None:
        super().__init__(quoting=outer.quoting)
        self._outer = outer
        self._accepts = accepts

    def add(self, diagnostic: Diagnostic) -> None:
        """Pass it on, or forget it."""
        if self._accepts(diagnostic):
            self._outer.add(diagnostic)
            self.errors = self._outer.errors

    @property
    def full(self) -> bool:
        """True when the other one is."""
        return self._outer.full


class Stop(Exception):
    """Carries one diagnostic out of deep reading code to the stage that collects it.

    Raised and caught inside the pipeline only, for mistakes after which a text cannot be read on.
    """

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.summary)
        self.diagnostic = diagnostic


_FEW, _AROUND, _SHORT = 100, 12, 40
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."


class Names:
    """Names among which a near one is looked for, put in order once however often that happens."""

    def __init__(self, names: Iterable[str]) -> None:
        self.known = {*names}
        self.ordered = sorted(self.known)
        self.folded = {name.casefold(): name for name in self.ordered}
        self.backwards = sorted(name[::-1] for name in self.ordered)

    def around(self, name: str) -> list[str]:
        """Those that are worth a comparison, which is slow: of many the ones that one slip makes of
        the name, those that begin most like it and those that end most like it."""
        if len(self.ordered) <= _FEW:
            return [one for one in self.ordered if one != name]
        found = set(_beside(self.ordered, name))
        found.update(one[::-1] for one in _beside(self.backwards, name[::-1]))
        if len(name) <= _SHORT:
            found.update(self.known.intersection(_slips(name)))
        return sorted(found - {name})

    def with_part(self, name: str) -> list[str]:
        """Those that the name begins with, or that end with it as a word: `eq` for `equals` and
        `to_upper` for `upper`."""
        from bisect import bisect_left

        found = {name[:size] for size in range(2, len(name))} & self.known
        tail = f"_{name}"[::-1]
        for one in self.backwards[bisect_left(self.backwards, tail) :]:
            if not one.startswith(tail):
                break
            found.add(one[::-1])
        return sorted(found)


def _beside(ordered: list[str], name: str) -> list[str]:
    from bisect import bisect

    at = bisect(ordered, name)
    return ordered[max(0, at - _AROUND) : at + _AROUND]


def nearest(name: str, candidates: Iterable[str] | Names) -> str | None:
    """The candidate a writer most likely meant by `name`, or None when none is near."""
    from difflib import get_close_matches

    names = candidates if isinstance(candidates, Names) else Names(candidates)
    folded = names.folded.get(name.casefold(), name)
    if folded != name:
        return folded
    name = name[:200]
    around = names.around(name)
    slips = [one for one in around if _one_slip(name, one)]
    found = get_close_matches(name, slips, n=1, cutoff=0.75) if slips else []
    if found:
        return found[0]
    found = get_close_matches(name, around, n=1, cutoff=0.6)
    if not found or _likeness(name, found[0]) < 0.75:
        found = names.with_part(name) or found
    return found[-1] if found else None


def _slips(name: str) -> Iterator[str]:
    """A name with a character too few, too many, another one, or two in the wrong order."""
    for at in range(len(name) + 1):
        before, after = name[:at], name[at:]
        for letter in _LETTERS:
            yield before + letter + after
            yield before + letter + after[1:]
        yield before + after[1:]
        yield before + after[1:2] + after[:1] + after[2:]


def _one_slip(first: str, second: str) -> bool:
    """True when a character too many, too few, another one or two in the wrong order differ."""
    if abs(len(first) - len(second)) > 1:
        return False
    at = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        at += 1
    rest, others = first[at:], second[at:]
    return (
        rest[1:] == others[1:]
        or rest[1:] == others
        or rest == others[1:]
        or (rest[:2] == others[:2][::-1] and rest[2:] == others[2:])
    )


def _likeness(name: str, other: str) -> float:
    from difflib import SequenceMatcher

    return SequenceMatcher(None, other, name).ratio()


def likely(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that a name is almost spelt like, or None: nearer than for a hint."""
    from difflib import get_close_matches

    found = get_close_matches(name[:200], candidates, n=1, cutoff=0.75)
    return found[0] if found else None


def meant(name: str, candidates: Iterable[str] | Names) -> str | None:
    """The hint "did you mean ...?" for an unknown name, or None."""
    near = nearest(name, candidates)
    return f"did you mean `{near}`?" if near else None
