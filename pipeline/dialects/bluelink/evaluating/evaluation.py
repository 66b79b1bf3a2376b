"""What a run knows of one document: every value is computed once, when something asks for it.

Order in the file does not matter and cycles are found where they close. Results are kept by node,
or by text where only variables and values matter (a thousand resources write the same forty texts).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from .....functions.values import NONE, Unknown, article, has_unknown, type_of
from ....engine.materialisation import (
    MASK,
    Omitted,
    decoded,
    flag_of,
    relabelled,
    text_of,
    to_node,
    whole,
)
from ....engine.run import Context
from ....language.errors import Failure
from ....language.navigation import missing_field, navigate
from ....language.waiting import WaitingText, is_secret
from ....values.diagnostics import Diagnostics
from ....values.document import Document
from ....values.expression import Path, Reference, Segments, Traits
from ....values.settings import SECRETS_KEEP, how_to_raise
from ....values.threads import AT_A_DOOR
from ....values.tree import AnyNode, Array, Map, Scalar, Template, templates_in
from ..structure.inspection import read_literal
from .base import EvaluationBase, Frame
from .inputs import resolve_variables, without_value
from .scope import Scope

if TYPE_CHECKING:
    from ....values.source import Span
    from ..checking.doubts import Doubts

# Conditions of resources (specification, "conditionDefinition").


def decide(evaluation: Evaluation, node: AnyNode, frame: Frame | None) -> Any:
    """True, False, or the part of a condition that is not decided, as a node.

    none counts as false. An operand that decides ends the evaluation; decided ones are left out of
    what remains, and a single one that remains stands alone.

    Raises:
        Failure: reported already.
    """
    match node:
        case Scalar(value=bool() as value):
            return value
        case Template():
            return _decide_text(evaluation, node, frame)
        case Map(items=items) if len(items) == 1:
            ((operator, operand),) = items.items()
            if operator == "not":
                result = decide(evaluation, operand, frame)
                if result is True or result is False:
                    return not result
                return node.replacing({"not": result}, "substitute")
            if isinstance(operand, Array):
                return _decide_list(evaluation, node, operator, operand, frame)
    raise AssertionError(f"a condition of this form was refused before: {node!r}")


def _decide_text(evaluation: Evaluation, node: Template, frame: Frame | None) -> Any:
    doubts = evaluation.doubts
    if doubts is not None and doubts.stays(node):
        return node
    value = evaluation.template(node, frame, masked=False)
    if value is True or value is False:
        return value
    if value is NONE:
        return False
    if type(value) is Unknown and value.type in ("any", "boolean"):
        left = to_node(value, node, "substitute")
        return node if doubts is not None and doubts.is_left(left, node) else left
    if type(value) is Unknown:
        actual = value.type
    else:
        actual = "string" if type(value) is WaitingText else type_of(value)
    failure = Failure(
        "condition_not_boolean",
        f"a condition must be a boolean, not a value of type {actual}",
        hint="compare with `eq`, `gt` and the like",
    )
    evaluation.report(node, failure)
    raise Failure(failure.code, failure.summary, reported=True)


def _decide_list(
    evaluation: Evaluation, node: Map, operator: str, operand: Array, frame: Frame | None
) -> Any:
    decisive = operator == "or"
    left: list[AnyNode] = []
    for position, item in enumerate(operand.items):
        result = decide(evaluation, item, frame)
        if result is decisive:
            return decisive
        if result is not True and result is not False:
            left.append(result)
            evaluation.doubt(operand.items[position + 1 :], result)
    if not left:
        return not decisive
    if len(left) == 1:
        return left[0]
    array = Array(left, operand.trail.then("substitute"), operand.start, operand.end)
    return node.replacing({operator: array}, "substitute")


# The elements of `each` (specification, "each").


def elements_of(evaluation: Evaluation, name: str, node: AnyNode) -> list[Any]:
    """The elements that a resource's `each` gives.

    Raises:
        Failure: `each_not_resolvable`, `resource_each_invalid_type` or `limit_exceeded`.
    """
    if isinstance(node, Template):
        value = evaluation.template(node, masked=False)
    else:
        value = evaluation.value_of(node, Reference("resources", (name, "each")), None)
    doubts = evaluation.doubts
    counted = doubts is not None and doubts.are_counted(value)
    if not counted and (type(value) is WaitingText or has_unknown(value)):
        why = "is a secret" if is_secret(value) else "is only known after deployment"
        raise Failure(
            "each_not_resolvable",
            f"the list of `{name}` {why}, so its instances cannot be made",
            hint=None
            if is_secret(value)
            else "give `each` a list that is known now; `--state` and `--datasources` supply "
            "what is only known later",
        )
    if type(value) is not list:
        hint = "use `vals(...)` to get a list of an object's fields"
        raise Failure(
            "resource_each_invalid_type",
            f"`each` needs an array, not a value of type {type_of(value)}",
            hint=hint if type(value) is dict else None,
        )
    limit = evaluation.context.limits.max_each
    if len(value) > limit:
        raise Failure(
            "limit_exceeded",
            f"`{name}` would have {len(value)} instances, the limit is {limit} (`max_each`)",
            hint=how_to_raise("max_each", evaluation.context.limits),
        )
    return list(value)


# Computed values against declared types (specification, "valueDefinition", "exportDefinition").


def conform(value: Any, declared: str, what: str) -> Any:
    """A value as one of its declared type: text is parsed, an integer serves as a float.

    Raises:
        Failure: `value_type_mismatch`; the value itself is not quoted.
    """
    actual = type_of(value)
    if actual == declared or declared == "any":
        return value
    if actual == "binary" and declared == "string":
        return value
    if actual == "integer" and declared == "float":
        return float(value)
    if actual == "string" and declared in ("integer", "float", "boolean"):
        parsed = read_literal(value, declared)
        if parsed is not None:
            return parsed
        raise Failure(
            "value_type_mismatch",
            f"{what} is declared as {declared}, but its text is no {declared}",
        )
    raise Failure(
        "value_type_mismatch", f"{what} is declared as {declared}, but is {article(actual)}"
    )


def check_waiting_type(what: str, value: Any, declared: str) -> None:
    """Holds the type of a value with unknown parts against a declaration.

    A text may still be parsed, an unknown of type `any` may be anything.

    Raises:
        Failure: `value_type_mismatch`.
    """
    actual = value.type if type(value) is Unknown else type_of(value)
    fits = actual in ("any", "string", declared) or (actual == "integer" and declared == "float")
    if not fits or (actual == "string" and declared in ("array", "object")):
        raise Failure(
            "value_type_mismatch", f"{what} is declared as {declared}, but is {article(actual)}"
        )


def _unless_masked(value: Any, reference: Reference) -> Any:
    if type(value) is str and MASK in value:
        return Unknown(reference, "any" if value == MASK else "string", True)
    return value


def _parts(name: str) -> set[str]:
    """The element that a label names, and what leads down to the label."""
    steps = name.split(".")
    return {".".join(steps[:end]) for end in range(2, len(steps) + 1)}


_FAILED: Final = object()
_ABSENT: Final = object()
_NESTED: Final = 2  # of so many parts that are being computed, one leads to the other
_CHILD: Final = 10  # so much more than a call takes a child of the stack (see `Meter.nested`)
REPEATED: Final = object()
"""The scope of what each element of an `each` will have for itself."""
_STATIC_ROOTS: Final = frozenset({"variables", "values"})


class Evaluation(EvaluationBase):
    """Answers what any part of a blueprint is worth.

    With `lazily`, a variable without a value is a mistake only where something asks for it.
    Scopes are the elements of an `each`: None outside of one, a `Frame` inside. `REPEATED` is for
    what each element will have for itself.
    """

    def __init__(self, document: Document, context: Context, lazily: bool = False) -> None:
        super().__init__(document, context)
        definitions, settings = document.section("variables"), context.settings
        self.variables = resolve_variables(
            definitions, context.given, settings, context.diagnostics, context.providers
        )
        lacking = without_value(definitions, self.variables, settings)
        if lazily:
            self.lacking = lacking
        else:
            context.diagnostics.extend(lacking.values())
        self.children: dict[str, Document | None] = dict(document.children)
        self._render_child: Callable[[str], Document | None] | None = None
        self._memo: dict[Any, Any] = {}
        self._known: dict[str, Any] = {}
        self._static: dict[Traits, bool] = {}
        self._kept: list[Template] = []
        self._values: dict[str, Any] = {}
        self._elements: dict[str, Any] = {}
        self._alive: dict[tuple[str, int | None], Any] = {}
        self._answers: dict[str, Any] = {}
        self._wholes: dict[Any, Any] = {}
        self._effects = frozenset(context.functions.effects())
        self._scopes: dict[Frame | None, Scope] = {}
        self._cycle: list[str] = []
        self._cycle_may_go = False
        self._static_cycles: set[str] | None = None
        # what a check keeps in mind: templates that failed, and those that a render may skip
        self.doubts: Doubts | None = None
        self.failed: set[int] = set()
        self.skipped: list[AnyNode] = []
        if context.checks:
            self._begin_doubts()

    def _begin_doubts(self) -> None:
        from ..checking.doubts import Doubts

        variables = self.variables.values()
        withheld = {one.name: one for one in variables if one.secret and not self.reveal}
        self.doubts = Doubts(self.document, self.context.functions, withheld)
        self.evaluator.doubts = self.doubts.of

    def doubt(self, nodes: list[AnyNode], decision: AnyNode) -> None:
        """Remembers nodes that a render may skip, which may know the decision about them."""
        if self.doubts is not None and self.doubts.of_node(decision):
            self.skipped += nodes

    def report(self, place: AnyNode | Span, failure: Failure) -> None:
        """See the engine's. A cycle is told as the static checks tell it, where they know it."""
        if isinstance(place, Template):
            self.failed.add(id(place))
        if failure.reported:
            return
        if self.context.checks and (not failure.code or self._may_be_skipped(failure)):
            return
        if failure.code == "reference_cycle" and self._is_static_cycle():
            return
        super().report(place, failure)

    @property
    def lasting(self) -> Callable[[str, AnyNode, frozenset[str]], Any] | None:
        """In a check, what finds the references of a definition that are left in every render."""
        doubts, failed = self.doubts, self.failed
        if doubts is None:
            return None
        return lambda section, node, by_name: doubts.lasting(section, node, failed, by_name)

    def _may_be_skipped(self, failure: Failure) -> bool:
        """True for what leads back to itself, or too far, through something that is in doubt."""
        if failure.code == "reference_cycle" and self._cycle_may_go:
            return True
        return self.evaluator.doubting > 0 and failure.code in ("reference_cycle", "limit_exceeded")

    def labels(self, keys: list[Any]) -> list[str]:
        """See the engine's; those of the last cycle are kept."""
        self._cycle = super().labels(keys)
        self._cycle_may_go = self.doubts is not None and self.doubts.of_way(keys, self._alive)
        return self._cycle

    def _is_static_cycle(self) -> bool:
        """True when the static checks find the last cycle; then it has its diagnostic."""
        if self._static_cycles is None:
            from ..checking.static_cycles import report_needs

            told = report_needs(self.document, self.context)
            self._static_cycles = {part for name in told for part in _parts(name)}
        return any(not self._static_cycles.isdisjoint(_parts(name)) for name in self._cycle if name)

    def at(self, frame: Frame | None) -> Scope:
        """The scope of a place: outside of `each`, or in one of its elements."""
        scope = self._scopes.get(frame)
        if scope is None:
            scope = self._scopes[frame] = Scope(self, frame)
        return scope

    def filled(self, node: Template, scope: Any) -> AnyNode | Omitted:
        """See the engine's. Outside of an element, templates that need one stay as they are;
        inside, only those are evaluated. In what is repeated, templates with an effect wait as
        well: every instance has an id of its own.
        """
        segments = node.segments
        waits = segments.needs_element or (scope is not None and self.has_effect(segments))
        frame: Frame | None = None if scope is None or scope is REPEATED else scope
        if waits != (frame is not None):
            return node
        doubts = self.doubts
        if doubts is None:
            return super().filled(node, frame)
        if doubts.stays(node):
            return node
        result = super().filled(node, frame)
        return node if doubts.is_left(result, node) else result

    def template(self, node: Template, scope: Any = None, masked: bool = True) -> Any:
        """See the engine's; each value is kept.

        Raises:
            Failure: reported already.
        """
        frame: Frame | None = scope
        segments = node.segments
        traits: Traits = segments.traits
        static = self._static.get(traits)
        if static is None:
            static = self._is_static(traits)
        key: Any = id(segments) if static else (id(node), frame)
        if masked and self.mask is not None:
            key = (key, "masked")
        found = self._memo.get(key, _ABSENT)
        if found is not _ABSENT:
            if found is _FAILED:
                raise Failure("", "", reported=True)
            return found
        self._kept.append(node)  # so that its id, and that of its segments, stay its own
        if not static:
            self.begin(key, "")
            if self.reveal and self.has_effect(segments):
                from ..secrets.taint import rehearse

                rehearse(self, node, frame)
        try:
            mask = self.mask if masked else None
            known = self._known if static else None
            if len(self.busy) < _NESTED:
                value = self.evaluator.segments(segments, self.at(frame), mask, known)
            else:
                value = self._in_room(segments, self.at(frame), mask, known)
            kind = type(value)
            if kind is bytes:
                value = decoded(value)
            elif kind is list or kind is dict:
                self.budget.size(value)
        except Failure as failure:
            if not static:
                self._memo[key] = _FAILED
            raise self.reported(node, failure) from None
        finally:
            self.busy.pop(key, None)
        self._memo[key] = value
        return value

    def _in_room(self, segments: Segments, scope: Scope, mask: str | None, known: Any) -> Any:
        # apart from `template`, which a closure would make slower for every string
        return self.context.meter.with_room(
            lambda: self.evaluator.segments(segments, scope, mask, known)
        )

    def forget(self, node: AnyNode, frame: Frame) -> None:
        """Frees what the fields of a finished instance were worth; what asks, computes it again.

        Answers of effects are kept, as they would differ, and failures, as they are reported.
        """
        self._scopes.pop(frame, None)
        for template in templates_in(node):
            if not self.has_effect(template.segments):
                key = (id(template), frame)
                for one in (key, (key, "masked")):
                    if self._memo.get(one, _FAILED) is not _FAILED:
                        del self._memo[one]

    def _is_static(self, traits: Traits) -> bool:
        """True when equal texts have equal values: only variables and values, and no effects."""
        known: bool = traits.roots <= _STATIC_ROOTS and traits.functions.isdisjoint(self._effects)
        self._static[traits] = known
        return known

    def has_effect(self, segments: Segments) -> bool:
        """True when a string calls a function whose answer may differ from call to call."""
        return not segments.functions.isdisjoint(self._effects)

    def named(self, value: Any, reference: Reference) -> Any:
        """See the engine's: whatever is unknown is named by the place that it has now."""
        kind = type(value)
        if kind is Unknown:
            return Unknown(reference, value.type, value.secret, value.partial)
        if kind is WaitingText:
            return Unknown(reference, "string", value.secret)
        if kind is dict and has_unknown(value):
            fields = {k: self.named(v, reference.deeper(k)) for k, v in value.items()}
            return whole(fields, reference)
        if kind is list and has_unknown(value):
            items = [self.named(v, reference.deeper(i)) for i, v in enumerate(value)]
            return whole(items, reference)
        return value

    def assembled(self, value: Any, reference: Reference) -> Any:
        """See the engine's."""
        return whole(value, reference)

    def value_of(self, node: AnyNode, reference: Reference, scope: Any) -> Any:
        """See the engine's; text with the mask is a secret, which an earlier render withheld."""
        return _unless_masked(super().value_of(node, reference, scope), reference)

    def follow(
        self, node: AnyNode, path: Path, reference: Reference, frame: Frame | None, blame: Reference
    ) -> Any:
        """The value at a path below a node, computing no more than the path needs.

        `reference` is the canonical form of the whole reference, `blame` the written one.
        """
        depth = len(reference.path) - len(path)
        for position, item in enumerate(path):
            if isinstance(node, Map) and isinstance(item, str):
                child = node.get(item)
                if child is None:
                    raise missing_field(item, node.items, blame)
                node = child
                continue
            prefix = Reference(reference.root, reference.path[: depth + position])
            value = self._whole(node, prefix, frame)
            if type(value) is Unknown:
                if value.partial is not None:
                    value = value.partial
                else:
                    return Unknown(reference, "any", value.secret)
            found = navigate(value, path[position:], blame, self.context.meter)
            return relabelled(found, reference)
        return self._whole(node, reference, frame)

    def _whole(self, node: AnyNode, reference: Reference, frame: Frame | None) -> Any:
        """The value of a node, which is put together once however many refer to it."""
        if isinstance(node, (Template, Scalar)):
            return self.value_of(node, reference, frame)
        key = (id(node), reference.path, frame)
        found = self._wholes.get(key, _ABSENT)
        if found is _ABSENT:
            found = self._wholes[key] = self.value_of(node, reference, frame)
        return found

    def value(self, name: str) -> Any:
        """What `values.<name>` is worth; an `Unknown` that refers to it when it has to wait.

        Raises:
            Failure: reported already, or a cycle.
        """
        found = self._values.get(name, _ABSENT)
        if found is not _ABSENT:
            if found is _FAILED:
                raise Failure("", "", reported=True)
            return found
        key = ("values", name)
        self.begin(key, f"values.{name}")
        try:
            result = self._deeper(lambda: self._compute_value(name))
        except Failure as failure:
            self._values[name] = _FAILED
            if failure.reported:
                raise
            definition = self.definition("values", name)
            raise self.reported(definition.get("value") or definition, failure) from None
        finally:
            self.end(key)
        self._values[name] = result
        return result

    def _compute_value(self, name: str) -> Any:
        definition = self.definition("values", name)
        node = definition.get("value")
        assert node is not None
        declared = text_of(definition.get("type")) or "any"
        reference = Reference("values", (name,))
        if isinstance(node, Template):
            value = _unless_masked(
                self.named(self.template(node, masked=False), reference), reference
            )
        else:
            value = self.value_of(node, reference, None)
        if type(value) is Unknown:
            content = value.partial if value.partial is not None else value
            check_waiting_type(f"the value `{name}`", content, declared)
            value = Unknown(reference, declared, value.secret, value.partial)
        elif value is not NONE:
            self.budget.size(value)
            value = conform(value, declared, f"the value `{name}`")
        secret = flag_of(definition.get("secret")) and not self.reveal
        if secret and value is not NONE:
            return Unknown(reference, declared, True)
        return value

    def elements(self, name: str) -> list[Any]:
        """The elements of a resource's `each`.

        Raises:
            Failure: reported already.
        """
        found: Any = self._elements.get(name)
        if found is not None:
            if found is _FAILED:
                raise Failure("", "", reported=True)
            elements: list[Any] = found
            return elements
        node = self.resource(name).get("each")
        assert node is not None
        try:
            value = elements_of(self, name, node)
        except Failure as failure:
            self._elements[name] = _FAILED
            raise self.reported(node, failure) from None
        self._elements[name] = value
        return value

    def alive(self, name: str, frame: Frame | None = None) -> Any:
        """True, False, or the residual condition of a resource or of one instance.

        Raises:
            Failure: reported already.
        """
        key = (name, frame.index if frame else None)
        found = self._alive.get(key, _ABSENT)
        if found is _FAILED:
            raise Failure("", "", reported=True)
        if found is not _ABSENT:
            return found
        node = self.resource(name).get("condition")
        if node is None:
            result: Any = True
        else:
            busy = ("condition", key)
            self.begin(busy, f"resources.{name}.condition")
            try:
                result = self._deeper(lambda: decide(self, node, frame))
            except Failure:
                self._alive[key] = _FAILED
                raise
            finally:
                self.end(busy)
        self._alive[key] = result
        return result

    def answer(self, name: str) -> dict[str, Any] | None:
        """The exported fields of a data source, or None without an answer in this run.

        Raises:
            Failure: reported already.
        """
        if name in self._answers:
            found: Any = self._answers[name]
            if found is _FAILED:
                raise Failure("", "", reported=True)
            return found  # type: ignore[no-any-return]
        from .datasources import answer

        key = ("datasources", name)
        self.begin(key, f"datasources.{name}")
        definition = self.definition("datasources", name)
        try:
            result: dict[str, Any] | None = self._deeper(lambda: answer(self, name, definition))
        except Failure as failure:
            self._answers[name] = _FAILED
            place = failure.node if failure.node is not None else definition
            raise self.reported(place, failure) from None
        finally:
            self.end(key)
        self._answers[name] = result
        return result

    def render_children_with(self, render: Callable[[str], Document | None]) -> None:
        """Says what renders a child when something first asks for it."""
        self._render_child = render

    def child(self, name: str) -> Document | None:
        """A child's materialised document, or None when it is not opened in this run.

        Raises:
            Failure: reported already, or a cycle.
        """
        render = self._render_child
        if name not in self.children and render is not None:
            key = ("children", name)
            self.begin(key, f"children.{name}")
            try:
                self.children[name] = self.context.meter.with_room(
                    lambda: render(name), AT_A_DOOR, _CHILD
                )
            finally:
                self.end(key)
        found: Any = self.children.get(name)
        if found is _FAILED:
            raise Failure("", "", reported=True)
        return found  # type: ignore[no-any-return]

    def is_rendering(self, name: str) -> bool:
        """True while a child is being rendered, when waiting for it would be a cycle."""
        return ("children", name) in self.busy

    def child_failed(self, name: str) -> None:
        """Remember that a child has no result."""
        self.children[name] = _FAILED  # type: ignore[assignment]

    def _deeper(self, call: Callable[[], Any]) -> Any:
        """What a call gives that may lead far; where it is one of several there must be room."""
        return call() if len(self.busy) < _NESTED else self.context.meter.with_room(call)

    def of_child(self, name: str) -> Evaluation | None:
        """See the base."""
        work = self.context.work.child(name)
        return work.find(Evaluation) if work is not None else None

    def rehearsal(self) -> EvaluationBase:
        """See the base."""
        return Rehearsal(self)


