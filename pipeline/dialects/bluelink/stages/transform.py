"""transform: the transforms that a blueprint names expand its abstract resources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....engine.run import Context
from ....values.document import Document
from ..checking.dependencies import check_each_dependencies
from ..checking.names import check_names

if TYPE_CHECKING:
    from ....values.tree import AnyNode


def transform(document: Document, context: Context) -> Document:
    """Runs the named transforms in the order of the list, then checks every reference.

    Each transform sees what the one before it made. `transform` is gone afterwards, but for the
    names that `keep_transform` leaves in place, and those that could not expand everything yet.
    """
    node: AnyNode | None = document.root.get("transform")
    if node is not None:
        from ..expansion import check_transformed, run_transforms

        given = document
        document = run_transforms(document, node, context)
        if not context.diagnostics.errors:
            check_transformed(given, document, context)
        else:
            from ..structure.recovery import check_others

            check_others(given, context)
        return document
    if not context.diagnostics.errors:
        check_names(document, context)
        check_each_dependencies(document, context)
    return document
