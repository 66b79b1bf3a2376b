"""Deploy items: their fields, the targets that they name, and their dependencies.

Section 5.1 of the notes: what an execution gives becomes the items of the output.
"""

from __future__ import annotations

import re
from typing import Final

from ....functions.expr.moments import read_duration
from ....functions.values import FunctionError
from ...values.diagnostics import Diagnostics, meant
from ...values.tree import AnyNode, Array, Map, Scalar
from .blueprint import TARGET, TARGET_LIST, TARGET_MAP, find_cycle, report_duplicates
from .fields import RENDERED, entries, fields_of, form, text_at
from .installation import Installation, map_of

ITEM: Final = form(
    "a deploy item",
    "name! type! target:map labels:text-map config:any dependsOn:texts timeout:any "
    "updateOnChangeOnly:bool onDelete:map",
    "configuration=config",
    RENDERED,
)
_TARGET: Final = form("a target", "import index:any key name namespace", kind=RENDERED)
_ON_DELETE: Final = form("`onDelete`", "skipUninstallIfClusterRemoved:bool", kind=RENDERED)
_NAME: Final = r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?"
_PREFIX: Final = r"(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?/)?"
_LABEL: Final = re.compile(_PREFIX + _NAME)
_LABEL_VALUE: Final = re.compile(rf"(?:{_NAME})?")
_NONE: Final = "none"


def deploy_item(node: AnyNode, work: Installation) -> Map | None:
    """An item as it is written in the output, None without a name; mistakes are reported."""
    told = work.told
    before = told.errors
    found = fields_of(node, ITEM, told)
    name = text_at(found, "name")
    for key in ("name", "type"):
        if key in found and not text_at(found, key):
            told.error("field_required", found[key].span, f"`{key}` of a deploy item is empty")
    if "target" in found and told.errors == before:
        made = _target(name, found["target"], work)
        if made is not None:
            found["target"] = made
    _check_labels(found.get("labels"), told)
    if "timeout" in found:
        found["timeout"] = _timeout(found["timeout"], told)
    if "onDelete" in found:
        found["onDelete"] = map_of(
            fields_of(found["onDelete"], _ON_DELETE, told), found["onDelete"]
        )
    return node.replacing(found) if isinstance(node, Map) and name else None


def _check_labels(node: AnyNode | None, told: Diagnostics) -> None:
    if not isinstance(node, Map):
        return
    for key, value in node.items.items():
        if not _LABEL.fullmatch(key):
            told.error("deploy_item_label", node.key_span(key), f"`{key}` is not a valid label")
        elif isinstance(value, Scalar) and not _LABEL_VALUE.fullmatch(str(value.value)):
            hint = "at most 63 letters, digits, `-`, `_` and `.`"
            summary = f"the label `{key}` has no valid value"
            told.error("deploy_item_label", value.span, summary, hint)


def _timeout(node: AnyNode, told: Diagnostics) -> AnyNode:
    """A duration as Go writes it."""
    text = node.value if isinstance(node, Scalar) else None
    try:
        duration = "0s" if text == _NONE else str(read_duration(str(text)))
    except FunctionError:
        hint = "a duration such as `10m`, or `none`"
        told.error("rendered_yaml", node.span, "`timeout` is not a valid duration", hint)
        return node
    made = _NONE if duration == "0s" else duration
    return Scalar(made, node.trail, node.start, node.end)


