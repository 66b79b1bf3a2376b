"""The phases of one installation, the root or a nested one: what executions give, collected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...formats.go_yaml import read_go
from ...values.tree import AnyNode, Array, Map, Scalar
from .blueprint import DATA, Execution
from .deploy_items import deploy_item
from .executions import entries_of, run_executions
from .fields import MAP, TEXTS, Form, fields_of, text_at
from .installation import BOUND, Installation, Value
from .options import DEPLOY, IMPORT, SUBINSTALLATION
from .subinstallations import (
    check_flow,
    read_subinstallation,
    without_absent,
)

_RESULT: Final = Form(
    "the result of an import execution", {"bindings": MAP, "errors": TEXTS}, rendered=True
)


def run_import_executions(work: Installation) -> None:
    """Runs the import executions; the first with errors is the last."""
    work.renew()
    for execution, root in run_executions(work, IMPORT, {}):
        known = {
            key: node for key, node in root.items.items() if key.lower() in ("bindings", "errors")
        }
        found = fields_of(root.replacing(known), _RESULT, work.told)
        bindings = found.get("bindings")
        for name, node in bindings.items.items() if isinstance(bindings, Map) else ():
            declared = work.active.get(name)
            value = Value(name, node, BOUND, declared, execution.name)
            work.values[name] = value
            work.makers["imports", name] = execution
            work.bindings["imports"][name] = value.data(work.options.placeholders)
        errors = found.get("errors")
        for one in errors.items if isinstance(errors, Array) else ():
            text = one.value if isinstance(one, Scalar) else ""
            work.told.error("import_rejected", one.span, str(text))
        if isinstance(errors, Array) and errors.items:
            return


def find_subinstallations(work: Installation) -> None:
    """Finds the subinstallations of an installation, and checks the flow of data among them."""
    told = work.told
    nodes: list[tuple[AnyNode, Execution | None]] = []
    for execution, root in run_executions(work, SUBINSTALLATION, {}):
        made = entries_of(root, "subinstallations", execution, work)
        nodes += [(node, execution) for node in made]
    nodes += [(node, None) for node in static_subinstallations(work)]
    absent = list(_without_value(work))
    found = []
    for node, maker in nodes:
        work.context.meter.work(1)
        one = read_subinstallation(node, told)
        if one is not None:
            found.append(without_absent(one, absent))
            if maker is not None:
                work.makers["subinstallations", one.name] = maker
    check_flow(found, work.active, told)
    work.subinstallations = found


def find_deploy_items(work: Installation) -> None:
    """Runs the deploy executions of an installation."""
    for execution, root in run_executions(work, DEPLOY, {}):
        for node in entries_of(root, "deployItems", execution, work):
            work.context.meter.work(1)
            item = deploy_item(node, work)
            if item is not None:
                work.deploy_items.append(item)
                work.makers["deployItems", text_at(item.items, "name")] = execution


def static_subinstallations(work: Installation) -> Iterator[AnyNode]:
    """The static subinstallations of a blueprint, read from their files where these are named."""
    for entry in work.blueprint.subinstallations:
        if not isinstance(entry, Map):
            work.told.error("field_type", entry.span, "a subinstallation must be a map")
            continue
        file = next((node for key, node in entry.items.items() if key.lower() == "file"), None)
        if file is None:
            yield entry
            continue
        if len(entry.items) > 1:
            summary = "a subinstallation has either a `file` or a template inline"
            work.told.error("field_conflict", file.span, summary)
            continue
        if not isinstance(file, Scalar) or not isinstance(file.value, str):
            work.told.error("field_type", file.span, "`file` must be a string")
            continue
        source = work.parts.named(file)
        node = source and read_go(source, work.context.meter, work.told)
        if node:
            yield node


def _without_value(work: Installation) -> Iterator[str]:
    """The data imports that have no value, and need none."""
    for one in work.blueprint.imports:
        for inner in one.all():
            if inner.kind == DATA and inner.name not in work.values:
                yield inner.name
