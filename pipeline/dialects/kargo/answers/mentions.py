"""The names in manifests: of Stages, tasks and Warehouses, of variables, and of steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ....answers.mentions import (
    Mention,
    Thing,
    file_of,
    item_mention,
    literal_mention,
    text_mentions,
)
from ....engine.references import exact_tree
from ....engine.run import Context
from ....values.diagnostics import Diagnostics
from ....values.document import Document
from ....values.expression import Call, Literal, Reference, walk
from ....values.tree import AnyNode, Map, Scalar, Template, at, list_at, templates_in, text_at
from ..manifests import Manifest, manifests_of
from ..options import PromotionOptions
from ..promotions import PROMOTION, SEPARATOR, STAGE, TASKS

_WAREHOUSE: Final = "Warehouse"
_CUSTOM: Final = "CustomPromotionStep"
_OUTPUTS: Final = ("outputs", "stepMetas")
_NAMED: Final = {
    "warehouse": _WAREHOUSE,
    "configMap": "ConfigMap",
    "secret": "Secret",
    "stageMetadata": STAGE,
}
_STATUS: Final = "status"


def mentions(document: Document, context: Context) -> Iterator[Mention]:
    """The names in manifests that are not read yet, and in those beside them.

    Raises:
        FunctionError: `limit_exceeded`.
    """
    quiet = context.evolve(
        diagnostics=Diagnostics(context.limits.max_diagnostics, context.quoting), checks=True
    )
    manifests = manifests_of(document, PromotionOptions(), quiet)
    owners = [
        _Owner(one, quiet) for one in manifests.listed if one.kind in (STAGE, *TASKS, PROMOTION)
    ]
    tasks = {(one.manifest.kind, one.manifest.name): one for one in owners}
    for one in owners:
        one.join(tasks)
    for one in owners:
        yield from one.all(tasks)
    for manifest in manifests.listed:
        yield from _of_manifest(manifest)


def _of_manifest(manifest: Manifest) -> Iterator[Mention]:
    """Its own name, and those of others that are no expressions."""
    node = manifest.node
    yield from text_mentions(
        at(node, "metadata", "name"), Thing("", manifest.kind, manifest.name), node.span
    )
    for one in (*list_at(node, "spec", "requestedFreight"), node):
        name = text_at(one, "origin", "name")
        yield from text_mentions(at(one, "origin", "name"), Thing("", _WAREHOUSE, name))
        for stage in list_at(one, "sources", "stages"):
            name = str(stage.value) if isinstance(stage, Scalar) else ""
            yield from text_mentions(stage, Thing("", STAGE, name))
    stage_name = at(node, "spec", "stage")
    yield from text_mentions(stage_name, Thing("", STAGE, text_at(node, "spec", "stage")))


class _Owner:
    """A manifest with variables and steps of its own.

    A variable of a promotion takes the place of one of its tasks that has the same name: both are
    one thing then, which is in the scope of the first of them.
    """

    def __init__(self, manifest: Manifest, context: Context) -> None:
        self.manifest = manifest
        self.context = context
        self.key = f"{file_of(manifest.part.source)}#{manifest.kind}/{manifest.name}"
        node = manifest.node
        template = at(node, "spec", "promotionTemplate")
        self.lists = [node, template] if manifest.kind == STAGE else [node]
        self.steps = [
            one
            for one in list_at(template if manifest.kind == STAGE else node, "spec", "steps")
            if isinstance(one, Map)
        ]
        listed = [one for holder in self.lists for one in list_at(holder, "spec", "vars")]
        self.variables = {text_at(one, "name") for one in listed}
        self.aliases = {
            text_at(one, "as") or f"{'task' if 'task' in one.items else 'step'}-{number}": one
            for number, one in enumerate(self.steps, 1)
        }
        self.same: dict[str, _Owner] = {}

    def join(self, tasks: dict[tuple[str, str], _Owner]) -> None:
        """Makes one of its variables and those of its tasks that have the same name."""
        for step in self.steps:
            task = _task(step, tasks)
            for name in self.variables if task is not None else ():
                assert task is not None
                if name in task.variables or task.asks_for(name):
                    first, other = self.first(name), task.first(name)
                    if first is not other:
                        other.same[name] = first

    def asks_for(self, name: str) -> bool:
        """True for a name that its templates have of a variable."""
        return any(
            reference.root == "vars" and reference.path[:1] == (name,)
            for template in templates_in(self.manifest.node)
            for one in template.segments.substitutions
            for reference in one.shape.references
        )

    def first(self, name: str) -> _Owner:
        """The first of those whose variables of a name are one thing."""
        owner = self
        while name in owner.same:
            owner = owner.same[name]
        return owner

    def variable(self, name: str) -> Thing:
        """The variable that a name means in it."""
        return Thing(self.first(name).key, "variable", name)

    def all(self, tasks: dict[tuple[str, str], _Owner]) -> Iterator[Mention]:
        """All names in it."""
        for holder in self.lists:
            for one in list_at(holder, "spec", "vars"):
                if isinstance(one, Map):
                    thing = self.variable(text_at(one, "name"))
                    yield from text_mentions(one.get("name"), thing, one.span)
                    yield from self._uses(one.get("value"), frozenset(), None, tasks)
        yield from self._uses(
            at(self.manifest.node, "spec", "verification"), frozenset(), None, tasks
        )
        for step in self.steps:
            self.context.meter.work(20)
            yield from self._step(step, tasks)

    def _step(self, step: Map, tasks: dict[tuple[str, str], _Owner]) -> Iterator[Mention]:
        alias = Thing(self.key, "step", text_at(step, "as"))
        yield from text_mentions(step.get("as"), alias, step.span)
        custom = Thing("", _CUSTOM, text_at(step, "uses"))
        yield from text_mentions(step.get("uses"), custom)
        task = _task(step, tasks)
        reference = step.get("task")
        name = Thing("", text_at(reference, "kind") or TASKS[0], text_at(reference, "name"))
        yield from text_mentions(at(reference, "name"), name)
        own: set[str] = set()
        for one in list_at(step, "vars"):
            if not isinstance(one, Map):
                continue
            given = text_at(one, "name")
            yield from self._uses(one.get("value"), frozenset(own), step, tasks)
            if task is not None:
                yield from text_mentions(one.get("name"), task.variable(given))
            else:
                own.add(given)
                thing = self._own(step, given)
                yield from text_mentions(one.get("name"), thing, one.span)
        for key, node in step.items.items():
            if key != "vars":
                yield from self._uses(node, frozenset(own), step, tasks)

    def _own(self, step: Map, name: str) -> Thing:
        return Thing(f"{self.key}@{step.start}", "variable", name)

    def _uses(
        self,
        node: AnyNode | None,
        own: frozenset[str],
        step: Map | None,
        tasks: dict[tuple[str, str], _Owner],
    ) -> Iterator[Mention]:
        """The names in the expressions of a part of it; `own` are the variables of its step."""
        for template in templates_in(node):
            for one in template.segments.substitutions:
                self.context.meter.work(8)
                for part in walk(exact_tree(one, self.context.language)):
                    if isinstance(part, Reference) and part.path:
                        yield from self._reference(part, template, own, step, tasks)
                    elif isinstance(part, Call) and part.arguments:
                        yield from self._named(part, template)

    def _reference(
        self,
        part: Reference,
        template: Template,
        own: frozenset[str],
        step: Map | None,
        tasks: dict[tuple[str, str], _Owner],
    ) -> Iterator[Mention]:
        language = self.context.language
        first = str(part.path[0])
        found: list[Mention | None] = []
        if part.root == "vars":
            mine = step is not None and first in own
            thing = self._own(step, first) if mine and step is not None else self.variable(first)
            found.append(item_mention(language, template, part, 0, thing))
        elif part.root in _OUTPUTS:
            outer, separator, inner = first.partition(SEPARATOR)
            thing = Thing(self.key, "step", outer)
            if not separator:
                found.append(item_mention(language, template, part, 0, thing))
            else:
                holder = self.aliases.get(outer)
                task = _task(holder, tasks) if holder is not None else None
                if holder is None and self.manifest.kind in TASKS:
                    task = self  # the alias of the step that it stands for is one of others
                else:
                    found.append(item_mention(language, template, part, 0, thing, (0, len(outer))))
                if task is not None:
                    thing = Thing(task.key, "step", inner)
                    start = len(outer) + len(separator)
                    place = (start, start + len(inner))
                    found.append(item_mention(language, template, part, 0, thing, place))
        elif part.root == "task" and first == "outputs" and len(part.path) > 1:
            thing = Thing(self.key, "step", str(part.path[1]))
            found.append(item_mention(language, template, part, 1, thing))
        yield from (one for one in found if one is not None)

    def _named(self, call: Call, template: Template) -> Iterator[Mention]:
        value = call.arguments[0].value
        own = call.function == _STATUS
        kind = "step" if own else _NAMED.get(call.function)
        if kind is not None and isinstance(value, Literal) and isinstance(value.value, str):
            thing = Thing(self.key if own else "", kind, value.value)
            found = literal_mention(self.context.language, template, value.start, value.end, thing)
            if found is not None:
                yield found


def _task(step: Map, tasks: dict[tuple[str, str], _Owner]) -> _Owner | None:
    reference = step.get("task")
    kind = text_at(reference, "kind") or TASKS[0]
    return tasks.get((kind, text_at(reference, "name")))
