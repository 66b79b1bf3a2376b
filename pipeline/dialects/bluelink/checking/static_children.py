"""Static checks across files: children whose path is known, their variables and exports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .....functions.values import Unknown
from ....engine.inputs import VariableInputs
from ....engine.materialisation import MASK, text_of
from ....engine.run import Context, Inclusion, State, Work
from ....language.errors import Failure
from ....values.diagnostics import NOTE, Diagnostic, Note, Relay
from ....values.document import Document
from ....values.expression import Reference
from ....values.source import Span
from ....values.tree import AnyNode, Map, Scalar, Template, kind_of
from ..children.inclusion import (
    check_allowed,
    check_declared,
    check_missing,
    check_type,
    declared_variables,
    included,
    is_address,
    read_child,
)
from ..structure.inspection import is_lone
from .child_paths import paths_of
from .expression_types import ExpressionTypes
from .names import check_names
from .template_sites import ANY, SILENT


def check_document(document: Document, context: Context, read: bool = True) -> Document:
    """Reads and checks one document and its children, even if the document has mistakes.

    Without `read` the document is in memory, as children in a materialised blueprint are.
    """
    stages = context.pipeline.upto("transform")
    if not read:
        stages = stages.split_after("load")[1]
    document = stages.last(document, context)
    check_further(document, context)
    return document


def check_further(document: Document, context: Context) -> None:
    """The checks that need no stage to succeed: cycles, and children and their uses."""
    from .static_cycles import check_static_cycles

    settled = True
    if context.diagnostics.errors:
        from ..structure.recovery import mended, names_transforms, without_unread

        # what is only counted is not looked for in copies of a huge document
        meant = document if context.diagnostics.full else mended(document)
        document = without_unread(meant, context.language.opener)
        settled = not names_transforms(document)
    if settled and not may_change(document, context):
        check_static_cycles(document, context)
    check_children(document, context, settled)


def may_change(document: Document, context: Context) -> bool:
    """True for a document that names a transform which a check does not know."""
    if document.root.get("transform") is None:
        return False
    from ..expansion import is_unsettled

    return is_unsettled(document, context)


def withhold_given(document: Document, context: Context, sound: bool) -> None:
    """Asks the children which of the things that they are given are secrets.

    Paths are computed where the names in the document are known to be `sound`.
    """
    quiet = context.evolve(diagnostics=context.diagnostics.beside(), work=Work())
    include, bundled = document.section("include"), document.section("children")
    for name, node in include.items.items() if include else ():
        own = bundled.get(name) if bundled else None
        given = node.get("variables") if isinstance(node, Map) else None
        for child, _ in _children(document, quiet, name, node, own, sound)[0]:
            read = child
            if not isinstance(own, Map):
                inner = _inside(quiet, name, node.span, child)
                read = context.pipeline.upto("load").last(child, inner)
                if inner.diagnostics.errors:
                    continue
            if include is not None and isinstance(node, Map):
                declared = declared_variables(read.section("variables"))
                check_declared(declared, given, included(name, include, node), quiet.diagnostics)
    for child_root in bundled.items.values() if bundled else ():
        if isinstance(child_root, Map):
            part = Document(child_root, document.source, document.folder)
            withhold_given(part, context, sound)


def _children(
    document: Document,
    context: Context,
    name: str,
    node: AnyNode | None,
    own: AnyNode | None,
    sound: bool,
) -> tuple[list[tuple[Document, str]], bool]:
    """The documents that a child may be, not read yet, each with the values that lead to it.

    A document in the blueprint (`own`) is the only one. Also whether there may be others; what is
    therefore not checked is reported.
    """
    if isinstance(own, Map):
        return [(Document(own, document.source, document.folder), "")], False
    place = node.get("path") if isinstance(node, Map) else None
    if place is None or _is_elsewhere(context, name, node):
        return [], True
    paths = paths_of(document, context, place, sound)
    if paths.unknown:
        _not_checked(context, name, place.span, f"its path depends on {paths.unknown}")
    found = []
    for choice in paths.choices:
        # each is opened instead of the others
        opening = context.evolve(opened=[*context.opened]) if choice.where else context
        notes = [Note(f"the path is this one where {choice.where}")] if choice.where else []
        try:
            if is_address(choice.path):
                _check_address(context, name, choice.path, place)
            else:
                found.append((read_child(document, opening, choice.path, place), choice.where))
        except Failure as failure:
            if not failure.reported:
                context.diagnostics.error(
                    failure.code, place.span, failure.summary, failure.hint, *notes
                )
    return found, not paths.complete or len(found) < len(paths.choices)


def opened_children(document: Document, context: Context) -> Iterator[tuple[str, Document]]:
    """The documents that the children of a document may be, not read yet, by their names there."""
    include = document.section("include")
    for name, node in include.items.items() if include is not None else ():
        for child, _ in _children(document, context, name, node, None, True)[0]:
            yield name, child


def _not_checked(context: Context, name: str, span: Span, why: str) -> None:
    context.diagnostics.add(
        Diagnostic(
            "child_not_checked",
            f"the child blueprint `{name}` is not checked: {why}",
            span,
            NOTE,
        )
    )


def _check_address(context: Context, name: str, address: str, node: AnyNode) -> None:
    from ..children.remote_children import place_at

    place_at(context, name, address, node)
    _not_checked(context, name, node.span, "a check fetches nothing")


def _is_elsewhere(context: Context, name: str, node: AnyNode | None) -> bool:
    """True for a child that is fetched, or that may be, which no check does."""
    metadata = node.get("metadata") if isinstance(node, Map) else None
    kind = metadata.get("sourceType") if isinstance(metadata, Map) else metadata
    if kind is None or (kind is metadata and not isinstance(kind, Template)):
        return False
    if isinstance(kind, Scalar) and isinstance(kind.value, str):
        from ..children.remote_children import Closed, find_kind, leave_closed

        try:
            try:
                find_kind(context, name, kind.value, kind)
            except Closed as closed:
                leave_closed(context, name, kind, closed)
                return True
        except Failure as failure:
            context.diagnostics.error(failure.code, kind.span, failure.summary, failure.hint)
            return True
    _not_checked(context, name, kind.span, "a check fetches nothing")
    return True


def _inside(
    context: Context, name: str, span: Span, child: Document, given: AnyNode | None = None
) -> Context:
    """The context of a child; `given` are the variables of its include."""
    values: dict[str, Any] = {
        key: item.value if isinstance(item, Scalar) else Unknown(Reference("variables", (key,)))
        for key, item in (given.items.items() if isinstance(given, Map) else ())
        if not isinstance(item, Scalar) or item.value is not None
    }
    return context.evolve(
        given=VariableInputs(values=values),
        state=context.state.included.get(name, State()),
        diagnostics=context.diagnostics.beside(),
        environment=context.environment.beside(child.folder),
        way=(*context.way, Inclusion(name, span, child.source.path or "")),
        main=False,
        work=Work(),
    )


def check_children(document: Document, context: Context, settled: bool = True) -> None:
    """Checks every local child whose path is known, and how the document uses it.

    A computed path is tried with all values that its variables may have. A child whose path
    depends on something else, and one with a `sourceType`, is left to the render, and a note says
    so. `settled` is false for a document that transforms may still change, whose names are not
    looked at.
    """
    sound = not context.diagnostics.errors
    include = document.section("include")
    bundled = document.section("children")
    names = dict.fromkeys(
        [*(include.items if include else ()), *(bundled.items if bundled else ())]
    )
    children: list[tuple[str, Document]] = []
    exports: dict[str, dict[str, str]] = {}
    for name in names:
        own = bundled.get(name) if bundled else None
        node = include.get(name) if include else None
        section = include if node is not None else bundled
        assert section is not None
        span = section.key_span(name)
        given = node.get("variables") if isinstance(node, Map) else None
        found, others = _children(document, context, name, node, own, sound)
        for unread, where in found:
            inner = _inside(context, name, span, unread, given)
            child = check_document(unread, inner, own is None)
            note = Note(f"`{name}` is included here" + (f", where {where}" if where else ""), span)
            context.diagnostics.extend(
                item if own is not None or note in item.notes else item.noting(note)
                for item in inner.diagnostics
            )
            context.diagnostics.count(inner.diagnostics)
            if inner.diagnostics.errors:
                told = _meant(child)
            else:
                children.append((name, child))
                told = _declared(child.section("exports"))
            if told is not None and not others:
                _add_exports(exports.setdefault(name, {}), told)
    if settled and exports:
        # once more, as the exports of children are known now
        if may_change(document, context):
            from ..expansion import is_settled

            checking = context.evolve(diagnostics=Relay(context.diagnostics, is_settled))
            check_names(document, checking, exports)
        else:
            check_names(document, context, exports)
    types = ExpressionTypes(document, context, exports)
    for name, child in children:
        node = include.get(name) if include else None
        if isinstance(node, Map):
            assert include is not None
            known = bundled is not None and name in bundled.items
            _check_variables(context, name, node, child, include, types, known)


def _add_exports(exports: dict[str, str], more: Mapping[str, str]) -> None:
    """Adds the exports of one of the documents that a child may be."""
    for name, kind in more.items():
        exports[name] = kind if exports.get(name, kind) == kind else "any"


def _declared(exports: Map | None) -> dict[str, str]:
    """The declared types of a child's exports."""
    items = exports.items if exports else {}
    return {
        name: (text_of(node.get("type")) if isinstance(node, Map) else None) or "any"
        for name, node in items.items()
    }


