"""The stages of a render as a check: what they refuse whatever a render is given.

Everything that was not given is unknown; `checking.doubts` says what that means for mistakes.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

from .....functions.values import Unknown
from ....engine.inputs import VariableInputs
from ....engine.run import Context, Pipeline, Stage, Work
from ....language.errors import Failure
from ....values.diagnostics import ERROR, Diagnostic, Diagnostics, Hint, worded
from ....values.document import Document
from ....values.expression import Reference
from ....values.source import Span
from ....values.tree import AnyNode, Map
from ..evaluating.base import Frame
from ..evaluating.evaluation import Evaluation
from ..evaluating.inputs import is_given
from .dependencies import entries
from .static_children import may_change

_TOLD: Final = frozenset({"export_value_replaced", "undeclared_state", "undeclared_variable"})
"""Warnings about what was written or given; all others are those of the output of a render."""


_SKIPPED: Final[dict[str, tuple[str, ...]]] = {
    "values": ("description",),
    "datasources": ("description", "metadata"),
    "resources": ("",),
}
"""Parts of definitions that a render may leave out; all of a resource that is removed."""


def examine(document: Document, context: Context) -> None:
    """Runs the stages over a document that is loaded and transformed, up to one with mistakes.

    The document has no mistakes but cycles.
    """
    pipeline = Pipeline(tuple(map(_examined, context.pipeline.stages)))
    inner = context.evolve(
        checks=True,
        given=_with_unknowns(document, context.given),
        environment=context.environment.absent(),
        pipeline=pipeline,
        opened=[],
        work=Work(),
    )
    for _ in pipeline.split_after("transform")[1].steps(document, inner):
        found = inner.work.find(_Found)
        if found is not None and found.certain:
            return


def _with_unknowns(document: Document, given: VariableInputs) -> VariableInputs:
    """What is given, and an unknown for each variable that is not."""
    unknown = {
        name: Unknown(Reference("variables", (name,)))
        for name in entries(document, "variables")
        if not is_given(name, given)
    }
    return given.evolve(values={**given.values, **unknown})


def _examined(stage: Stage) -> Stage:
    def run(document: Document, context: Context) -> Document:
        found = context.work.find(_Found)
        if found is None:
            found = _Found(document, context)
            context.work.keep(found)
        result = stage.run(document, context.evolve(diagnostics=found))
        found.settle()
        return result

    return stage.evolve(run=run)


class _Found(Diagnostics):
    """What the stages report of one document; `settle` passes on what is certain.

    `errors` are those of the stage that runs, `certain` is true when some were passed on.
    """

    def __init__(self, document: Document, context: Context) -> None:
        super().__init__(context.limits.max_diagnostics, context.quoting)
        self._outer = context.diagnostics
        self._work = context.work
        self._waiting: list[Diagnostic] = []
        self._unsettled = may_change(document, context)
        self.certain = False

    def add(self, diagnostic: Diagnostic, hint: Hint = None) -> None:
        if diagnostic.severity == ERROR:
            self.errors += 1
            if len(self._waiting) < self._limit:
                self._waiting.append(diagnostic.evolve(hint=worded(hint) or diagnostic.hint))
        elif diagnostic.code in _TOLD:
            self._outer.add(diagnostic, hint)

    def settle(self) -> None:
        evaluation = self._work.find(Evaluation)
        waiting, self._waiting = self._waiting, []
        self.errors = 0
        if self._unsettled:
            from ..expansion import is_settled

            waiting = [item for item in waiting if is_settled(item)]
        if not waiting:
            return
        places = _Places(evaluation) if evaluation is not None else None
        for item in waiting:
            if places is None or item.span is None or places.is_certain(item.span):
                self._outer.add(item)
                self.certain = True


class _Places:
    """The places of a document that not every render evaluates."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        document = evaluation.document
        # nodes by their beginning, which none of the others is inside of
        found: list[tuple[int, AnyNode, str]] = []
        for section, keys in _SKIPPED.items():
            for name, node in entries(document, section).items():
                found += [
                    (child.start, child, name if section == "resources" else "")
                    for child in (node.get(key) if key else node for key in keys)
                    if child is not None
                ]
        self._found = sorted(found, key=lambda one: one[0])
        self._starts = [start for start, _, _ in self._found]

    def is_certain(self, span: Span) -> bool:
        """True for a place that every render evaluates."""
        if any(_holds(node, span) for node in self._evaluation.skipped):
            return False
        index = bisect_right(self._starts, span.start) - 1
        if index < 0 or not _holds(self._found[index][1], span):
            return True
        _, node, name = self._found[index]
        if not name or not isinstance(node, Map):
            return False
        if _holds(node.get("condition"), span):
            return True
        if _holds(node.get("each"), span):
            return _is_wanted(name, self._evaluation)
        return _is_there(name, node, self._evaluation)


def _holds(node: AnyNode | None, span: Span) -> bool:
    if node is None or node.trail.source is not span.source:
        return False
    return node.start <= span.start < node.end


def _is_wanted(name: str, evaluation: Evaluation) -> bool:
    """True for a resource that every render has as far as it is known before its elements are."""
    doubts = evaluation.doubts
    assert doubts is not None
    try:
        alive = evaluation.alive(name)
    except Failure:
        return False
    return alive is True or (alive is not False and not doubts.of_node(alive, elements=False))


def _is_there(name: str, node: Map, evaluation: Evaluation) -> bool:
    """True for a resource that every render has."""
    doubts = evaluation.doubts
    assert doubts is not None
    frames: list[Frame | None] = [None]
    try:
        if evaluation.step == "each" and node.get("each") is not None:
            frames = [Frame(name, index) for index in range(len(evaluation.elements(name)))]
        decided = [evaluation.alive(name, frame) for frame in frames]
    except Failure:
        return False
    there = (
        alive is True or (alive is not False and not doubts.of_node(alive)) for alive in decided
    )
    return bool(decided) and all(there)
