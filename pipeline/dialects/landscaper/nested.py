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
from ...values.tree import AnyNode, Array, Map, Scalar
from ...world.files import FileProblem
from ...world.memory_files import MemoryFiles
from .blueprint import DATA, VERSION, read_blueprint
from .exports import compute_exports
from .fields import text_at
from .imports import resolve_imports
from .installation import Installation, list_of, map_of
from .parts import Parts
from .phases import find_deploy_items, find_subinstallations, run_import_executions
from .subinstallations import Link, Subinstallation, needed
from .supplied import Known, report_problem

_MAIN = "blueprint.yaml"


def conclude(work: Installation, depth: int = 0) -> None:
    """Renders the subinstallations of an installation, and theirs, then computes its exports."""
    limit = work.context.limits.max_include_depth
    if depth >= limit and work.subinstallations:
        summary = f"installations are nested more than {limit} deep (`max_include_depth`)"
        work.told.error("limit_exceeded", work.subinstallations[0].span, summary)
        return
    before = work.told.errors
    lost: set[str] = set()
    for one in _in_order(work.subinstallations, work.active):
        work.context.meter.work(1)
        if lost.intersection(needed(one, work.subinstallations, work.active)) or not _render(
            one, work, depth
        ):
            lost.add(one.name)
    if work.told.errors > before:
        return
    if work.simulation is not None:
        work.item_exports = work.simulation.item_exports(work)
    if work.exporting:
        compute_exports(work)


def _render(one: Subinstallation, work: Installation, depth: int) -> bool:
    """Renders one, and hands its exports to its parent; False after mistakes."""
    told = work.told
    before = told.errors
    simulated = work.simulation and work.simulation.installation_exports(one, work)
    if simulated:
        _take_exports(one, simulated[0], simulated[1], work)
        return told.errors == before
    given = dict(_given(one, work))
    for link in one.imports if not work.options.placeholders else ():
        value = given.get(link.name)
        if isinstance(value, Absent):
            after = f"`{value.path}` is known only after deployment"
            told.error("unknown_value", link.span, f"{after}: {one.name} waits for it", value.hint)
    child = _child(one, work) if told.errors == before else None
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
        conclude(child, depth + 1)
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
    lists: dict[str, list[AnyNode]] = {}
    maps: dict[str, dict[str, AnyNode]] = {}
    for link in one.imports:
        found = _value(link, work)
        if found is None:
            continue
        if isinstance(found, Absent) or link.group == "":
            yield link.name, found
        elif link.group == "list":
            lists.setdefault(link.name, []).append(found)
        else:
            maps.setdefault(link.name, {})[link.group.partition(":")[2]] = found
    for name, items in lists.items():
        yield name, list_of(items, items[0])
    for name, entries in maps.items():
        yield name, map_of(entries, next(iter(entries.values())))


def _value(link: Link, work: Installation) -> AnyNode | Absent | None:
    """The value that a link leads to: an import of the parent, or an export of a sibling."""
    made = work.objects if link.kind == DATA else work.targets
    kind = "dataobjects" if link.kind == DATA else "targets"
    if link.ref not in work.active:
        known = getattr(work.known, kind)
        found = made.get(link.ref) or (known.get(link.ref) if known is not None else None)
        if found is not None:
            return found
        hint = "`--state FILE` supplies it, `--export-templates FILE` simulates it"
        return work.absent(f"{kind}.{link.ref}", hint)
    value = work.values[link.ref]
    node = value.node
    if node is None:
        return value.unknown
    if link.at is None:
        return node
    inner: AnyNode | None = None
    if isinstance(node, Array) and link.at.isdigit() and int(link.at) < len(node.items):
        inner = node.items[int(link.at)]
    elif isinstance(node, Map):
        inner = node.get(link.at)
    if inner is None:
        summary = f"the import `{link.ref}` has no element `{link.at}`"
        work.told.error("subinstallation_import", link.span, summary)
    return inner


def _child(one: Subinstallation, work: Installation) -> Installation | None:
    """The work on a subinstallation; None when its blueprint cannot be read."""
    path = f"{work.path}/{one.name}"
    place = one.node.items["blueprint"]
    assert isinstance(place, Map)
    inline = next((node for key, node in place.items.items() if key == "filesystem"), None)
    components = work.components
    definition: Any
    try:
        if isinstance(inline, Map):
            files: Any = MemoryFiles(dict(_files_in(inline, "")), "/")
            parts = Parts(files, "/", work.context, f"{path}:")
            definition = {"inline": {"filesystem": plain(inline)}}
        else:
            ref = text_at(place.items, "ref")
            span = place.items["ref"].span if "ref" in place.items else place.span
            opened = components.blueprint(ref, span)
            if opened is None:
                return None
            files, folder, components = opened
            parts = Parts(files, folder, work.context, f"{path}:" if folder == "/" else "")
            definition = {"ref": {"resourceName": ref.rpartition("/")[2]}}
        source = parts.source(_MAIN)
    except FileProblem as problem:
        report_problem(problem, work.context, place.span)
        return None
    if source.text in work.way:
        summary = f"the blueprint of `{one.name}` installs itself"
        work.told.error("blueprint_reference", place.span, summary)
        return None
    note = Note(f"it is the blueprint of the subinstallation `{one.name}`", one.span)
    work.told.explain(source, note)
    root = read_go(source, work.context.meter, work.told)
    blueprint = None if root is None else read_blueprint(root, source, parts.folder, work.told)
    if blueprint is None:
        return None
    child = Installation(
        blueprint,
        work.context,
        work.options,
        components,
        parts,
        work.supplied,
        work.supplied.known.installations.get(path, Known()),
        path,
        definition,
    )
    child.way = {*work.way, source.text}
    child.simulation = work.simulation
    return child


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

    def text(value: str) -> Scalar:
        return Scalar(value, node.trail, node.start, node.end)

    def part(*keys: str) -> dict[str, AnyNode]:
        return {key: node.items[key] for key in keys if key in node.items}

    metadata = {"name": text(name), "namespace": text(work.options.namespace)}
    return map_of(
        {
            "apiVersion": text(VERSION),
            "kind": text("Target"),
            "metadata": map_of({**metadata, **part("labels", "annotations")}, node),
            "spec": map_of(part("type", "config", "secretRef"), node),
        },
        node,
    )
