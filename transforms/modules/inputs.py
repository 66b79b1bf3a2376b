"""Opening modules, and binding their inputs: the expressions that replace a module's variables."""

from __future__ import annotations

from typing import Any

from ...functions.record import Record, field
from ...functions.values import NONE, Unknown, article, type_of
from ...pipeline.dialects.bluelink.checking.expression_types import ExpressionTypes
from ...pipeline.dialects.bluelink.checking.static_children import given_type
from ...pipeline.dialects.bluelink.children.inclusion import (
    Declared,
    Receiver,
    check_allowed,
    check_declared,
    check_missing,
    check_type,
    declared_variables,
    is_address,
    read_child,
)
from ...pipeline.dialects.bluelink.structure.custom_types import is_option
from ...pipeline.dialects.bluelink.structure.inspection import is_lone
from ...pipeline.dialects.bluelink.structure.sections import NEWER
from ...pipeline.dialects.bluelink.structure.variables import is_custom_type
from ...pipeline.engine.builders import node as build
from ...pipeline.engine.inputs import VariableInputs
from ...pipeline.engine.materialisation import flag_of, text_of
from ...pipeline.engine.run import Context, Inclusion, State, Work
from ...pipeline.language.errors import PATHS_ARE_LOGGED, Failure
from ...pipeline.values.diagnostics import Diagnostics, Note
from ...pipeline.values.document import Document
from ...pipeline.values.expression import Expression, Literal, Reference
from ...pipeline.values.source import Source
from ...pipeline.values.tree import AnyNode, Array, Map, Scalar, Template
from ..expansion import requested
from ..registry import TransformContext, TransformError
from .calls import Lookahead, ModuleCall, TakenNames, is_module, new_name


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
    place = None
    if metadata is None and outer.environment.remote is None and not is_address(path):
        # a source of its own, as notes on a source say which call uses it
        child = read_child(document, outer.evolve(included={}), path, call.path)
    else:
        from ...pipeline.dialects.bluelink.children.remote_children import Closed, open_remote

        told = None
        if metadata is not None and call.metadata is not None:
            told = (call.metadata.items, metadata)
        try:
            child, place = open_remote(look.evaluation, outer, call.name, path, call.path, told)
        except Closed as closed:
            raise NotOpened(closed.code, closed.why, closed.hint, path, metadata) from None
    identity = child.source.path or ""
    inner = outer.evolve(
        diagnostics=outer.diagnostics.beside(),
        environment=outer.environment.beside(child.folder, place),
        given=VariableInputs(),
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
    opened: OpenedModule, outer: Context, given: VariableInputs, name: str
) -> Document | None:
    """The module after its own transforms, with nested modules expanded; None if it has mistakes.

    `name` is the transform that expands modules: it runs for nested modules even if the module does
    not request it.
    """
    inner = opened.context.evolve(diagnostics=outer.diagnostics.beside(), given=given)
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
            PATHS_ARE_LOGGED,
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


class Inputs(Record, eq=False):
    """The inputs of one use of a module.

    `expressions` replace the module's variables; `values` are new values of the blueprint that some
    of them refer to; `given` are the inputs whose values are known now.
    """

    expressions: dict[str, Expression] = field(repr=False)
    values: dict[str, AnyNode] = field(repr=False)
    given: VariableInputs = field(factory=VariableInputs)


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
    out = context.diagnostics
    before = out.errors
    declared = declared_variables(module.section("variables"))
    to = Receiver(
        f"the module of `{call.resource}`",
        call.input_span(),
        "the `variables` of the resource's spec",
        unknown="module_unknown_variable",
        missing="module_variable_missing",
        mismatch="module_variable_invalid",
        not_allowed="module_variable_invalid",
    )
    check_declared(declared, call.variables, to, out)
    given = {
        name: node
        for name, node in (call.variables.items.items() if call.variables is not None else ())
        if not (isinstance(node, Scalar) and node.value is None)
    }
    check_missing(declared, given, to, out)
    types = ExpressionTypes(call.document, look.context, {})
    values: dict[str, Any] = {}
    for name, node in given.items():
        one = declared.get(name)
        if one is None:
            continue
        value = node.value if isinstance(node, Scalar) else look.plain(node)
        if value is None or value is NONE or isinstance(value, Unknown):
            check_type(one, given_type(node, types), node.span, to, out)
            if value is not None:
                values[name] = Unknown(Reference("variables", (name,)))
        else:
            _check_value(one, value, node, to, look, context)
            values[name] = value
    if out.errors > before:
        return None
    spans = {name: given[name].span for name in values}
    inputs = Inputs({}, {}, VariableInputs(values=values, spans=spans))
    for name, one in declared.items():
        if isinstance(one.node, Map):
            chosen = given.get(name) or one.node.get("default")
            if chosen is not None:
                _bind(name, one.node, chosen, call, inputs, taken, context)
    return inputs


def _check_value(
    one: Declared,
    value: Any,
    node: AnyNode,
    to: Receiver,
    look: Lookahead,
    context: TransformContext,
) -> None:
    """Reports a known value of a wrong type, or one that is not allowed."""
    out, span = context.diagnostics, node.span
    secret = one.secret or look.is_marked(node)
    if (
        check_type(one, type_of(value), span, to, out)
        and check_allowed(one, value, secret, span, to, out)
        and isinstance(one.node, Map)
        and is_custom_type(text_of(one.node.get("type")) or "")
    ):
        notes = (Note(f"`{one.name}` is declared here", one.span),)
        providers = context.context.providers
        is_option(one.name, value, one.node, providers, out, "the caller", span, notes, secret)


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
    if lone is not None and not (secret and not _is_secret(lone, call)):
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


def _is_secret(expression: Expression, call: ModuleCall) -> bool:
    """True for a reference to a variable or value that is declared as secret."""
    if not isinstance(expression, Reference) or expression.root not in ("variables", "values"):
        return False
    section = call.document.section(expression.root)
    definition = section.get(str(expression.path[0])) if section else None
    return isinstance(definition, Map) and flag_of(definition.get("secret"))
