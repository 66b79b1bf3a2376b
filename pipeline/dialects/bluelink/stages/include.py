"""include: child blueprints are found, read and run through the same pipeline."""

from __future__ import annotations

from ....engine.materialisation import MASK
from ....engine.run import Context
from ....language.errors import Failure
from ....values.document import Document
from ....values.tree import AnyNode, Map, Scalar, Template
from ..evaluating.evaluation import Evaluation, begin_evaluation
from ..refusals import WRITTEN_SECRET

STEP = "include"


def begin(document: Document, context: Context, lazily: bool = False) -> Evaluation:
    """The evaluation of a document, which renders a child when something asks for its exports."""
    evaluation = begin_evaluation(document, context, STEP, lazily)
    if document.section("include") is not None or document.section("children") is not None:
        from ..children.children import Children

        evaluation.render_children_with(Children(document, context, evaluation).render)
    if evaluation.reveal:
        from ..secrets.secrecy import secrets_in_clear

        context.environment.withhold(secrets_in_clear(evaluation))
    return evaluation


def include(document: Document, context: Context) -> Document:
    """Materialises every child (specification, "includeDefinition").

    Children are rendered in the order in which their exports are needed. A child with a
    `sourceType` is fetched when its host may be asked; otherwise it stays in place and what it
    exports is unknown. Children that the document brings along in `children` are used as they are.
    """
    evaluation = begin(document, context)
    section = document.section("include")
    bundled = document.section("children")
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
    sections: dict[str, AnyNode | None] = {}
    if section is not None:
        items: dict[str, AnyNode] = {}
        for name, node in section.items.items():
            new = evaluation.node(node, None)
            if isinstance(new, Map):
                items[name] = _withheld(new, name, evaluation)
        sections["include"] = section.holding(items, STEP)
    return document.replacing(sections, STEP).evolve(children=found)


def _withheld(entry: Map, name: str, evaluation: Evaluation) -> AnyNode:
    """The include without what it gives in clear to secrets of the child."""
    variables = entry.get("variables")
    diagnostics = evaluation.context.diagnostics
    if evaluation.reveal or not isinstance(variables, Map):
        return entry
    # text that holds a mask is given to a secret, whose text is masked as a whole
    masked: dict[str, AnyNode] = {
        key: Scalar(MASK, node.trail.then(STEP), node.start, node.end)
        for key, node in variables.items.items()
        if isinstance(node, Scalar) and node.value != MASK and MASK in str(node.value)
    }
    quoting = diagnostics.quoting
    if not quoting.withholds and not masked:
        return entry
    from ..secrets.secrecy import given_to_secrets

    for key, node in given_to_secrets(variables, quoting):
        if isinstance(node, Template):  # it could not be evaluated, which is reported
            continue
        masked[key] = Scalar(MASK, node.trail.then(STEP), node.start, node.end)
        diagnostics.warn(
            "secret_value_masked",
            variables.key_span(key),
            f"the variable `{key}` of `{name}` is a secret that is written in the blueprint; its "
            "text is masked",
            WRITTEN_SECRET,
        )
    if not masked:
        return entry
    left = variables.replacing({**variables.items, **masked}, STEP)
    return entry.replacing({**entry.items, "variables": left}, STEP)
