"""The parts of a module under their new names, ready to stand in the blueprint that uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..functions.record import Record
from ..pipeline.dialects.bluelink.structure.sections import RESOURCE
from ..pipeline.engine.builders import node as build
from ..pipeline.engine.materialisation import text_of
from ..pipeline.engine.renaming import Replacing, change_expressions, replace_references
from ..pipeline.language.errors import Failure, LanguageError
from ..pipeline.values.document import Document
from ..pipeline.values.expression import (
    Argument,
    Call,
    Expression,
    Literal,
    Reference,
    Segments,
    residual,
    walk,
)
from ..pipeline.values.tree import AnyNode, Array, Map, Scalar, Template
from .carrying import carry_over
from .module_calls import ModuleCall
from .module_inputs import Inputs
from .module_names import SECTIONS, TakenNames, names_of, new_name

if TYPE_CHECKING:
    from .registry import TransformContext

LABEL: Final = "bpp.module."
"""Before the name of a module: the label that keeps its link selectors to its own resources."""


class Output(Record, eq=False):
    """An export of a module: what it is worth in the blueprint, and its declared type."""

    expression: Expression
    type: str
    node: AnyNode


class Parts(Record, eq=False):
    """One use of a module, expanded: new definitions by section, its outputs and inputs.

    One that `stays` is not expanded: it is the one resource in its sections.
    """

    call: ModuleCall
    sections: dict[str, dict[str, AnyNode]]
    outputs: dict[str, Output]
    inputs: Inputs
    stays: bool = False


def parts_of(
    module: Document,
    call: ModuleCall,
    inputs: Inputs,
    decided: bool,
    taken: TakenNames,
    context: TransformContext,
) -> Parts:
    """The parts of a module that has been through its own transforms.

    `decided` says that the condition of the resource is known to hold, so that nothing is made to
    depend on it.

    Raises:
        Failure: `module_not_supported`, for what a module of this use cannot have.
    """
    renamed = {
        section: {
            name: new_name(taken, section, call.name, name) for name in names_of(module, section)
        }
        for section in SECTIONS
    }
    how = _replacing(renamed, inputs, context)
    condition = None if decided else call.node.get("condition")
    if condition is not None and renamed["include"]:
        raise Failure(
            "module_not_supported",
            f"the module of `{call.resource}` includes child blueprints, so its resource can have "
            "no condition that is only known later",
            condition,
            "use the child blueprints as modules, or give the module's resources the condition",
        )
    exports = module.section("exports")
    document = replace_references(module.evolve(root=_without_exports(module.root)), how)
    sections: dict[str, dict[str, AnyNode]] = {"values": dict(inputs.values)}
    for section in (*SECTIONS, "children"):
        whole = document.section(section)
        names = renamed["include" if section == "children" else section]
        if whole is not None:
            found = sections.setdefault(section, {})
            for name, child in whole.items.items():
                # also what is not changed has become part of another document
                if isinstance(child, Map) and section != "children":
                    child = child.replacing(child.items, context.name)
                found[names[name]] = child
    if condition is not None:
        when = _expression(condition, context)
        values = sections["values"]
        sections["values"] = {
            name: _only_when(node, when, context) for name, node in values.items()
        }
    resources = sections.get("resources", {})
    scoped = any(isinstance(n, Map) and "linkSelector" in n.items for n in resources.values())
    for name, node in resources.items():
        if isinstance(node, Map):
            resources[name] = _resource(node, call, scoped, decided, context)
    outputs = _outputs(exports, call, how, sections["values"], taken, context)
    return Parts(call, sections, outputs, inputs)


def _replacing(
    renamed: dict[str, dict[str, str]], inputs: Inputs, context: TransformContext
) -> Replacing:
    def replaced(reference: Reference) -> Expression | None:
        if reference.root == "variables":
            return inputs.expressions.get(str(reference.path[0]), Literal(_none()))
        section = "include" if reference.root == "children" else reference.root
        names = renamed.get(section, {})
        new = names.get(str(reference.path[0])) if reference.path else None
        if new is None:
            return None
        return Reference(reference.root, (new, *reference.path[1:]))

    names = {old: (new,) for old, new in renamed["resources"].items()}
    return Replacing(
        context.language, context.name, replaced, lambda _: None, names, context.functions
    )


def _none() -> object:
    from ..functions.values import NONE

    return NONE


def _without_exports(root: Map) -> Map:
    gone = ("exports", "variables", "transform", "metadata", "version")
    return root.replacing({key: node for key, node in root.items.items() if key not in gone})


def _resource(
    node: Map, call: ModuleCall, scoped: bool, decided: bool, context: TransformContext
) -> Map:
    """A resource of the module with what the module's own resource says added."""
    step = context.name
    leave = ["each", *(["condition"] if decided else [])]
    own = _scoped(node, call.name, step) if scoped else node
    return carry_over(own, call.node, step, leave)


