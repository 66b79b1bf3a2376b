"""`bpp/modules-1`: resources that use modules are replaced by the parts of the module.

A module is a blueprint: its variables are the inputs, its exports the outputs. A resource of type
`celerity/blueprint` (or `bpp/module`) names the module and its inputs (`calls`). The parts of the
module are added to the blueprint as `<resource>_<name>`, and `resources.<resource>.state.<export>`
is replaced by the exported expression. Implements "With Blueprint Resources" of the specification.
"""

from __future__ import annotations

from typing import Final

from ...functions.record import Record, field
from ...pipeline.dialects.bluelink.refusals import too_many_resources
from ...pipeline.dialects.bluelink.structure.sections import DOCUMENT
from ...pipeline.engine.builders import node as build
from ...pipeline.language.errors import Failure
from ...pipeline.values.diagnostics import Note
from ...pipeline.values.document import Document
from ...pipeline.values.settings import how_to_raise
from ...pipeline.values.tree import AnyNode, Map, Scalar
from ..expansion import requested, take_entry
from ..registry import Transform, TransformContext, TransformError, span_of
from .calls import (
    KEY,
    TYPES,
    Lookahead,
    ModuleCall,
    TakenNames,
    instances_of,
    is_module,
    read_call,
    taken_names,
)
from .inputs import Inputs, NotKnownYet, NotOpened, open_module, read_inputs, transform_module
from .parts import Parts, parts_of, with_outer_paths, with_outputs

NAME: Final = "bpp/modules-1"


class _Expanded(Record, eq=False):
    """The result so far: expanded uses by resource, resources that stay, new values."""

    uses: dict[str, Parts | list[Parts]] = field(factory=dict)
    stay: dict[str, AnyNode] = field(factory=dict)
    values: dict[str, AnyNode] = field(factory=dict)


def expand_modules(document: Document, context: TransformContext) -> Document:
    """Expands the modules of a document and removes `bppModules`.

    A module that this run may not fetch stays, and so does the transform's name: a later run
    expands it. Mistakes are reported; those in a module in its file, with a note on its use.
    """
    section = document.section("resources")
    modules = {
        name: node
        for name, node in (section.items.items() if section is not None else ())
        if isinstance(node, Map) and is_module(node)
    }
    if section is None or not modules:
        return _without_entry(document, context)
    before = context.diagnostics.errors
    taken = taken_names(document)
    expanded = _Expanded()
    look = Lookahead(document, context.context)
    waiting = []
    for name, node in modules.items():
        instances = instances_of(name, node, taken, look, context)
        expanded.values.update(instances.values)
        waiting.append((name, node, instances))
    if expanded.values:
        document = _with_sections(document, {"values": expanded.values}, context.name)
        look = Lookahead(document, context.context)
    for name, node, instances in waiting:
        key_span = section.key_span(name)
        context.working_on(name, key_span)
        if instances.definitions is None:
            _keep_for_later(name, node, expanded, context)
            continue
        if not _may_be(instances.definitions, look):
            expanded.stay[name] = node
            continue
        parts: list[Parts] = []
        for instance, definition in instances.definitions.items():
            try:
                call = read_call(document, name, instance, definition, key_span)
                found = _expand(document, call, taken, look, context)
            except NotOpened as problem:
                expanded.stay[name] = _unopened(name, node, problem, context)
                break
            except NotKnownYet:
                _keep_for_later(name, node, expanded, context)
                break
            except TransformError as error:
                context.diagnostics.error(error.code, span_of(error.at), error.summary, error.hint)
                continue
            except Failure as failure:
                _report(failure, call, context)
                continue
            if found is not None:
                parts.append(found)
        else:
            expanded.uses[name] = parts if instances.many else parts[0] if parts else []
    context.working_on(None)
    if context.diagnostics.errors > before:
        return document
    return _assembled(document, expanded, taken, context)


def _keep_for_later(
    name: str, node: AnyNode, expanded: _Expanded, context: TransformContext
) -> None:
    """Keeps a resource for a later run, unless a later stage reports a mistake in it."""
    expanded.stay[name] = node
    context.keep()


def _may_be(definitions: dict[str, Map], look: Lookahead) -> bool:
    """False if the condition is false in every instance, so that the module is not needed."""
    for node in definitions.values():
        condition = node.get("condition")
        if condition is None or look.condition(condition) is not False:
            return True
    return not definitions


