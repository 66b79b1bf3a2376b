"""The views of a render: `--show imports`, `state`, `exports`, `manifests`, `schemas`, `all`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ....engine.run import Run
from ....formats.go_yaml import plain
from ....values.tree import AnyNode, Map, build
from ..blueprint import VERSION
from ..documents import (
    EXPORTS,
    ITEMS,
    SUBS,
    document_of,
    imports_of,
    masked,
    redact,
)
from ..installation import Installation, map_of


def work_of(run: Run) -> Installation:
    """The work on the root installation.

    Raises:
        ValueError: no blueprint was read.
    """
    found = run.work.find(Installation)
    if found is None or run.document is None:
        raise ValueError("the run has no result; see its diagnostics")
    return found


def _written(run: Run, kind: str, *roots: Map) -> str:
    """One or several trees as a text of the run, which masks secrets where that is asked for."""
    document = run.document
    assert document is not None
    shown = [document.evolve(root=root) for root in roots]
    if len(shown) == 1:
        return run.text(kind, shown[0])
    parts = shown if run.reveal else [redact(one, run.diagnostics.quoting) for one in shown]
    return run.text(kind, document.evolve(parts=tuple(parts)))


def _imports(run: Run, work: Installation) -> Map:
    shown = imports_of(work, run.reveal)
    return shown if run.reveal else masked(shown, work.withheld())


def show_imports(run: Run, kind: str) -> str:
    """The values of the imports after the import executions."""
    return _written(run, kind, _imports(run, work_of(run)))


def show_state(run: Run, kind: str) -> str:
    """The state of the executions by slot."""
    work = work_of(run)
    return _written(run, kind, map_of(work.slots, work.blueprint.root))


def state_text(run: Run) -> str:
    """The text that `--state-out` writes."""
    work = work_of(run)
    near = work.blueprint.root
    return _written(run, "yaml", map_of({"state": map_of(work.slots, near)}, near))


def show_exports(run: Run, kind: str) -> str:
    """The exports, which are known with a state only."""
    work = work_of(run)
    return _written(run, kind, map_of(work.exports, work.blueprint.root))


def show_all(run: Run, kind: str) -> str:
    """Everything that was computed."""
    work = work_of(run)
    near = work.blueprint.root
    found: dict[str, AnyNode] = {
        "imports": _imports(run, work),
        **document_of(work, (SUBS, ITEMS, EXPORTS)).items,
        "ignoredExports": map_of(work.ignored, near),
        "missingExports": build(work.missing, near.trail, near.start, near.start),
        "state": map_of(work.slots, near),
    }
    return _written(run, kind, map_of(found, near))


def show_schemas(run: Run, kind: str) -> str:
    """The schemas of the imports, with everything that they refer to."""
    work = work_of(run)
    found: dict[str, AnyNode] = {}
    for one in work.blueprint.all_imports():
        resolved = work.schemas.resolved(one.schema) if one.schema is not None else None
        if resolved is not None:
            found[one.name] = resolved
    return _written(run, kind, map_of(found, work.blueprint.root))


def show_manifests(run: Run, kind: str) -> str:
    """The objects that a cluster would get: deploy items, then installations."""
    work = work_of(run)
    roots = list(_manifests(work))
    return _written(run, kind, *roots) if roots else "[]\n" if kind == "json" else ""


_OF_ITEM = ("type", "target", "config", "timeout", "updateOnChangeOnly", "onDelete")
_OF_INSTALLATION = ("blueprint", "imports", "importDataMappings", "exports", "exportDataMappings")


def _manifests(work: Installation) -> Iterator[Map]:
    for item in work.deploy_items:
        data = plain(item)
        labels = {"labels": data["labels"]} if "labels" in data else {}
        yield _manifest("DeployItem", data["name"], _OF_ITEM, data, labels, work)
    for sub in work.subinstallations:
        data = plain(sub.node)
        place = data["blueprint"]
        ref = place.get("ref")
        inline = {"filesystem": place.get("filesystem")}
        named = {"ref": {"resourceName": str(ref).rpartition("/")[2]}}
        data["blueprint"] = named if ref else {"inline": inline}
        yield _manifest("Installation", sub.name, _OF_INSTALLATION, data, {}, work)


def _manifest(
    kind: str,
    name: str,
    fields: tuple[str, ...],
    data: Mapping[str, Any],
    labels: Mapping[str, Any],
    work: Installation,
) -> Map:
    root = work.blueprint.root
    made = {
        "apiVersion": VERSION,
        "kind": kind,
        "metadata": {
            "name": f"{work.name}-{name}",
            "namespace": work.options.namespace,
            **labels,
        },
        "spec": {key: data[key] for key in fields if key in data},
    }
    node = build(made, root.trail, root.start, root.start)
    assert isinstance(node, Map)
    return node
