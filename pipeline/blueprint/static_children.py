"""Static checks across files: children that are named outright, their variables and exports."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from ...functions.values import article
from ..context import Context, Inclusion
from ..diagnostics import Diagnostics, Note, meant
from ..document import Document
from ..language.errors import Failure
from ..tree import AnyNode, Map, Scalar, kind_of
from .child_files import read_child
from .graph import references_in
from .parts import flag_of, text_of


def check_children(
    document: Document, context: Context, check: Callable[[Document, Context], Document]
) -> None:
    """Checks every local child whose path holds no substitution, and how the document uses it.

    `check` reads and checks one document. A child with a computed path or a `sourceType` is left to
    the render.
    """
    include = document.section("include")
    for name, node in include.items.items() if include else ():
        path = node.get("path") if isinstance(node, Map) else None
        if not isinstance(path, Scalar) or not isinstance(node, Map) or _remote(node):
            continue
        assert include is not None
        child = _open(document, context, name, path)
        if child is None:
            continue
        span = include.key_span(name)
        inner = attrs.evolve(
            context,
            diagnostics=Diagnostics(context.limits.max_diagnostics),
            environment=context.environment.beside(child.folder),
            way=(*context.way, Inclusion(name, span, child.source.path or "")),
            main=False,
        )
        child = check(child, inner)
        note = Note(f"`{name}` is included here", span)
        context.diagnostics.extend(item.noting(note) for item in inner.diagnostics)
        if not inner.diagnostics.errors:
            _check_variables(context, name, node, child, include)
            _check_exports(document, context, name, child)


def _remote(node: Map) -> bool:
    metadata = node.get("metadata")
    return isinstance(metadata, Map) and metadata.get("sourceType") is not None


def _open(document: Document, context: Context, name: str, path: Scalar) -> Document | None:
    try:
        return read_child(document, context, name, str(path.value), path)
    except Failure as failure:
        if not failure.reported:
            context.diagnostics.error(failure.code, path.span, failure.summary, failure.hint)
        return None


def _check_variables(context: Context, name: str, node: Map, child: Document, include: Map) -> None:
    given = node.get("variables")
    entries = given.items if isinstance(given, Map) else {}
    declared = child.section("variables")
    definitions = declared.items if declared else {}
    for key in entries:
        if key not in definitions:
            assert isinstance(given, Map)
            context.diagnostics.warn(
                "include_unknown_variable",
                given.key_span(key),
                f"the child blueprint `{name}` has no variable `{key}`",
                meant(key, definitions),
            )
    for key, definition in definitions.items():
        needed = (
            isinstance(definition, Map)
            and definition.get("default") is None
            and not flag_of(definition.get("secret"))
        )
        if key in entries and isinstance(definition, Map):
            _check_type(context, key, entries[key], definition)
        if needed and key not in entries:
            span = node.key_span("variables") if given is not None else include.key_span(name)
            context.diagnostics.error(
                "include_missing_required_variable",
                span,
                f"the child blueprint `{name}` needs the variable `{key}`",
                f"add `{key}` to the include's `variables`",
                Note("it is declared here, without a default", definition.span),
            )


def _check_type(context: Context, key: str, given: AnyNode, definition: Map) -> None:
    """Holds a literal that a child gets against the type that the child declares."""
    declared = text_of(definition.get("type")) or "any"
    wanted = "string" if "/" in declared else declared
    if not isinstance(given, Scalar) or given.value is None:
        return
    actual = kind_of(given)
    if actual != wanted and not (actual == "integer" and wanted == "float"):
        context.diagnostics.error(
            "include_variable_type_mismatch",
            given.span,
            f"the variable `{key}` of the child is declared as {declared}, but gets "
            f"{article(actual)}",
        )


def _check_exports(document: Document, context: Context, name: str, child: Document) -> None:
    exports = child.section("exports")
    names = exports.items if exports else {}
    for reference, substitution, template in references_in(document.root):
        if reference.root != "children" or reference.path[0] != name:
            continue
        export = str(reference.path[1])
        if export not in names:
            context.diagnostics.error(
                "child_export_not_found",
                context.language.locate(template, substitution, reference),
                f"the child blueprint `{name}` does not export `{export}`",
                meant(export, names),
            )
