"""Exports of children that the state tells, held against what the children declare."""

from __future__ import annotations

from ...functions.values import NONE, article, from_plain, type_of
from ..context import Context
from ..diagnostics import Note, meant
from ..document import Document
from ..source import Span
from ..tree import Map
from .graph import entries
from .parts import text_of


def check_state_exports(document: Document, context: Context) -> None:
    """Reports exports in the state that a child does not have, or that have another type there.

    Only children that were opened are looked at; of the others nothing is declared.
    """
    include = document.section("include") or document.section("children")
    for name, told in context.state.children.items():
        child = document.children.get(name)
        if child is None:
            continue
        exports = entries(child, "exports")
        for key, data in told.items():
            export = exports.get(key)
            span = include.key_span(name) if include is not None else None
            if export is None:
                context.diagnostics.warn(
                    "undeclared_state",
                    span,
                    f"the state has an export `{key}` of the child blueprint `{name}`, which has "
                    "no such export",
                    meant(key, exports),
                )
            else:
                _check_type(name, key, from_plain(data), export, span, context)


def _check_type(
    name: str, key: str, value: object, export: Map, span: Span | None, context: Context
) -> None:
    declared = text_of(export.get("type")) or "any"
    actual = type_of(value)
    if value is NONE or declared in ("any", actual) or (declared, actual) == ("float", "integer"):
        return
    node = export.get("type")
    context.diagnostics.error(
        "export_type_mismatch",
        span,
        f"the export `{key}` of the child blueprint `{name}` is declared as {declared}, but the "
        f"state has {article(actual)}",
        None,
        *([Note("it is declared here", node.span)] if node is not None else []),
    )
