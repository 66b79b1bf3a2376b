"""Simulated exports: templates that stand for what a deployment would export.

Of the specification, "Export Values". An item's template gives its `exports`; an installation's
gives its `dataExports` and `targetExports`, and the installation is then not rendered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ....functions.go.regexps import BadPattern, Regexp, compile_pattern
from ....functions.record import Record
from ...formats.go_yaml import plain
from ...values.tree import AnyNode, Map, Scalar
from .executions import rendered
from .fields import RESULT, entries, fields_of, form, text_at
from .installation import Installation
from .parts import text_in
from .subinstallations import Subinstallation

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
    """The export templates of a render."""

    def __init__(self, root: AnyNode, work: Installation) -> None:
        found = fields_of(root, _FILE, work.told)
        self.items = list(_templates(found.get("deployItems"), work))
        self.installations = list(_templates(found.get("installations"), work))

    def item_exports(self, work: Installation) -> dict[str, AnyNode]:
        """The exports of the deploy items of an installation that a template is for."""
        made: dict[str, AnyNode] = {}
        for item in work.deploy_items:
            name = text_at(item.items, "name")
            found = self._run(self.items, f"{work.path}/{name}", "deployItem", plain(item), work)
            exports = fields_of(found, _GIVEN, work.told).get("exports") if found else None
            if exports is not None:
                made[name] = exports
        return made

    def installation_exports(
        self, one: Subinstallation, work: Installation
    ) -> tuple[Mapping[str, AnyNode], Mapping[str, AnyNode]] | None:
        """The data and targets that a subinstallation exports; None without a template for it."""
        data = plain(one.node)
        path = f"{work.path}/{one.name}"
        root = self._run(self.installations, path, "installation", data, work)
        if root is None:
            return None
        found = fields_of(root, _GIVEN, work.told)
        sections = (found.get(key) for key in ("dataExports", "targetExports"))
        first, second = (node.items if isinstance(node, Map) else {} for node in sections)
        return first, second

    def _run(
        self, among: list[ExportTemplate], path: str, key: str, data: Any, work: Installation
    ) -> AnyNode | None:
        """The result of the first template for a path."""
        for one in among:
            work.context.meter.work(1)
            if not one.pattern.finds(path):
                continue
            bindings = work.bindings
            dot = {
                "imports": bindings["imports"],
                "installationPath": work.path,
                "templateName": one.name,
                key: data,
                "cd": bindings["cd"],
                "components": bindings["components"],
                "state": {slot: plain(node) for slot, node in work.slots.items()},
            }
            return rendered(work, text_in(one.template), dot, f"export template `{one.name}`")
        return None


def _templates(node: AnyNode | None, work: Installation) -> Iterator[ExportTemplate]:
    for one in entries(node):
        found = fields_of(one, _TEMPLATE, work.told)
        selector, template = found.get("selector"), found.get("template")
        if not isinstance(selector, Scalar) or not isinstance(template, Scalar):
            continue
        try:
            pattern = compile_pattern(str(selector.value))
        except BadPattern as error:
            work.told.error(
                "argument_type",
                selector.span,
                "the selector is not a valid pattern",
                error.hint,
            )
            continue
        yield ExportTemplate(text_at(found, "name"), pattern, template)
