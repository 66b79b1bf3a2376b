"""What is known of a promotion as its steps run, one after the other.

Steps never run here: what they do is told by the caller (`--state`, `--status`, `--promotion`), or
follows from the promotion itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ....functions.expr.kinds import NamedText
from ....functions.expr.moments import RFC3339_NANO
from ....functions.record import Record, field
from ....functions.values import FunctionError, Unknown
from ...values.expression import Reference
from ...values.tree import AnyNode, Array, Map, Scalar, Template, list_at
from ..expr.scope import imported
from .freight import Collection
from .manifests import UNGIVEN, Manifests
from .promotions import Promotion, Step
from .state import CTX, Known, as_json

SKIPPED: Final = "Skipped"
_TYPES: Final = {"string": str, "time": str, "integer": int, "boolean": bool}
_FAILED: Final = ("Failed", "Errored")
_COMPOSE: Final = "compose-output"
_SET: Final = "set-metadata"


class Outcome(Record, eq=False):
    """What becomes of a step: `runs` is None when that is not decided, `because` says why not.

    `condition` and `config` are evaluated as far as they are known, `seen` are the variables that
    the step sees. A `broken` step has a mistake.
    """

    step: Step
    runs: bool | None = None
    because: str = ""
    condition: AnyNode | None = field(default=None, repr=False)
    config: AnyNode | None = field(default=None, repr=False)
    seen: Any = field(default=None, repr=False)
    broken: bool = False


class Execution:
    """A promotion, what its caller knows of it, and the outcomes of its steps so far.

    `seen` are the promotion's variables, `arguments` the evaluated ones of the verification,
    `written` the steps before they are evaluated. Stages of the pipeline fill them in. It `reveals`
    secrets where these are values like any others.
    """

    def __init__(
        self,
        promotion: Promotion,
        manifests: Manifests,
        collection: Collection,
        known: Known,
        reveals: bool = False,
    ) -> None:
        self.promotion = promotion
        self.manifests = manifests
        self.collection = collection
        self.known = known
        self.options = manifests.options
        self.reveals = reveals
        self.outcomes: list[Outcome] = []
        self.seen: Any = None
        self.arguments: dict[str, AnyNode] = {}
        self.written: list[AnyNode] = []
        self.ctx = self._ctx(CTX, known.ctx, self._derived(), ())
        self._outputs: dict[str, Any] = {}
        self._told: dict[str, Any] = {}
        self._changed: dict[tuple[str, str], dict[str, Any] | None] = {}
        self._all_changed = False
        self._failure: Step | bool | None = False
        self._ended = 0

    @property
    def strict(self) -> bool:
        """True where a name that there cannot be is a mistake."""
        return self.options.undefined != "nil"

    # ctx

    def _derived(self) -> dict[str, Any]:
        promotion, target = self.promotion, self.collection.target
        found: dict[str, Any] = {"project": promotion.namespace, "stage": promotion.stage_name}
        if target is not None:
            found["targetFreight"] = {
                "name": target.name,
                "alias": target.alias,
                "origin": {"name": target.origin},
            }
        return found

    def _ctx(
        self, names: Mapping[str, Any], told: Any, derived: Any, path: tuple[str, ...]
    ) -> dict[str, Any]:
        """The values of `ctx`, or of a map in it; what nobody has told is unknown."""
        made: dict[str, Any] = {}
        for name, kind in names.items():
            here = (*path, name)
            told_here, own = (one.get(name) if one else None for one in (told, derived))
            if isinstance(kind, Mapping):
                made[name] = self._ctx(kind, told_here, own, here)
            else:
                value = told_here if told_here is not None else own or None
                made[name] = Unknown(Reference("ctx", here)) if value is None else value
        return made

    # statuses

    @property
    def at(self) -> int:
        """The place of the step that is looked at: those before it ran."""
        return len(self.outcomes)

    def status(self, place: int) -> str | None:
        """How an earlier step ended; None when that is not known."""
        outcome = self.outcomes[place]
        if outcome.broken and not self.strict:
            return _FAILED[1]
        return SKIPPED if outcome.runs is False else self.known.status(outcome.step.alias)

    def failure(self) -> Step | bool | None:
        """The first step that is known to have failed, False for none, None where nobody knows."""
        while self._ended < len(self.outcomes) and not isinstance(self._failure, Step):
            step, status = self.outcomes[self._ended].step, self.status(self._ended)
            self._ended += 1
            if status in _FAILED and not step.continues:
                self._failure = step
            elif status is None and not step.continues:
                self._failure = None
        return self._failure

    def step_metadata(self, place: int) -> dict[str, Any]:
        """The known fields of an entry of `stepMetas`."""
        from ....functions.expr.layouts import read_time
        from ....functions.kargo.promotion import STEP_META, STEP_STATUS

        step = self.outcomes[place].step
        told = self.known.metadata.get(step.alias, {})
        made: dict[str, Any] = {"Alias": step.alias, "ContinueOnError": step.continues}
        status = self.status(place)
        if status is not None:
            made["Status"] = NamedText(STEP_STATUS, status)
        for name, (kind, key) in STEP_META.fields.items():
            value: Any = told.get(key)
            if name in made or not isinstance(value, _TYPES.get(kind, ())):
                continue
            try:
                made[name] = read_time(str(value), RFC3339_NANO) if kind == "time" else value
            except FunctionError:  # what a cluster would not write
                continue
        return made

    # outputs

    def finish(self, outcome: Outcome) -> None:
        """Goes on to the next step."""
        step, config = outcome.step, outcome.config
        self.outcomes.append(outcome)
        if step.uses == _COMPOSE and outcome.runs is not False and isinstance(config, Map):
            self._outputs[step.alias] = config if outcome.runs else Unknown(None)
            if step.task:
                made = self._outputs.get(step.task)
                before = made.items if isinstance(made, Map) else {}
                mixed: Any = config.replacing({**before, **config.items})
                self._outputs[step.task] = mixed if outcome.runs else Unknown(None)
        if step.uses == _SET and outcome.runs is not False:
            for item in list_at(config, "updates"):
                self._change(item, outcome.runs is True)

    def output(self, alias: str) -> Any:
        """The outputs of a step by its full alias: plain data or a node with it, nil, or unknown.

        A step that did not run has none, nor has one in a closed world that is known to have ended.
        """
        place = self.promotion.index(alias)
        if 0 <= place < self.at and self.outcomes[place].runs is False:
            return None
        if alias in self.known.outputs and place < self.at:
            if alias not in self._told:
                self._told[alias] = as_json(imported(self.known.outputs[alias]))
            return self._told[alias]
        if alias in self._outputs:
            return self._outputs[alias]
        if place < 0 or (place < self.at and self.options.closed and self.status(place)):
            return None
        return Unknown(None)

    def aliases(self, task: str) -> Iterator[str]:
        """The aliases of the steps so far, of those in a task by their short ones."""
        for outcome in self.outcomes:
            if not task:
                yield outcome.step.alias
            elif outcome.step.task == task:
                yield outcome.step.short

    # metadata

    def _change(self, update: AnyNode, certainly: bool) -> None:
        """What an update of `set-metadata` does to what later steps see."""
        parts = [update.get(key) if isinstance(update, Map) else None for key in _UPDATE]
        kind, name, values = (value_of(part) if part is not None else None for part in parts)
        if isinstance(kind, Unknown) or isinstance(name, Unknown):
            self._all_changed = True
            return
        if not isinstance(kind, str) or not isinstance(name, str):
            return
        before = self._changed.get((kind, name), {})
        self._changed[kind, name] = None
        if certainly and before is not None and isinstance(values, dict):
            self._changed[kind, name] = {**before, **values}

    def metadata(self, kind: str, name: str) -> tuple[Any, dict[str, Any]]:
        """The metadata of a Stage or of Freight (a map, nil, `UNGIVEN`), and what steps changed."""
        changed = self._changed.get((kind, name), {})
        if self._all_changed or changed is None:
            return UNGIVEN, {}
        return self.manifests.metadata(kind, name), changed


_UPDATE: Final = ("kind", "name", "values")


def value_of(node: Any) -> Any:
    """An evaluated node as a value; an `Unknown` where a part of it is left."""
    if isinstance(node, Scalar):
        return float(node.value) if node.value.__class__ is int else node.value
    if isinstance(node, Template):
        return Unknown(None)
    if isinstance(node, Array):
        items = [*map(value_of, node.items)]
        return Unknown(None) if any(one.__class__ is Unknown for one in items) else items
    if not isinstance(node, Map):
        return node
    pairs = {key: value_of(child) for key, child in node.items.items()}
    unknown = any(one.__class__ is Unknown for one in pairs.values())
    return Unknown(None) if unknown else pairs
