"""Ready-made parts for the stages of a dialect: reading a text, evaluating a tree, named values.

They know nothing of blueprints. What a reference means is a function of the dialect's: reference
in, value out, an `Unknown` for what is not known in this run, `Failure` for a mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from ...functions.values import NONE, Unknown
from ..formats.detection import read
from ..language.errors import Failure
from ..language.evaluator import Evaluator
from ..language.navigation import navigate
from ..language.waiting import WaitingText
from ..values.diagnostics import Diagnostic
from ..values.document import Document
from ..values.expression import Call, Reference
from ..values.tree import AnyNode, Array, Map, Scalar, Template, templates_in
from .budget import Budget, too_long_a_way
from .context import Context
from .materialisation import OMITTED, Omitted, to_node

Resolve: TypeAlias = Callable[[Reference], Any]


def read_tree(document: Document, context: Context) -> Document:
    """Reads the document's source; strings with substitutions become templates.

    This is a stage. Mistakes are reported; a document must be a map.
    """
    before = context.diagnostics.errors
    language = context.language
    source = document.source
    root = read(source, language.split, language.opener, context.limits, context.diagnostics)
    if isinstance(root, Map):
        context.work.written = document.evolve(root=root)
        return context.work.written
    if context.diagnostics.errors == before:
        span = root.span if root is not None else None
        context.diagnostics.error("invalid_map", span, f"`{source.name}` holds no map")
    return document


def evaluate_tree(document: Document, context: Context, resolve: Resolve, step: str) -> Document:
    """The document with every template evaluated; what has to wait stays as a smaller template.

    `resolve` says what a reference means, `step` is the name of the stage for the origin of what it
    makes. Mistakes are reported at their places, and their templates stay. A field or an element
    that is none is left out. The same document comes back when there was nothing to evaluate.
    """
    root = _Evaluation(context, resolve, step).node(document.root)
    if root is document.root or not isinstance(root, Map):
        return document
    return document.evolve(root=root)


def references_in(node: AnyNode | None) -> Iterator[Reference]:
    """The references in all templates of a node."""
    for template in templates_in(node):
        for substitution in template.segments.substitutions:
            yield from substitution.shape.references


class Definitions:
    """Named values of a document, computed when something asks for them.

    A reference begins with the name, or with the word `root` and then the name. Order does not
    matter, each value is computed once, and a cycle is a mistake. A text of which a part is not
    known stays a reference, whose definition must stay in the document. `outside` says what all
    other references mean.
    """

    def __init__(
        self,
        nodes: Mapping[str, AnyNode],
        context: Context,
        outside: Resolve,
        root: str | None = None,
    ) -> None:
        self._nodes = nodes
        self._root = root
        self._outside = outside
        self._evaluation = _Evaluation(context, self.resolve, "")
        self._values: dict[str, Any] = {}
        self._busy: list[str] = []

    def resolve(self, reference: Reference) -> Any:
        """What a reference means.

        Raises:
            Failure: when it leads nowhere, or to itself.
        """
        name, rest = reference.root, reference.path
        if self._root is not None:
            if name != self._root or not rest:
                return self._outside(reference)
            name, rest = str(rest[0]), rest[1:]
        if name not in self._nodes:
            return self._outside(reference)
        return navigate(self._value(name, reference), rest, reference)

    def _value(self, name: str, reference: Reference) -> Any:
        if name in self._busy:
            path = " -> ".join([*self._busy[self._busy.index(name) :], name])
            raise Failure("reference_cycle", f"the references form a cycle: {path}", reference)
        if name not in self._values:
            limits = self._evaluation.context.limits
            if len(self._busy) >= limits.max_reference_depth:
                raise too_long_a_way(limits, reference)
            self._busy.append(name)
            try:
                own = Reference(name) if self._root is None else Reference(self._root, (name,))
                self._values[name] = self._evaluation.context.meter.with_room(
                    lambda: self._evaluation.value(self._nodes[name], own)
                )
            except Failure as failure:
                self._values[name] = failure
            finally:
                self._busy.pop()
        value = self._values[name]
        if isinstance(value, Failure):
            raise Failure(value.code, value.summary, reported=True)
        return value


class _Evaluation:
    """Evaluates templates of one document and reports what goes wrong."""

    def __init__(self, context: Context, resolve: Resolve, step: str) -> None:
        self.context = context
        self.resolve = resolve
        self.step = step
        self.evaluator = Evaluator(
            context.functions, context.environment, context.limits, context.meter
        )
        self.budget = Budget(context.limits, context.meter)

    # What the evaluator asks of a scope: see `language.evaluator.Scope`.

    def names_resource(self, name: str) -> bool:
        """No name stands for anything but a value here."""
        return False

    def link(self, first: Any, second: Any, call: Call) -> Any:
        """Links are known after deployment only."""
        return Unknown(call, "object")

    def node(self, node: AnyNode) -> AnyNode | Omitted:
        """A node with its templates evaluated."""
        match node:
            case Scalar():
                return node
            case Template():
                try:
                    value = self.template(node)
                    if value is NONE:
                        return OMITTED
                    self.budget.spend(value)
                    return to_node(value, node, self.step)
                except Failure as failure:
                    self.report(node, failure)
                    return node
            case Map(items=items):
                fields = {key: self.node(child) for key, child in items.items()}
                if all(fields[key] is child for key, child in items.items()):
                    return node
                left = {k: new for k, new in fields.items() if not isinstance(new, Omitted)}
                return node.replacing(left, self.step)
        assert isinstance(node, Array)
        found = [self.node(child) for child in node.items]
        if all(new is old for new, old in zip(found, node.items, strict=True)):
            return node
        kept = [new for new in found if not isinstance(new, Omitted)]
        return Array(kept, node.trail.then(self.step), node.start, node.end)

    def value(self, node: AnyNode, reference: Reference) -> Any:
        """A node as a value, which may hold unknown parts; `reference` is what leads to it.

        Raises:
            Failure: reported already.
        """
        match node:
            case Scalar(value=value):
                return NONE if value is None else value
            case Template():
                try:
                    value = self.template(node)
                except Failure as failure:
                    self.report(node, failure)
                    raise Failure(failure.code, failure.summary, reported=True) from None
                if isinstance(value, WaitingText):
                    return Unknown(reference, "string", value.secret)
                return value
            case Map(items=items):
                fields = {k: self.value(child, reference.deeper(k)) for k, child in items.items()}
                return {key: value for key, value in fields.items() if value is not NONE}
        assert isinstance(node, Array)
        values: list[Any] = []
        for child in node.items:
            value = self.value(child, reference.deeper(len(values)))
            if value is not NONE:
                values.append(value)
        return values

    def template(self, node: Template) -> Any:
        """The value of a template, or what is left of it.

        Raises:
            Failure: not reported yet.
        """
        value = self.evaluator.segments(node.segments, self)
        self.budget.size(value)
        return value

    def report(self, node: Template, failure: Failure) -> None:
        """Adds a failure's diagnostic unless it has one already."""
        if failure.reported:
            return
        span = node.span
        if failure.substitution is not None:
            span = self.context.language.locate(node, failure.substitution, failure.node)
        self.context.diagnostics.add(
            Diagnostic(failure.code, failure.summary, span, hint=failure.hint, notes=failure.notes)
        )