def _scoped(node: Map, module: str, step: str) -> Map:
    """A resource whose link selector finds nothing but the resources of the same module."""
    items: dict[str, AnyNode | None] = dict(node.items)
    metadata = node.get("metadata")
    if metadata is None or isinstance(metadata, Map):
        inside = metadata.items if isinstance(metadata, Map) else {}
        labels = _labelled(inside.get("labels"), module, node, step)
        made = {**inside, "labels": labels}
        items["metadata"] = (
            metadata.replacing(made, step)
            if isinstance(metadata, Map)
            else Map(made, {}, node.trail.then(step), node.start, node.end)
        )
    selector = node.get("linkSelector")
    if isinstance(selector, Map):
        chosen = _labelled(selector.get("byLabel"), module, selector, step)
        items["linkSelector"] = selector.replacing({**selector.items, "byLabel": chosen}, step)
    order = node.items if metadata is not None else RESOURCE.fields
    found = {key: one for key in order if (one := items.get(key)) is not None}
    return node.replacing(found, step)


def _labelled(node: AnyNode | None, module: str, around: Map, step: str) -> AnyNode:
    if node is not None and not isinstance(node, Map):
        return node
    place = node if node is not None else around
    inside: dict[str, AnyNode] = {}
    for key, value in node.items.items() if node is not None else ():
        # the mark of a module in this one
        deeper = key.startswith(LABEL)
        inside[f"{LABEL}{module}_{key.removeprefix(LABEL)}" if deeper else key] = value
    inside[LABEL + module] = Scalar("true", place.trail.then(step), place.start, place.end)
    if node is not None:
        return node.replacing(inside, step)
    return Map(inside, {}, place.trail.then(step), place.start, place.end)


# --- conditions ---------------------------------------------------------------------------------


def _expression(condition: AnyNode, context: TransformContext) -> Expression:
    """A condition of a resource as one expression."""
    match condition:
        case Scalar(value=value):
            return Literal(value)
        case Template():
            return context.language.exact(condition.segments.substitutions[0])
        case Map(items=items):
            ((operator, operand),) = items.items()
            inside = operand.items if isinstance(operand, Array) else [operand]
            parts = [_expression(item, context) for item in inside]
            if len(parts) == 1 and operator != "not":
                return parts[0]
            return Call(operator, tuple(Argument(part) for part in parts))
    raise AssertionError("a condition of this form was refused before")


def _only_when(node: AnyNode, when: Expression, context: TransformContext) -> AnyNode:
    """A value that is none when the module is not there, if it needs what is in the module."""
    content = node.get("value") if isinstance(node, Map) else None
    if not isinstance(node, Map) or content is None:
        return node

    def change(expression: Expression) -> Expression:
        roots = {part.root for part in walk(expression) if isinstance(part, Reference)}
        if roots.isdisjoint({"resources", "children"}):
            return expression
        return Call("if", (Argument(when), Argument(expression), Argument(Literal(_none()))))

    new = change_expressions(content, change, context.language, context.name)
    if new is content:
        return node
    return node.replacing({**node.items, "value": new}, context.name)


# --- outputs ------------------------------------------------------------------------------------


def _outputs(
    exports: Map | None,
    call: ModuleCall,
    how: Replacing,
    values: dict[str, AnyNode],
    taken: TakenNames,
    context: TransformContext,
) -> dict[str, Output]:
    found: dict[str, Output] = {}
    for name, node in exports.items.items() if exports is not None else ():
        if not isinstance(node, Map):
            continue
        declared = text_of(node.get("type")) or "any"
        value, field = node.get("value"), node.get("field")
        if isinstance(value, Scalar):
            found[name] = Output(Literal(value.value), declared, node)
        elif value is not None:
            value_name = new_name(taken, "values", call.name, name)
            values[value_name] = build({"type": declared, "value": value}, value, step=context.name)
            found[name] = Output(Reference("values", (value_name,)), declared, node)
        elif isinstance(field, Scalar):
            expression = _field(str(field.value), how)
            if expression is not None:
                found[name] = Output(expression, declared, node)
    return found


def _field(text: str, how: Replacing) -> Expression | None:
    try:
        reference = how.language.parse(text)
    except LanguageError:
        return None  # reported by the checks of the module
    if not isinstance(reference, Reference):
        return None
    return how.reference(reference) or reference


def value_node(expression: Expression, origin: AnyNode, step: str) -> AnyNode:
    """The node that says an expression in the place of another node."""
    if isinstance(expression, Literal) and isinstance(expression.value, str | int | float):
        return build(expression.value, origin, step=step)
    trail = origin.trail.then(step)
    return Template(Segments([residual(expression)]), None, trail, origin.start, origin.end)
