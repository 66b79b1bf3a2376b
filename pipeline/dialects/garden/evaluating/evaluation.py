"""Evaluation of trees with templates and structures: to nodes for the output, to values for names.

Values are computed on demand. Structures are expanded one level at a time (`expansion.py`); their
content stays unevaluated until then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, Final

from .....functions.values import NONE, FunctionError, Unknown, has_unknown
from ....engine import evaluation as engine
from ....engine.materialisation import MASK, OMITTED, Omitted, to_node
from ....engine.run import Context
from ....language.errors import Failure
from ....language.waiting import WaitingText, is_secret
from ....values.diagnostics import ERROR, WARNING, Diagnostic, Diagnostics, Hint, Note, Relay
from ....values.expression import (
    Call,
    Expression,
    Literal,
    Reference,
    Segment,
    Segments,
    Shape,
    residual,
    walk,
)
from ....values.source import Span
from ....values.threads import with_room
from ....values.tree import AnyNode, Array, Map, Scalar, Template, templates_in
from ..options import SURROUNDINGS
from ..printing import show
from .expansion import (
    CONCAT,
    Left,
    Part,
    expand,
    is_concat,
    items_of,
    loop_later,
    read_again,
    structure_of,
)
from .forms import SEMANTICS, text_call
from .operators import TEXT
from .scope import ITEM, Keys, Lazy, Missing, Scope, Undecided, force


def flat(value: WaitingText) -> WaitingText:
    """A residual string without nested strings, the form that parsing it again would give it."""
    if not any(_is_text(part) for part in value.segments):
        return value
    parts: list[Segment] = []
    for part in value.segments:
        inner: list[Segment] = [part]
        if not isinstance(part, str) and _is_text(part):
            tree = part.shape.expression
            assert isinstance(tree, Call)
            inner = [_segment(argument.value) for argument in tree.arguments]
        for one in inner:
            if isinstance(one, str) and parts and isinstance(parts[-1], str):
                parts[-1] += one
            elif one != "":
                parts.append(one)
    if len(parts) == 1:  # a lone substitution would keep its type instead of becoming a string
        return value
    return WaitingText(Segments(parts), value.secret)


def _is_text(part: Segment) -> bool:
    if isinstance(part, str):
        return False
    tree = part.shape.expression
    return isinstance(tree, Call) and tree.function == TEXT


def _segment(tree: Expression) -> Segment:
    known = isinstance(tree, Literal) and isinstance(tree.value, str)
    return tree.value if known else residual(tree)  # type: ignore[union-attr]


def names_variables(value: Unknown) -> bool:
    """True for an unknown value that refers to a variable: elsewhere the name may mean another."""
    return any(
        isinstance(part, Reference) and part.root in _VARIABLES for part in walk(value.expression)
    )


def _callers_own(failure: Failure) -> Reference | None:
    """The missing variable, or part of the surroundings, that a caller could give, if it is one."""
    if not isinstance(failure, Missing) or failure.reported or failure.closed:
        return None
    found = failure.reference
    if found is None or found.root in SURROUNDINGS:
        return found
    if found.root not in _VARIABLES or len(found.path) != 1:
        return None
    return Reference("var", found.path)


def _under(reference: Reference | None, key: str | int | None) -> Reference | None:
    """The reference to a part; without a key to the whole."""
    return reference if reference is None or key is None else reference.deeper(key)


def is_callers(value: Unknown) -> bool:
    """True for an unknown value that depends on where the project is rendered."""
    parts = walk(value.expression)
    return any(isinstance(part, Reference) and part.root in SURROUNDINGS for part in parts)


def _is_large(expression: Expression) -> bool:
    """True for an expression that is not copied to where the name of its value is used."""
    parts = sum(1 for _ in islice(walk(expression), _LARGEST_INLINE + 1))
    return parts > _LARGEST_INLINE or Shape(expression).depth > _DEEPEST_INLINE


_VARIABLES: Final = ("var", "variables")
_UNSEEN: Final[Any] = object()
_DEEPEST_INLINE: Final = 8
_LARGEST_INLINE: Final = 64
"""A deeper expression, or one of more parts, is not copied to where its name is used."""
_A_ROUND: Final = 12
_A_LEVEL: Final = 6
_PARTS_A_STEP: Final = 8
_FEW_PARTS: Final = 64


class Softened(Relay):
    """A collector that passes on errors as warnings, except for limits; it counts them itself.

    `why` is a note that says why they are no more than that. It is `unread` where nothing reads
    what is evaluated.
    """

    def __init__(self, outer: Diagnostics, why: Note, unread: bool = False) -> None:
        super().__init__(outer, lambda item: True)
        self.errors = 0
        self.unread = unread
        self._why = why

    def add(self, diagnostic: Diagnostic, hint: Hint = None) -> None:
        if diagnostic.severity == ERROR:
            self.errors += 1
            if diagnostic.code != "limit_exceeded":
                diagnostic = diagnostic.evolve(severity=WARNING).noting(self._why)
        self._outer.add(diagnostic, hint)


class Evaluation(engine.Evaluation):
    """Evaluates trees with structures in scopes (`Scope`).

    Structures are expanded one level at a time, and values are computed when they are looked up.
    `names_environment` is True once something asked which environment is evaluated. A check knows
    with `expected` what is missing and only the caller can have: that is `asked` for.
    """

    def __init__(
        self, context: Context, step: str, expected: Callable[[Reference, Keys], bool] | None = None
    ) -> None:
        super().__init__(context, step, SEMANTICS)
        self.expected = expected
        self.asked: dict[Reference, Span] = {}
        self.limits = context.limits
        self.names_environment = False
        self._spent = False
        self._perhaps = 0  # depth inside nodes that may never be needed

    def report(self, place: AnyNode | Span, failure: Failure) -> None:
        """See the engine's; what only the caller can have is asked for instead."""
        own = _callers_own(failure) if self.expected is not None else None
        if own is not None and self.expected is not None:
            assert isinstance(failure, Missing)
            if own in self.asked or self.expected(own, failure.keys or Keys(())):
                self.asked.setdefault(own, place if isinstance(place, Span) else place.span)
                return
        super().report(place, failure)

    @contextmanager
    def reporting(self, diagnostics: Diagnostics) -> Iterator[None]:
        """What is reported meanwhile goes to another collector."""
        outer = self.context
        self.context = outer.evolve(diagnostics=diagnostics)
        try:
            yield
        finally:
            self.context = outer

    def node(self, node: AnyNode, scope: Scope) -> AnyNode | Omitted:
        """A node with everything evaluated; unknown parts stay, with their known parts folded in.

        Errors are reported at their places, and a part with an error stays as it is. Returns the
        same node when nothing changed, `OMITTED` when it is undefined.
        """
        try:
            return with_room(lambda: self._node(node, scope))
        except Failure as failure:
            self.report(node, failure)
            return node

    def _node(self, node: AnyNode, scope: Scope) -> AnyNode | Omitted:
        try:
            self.spend(1)
        except Failure as failure:
            self.report(node, failure)
            return node
        match node:
            case Scalar():
                return node
            case Template():
                return self.filled(node, scope)
            case Array():
                return self._array(node, scope)
        assert isinstance(node, Map)
        if structure_of(node) is None:
            return self._fields(node, scope)
        try:
            found = expand(self, node, scope)
        except Failure as failure:
            return self._failed(node, scope, failure)
        match found:
            case Left():
                return found.node
            case Part():
                return self.part_node(found)
            case list():
                return self._loop(node, found, scope)
            case dict():
                return self._holding(node, {k: self.part_node(part) for k, part in found.items()})
        return OMITTED

    def _fields(self, node: Map, scope: Scope) -> AnyNode:
        """A map that is no structure, as most are: its fields need no parts."""
        found = {key: self._node(child, scope) for key, child in node.items.items()}
        return self._holding(node, found)

    def _holding(self, node: Map, fields: dict[str, AnyNode | Omitted]) -> Map:
        """A map with other fields, or itself."""
        items = node.items
        if len(fields) == len(items) and all(items.get(k) is new for k, new in fields.items()):
            return node
        kept = {k: new for k, new in fields.items() if not isinstance(new, Omitted)}
        return node.replacing(kept, self.step)

    def _failed(self, node: AnyNode, scope: Scope, failure: Failure) -> AnyNode:
        if _passes(failure, scope):
            raise failure
        self.report(node, failure)
        return node

    def filled(self, node: Template, scope: Scope) -> AnyNode | Omitted:
        """See the engine's; a failure that an enclosing loop handles is raised, not reported."""
        try:
            value = self.template(node, scope)
            if value is NONE:
                return OMITTED
            if self._keeps(node, value, scope):
                return node
            self.budget.spend(value)
            return to_node(value, node, self.step)
        except Failure as failure:
            if isinstance(failure, Missing) and self._perhaps:
                if scope.local.isdisjoint(node.segments.roots):
                    return node
            elif _passes(failure, scope):
                raise
            self.report(node, failure)
            return node

    def _keeps(self, node: Template, value: Any, scope: Scope) -> bool:
        """True for a partly known template of what is disabled: it stays as it is written.

        It may have a mistake that only the missing values show, and would stay then, too.
        """
        diagnostics = self.context.diagnostics
        if not isinstance(diagnostics, Softened) or not diagnostics.unread:
            return False
        unknown = isinstance(value, Unknown | WaitingText) or has_unknown(value)
        return unknown and scope.local.isdisjoint(node.segments.roots)

    def _array(self, node: Array, scope: Scope) -> AnyNode:
        try:
            parts = items_of(self, node, scope)
        except Failure as failure:
            return self._failed(node, scope, failure)
        found = [self.item(part) for part in parts]
        if len(found) == len(node.items) and all(
            new is old for new, old in zip(found, node.items, strict=True)
        ):
            return node
        return self._made_array(node, found)

    def _made_array(self, node: AnyNode, found: list[AnyNode | Omitted]) -> Array:
        kept = [new for new in found if not isinstance(new, Omitted)]
        return Array(kept, node.trail.then(self.step), node.start, node.end)

    def _loop(self, node: Map, parts: list[Part | Left], scope: Scope) -> AnyNode:
        diagnostics = self.context.diagnostics
        before = diagnostics.errors
        try:
            made = self._made_array(node, [self.item(part) for part in parts])
        except Undecided:
            return loop_later(self, node, scope).node
        if isinstance(diagnostics, Softened) and diagnostics.errors > before:
            return node  # outside of the loop its item would mean nothing
        return made

    def item(self, part: Part | Left) -> AnyNode | Omitted:
        """A part of an array; a key that inserts items must not come from a choice or from data."""
        found = self.part_node(part)
        if isinstance(part, Part) and isinstance(found, Map) and is_concat(found):
            self.report(part.node, read_again(CONCAT))
            return part.node
        return found

    def part_node(self, part: Part | Left) -> AnyNode | Omitted:
        """A part of a structure as a node."""
        if isinstance(part, Left):
            return part.node
        if part.scope is not None:
            return self._node(part.node, part.scope)
        value = force(part.value)
        if value is NONE:
            return OMITTED
        if self.mask is not None and is_secret(value):
            value = self.mask
        self.budget.spend(value)
        return to_node(value, part.node, self.step)

    def perhaps(self, node: AnyNode, scope: Scope) -> AnyNode:
        """A node that may never be needed: a template with a missing key stays."""
        self._perhaps += 1
        try:
            found = self._node(node, scope)
        finally:
            self._perhaps -= 1
        return node if isinstance(found, Omitted) else found

    def operand(self, node: AnyNode, scope: Scope) -> AnyNode:
        """The operand of a structure that stays: references to secrets stay, as a mask is none."""
        mask, self.mask = self.mask, None
        try:
            return self.perhaps(node, scope)
        finally:
            self.mask = mask

    def is_drawn(self, node: AnyNode) -> bool:
        """True for a node of which each evaluation has another value."""
        effects = self.context.functions.effects()
        drawn = {name for name, effect in effects.items() if effect == "ids"}
        return any(not drawn.isdisjoint(one.segments.functions) for one in templates_in(node))

    def template(self, node: Template, scope: Any = None, masked: bool = True) -> Any:
        """See the engine's.

        Raises:
            Failure: not reported yet.
        """
        value = self.evaluator.segments(node.segments, scope, self.mask if masked else None)
        self.budget.size(value)
        return flat(value) if isinstance(value, WaitingText) else value

    def tree(
        self,
        node: AnyNode,
        scope: Scope,
        reference: Reference | None = None,
        key: str | int | None = None,
    ) -> Any:
        """A node as a value whose parts are computed when they are looked up.

        `reference` is how the output can refer to the node, or with a `key` to what has it there.
        """
        if not isinstance(node, Scalar):
            return Tree(self, node, scope, reference, key)
        value = node.value
        own = None
        if reference is not None and isinstance(value, str) and MASK in value:
            own = _under(reference, key)
        if own is not None:  # a secret, which an earlier render withheld
            return Unknown(own, "any" if value == MASK else "string", True)
        return value

    def value(self, node: AnyNode, scope: Scope, reference: Reference | None = None) -> Any:
        """A node as a value.

        Raises:
            Failure: reported already.
        """
        try:
            return force(self.tree(node, scope, reference))
        except Failure as failure:
            if _passes(failure, scope):
                raise
            raise self.reported(node, failure) from None

    def part_tree(
        self, part: Part | Left, reference: Reference | None, key: str | int | None = None
    ) -> Any:
        """A part of a structure as a value, computed when it is looked up."""
        if isinstance(part, Left):
            return self._later(part.node, _under(reference, key))
        if part.scope is None:
            return part.value
        return self.tree(part.node, part.scope, reference, key)

    def content(self, node: AnyNode, scope: Scope, reference: Reference | None) -> Any:
        """One level of a node's value.

        Raises:
            Failure: reported already.
        """
        try:
            match node:
                case Template():
                    return self._inline(self.template(node, scope, False), reference)
                case Array():
                    self._level(len(node.items))
                    return self._elements(node, items_of(self, node, scope), reference)
            assert isinstance(node, Map)
            self._level(len(node.items))
            found = expand(self, node, scope)
            match found:
                case Left():
                    return self._later(node, reference)
                case Part():
                    return self.part_tree(found, reference)
                case list():
                    return self._forced(node, scope, found, reference)
                case dict():
                    return {
                        key: self.part_tree(part, reference, key) for key, part in found.items()
                    }
            return NONE
        except Failure as failure:
            if failure.reported and failure.__class__ is Failure:
                raise
            if _passes(failure, scope):
                raise
            raise self.reported(node, failure) from None

    def _elements(
        self, node: AnyNode, parts: list[Part | Left], reference: Reference | None
    ) -> Any:
        if any(isinstance(part, Left) for part in parts):
            return self._later(node, reference)
        self.spend(len(parts))
        return [self.part_tree(part, reference, index) for index, part in enumerate(parts)]

    def _forced(
        self, node: Map, scope: Scope, parts: list[Part | Left], reference: Reference | None
    ) -> Any:
        """The result of a loop, computed in full: if a part is undecided, the loop stays."""
        try:
            return force(self._elements(node, parts, reference))
        except Undecided:
            loop_later(self, node, scope)  # reports a loop that cannot stay
            return self._later(node, reference)

    def _inline(self, value: Any, reference: Reference | None) -> Any:
        """A template's value where its name is used; small unknown expressions are copied there."""
        secret = False
        if isinstance(value, WaitingText):
            secret = value.secret
            parts = (
                part if isinstance(part, str) else Unknown(part.shape.expression)
                for part in value.segments
            )
            value = text_call(self.evaluator, list(parts))
        if not isinstance(value, Unknown):
            return value
        secret = secret or value.secret
        if reference is not None and (_is_large(value.expression) or names_variables(value)):
            return Unknown(reference, value.type, secret)
        return Unknown(value.expression, value.type, secret)

    def _later(self, node: AnyNode, reference: Reference | None) -> Unknown:
        """An undecided structure as an unknown value: a reference to it."""
        if reference is None:
            raise Failure(
                "undecidable",
                "this depends on a value that is only known later, and no name refers to it",
            )
        return Unknown(reference, "any", self._is_secret(node))

    def _is_secret(self, node: AnyNode) -> bool:
        # an undecided structure may contain anything that it names
        return any("secrets" in template.segments.roots for template in templates_in(node))

    def count(self) -> None:
        """Counts one round of a loop.

        Raises:
            Failure: `limit_exceeded`.
        """
        self.work(_A_ROUND)
        self.spend(1)

    def work(self, count: int) -> None:
        """Counts steps before they are taken; going over the limit is reported once.

        Raises:
            Failure: `limit_exceeded`.
        """
        try:
            self.evaluator.meter.work(count)
        except FunctionError as error:
            if self._spent:
                raise Failure("limit_exceeded", "", reported=True) from None
            self._spent = True
            raise self.evaluator.failure(error) from None

    def _level(self, count: int) -> None:
        """Counts one level of an array or object of so many parts.

        Raises:
            Failure: `limit_exceeded`.
        """
        self.spend(count)
        self.work(_A_LEVEL + count)

    def weigh(self, value: Any) -> None:
        """Counts an array or object that an expression uses, which may look at all of it.

        Raises:
            Failure: `limit_exceeded`.
        """
        size = self.budget.size(value)
        self.work(1 + size // _PARTS_A_STEP)
        if size > _FEW_PARTS and has_unknown(value):
            self.spend(size)  # what has unknown parts may be copied into an expression

    def spend(self, count: int) -> None:
        """Counts nodes; above the limit, nothing more is evaluated.

        Raises:
            Failure: `limit_exceeded`.
        """
        if self._spent:
            raise Failure("limit_exceeded", "", reported=True)
        try:
            self.budget.spend_nodes(count)
        except Failure:
            self._spent = True
            raise

    def labels(self, keys: list[Any]) -> list[str]:
        """See the engine's; if several parts share a name, their places are added."""
        steps = [step for step in keys if step.reference is not None]
        names = [show(step.reference) for step in steps]
        if len({*names}) < len(names):
            names = [
                f"{name} ({step.node.span.source.name}:{step.node.span.line})"
                for name, step in zip(names, steps, strict=True)
            ]
        return names


def check_data(root: AnyNode, evaluation: Evaluation) -> None:
    """Reports keys of computed data that would be structures when the output is read.

    What is left of a structure has its keys where they are written.
    """
    stack = [root]
    while stack:
        node = stack.pop()
        if type(node) is Array:
            stack += node.items
            for item in node.items:
                if isinstance(item, Map) and is_concat(item) and CONCAT not in item.places:
                    evaluation.report(item, read_again(CONCAT))
        elif type(node) is Map:
            key = structure_of(node)
            if key is not None and key not in node.places:
                evaluation.report(node, read_again(key))
            stack += node.items.values()


def _passes(failure: Failure, scope: Scope) -> bool:
    """True for a failure that an enclosing loop handles by staying as written."""
    return isinstance(failure, Undecided) and ITEM in scope.local


class Tree(Lazy):
    """A node in a scope, as a value that is computed once."""

    def __init__(
        self,
        evaluation: Evaluation,
        node: AnyNode,
        scope: Scope,
        reference: Reference | None,
        key: str | int | None = None,
    ) -> None:
        self.evaluation = evaluation
        self.node = node
        self.scope = scope
        self._above = reference
        self._key = key
        self._content: Any = _UNSEEN

    @property
    def reference(self) -> Reference | None:
        """How the output can refer to it: made when something asks, as few things do."""
        return _under(self._above, self._key)

    def content(self) -> Any:
        if self._content is _UNSEEN:
            self._content = self._computed()
        if isinstance(self._content, Undecided):
            raise self._content
        if isinstance(self._content, Failure):
            raise Failure(self._content.code, self._content.summary, reported=True)
        return self._content

    whole = content

    def keep(self, value: Any) -> None:
        self.evaluation.budget.size(value)
        self.forced = value

    def _computed(self) -> Any:
        evaluation = self.evaluation
        evaluation.begin(self, "a part")
        try:
            return evaluation.evaluator.meter.with_room(
                lambda: evaluation.content(self.node, self.scope, self.reference)
            )
        except Failure as failure:
            # frames, here or behind what it was raised for, would keep what was half made
            failure.__context__ = None
            return failure.with_traceback(None)
        finally:
            evaluation.end(self)
