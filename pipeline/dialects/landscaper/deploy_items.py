"""Deploy items: their fields, the targets that they name, and their dependencies.

Of the specification, "DeployItems": what an execution gives becomes the items of the output.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ....functions.expr.moments import read_duration
from ....functions.regexes import compile_regex
from ....functions.values import FunctionError
from ...language.errors import Failure
from ...values.diagnostics import Diagnostics, meant
from ...values.tree import AnyNode, Array, Map, Scalar, build, items_at, list_at, text_at
from .blueprint import TARGET, TARGET_LIST, TARGET_MAP, find_cycle, report_duplicates
from .fields import RENDERED, fields_of, form, map_of, report_failure
from .installation import Installation

ITEM: Final = form(
    "a deploy item",
    "name! type! target:map labels:text-map config:any dependsOn:texts timeout:any "
    "updateOnChangeOnly:bool onDelete:map",
    "configuration=config",
    RENDERED,
)
_TARGET: Final = form("a target", "import index:any key name namespace", kind=RENDERED)
_ON_DELETE: Final = form("`onDelete`", "skipUninstallIfClusterRemoved:bool", kind=RENDERED)
FORMS: Final = {"item": ITEM, "target": _TARGET, "onDelete": _ON_DELETE}
"""The forms of what a deploy item consists of, by name."""
_NAME: Final = r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?"
_PREFIX: Final = r"(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?/)?"
_LABEL: Final = compile_regex(_PREFIX + _NAME)
_LABEL_VALUE: Final = compile_regex(rf"(?:{_NAME})?")
_NONE: Final = "none"
_CODE: Final = "deploy_item_target"
_ELEMENTS: Final = {"index": TARGET_LIST, "key": TARGET_MAP}
"""What names an element of a list or a map."""


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
        try:
            found["target"] = _target(name, found["target"], work)
        except Failure as failure:
            report_failure(failure, told)
    _check_labels(found.get("labels"), told)
    if "timeout" in found:
        found["timeout"] = _timeout(found["timeout"], told)
    if "onDelete" in found:
        inside = fields_of(found["onDelete"], _ON_DELETE, told)
        found["onDelete"] = map_of(inside, found["onDelete"])
    return node.replacing(found) if isinstance(node, Map) and name else None


def _check_labels(node: AnyNode | None, told: Diagnostics) -> None:
    for key, value in items_at(node):
        if not _LABEL.fullmatch(key) and isinstance(node, Map):
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
    return build(made, node.trail, node.start, node.end)


def _target(name: str, node: AnyNode, work: Installation) -> Map:
    """The name and namespace of the Target that an item names.

    Raises:
        Failure: there is no such Target; with the sentence of Landscaper.
    """
    found = fields_of(node, _TARGET, work.told)
    start = f'invalid deployitem specification "{name}": '
    parts = [text_at(found, "name"), work.options.namespace]
    place, hint = node, "`target: {import: NAME}` names an imported Target"
    if text_at(found, "import"):
        place, hint = found["import"], "the Target needs `metadata.name` and `metadata.namespace`"
        target = _imported(start, found, work)
        parts = [text_at(target, "metadata", key) for key in ("name", "namespace")]
    if not all(parts):
        raise Failure(_CODE, f"{start}empty target reference", place, hint)
    return map_of({"name": parts[0], "namespace": parts[1]}, node)


def _imported(start: str, found: Mapping[str, AnyNode], work: Installation) -> AnyNode:
    """The Target of an import, or an element of its list or map."""
    place, wanted = found["import"], text_at(found, "import")
    kind = next((kind for key, kind in _ELEMENTS.items() if key in found), TARGET)
    declared, value = work.active.get(wanted), work.values.get(wanted)
    what = f'{start}{kind.lower()} import "{wanted}" not found'
    if declared is None or value is None:
        known = [name for name, one in work.active.items() if one.kind == kind]
        hint = meant(wanted, known) or "declare the import, or give it a value"
        raise Failure(_CODE, what, place, hint)
    if declared.kind != kind:
        key = next((key for key, one in _ELEMENTS.items() if one == declared.kind), "")
        hint = f"`{wanted}` is a {declared.kind} import" + (f": add `{key}`" if key else "")
        raise Failure(_CODE, what, place, hint)
    target = value.node
    if target is None:
        summary = f"the import `{wanted}` is known only after deployment"
        raise Failure("unknown_value", summary, place)
    if isinstance(target, Map) and kind == TARGET_MAP:
        key = text_at(found, "key")
        if key not in target.items:
            summary = f'{start}key "{key}" not found in targetmap import "{wanted}"'
            raise Failure(_CODE, summary, found["key"], meant(key, target.items))
        return target.items[key]
    if isinstance(target, Array) and kind == TARGET_LIST:
        index = getattr(found["index"], "value", None)
        if isinstance(index, bool) or not isinstance(index, int | float) or index % 1:
            summary = "`index` of a target must be an integer"
            raise Failure("rendered_yaml", summary, found["index"])
        if not 0 <= index < len(target.items):
            hint = f"the list has {len(target.items)} Targets, the first is 0"
            summary = f"{start}index {int(index)} out of bounds"
            raise Failure(_CODE, summary, found["index"], hint)
        return target.items[int(index)]
    return target


def check_items(items: list[Map], told: Diagnostics) -> None:
    """Checks a list of items: names are unique, and dependencies exist and have no cycle."""
    report_duplicates("deploy item", items, told)
    after: dict[str, dict[str, AnyNode]] = {}
    for item in items:
        listed = list_at(item, "dependsOn")
        after[text_at(item, "name")] = {str(getattr(one, "value", "")): one for one in listed}
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
