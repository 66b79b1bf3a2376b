"""Opening modules, and binding their inputs: the expressions that replace a module's variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...functions.record import Record, field
from ...functions.values import NONE, Unknown, article, type_of
from ...pipeline.dialects.bluelink.checking.expression_types import ExpressionTypes
from ...pipeline.dialects.bluelink.checking.template_sites import ANY, SILENT
from ...pipeline.dialects.bluelink.children.children import read_child
from ...pipeline.dialects.bluelink.evaluating.inputs import resolve_variables
from ...pipeline.dialects.bluelink.structure.inspection import is_lone
from ...pipeline.dialects.bluelink.structure.sections import NEWER
from ...pipeline.engine.builders import node as build
from ...pipeline.engine.context import Context, Given, Inclusion, State
from ...pipeline.engine.materialisation import flag_of, text_of
from ...pipeline.engine.work import Work
from ...pipeline.language.errors import Failure
from ...pipeline.values.diagnostics import Diagnostics, Note, meant
from ...pipeline.values.document import Document
from ...pipeline.values.expression import Expression, Literal, Reference
from ...pipeline.values.source import Source, Span
from ...pipeline.values.tree import AnyNode, Array, Map, Scalar, Template, kind_of
from ..expansion import requested
from ..lookahead import Lookahead
from ..registry import TransformContext, TransformError
from .calls import ModuleCall, TakenNames, is_module, new_name


class NotKnownYet(Exception):
    """The location of a module cannot be computed: a later stage that needs it reports why."""


class NotOpened(Exception):
    """A module that this run may not open, which is not a mistake; `path` is its address."""

    def __init__(self, code: str, why: str, hint: str | None, path: str, metadata: Any) -> None:
        super().__init__(why)
        self.code = code
        self.why = why
        self.hint = hint
        self.path = path
        self.metadata = metadata


class OpenedModule:
    """An opened module: its document after `load`, and the context to run it in."""

    def __init__(self, call: ModuleCall, document: Document, context: Context) -> None:
        self.call = call
        self.document = document
        self.context = context

    @property
    def fetched(self) -> bool:
        """True for a module that is not a file of this machine."""
        return self.context.environment.remote is not None


def open_module(
    document: Document, context: TransformContext, call: ModuleCall, look: Lookahead
) -> OpenedModule | None:
    """Reads the module of a call and checks its structure; None if it has mistakes.

    These are reported in the module's file, with a note that shows where the module is used.

    Raises:
        NotOpened: if its host may not be contacted.
        NotKnownYet: if its location cannot be computed.
        TransformError, Failure: if it cannot be found or read.
    """
    outer = context.context
    path = _path(call, look)
    metadata = _metadata(call, look)
    remote = outer.environment.remote
    place = None
    if metadata is None and remote is None:
        child = read_child(document, outer, call.name, path, call.path)
    else:
        from ...pipeline.dialects.bluelink.children.remote_children import (
            Closed,
            fetch_child,
            find_beside,
            find_remote,
        )

        try:
            if metadata is not None:
                assert look.evaluation is not None and call.metadata is not None
                nodes: Mapping[str, AnyNode] = {**call.metadata.items, "path": call.path}
                place = find_remote(look.evaluation, call.name, metadata, nodes, path)
            else:
                assert remote is not None
                place = find_beside(call.name, remote, path, call.path)
            child = fetch_child(outer, call.name, place, call.path)
        except Closed as closed:
            raise NotOpened(closed.code, closed.why, closed.hint, path, metadata) from None
    identity = child.source.path or ""
    inner = outer.evolve(
        diagnostics=Diagnostics(outer.limits.max_diagnostics),
        environment=outer.environment.beside(child.folder, place),
        given=Given(),
        state=State(),
        way=(*outer.way, Inclusion(call.name, call.key_span, identity)),
        main=False,
        work=Work(),
    )
    note = Note(f"`{call.resource}` uses the module here", call.key_span)
    outer.diagnostics.explain(child.source, note)
    child = outer.pipeline.split_after("load")[0].last(child, inner)
    _relay(outer.diagnostics, inner.diagnostics, child.source)
    if inner.diagnostics.errors:
        return None
    if child.version == NEWER != document.version:
        raise TransformError(
            call.path,
            f"the module of `{call.resource}` is written for version {child.version}, but the "
            f"blueprint for {document.version}",
            f"set `version: {child.version}` in the blueprint",
            code="module_version",
        )
    return OpenedModule(call, child, inner)


def transform_module(
    opened: OpenedModule, outer: Context, given: Given, name: str
) -> Document | None:
    """The module after its own transforms, with nested modules expanded; None if it has mistakes.

    `name` is the transform that expands modules: it runs for nested modules even if the module does
    not request it.
    """
    inner = opened.context.evolve(
        diagnostics=Diagnostics(outer.limits.max_diagnostics), given=given
    )
    document = _requesting(opened.document, name)
    stages = outer.pipeline.upto("transform").split_after("load")[1]
    document = stages.last(document, inner)
    _relay(outer.diagnostics, inner.diagnostics, opened.document.source)
    return None if inner.diagnostics.errors else document


def _relay(outer: Diagnostics, inner: Diagnostics, source: Source) -> None:
    """Passes on the diagnostics of a module, with the notes that show how its sources are used."""
    outer.adopt(inner, source)
    outer.extend(inner)


def _requesting(document: Document, name: str) -> Document:
    """The document with `name` added to its `transform` if it uses modules itself."""
    resources = document.section("resources")
    if resources is None or not any(map(is_module, resources.items.values())):
        return document
    names = requested(document)
    if any(isinstance(item, Scalar) and item.value == name for item in names):
        return document
    trail, start = resources.trail, resources.start
    names.append(Scalar(name, trail, start, start))
    return document.replacing({"transform": Array(names, trail, start, start)}, name)


def _path(call: ModuleCall, look: Lookahead) -> str:
    value = call.path.value if isinstance(call.path, Scalar) else look.value(call.path)
    if value is None:
        raise NotKnownYet
    if isinstance(value, Unknown):
        why = "is a secret" if value.secret else "is only known later"
        raise TransformError(
            call.path,
            f"the path of the module of `{call.resource}` must be known before evaluation, but it "
            f"{why}",
            code="module_not_known",
        )
    if not isinstance(value, str):
        raise TransformError(
            call.path,
            f"the path of a module must be a string, not {article(type_of(value))}",
            code="invalid_module",
        )
    if not value.strip():
        raise TransformError(
            call.path,
            f"the path of the module of `{call.resource}` is empty",
            code="invalid_module",
        )
    if look.is_marked(call.path) or look.context.environment.holds_secret(value):
        raise Failure(
            "secret_not_allowed",
            f"the path of the module of `{call.resource}` contains a secret",
            call.path,
            "paths and addresses end up in logs and on other machines",
        )
    return value


def _metadata(call: ModuleCall, look: Lookahead) -> dict[str, Any] | None:
    """The values of the `metadata`; None for a local module, which has no `sourceType`."""
    if call.metadata is None or "sourceType" not in call.metadata.items:
        return None
    values: dict[str, Any] = {}
    for key, node in call.metadata.items.items():
        value = look.value(node)
        if value is None:
            raise NotKnownYet
        if value is not NONE:
            values[key] = value
    return values


# --- inputs ---------------------------------------------------------------------------------------


_SEEN_FROM_OUTSIDE: Final = {
    "variable_value_not_allowed": "module_variable_invalid",
    "variable_type_mismatch": "module_variable_invalid",
}


class Inputs(Record, eq=False):
    """The inputs of one use of a module.

    `expressions` replace the module's variables; `values` are new values of the blueprint that some
    of them refer to; `given` are the inputs whose values are known now.
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
    """Checks the inputs of a use of a module against the module's variables.

    A literal, or the only substitution of a string, replaces the variable. Any other input becomes
    a value of the blueprint, so that it is computed once: strings with further text, secrets, calls
    with effects. None if an input is invalid, which is reported.
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
    bound = {**{k: v for k, v in later.items() if k in given}, **known}
    values = {**{k: v for k, v in later.items() if not _has_default(declared[k])}, **bound}
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
    computed = {k: v for k, v in bound.items() if k in known or look.plain(given[k]) is not None}
    inputs = Inputs({}, {}, Given(values=computed, spans=spans))
    for name, definition in declared.items():
        if isinstance(definition, Map):
            chosen = given.get(name)
            if _is_absent(chosen):
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
    """The expression of a string that is a single substitution without effects."""
    if not isinstance(node, Template) or not is_lone(node):
        return None
    for name in node.segments.functions:
        function = context.functions.get(name)
        if function is not None and function.effect is not None:
            return None
    substitution = node.segments.substitutions[0]
    return context.language.exact(substitution)


def _is_secret(expression: Expression, call: ModuleCall, context: TransformContext) -> bool:
    """True for a reference to a variable or value that is declared as secret."""
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
    """The known values of the inputs, with their spans; reports wrong static types."""
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
        if module is not None and _is_absent(given.get(name)) and not _has_default(definition):
            context.diagnostics.error(
                "module_variable_missing",
                call.input_span(),
                f"the module of `{call.resource}` needs the variable `{name}`",
                f"add `{name}` to the `variables` of the resource's spec",
                Note("it is declared here, without a default", module.key_span(name)),
            )


def _has_default(definition: AnyNode) -> bool:
    return not isinstance(definition, Map) or definition.get("default") is not None


def _is_absent(node: AnyNode | None) -> bool:
    return node is None or (isinstance(node, Scalar) and node.value is None)
