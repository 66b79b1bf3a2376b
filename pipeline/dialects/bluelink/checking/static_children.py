"""Static checks across files: children whose path is known, their variables and exports."""

from __future__ import annotations

from .....functions.values import Unknown, article
from ....engine.context import Context, Given, Inclusion
from ....engine.materialisation import flag_of, text_of
from ....engine.work import Work
from ....language.errors import Failure
from ....values.diagnostics import Diagnostics, Note, meant
from ....values.document import Document
from ....values.expression import Reference
from ....values.source import Span
from ....values.tree import AnyNode, Array, Map, Scalar, Template, kind_of
from ..children.children import read_child
from ..secrets.secrecy import leave_malformed_unquoted, leave_unquoted
from ..structure.inspection import is_lone, shown
from .expression_types import ExpressionTypes
from .names import check_names
from .template_sites import ANY, SILENT


def check_document(document: Document, context: Context, read: bool = True) -> Document:
    """Reads and checks one document and its children, whatever is wrong with the document.

    Without `read` the document is there already, as children in a materialised blueprint are.
    """
    stages = context.pipeline.upto("transform")
    if not read:
        stages = stages.split_after("load")[1]
    document = stages.last(document, context)
    check_further(document, context)
    return document


def check_further(document: Document, context: Context) -> None:
    """The checks that need no stage to succeed: cycles, and children with how they are used."""
    from .static_cycles import check_static_cycles

    settled = True
    if context.diagnostics.errors:
        from ..structure.recovery import mended, names_transforms, without_unread

        leave_malformed_unquoted(document, context.quoting)
        document = without_unread(mended(document), context.language.opener)
        settled = not names_transforms(document)
    if settled:
        check_static_cycles(document, context)
    check_children(document, context, settled)


def withhold_given(document: Document, context: Context) -> None:
    """Withholds what includes give to secrets of their children, of a document that was read.

    What is given to a child that cannot be read now may be a secret.
    """
    quiet = context.evolve(diagnostics=Diagnostics(quoting=context.quoting), work=Work())
    include, bundled = document.section("include"), document.section("children")
    for name, node in include.items.items() if include else ():
        own = bundled.get(name) if bundled else None
        child = _child(document, quiet, name, node, own, True)
        given = node.get("variables") if isinstance(node, Map) else None
        if child is not None and not isinstance(own, Map):
            inner = _inside(quiet, name, node.span, child)
            child = context.pipeline.upto("load").last(child, inner)
            child = None if inner.diagnostics.errors else child
        if child is None:
            leave_unquoted(node, context.quoting)
        elif isinstance(given, Map):
            declared = child.section("variables")
            for key, definition in declared.items.items() if declared else ():
                if key in given.items and _is_secret(definition):
                    context.quoting.withhold(given.items[key].span)
    for child_root in bundled.items.values() if bundled else ():
        if isinstance(child_root, Map):
            withhold_given(Document(child_root, document.source, document.folder), context)


def _is_secret(definition: AnyNode) -> bool:
    return isinstance(definition, Map) and flag_of(definition.get("secret"))


def _child(
    document: Document,
    context: Context,
    name: str,
    node: AnyNode | None,
    own: AnyNode | None,
    sound: bool,
) -> Document | None:
    """A child that the document brings along (`own`), or whose path is known; not read yet."""
    if isinstance(own, Map):
        return Document(own, document.source, document.folder)
    return _open(document, context, name, node, sound) if isinstance(node, Map) else None


