"""Trees with their templates evaluated; what needs an element of `each` waits for its element."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .....functions.values import NONE
from ....engine.materialisation import OMITTED, Omitted, to_node
from ....language.errors import Failure
from ....values.tree import AnyNode, Array, Map, Scalar, Template, templates_in

if TYPE_CHECKING:
    from .evaluation import Evaluation
    from .scope import Frame

_PLAIN: Final = frozenset({str, int, float, bool})


def evaluated(
    evaluation: Evaluation,
    node: AnyNode,
    step: str,
    frame: Frame | None = None,
    repeated: bool = False,
) -> AnyNode | Omitted:
    """The node with every template in it evaluated; OMITTED when its value is none.

    Outside of an element (`frame` is None) templates that need one stay as they are; inside, only
    those are evaluated. In a node that each element will have for itself (`repeated`), templates
    with an effect wait as well: every instance has an id of its own. A node in which nothing
    changes is returned as it is. A template that fails is reported and stays.
    """
    kind = type(node)
    if kind is Scalar:
        return node
    if kind is Template:
        return _template(evaluation, node, step, frame, repeated)  # type: ignore[arg-type]
    if kind is Map:
        assert isinstance(node, Map)
        if not templates_in(node):
            return node
        fields: dict[str, AnyNode] | None = None
        left: list[Template] = []
        meter = evaluation.context.meter
        meter.nested += 1
        for key, child in node.items.items():
            if type(child) is Scalar:
                continue
            result = evaluated(evaluation, child, step, frame, repeated)
            if result is not child:
                if fields is None:
                    fields = dict(node.items)
                if isinstance(result, Omitted):
                    del fields[key]
                    continue
                fields[key] = result
            if type(result) is not Scalar:
                left += templates_in(result)
        meter.nested -= 1
        if fields is None:
            return node
        made = node.replacing(fields, step)
        made.templates = left
        return made
    assert isinstance(node, Array)
    meter = evaluation.context.meter
    meter.nested += 1
    results = [evaluated(evaluation, child, step, frame, repeated) for child in node.items]
    meter.nested -= 1
    if all(new is old for new, old in zip(results, node.items, strict=True)):
        return node
    items = [result for result in results if not isinstance(result, Omitted)]
    return Array(items, node.trail.then(step), node.start, node.end)


def _template(
    evaluation: Evaluation, node: Template, step: str, frame: Frame | None, repeated: bool
) -> AnyNode | Omitted:
    waits = node.segments.needs_element or (repeated and evaluation.has_effect(node.segments))
    if waits != (frame is not None):
        return node
    try:
        value: Any = evaluation.template(node, frame)
        kind: Any = type(value)
        if kind in _PLAIN:
            return Scalar(value, node.trail.then(step), node.start, node.end)
        if value is NONE:
            return OMITTED
        evaluation.budget.spend(value)
        return to_node(value, node, step)
    except Failure as failure:
        evaluation.report(node, failure)
        return node
