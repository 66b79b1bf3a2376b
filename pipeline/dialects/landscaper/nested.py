"""Nested rendering: subinstallations in the order of their data flow, each with its own blueprint.

Section 6 of the notes. Data flows down by the imports of a subinstallation and up by its exports.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ....functions.gotemplate.kinds import Absent
from ...formats.go_yaml import read_go
from ...values.diagnostics import Note
from ...values.tree import AnyNode, Array, Map, Scalar
from ...world.files import FileProblem
from ...world.memory_files import MemoryFiles
from .blueprint import DATA, read_blueprint
from .deploy_items import check_items
from .exports import compute_exports
from .fields import text_at
from .imports import resolve_imports
from .installation import Installation, list_of, map_of
from .parts import Parts
from .phases import find_deploy_items, find_subinstallations, run_import_executions
from .subinstallations import Link, Subinstallation, needed
from .supplied import Known, report_problem

_MAIN = "blueprint.yaml"


def render_nested(work: Installation, known: Mapping[str, Known], depth: int = 0) -> None:
    """Renders the subinstallations of an installation, and theirs; `known` is by their paths."""
    limit = work.context.limits.max_nested_installations
    if depth >= limit and work.subinstallations:
        summary = f"installations are nested more than {limit} deep (`max_nested_installations`)"
        work.told.error("limit_exceeded", work.subinstallations[0].span, summary)
        return
    lost: set[str] = set()
    for one in _in_order(work.subinstallations):
        work.context.meter.work(1)
        if lost.intersection(needed(one, work.subinstallations)):
            lost.add(one.name)
            continue
        given = dict(_given(one, work))
        if not work.options.placeholders and _report_unknown(one, given, work):
            lost.add(one.name)
            continue
        child = _child(one, work, known)
        if child is None:
            lost.add(one.name)
            continue
        work.children.append(child)
        before = work.told.errors
        _render(child, _mapped(one, given, work), known, depth)
        if work.told.errors > before:
            lost.add(one.name)
        _take_exports(one, child, work)


def _in_order(listed: list[Subinstallation]) -> list[Subinstallation]:
    """Subinstallations after those whose exports they import, else as they are written."""
    done: dict[str, Subinstallation] = {}
    left = list(listed)
    while left:
        ready = [one for one in left if all(name in done for name in needed(one, listed))]
        if not ready:  # a cycle, which is reported
            return []
        done |= {one.name: one for one in ready}
        left = [one for one in left if one.name not in done]
    return list(done.values())


def _render(
    child: Installation,
    given: Mapping[str, AnyNode | Absent],
    known: Mapping[str, Known],
    depth: int,
) -> None:
    """The phases of a subinstallation, as long as they succeed."""
    told = child.told
    before = told.errors
    for phase in (
        lambda: resolve_imports(child, given),
        lambda: run_import_executions(child),
        lambda: find_subinstallations(child),
        lambda: find_deploy_items(child),
        lambda: check_items(child.deploy_items, told),
        lambda: render_nested(child, known, depth + 1),
        lambda: _exports(child),
    ):
        phase()
        if told.errors > before:
            return


def _exports(child: Installation) -> None:
    if child.simulation is not None:
        child.simulation(child)
    if child.exporting:
        compute_exports(child)


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
        found = made.get(link.ref)
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


def _report_unknown(
    one: Subinstallation, given: Mapping[str, AnyNode | Absent], work: Installation
) -> bool:
    """Reports each import that is not known yet, where it is linked."""
    found = False
    for link in one.imports:
        value = given.get(link.name)
        if isinstance(value, Absent):
            found = True
            summary = (
                f"`{value.path}` is known only after deployment, so `{one.name}` is not rendered"
            )
            work.told.error("unknown_value", link.span, summary, value.hint)
    return found


def _mapped(
    one: Subinstallation, given: Mapping[str, AnyNode | Absent], work: Installation
) -> dict[str, AnyNode | Absent]:
    """The values with those of the importDataMappings, each of which is a Spiff document."""
    mappings = one.node.get("importDataMappings")
    if not isinstance(mappings, Map):
        return dict(given)
    from .spiff_executions import mapped

    return {**given, **mapped(mappings, given, work)}


def _child(
    one: Subinstallation, work: Installation, known: Mapping[str, Known]
) -> Installation | None:
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
            definition = {"inline": {"filesystem": {}}}
        else:
            ref = text_at(place.items, "ref")
            span = place.items["ref"].span if "ref" in place.items else place.span
            opened = components.blueprint(ref, span)
            if opened is None:
                return None
            files, folder, components = opened
            parts = Parts(files, folder, work.context)
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
    blueprint = root and read_blueprint(root, source, parts.folder, work.told)
    if blueprint is None:
        return None
    child = Installation(
        blueprint,
        work.context,
        work.options,
        components,
        parts,
        work.supplied,
        known.get(path, Known()),
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


def _take_exports(one: Subinstallation, child: Installation, work: Installation) -> None:
    """Hands the exports of a subinstallation to its parent, under their outer names."""
    for link in one.exports:
        made = work.objects if link.kind == DATA else work.targets
        node = child.exports.get(link.name)
        if node is not None:
            made[link.ref] = node if link.kind == DATA else _as_target(node, link.ref, work)


def _as_target(node: AnyNode, name: str, work: Installation) -> AnyNode:
    """An exported target as a Target object."""
    if not isinstance(node, Map):
        return node

    def text(value: str) -> Scalar:
        return Scalar(value, node.trail, node.start, node.end)

    metadata = {"name": text(name), "namespace": text(work.options.namespace)}
    meta = {key: node.items[key] for key in ("labels", "annotations") if key in node.items}
    spec = {key: node.items[key] for key in ("type", "config", "secretRef") if key in node.items}
    return map_of(
        {
            "apiVersion": text("landscaper.gardener.cloud/v1alpha1"),
            "kind": text("Target"),
            "metadata": map_of({**metadata, **meta}, node),
            "spec": map_of(spec, node),
        },
        node,
    )