def _expand(
    document: Document,
    call: ModuleCall,
    taken: TakenNames,
    look: Lookahead,
    context: TransformContext,
) -> Parts | None:
    """Expands one use of a module; None if it has mistakes, which are reported."""
    condition = call.node.get("condition")
    decided = look.condition(condition) if condition is not None else None
    if decided is False:
        # the instance stays a resource: it is pruned later, and references to it are reported
        alone: dict[str, dict[str, AnyNode]] = {"resources": {call.name: call.node}}
        return Parts(call, alone, {}, Inputs({}, {}), stays=True)
    opened = open_module(document, context, call, look)
    if opened is None:
        return None
    inputs = read_inputs(opened.document, call, taken, look, context)
    if inputs is None:
        return None
    module = transform_module(opened, context.context, inputs.given, NAME)
    if module is None:
        return None
    for one in requested(module):  # transforms that could not expand everything
        if isinstance(one, Scalar):
            context.keep(str(one.value))
    module = with_outer_paths(opened, module, document, context)
    return parts_of(module, call, inputs, decided is True, taken, context)


def _unopened(name: str, node: Map, problem: NotOpened, context: TransformContext) -> AnyNode:
    """The resource of a module that is not opened, with the location of the module filled in."""
    spec = node.items["spec"]
    assert isinstance(spec, Map)
    summary = f"the module of `{name}` is not opened: {problem.why}"
    place = spec.items["module"]
    if not context.settings.keep_remote_includes:
        context.diagnostics.error(problem.code, place.span, summary, problem.hint)
        return node
    note = Note("it stays in place, and its outputs are only known after deployment")
    context.diagnostics.warn(problem.code, place.span, summary, problem.hint, note)
    context.keep()
    if "each" in node.items:
        return node
    data = {"path": problem.path}
    if problem.metadata is not None:
        data["metadata"] = problem.metadata
    where = build(data, place, step=context.name)
    items = {**node.items, "spec": spec.replacing({**spec.items, "module": where}, context.name)}
    return node.replacing(items, context.name)


def _report(failure: Failure, call: ModuleCall, context: TransformContext) -> None:
    if failure.reported:
        return
    at = getattr(failure.node, "span", None) or call.path.span
    context.diagnostics.error(failure.code, at, failure.summary, failure.hint, *failure.notes)


def _assembled(
    document: Document, expanded: _Expanded, taken: TakenNames, context: TransformContext
) -> Document:
    old = document.section("resources")
    assert old is not None
    items: dict[str, AnyNode] = {}
    places = dict(old.places)
    added: dict[str, dict[str, AnyNode]] = {}
    for name, node in old.items.items():
        use = expanded.uses.get(name)
        if use is None:
            items[name] = expanded.stay.get(name, node)
            continue
        for parts in use if isinstance(use, list) else [use]:
            for section, definitions in parts.sections.items():
                if section != "resources":
                    added.setdefault(section, {}).update(definitions)
            for key, definition in parts.sections.get("resources", {}).items():
                items[key] = definition
                if name in places:
                    places.setdefault(key, places[name])
    if len(items) > context.settings.limits.max_resources:
        context.diagnostics.error(
            "limit_exceeded",
            old.span,
            too_many_resources(context.settings.limits.max_resources),
            how_to_raise("max_resources", context.settings.limits),
        )
        return document
    trail = old.trail.then(context.name)
    resources = Map(items, places, trail, old.start, old.end)
    document = document.replacing({"resources": resources}, context.name)
    document = _with_sections(document, added, context.name)
    document, values = with_outputs(document, expanded.uses, taken, context)
    document = _with_sections(document, {"values": values}, context.name)
    return document if expanded.stay else _without_entry(document, context)


def _with_sections(document: Document, added: dict[str, dict[str, AnyNode]], step: str) -> Document:
    """Appends definitions to sections; new ones follow the order of the specification."""
    items = dict(document.root.items)
    for section, definitions in added.items():
        if not definitions:
            continue
        old = items.get(section)
        if isinstance(old, Map):
            items[section] = old.replacing({**old.items, **definitions}, step)
        else:
            place = document.root
            items[section] = Map(definitions, {}, place.trail.then(step), place.start, place.end)
    order, keys = list(DOCUMENT.fields), list(document.root.items)
    for section in sorted(items.keys() - keys, key=order.index):
        later = order[order.index(section) :]
        keys.insert(next((i for i, key in enumerate(keys) if key in later), len(keys)), section)
    ordered = {key: items[key] for key in keys}
    return document.evolve(root=document.root.holding(ordered, step))


def _without_entry(document: Document, context: TransformContext) -> Document:
    entry, rest = take_entry(document, KEY)
    if entry is None:
        return document
    return document.replacing({"metadata": rest}, context.name)


TRANSFORM: Final = Transform(
    NAME,
    expand_modules,
    TYPES,
    "resources that use modules are replaced by the parts of the module",
)
