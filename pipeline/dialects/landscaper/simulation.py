"""Simulated exports: templates that stand for what a deployment would export.

Of the specification, "Export Values". An item's template gives its `exports`; an installation's
gives its `dataExports` and `targetExports`, and the installation is then not rendered.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ....functions.go.regexps import BadPattern, Regexp, compile_pattern
from ....functions.record import Record
from ...formats.go_yaml import plain
from ...values.tree import AnyNode, Scalar, list_at, text_at
from .executions import rendered
from .fields import RESULT, fields_of, form
from .installation import Installation
from .parts import text_in

_FILE: Final = form("the export templates", "deployItems:list installations:list")
_TEMPLATE: Final = form("an export template", "name selector! template!")
_GIVEN: Final = form(
    "the result of an export template", "exports:map dataExports:map targetExports:map", kind=RESULT
)


class ExportTemplate(Record, eq=False):
    """A template, and the pattern of the paths that it is for."""

    name: str
    pattern: Regexp
    template: Scalar


class Simulation:
    """The export templates of a render, by the kind of what they are for."""

    def __init__(self, root: AnyNode, work: Installation) -> None:
        found = fields_of(root, _FILE, work.told)
        self.templates = {key: [*_templates(list_at(found, key), work)] for key in _FILE.fields}

    def item_exports(self, work: Installation) -> Iterator[tuple[str, AnyNode]]:
        """The exports of the deploy items of an installation that a template is for."""
        for item in work.deploy_items:
            name = text_at(item, "name")
            found = self.run("deployItems", f"{work.path}/{name}", "deployItem", item, work)
            if found and "exports" in found:
                yield name, found["exports"]

    def run(
        self, kind: str, path: str, key: str, node: AnyNode, work: Installation
    ) -> dict[str, AnyNode] | None:
        """The fields of the result of the first template for a path; None without one."""
        for one in self.templates[kind]:
            work.context.meter.work(1)
            if not one.pattern.finds(path):
                continue
            bindings = work.bindings
            dot = {
                "imports": bindings["imports"],
                "installationPath": work.path,
                "templateName": one.name,
                key: plain(node),
                "cd": bindings["cd"],
                "components": bindings["components"],
                "state": {slot: plain(node) for slot, node in work.slots.items()},
            }
            root = rendered(work, text_in(one.template), dot, f"export template `{one.name}`")
            return fields_of(root, _GIVEN, work.told) if root is not None else None
        return None


def _templates(nodes: list[AnyNode], work: Installation) -> Iterator[ExportTemplate]:
    for one in nodes:
        found = fields_of(one, _TEMPLATE, work.told)
        selector, template = found.get("selector"), found.get("template")
        if not isinstance(selector, Scalar) or not isinstance(template, Scalar):
            continue
        try:
            pattern = compile_pattern(str(selector.value))
        except BadPattern as error:
            summary = "the selector is not a valid pattern"
            work.told.error("argument_type", selector.span, summary, error.hint)
            continue
        yield ExportTemplate(text_at(found, "name"), pattern, template)
