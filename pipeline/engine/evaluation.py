"""Evaluating trees: what the evaluations of all dialects share, and stages for small dialects.

Nothing here knows of blueprints. What a reference means is said by a scope: reference in, value
out, an `Unknown` for what is not known in this run, `Failure` for a mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NoReturn, TypeAlias

from ...functions.values import NONE, Unknown
from ..formats.detection import read
from ..language.errors import Failure
from ..language.evaluator import Evaluator
from ..language.navigation import navigate
from ..language.syntax import USUAL, Semantics
from ..language.waiting import WaitingText
from ..values.compiled import mypyc_attr
from ..values.diagnostics import Diagnostic, Hint
from ..values.document import Document
from ..values.expression import Call, Reference
from ..values.settings import SECRETS_MASK, SECRETS_REVEAL
from ..values.source import Span
from ..values.tree import AnyNode, Array, Map, Scalar, Template, templates_in
from .budget import Budget, in_a_cycle, too_long_a_way
from .materialisation import MASK, OMITTED, Omitted, to_node
from .run import Context

_PLAIN: Final = frozenset({str, int, float, bool})
_OVER: Final = "limit_exceeded"  # of which there is one, that is always told

Resolve: TypeAlias = Callable[[Reference], Any]


@mypyc_attr(allow_interpreted_subclasses=True)
class Evaluation:
    """Evaluates the templates of one document and reports what goes wrong.

    A dialect extends this class. `scope` is whatever the dialect passes to say what references mean
    at a place; here it is a `language.evaluator.Scope`. What a dialect may override:

    - `template`: the value of a template. Keep values here that are asked for more than once.
    - `filled`: a template as a node. Leave a template alone that has to wait for its scope.
    - `node`: a tree with its templates evaluated, for a language with structures in its trees.
    - `named` and `assembled`: a value that has to wait, as references to its place see it.

    Whatever is computed once, and may lead back to itself, runs between `begin` and `end`: these
    find cycles and chains that are too long. `report` adds the diagnostic of a failure; whatever
    depends on a failed part raises a `Failure` with `reported` set, which adds none.

    `step` is the name of the stage for the origins of what is made; `mask` stands for secrets in
    text, if the settings say so; `reveal` is true where secrets are values like any others.
    """

    def __init__(self, context: Context, step: str = "", semantics: Semantics = USUAL) -> None:
        self.context = context
        self.step = step
        self.evaluator = Evaluator(
            context.functions, context.environment, context.limits, context.meter, semantics
        )
        self.budget = Budget(context.limits, context.meter)
        self.mask: str | None = MASK if context.settings.secrets == SECRETS_MASK else None
        self.reveal: bool = context.settings.secrets == SECRETS_REVEAL
        self.busy: dict[Any, str] = {}
        self._exact: set[int] = set()  # mistakes that are told, by the substitution they are in

    def node(self, node: AnyNode, scope: Any) -> AnyNode | Omitted:
        """A node with every template in it evaluated; OMITTED when its value is none.

        A node in which nothing changes is returned as it is. A template that fails is reported and
        stays. Fields and elements that are none are left out.
        """
        kind = type(node)
        if kind is Scalar:
            return node
        if kind is Template:
            return self.filled(node, scope)  # type: ignore[arg-type]
        meter = self.context.meter
        if kind is Map:
            assert isinstance(node, Map)
            if not templates_in(node):
                return node
            fields: dict[str, AnyNode] | None = None
            left: list[Template] = []
            meter.nested += 1
            for key, child in node.items.items():
                kind = type(child)
                if kind is Scalar:
                    continue
                result = (
                    self.filled(child, scope)  # type: ignore[arg-type]
                    if kind is Template
                    else self.node(child, scope)
                )
                if result is not child:
                    if fields is None:
                        fields = dict(node.items)
                    if isinstance(result, Omitted):
                        del fields[key]
                        continue
                    fields[key] = result
                if type(result) is not Scalar:
                    left += templates_in(result)
            meter.nested -= 1
            if fields is None:
                return node
            made = node.replacing(fields, self.step)
            made.templates = left or ()
            return made
        assert isinstance(node, Array)
        meter.nested += 1
        results = [self.node(child, scope) for child in node.items]
        meter.nested -= 1
        if all(new is old for new, old in zip(results, node.items, strict=True)):
            return node
        items = [result for result in results if not isinstance(result, Omitted)]
        return Array(items, node.trail.then(self.step), node.start, node.end)

    def filled(self, node: Template, scope: Any) -> AnyNode | Omitted:
        """A template as a node: its value, or what is left of it."""
        try:
            value: Any = self.template(node, scope, True)
            kind: Any = type(value)
            if kind in _PLAIN:
                return Scalar(value, node.trail.then(self.step), node.start, node.end)
            if value is NONE:
                return OMITTED
            self.budget.spend(value)
            return to_node(value, node, self.step)
        except Failure as failure:
            self.report(node, failure)
            return node

    def template(self, node: Template, scope: Any = None, masked: bool = True) -> Any:
        """The value of a template: a value, an `Unknown`, or a `WaitingText`.

        With `masked`, the mask stands for secrets if the settings say so.

        Raises:
            Failure: reported already; in a cycle, the reference that closes it is to blame.
        """
        try:
            value = self.evaluator.segments(node.segments, scope, self.mask if masked else None)
            self.budget.size(value)
        except Failure as failure:
            raise self.reported(node, failure) from None
        return value

    def value_of(self, node: AnyNode, reference: Reference, scope: Any) -> Any:
        """A node as a value; `reference` leads to it, and names what has to wait.

        Raises:
            Failure: reported already.
        """
        match node:
            case Scalar(value=known):
                return NONE if known is None else known
            case Template():
                return self.named(self.template(node, scope, False), reference)
        meter = self.context.meter
        meter.nested += 1
        try:
            if isinstance(node, Map):
                fields: dict[str, Any] = {}
                for key, child in node.items.items():
                    value = self.value_of(child, reference.deeper(key), scope)
                    if value is not NONE:
                        fields[key] = value
                return self.assembled(fields, reference)
            elements: list[Any] = []
            for child in node.items:
                value = self.value_of(child, reference.deeper(len(elements)), scope)
                if value is not NONE:
                    elements.append(value)
            return self.assembled(elements, reference)
        finally:
            meter.nested -= 1

    def named(self, value: Any, reference: Reference) -> Any:
        """A template's value as references to it see it: a text that has to wait is a reference."""
        if type(value) is WaitingText:
            return Unknown(reference, "string", value.secret)
        return value

    def assembled(self, value: Any, reference: Reference) -> Any:
        """An array or an object of such values."""
        return value

    def begin(self, key: Any, label: str, blame: Reference | None = None) -> None:
        """Before a part is computed that may lead back to itself: `key` is its own, `label` is for
        messages, and empty for what has no name. `end` is due whatever happens then.

        Raises:
            Failure: `reference_cycle`, or `limit_exceeded` for a chain that is too long.
        """
        busy = self.busy
        if key in busy:
            keys = [*busy]
            raise in_a_cycle(self.labels(keys[keys.index(key) :]), blame)
        self._check_hops(blame)
        busy[key] = label

    def _check_hops(self, blame: Reference | None) -> None:
        most = self.context.limits.max_reference_depth
        if len(self.busy) > most and sum(map(bool, self.busy.values())) >= most:
            raise too_long_a_way(self.context.limits, blame)

    def end(self, key: Any) -> None:
        """After a part was computed."""
        self.busy.pop(key, None)

    def labels(self, keys: list[Any]) -> list[str]:
        """The labels of parts that form a cycle."""
        return [self.busy[key] for key in keys]

    def report(self, place: AnyNode | Span, failure: Failure) -> None:
        """Adds a failure's diagnostic unless it has one already."""
        # frames that hold what they raise would keep each other, and all they know, for the run
        failure.__traceback__ = None
        if failure.reported:
            return
        if isinstance(place, Template) and failure.substitution is not None:
            rough = place.trail.source.name, place.start, failure.substitution.start
            mark = hash((rough, failure.code, failure.summary))
            if self.context.diagnostics.full and failure.code != _OVER:
                # what is only counted is not read again for the exact place
                if mark in self._exact:
                    return
                span = place.span
                start = span.start + failure.substitution.start
                span = Span(span.source, start, start, exact=False)
            else:
                self._exact.add(mark)
                span = self.context.language.locate(place, failure.substitution, failure.node)
        else:
            span = place if isinstance(place, Span) else place.span
        hint = failure.discreet_hint if self.reveal else failure.hint
        self.context.diagnostics.add(
            Diagnostic(failure.code, failure.summary, span, notes=failure.notes), hint
        )

    def reported(self, place: AnyNode | Span, failure: Failure) -> Failure:
        """Reports a failure; what follows from it raises the result and is not reported."""
        self.report(place, failure)
        return Failure(failure.code, failure.summary, reported=True)

    def fail(self, place: AnyNode | Span, code: str, summary: str, hint: Hint = None) -> NoReturn:
        """Reports a mistake.

        Raises:
            Failure: reported already.
        """
        raise self.reported(place, Failure(code, summary, hint=hint))


