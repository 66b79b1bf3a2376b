"""`bpp/modules-1`: resources that are modules become the resources of a module's blueprint.

A module is a blueprint: its variables are the inputs, its exports the outputs. A resource of type
`celerity/blueprint` (or `bpp/module`) says where it is and what it gets (`module_calls`). The parts
of the module stand in the blueprint under the names `<resource>_<name>`; what is written as
`resources.<resource>.state.<export>` leads to what the module exports. Implements "With Blueprint
Resources" of the specification.
"""

from __future__ import annotations

from typing import Final

from ..functions.record import Record, field
from ..pipeline.dialects.bluelink.structure.sections import DOCUMENT
from ..pipeline.engine.builders import node as build
from ..pipeline.language.errors import Failure
from ..pipeline.values.diagnostics import Note
from ..pipeline.values.document import Document
from ..pipeline.values.settings import how_to_raise
from ..pipeline.values.tree import AnyNode, Array, Map, Scalar
from .lookahead import Lookahead
from .metadata_entries import take_entry
from .module_calls import KEY, TYPES, ModuleCall, is_module, read_call
from .module_inputs import Inputs, read_inputs
from .module_instances import instances_of
from .module_names import TakenNames, taken_names
from .module_outputs import with_outputs
from .module_parts import Parts, parts_of
from .module_paths import with_outer_paths
from .module_reading import LeftClosed, NotYet, open_module, transform_module
from .registry import Transform, TransformContext, TransformError, span_of

NAME: Final = "bpp/modules-1"


class _Expanded(Record, eq=False):
    """What has been expanded so far: uses by resource, resources that stay, new values."""

    uses: dict[str, Parts | list[Parts]] = field(factory=dict)
    stay: dict[str, AnyNode] = field(factory=dict)
    values: dict[str, AnyNode] = field(factory=dict)


def expand_modules(document: Document, context: TransformContext) -> Document:
    """The document with its modules expanded, and without `bppModules`.

    A module that may not be fetched in this run stays, and so does the transform's name: a later
    run expands it. Mistakes are reported, those in a module with its file and who uses it.
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
        instances = instances_of(document, name, node, taken, look, context)
        expanded.values.update(instances.values)
        waiting.append((name, node, instances))
    if expanded.values:
        document = _with_sections(document, {"values": expanded.values}, context.name)
        look = Lookahead(document, context.context)
    for name, node, instances in waiting:
        key_span = section.key_span(name)
        context.working_on(name, key_span)
        if instances.definitions is None:
            _wait(name, node, expanded, context)
            continue
        if not _may_be(instances.definitions, look):
            expanded.stay[name] = node
            continue
        parts: list[Parts] = []
        for instance, definition in instances.definitions.items():
            try:
                call = read_call(document, name, instance, definition, key_span)
                found = _expand(document, call, taken, look, context)
            except LeftClosed as closed:
                expanded.stay[name] = _left(name, node, closed, context)
                break
            except NotYet:
                _wait(name, node, expanded, context)
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


def _wait(name: str, node: AnyNode, expanded: _Expanded, context: TransformContext) -> None:
    """Leaves a resource for a later run, if the stages after this one find nothing wrong in it."""
    expanded.stay[name] = node
    context.keep()


def _may_be(definitions: dict[str, Map], look: Lookahead) -> bool:
    """False for a module that is not there: its condition is false in every instance."""
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
    """One use of a module, expanded; None when it has mistakes, which are reported."""
    condition = call.node.get("condition")
    decided = look.condition(condition) if condition is not None else None
    if decided is False:
        # one instance that is not there: it is pruned as what it is, and references to it say so
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
    for name in _asked(module):
        context.keep(name)
    module = with_outer_paths(opened, module, document, context)
    return parts_of(module, call, inputs, decided is True, taken, context)


def _asked(module: Document) -> list[str]:
    """The transforms that a module still asks for, because they could not expand everything."""
    node = module.root.get("transform")
    items = node.items if isinstance(node, Array) else [node]
    return [str(item.value) for item in items if isinstance(item, Scalar)]


def _left(name: str, node: Map, closed: LeftClosed, context: TransformContext) -> AnyNode:
    """A module's resource that stays, with where the module is in it.

    Raises:
        Failure: when the caller wants everything opened.
    """
    spec = node.items["spec"]
    assert isinstance(spec, Map)
    summary = f"the module of `{name}` is not opened: {closed.why}"
    place = spec.items["module"]
    if not context.settings.keep_remote_includes:
        context.diagnostics.error(closed.code, place.span, summary, closed.hint)
        return node
    note = Note("it stays in place, and what it exports is only known after deployment")
    context.diagnostics.warn(closed.code, place.span, summary, closed.hint, note)
    context.keep()
    if "each" in node.items:
        return node
    data = {"path": closed.path}
    if closed.metadata is not None:
        data["metadata"] = closed.metadata
    told = build(data, place, step=context.name)
    items = {**node.items, "spec": spec.replacing({**spec.items, "module": told}, context.name)}
    return node.replacing(items, context.name)


def _report(failure: Failure, call: ModuleCall, context: TransformContext) -> None:
    if failure.reported:
        return
    at = getattr(failure.node, "span", None) or call.path.span
    context.diagnostics.error(failure.code, at, failure.summary, failure.hint, *failure.notes)


# --- putting it together ------------------------------------------------------------------------


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
            f"there would be more than {context.settings.limits.max_resources} resources "
            "(`max_resources`)",
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
    """The document with more definitions at the ends of sections; new sections in their order."""
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
    new = [section for section in items if section not in document.root.items]
    for section in sorted(new, key=list(DOCUMENT.fields).index):
        items = _placed(items, section)
    if all(document.root.items.get(key) is node for key, node in items.items()):
        return document
    return document.evolve(root=document.root.replacing(items, step))


def _placed(items: dict[str, AnyNode], section: str) -> dict[str, AnyNode]:
    """A new section before the first of those that follow it in the specification."""
    order = list(DOCUMENT.fields)
    later = set(order[order.index(section) + 1 :])
    found: dict[str, AnyNode] = {}
    for key, node in items.items():
        if key in later and section not in found:
            found[section] = items[section]
        if key != section:
            found[key] = node
    found.setdefault(section, items[section])
    return found


def _without_entry(document: Document, context: TransformContext) -> Document:
    entry, rest = take_entry(document, KEY)
    if entry is None:
        return document
    return document.replacing({"metadata": rest}, context.name)


TRANSFORM: Final = Transform(
    NAME,
    expand_modules,
    TYPES,
    "resources that are modules become the resources of the module's blueprint",
)