def _meant(child: Document) -> dict[str, str] | None:
    """The names that a child with mistakes exports, if they are certain; of any type."""
    from ..structure.recovery import mended, names_transforms

    exports = mended(child).section("exports")
    if exports is None or names_transforms(child):
        return None
    return dict.fromkeys(exports.items, "any")


def _check_variables(
    context: Context,
    name: str,
    node: Map,
    child: Document,
    include: Map,
    types: ExpressionTypes,
    bundled: bool,
) -> None:
    given = node.get("variables")
    declared = declared_variables(child.section("variables"))
    to, out = included(name, include, node), context.diagnostics
    check_declared(declared, given, to, out, bundled)
    entries = given.items if isinstance(given, Map) else {}
    for key, item in entries.items():
        one, actual = declared.get(key), given_type(item, types)
        if one is None or actual in ("array", "object"):
            continue  # no variable takes those, which is reported already
        fits = check_type(one, actual, item.span, to, out)
        if not fits or one.secret or not isinstance(item, Scalar):
            continue
        if item.value not in (None, MASK):
            check_allowed(one, item.value, False, item.span, to, out)
    check_missing(declared, entries, to, out, secrets=False)


def given_type(node: AnyNode, types: ExpressionTypes) -> str:
    """The static type of what is given to a variable; `any` when it is not known."""
    if isinstance(node, Template) and is_lone(node):
        expression = node.segments.substitutions[0].shape.expression
        found = types.type_of(expression, ANY, SILENT, None)
        return {"binary": "string", "resource": "any"}.get(found, found)
    hidden = isinstance(node, Scalar) and node.value in (None, MASK)
    return "any" if hidden else kind_of(node)