class Names:
    """The scope of a document whose references mean the same everywhere; `Work` keeps it."""

    def __init__(self, resolve: Resolve, context: Context) -> None:
        self._resolve = resolve
        self.context = context

    def resolve(self, reference: Reference) -> Any:
        return self._resolve(reference)

    def names_resource(self, name: str) -> bool:
        """No name stands for anything but a value here."""
        return False

    def link(self, first: Any, second: Any, call: Call) -> Any:
        """Links are known after deployment only."""
        return Unknown(call, "object")


def read_tree(document: Document, context: Context) -> Document:
    """Reads the document's source; strings with substitutions become templates.

    This is a stage. Mistakes are reported; a document must be a map.
    """
    before = context.diagnostics.errors
    language = context.language
    source = document.source
    root = read(source, language.split, language.opener, context.meter, context.diagnostics)
    if isinstance(root, Map):
        made = document.evolve(root=root)
        context.work.written = made
        return made
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
    names = Names(resolve, context)
    context.work.keep(names)
    root = Evaluation(context, step).node(document.root, names)
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
        self._evaluation = Evaluation(context)
        self._scope = Names(self.resolve, context)
        self._values: dict[str, Any] = {}

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
        return navigate(self._value(name, reference), rest, reference, self._scope.context.meter)

    def _value(self, name: str, reference: Reference) -> Any:
        evaluation = self._evaluation
        if name not in self._values:
            evaluation.begin(name, name, reference)
            own = Reference(name) if self._root is None else Reference(self._root, (name,))
            try:
                self._values[name] = evaluation.context.meter.with_room(
                    lambda: evaluation.value_of(self._nodes[name], own, self._scope)
                )
            except Failure as failure:
                self._values[name] = failure
            finally:
                evaluation.end(name)
        value = self._values[name]
        if isinstance(value, Failure):
            raise Failure(value.code, value.summary, reported=True)
        return value
