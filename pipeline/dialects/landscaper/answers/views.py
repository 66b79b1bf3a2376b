"""The views of a render: `--show imports`, `state`, `exports`, `manifests`, `schemas`, `all`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ....engine.run import Run
from ....formats.go_yaml import plain
from ....values.document import Document
from ....values.settings import SECRETS_MASK
from ....values.tree import AnyNode, Map, Scalar, build
from ..blueprint import VERSION
from ..documents import (
    EXPORTS,
    ITEMS,
    SUBS,
    document_of,
    imports_of,
    masked,
)
from ..installation import Installation, list_of, map_of


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
    """One or several trees as a text of the run."""
    document = run.document
    assert document is not None
    if len(roots) == 1:
        return run.text(kind, document.evolve(root=roots[0], product=None))
    parts: tuple[Document, ...] = tuple(
        document.evolve(root=root, product=None, parts=None) for root in roots
    )
    return run.text(kind, document.evolve(parts=parts))


def _shown(run: Run, work: Installation, root: Map) -> Map:
    """A product as the settings want it."""
    return masked(root, work) if work.context.settings.secrets == SECRETS_MASK else root


def show_imports(run: Run, kind: str) -> str:
    """The values of the imports after the import executions."""
    work = work_of(run)
    return _written(run, kind, _imports(run, work))


def _imports(run: Run, work: Installation) -> Map:
    shown = imports_of(work, run.reveal)
    return shown if run.reveal else masked(shown, work)


def show_state(run: Run, kind: str) -> str:
    """The state of the executions by slot."""
    work = work_of(run)
    return _written(run, kind, _shown(run, work, state_of(work)))


def state_of(work: Installation) -> Map:
    """The states of the executions."""
    near = work.blueprint.root
    return map_of(work.slots, near)


def state_text(run: Run) -> str:
    """The text that `--state-out` writes."""
    work = work_of(run)
    return _written(run, "yaml", map_of({"state": state_of(work)}, work.blueprint.root))


def show_exports(run: Run, kind: str) -> str:
    """The exports, which are known with a state only."""
    work = work_of(run)
    made = map_of(work.exports, work.blueprint.root)
    return _written(run, kind, _shown(run, work, made))


def show_all(run: Run, kind: str) -> str:
    """Everything that was computed."""
    work = work_of(run)
    near = work.blueprint.root
    listed = document_of(work, (SUBS, ITEMS, EXPORTS)).items
    missing = [Scalar(name, near.trail, near.start, near.end) for name in work.missing]
    root = map_of(
        {
            "imports": _imports(run, work),
            **listed,
            "ignoredExports": map_of(work.ignored, near),
            "missingExports": list_of(missing, near),
            "state": state_of(work),
        },
        near,
    )
    return _written(run, kind, _shown(run, work, root))


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
    roots = [_shown(run, work, one) for one in _manifests(work)]
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
