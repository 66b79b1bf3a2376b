"""What came of a blueprint: the views of `--show`, and the values that are not known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from .....functions.regexes import compile_regex
from ....answers.explanation import UnknownPath, by_reason
from ....answers.nodes import node_at, paths_in
from ....answers.paths import Path, path_text
from ....engine.run import Context, Run
from ....formats.go_yaml import plain
from ....values.diagnostics import Diagnostic
from ....values.document import Document
from ....values.source import Span
from ....values.tree import Map, Scalar, text_at
from ..blueprint import VERSION
from ..documents import EXPORTS, ITEMS, SUBS, document_of, imports_of, masked, redact
from ..fields import map_of
from ..installation import Installation


def work_of(run: Run) -> Installation:
    """The work on the root installation.

    Raises:
        ValueError: no blueprint was read.
    """
    found = run.work.find(Installation)
    if found is None or run.document is None:
        raise ValueError("the run has no result; see its diagnostics")
    return found


def show(name: str, run: Run, kind: str) -> str:
    """The text of a view; secrets are masked where that is asked for."""
    work, document = work_of(run), run.document
    assert document is not None
    if name != "manifests":
        made = _VIEWS[name](run, work)
        return run.text(kind, document.evolve(root=map_of(made, work.blueprint.root)))
    roots = list(_manifests(work))
    if not roots:
        return "[]\n" if kind == "json" else ""
    parts = [document.evolve(root=root) for root in roots]
    if not run.reveal:
        parts = [redact(one, run.diagnostics.quoting) for one in parts]
    return run.text(kind, parts[0] if len(parts) == 1 else document.evolve(parts=tuple(parts)))


def state_text(run: Run) -> str:
    """The text that `--state-out` writes."""
    return show("template state", run, "yaml")


def _imports(run: Run, work: Installation) -> Mapping[str, Any]:
    """The values of the imports after the import executions."""
    shown = imports_of(work, run.reveal)
    return (shown if run.reveal else masked(shown, work.withheld())).items


def _all(run: Run, work: Installation) -> Mapping[str, Any]:
    """Everything that was computed."""
    return {
        "imports": map_of(_imports(run, work), work.blueprint.root),
        **document_of(work, (SUBS, ITEMS, EXPORTS)).items,
        "ignoredExports": work.ignored,
        "missingExports": work.missing,
        "state": work.slots,
    }


def _schemas(run: Run, work: Installation) -> Mapping[str, Any]:
    """The schemas of the imports, with everything that they refer to."""
    declared = (one for one in work.blueprint.all_imports() if one.schema is not None)
    found = {one.name: work.schemas.resolved(one.schema) for one in declared}  # type: ignore[arg-type]
    return {name: schema for name, schema in found.items() if schema is not None}


_VIEWS: Final[Mapping[str, Callable[[Run, Installation], Mapping[str, Any]]]] = {
    "imports": _imports,
    "state": lambda run, work: work.slots,
    "template state": lambda run, work: {"state": work.slots},
    "exports": lambda run, work: work.exports,
    "schemas": _schemas,
    "all": _all,
}
_OF_ITEM: Final = ("type", "target", "config", "timeout", "updateOnChangeOnly", "onDelete")
_OF_INSTALLATION: Final = (
    *("blueprint", "imports", "importDataMappings", "exports", "exportDataMappings"),
)


def _manifests(work: Installation) -> Iterator[Map]:
    """The objects that a cluster would get: deploy items, then installations."""
    for item in work.deploy_items:
        yield _manifest("DeployItem", _OF_ITEM, plain(item), work)
    for sub in work.subinstallations:
        ref = text_at(sub.node, "blueprint", "ref")
        data = plain(sub.node)
        inline = {"filesystem": data["blueprint"].get("filesystem")}
        named = {"ref": {"resourceName": ref.rpartition("/")[2]}}
        data["blueprint"] = named if ref else {"inline": inline}
        yield _manifest("Installation", _OF_INSTALLATION, data, work)


def _manifest(kind: str, fields: tuple[str, ...], data: dict[str, Any], work: Installation) -> Map:
    labels = {"labels": data["labels"]} if "labels" in data else {}
    name = f"{work.path}-{data['name']}"
    made = {
        "apiVersion": VERSION,
        "kind": kind,
        "metadata": {"name": name, "namespace": work.options.namespace, **labels},
        "spec": {key: data[key] for key in fields if key in data},
    }
    return map_of(made, work.blueprint.root)


# unknown values

_MARK: Final = compile_regex(r"<unknown: ([^<>]*)>")


def unknowns(run: Run) -> tuple[UnknownPath, ...]:
    """The unknown values of a run with the places that are made of them."""
    document = run.document or (run.stages[-1][1] if run.stages else None)
    return by_reason(
        ((name, "known only after deployment", f"`--state FILE`, under {name}"), path, span)
        for name, path, span in (_marks(document) if document is not None else ())
    )


def unresolved(document: Document, context: Context) -> Iterator[Diagnostic]:
    """An error for each mark that is left."""
    for name, path, span in _marks(document):
        context.meter.work(1)
        summary = f"`{path_text(path)}` is not known: it needs `{name}`"
        hint = f"`--state FILE` supplies it under {name}"
        yield Diagnostic("unresolved_value", summary, span, hint=hint)


def _marks(document: Document) -> Iterator[tuple[str, Path, Span]]:
    for path in paths_in(document.root):
        node = node_at(document.root, path)
        if isinstance(node, Scalar) and isinstance(node.value, str):
            for mark in _MARK.finditer(node.value):
                yield mark[1], path, node.span
