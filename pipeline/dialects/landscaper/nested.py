"""Nested rendering: subinstallations in the order of their data flow, each with its own blueprint.

Of the specification, "Nested Installations". Data flows down by the imports of a subinstallation
and up by its exports.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

from ....functions.gotemplate.kinds import Absent
from ...formats.go_yaml import plain, read_go
from ...values.diagnostics import Note
from ...values.tree import AnyNode, Array, Map, Scalar, at, items_at, text_at
from ...world.files import FileProblem
from ...world.memory_files import MemoryFiles
from .blueprint import DATA, VERSION, read_blueprint
from .components import Components
from .exports import compute_exports
from .fields import list_of, map_of
from .imports import resolve_imports
from .installation import Installation
from .parts import Parts
from .phases import find_deploy_items, find_subinstallations, run_import_executions
from .simulation import Simulation
from .subinstallations import Link, Subinstallation, needed
from .supplied import report_problem

_MAIN = "blueprint.yaml"


def conclude(work: Installation) -> None:
    """Renders the subinstallations of an installation, and theirs, then computes its exports."""
    before = work.told.errors
    lost: set[str] = set()
    for one in _in_order(work.subinstallations, work.active):
        work.context.meter.work(1)
        if lost.intersection(needed(one, work.subinstallations, work.active)) or not _render(
            one, work
        ):
            lost.add(one.name)
    if work.told.errors > before:
        return
    simulation = work.context.work.find(Simulation)
    if simulation is not None:
        work.item_exports.update(simulation.item_exports(work))
    if work.exporting:
        compute_exports(work)


def _render(one: Subinstallation, work: Installation) -> bool:
    """Renders one, and hands its exports to its parent; False after mistakes."""
    told = work.told
    before = told.errors
    simulation = work.context.work.find(Simulation)
    path = f"{work.path}/{one.name}"
    node = one.node
    made = simulation.run("installations", path, "installation", node, work) if simulation else None
    if made is not None:
        data, targets = (dict(items_at(made, key)) for key in ("dataExports", "targetExports"))
        _take_exports(one, data, targets, work)
        return told.errors == before
    given = dict(_given(one, work))
    for link in one.imports if not work.options.placeholders else ():
        value = given.get(link.name)
        if isinstance(value, Absent):
            after = f"`{value.path}` is known only after deployment"
            told.error("unknown_value", link.span, f"{after}: {one.name} waits for it", value.hint)
    child = child_of(one, work) if told.errors == before else None
    if child is None:
        return False
    work.children.append(child)
    mappings = one.node.get("importDataMappings")
    if isinstance(mappings, Map):
        from .spiff_executions import mapped

        given |= mapped(mappings, given, work)
    resolve_imports(child, given)
    for phase in (run_import_executions, find_subinstallations, find_deploy_items):
        if told.errors == before:
            phase(child)
    if told.errors == before:
        conclude(child)
    if told.errors > before:
        return False
    _take_exports(one, child.exports, child.exports, work)
    return True


def _in_order(listed: list[Subinstallation], active: Container[str]) -> list[Subinstallation]:
    """Subinstallations after those whose exports they import, else as they are written."""
    done: dict[str, Subinstallation] = {}
    left = list(listed)
    while left:
        ready = [one for one in left if all(name in done for name in needed(one, listed, active))]
        if not ready:  # a cycle, which is reported
            return []
        done |= {one.name: one for one in ready}
        left = [one for one in left if one.name not in done]
    return list(done.values())


def _given(one: Subinstallation, work: Installation) -> Iterator[tuple[str, AnyNode | Absent]]:
    """The values that a subinstallation gets from its parent and from its siblings."""
    groups: dict[tuple[str, str], dict[str, AnyNode]] = {}
    for link in one.imports:
        found = _value(link, work)
        kind, _, key = link.group.partition(":")
        if isinstance(found, Absent) or (found is not None and not kind):
            yield link.name, found
        elif found is not None:
            entries = groups.setdefault((kind, link.name), {})
            entries[key or str(len(entries))] = found
    for (kind, name), entries in groups.items():
        nodes = [*entries.values()]
        yield name, map_of(entries, nodes[0]) if kind == "map" else list_of(nodes, nodes[0])


def _value(link: Link, work: Installation) -> AnyNode | Absent | None:
    """The value that a link leads to: an import of the parent, or an export of a sibling."""
    if link.ref not in work.active:
        is_data = link.kind == DATA
        kind, made = ("dataobjects", work.objects) if is_data else ("targets", work.targets)
        hint = "`--state FILE` supplies it, `--export-templates FILE` simulates it"
        found = made.get(link.ref) or at(work.known.get(kind), link.ref)
        return found or work.absent(f"{kind}.{link.ref}", hint)
    value = work.values[link.ref]
    node = value.node
    if node is None:
        return value.unknown
    if link.at is None:
        return node
    inner = at(node, link.at)
    if isinstance(node, Array) and link.at.isdigit() and int(link.at) < len(node.items):
        inner = node.items[int(link.at)]
    if inner is None:
        summary = f"the import `{link.ref}` has no element `{link.at}`"
        work.told.error("subinstallation_import", link.span, summary)
    return inner


def child_of(one: Subinstallation, work: Installation) -> Installation | None:
    """The work on a subinstallation; None when its blueprint cannot be read."""
    context, told = work.context, work.told
    limit = context.limits.max_include_depth
    if len(work.way) > limit:
        summary = f"installations are nested more than {limit} deep (`max_include_depth`)"
        told.error("limit_exceeded", one.span, summary)
        return None
    path = f"{work.path}/{one.name}"
    place = one.node.items["blueprint"]
    inline, ref = at(place, "filesystem"), text_at(place, "ref")
    opened: tuple[Any, str, Components] | None
    try:
        if isinstance(inline, Map):
            opened = MemoryFiles(dict(_files_in(inline, ""))), "/", work.components
            definition: Any = {"inline": {"filesystem": plain(inline)}}
        else:
            opened = work.components.blueprint(ref, (at(place, "ref") or place).span)
            definition = {"ref": {"resourceName": ref.rpartition("/")[2]}}
        if opened is None:
            return None
        files, folder, components = opened
        parts = Parts(files, folder, context, f"{path}:" if folder == "/" else "")
        source = parts.source(_MAIN)
    except FileProblem as problem:
        report_problem(problem, context, place.span)
        return None
    if source.text in work.way:
        summary = f"the blueprint of `{one.name}` installs itself"
        told.error("blueprint_reference", place.span, summary)
        return None
    told.explain(source, Note(f"it is the blueprint of the subinstallation `{one.name}`", one.span))
    root = read_go(source, context.meter, told)
    blueprint = None if root is None else read_blueprint(root, source, folder, told)
    if blueprint is None:
        return None
    inside = (blueprint, context, work.options, components, parts, work.supplied)
    return Installation(*inside, path, definition, (*work.way, source.text))


def _files_in(node: Map, above: str) -> Iterator[tuple[str, str]]:
    """The files of an inline file system by path."""
    for name, one in node.items.items():
        if isinstance(one, Map):
            yield from _files_in(one, f"{above}{name}/")
        elif isinstance(one, Scalar):
            yield f"{above}{name}", str(one.value or "")


def _take_exports(
    one: Subinstallation,
    data: Mapping[str, AnyNode],
    targets: Mapping[str, AnyNode],
    work: Installation,
) -> None:
    """Hands the exports of a subinstallation to its parent, under their outer names."""
    for link in one.exports:
        if link.kind == DATA and link.name in data:
            work.objects[link.ref] = data[link.name]
        elif link.kind != DATA and link.name in targets:
            work.targets[link.ref] = _as_target(targets[link.name], link.ref, work)


def _as_target(node: AnyNode, name: str, work: Installation) -> AnyNode:
    """An exported target as a Target object."""
    if not isinstance(node, Map):
        return node

    def part(*keys: str, **given: str) -> Map:
        kept = {key: node.items[key] for key in keys if key in node.items}
        return map_of({**given, **kept}, node)

    namespace = work.options.namespace
    metadata = part("labels", "annotations", name=name, namespace=namespace)
    spec = part("type", "config", "secretRef")
    made = {"apiVersion": VERSION, "kind": "Target", "metadata": metadata, "spec": spec}
    return map_of(made, node)