class Rehearsal(Evaluation):
    """The evaluation of a document once more, with its secrets withheld and nothing reported.

    Children are those of the original. Whatever it asks for, a file or an address, holds no secret.
    """

    def __init__(self, original: Evaluation) -> None:
        context = original.context
        super().__init__(
            original.document,
            context.evolve(
                settings=context.settings.evolve(secrets=SECRETS_KEEP),
                diagnostics=Diagnostics(context.limits.max_diagnostics),
                environment=context.environment.rehearsing(),
            ),
        )
        self._original = original
        self.rehearses = True

    def child(self, name: str) -> Document | None:
        return self._original.child(name)

    def answer(self, name: str) -> dict[str, Any] | None:
        """The answer of the original; None for a data source that asks for a secret."""
        from ..secrets.taint import asks_for_secret

        return None if asks_for_secret(self, name) else self._original.answer(name)


def begin_evaluation(
    document: Document, context: Context, step: str = "", lazily: bool = False
) -> Evaluation:
    """A new evaluation of a document, kept in the work on it for the stages that follow."""
    evaluation = Evaluation(document, context, lazily)
    evaluation.step = step
    context.work.written = document
    context.work.keep(evaluation)
    return evaluation


def evaluation_of(document: Document, context: Context, step: str = "") -> Evaluation:
    """The evaluation that a stage before this one began, or a new one; `step` names this stage."""
    evaluation = context.work.find(Evaluation) or begin_evaluation(document, context)
    evaluation.step = step
    return evaluation
