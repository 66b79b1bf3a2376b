"""The explanation of one path of an output, as frozen records and as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from ...functions.record import Record
from ..values.source import Span
from .paths import Path, path_text

KNOWN: Final = "known"
RESIDUAL: Final = "residual"
PARTLY: Final = "partly known"
SECRET: Final = "secret"
NONE_VALUE: Final = "none"
WITHHELD: Final = "withheld"
UNUSED: Final = "not needed"
GONE: Final = "gone"


class Change(Record):
    """What a path was after a stage that changed it: its text, or None where it was not there."""

    stage: str
    text: str | None


class Cause(Record):
    """Something that went into a value.

    `kind` is one of `variable`, `value`, `resource`, `state`, `datasource`, `child`, `element`,
    `index` and `function`; `name` is how the language refers to it, within the document that the
    includes `way` lead to. `status` is `known`, `residual`, `partly known`, `secret`, `withheld`
    (a secret is made of it), `none` or `not needed` (a branch that is not taken). `value` is plain
    data, None for a secret; what is not known in it is a text with `${..}`. `how` names
    the giver of the value, `span` is its place. `causes` went into it in turn; they are left out
    where they were given before (`repeated`).
    """

    kind: str
    name: str
    status: str
    value: Any = None
    how: str = ""
    span: Span | None = None
    way: tuple[str, ...] = ()
    causes: tuple[Cause, ...] = ()
    repeated: bool = False


class Departure(Record):
    """Why a path is not in the output: the stage, a sentence, and paths that took its place."""

    stage: str
    reason: str
    now: tuple[str, ...] = ()


class Explanation(Record):
    """Where a path of an output comes from.

    `status` is `known`, `residual`, `partly known`, `secret` or `gone`. `value` is plain data as
    the output has it, with texts for what is residual and None for what is gone. `kind` says how
    the value came about: `written`, `template` (computed from a text), `part` (of what a text
    gives), `mixed` (an object or array with computed parts), `reference` (an export's), `child`
    (the document of one), `transform` or `stage` (made by one), `gone`; `made` says it in
    words. `span` is the place where it is written or of what it was computed from; `own` is False
    where the value is only a part of that. `way` are the names of the includes that lead to its
    document, `included` their places. `steps` are the stages and transforms that shaped it,
    `changes` its forms after the stages, `causes` what went into it. `departure` says why it is
    gone.
    """

    path: str
    status: str
    kind: str
    made: str
    value: Any = None
    span: Span | None = None
    own: bool = True
    way: tuple[str, ...] = ()
    included: tuple[Span, ...] = ()
    steps: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    causes: tuple[Cause, ...] = ()
    departure: Departure | None = None


class UnknownPath(Record, eq=False):
    """An unknown value with all places that use it.

    `text` is its text in the output, `why` a short reason, `supply` how to make it known. `places`
    are paths of the output, `spans` where those are written, each place once.
    """

    text: str
    why: str
    supply: str
    places: tuple[str, ...]
    spans: tuple[Span, ...]


def by_reason(
    uses: Iterable[tuple[tuple[str, str, str], Path, Span]],
) -> tuple[UnknownPath, ...]:
    """The unknown values of a result; each use has the `text`, `why` and `supply` of one."""
    found: dict[tuple[str, str, str], list[tuple[Path, Span]]] = {}
    for reason, path, span in uses:
        found.setdefault(reason, []).append((path, span))
    return tuple(
        UnknownPath(
            *reason,
            tuple(dict.fromkeys(path_text(path) for path, _ in places)),
            tuple({(span.source, span.start, span.end): span for _, span in places}.values()),
        )
        for reason, places in found.items()
    )


# An explanation as plain data, ready for JSON.

VERSION: Final = 1


def plain_explanation(explanation: Explanation) -> dict[str, Any]:
    """The fields of an explanation by name; docs/guides/provenance.md describes them."""
    gone = explanation.departure
    return {
        "version": VERSION,
        "path": explanation.path,
        "status": explanation.status,
        "kind": explanation.kind,
        "made": explanation.made,
        "value": explanation.value,
        "place": _place(explanation.span),
        "own": explanation.own,
        "includes": [
            {"name": name, "place": _place(span)}
            for name, span in zip(explanation.way, explanation.included, strict=False)
        ],
        "steps": list(explanation.steps),
        "changes": [{"stage": one.stage, "text": one.text} for one in explanation.changes],
        "causes": [_cause(cause) for cause in explanation.causes],
        "departure": gone and {"stage": gone.stage, "reason": gone.reason, "now": list(gone.now)},
    }


def _cause(cause: Cause) -> dict[str, Any]:
    return {
        "kind": cause.kind,
        "name": cause.name,
        "status": cause.status,
        "value": cause.value,
        "how": cause.how,
        "place": _place(cause.span),
        "in": list(cause.way),
        "repeated": cause.repeated,
        "causes": [_cause(one) for one in cause.causes],
    }


def _place(span: Span | None) -> dict[str, Any] | None:
    """1-based lines and columns; the end is just after the last column."""
    if span is None:
        return None
    return {
        "file": span.source.name,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
        "exact": span.exact,
    }
