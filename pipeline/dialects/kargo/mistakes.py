"""What is wrong with several promotions, each mistake once."""

from __future__ import annotations

from typing import Any, Final

from ...values.diagnostics import ERROR, WARNING, Diagnostic, Diagnostics, Hint, Note, Relay
from .promotions import Promotion

_MOST: Final = 1_000


class Told(Relay):
    """A collector of what is wrong with several promotions: each mistake is told once, in the end.

    `promotion` is the one that is looked at. While `lenient`, errors are warnings. A note names the
    Stages that a mistake in a shared manifest concerns.
    """

    def __init__(self, outer: Diagnostics) -> None:
        super().__init__(outer, lambda item: True)
        self.errors = 0
        self.promotion: Promotion | None = None
        self.lenient = False
        self._found: dict[Any, tuple[Diagnostic, Hint, list[str]]] = {}

    def add(self, diagnostic: Diagnostic, hint: Hint = None) -> None:
        """Keeps it with the Stage that it concerns."""
        if self.lenient and diagnostic.severity == ERROR and diagnostic.code != "limit_exceeded":
            diagnostic = diagnostic.evolve(severity=WARNING)
        self.errors += diagnostic.severity == ERROR
        span = diagnostic.span
        place = (span.source.name, span.start, span.end) if span is not None else None
        key = (diagnostic.code, place, diagnostic.summary)
        if len(self._found) >= _MOST and key not in self._found:
            self._outer.add(diagnostic, hint)  # which counts it, or takes it in the place of others
            return
        known, worded, labels = self._found.get(key, (diagnostic, hint, []))
        promotion = self.promotion
        own = promotion is not None and span is not None and promotion.has(span)
        if promotion is not None and not own and promotion.label not in labels:
            labels = [*labels, promotion.label]
        if diagnostic.severity == ERROR:
            known = known.evolve(severity=ERROR)
        self._found[key] = known, worded, labels

    def settle(self, several: bool) -> None:
        """Passes everything on; with `several` promotions, a note says which it concerns."""
        for diagnostic, hint, labels in self._found.values():
            if labels and several:
                named = ", ".join(f"`{one}`" for one in labels)
                diagnostic = diagnostic.noting(Note(f"in {named}"))
            self._outer.add(diagnostic, hint)
        self._found = {}
