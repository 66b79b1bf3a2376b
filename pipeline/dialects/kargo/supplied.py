"""What a caller supplies for steps, Stages and variables that are not there, mostly misspelt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...engine.run import Context
from ...values.diagnostics import Hint, Names, suggestion
from ...values.tree import list_at, templates_in, text_at
from .freight import items_of, requested_by
from .manifests import Manifests
from .promotions import SEPARATOR, STAGE, TASKS, Promotion
from .state import ALL


def check_supplied(promotions: list[Promotion], manifests: Manifests, context: Context) -> None:
    """Warns of statuses, state, variables and Freight for what no promotion has."""
    options = manifests.options
    known = {one.label: _aliases(one) for one in promotions}
    everywhere = {alias for one in known.values() for alias in one}
    state: Mapping[str, Any] = options.state or {}
    stages: Mapping[str, Any] = state.get("stages") or {}

    def check(who: str, kind: str, told: Iterable[str], known: set[str]) -> None:
        names = Names(known)
        for name in told:
            context.meter.work(1)
            if name not in known and name != ALL:
                summary = f"{who} names the {kind} `{name}`, which is not there"
                full = next((one for one in known if one.endswith(f"{SEPARATOR}{name}")), None)
                hint = f"did you mean `{full}`?" if full else suggestion(name, names)
                context.diagnostics.warn("undeclared_state", None, summary, hint)

    check("`--status`", "step", options.status, everywhere)
    check("the state", "Stage", stages, {*known, *manifests.names(STAGE)})
    for key in ("status", "outputs"):
        check("the state", "step", state.get(key) or (), everywhere)
        for name in stages.keys() & known.keys():
            check("the state", "step", stages[name].get(key) or (), known[name])
    origins = {name for one in manifests.all(STAGE) for name in requested_by(one)}
    for one in manifests.freight if promotions and origins else ():
        for item in items_of(manifests, one) if one.kind == "Freight" else ():
            context.meter.work(1)
            if item.origin not in origins:
                summary = f"no Stage requests Freight of the Warehouse `{item.origin}`"
                near: Hint = suggestion(item.origin, origins)
                if not item.origin:
                    summary, near = (
                        "this Freight has no `origin.name`",
                        "write `origin: {kind: Warehouse, name: ..}`",
                    )
                context.diagnostics.warn("undeclared_state", item.span, summary, near)
    declared = {name for one in promotions for name in _declared(one)}
    for name in options.variables.keys() - declared:
        if promotions and not any(_reads(name, one, context) for one in promotions):
            summary = f"nothing reads the variable `{name}` that is given"
            tasks = (one for kind in TASKS for one in manifests.all(kind))
            theirs = (
                text_at(v, "name") for one in tasks for v in list_at(one.node, "spec", "vars")
            )
            hint = suggestion(name, declared.union(theirs))
            context.diagnostics.warn("undeclared_variable", None, summary, hint)


def _declared(promotion: Promotion) -> Iterator[str]:
    """The names of the variables that a promotion has without those of the caller."""
    for holder in filter(None, (promotion.manifest, promotion.stage)):
        for path in (("spec", "vars"), ("spec", "promotionTemplate", "spec", "vars")):
            yield from (text_at(one, "name") for one in list_at(holder.node, *path))
    for step in promotion.steps:
        yield from (one.name for one in step.variables)


def _aliases(promotion: Promotion) -> set[str]:
    """The aliases that may have a status or outputs: those of steps, and of tasks."""
    own = {one.alias for one in promotion.steps} | promotion.lost
    return own | {alias.partition(SEPARATOR)[0] for alias in own}


def _reads(name: str, promotion: Promotion, context: Context) -> bool:
    """True for a name that a template may read."""
    nodes = [*promotion.nodes]
    context.meter.work(len(nodes))
    found = (one for node in nodes for one in templates_in(node))
    return any(name in (one.text or "") for one in found)
