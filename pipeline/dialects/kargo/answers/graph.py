"""Graphs of promotions: Warehouses and Stages, or the steps of a Stage and their data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ....answers.graph.elements import (
    CHILD,
    DEPENDS_ON,
    ELEMENT,
    REFERENCE,
    VARIABLE,
    Blueprint,
)
from ....answers.graph.model import Drawing, Graph
from ....engine.run import Run
from ....values.expression import Call, Expression, Literal, Reference, walk
from ....values.source import Span
from ....values.tree import AnyNode, at, list_at, templates_in, text_at
from ...expr.printing import show
from ..execution import Execution
from ..freight import LOOKUPS
from ..manifests import Manifests, name_span
from ..promotions import SEPARATOR, STAGE, Step, Variable
from ..stages import Promotions

_WAREHOUSE: Final = "Warehouse"


def graph_of_promotions(run: Run) -> Graph | None:
    """The steps of the Stages that are asked for, or of what is no Stage; else the pipeline.

    None before the manifests are read.

    Raises:
        TooManyEdges: more edges than `max_graph_edges` allows.
    """
    manifests, found = run.work.find(Manifests), run.work.find(Promotions)
    if manifests is None:
        return None
    drawing = Drawing(run.stages[0][1].source.name, run.language.limits)
    executions = found.executions if found is not None else ()
    alone = executions and not any(one.kind == STAGE for one in manifests.named)
    if manifests.options.stages or alone:
        for execution in executions:
            _Steps(drawing, execution, run, len(executions) > 1).draw()
    else:
        _draw_pipeline(drawing, manifests)
    return drawing.graph(run.ok)


def _draw_pipeline(drawing: Drawing, manifests: Manifests) -> None:
    """Warehouses and Stages, and from where each Stage takes its Freight: dashed when directly."""

    def node(kind: str, name: str, span: Span) -> str:
        return drawing.node(ELEMENT, f"{kind.lower()}s", name, kind, span)

    for kind in (_WAREHOUSE, STAGE):
        for one in manifests.all(kind):
            node(kind, one.name, name_span(one))
    for stage in manifests.all(STAGE):
        own = node(STAGE, stage.name, name_span(stage))
        for request in list_at(stage.node, "spec", "requestedFreight"):
            origin = text_at(request, "origin", "name")
            direct = getattr(at(request, "sources", "direct"), "value", None)
            if direct is True and origin:
                target = node(_WAREHOUSE, origin, request.span)
                drawing.connect(own, target, DEPENDS_ON, request.span)
            for before in list_at(request, "sources", "stages"):
                name = getattr(before, "value", None)
                if isinstance(name, str) and name:
                    target = node(STAGE, name, before.span)
                    drawing.connect(own, target, REFERENCE, before.span)


class _Steps:
    """The steps of one promotion, which is a frame where there are several."""

    def __init__(self, drawing: Drawing, execution: Execution, run: Run, framed: bool) -> None:
        self.drawing = drawing
        self.language = run.language
        self.execution = execution
        self.promotion = promotion = execution.promotion
        self.blueprint = ""
        if framed:
            span = name_span(promotion.manifest)
            frame = drawing.node(CHILD, "stages", promotion.label, "", span)
            drawing.nodes[frame] = drawing.nodes[frame].evolve(opens=frame)
            drawing.blueprints.append(Blueprint(frame, promotion.label, promotion.manifest.file))
            self.blueprint = frame
        self.ids: dict[str, str] = {}
        self.seen: set[str] = set()

    def draw(self) -> None:
        """Adds the steps that may run in their order, with what each takes from others."""
        outcomes = self.execution.outcomes
        before = ""
        for place, step in enumerate(self.promotion.steps):
            runs = outcomes[place].runs if place < len(outcomes) else None
            if runs is False:
                continue
            span = step.node.key_span("as" if "as" in step.node.items else "uses")
            own = self._node(ELEMENT, "steps", step.alias, step.uses, span)
            if runs is None and "if" in step.node.items:
                self.drawing.nodes[own] = self.drawing.nodes[own].evolve(conditional=True)
            self.ids[step.alias] = own
            listed = (*self.promotion.variables, *step.variables)
            for node in (step.node.get("if"), step.node.get("config")):
                self._take(own, node, step, listed)
            if before:
                self.drawing.connect(own, before, DEPENDS_ON, span)
            before = own

    def _node(self, kind: str, place: str, name: str, type: str, span: Span) -> str:  # noqa: A002
        return self.drawing.node(kind, place, name, type, span, self.blueprint)

    def _take(self, own: str, node: AnyNode | None, step: Step, listed: Sequence[Variable]) -> None:
        """Edges from a node to what the templates in a tree refer to."""
        for template in templates_in(node):
            for substitution in template.segments.substitutions:
                tree = self.language.written(substitution)
                for target in self._targets(tree, step, listed, template.span):
                    if target != own:
                        self.drawing.connect(own, target, REFERENCE, template.span)

    def _targets(
        self, tree: Expression, step: Step, listed: Sequence[Variable], span: Span
    ) -> Iterator[str]:
        for part in walk(tree):
            if isinstance(part, Call) and part.function in LOOKUPS:
                kind = f"Freight/{LOOKUPS[part.function]}"
                yield self._node(ELEMENT, "freight", show(part), kind, span)
            elif isinstance(part, Call) and part.function == "status" and part.arguments:
                alias = part.arguments[0].value
                if isinstance(alias, Literal) and isinstance(alias.value, str):
                    inner = f"{step.task}{SEPARATOR}" if step.task else ""
                    yield from self._steps_of(inner + alias.value)
            elif isinstance(part, Reference) and part.path:
                yield from self._referred(part, step, listed)

    def _referred(
        self, reference: Reference, step: Step, listed: Sequence[Variable]
    ) -> Iterator[str]:
        root, path = reference.root, [*map(str, reference.path)]
        if root == "vars":
            places = [n for n, one in enumerate(listed) if one.name == path[0]]
            if places:
                yield self._variable(listed, places[-1], step)
        elif root == "task" and path[0] == "outputs" and len(path) > 1:
            yield from self._steps_of(f"{step.task}{SEPARATOR}{path[1]}")
        elif root in ("outputs", "stepMetas"):
            yield from self._steps_of(path[0])

    def _steps_of(self, alias: str) -> Iterator[str]:
        """The steps with an alias; those that put something out for a task share its alias."""
        if alias in self.ids:
            yield self.ids[alias]
        for one in self.promotion.steps:
            if one.task == alias and one.uses == "compose-output" and one.alias in self.ids:
                yield self.ids[one.alias]

    def _variable(self, listed: Sequence[Variable], place: int, step: Step) -> str:
        """The node of a variable, with what its own template takes."""
        one = listed[place]
        owner = {"task": f"{step.task}.", "step": f"{step.alias}."}.get(one.level, "")
        own = self._node(VARIABLE, "vars", owner + one.name, "", one.node.span)
        key = f"{own} {one.node.start}"
        if key not in self.seen:
            self.seen.add(key)
            self._take(own, one.node, step, listed[:place])
        return own
