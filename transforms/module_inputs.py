"""What the variables of a module stand for: the inputs of one use of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..functions.record import Record, field
from ..functions.values import NONE, Unknown, article
from ..pipeline.dialects.bluelink.checking.expression_types import ExpressionTypes
from ..pipeline.dialects.bluelink.checking.template_sites import ANY, SILENT
from ..pipeline.dialects.bluelink.evaluating.inputs import Given, resolve_variables
from ..pipeline.dialects.bluelink.structure.inspection import is_lone
from ..pipeline.engine.builders import node as build
from ..pipeline.engine.materialisation import flag_of, text_of
from ..pipeline.values.diagnostics import Diagnostics, Note, meant
from ..pipeline.values.expression import Expression, Literal, Reference
from ..pipeline.values.source import Span
from ..pipeline.values.tree import AnyNode, Map, Scalar, Template, kind_of
from .module_calls import ModuleCall
from .module_names import TakenNames, new_name

if TYPE_CHECKING:
    from ..pipeline.values.document import Document
    from .lookahead import Lookahead
    from .registry import TransformContext

_SEEN_FROM_OUTSIDE: Final = {
    "variable_value_not_allowed": "module_variable_invalid",
    "variable_type_mismatch": "module_variable_invalid",
}


class Inputs(Record, eq=False):
    """The inputs of one use of a module.

    `expressions` stand in the place of the module's variables; `values` are new values of the
    blueprint that some of them refer to; `given` is what is known of them now.
    """

    expressions: dict[str, Expression] = field(repr=False)
    values: dict[str, AnyNode] = field(repr=False)
    given: Given = field(factory=Given)


def read_inputs(
    module: Document,
    call: ModuleCall,
    taken: TakenNames,
    look: Lookahead,
    context: TransformContext,
) -> Inputs | None:
    """The inputs of a use of a module, held against the module's variables.

    What stands alone is put in the place of the variable: a literal, or the one substitution of a
    string. Anything else becomes a value of the blueprint, so that it is computed once: text with
    substitutions, secrets, what has effects. None when there is a mistake, which is reported.
    """
    before = context.diagnostics.errors
    section = module.section("variables")
    declared = section.items if section else {}
    given = dict(call.variables.items) if call.variables is not None else {}
    _report_unknown(call, declared, context)
    _report_missing(call, section, given, context)
    known, spans = _known(call, declared, given, look, context)
    found = Diagnostics()
    later = {name: Unknown(Reference("variables", (name,))) for name in declared}
    told = {**{k: v for k, v in later.items() if k in given}, **known}
    values = {**{k: v for k, v in later.items() if not _has_default(declared[k])}, **told}
    resolve_variables(
        section,
        Given(values=values, spans=spans),
        context.settings,
        found,
        context.context.providers,
    )
    for item in found:
        code = _SEEN_FROM_OUTSIDE.get(item.code, item.code)
        context.diagnostics.add(item.evolve(code=code))
    if context.diagnostics.errors > before:
        return None
    computed = {k: v for k, v in told.items() if k in known or look.plain(given[k]) is not None}
    inputs = Inputs({}, {}, Given(values=computed, spans=spans))
    for name, definition in declared.items():
        if isinstance(definition, Map):
            chosen = given.get(name)
            if chosen is None or (isinstance(chosen, Scalar) and chosen.value is None):
                chosen = definition.get("default")
            if chosen is not None:
                _bind(name, definition, chosen, call, inputs, taken, context)
    return inputs


def _bind(
    name: str,
    definition: Map,
    chosen: AnyNode,
    call: ModuleCall,
    inputs: Inputs,
    taken: TakenNames,
    context: TransformContext,
) -> None:
    declared = text_of(definition.get("type")) or "string"
    secret = flag_of(definition.get("secret"))
    if isinstance(chosen, Scalar) and not secret:
        value = chosen.value
        if declared == "float" and value.__class__ is int:
            value = float(str(value))
        inputs.expressions[name] = Literal(value)
        return
    lone = _lone(chosen, context)
    if lone is not None and not (secret and not _is_secret(lone, call, context)):
        inputs.expressions[name] = lone
        return
    value_name = new_name(taken, "values", call.name, name)
    data: dict[str, Any] = {"type": "string" if "/" in declared else declared, "value": chosen}
    if secret:
        data["secret"] = True
    inputs.values[value_name] = build(data, chosen, step=context.name)
    inputs.expressions[name] = Reference("values", (value_name,))


def _lone(node: AnyNode, context: TransformContext) -> Expression | None:
    """The expression of a string that is one substitution without effects."""
    if not isinstance(node, Template) or not is_lone(node):
        return None
    for name in node.segments.functions:
        function = context.functions.get(name)
        if function is not None and function.effect is not None:
            return None
    substitution = node.segments.substitutions[0]
    return context.language.exact(substitution)


def _is_secret(expression: Expression, call: ModuleCall, context: TransformContext) -> bool:
    """True for a plain reference to what stays secret without our help."""
    if not isinstance(expression, Reference) or expression.root not in ("variables", "values"):
        return False
    section = call.document.section(expression.root)
    definition = section.get(str(expression.path[0])) if section else None
    return isinstance(definition, Map) and flag_of(definition.get("secret"))


def _known(
    call: ModuleCall,
    declared: dict[str, AnyNode],
    given: dict[str, AnyNode],
    look: Lookahead,
    context: TransformContext,
) -> tuple[dict[str, Any], dict[str, Span]]:
    """The values of the inputs that are known, with their places; reports wrong static types."""
    known: dict[str, Any] = {}
    spans: dict[str, Span] = {}
    types = ExpressionTypes(call.document, look.context, {})
    for name, node in given.items():
        definition = declared.get(name)
        if not isinstance(definition, Map):
            continue
        value = node.value if isinstance(node, Scalar) else look.plain(node)
        if value is not None and value is not NONE and not isinstance(value, Unknown):
            known[name] = value
            spans[name] = node.span
            continue
        found = _static_type(node, types)
        wanted = text_of(definition.get("type")) or "any"
        wanted = "string" if "/" in wanted else wanted
        if found not in ("any", wanted) and (found, wanted) != ("integer", "float"):
            context.diagnostics.error(
                "module_variable_invalid",
                node.span,
                f"the variable `{name}` of the module of `{call.resource}` is declared as "
                f"{wanted}, but gets {article(found)}",
                None,
                Note("it is declared here", definition.span),
            )
    return known, spans


def _static_type(node: AnyNode, types: ExpressionTypes) -> str:
    if isinstance(node, Template) and is_lone(node):
        expression = node.segments.substitutions[0].shape.expression
        found = types.type_of(expression, ANY, SILENT, None)
        return {"binary": "string", "resource": "any", "none": "any"}.get(found, found)
    return "any" if isinstance(node, Scalar) else kind_of(node)


def _report_unknown(
    call: ModuleCall, declared: dict[str, AnyNode], context: TransformContext
) -> None:
    for name in call.variables.items if call.variables is not None else ():
        if name not in declared:
            assert call.variables is not None
            context.diagnostics.warn(
                "module_unknown_variable",
                call.variables.key_span(name),
                f"the module of `{call.resource}` has no variable `{name}`",
                meant(name, declared),
            )


def _report_missing(
    call: ModuleCall,
    module: Map | None,
    given: dict[str, AnyNode],
    context: TransformContext,
) -> None:
    for name, definition in module.items.items() if module is not None else ():
        chosen = given.get(name)
        absent = chosen is None or (isinstance(chosen, Scalar) and chosen.value is None)
        if module is not None and absent and not _has_default(definition):
            context.diagnostics.error(
                "module_variable_missing",
                call.input_span(),
                f"the module of `{call.resource}` needs the variable `{name}`",
                f"add `{name}` to the `variables` of the resource's spec",
                Note("it is declared here, without a default", module.key_span(name)),
            )


def _has_default(definition: AnyNode) -> bool:
    return not isinstance(definition, Map) or definition.get("default") is not None
