"""Graphs of blueprints: imports, executions, deploy items, subinstallations and exports.

Without values the templates tell what they read; with values the items are those that are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from ....answers.graph.elements import (
    CHILD,
    DEPENDS_ON,
    ELEMENT,
    EXPORT,
    EXPORTED,
    LINK,
    REFERENCE,
    identity,
)
from ....answers.graph.model import Drawing, TooManyEdges
from ....answers.inspection import Survey
from ....engine.run import Run
from ....values.source import Source
from ....values.tree import AnyNode, Map, list_at, text_at
from .. import options as phases
from ..blueprint import DATA, LISTS, Declaration, Execution
from ..checking import Checked, read_checked
from ..installation import Installation
from ..lints import bound_names, item_names, named_imports
from ..options import options_of
from ..subinstallations import Subinstallation

_MAKES: Final = {"deployitems": "deployItems", "dataobjects": DATA, "targets": "target"}


def survey(
    source: Source,
    render: Callable[..., Run],
    prepare: Callable[..., Any],
    arguments: dict[str, Any],
) -> Survey:
    """The graph of a blueprint, of what it makes where values of imports are given.

    Raises:
        FunctionError: `limit_exceeded`.
    """
    context, document = prepare(source, **arguments)
    checked = read_checked(document, context)
    if checked is None:
        return Survey(None, context.diagnostics)
    options = options_of(context.options)
    made: Installation | None = None
    found = context.diagnostics
    if options.imports or options.variables or options.targets or options.stub_targets:
        run = render(source, **arguments)
        found = run.diagnostics
        made = run.work.find(Installation) if run.ok else None
    drawing = _Drawing(checked)
    try:
        drawing.draw(made)
    except TooManyEdges as problem:
        found.error("limit_exceeded", None, str(problem), problem.hint)
        return Survey(None, found)
    return Survey(drawing.graph(not found.errors), found)


class _Drawing(Drawing):
    def __init__(self, checked: Checked) -> None:
        self.checked = checked
        self.blueprint = checked.work.blueprint
        self.names: dict[str, str] = {}
        super().__init__(self.blueprint.source.name, checked.work.context.limits)

    def draw(self, made: Installation | None) -> None:
        """Adds everything, in the order of the phases; `made` is the rendered installation.

        What it makes is named without the secrets of its Targets.
        """
        if made is not None:
            items, subs = made.deploy_items, made.subinstallations
            names = [text for one in items for text in (text_at(one, "name"), text_at(one, "type"))]
            links = [link.ref for one in subs for link in (*one.imports, *one.exports)]
            self.names = made.withheld().names([*names, *(one.name for one in subs), *links])
        for one in self.blueprint.all_imports():
            self.node(ELEMENT, "imports", one.name, f"import/{one.kind}", one.span)
            for inner in one.imports:
                self.node(ELEMENT, "imports", inner.name, f"import/{inner.kind}", inner.span)
                target = identity("", "imports", one.name)
                self.connect(identity("", "imports", inner.name), target, DEPENDS_ON, inner.span)
        for execution in self.blueprint.all_executions():
            span = execution.node.items.get("name", execution.node).span
            kind = f"{execution.phase}/{execution.engine}"
            self.node(ELEMENT, LISTS[execution.phase], execution.name, kind, span)
        self._subinstallations(made.subinstallations if made else self.checked.subinstallations)
        if made is not None:
            self._made(made)
        else:
            for execution, name, span in item_names(self.checked):
                if not name:  # it is computed
                    continue
                own = self.node(ELEMENT, "deployItems", name, "", span)
                self.connect(own, self._of(execution), REFERENCE, span)
        for one in self.blueprint.exports:
            self._export(one)
        self._uses()

    def _of(self, execution: Execution) -> str:
        return identity("", LISTS[execution.phase], execution.name)

    def _subinstallations(self, subs: list[Subinstallation]) -> None:
        makers = {}
        for one in subs:
            own = self.node(CHILD, "subinstallations", self._told(one.name), "", one.span)
            makers.update({(link.kind == DATA, link.ref): own for link in one.exports})
        for one in subs:
            own = identity("", "subinstallations", self._told(one.name))
            for link in one.imports:
                label = ("data" if link.kind == DATA else "target", self._told(link.ref))
                other = makers.get((link.kind == DATA, link.ref), "")
                self.connect(own, other, LINK, link.span, label)
                target = identity("", "imports", link.ref)
                self.connect(own, target, REFERENCE, link.span, label)

    def _told(self, name: str) -> str:
        """A name without the secrets of Targets."""
        return self.names.get(name, name)

    def _made(self, made: Installation) -> None:
        """The deploy items of a rendered installation, and who made what."""
        named = {}
        for name, value in made.values.items():
            for target in _targets(value.node):
                named[text_at(target, "metadata", "name")] = identity("", "imports", name)
        for item in made.deploy_items:
            name, span = self._told(text_at(item, "name")), item.items["name"].span
            self.node(ELEMENT, "deployItems", name, self._told(text_at(item, "type")), span)
        for item in made.deploy_items:
            own = identity("", "deployItems", self._told(text_at(item, "name")))
            place = item.get("target")
            if place is not None:
                self.connect(own, named.get(text_at(place, "name"), ""), REFERENCE, place.span)
            for one in list_at(item, "dependsOn"):
                other = identity("", "deployItems", self._told(str(getattr(one, "value", ""))))
                self.connect(own, other, DEPENDS_ON, one.span)
        for (section, name), execution in made.makers.items():
            own = identity("", section, self._told(name))
            if own in self.nodes and section != "imports":
                self.connect(own, self._of(execution), REFERENCE, self.nodes[own].span)

    def _export(self, one: Declaration) -> None:
        own = self.node(EXPORT, "exports", one.name, one.kind, one.span)
        executions = self.blueprint.executions.get(phases.EXPORT, ())
        named = [found for found in executions if self.checked.names(found, one.name)]
        for execution in named or executions:
            self.connect(own, self._of(execution), EXPORTED, one.span)

    def _uses(self) -> None:
        """What templates read: imports, what import executions bind, and outcomes."""
        bound = {}
        for execution in self.blueprint.executions.get(phases.IMPORT, ()):
            for name in bound_names(self.checked, execution):
                bound[name] = self._of(execution)
        makers = {
            link.ref: identity("", "subinstallations", self._told(one.name))
            for one in self.checked.subinstallations
            for link in one.exports
        }
        for text in self.checked.go:
            for name in sorted(named_imports(text) & {one.name for one in self.blueprint.imports}):
                span = text.execution.node.span
                target = identity("", "imports", name)
                self.connect(self._of(text.execution), target, REFERENCE, span)
        for use in self.checked.uses():
            if len(use.path) < 2:
                continue
            own, (root, name, *_) = self._of(use.execution), use.path
            target = ""
            if root == "imports":
                target = bound.get(name, "")
                if not target or target == own:
                    target = identity("", "imports", name)
            elif root == "deployitems":
                target = identity("", "deployItems", name)
            elif root in _MAKES:
                target = makers.get(name, "")
            if target:
                self.connect(own, target, REFERENCE, use.place.span)


def _targets(node: AnyNode | None) -> Iterable[AnyNode]:
    """The Targets in the value of an import."""
    if isinstance(node, Map):
        return [node] if "metadata" in node.items else node.items.values()
    return list_at(node)