def _target(name: str, node: AnyNode, work: Installation) -> AnyNode | None:
    """The name and namespace of the Target that an item names; None after a mistake."""
    found = fields_of(node, _TARGET, work.told)
    wanted = text_at(found, "import")
    if not wanted:
        return _by_name(name, node, text_at(found, "name"), work)
    kind, what = TARGET, "target"
    if "index" in found:
        kind, what = TARGET_LIST, "targetlist"
    elif "key" in found:
        kind, what = TARGET_MAP, "targetmap"
    declared = work.active.get(wanted)
    value = work.values.get(wanted)
    start = f'invalid deployitem specification "{name}": '
    place = found["import"].span
    if declared is None or declared.kind != kind or value is None:
        hint = _hint(wanted, kind, work)
        work.told.error(
            "deploy_item_target", place, f'{start}{what} import "{wanted}" not found', hint
        )
        return None
    target = value.node
    if target is None:
        work.told.error(
            "unknown_value", place, f"the import `{wanted}` is known only after deployment"
        )
        return None
    if kind == TARGET_LIST and isinstance(target, Array):
        target = _at_index(start, found["index"], target, work)
    elif kind == TARGET_MAP and isinstance(target, Map):
        key = text_at(found, "key")
        inner = target.get(key)
        if inner is None:
            summary = f'{start}key "{key}" not found in targetmap import "{wanted}"'
            work.told.error(
                "deploy_item_target", found["key"].span, summary, meant(key, target.items)
            )
        target = inner
    if target is None:
        return None
    metadata = target.get("metadata") if isinstance(target, Map) else None
    parts = {key: _text(metadata, key) for key in ("name", "namespace")}
    if not all(parts.values()):
        hint = f"the Target of the import `{wanted}` needs `metadata.name` and `.namespace`"
        work.told.error("deploy_item_target", place, f"{start}empty target reference", hint)
        return None
    return _reference(parts["name"], parts["namespace"], node)


def _at_index(start: str, node: AnyNode, targets: Array, work: Installation) -> AnyNode | None:
    value = node.value if isinstance(node, Scalar) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        work.told.error("rendered_yaml", node.span, "`index` of a target must be an integer")
        return None
    index = int(value)
    if 0 <= index < len(targets.items):
        return targets.items[index]
    size = len(targets.items)
    hint = f"the list has {size} Target{'' if size == 1 else 's'}, the first is 0"
    summary = f"{start}index {index} out of bounds"
    work.told.error("deploy_item_target", node.span, summary, hint)
    return None


def _by_name(name: str, node: AnyNode, wanted: str, work: Installation) -> AnyNode | None:
    if wanted:
        return _reference(wanted, work.options.namespace, node)
    summary = f'invalid deployitem specification "{name}": empty target reference'
    hint = "`target: {import: NAME}` names an imported Target"
    work.told.error("deploy_item_target", node.span, summary, hint)
    return None


def _hint(wanted: str, kind: str, work: Installation) -> str | None:
    declared = work.active.get(wanted)
    if declared is None:
        known = [name for name, one in work.active.items() if one.kind == kind]
        return meant(wanted, known) or "declare the import, or give it a value"
    ways = {TARGET_LIST: "add `index: 0`", TARGET_MAP: "add `key: KEY`"}
    return f"`{wanted}` is a {declared.kind} import" + (
        f": {ways[declared.kind]}" if kind == TARGET and declared.kind in ways else ""
    )


def _text(node: AnyNode | None, key: str) -> str:
    found = node.get(key) if isinstance(node, Map) else None
    return found.value if isinstance(found, Scalar) and isinstance(found.value, str) else ""


def _reference(name: str, namespace: str, near: AnyNode) -> Map:
    def scalar(value: str) -> Scalar:
        return Scalar(value, near.trail, near.start, near.end)

    return map_of({"name": scalar(name), "namespace": scalar(namespace)}, near)


def check_items(items: list[Map], told: Diagnostics) -> None:
    """Checks a list of items: names are unique, and dependencies exist and have no cycle."""
    report_duplicates("deploy item", (one.get("name") for one in items), told)
    after: dict[str, dict[str, AnyNode]] = {}
    for item in items:
        listed = entries(item.get("dependsOn"))
        after[text_at(item.items, "name")] = {str(getattr(one, "value", "")): one for one in listed}
    for name, needed in after.items():
        for other, node in needed.items():
            if other not in after:
                summary = f"`{name}` depends on the deploy item `{other}`, which does not exist"
                told.error("deploy_item_dependency", node.span, summary, meant(other, after))
    way = find_cycle(after)
    if way:
        text = " -> ".join(f"`{one}`" for one in way)
        summary = f"the deploy items depend on each other: {text}"
        told.error("deploy_item_cycle", after[way[0]][way[1]].span, summary)