def _inside(context: Context, name: str, span: Span, child: Document) -> Context:
    """The context of a child."""
    return context.evolve(
        diagnostics=Diagnostics(context.limits.max_diagnostics, context.quoting),
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
        child = _child(document, context, name, node, own, sound)
        if child is None:
            leave_unquoted(node, context.quoting)
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
            leave_unquoted(node, context.quoting)
    if settled and exports:
        # Once more, as now there is something to hold references to children against.
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
    """The names that a child with mistakes exports, as far as that is certain; of any type."""
    from ..structure.recovery import mended, names_transforms

    exports = mended(child).section("exports")
    if exports is None or names_transforms(child):
        return {}
    return {name: dict.fromkeys(exports.items, "any")}


def _remote(node: Map) -> bool:
    metadata = node.get("metadata")
    return isinstance(metadata, Map) and metadata.get("sourceType") is not None


def _open(
    document: Document, context: Context, name: str, node: Map, sound: bool
) -> Document | None:
    place = node.get("path")
    path = None if place is None or _remote(node) else _path(document, context, place, sound)
    if place is None or path is None:
        return None
    try:
        return read_child(document, context, name, path, place)
    except Failure as failure:
        if not failure.reported:
            context.diagnostics.error(failure.code, place.span, failure.summary, failure.hint)
        return None


def _path(document: Document, context: Context, node: AnyNode, sound: bool) -> str | None:
    """The path of a child when it depends on nothing but the document and the working directory.

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
    quiet = context.evolve(diagnostics=Diagnostics(), given=Given(values=given))
    try:
        value = Evaluation(document, quiet).template(node)
    except Failure:
        return None  # the render will tell, if it does not know more
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
    entries = given.items if isinstance(given, Map) else {}
    declared = child.section("variables")
    definitions = declared.items if declared else {}
    for key in entries:
        if key not in definitions and not bundled:  # a render has put those in
            assert isinstance(given, Map)
            context.diagnostics.warn(
                "include_unknown_variable",
                given.key_span(key),
                f"the child blueprint `{name}` has no variable `{key}`",
                meant(key, definitions),
            )
            context.quoting.leave_unquoted(entries[key].span)
    for key, definition in definitions.items():
        needed = (
            isinstance(definition, Map)
            and definition.get("default") is None
            and not flag_of(definition.get("secret"))
        )
        if key in entries and isinstance(definition, Map):
            if flag_of(definition.get("secret")):
                context.quoting.withhold(entries[key].span)
            _check_given(context, name, key, entries[key], definition, types)
        if needed and key not in entries:
            span = node.key_span("variables") if given is not None else include.key_span(name)
            context.diagnostics.error(
                "include_missing_required_variable",
                span,
                f"the child blueprint `{name}` needs the variable `{key}`",
                f"add `{key}` to the include's `variables`",
                Note("it is declared here, without a default", definition.span),
            )


def _check_given(
    context: Context, name: str, key: str, given: AnyNode, definition: Map, types: ExpressionTypes
) -> None:
    """Holds what a child gets against what the child declares, as far as it is known."""
    declared = text_of(definition.get("type")) or "any"
    wanted = "string" if "/" in declared else declared
    actual = _type(given, types)
    if actual in ("array", "object"):
        return  # no variable takes those, which is reported already
    if actual not in ("any", "none", wanted) and not (actual == "integer" and wanted == "float"):
        context.diagnostics.error(
            "include_variable_type_mismatch",
            given.span,
            f"the variable `{key}` of the child is declared as {declared}, but gets "
            f"{article(actual)}",
        )
        return
    allowed = definition.get("allowedValues")
    if not isinstance(given, Scalar) or given.value is None or not isinstance(allowed, Array):
        return
    choices = [item.value for item in allowed.items if isinstance(item, Scalar)]
    if given.value not in choices and not flag_of(definition.get("secret")):
        context.diagnostics.error(
            "include_variable_value_not_allowed",
            given.span,
            f"the child blueprint `{name}` does not allow {shown(str(given.value))} for its "
            f"variable `{key}`",
            meant(str(given.value), map(str, choices)),
            Note("the allowed values are listed here", allowed.span),
        )


def _type(node: AnyNode, types: ExpressionTypes) -> str:
    """The static type of a node."""
    if isinstance(node, Template) and is_lone(node):
        expression = node.segments.substitutions[0].shape.expression
        found = types.type_of(expression, ANY, SILENT, None)
        return {"binary": "string", "resource": "any"}.get(found, found)
    return "any" if isinstance(node, Scalar) and node.value is None else kind_of(node)
