"""Static checks across files: children that are named outright, their variables and exports."""

from __future__ import annotations

import posixpath
from collections.abc import Callable

import attrs

from ...functions.values import article
from ..context import Context, Inclusion
from ..diagnostics import Diagnostics, Note, meant
from ..document import Document
from ..files import FileProblem, decode_text
from ..formats.detection import format_of, format_of_text
from ..source import Source
from ..tree import AnyNode, Map, Scalar, Trail, kind_of
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
    files = context.files
    text = str(path.value)
    try:
        identity = files.resolve(text, document.folder)
        if identity in (context.identity, *(step.identity for step in context.way)):
            steps = " -> ".join([*(step.name for step in context.way), name])
            context.diagnostics.error(
                "include_cycle", path.span, f"the blueprint includes itself: {steps}"
            )
            return None
        shown = files.shown(text, document.folder)
        content = decode_text(files.read(text, document.folder), shown)
        if isinstance(content, FileProblem):
            raise content
    except FileProblem as problem:
        codes = {
            "file_not_found": "include_path_not_found",
            "file_unreadable": "include_not_a_file",
        }
        code = codes.get(problem.code, problem.code)
        context.diagnostics.error(code, path.span, problem.message, problem.hint)
        return None
    kind = format_of(shown) or format_of_text(content)
    source = Source(shown, content, kind, identity)
    empty = Map({}, {}, Trail(source, ("load",)), 0, 0)
    return Document(empty, source, posixpath.dirname(identity))


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
