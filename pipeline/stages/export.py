"""export: exported values are found and checked, and what the output no longer needs goes."""

from __future__ import annotations

from typing import Any

from ...functions.values import NONE, Unknown, article, type_of
from ..blueprint.cycles import check_residual_cycles
from ..blueprint.evaluation import Evaluation
from ..blueprint.leftovers import drop_used_up, report_unresolved
from ..blueprint.materialisation import Omitted, to_node
from ..blueprint.parts import exported, text_of
from ..blueprint.rewriting import evaluated
from ..blueprint.structure import check_structure
from ..blueprint.texts import with_texts
from ..context import Context, State
from ..document import Document
from ..language.errors import Failure
from ..language.expression import Reference
from ..tree import AnyNode, Map, Scalar

STEP = "export"
_NOTHING = State()


def export(document: Document, context: Context) -> Document:
    """Gives every export its value or its canonical field, and finishes the document.

    A known value that is not of the declared type is an error (specification, "exportDefinition").
    Then definitions that nothing refers to any more are dropped, children are bundled, and with
    `strict` everything that is still unknown is reported.
    """
    evaluation = document.evaluation
    section = document.section("exports")
    if section is not None and isinstance(evaluation, Evaluation):
        items: dict[str, AnyNode] = {}
        for name, node in section.items.items():
            new = _export(evaluation, context, name, node) if isinstance(node, Map) else node
            if new is not None:
                items[name] = new
        changed = section.replacing(items, STEP) if items else None
        document = document.replacing({"exports": changed}, STEP)
    document = drop_used_up(with_texts(document), context)
    check_residual_cycles(document, context)
    # What was computed must fit its place as what was written must.
    own = document.replacing({"children": None}, STEP)
    check_structure(own.root, context.language.opener, context.diagnostics, again=True)
    if context.state != _NOTHING and isinstance(evaluation, Evaluation):
        from ..blueprint.state_exports import check_state_exports
        from ..blueprint.state_names import check_state_names

        check_state_exports(document, context)
        # instances and what was removed are in the document before
        check_state_names(evaluation.document, context)
    if context.settings.strict and context.main:
        report_unresolved(document, context)
    return document


def _export(evaluation: Evaluation, context: Context, name: str, node: Map) -> Map | None:
    """One export, or None when its value is none."""
    field = node.get("field")
    declared = text_of(node.get("type")) or "any"
    try:
        if not isinstance(field, Scalar):
            return _with_value(evaluation, name, node, declared)
        reference = context.language.parse(str(field.value))
        assert isinstance(reference, Reference)
        value = evaluation.at(None).resolve(reference)
        if value is NONE:
            return None
        value = _checked(value, declared, name)
    except Failure as failure:
        evaluation.report(field or node, failure)
        return node
    canonical = Reference("resources" if reference.bare else reference.root, reference.path)
    if isinstance(value, Unknown):
        canonical = value.expression
    else:
        canonical = _renamed(evaluation, canonical)
    items: dict[str, AnyNode] = {}
    for key, child in node.items.items():
        if key == "value":
            if not isinstance(value, Unknown):
                continue
            # A materialised blueprint brings along what an earlier render knew.
            try:
                brought = _with_value(evaluation, name, node, declared)
            except Failure as failure:
                evaluation.report(child, failure)
                return node
            child = brought.items["value"] if brought is not None else child
        if key != "field":
            items[key] = child
            continue
        if isinstance(value, Unknown) or _addressable(canonical):
            text = context.language.syntax.show(canonical)
            items[key] = (
                child
                if text == field.value
                else Scalar(text, field.trail.then(STEP), field.start, field.end)
            )
        if not isinstance(value, Unknown):
            items["value"] = to_node(value, field, STEP)
    return node.replacing(items, STEP)


def _with_value(evaluation: Evaluation, name: str, node: Map, declared: str) -> Map | None:
    """An export that brings its value along, as materialised blueprints do."""
    value_node = node.get("value")
    assert value_node is not None
    new = evaluated(evaluation, value_node, STEP)
    if isinstance(new, Omitted):
        return None
    _checked(exported(new, Reference("exports", (name,))), declared, name)
    return node if new is value_node else node.replacing({**node.items, "value": new}, STEP)


def _checked(value: Any, declared: str, name: str) -> Any:
    """The value as one of its declared type; an integer serves as a float.

    Raises:
        Failure: `export_type_mismatch`.
    """
    actual = value.type if isinstance(value, Unknown) else type_of(value)
    if actual == "binary":
        actual = "string"
    if actual == "integer" and declared == "float":
        return value if isinstance(value, Unknown) else float(value)
    if actual in ("any", declared) or declared == "any":
        return value
    raise Failure(
        "export_type_mismatch",
        f"the export `{name}` is declared as {declared}, but what it exports is {article(actual)}",
    )


def _addressable(reference: Reference) -> bool:
    """True when the output still has what the reference leads to."""
    return reference.root in ("resources", "values", "children")


def _renamed(evaluation: Evaluation, reference: Reference) -> Reference:
    """The reference with an instance's name in place of a template's name and index."""
    path = reference.path
    if reference.root == "resources" and evaluation.is_template(str(path[0])):
        return Reference("resources", (f"{path[0]}_{path[1]}", *path[2:]))
    return reference
