"""Static checks across files: children whose path is known, their variables and exports."""

from __future__ import annotations

from .....functions.values import Unknown
from ....engine.inputs import VariableInputs
from ....engine.materialisation import text_of
from ....engine.run import Context, Inclusion, Work
from ....language.errors import Failure
from ....values.diagnostics import Diagnostics, Note
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
    read_child,
)
from ..structure.inspection import is_lone
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

        document = without_unread(mended(document), context.language.opener)
        settled = not names_transforms(document)
    if settled:
        check_static_cycles(document, context)
    check_children(document, context, settled)


def withhold_given(document: Document, context: Context, sound: bool) -> None:
    """Asks the children which of the things that they are given are secrets.

    Paths are computed where the names in the document are known to be `sound`.
    """
    quiet = context.evolve(diagnostics=Diagnostics(quoting=context.quoting), work=Work())
    include, bundled = document.section("include"), document.section("children")
    for name, node in include.items.items() if include else ():
        own = bundled.get(name) if bundled else None
        child = _child(document, quiet, node, own, sound)
        given = node.get("variables") if isinstance(node, Map) else None
        if child is not None and not isinstance(own, Map):
            inner = _inside(quiet, name, node.span, child)
            child = context.pipeline.upto("load").last(child, inner)
            child = None if inner.diagnostics.errors else child
        if child is not None and include is not None and isinstance(node, Map):
            declared = declared_variables(child.section("variables"))
            check_declared(declared, given, included(name, include, node), quiet.diagnostics)
    for child_root in bundled.items.values() if bundled else ():
        if isinstance(child_root, Map):
            part = Document(child_root, document.source, document.folder)
            withhold_given(part, context, sound)


def _child(
    document: Document,
    context: Context,
    node: AnyNode | None,
    own: AnyNode | None,
    sound: bool,
) -> Document | None:
    """A child that the document contains (`own`), or whose path is known; not read yet."""
    if isinstance(own, Map):
        return Document(own, document.source, document.folder)
    return _open(document, context, node, sound) if isinstance(node, Map) else None


def _inside(context: Context, name: str, span: Span, child: Document) -> Context:
    """The context of a child."""
    return context.evolve(
        diagnostics=context.diagnostics.beside(),
        environment=context.environment.beside(child.folder),
        way=(*context.way, Inclusion(name, span, child.source.path or "")),
        main=False,
        work=Work(),
    )


def check_children(document: Document, context: Context, settled: bool = True) -> None:
    """Checks every local child whose path is known, and how the document uses it.

    A child whose path depends on a variable or on something outside, and one with a `sourceType`,
    is left to the render. `settled` is false for a document that transforms may still change, whose
    names are not looked at.
    """
    sound = not context.diagnostics.errors
    include = document.section("include")
    bundled = document.section("children")
    names = dict.fromkeys(
        [*(include.items if include else ()), *(bundled.items if bundled else ())]
    )
    children: dict[str, Document] = {}
    exports: dict[str, dict[str, str]] = {}
    for name in names:
        own = bundled.get(name) if bundled else None
        node = include.get(name) if include else None
        child = _child(document, context, node, own, sound)
        if child is None:
            continue
        section = include if node is not None else bundled
        assert section is not None
        span = section.key_span(name)
        inner = _inside(context, name, span, child)
        child = check_document(child, inner, own is None)
        note = Note(f"`{name}` is included here", span)
        context.diagnostics.extend(
            item if own is not None or note in item.notes else item.noting(note)
            for item in inner.diagnostics
        )
        context.diagnostics.count(inner.diagnostics)
        if not inner.diagnostics.errors:
            children[name] = child
            exports[name] = _declared(child.section("exports"))
        else:
            exports |= _meant(name, child)
    if settled and exports:
        # once more, as the exports of children are known now
        check_names(document, context, exports)
    types = ExpressionTypes(document, context, exports)
    for name, child in children.items():
        node = include.get(name) if include else None
        if isinstance(node, Map):
            assert include is not None
            known = bundled is not None and name in bundled.items
            _check_variables(context, name, node, child, include, types, known)


def _declared(exports: Map | None) -> dict[str, str]:
    """The declared types of a child's exports."""
    items = exports.items if exports else {}
    return {
        name: (text_of(node.get("type")) if isinstance(node, Map) else None) or "any"
        for name, node in items.items()
    }


def _meant(name: str, child: Document) -> dict[str, dict[str, str]]:
    """The names that a child with mistakes exports, if they are certain; of any type."""
    from ..structure.recovery import mended, names_transforms

    exports = mended(child).section("exports")
    if exports is None or names_transforms(child):
        return {}
    return {name: dict.fromkeys(exports.items, "any")}


def _remote(node: Map) -> bool:
    metadata = node.get("metadata")
    return isinstance(metadata, Map) and metadata.get("sourceType") is not None


def _open(document: Document, context: Context, node: Map, sound: bool) -> Document | None:
    place = node.get("path")
    path = None if place is None or _remote(node) else _path(document, context, place, sound)
    if place is None or path is None:
        return None
    try:
        return read_child(document, context, path, place)
    except Failure as failure:
        if not failure.reported:
            context.diagnostics.error(failure.code, place.span, failure.summary, failure.hint)
        return None


def _path(document: Document, context: Context, node: AnyNode, sound: bool) -> str | None:
    """The path of a child if it depends only on the document and the working directory.

    Variables are as unknown as what comes from outside, also those with a default: a render may
    give them another value.
    """
    if isinstance(node, Scalar):
        return node.value if isinstance(node.value, str) and node.value.strip() else None
    if not isinstance(node, Template):
        return None
    if not sound:
        if node.segments.roots:
            return None
        # where there are mistakes, only what depends on no part of the document can be computed
        document = document.evolve(root=document.root.replacing({}, "load"))
    from ..evaluating.evaluation import Evaluation

    variables = document.section("variables")
    names = variables.items if variables else ()
    given = {name: Unknown(Reference("variables", (name,))) for name in names}
    quiet = context.evolve(diagnostics=Diagnostics(), given=VariableInputs(values=given))
    try:
        value = Evaluation(document, quiet).template(node)
    except Failure:
        return None  # a render reports it, unless more is known there
    return value if isinstance(value, str) and value.strip() else None


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
        if fits and isinstance(item, Scalar) and item.value is not None and not one.secret:
            check_allowed(one, item.value, False, item.span, to, out)
    check_missing(declared, entries, to, out, secrets=False)


def given_type(node: AnyNode, types: ExpressionTypes) -> str:
    """The static type of what is given to a variable; `any` when it is not known."""
    if isinstance(node, Template) and is_lone(node):
        expression = node.segments.substitutions[0].shape.expression
        found = types.type_of(expression, ANY, SILENT, None)
        return {"binary": "string", "resource": "any"}.get(found, found)
    return "any" if isinstance(node, Scalar) and node.value is None else kind_of(node)
