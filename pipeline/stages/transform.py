"""transform: the transforms that a blueprint names expand its abstract resources."""

from __future__ import annotations

from ...transforms.registry import Transform, TransformContext, TransformNotLoaded
from ..blueprint.graph import check_each_dependencies
from ..blueprint.names import check_names
from ..blueprint.structure import check_structure
from ..context import Context
from ..diagnostics import meant
from ..document import Document
from ..tree import AnyNode, Array, Map, Scalar


def transform(document: Document, context: Context) -> Document:
    """Runs the named transforms in the order of the list, then checks every reference.

    Each transform sees what the one before it made. `transform` is gone afterwards, but for the
    names that `keep_transform` leaves in place.
    """
    node = document.root.get("transform")
    if node is not None:
        document = _expand(document, node, context)
    if not context.diagnostics.errors:
        check_names(document, context)
        check_each_dependencies(document, context)
    return document


def _expand(document: Document, node: AnyNode, context: Context) -> Document:
    named = [
        item
        for item in (node.items if isinstance(node, Array) else [node])
        if isinstance(item, Scalar) and isinstance(item.value, str)
    ]
    kept = [item for item in named if item.value in context.settings.keep_transform]
    found = [(item, _find(item, context)) for item in named if item not in kept]
    if any(one is None for _, one in found):
        return document
    changed = document
    for item, one in found:
        assert one is not None
        changed = _run(one, item, changed, context)
    if context.diagnostics.errors:
        return document
    if changed is not document:
        check_structure(
            changed.root,
            context.language.opener,
            context.diagnostics,
            context.settings.keep_transform,
        )
    if not found:
        return changed
    rest: AnyNode | None = None
    if kept:
        rest = kept[0] if len(kept) == 1 else Array(list(kept), node.trail, node.start, node.end)
    return changed.replacing({"transform": rest}, "transform")


def _find(item: Scalar, context: Context) -> Transform | None:
    name = str(item.value)
    try:
        found = context.transforms.find(name)
    except TransformNotLoaded as problem:
        context.diagnostics.error(
            "missing_transformers", item.span, f"the transform `{name}`: {problem.message}"
        )
        return None
    if found is None:
        near = meant(name, context.transforms.names())
        context.diagnostics.error(
            "missing_transformers",
            item.span,
            f"there is no transform `{name}`",
            near
            or f"install the package that provides it, or leave it and its resources in place with "
            f"`--keep-transform {name}`",
        )
    return found


def _run(one: Transform, item: Scalar, document: Document, context: Context) -> Document:
    surroundings = TransformContext(one.name, context.diagnostics, context.settings, context)
    try:
        result = one.run(document, surroundings)
    except Exception as error:  # a plugin's mistake must not look like one of bpp
        context.diagnostics.error(
            "transform_failed",
            item.span,
            f"the transform `{one.name}` failed with {type(error).__name__}",
            "this is a mistake in the transform, not in the blueprint",
        )
        return document
    if not isinstance(result, Document) or not isinstance(result.root, Map):
        context.diagnostics.error(
            "transform_failed",
            item.span,
            f"the transform `{one.name}` returned no document",
            "this is a mistake in the transform, not in the blueprint",
        )
        return document
    return result
