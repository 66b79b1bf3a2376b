"""Diagnostics that the readers of both formats share."""

from __future__ import annotations

from ..diagnostics import Diagnostic, Note, Stop
from ..settings import Limits, how_to_raise
from ..source import Source, Span
from .characters import shown
from .scalars import OutOfRange


def duplicate_key(source: Source, key: str, start: int, first: int) -> Diagnostic:
    """The same key at two places of one map."""
    from .positions import scalar_end

    text = source.text
    return Diagnostic(
        "duplicate_key",
        f"the key `{shown(key)}` is written twice in this map",
        Span(source, start, scalar_end(text, start, key)),
        notes=(Note("first written here", Span(source, first, scalar_end(text, first, key))),),
    )


def number_out_of_range(problem: OutOfRange, source: Source, start: int, end: int) -> Diagnostic:
    """A number beyond what values of the language hold."""
    return Diagnostic(
        "number_out_of_range",
        str(problem),
        Span(source, start, end),
        hint="put quotes around it if it is meant as text",
    )


def over_limit(source: Source, start: int, what: str, name: str, limits: Limits) -> Stop:
    """A text that is past the limit `name`, at an offset; reading ends there."""
    units = {"max_depth": "levels", "max_nodes": "nodes"}.get(name, "characters")
    return Stop(
        Diagnostic(
            "limit_exceeded",
            f"{what} {getattr(limits, name)} {units}, the limit `{name}`",
            Span(source, start, min(start + 1, len(source.text))),
            hint=how_to_raise(name, limits),
        )
    )
