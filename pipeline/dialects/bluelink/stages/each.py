"""each: one resource template becomes one resource for each element."""

from __future__ import annotations

from typing import Final

from ....engine.budget import count_nodes
from ....engine.materialisation import Omitted
from ....engine.run import Context
from ....language.errors import Failure
from ....values.document import Document
from ....values.settings import how_to_raise
from ....values.tree import AnyNode, Array, Map
from ..checking.dependencies import settle_dependencies
from ..evaluating.base import Frame
from ..evaluating.evaluation import Evaluation, evaluation_of
from ..refusals import too_many_resources

STEP = "each"
_STEPS: Final = 25  # what an instance costs, whatever is in it


def expand_each(document: Document, context: Context) -> Document:
    """Puts the instances `<template>_<index>` in the place of each template.

    What needs `elem` or `i` is evaluated in the scope of its element. An instance whose own
    condition is false leaves a gap in the numbering (specification, "each").
    """
    resources = document.section("resources")
    if resources is None:
        return document
    evaluation = evaluation_of(document, context, STEP)
    written = evaluation.document.section("resources")  # before any was pruned
    declared = written.items if written is not None else {}
    templates = {
        name
        for name, node in resources.items.items()
        if isinstance(node, Map) and isinstance(node.get("each"), Array)
    }
    instances: dict[str, list[str]] = {}
    items: dict[str, AnyNode] = {}
    for name, node in resources.items.items():
        made = {name: node}
        if name in templates and isinstance(node, Map):
            try:
                made = _instances(evaluation, name, node)
            except Failure as failure:
                evaluation.report(node, failure)
                break
            instances[name] = list(made)
        for key, resource in made.items():
            other = items.get(key) or resources.items.get(key) if key != name else None
            if other is not None and not _may_go(evaluation, resource, other):
                context.diagnostics.error(
                    "duplicate_resource_name",
                    resources.key_span(name),
                    f"an instance of `{name}` would be named `{key}`, as another resource is",
                    "rename one of them",
                )
            items[key] = resource
        if len(items) > context.limits.max_resources:
            context.diagnostics.error(
                "limit_exceeded",
                resources.key_span(name),
                too_many_resources(context.limits.max_resources),
                how_to_raise("max_resources", context.limits),
            )
            break
    expanded = resources.replacing(items, STEP) if templates else resources
    settled = settle_dependencies(expanded, instances, declared, evaluation)
    return document.replacing({"resources": settled}, STEP)


def _may_go(evaluation: Evaluation, *resources: AnyNode) -> bool:
    """True, in a check, when a render may remove one of the resources."""
    doubts = evaluation.doubts
    return doubts is not None and any(map(doubts.may_remove, resources))


def _instances(evaluation: Evaluation, name: str, node: Map) -> dict[str, AnyNode]:
    """The instances of a resource template by their names.

    Raises:
        Failure: when the document gets too large.
    """
    each = node.get("each")
    assert isinstance(each, Array)
    made: dict[str, AnyNode] = {}
    size = count_nodes(node) - count_nodes(each)
    meter = evaluation.context.meter
    for index in range(len(each.items)):
        frame = Frame(name, index)
        try:
            alive = evaluation.alive(name, frame)
        except Failure:
            continue
        if alive is False:
            continue
        meter.work(_STEPS)
        evaluation.budget.spend_nodes(size)
        fields: dict[str, AnyNode] = {}
        for key, child in node.items.items():
            if key == "each" or (key == "condition" and alive is True):
                continue
            if key == "condition":
                fields[key] = alive
                continue
            new = evaluation.node(child, frame)
            if not isinstance(new, Omitted):
                fields[key] = new
        made[f"{name}_{index}"] = node.replacing(fields, STEP)
        evaluation.forget(node, frame)
    return made
