"""Exports: what the export executions give, checked against the declarations."""

from __future__ import annotations

from typing import Any, Final

from ...formats.go_yaml import plain
from ...values.diagnostics import ERROR, WARNING, Diagnostic, Names, Note, suggestion
from ...values.tree import AnyNode, Map, items_at, text_at
from .blueprint import DATA, Declaration
from .executions import run_executions
from .fields import ANY, MAP, RENDERED, fields_of, form
from .installation import Installation
from .options import EXPORT

_TARGET: Final = form(
    "a target export",
    "type! config:any secretRef:any labels:text-map annotations:text-map",
    "configuration=config",
    RENDERED,
)


def compute_exports(work: Installation) -> None:
    """Runs the export executions of an installation, and checks what they give."""
    work.renew()
    told = work.told
    before = told.errors
    merged: Map | None = None
    fields = ("exports", MAP), ("state", ANY)
    for execution, result in run_executions(work, EXPORT, outcomes(work), *fields):
        exports = result.get("exports")
        if isinstance(exports, Map):
            work.makers.update({("exports", name): execution for name in exports.items})
            merged = exports if merged is None else _merged(merged, exports, work)
    given = merged.items if merged is not None else {}
    if told.errors > before:
        return
    declared = {one.name: one for one in work.blueprint.exports}
    names = Names(declared)
    for name, node in given.items():
        if name not in declared:
            span = merged.key_span(name) if merged is not None else node.span
            summary = f"the blueprint declares no export `{name}`, so it is dropped"
            told.warn("export_not_declared", span, summary, suggestion(name, names))
            work.ignored[name] = node
    for name, one in declared.items():
        found_node = given.get(name)
        if found_node is None:
            work.missing.append(name)
            severity = ERROR if work.context.settings.strict else WARNING
            summary = f"no export execution gives the export `{name}`"
            told.add(Diagnostic("export_missing", summary, one.span, severity))
        else:
            work.exports[name] = _checked(name, found_node, one, work)


def _checked(name: str, node: AnyNode, one: Declaration, work: Installation) -> AnyNode:
    """An export that fits its declaration; one that does not is reported."""
    told = work.told
    if one.kind == DATA:
        if one.schema is not None:
            what = f"export `{name}`"
            told.extend(work.schemas.problems(node, one.schema, what, "export_schema"))
        return node
    found = fields_of(node, _TARGET, told)
    kind = text_at(found, "type")
    if kind and kind != one.target_type:
        note = Note("the export is declared here", one.span)
        summary = f"the target export `{name}` has another type than `{one.target_type}`"
        told.error("export_target_type", found["type"].span, summary, None, note)
    return node


def _merged(low: Map, high: Map, work: Installation) -> Map:
    """Two maps as one, deeply: the later one wins, lists are replaced."""
    items = dict(low.items)
    for key, node in high.items.items():
        work.context.meter.work(1)
        old = items.get(key)
        both = isinstance(old, Map) and isinstance(node, Map)
        items[key] = _merged(old, node, work) if both else node  # type: ignore[arg-type]
    return high.replacing(items)


def outcomes(work: Installation) -> dict[str, Any]:
    """The bindings of the deployment: what is not known of an item is an unknown value."""
    links = [link for one in work.subinstallations for link in one.exports]
    named = (
        ("deployitems", work.item_exports, [text_at(one, "name") for one in work.deploy_items]),
        ("dataobjects", work.objects, [link.ref for link in links if link.kind == DATA]),
        ("targets", work.targets, [link.ref for link in links if link.kind != DATA]),
    )
    found: dict[str, Any] = {}
    for kind, made, names in named:
        known = {**made, **dict(items_at(work.known.get(kind)))}
        found[kind] = {name: plain(node) for name, node in known.items()}
        for name in names:
            path = f"{kind}.{name}"
            hint = (
                f"`--state FILE` supplies it under {path}; `--placeholders` writes a mark instead"
            )
            found[kind].setdefault(name, work.absent(path, hint))
    return {**found, "values": dict(found)}
