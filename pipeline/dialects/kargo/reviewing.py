"""The lints of promotions: remarks on what works, collected while `checking.py` goes through them.

Those of an expression alone are made in `lints.py`; here are those that need a promotion: where a
string comes from, what a variable holds, and whether anything names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from ....functions.values import Unknown
from ...engine.lints import Finding, Lint, Reading
from ...engine.run import Context
from ...language.errors import Failure
from ...language.evaluator import Evaluator
from ...values.diagnostics import NOTE, Diagnostics, Note
from ...values.document import Document
from ...values.expression import Call, Expression, Hole, Literal, Reference, Substitution
from ...values.source import Span
from ...values.tree import AnyNode, Map, Template, at, items_at, list_at, templates_in, text_at
from ..expr.types import UNKNOWN, head
from .coercion import QUOTES
from .evaluation import Variables
from .execution import Execution
from .freight import COMMIT, IMAGE, KINDS, LOOKUPS, key_of
from .lints import (
    METADATA,
    Origin,
    Remark,
    Reviewer,
    lone,
    origin_of,
    quoted_beside_text,
)
from .manifests import Manifests
from .promotions import SEPARATOR, STAGE, TASKS, Promotion, Step
from .schema import templates
from .scope import Scope
from .steps import find
from .syntax import TYPER

_WANTS_TEXT: Final = ("string", "any")
_OF_FIELDS: Final = "outputs[].name"
_EITHER: Final = frozenset({"==", "!="})


class Review:
    """The remarks on the promotions of one check."""

    def __init__(self, manifests: Manifests, context: Context) -> None:
        self.manifests = manifests
        self.context = context
        self.reviewer = Reviewer(TYPER.find, lambda: TYPER.structs)
        self._found: dict[Any, tuple[Remark, Span, list[str], list[Span]]] = {}
        self._used: dict[int, list[Any]] = {}
        self._seen: set[int] = set()
        self._set: dict[str, set[str]] | None = None
        self._strict: dict[str, dict[Any, bool]] = {}

    def tell(self, diagnostics: Diagnostics) -> None:
        """Tells the remarks on expressions, those in several places or promotions once."""
        for remark, span, labels, others in self._found.values():
            notes = [Note("the same here", one) for one in others]
            if labels:
                notes.append(Note("in " + ", ".join(f"`{one}`" for one in labels)))
            diagnostics.warn(remark.code, span, remark.summary, remark.hint, *notes)

    def unused(self) -> Iterator[Finding]:
        """The variables that nothing names."""
        for variable, used in self._used.values():
            if not used:
                summary = f"nothing uses the variable `{variable.name}`"
                yield Finding("unused_variable", variable.node.span, summary)

    def _add(
        self, remark: Remark, template: Template, key: Any = None, of: Promotion | None = None
    ) -> None:
        self.context.meter.work()
        span = self.context.language.place(template, remark.start, remark.end)
        known = key or (remark.code, span)
        _, place, labels, others = self._found.setdefault(known, (remark, span, [], []))
        if span != place and span not in others:
            others.append(span)
        if of is not None and not of.has(span) and of.label not in labels:
            labels.append(of.label)

    # a step

    def step(self, execution: Execution, step: Step, seen: Variables, scope: Scope) -> None:
        """Looks at the templates of a step."""
        kind = find(step.uses)
        config = step.node.get("config")
        values = [one.node for one in step.variables]
        for node in (*values, step.node.get("if"), config):
            for template in templates_in(node):
                self._alone(template)
                if not template.segments.functions.isdisjoint(_EITHER):
                    self._compared(template, scope, execution)
        for template, wanted in templates(config, kind.config) if kind is not None else ():
            if wanted in _WANTS_TEXT or isinstance(wanted, tuple):
                self._coerced(template, _Sources(self, execution, step, seen, scope))

    def _alone(self, template: Template) -> None:
        if id(template) in self._seen or template.text is None:
            return
        self._seen.add(id(template))
        self.context.meter.work()
        for substitution in template.segments.substitutions:
            tree = self.context.language.exact(substitution)
            for remark in self.reviewer.review(tree, template.text):
                self._add(remark, template)
            beside = quoted_beside_text(template, tree)
            if beside is not None:
                self._add(beside, template)

    def _compared(self, template: Template, scope: Scope, execution: Execution) -> None:
        """Remarks on variables that are compared with what is never equal to them."""
        scope.template = template
        for substitution in template.segments.substitutions:
            for node in _comparisons(substitution.shape.expression):
                sides = [argument.value for argument in node.arguments]
                for reference, other in (sides, sides[::-1]):
                    literal = _literal(other, substitution.literals)
                    if not isinstance(reference, Reference) or literal is None:
                        continue
                    try:
                        value = scope.resolve(reference)
                    except Failure:
                        continue
                    kinds = {isinstance(one, str) for one in (value, literal)}
                    known = isinstance(value, (str, bool, int, float))
                    if reference.root == "vars" and known and len(kinds) == 2:
                        shown = f"`vars.{reference.path[0]}`" if reference.path else "`vars`"
                        word, other_word = (_WORDS[one.__class__] for one in (value, literal))
                        said = f"{shown} is {word} here, which never equals {other_word}"
                        start, end = self.context.language.offsets_of(substitution, node)
                        remark = Remark(
                            "comparison_never_true", said, start, end, _without(literal)
                        )
                        self._add(remark, template, None, execution.promotion)

    def _coerced(self, template: Template, sources: _Sources) -> None:
        found = sources.of(template)
        if found is None:
            return
        origin, blamed = found
        hint = "`quote(..)`" if origin.call is None else _STRICT
        said = f"{origin.what} such as 1.10 or 20240101 becomes a number here"
        text = blamed.text or ""
        remark = Remark("may_be_coerced", said, 0, len(text), hint)
        self._add(remark, blamed, ("may_be_coerced", text.strip()))

    # variables

    def note_uses(self, promotion: Promotion) -> None:
        """Notes which variables of a promotion something names."""
        nodes: list[AnyNode | None] = [one.node for one in promotion.arguments]
        listed = list(promotion.variables)
        for template in (one for each in listed for one in templates_in(each.node)):
            self._alone(template)
        for step in promotion.steps:
            nodes += [step.node.get("if"), step.node.get("config")]
            listed += step.variables
        nodes += [one.node for one in listed]
        self.context.meter.work(len(nodes))
        names: set[str] = set()
        whole = False
        for template in (one for node in nodes for one in templates_in(node)):
            for substitution in template.segments.substitutions:
                for reference in substitution.shape.references:
                    path = reference.path if reference.root == "vars" else None
                    if reference.root == "$env":
                        path = reference.path[1:] if reference.path[:1] == ("vars",) else path
                        whole = whole or not reference.path
                    if path is not None:
                        whole = whole or not path
                        names.update(str(one) for one in path[:1])
        for one in listed:
            kept = self._used.setdefault(id(one.node), [one, False])
            kept[1] = kept[1] or whole or one.name in names

    # what may be read

    def is_no_text(self, key: str) -> bool:
        """Whether all steps that set a key of metadata set it to something else than a string."""
        if self._set is None:
            self._set = {}
            for kind in (STAGE, *TASKS):
                for one in self.manifests.all(kind):
                    inner = one.at("spec", "promotionTemplate") if kind == STAGE else one.node
                    for step in list_at(inner, "spec", "steps"):
                        if text_at(step, "uses") == "set-metadata":
                            self._note_metadata(list_at(step, "config", "updates"))
        return self._set.get(key, {UNKNOWN}).isdisjoint({UNKNOWN, "string"})

    def _note_metadata(self, updates: list[AnyNode]) -> None:
        assert self._set is not None
        for update in updates:
            holder = text_at(update, "kind")
            for key, node in items_at(update, "values"):
                only = lone(node) if isinstance(node, Template) else None
                tree = only.shape.expression if only is not None else None
                kind = TYPER.type(tree, {}) if tree is not None else UNKNOWN
                self._set.setdefault(f"{holder}.{key}", set()).add(head(kind))

    def is_strict(self, call: Call, literals: Any, evaluator: Evaluator, scope: Scope) -> bool:
        """Whether the Warehouses that may give the artifact of a call take strict versions only.

        Raises:
            Failure: when the call has a mistake.
        """
        kind = LOOKUPS.get(call.function)
        if kind not in (COMMIT, IMAGE) or not call.arguments:
            return False
        url = evaluator.value(call.arguments[0].value, literals, scope)
        known = self._subscriptions(kind)
        if isinstance(url, Unknown):
            return bool(known) and all(known.values())
        return known.get(key_of(kind, {"repoURL": url}), False)

    def _subscriptions(self, kind: str) -> dict[Any, bool]:
        """What Warehouses subscribe to of a kind, and whether all of them are strict there."""
        if kind not in self._strict:
            known: dict[Any, bool] = {}
            for warehouse in self.manifests.all("Warehouse"):
                for item in list_at(warehouse.node, "spec", "subscriptions"):
                    self.context.meter.work()
                    one = at(item, KINDS[kind].subscription)
                    if isinstance(one, Map):
                        key = key_of(kind, {"repoURL": text_at(one, "repoURL")})
                        known[key] = known.get(key, True) and _takes_strict(one)
            self._strict[kind] = known
        return self._strict[kind]


_STRICT: Final = "`quote(..)`; or let the Warehouse take strict semantic versions only"
_WORDS: Final = {str: "a string", bool: "a boolean", int: "a number", float: "a number"}


def _without(literal: Any) -> str:
    if literal in ("true", "false"):
        return f"compare with {literal}, without quotes"
    return (
        "write `string(..)` around the variable" if isinstance(literal, str) else "write a string"
    )


def _takes_strict(subscription: Map) -> bool:
    strategy = text_at(subscription, "imageSelectionStrategy")
    strategy = strategy or text_at(subscription, "commitSelectionStrategy")
    default = "NewestFromBranch" if "branch" in subscription.items else "SemVer"
    strict = getattr(subscription.get("strictSemvers"), "value", None)
    return strict is not False and (strategy or default) == "SemVer"


class _Sources:
    """Where the strings come from that a step of a promotion sees."""

    def __init__(
        self, review: Review, execution: Execution, step: Step, seen: Variables, scope: Scope
    ) -> None:
        self.review = review
        self.execution = execution
        self.step = step
        self.seen = seen
        self.scope = scope

    def of(self, template: Template) -> tuple[Origin, Template] | None:
        """Where the string of a template comes from that may become a number, and the template in
        which it becomes one: that of a variable, or this one."""
        way: list[Template] = []
        node: AnyNode | None = template
        before: int | None = None
        while isinstance(node, Template) and (only := lone(node)) is not None:
            self.review.context.meter.work()
            tree = only.shape.expression
            if isinstance(tree, Call) and tree.function in QUOTES:
                tree = tree.arguments[0].value
            else:
                way.append(node)
            found = origin_of(tree, TYPER)
            if isinstance(found, Reference) and found.root == "vars" and len(found.path) == 1:
                before = self.seen.place_of(str(found.path[0]), before)
                node = self.seen.variable(before).node if before >= 0 else None
                continue
            origin = self._outputs(found) if isinstance(found, Reference) else found
            taken = origin is not None and not self._is_safe(origin, node, only)
            return (origin, way[-1]) if origin is not None and taken and way else None
        return None

    def _is_safe(self, origin: Origin, template: Template, only: Substitution) -> bool:
        if origin.what == METADATA:
            return self.review.is_no_text(origin.key)
        if origin.call is None:
            return False
        self.scope.template = template
        evaluator = self.seen.evaluation.evaluator
        try:
            evaluator.value(origin.call, only.literals, self.scope)
            return self.review.is_strict(origin.call, only.literals, evaluator, self.scope)
        except Failure:  # which is told
            return True

    def _outputs(self, reference: Reference) -> Origin | None:
        path = reference.path
        task = self.step.task if reference.root == "task" else ""
        path = path[1:] if reference.root == "task" else path
        if reference.root in ("outputs", "task") and len(path) > 1:
            alias = f"{task}{SEPARATOR}{path[0]}" if task else str(path[0])
            place = self.execution.promotion.index(alias)
            uses = self.execution.promotion.steps[place].uses if place >= 0 else ""
            kind = find(uses)
            if kind is not None and kind.result == _OF_FIELDS:
                return Origin(f"an output of `{uses}`")
        return None


def _comparisons(tree: Expression) -> Iterator[Call]:
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, Call):
            if node.function in _EITHER:
                yield node
            stack += [argument.value for argument in node.arguments]


def _literal(node: Expression, literals: Any) -> Any:
    if isinstance(node, Hole):
        return literals[node.index]
    return node.value if isinstance(node, Literal) else None


def _look(document: Document, reading: Reading) -> Iterable[Finding]:
    review = reading.context.work.find(Review)
    found = review.unused() if review is not None else ()
    return (one for one in found if one.span.source is document.source)


LINTS: Final = (Lint({"unused_variable": NOTE}, _look),)
