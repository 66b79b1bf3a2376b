"""Names and functions at the places of a promotion: what they lead to, and what is not known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from ....functions.expr.kinds import NamedText, StringMap, Struct
from ....functions.record import Record
from ....functions.registry import Function
from ....functions.values import FunctionError, Unknown, has_unknown
from ...language.errors import Failure
from ...values.diagnostics import Hint, meant, write_instead
from ...values.expression import Call, Expression, Hole, Literal, Path, Reference
from ...values.expression import walk as nodes_in
from ...values.tree import Map, Template
from ..expr import scope as expr
from ..expr.operators import INDEX, OPTIONAL, OPTIONAL_METHOD
from ..expr.printing import call, show, tree_of
from ..expr.scope import imported, walk
from .execution import Execution, value_of
from .freight import LOOKUPS
from .manifests import SHARED, UNGIVEN
from .promotions import SEPARATOR, Step
from .steps import outputs_of

_OF_PROMOTION: Final = ("ctx", "vars", "target")
_OF_STEP: Final = (*_OF_PROMOTION, "outputs", "stepMetas", "task")
NAMES: Final = frozenset(_OF_STEP)
_STATUSES: Final = frozenset({"always", "success", "failure", "status"})
_REMOVED: Final = {"secrets": ("1.7", "`secret('name').key`")}
_UNSEEN: Final[Any] = object()


class Place(Record):
    """A kind of place: how it is called, the names that it sees, and functions that it refuses."""

    words: str
    names: tuple[str, ...] = _OF_STEP
    refuses: frozenset[str] = _STATUSES


VARIABLE: Final = Place("a variable of the promotion", _OF_PROMOTION)
STEP_VARIABLE: Final = Place("a variable of a step")
STEP: Final = Place("a step", refuses=frozenset())
VERIFICATION: Final = Place("the verification", ("ctx", "vars"))
CRITERIA: Final = Place(
    "the criteria of a Warehouse",
    (),
    _STATUSES
    | {"configMap", "secret", "sharedConfigMap", "sharedSecret", "warehouse"}
    | {"freightMetadata", "stageMetadata", "freightStatus"},
)


def _discreet(failure: Failure, values: list[Any], node: Call) -> Failure:
    """A failure without the arguments that were computed: they may be made of secrets."""
    summary = failure.summary
    for value, argument in zip(values, node.arguments, strict=True):
        if isinstance(value, str) and value and not isinstance(argument.value, (Literal, Hole)):
            summary = summary.replace(value, "..")
    return Failure(failure.code, summary, failure.node, None, failure.notes, failure.reported)


class Scope(expr.Scope):
    """The names and functions at one place of a promotion.

    `template` is what is evaluated; `step` is None outside of steps. `find` gives the value of a
    variable, or `UNSEEN`; `names` are those of the variables that there are, `later` of those that
    only come after this place. `warn` gets mistakes that an expression expects.
    """

    def __init__(
        self,
        execution: Execution,
        place: Place,
        step: Step | None,
        names: Any,
        find: Callable[[str], Any],
        template: Template | None,
        warn: Callable[[Template, Failure], object],
    ) -> None:
        super().__init__({})
        self.execution = execution
        self.place = place
        self.step = step
        self.names = names
        self.find = find
        self.template = template
        self.warn = warn
        self.stand_in: tuple[Reference, Reference] | None = None

    # names

    def _named(self, name: str, path: Path, reference: Reference, skipped: int) -> Any:
        look = _LOOK_UP.get(name)
        if look is None or name not in self.place.names:
            return self._absent(name, path, reference, skipped)
        if name == "task" and not (self.step is not None and self.step.task):
            return self._absent(name, path, reference, skipped)
        return look(self, path, reference, skipped)

    def _absent(self, name: str, path: Path, reference: Reference, skipped: int) -> Any:
        """A name that does not exist here: nil, or a mistake."""
        if name in NAMES:
            summary = f"`{name}` does not exist in {self.place.words}"
            hint = None
            if name == "task" and self.place is not VARIABLE:
                summary, hint = "`task` exists in the steps of a task only", "write `outputs`"
            failure = Failure("name_not_here", summary, reference, hint)
        elif name in _REMOVED:
            version, instead = _REMOVED[name]
            summary = f"`{name}` was removed in Kargo {version}"
            failure = Failure("removed_name", summary, reference, f"write {instead}")
        else:
            near: Hint = (
                write_instead(name, f"vars.{name}")
                if name in self.names
                else meant(name, self.place.names)
            )
            summary = f"there is no name `{name}`"
            failure = Failure("variable_not_found", summary, reference, near)
        return self._nil(failure, path, reference, skipped)

    def _nil(self, failure: Failure, path: Path, reference: Reference, skipped: int) -> Any:
        """Nil for what does not exist, where that is no mistake.

        Raises:
            Failure: the one that is given.
        """
        if self.execution.strict and not self._expects(failure):
            raise failure
        return walk(None, path, reference, skipped) if path else None

    def _expects(self, failure: Failure, warns: bool = False) -> bool:
        """Whether the expression itself expects nil from the node to blame."""
        template = self.template
        if self.stand_in is not None and failure.node is self.stand_in[0]:
            failure.node = self.stand_in[1]
        if template is None:
            return False
        expects = any(
            _expects_nil(one.shape.expression, failure.node, False)
            for one in template.segments.substitutions
        )
        if expects and warns:
            self.tell(failure)
        return expects

    def tell(self, failure: Failure) -> None:
        """Warns of what is wrong with a node, for which there is a value all the same."""
        template = self.template
        if template is None:
            return
        for one in template.segments.substitutions:
            if any(part is failure.node for part in nodes_in(one.shape.expression)):
                failure.substitution = one
                self.warn(template, failure)
                return

    def _whole(self, values: dict[str, Any], reference: Reference, unknown: bool = False) -> Any:
        """A map of names, of which some may be unknown: each of them can be asked for."""
        if unknown or has_unknown(values):
            return Unknown(_bare(reference), "object", False, _Parts(self, reference))
        return values

    def _vars(self, path: Path, reference: Reference, skipped: int) -> Any:
        if not path:
            found = {name: self.find(name) for name in self.names}
            found = {name: value for name, value in found.items() if value is not _UNSEEN}
            return self._whole(found, reference)
        name = str(path[0])
        value = self.find(name)
        if value is not _UNSEEN:
            return walk(value, path[1:], reference, skipped + 1)
        if name in self.names:
            summary = f"the variable `{name}` is defined after this one"
            failure = Failure("variable_defined_later", summary, reference, "move it up")
        else:
            summary = f"there is no variable `{name}`"
            lost = self.execution.promotion.has_lost(f"vars.{name}")
            near = partial(_defined, name, self.names)
            failure = Failure("variable_not_found", summary, reference, near, (), lost)
        return self._nil(failure, path[1:], reference, skipped + 1)

    def _ctx(self, path: Path, reference: Reference, skipped: int) -> Any:
        known: Any = self.execution.ctx
        if self.place is VERIFICATION:
            known = {key: known[key] for key in ("project", "stage")}
        if self.step is not None and path[:1] in ((), ("meta",)):
            step = {"step": {"alias": self.step.alias}}
            known = {**known, "meta": {**known["meta"], **step}}
        for position, key in enumerate(path):
            if not isinstance(known, dict):
                return walk(known, path[position:], reference, skipped + position)
            if key not in known:
                names = [*known]
                shown = show(Reference("ctx", path[:position]))
                summary = f"`{shown}` has no `{key}`"
                here = self.place is VERIFICATION
                failure = Failure(
                    "name_not_here" if here else "variable_not_found",
                    summary,
                    reference,
                    meant(str(key), names),
                )
                return self._nil(failure, path[position + 1 :], reference, skipped + position + 1)
            known = known[key]
        return self._whole(known, reference) if isinstance(known, dict) else known

    def _target(self, path: Path, reference: Reference, skipped: int) -> Any:
        if not self.execution.known.target:
            return Unknown(_bare(reference))
        return walk(imported(self.execution.known.target), path, reference, skipped)

    def _outputs(self, path: Path, reference: Reference, skipped: int) -> Any:
        return self._of_steps("", path, reference, skipped)

    def _task(self, path: Path, reference: Reference, skipped: int) -> Any:
        assert self.step is not None
        if path and path[0] == "outputs":
            return self._of_steps(self.step.task, path[1:], reference, skipped + 1)
        if not path:
            outputs = self._of_steps(self.step.task, (), reference, skipped)
            return self._whole({"outputs": outputs}, reference)
        failure = Failure(
            "variable_not_found", f"`task` has no `{path[0]}`", reference, "it has `outputs`"
        )
        return self._nil(failure, path[1:], reference, skipped + 1)

    def _of_steps(self, task: str, path: Path, reference: Reference, skipped: int) -> Any:
        """The outputs of steps, of those in a task by the aliases that they have in it."""
        execution = self.execution
        if not path:
            execution.manifests.context.meter.work(execution.at)
            found = {
                alias: execution.output(f"{task}{SEPARATOR}{alias}" if task else alias)
                for alias in execution.aliases(task)
            }
            values = {alias: value_of(one) for alias, one in found.items() if one is not None}
            return self._whole(values, reference)
        alias = str(path[0])
        full = f"{task}{SEPARATOR}{alias}" if task else alias
        value = execution.output(full)
        if value.__class__ is Unknown:
            problem = self._misplaced(full, alias, reference)
            if problem is None:
                return self._later(full, path[1:], reference)
            return self._nil(problem, path[1:], reference, skipped + 1)
        if value is not None:
            if isinstance(value, Map) and execution.promotion.index(full) >= 0:
                self._later(full, path[1:], reference)  # which refuses keys that it never has
            return _walk_node(value, path[1:], reference, skipped + 1)
        return self._without(full, alias, path[1:], reference, skipped + 1)

    def _misplaced(self, full: str, alias: str, reference: Reference) -> Failure | None:
        """The failure for a step that has not run yet."""
        execution = self.execution
        place = execution.promotion.index(full)
        if place <= execution.at:
            return None
        summary = f"the step `{alias}` runs later"
        return Failure("step_runs_later", summary, reference, "refer to an earlier step")

    def _later(self, full: str, path: Path, reference: Reference) -> Any:
        """What only a run puts out, if the step can put it out at all."""
        execution = self.execution
        place = execution.promotion.index(full)
        step = execution.promotion.steps[place]
        config = step.node.get("config")
        if 0 <= place < execution.at:
            config = execution.outcomes[place].config or config
        outputs = outputs_of(step.uses, config) if execution.strict else None
        missing = outputs.missing(path) if outputs is not None and path else None
        if missing is not None:
            index, summary, hint = missing
            place = len(reference.path) - len(path) + index
            failure = AtKey("output_not_found", summary, reference, hint, place)
            if not self._expects(failure, True):
                raise failure
        return Unknown(_bare(reference))

    def _without(
        self, full: str, alias: str, path: Path, reference: Reference, skipped: int
    ) -> Any:
        """Nil for a step that did not run, or that does not exist, which is a mistake."""
        execution = self.execution
        place = execution.promotion.index(full)
        ran = 0 <= place < execution.at and execution.outcomes[place].runs is not False
        if not execution.strict or ran:
            return walk(None, path, reference, skipped) if path else None
        if place >= 0:
            if path:
                because = execution.outcomes[place].because
                summary = f"the step `{alias}` is skipped, so it has no outputs"
                hint = because or None
                failure = Failure("output_of_skipped_step", summary, reference, hint)
                if not self._expects(failure, True):
                    raise failure
            return None
        failure = self.no_step(alias, reference, alias != full)
        if not self._expects(failure, True):
            raise failure
        return None

    def no_step(self, alias: str, node: Expression, within: bool = False) -> Failure:
        """The failure for an alias that no step has, or `within` a task none of its steps."""
        promotion, step = self.execution.promotion, self.step
        task = step.task if step is not None else ""
        if task and not within and promotion.index(f"{task}{SEPARATOR}{alias}") >= 0:
            summary = f"`outputs` has no `{alias}`, which is a step of the same task"
            key = Reference("task", ("outputs", alias))
            return Failure("name_not_here", summary, node, f"write `{show(key)}`")
        names = [one.alias for one in promotion.steps]
        if within:
            names = [one.short for one in promotion.steps if one.task == task]
        where = f"the task `{task}`" if task and within else "this promotion"
        written = self.template.text or "" if self.template is not None else ""
        told = alias if alias in written or not self.execution.reveals else ".."
        summary = f"there is no step `{told}` in {where}"
        own = getattr(node, "root", "") == "task" or not hasattr(node, "root")
        full = f"{task}{SEPARATOR}{alias}" if task and own else alias
        known = not promotion.has_lost(full)
        return Failure("step_not_found", summary, node, lambda: meant(alias, names), (), not known)

    def _metas(self, path: Path, reference: Reference, skipped: int) -> Any:
        """What `stepMetas` has; only a recorded promotion knows all of it."""
        execution = self.execution
        if not path:
            return self._whole({}, reference, True)
        alias = str(path[0])
        place = execution.promotion.index(alias)
        if place < 0 or place > execution.at:
            failure = self._misplaced(alias, alias, reference) if place >= 0 else None
            failure = failure or self.no_step(alias, reference)
            return self._nil(failure, path[1:], reference, skipped + 1)
        if place == execution.at:
            return Unknown(_bare(reference))
        from ....functions.kargo.promotion import STEP_META

        values = execution.step_metadata(place)
        if len(path) > 1 and path[1] not in values:
            walk(Struct(STEP_META, {}), path[1:], reference, skipped + 1)
            return Unknown(_bare(reference))
        if len(path) == 1 and len(values) < len(STEP_META.fields):
            return Unknown(_bare(reference))
        return walk(Struct(STEP_META, values), path[1:], reference, skipped + 1)

    # functions

    def ask(self, function: Function, values: list[Any], node: Call) -> Any:
        """What a function that asks the promotion gives for known values.

        `UNGIVEN` where that is not known in this run; secrets are unknown unless they are revealed.

        Raises:
            Failure: `function_not_here`, or what is wrong with the arguments.
        """
        try:
            return self._asked(function, values, node)
        except Failure as failure:
            found = failure if not self.execution.reveals else _discreet(failure, values, node)
        raise found

    def _asked(self, function: Function, values: list[Any], node: Call) -> Any:
        name = function.name
        if name in self.place.refuses:
            summary = f"`{name}()` does not exist in {self.place.words}"
            hint = None
            if name in _STATUSES:
                hint = "only `if` and `config` of a step see how other steps ended"
            raise Failure("function_not_here", summary, node, hint)
        try:
            if name in LOOKUPS:
                found = self.execution.collection.find(LOOKUPS[name], *values)
            else:
                found = _ANSWERS[name](self, node, *values)
            if found.__class__ is Struct and UNGIVEN in found.values.values():
                fields = found.values.items()
                untold = Unknown(None)
                known = {own: untold if one is UNGIVEN else one for own, one in fields}
                return Struct(found.type, known)
            return found
        except FunctionError as error:
            position = error.argument or 0
            blamed = node.arguments[position].value if position < len(node.arguments) else node
            failure = Failure(error.code, error.message, blamed, error.hint)
            if error.code in _NIL_IN_ENGINE:
                failure.node = node
                if not self.execution.strict or self._expects(failure, True):
                    return None
                failure.node = blamed
            raise failure from None

    def _namespace(self, node: Call) -> str:
        return SHARED if node.function.startswith("shared") else self.execution.promotion.namespace

    def _config_map(self, node: Call, name: str) -> Any:
        return _strings(self.execution.manifests.config_map(name, self._namespace(node)))

    def _secret(self, node: Call, name: str) -> Any:
        found: Any = self.execution.manifests.secret(name, self._namespace(node))
        if self.execution.reveals:
            return _strings(found)
        tree = call(node.function, [tree_of(name)])
        known = None if found is UNGIVEN else found
        return Unknown(tree, "object", True, _Keys(self, node, tree, name, known))

    def _warehouse(self, node: Call, name: str) -> Any:
        from ....functions.kargo.promotion import ORIGIN, ORIGIN_KIND

        kind = NamedText(ORIGIN_KIND, "Warehouse")
        return Struct(ORIGIN, {"Kind": kind, "Name": _a_name(name)})

    def _metadata(self, node: Call, name: str) -> Any:
        kind = "Freight" if node.function == "freightMetadata" else "Stage"
        found, changed = self.execution.metadata(kind, _a_name(name))
        if found is UNGIVEN and changed:
            tree = call(node.function, [tree_of(name)])
            return Unknown(tree, "object", False, dict(changed))
        return {**(found or {}), **changed} if changed else found

    def _freight_status(self, node: Call, name: str) -> Any:
        return self.execution.manifests.status("Freight", _a_name(name))

    def _always(self, node: Call) -> Any:
        return True

    def _ended(self, node: Call) -> Any:
        """Whether no step has failed so far, or whether one has."""
        failed = self.execution.failure()
        return UNGIVEN if failed is None else (failed is False) is (node.function == "success")

    def _status(self, node: Call, alias: str) -> Any:
        execution, task = self.execution, self.step.task if self.step is not None else ""
        full = f"{task}{SEPARATOR}{alias}" if task else alias
        place = execution.promotion.index(full) if task or SEPARATOR not in alias else -1
        if 0 <= place < execution.at:
            status = execution.status(place)
            return UNGIVEN if status is None else status
        if place == execution.at:
            return UNGIVEN
        argument = node.arguments[0].value
        failure = self._misplaced(full, alias, argument) or self.no_step(alias, argument, True)  # type: ignore[arg-type]
        if execution.strict:
            raise failure
        return ""


class AtKey(Failure):
    """The failure of a reference at the key that has this place in its path."""

    def __init__(self, code: str, summary: str, node: Reference, hint: Hint, place: int) -> None:
        super().__init__(code, summary, node, hint)
        self.place = place


UNSEEN: Final = _UNSEEN
"""The answer for a variable that a place does not see."""

_NIL_IN_ENGINE: Final = frozenset({"artifact_not_found"})
"""Mistakes for which Kargo has nil."""

_LOOK_UP: Final[dict[str, Callable[[Scope, Path, Reference, int], Any]]] = {
    "vars": Scope._vars,
    "ctx": Scope._ctx,
    "target": Scope._target,
    "outputs": Scope._outputs,
    "task": Scope._task,
    "stepMetas": Scope._metas,
}
_ANSWERS: Final[dict[str, Callable[..., Any]]] = {
    **dict.fromkeys(("configMap", "sharedConfigMap"), Scope._config_map),
    **dict.fromkeys(("secret", "sharedSecret"), Scope._secret),
    **dict.fromkeys(("freightMetadata", "stageMetadata"), Scope._metadata),
    **dict.fromkeys(("success", "failure"), Scope._ended),
    "warehouse": Scope._warehouse,
    "freightStatus": Scope._freight_status,
    "always": Scope._always,
    "status": Scope._status,
}
"""What answers a call, but for lookups."""


UNDEFINED: Final = "define it in `vars`, or give it with `--var`"
"""The hint for a variable that there is not, without a near name."""


def _defined(name: str, names: Any) -> str:
    return meant(name, names) or UNDEFINED


def _bare(reference: Reference) -> Reference:
    return Reference(reference.root, reference.path)


def _strings(found: Any) -> Any:
    return found if found is UNGIVEN else StringMap(found)


def _a_name(name: str) -> str:
    if not name:
        raise FunctionError("the name is empty")
    return name


class _Parts(dict[str, Any]):
    """The parts of a map of names, which are looked up when they are asked for."""

    def __init__(self, scope: Scope, reference: Reference) -> None:
        super().__init__()
        self.scope = scope
        self.reference = reference

    def __contains__(self, key: object) -> bool:
        return True

    def __missing__(self, key: str) -> Any:
        inner = self.reference.deeper(key)
        self.scope.stand_in = inner, self.reference
        return self.scope.resolve(inner)


class _Keys(dict[str, Any]):
    """The keys of a Secret: each stays unknown, and one that is certainly missing is told."""

    def __init__(
        self, scope: Scope, node: Call, tree: Call, name: str, known: Mapping[str, Any] | None
    ) -> None:
        super().__init__()
        self.scope = scope
        self.node = node
        self.tree = tree
        self.name = name
        self.known = known

    def __contains__(self, key: object) -> bool:
        return True

    def __missing__(self, key: str) -> Any:
        known = self.known
        if known is not None and key not in known and self.scope.execution.strict:
            summary = f"the Secret `{self.name}` has no key `{key}`, so this is an empty string"
            hint = meant(key, known) if known else None
            self.scope.tell(Failure("field_not_found", summary, self.node, hint))
        return Unknown(call(INDEX, [self.tree, Literal(key)]), "string", True)


def _walk_node(value: Any, path: Path, reference: Reference, skipped: int) -> Any:
    """A part of outputs; those of `compose-output` are its config, of which parts may be left."""
    while isinstance(value, Map) and path and isinstance(path[0], str):
        inner = value.get(path[0])
        if inner is None:
            return walk(None, path[1:], reference, skipped + 1)
        value, path, skipped = inner, path[1:], skipped + 1
    value = value_of(value)
    if value.__class__ is Unknown:
        return Unknown(_bare(reference))
    return walk(value, path, reference, skipped)


def _expects_nil(tree: Expression, wanted: object, soft: bool) -> bool:
    """Whether nil from the node `wanted` of a tree is what its surroundings ask for."""
    if tree is wanted:
        return soft
    if not isinstance(tree, Call):
        return False
    name = tree.function
    for position, argument in enumerate(tree.arguments):
        here = False
        if name == "??":
            here = soft or position < len(tree.arguments) - 1
        elif name in (INDEX, OPTIONAL, OPTIONAL_METHOD, "get"):
            here = position == 0 and (soft or name != INDEX)
        elif name == "?":
            here = soft
        elif name in ("==", "!="):
            here = any(
                other is not argument and other.value == Literal(None) for other in tree.arguments
            )
        if _expects_nil(argument.value, wanted, here):
            return True
    return False
