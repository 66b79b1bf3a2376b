"""The phases of one installation, the root or a nested one: what executions give, collected."""

from __future__ import annotations

from typing import Final

from ...values.tree import AnyNode, Array, Map, Scalar
from .deploy_items import deploy_item
from .executions import entries_of, run_executions
from .fields import ANY, MAP, TEXTS, Form, fields_of
from .installation import BOUND, Installation, Value
from .options import DEPLOY, IMPORT, SUBINSTALLATION
from .subinstallations import (
    check_flow,
    optional_without_value,
    read_subinstallation,
    templates_of,
    without_absent,
)

_RESULT: Final = Form(
    "the result of an import execution", {"bindings": MAP, "errors": TEXTS}, rendered=True
)


def run_import_executions(work: Installation) -> None:
    """Runs the import executions; the first with errors is the last."""
    work.renew()
    for execution, root in run_executions(work, IMPORT, {}):
        known = {key: node for key, node in root.items.items() if key.lower() in ("bindings", "errors")}
        found = fields_of(root.replacing(known), _RESULT, work.told)
        bindings = found.get("bindings")
        for name, node in bindings.items.items() if isinstance(bindings, Map) else ():
            declared = work.active.get(name)
            value = Value(name, node, BOUND, declared, execution.name)
            work.values[name] = value
            work.makers[id(node)] = execution
            work.bindings["imports"][name] = value.data()
        errors = found.get("errors")
        for one in errors.items if isinstance(errors, Array) else ():
            text = one.value if isinstance(one, Scalar) else ""
            work.told.error("import_rejected", one.span, str(text))
        if isinstance(errors, Array) and errors.items:
            return


def find_subinstallations(work: Installation) -> None:
    """Finds the subinstallations of an installation, and checks the flow of data among them."""
    told = work.told
    nodes: list[AnyNode] = []
    for execution, root in run_executions(work, SUBINSTALLATION, {}):
        nodes += entries_of(root, "subinstallations", execution, work)
    nodes += templates_of(work)
    absent = list(optional_without_value(work))
    found = []
    for node in nodes:
        work.context.meter.work(1)
        one = read_subinstallation(node, told)
        if one is not None:
            kept = without_absent(one, absent)
            found.append(kept)
            if id(node) in work.makers:
                work.makers[id(kept.node)] = work.makers[id(node)]
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
                work.makers[id(item)] = execution
