"""What is made of secrets, where values do not say so themselves.

A run that reveals secrets computes with them as with any other value, so that nothing tells later
what was made of one; a document that was rendered has only text. Both are told by an evaluation in
which secrets are withheld: there, whatever is made of one is an `Unknown` with a mark.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from ....language.errors import Failure
from ....language.navigation import navigate
from ....language.waiting import is_secret
from ....values.expression import Path, Reference
from ....values.tree import AnyNode, Array, Map, Scalar, Template
from ..evaluating.base import EvaluationBase, Frame

_SOMEWHERE: Final = Reference("values", ("marked",))


def withholding(evaluation: EvaluationBase) -> EvaluationBase:
    """An evaluation of the same document in which secrets are withheld."""
    if not evaluation.reveal:
        return evaluation
    marks = evaluation.marks
    if marks.rehearsal is None:
        marks.rehearsal = evaluation.rehearsal()
    return marks.rehearsal


def rehearse(evaluation: EvaluationBase, node: Template, frame: Frame | None) -> None:
    """Finds out what a string may ask for, before it is evaluated with secrets revealed."""
    with suppress(Failure):  # it asks for less then
        withholding(evaluation).template(node, frame, masked=False)


def is_marked(evaluation: EvaluationBase, node: AnyNode) -> bool:
    """True for a node whose value is made of a secret, also in a run that reveals it."""
    try:
        return is_secret(withholding(evaluation).value_of(node, _SOMEWHERE, None))
    except Failure:
        return evaluation.reveal  # it has a value only where secrets are known


def asks_for_secret(evaluation: EvaluationBase, name: str) -> bool:
    """True for a data source that looks for a secret: which record it finds tells of it."""
    marks = evaluation.marks
    found = marks.asking.get(name)
    if found is None:
        definition = evaluation.definition("datasources", name)
        filters = definition.get("filter")
        asked: list[AnyNode | None] = [definition.get("metadata")]
        for item in filters.items if isinstance(filters, Array) else [filters]:
            asked.append(item.get("search") if isinstance(item, Map) else None)
        # a filter that leads back to its own data source is a mistake that others report
        marks.asking[name] = False
        found = any(is_marked(evaluation, node) for node in asked if node is not None)
        marks.asking[name] = found
    return found


def is_marked_export(original: EvaluationBase | None, name: str, path: Path) -> bool:
    """True for a part of an export that is made of a secret of its document."""
    if original is None:
        return False
    marks, key = original.marks, (name, path)
    if key not in marks.exports:
        marks.exports[key] = _is_marked_export(original, name, path)
    return marks.exports[key]


def _is_marked_export(original: EvaluationBase, name: str, path: Path) -> bool:
    evaluation = withholding(original)
    exports = evaluation.document.section("exports")
    export = exports.get(name) if exports else None
    if not isinstance(export, Map):
        return False
    field = export.get("field")
    node = export.get("value")
    try:
        if isinstance(field, Scalar):
            reference = original.context.language.parse(str(field.value))
            assert isinstance(reference, Reference)
            if is_secret(evaluation.at(None).resolve(reference.deeper(*path))):
                return True
        if node is None:
            return False
        value = evaluation.value_of(node, _SOMEWHERE, None)
        return is_secret(navigate(value, path, _SOMEWHERE, evaluation.context.meter))
    except Failure:
        return original.reveal


def is_marked_reference(original: EvaluationBase | None, reference: Reference) -> bool:
    """True for a reference of a rendered document to what is made of a secret."""
    if original is None:
        return False
    evaluation = withholding(original)
    root = "resources" if reference.bare else reference.root
    if root == "elem" or not reference.path:
        return False
    try:
        if root == "resources":
            found = _as_instance(evaluation, reference.path)
            if found is None:
                return False
            reference = found
        return is_secret(evaluation.at(None).resolve(reference))
    except Failure:
        return False


def _as_instance(evaluation: EvaluationBase, path: Path) -> Reference | None:
    """The reference as it was before instances got names of their own."""
    resources = evaluation.document.section("resources")
    known = resources.items if resources is not None else {}
    name = str(path[0])
    if name in known:
        return Reference("resources", path)
    template, _, digits = name.rpartition("_")
    if template not in known or not digits.isdecimal():
        return None
    return Reference("resources", (template, int(digits), *path[1:]))
