"""An explanation as plain data, ready for JSON."""

from __future__ import annotations

from typing import Any, Final

from ..source import Span
from .explanation import Cause, Explanation

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
