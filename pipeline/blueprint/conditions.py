"""Conditions of resources (specification, "conditionDefinition")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...functions.values import NONE, Unknown, type_of
from ..language.errors import Failure
from ..language.waiting import WaitingText
from ..tree import AnyNode, Array, Map, Scalar, Template
from .materialisation import to_node

if TYPE_CHECKING:
    from .evaluation import Evaluation
    from .place import Frame


def decide(evaluation: Evaluation, node: AnyNode, frame: Frame | None) -> Any:
    """True, False, or the part of a condition that is not decided, as a node.

    none counts as false. An operand that decides ends the evaluation; decided ones are left out of
    what remains, and a single one that remains stands alone.

    Raises:
        Failure: reported already.
    """
    match node:
        case Scalar(value=bool() as value):
            return value
        case Template():
            return _decide_text(evaluation, node, frame)
        case Map(items=items) if len(items) == 1:
            ((operator, operand),) = items.items()
            if operator == "not":
                result = decide(evaluation, operand, frame)
                if result is True or result is False:
                    return not result
                return node.replacing({"not": result}, "substitute")
            if isinstance(operand, Array):
                return _decide_list(evaluation, node, operator, operand, frame)
    raise AssertionError(f"a condition of this form was refused before: {node!r}")


def _decide_text(evaluation: Evaluation, node: Template, frame: Frame | None) -> Any:
    value = evaluation.template(node, frame, masked=False)
    if value is True or value is False:
        return value
    if value is NONE:
        return False
    if type(value) is Unknown and value.type in ("any", "boolean"):
        return to_node(value, node, "substitute")
    if type(value) is Unknown:
        actual = value.type
    else:
        actual = "string" if type(value) is WaitingText else type_of(value)
    failure = Failure(
        "condition_not_boolean",
        f"a condition must be a boolean, not a value of type {actual}",
        hint="compare with `eq`, `gt` and the like",
    )
    evaluation.report(node, failure)
    raise Failure(failure.code, failure.summary, reported=True)


def _decide_list(
    evaluation: Evaluation, node: Map, operator: str, operand: Array, frame: Frame | None
) -> Any:
    decisive = operator == "or"
    left: list[AnyNode] = []
    for item in operand.items:
        result = decide(evaluation, item, frame)
        if result is decisive:
            return decisive
        if result is not True and result is not False:
            left.append(result)
    if not left:
        return not decisive
    if len(left) == 1:
        return left[0]
    array = Array(left, operand.trail.then("substitute"), operand.start, operand.end)
    return node.replacing({operator: array}, "substitute")
