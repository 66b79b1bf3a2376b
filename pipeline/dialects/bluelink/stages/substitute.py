"""substitute: templates become values; what is not known yet stays as a smaller template."""

from __future__ import annotations

from .....functions.values import NONE, Unknown, has_unknown
from ....engine.materialisation import MASK, OMITTED, Omitted, flag_of, to_node
from ....engine.run import Context
from ....language.errors import Failure
from ....language.waiting import WaitingText
from ....values.document import Document
from ....values.tree import AnyNode, Array, Map, Scalar, Template
from ..checking.dependencies import evaluation_order
from ..evaluating.evaluation import REPEATED, Evaluation, evaluation_of
from ..refusals import WRITTEN_SECRET
from ..secrets.secrecy import tells

STEP = "substitute"
# What a template may refer to and still mean the same in the output.
_KEPT_ROOTS = frozenset({"values"})


def substitute(document: Document, context: Context) -> Document:
    """Evaluates values, data sources, resources, export descriptions and metadata.

    Elements are visited after what they refer to, so that chains of references stay shallow; the
    result has the order of the input. Conditions are decided first: the body of a resource whose
    condition is false is not evaluated.
    """
    evaluation = evaluation_of(document, context, STEP)
    results: dict[tuple[str, str], AnyNode | Omitted] = {}
    for section, name in evaluation_order(document, context.functions):
        node = _definition(document, section, name)
        if isinstance(node, Map):
            results[section, name] = _VISITS[section](evaluation, name, node)
    sections: dict[str, AnyNode | None] = {}
    for section in ("values", "datasources", "resources"):
        old = document.section(section)
        if old is not None:
            sections[section] = _assembled(section, old, results)
    exports = document.section("exports")
    if exports is not None:
        sections["exports"] = _exports(evaluation, exports)
    metadata = document.root.get("metadata")
    if metadata is not None:
        new = evaluation.node(metadata, None)
        sections["metadata"] = None if isinstance(new, Omitted) else new
    return document.replacing(sections, STEP)


def _definition(document: Document, section: str, name: str) -> AnyNode | None:
    found = document.section(section)
    return found.get(name) if found else None


def _assembled(
    section: str, old: Map, results: dict[tuple[str, str], AnyNode | Omitted]
) -> Map | None:
    items: dict[str, AnyNode] = {}
    for name, node in old.items.items():
        result = results.get((section, name), node)
        if not isinstance(result, Omitted):
            items[name] = result
    if not items and section != "resources" and old.items:
        return None
    return old.holding(items, STEP)


def _value(evaluation: Evaluation, name: str, definition: Map) -> AnyNode | Omitted:
    """A value's definition with its content evaluated and typed; left out when it is none."""
    node = definition.get("value")
    assert node is not None
    try:
        value = evaluation.value(name)
        if value is NONE:
            return OMITTED
        content = _content(evaluation, name, definition, node, value)
    except Failure as failure:
        evaluation.report(node, failure)
        return definition
    items = dict(definition.items)
    items["value"] = content
    description = definition.get("description")
    if description is not None:
        new = evaluation.node(description, None)
        if isinstance(new, Omitted):
            del items["description"]
        else:
            items["description"] = new
    return definition.replacing(items, STEP)


def _content(
    evaluation: Evaluation, name: str, definition: Map, node: AnyNode, value: object
) -> AnyNode:
    """What stands in the output as the content of a value.

    The content of a secret stays an expression: what is left of it, or as it was written when all
    of it is known. Text that is no expression is masked.
    """
    if isinstance(node, Scalar) and isinstance(node.value, str) and MASK in node.value:
        return node
    secret = flag_of(definition.get("secret")) and not evaluation.reveal
    if isinstance(node, Template) and isinstance(value, Unknown):
        raw = evaluation.template(node)
        if not secret or isinstance(raw, (Unknown, WaitingText)):
            return to_node(raw, node, STEP)
    if not secret:
        if not isinstance(node, (Scalar, Template)):
            new = evaluation.node(node, None)
            assert not isinstance(new, Omitted)
            return new
        if isinstance(node, Scalar) and same(node.value, value):
            return node
        evaluation.budget.spend(value)
        return to_node(value, node, STEP)
    if isinstance(node, Template) and node.segments.roots <= _KEPT_ROOTS and not tells(node):
        return node
    evaluation.context.diagnostics.warn(
        "secret_value_masked",
        definition.key_span("value"),
        f"the value `{name}` is a secret that is written in the blueprint; its text is masked",
        WRITTEN_SECRET,
    )
    return Scalar(MASK, node.trail.then(STEP), node.start, node.end)


def same(first: object, second: object) -> bool:
    """Equal and of one type: 1, 1.0 and true differ."""
    return type(first) is type(second) and first == second


def _datasource(evaluation: Evaluation, name: str, definition: Map) -> AnyNode | Omitted:
    """A data source that was answered is used up; another one stays, its own parts evaluated."""
    try:
        fields = evaluation.answer(name)
    except Failure:
        return definition
    if fields is not None and not has_unknown(fields):
        return OMITTED
    return evaluation.node(definition, None)


def _resource(evaluation: Evaluation, name: str, definition: Map) -> AnyNode | Omitted:
    try:
        alive = evaluation.alive(name)
    except Failure:
        alive = None
    condition = definition.get("condition")
    if alive is False:
        assert condition is not None
        decided = Scalar(False, condition.trail.then(STEP), condition.start, condition.end)
        return definition.replacing({**definition.items, "condition": decided}, STEP)
    items: dict[str, AnyNode] = {}
    for key, node in definition.items.items():
        if key == "condition":
            if alive is None:
                items[key] = node
            elif alive is True:
                items[key] = Scalar(True, node.trail.then(STEP), node.start, node.end)
            else:
                items[key] = alive
        elif key == "each":
            items[key] = _each(evaluation, name, node)
        else:
            new = evaluation.node(node, REPEATED if "each" in definition.items else None)
            if not isinstance(new, Omitted):
                items[key] = new
    return definition.holding(items, STEP)


def _each(evaluation: Evaluation, name: str, node: AnyNode) -> AnyNode:
    try:
        elements = evaluation.elements(name)
    except Failure:
        return node
    if isinstance(node, Array):
        return node
    return to_node(elements, node, STEP)


def _exports(evaluation: Evaluation, exports: Map) -> Map:
    """Descriptions and literal values of exports; their fields are the export stage's."""
    items: dict[str, AnyNode] = {}
    for name, export in exports.items.items():
        new = evaluation.node(export, None)
        if isinstance(new, Map) and ("value" in new.items or "field" in new.items):
            items[name] = new
    return exports.holding(items, STEP)


_VISITS = {"values": _value, "datasources": _datasource, "resources": _resource}
