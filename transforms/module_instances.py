"""One module for each element: resources that are modules and have `each`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..functions.record import Record, field
from ..pipeline.engine.builders import node as build
from ..pipeline.engine.renaming import Replacing, replace_references
from ..pipeline.values.document import Document
from ..pipeline.values.expression import Expression, Literal, Reference
from ..pipeline.values.tree import AnyNode, Map, Template
from .lookahead import Lookahead
from .module_names import TakenNames, new_name

if TYPE_CHECKING:
    from .registry import TransformContext


class Instances(Record, eq=False):
    """The definitions that a module's resource stands for, by name; `many` when it has `each`.

    `definitions` is None when its list is not known: the resource stays, and later stages say why.
    """

    definitions: dict[str, Map] | None
    many: bool = False
    values: dict[str, AnyNode] = field(factory=dict)


def instances_of(
    document: Document,
    name: str,
    node: Map,
    taken: TakenNames,
    look: Lookahead,
    context: TransformContext,
) -> Instances:
    """What a module's resource stands for: itself, or one definition for each element.

    The list of `each` is computed only to see how long it is; in the definitions stand references
    to its elements. A list that is not a value of the blueprint becomes one.
    """
    each = node.get("each")
    if each is None:
        return Instances({name: node})
    elements = look.elements(name)
    if elements is None:
        return Instances(None, True)
    values: dict[str, AnyNode] = {}
    items = _list(each, context)
    if items is None:
        value_name = new_name(taken, "values", name, "each")
        values[value_name] = build({"type": "array", "value": each}, each, step=context.name)
        items = Reference("values", (value_name,))
    alone = node.replacing({k: n for k, n in node.items.items() if k != "each"}, context.name)
    found: dict[str, Map] = {}
    for index in range(len(elements)):
        instance = replace_references(alone, _in_element(items, index, context))
        found[new_name(taken, "resources", name, str(index))] = instance
    return Instances(found, True, values)


def _list(each: AnyNode, context: TransformContext) -> Reference | None:
    """The value of the blueprint that `each` is, if it is one."""
    if not isinstance(each, Template) or len(each.segments) != 1:
        return None
    expression = context.language.exact(each.segments.substitutions[0])
    is_value = isinstance(expression, Reference) and expression.root == "values"
    return expression if is_value and isinstance(expression, Reference) else None


def _in_element(items: Reference, index: int, context: TransformContext) -> Replacing:
    def replaced(reference: Reference) -> Expression | None:
        if reference.root == "i":
            return Literal(index)
        if reference.root == "elem":
            return items.deeper(index, *reference.path)
        return None

    return Replacing(context.language, context.name, replaced, lambda _: None)
