"""The references that a template used in a run, with their values, and the elements they name."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any, Final

from ...functions.record import Record
from ...functions.values import Unknown
from ..engine.evaluation import references_in
from ..engine.materialisation import exported
from ..engine.run import Context
from ..language.errors import Failure
from ..language.evaluator import Evaluator
from ..language.navigation import navigate
from ..language.syntax import Scope
from ..values.document import Document
from ..values.expression import Call, Reference, walk
from ..values.tree import Map, Template
from .nodes import node_at
from .paths import Path

ABSENT: Final = object()


class Use(Record, eq=False):
    """A reference in a template; `value` is `ABSENT` if it was not needed."""

    reference: Reference
    value: Any


class Trace(Record, eq=False):
    """The references and calls of a template, in written order, and its value (or `ABSENT`)."""

    uses: tuple[Use, ...]
    functions: tuple[str, ...]
    value: Any


def trace_in(context: Context, scope: Scope, node: Template) -> Trace:
    """Evaluates a template again in a scope of a finished run, and records its references.

    The values of these are those of the run. A template that calls a function with an effect is not
    evaluated: its references are looked up one by one.
    """
    listener = _Listener(scope)
    value: Any = ABSENT
    called = node.segments.functions
    alone = _reference_alone(node)
    if alone is not None:
        listener.look_up(alone)
        value = listener.found.get(Reference(alone.root, alone.path), ABSENT)
    elif not called or called.isdisjoint(context.functions.effects()):
        semantics = context.dialect.semantics
        evaluator = Evaluator(
            context.functions, context.environment, context.limits, semantics=semantics
        )
        try:
            value = evaluator.segments(node.segments, listener)
        except Failure:
            value = ABSENT
    if value is ABSENT and alone is None:
        for reference in references_in(node):
            listener.look_up(reference)
    return _traced(listener, node, context.functions, value)


def _reference_alone(node: Template) -> Reference | None:
    """The reference that is all of a template, as in most: nothing else is evaluated."""
    substitutions = node.segments.substitutions
    if len(substitutions) != 1 or len(node.segments) != 1:
        return None
    tree = substitutions[0].shape.expression
    return tree if tree.__class__ is Reference and not tree.bare else None


def look_up_in(scope: Scope, node: Template, functions: Container[str]) -> Trace:
    """The references of a template with their values in a scope; nothing is evaluated."""
    listener = _Listener(scope)
    for reference in references_in(node):
        listener.look_up(reference)
    return _traced(listener, node, functions, ABSENT)


def _traced(listener: _Listener, node: Template, functions: Container[str], value: Any) -> Trace:
    uses: dict[Reference, Use] = {}
    for reference in references_in(node):
        named = Reference(reference.root, reference.path)
        if reference.bare and named not in listener.found and not _is_resource(listener, named):
            continue  # a function as an argument
        uses.setdefault(named, Use(named, listener.found.get(named, ABSENT)))
    calls = [
        name
        for name in dict.fromkeys(
            name for s in node.segments.substitutions for name in _calls(s.shape.expression)
        )
        if name in functions
    ]
    return Trace(tuple(uses.values()), tuple(calls), value)


class _Listener:
    """A scope that records the references that are looked up; see `language.syntax.Scope`."""

    def __init__(self, place: Scope) -> None:
        self.place = place
        self.found: dict[Reference, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.place, name)  # what only the dialect's own forms ask a scope for

    def resolve(self, reference: Reference) -> Any:
        value = self.place.resolve(reference)
        self.found[Reference(reference.root, reference.path)] = value
        return value

    def look_up(self, reference: Reference) -> None:
        """Looks up a reference that may not have been needed."""
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
    names = []
    for node in walk(expression):
        if isinstance(node, Call):
            names.append(node.function)
        elif isinstance(node, Reference) and node.bare and len(node.path) == 1:
            names.append(str(node.path[0]))
    return names


def element_of(root: Map, reference: Reference) -> Path | None:
    """The path of the element that a reference names, None for a name from outside.

    Elements are the entries of the maps at the top of a document, and its other top-level keys. A
    reference names one by its own name, or by the key of the map and the name.
    """
    section = root.items.get(reference.root)
    if isinstance(section, Map) and reference.path and str(reference.path[0]) in section.items:
        return reference.root, str(reference.path[0])
    for key, node in root.items.items():
        if isinstance(node, Map) and reference.root in node.items:
            return key, reference.root
    return (reference.root,) if section is not None else None


class TreeScope:
    """A scope that finds values in the trees of a run, for dialects that keep no scope.

    `written` is the tree before anything was computed, `stages` has the result of each stage.
    """

    def __init__(self, written: Map, stages: Iterable[tuple[str, Document]]) -> None:
        self._written = written
        self._stages = tuple(stages)

    def resolve(self, reference: Reference) -> Any:
        path = element_of(self._written, reference)
        trees = [document.root for _, document in reversed(self._stages)]
        nodes = [node_at(root, path) for root in trees] if path is not None else []
        node = next((one for one in nodes if one is not None), None)
        if path is None or node is None:
            raise Failure("path_not_found", f"`{reference.root}` does not exist", reference)
        value = exported(node, Reference(reference.root, ()))
        by_section = len(path) > 1 and path[0] == reference.root
        return navigate(value, reference.path[1:] if by_section else reference.path, reference)

    def names_resource(self, name: str) -> bool:
        return False

    def link(self, first: Any, second: Any, call: Any) -> Any:
        return Unknown(call, "object")
