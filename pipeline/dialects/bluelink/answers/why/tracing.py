"""What a template really asked for: its references with their values, untaken branches marked."""

from __future__ import annotations

from typing import Any, Final

from ......functions.record import Record
from .....engine.context import Context
from .....language.errors import Failure
from .....language.evaluator import Evaluator
from .....language.semantics import Scope
from .....values.expression import Call, Reference
from .....values.tree import Template
from ...evaluating.evaluation import Evaluation
from ...evaluating.scope import Frame

ABSENT: Final = object()


class Use(Record, eq=False):
    """A reference in a template; `value` is `ABSENT` for one that was not needed."""

    reference: Reference
    value: Any


class Trace(Record, eq=False):
    """What a template refers to and calls, in written order, and its value (or `ABSENT`)."""

    uses: tuple[Use, ...]
    functions: tuple[str, ...]
    value: Any


def trace(evaluation: Evaluation, node: Template, frame: Frame | None) -> Trace:
    """Evaluates a template of a finished run of a blueprint once more and listens."""
    effect = evaluation.has_effect(node.segments)
    return trace_in(evaluation.context, evaluation.at(frame), node, effect)


def trace_in(context: Context, scope: Scope, node: Template, effect: bool) -> Trace:
    """Evaluates a template once more, in a scope of a finished run, and listens.

    What it refers to was computed in the run and is not computed again. A template that calls a
    function with an effect is not evaluated: its references are looked up one by one.
    """
    listener = _Listener(scope)
    value: Any = ABSENT
    written = [r for s in node.segments.substitutions for r in s.shape.references]
    if not effect:
        semantics = context.dialect.semantics
        evaluator = Evaluator(
            context.functions, context.environment, context.limits, semantics=semantics
        )
        try:
            value = evaluator.segments(node.segments, listener)
        except Failure:
            value = ABSENT
    if value is ABSENT:
        for reference in written:
            listener.look_up(reference)
    uses: dict[Reference, Use] = {}
    for reference in written:
        named = Reference(reference.root, reference.path)
        if reference.bare and named not in listener.found and not _is_resource(listener, named):
            continue  # a function as an argument
        uses.setdefault(named, Use(named, listener.found.get(named, ABSENT)))
    calls = [
        name
        for name in dict.fromkeys(
            name for s in node.segments.substitutions for name in _calls(s.shape.expression)
        )
        if name in context.functions
    ]
    return Trace(tuple(uses.values()), tuple(calls), value)


class _Listener:
    """A scope that remembers what it was asked; see `language.evaluator.Scope`."""

    def __init__(self, place: Scope) -> None:
        self.place = place
        self.found: dict[Reference, Any] = {}

    def resolve(self, reference: Reference) -> Any:
        value = self.place.resolve(reference)
        self.found[Reference(reference.root, reference.path)] = value
        return value

    def look_up(self, reference: Reference) -> None:
        """Asks for a reference of which it is not known whether it was needed."""
        try:
            self.resolve(reference)
        except Failure:
            return

    def names_resource(self, name: str) -> bool:
        return self.place.names_resource(name)

    def link(self, first: Any, second: Any, call: Call) -> Any:
        for side in (first, second):
            if isinstance(side, Reference):
                self.look_up(side)
        return self.place.link(first, second, call)


def _is_resource(listener: _Listener, reference: Reference) -> bool:
    return reference.root == "resources" and listener.names_resource(str(reference.path[0]))


def _calls(expression: Any) -> list[str]:
    """The names of called functions and of functions passed on, in written order."""
    from .....values.expression import walk

    names = []
    for node in walk(expression):
        if isinstance(node, Call):
            names.append(node.function)
        elif isinstance(node, Reference) and node.bare and len(node.path) == 1:
            names.append(str(node.path[0]))
    return names
