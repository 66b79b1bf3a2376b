"""include: child blueprints are found, read and run through the same pipeline."""

from __future__ import annotations

import attrs

from ..blueprint.children import Children
from ..blueprint.evaluation import Evaluation
from ..blueprint.rewriting import evaluated
from ..context import Context
from ..document import Document
from ..language.errors import Failure
from ..tree import AnyNode, Map

STEP = "include"


def include(document: Document, context: Context) -> Document:
    """Materialises every child (specification, "includeDefinition").

    Children are rendered in the order in which their exports are needed. A child with a
    `sourceType` is not opened: it stays in place and what it exports is unknown. Children that the
    document brings along in `children` are used as they are.
    """
    evaluation = Evaluation(document, context)
    section = document.section("include")
    bundled = document.section("children")
    children = Children(document, context, evaluation)
    evaluation.render_child = children.render
    names = dict.fromkeys(
        [*(section.items if section else ()), *(bundled.items if bundled else ())]
    )
    found: dict[str, Document] = {}
    for name in names:
        try:
            child = evaluation.child(name)
        except Failure:
            continue
        if child is not None:
            found[name] = child
    evaluation.render_child = None
    sections: dict[str, AnyNode | None] = {}
    if section is not None:
        items: dict[str, AnyNode] = {}
        for name, node in section.items.items():
            new = evaluated(evaluation, node, STEP)
            if isinstance(new, Map):
                items[name] = new
        if any(items[name] is not node for name, node in section.items.items()):
            sections["include"] = section.replacing(items, STEP)
    return attrs.evolve(
        document.replacing(sections, STEP) if sections else document,
        children=found,
        evaluation=evaluation,
    )
