"""load: text becomes a tree with places, strings with substitutions become templates."""

from __future__ import annotations

from ..blueprint.structure import check_structure
from ..blueprint.variables_section import has_custom_types
from ..context import Context
from ..diagnostics import Diagnostics
from ..document import Document
from ..formats.detection import read
from ..tree import Map


def load(document: Document, context: Context) -> Document:
    """Reads the document's source and checks the structure of every section.

    All mistakes of the file are reported together; after a syntax error there is no tree to check.
    """
    language = context.language
    source = document.source
    before = context.diagnostics.errors
    root = read(source, language.split, language.opener, context.limits, context.diagnostics)
    if root is None:
        if context.diagnostics.errors == before:
            context.diagnostics.error("invalid_map", None, f"`{source.name}` is empty")
        return document
    found = Diagnostics(context.limits.max_diagnostics)
    check_structure(root, language.opener, found, context.settings.keep_transform)
    # A place that could not be read has its diagnostic; what stands in for it has no structure.
    unread = {item.span.start for item in context.diagnostics if item.span is not None}
    context.diagnostics.extend(
        item for item in found if item.span is None or item.span.start not in unread
    )
    if not isinstance(root, Map):
        return document
    variables = root.get("variables")
    if isinstance(variables, Map) and has_custom_types(variables):
        from ..blueprint.custom_types import check_custom_types

        check_custom_types(variables, context)
    return document.evolve(root=root)
