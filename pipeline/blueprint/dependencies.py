"""Resources that are named outside of expressions: `dependsOn` and `linkSelector.exclude`.

Both came with version 2025-11-02 of the specification.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..diagnostics import Diagnostics, Names, meant
from ..language.errors import Failure
from ..tree import AnyNode, Array, Map, Scalar

if TYPE_CHECKING:
    from .budget import Budget
    from .evaluation import Evaluation

STEP = "each"


def named_nodes(node: AnyNode | None) -> list[Scalar]:
    """The texts of a name or a list of names."""
    items = node.items if isinstance(node, Array) else [node]
    return [item for item in items if isinstance(item, Scalar) and isinstance(item.value, str)]


def check_dependencies(resources: Map, diagnostics: Diagnostics) -> None:
    """Reports names of resources that do not exist, and resources that name themselves."""
    names: Names | None = None
    for name, node in resources.items.items():
        if not isinstance(node, Map):
            continue
        for field, items in _named(node).items():
            for item in items:
                target = str(item.value)
                if not target.strip():
                    continue
                if target == name:
                    diagnostics.error(
                        "missing_resource_dependency",
                        item.span,
                        f"`{field}` of the resource `{name}` names the resource itself",
                    )
                elif target not in resources.items:
                    names = names or Names(resources.items)
                    diagnostics.error(
                        "missing_resource_dependency",
                        item.span,
                        f"`{field}` names the resource `{target}`, which does not exist",
                        None if diagnostics.full else meant(target, names),
                    )


def _named(node: Map) -> dict[str, list[Scalar]]:
    selector = node.get("linkSelector")
    excluded = selector.get("exclude") if isinstance(selector, Map) else None
    return {
        "dependsOn": named_nodes(node.get("dependsOn")),
        "linkSelector.exclude": named_nodes(excluded) if isinstance(excluded, Array) else [],
    }


def settle_dependencies(
    resources: Map,
    instances: Mapping[str, Sequence[str]],
    declared: Mapping[str, object],
    evaluation: Evaluation,
) -> Map:
    """The resources with names of what is there: instances for a template, nothing for the pruned.

    `instances` are the names made of each template, `declared` all names before pruning. Many
    resources may name a template of many instances; when that gets too large, the `evaluation`
    reports it.
    """
    items: dict[str, AnyNode] = {}
    for name, node in resources.items.items():
        items[name] = node
        if isinstance(node, Map):
            try:
                items[name] = _settled(node, resources, instances, declared, evaluation.budget)
            except Failure as failure:
                evaluation.report(node, failure)
                return resources
    if all(items[name] is node for name, node in resources.items.items()):
        return resources
    return resources.replacing(items, STEP)


def _settled(
    node: Map,
    resources: Map,
    instances: Mapping[str, Sequence[str]],
    declared: Mapping[str, object],
    budget: Budget,
) -> Map:
    def replaced(names: AnyNode) -> AnyNode | None:
        found: list[AnyNode] = []
        old = named_nodes(names)
        for item in old:
            target = str(item.value)
            if target in instances:
                budget.spend_nodes(len(instances[target]))
                made = [
                    Scalar(one, item.trail.then(STEP), item.start, item.end)
                    for one in instances[target]
                ]
                found.extend(made)
            elif target in resources.items or target not in declared:
                found.append(item)
        if len(found) == len(old) and all(a is b for a, b in zip(found, old, strict=True)):
            return names
        if not found:
            return None
        return Array(found, names.trail.then(STEP), names.start, names.end)

    node = _with(node, "dependsOn", replaced)
    selector = node.get("linkSelector")
    if isinstance(selector, Map):
        new = _with(selector, "exclude", replaced)
        if new is not selector:
            return node.replacing({**node.items, "linkSelector": new}, STEP)
    return node


def _with(node: Map, key: str, replaced: object) -> Map:
    names = node.get(key)
    if names is None:
        return node
    assert callable(replaced)
    new = replaced(names)
    if new is names:
        return node
    items = {
        k: (new if k == key else v) for k, v in node.items.items() if k != key or new is not None
    }
    return node.replacing(items, STEP)
