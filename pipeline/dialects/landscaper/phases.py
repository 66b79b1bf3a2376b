"""The phases of one installation, the root or a nested one: what executions give, collected."""

from __future__ import annotations

from collections.abc import Iterator

from ...formats.go_yaml import read_go
from ...values.tree import AnyNode, Map, items_at, list_at, text_at
from .blueprint import DATA, Execution
from .deploy_items import check_items, deploy_item
from .executions import run_executions
from .fields import ANY, LIST, MAP, TEXTS
from .installation import BOUND, Installation, Value
from .options import DEPLOY, IMPORT, SUBINSTALLATION
from .subinstallations import check_flow, read_subinstallation, without_absent


def run_import_executions(work: Installation) -> None:
    """Runs the import executions; the first with errors is the last."""
    work.renew()
    for execution, found in run_executions(work, IMPORT, {}, ("bindings", MAP), ("errors", TEXTS)):
        for name, node in items_at(found, "bindings"):
            value = Value(name, node, BOUND, work.active.get(name), execution.name)
            work.values[name] = value
            work.makers["imports", name] = execution
            work.bindings["imports"][name] = value.data(work.options.placeholders)
        errors = list_at(found, "errors")
        for one in errors:
            work.told.error("import_rejected", one.span, str(getattr(one, "value", "")))
        if errors:
            return


def find_subinstallations(work: Installation) -> None:
    """Finds the subinstallations of an installation, and checks the flow of data among them."""
    nodes: list[tuple[AnyNode, Execution | None]] = []
    listed, state = ("subinstallations", LIST), ("state", ANY)
    for execution, result in run_executions(work, SUBINSTALLATION, {}, listed, state):
        nodes += [(node, execution) for node in list_at(result, "subinstallations")]
    nodes += [(node, None) for node in static_subinstallations(work)]
    imports = work.blueprint.all_imports()
    absent = {one.name for one in imports if one.kind == DATA and one.name not in work.values}
    for node, maker in nodes:
        work.context.meter.work(1)
        one = read_subinstallation(node, work.told)
        if one is not None:
            work.subinstallations.append(without_absent(one, absent))
            if maker is not None:
                work.makers["subinstallations", one.name] = maker
    check_flow(work.subinstallations, work.active, work.told)


def find_deploy_items(work: Installation) -> None:
    """Runs the deploy executions of an installation."""
    for execution, found in run_executions(work, DEPLOY, {}, ("deployItems", LIST), ("state", ANY)):
        for node in list_at(found, "deployItems"):
            work.context.meter.work(1)
            item = deploy_item(node, work)
            if item is not None:
                work.deploy_items.append(item)
                work.makers["deployItems", text_at(item, "name")] = execution
    check_items(work.deploy_items, work.told)


def static_subinstallations(work: Installation) -> Iterator[AnyNode]:
    """The static subinstallations of a blueprint, read from their files where these are named."""
    for entry in work.blueprint.subinstallations:
        file = next((node for key, node in items_at(entry) if key.lower() == "file"), None)
        if file is None:
            yield entry
        elif isinstance(entry, Map) and len(entry.items) > 1:
            summary = "a subinstallation has either a `file` or a template inline"
            work.told.error("field_conflict", file.span, summary)
        else:
            source = work.parts.named(file)
            node = source and read_go(source, work.context.meter, work.told)
            if node:
                yield node
