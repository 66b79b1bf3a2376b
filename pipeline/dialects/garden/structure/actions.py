"""Actions: their variables, the scopes of their fields, and their values for references."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

from .....functions.values import NONE, Unknown, has_unknown
from ....engine.evaluation import references_in
from ....engine.materialisation import MASK
from ....language.errors import Failure
from ....values.diagnostics import Diagnostics, Names, Note
from ....values.expression import Path, Reference
from ....values.tree import AnyNode, Array, Map, Scalar, templates_in
from ..evaluating.contexts import Partial, environment_scope, full_scope, later, with_variables
from ..evaluating.evaluation import Softened, names_variables
from ..evaluating.operators import kind_of_value
from ..evaluating.project_variables import (
    ACTION,
    ACTION_FILE,
    Stack,
    named_file,
    stacked,
    variables_node,
)
from ..evaluating.scope import CONTENT, ITEM, Lazy, Scope, opened
from ..options import ProjectOptions, holds_local
from ..recognition import ACTIONS
from .config_templates import local_roots
from .configs import MODULE, PROJECT, Config, is_null, text_at
from .elsewhere import Elsewhere, elsewhere_of
from .project import Project
from .reading import CODE

BUILT_IN: Final = frozenset(
    {
        "description",
        "disabled",
        "dependencies",
        "include",
        "exclude",
        "varfile",
        "varfiles",
        "source",
        "build",
        "buildAtSource",
        "copyFrom",
        "allowPublish",
        "timeout",
        "environments",
    }
)
"""Fields that Garden evaluates before any action, so they cannot refer to one."""

LATER: Final = ("version", "outputs", "buildPath", "sourcePath")
"""The parts of an action that are known only in a run of Garden."""

FILES: Final = ("varfile", "varfiles")
_DISABLED: Final = "disabled"
_ENVIRONMENTS: Final = "environments"
_WITH_VARIABLES: Final = frozenset({"var", "variables", "inputs", ITEM})
_KNOWN: Final = frozenset({"mode", "disabled", "var", "variables"})
"""The parts of an action that others know before it runs."""

_WORDS: Final = {"true": True, "false": False}
_OPEN: Final[Any] = object()
_PLAINLY: Final = nullcontext()


class Action:
    """A configuration with its own variables and the scopes of its fields."""

    def __init__(self, config: Config, project: Project, shared: tuple[Scope, Scope]) -> None:
        self.config = config
        self.project = project
        self._shared = shared
        self._stack: Stack | None = None
        self._early: Scope | None = None
        self._full: Scope | None = None
        self._unfinished: Scope | None = None
        self._disabled: Any = _OPEN
        self._told: Diagnostics | None = None  # of reading the variables to decide

    @property
    def disabled(self) -> bool | None:
        """Whether it is disabled; None when that depends on an unknown value."""
        value = self._disabled
        if value is not True and value is not False:
            value = self.disabled_value(Reference("this"))
        return value if value is True or value is False else None

    def disabled_value(self, reference: Reference) -> Any:
        """The same as a value; `reference` is how the output can refer to the action.

        It is decided by `environments` and `disabled` before anything else is evaluated, and what
        both need, such as files of variables, is told as what it is of: an action that may be
        disabled has no errors.
        """
        items = self.config.part.root.items
        if self._disabled is _OPEN and _ENVIRONMENTS not in items and _DISABLED not in items:
            self._disabled = False  # as most are
        if self._disabled is _OPEN:
            told = self._told = self.project.evaluation.context.diagnostics.beside()
            self._disabled = self._decided()
            if told.errors and self._disabled is False:
                self._stack = self._early = None  # without what could not be read, nothing is told
            with self.leniently():
                self.project.evaluation.context.diagnostics.extend(told)
        return Unknown(reference.deeper(_DISABLED)) if self._disabled is None else self._disabled

    def leniently(self) -> AbstractContextManager[None]:
        """While it is evaluated: mistakes in an action that may be disabled are warnings."""
        evaluation = self.project.evaluation
        diagnostics = evaluation.context.diagnostics
        if self.disabled is False or isinstance(diagnostics, Softened):
            return _PLAINLY
        softened = Softened(diagnostics, self._why(), self.disabled is True)
        return evaluation.reporting(softened)

    def _why(self) -> Note:
        """The note on mistakes that are warnings."""
        node, environment = self.config.node, self.project.environment
        flag, listed = node.get(_DISABLED), node.get(_ENVIRONMENTS)
        place = next((one.span for one in (listed, flag) if one is not None), None)
        if self.disabled is None:
            return Note("the action may be disabled: that depends on an unknown value", place)
        if environment is None or holds_local(environment.name, self.project.options.local):
            return Note("the action is disabled", place)
        return Note(f"the action is disabled in `{environment.name}`", place)

    def _decided(self) -> Any:
        """A boolean, an unknown value, or None for one that only a reference can express."""
        items = self.config.part.root.items
        listed, flag = items.get(_ENVIRONMENTS), items.get(_DISABLED)
        left_out: bool | None = False
        if self.config.kind == PROJECT:
            return left_out
        if listed is not None and not is_null(listed):
            left_out = self._is_left_out(listed)
        if left_out or flag is None or is_null(flag):
            return left_out
        try:
            value = self.project.evaluation.value(flag, self._deciding(flag))
        except Failure:
            return left_out
        if isinstance(value, str) and value.lower() in _WORDS:
            value = _WORDS[value.lower()]
        if value is NONE:
            value = False
        if isinstance(value, Unknown) and value.type in ("any", "boolean", "string"):
            return value if left_out is False else None
        if value == MASK:  # a secret, which an earlier render withheld
            return None
        if not isinstance(value, bool):
            summary = f"`disabled` must be a boolean, not {kind_of_value(value)}"
            self.project.evaluation.context.diagnostics.error(CODE, flag.span, summary)
            return left_out
        return True if value else left_out

    def _is_left_out(self, listed: AnyNode) -> bool | None:
        """True for an action of other environments; None when that is not known."""
        evaluation = self.project.evaluation
        evaluation.names_environment = True
        try:
            names = evaluation.value(listed, self._deciding(listed))
        except Failure:
            return False
        if isinstance(names, Unknown) and names.type in ("any", "array"):
            return None
        if not isinstance(names, list) or not all(isinstance(one, str | Unknown) for one in names):
            summary = "`environments` must be a list of names"
            evaluation.context.diagnostics.error(CODE, listed.span, summary)
            return False
        environment = self.project.environment
        if environment is not None and environment.name in names:
            return False
        return None if environment is None or has_unknown(names) else True

    def _deciding(self, node: AnyNode) -> Scope:
        """The scope of a field that decides; the action's variables are read only if it has any."""
        is_module = self.config.kind == MODULE
        roots = {root for one in templates_in(node) for root in one.segments.roots}
        if not roots or not (is_module or roots & _WITH_VARIABLES):
            return self._with_own(self._shared[0].with_roots(this=self.this(True)))
        if self._stack is None and self._told is not None:
            with self.project.evaluation.reporting(self._told):
                self._stack = self._stacked()
        return self.full() if is_module else self.early()

    @property
    def stack(self) -> Stack:
        """Its variables above those of the environment."""
        if self._stack is None:
            lenience = self.leniently()  # which may need the variables to decide
            if self._stack is None:
                with lenience:
                    self._stack = self._stacked()
        return self._stack

    def early(self) -> Scope:
        """The scope of its built-in fields."""
        if self._early is None:
            scope = with_variables(self._shared[0], self.stack)
            self._early = self._with_own(scope.with_roots(this=self.this(True)))
        return self._early

    def full(self) -> Scope:
        """The scope of all other fields."""
        if self._full is None:
            stack, bare = self.stack, self._bare()
            # one without variables of its own sees those that all actions share
            shares = stack is self.project.stack
            self._full = bare if shares else with_variables(bare, stack)
        return self._full

    def _bare(self) -> Scope:
        """The scope of its variables, without the variables themselves."""
        if self._unfinished is None:
            self._unfinished = self._outside()
        return self._unfinished

    def _outside(self) -> Scope:
        scope = self._shared[1].with_roots(this=self.this())
        if self.config.kind in ("Workflow", "Command"):
            state = self.project.options.state or {}
            names = ("steps", "args", "opts") if self.config.kind == "Command" else ("steps",)
            scope = scope.with_roots(**{name: later(name, state) for name in names})
        return self._with_own(scope)

    def _with_own(self, scope: Scope) -> Scope:
        config = self.config
        if config.rendering is None:
            return scope
        roots = {**local_roots(config.rendering, scope, self.project.evaluation), **config.local}
        return scope.with_roots(True, **roots)

    def _stacked(self) -> Stack:
        project, node = self.project, self.config.node
        below = project.stack
        given = below.given if below is not None else ()
        evaluation = project.evaluation
        diagnostics = evaluation.context.diagnostics
        before = diagnostics.errors
        own: list[tuple[str, AnyNode]] = []
        variables = variables_node(node.get("variables"), evaluation.context)
        if variables is not None:
            own.append((ACTION, variables))
        for path in self._paths():
            scope = self._with_own(self._shared[0].with_roots(this=self.this(True)))
            own += named_file(
                path, self.config.folder, ACTION_FILE, scope, evaluation, project.options
            )
        lenient = isinstance(diagnostics, Softened) or diagnostics is self._told
        unread = diagnostics.errors > before and not lenient
        bare = self._bare()
        return stacked(own, below, given, bare, evaluation, project.options, unread)

    def _paths(self) -> list[AnyNode]:
        found: list[AnyNode] = []
        items = self.config.part.root.items
        for key in FILES:
            node = items.get(key)
            if isinstance(node, Array):
                found += node.items
            elif node is not None and not is_null(node):
                found.append(node)
        return found

    def this(self, early: bool = False) -> Lazy:
        """The value of `this`; with `early` only the parts that need no other values."""
        return _Facts(self, Reference("this"), early)


class _Facts(Lazy):
    """The known values of an action: for `this`, or under its name for all others."""

    def __init__(self, action: Action, reference: Reference, early: bool = False) -> None:
        self._action = action
        self._reference = reference
        self._early = early
        self._content: dict[str, Any] | None = None

    def content(self) -> Any:
        if self._content is None:
            self._content = self._computed()
        return self._content

    def whole(self) -> Any:
        return Unknown(self._reference)

    def _computed(self) -> dict[str, Any]:
        action = self._action
        config, options = action.config, action.project.options
        name = config.name if config.name is not None else self._unknown("name")
        facts = {"name": name, "mode": options.modes.get(config.key, "default")}
        if self._early:
            return facts
        variables = _Foreign(action.stack.value, self._reference.deeper("var"))
        return {
            **facts,
            "disabled": _Disabled(action, self._reference),
            "var": variables,
            "variables": variables,
            **{key: self._unknown(key) for key in LATER},
            **({"path": self._unknown("path")} if config.kind == MODULE else {}),
            **state_of(config.kind.lower(), config.name, options),
        }

    def _unknown(self, key: str) -> Unknown:
        return Unknown(self._reference.deeper(key))


def state_of(kind: str, name: str | None, options: ProjectOptions) -> Mapping[str, Any]:
    """The values of an action in the state."""
    found: Any = (options.state or {}).get("actions")
    for key in (kind, name):
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


class _Foreign(Lazy):
    """Variables of an action as seen by others, which have their own variables."""

    def __init__(self, value: Any, reference: Reference) -> None:
        self._value = value
        self._reference = reference
        self._content: Any = CONTENT

    def member(self, key: str | int) -> Any:
        found = self._value.member(key) if isinstance(self._value, Lazy) else CONTENT
        return found if found is CONTENT else _Foreign(found, self._reference.deeper(key))

    def content(self) -> Any:
        if self._content is CONTENT:
            self._content = self._computed()
        return self._content

    def _computed(self) -> Any:
        value = opened(self._value)
        if isinstance(value, Unknown) and names_variables(value):
            return Unknown(self._reference, value.type, value.secret)
        if isinstance(value, dict):
            return {k: _Foreign(v, self._reference.deeper(k)) for k, v in value.items()}
        if isinstance(value, list):
            return [_Foreign(v, self._reference.deeper(i)) for i, v in enumerate(value)]
        return value


class _Disabled(Lazy):
    def __init__(self, action: Action, reference: Reference) -> None:
        self._action = action
        self._reference = reference

    def content(self) -> Any:
        return self._action.disabled_value(self._reference)


class _Kind(Lazy):
    """The actions of one kind by name."""

    def __init__(self, name: str, elsewhere: Callable[[str, str], Any]) -> None:
        self.actions: dict[str, Any] = {}
        self._name = name
        self._elsewhere = elsewhere
        self._reference = Reference("actions", (name,))

    def member(self, key: str | int) -> Any:
        return CONTENT if str(key) in self.actions else self._elsewhere(self._name, str(key))

    def content(self) -> Any:
        return self.actions

    def whole(self) -> Any:
        return Unknown(self._reference)


def _meant(rivals: list[Action]) -> Action:
    """The action that a name means: the one that is not disabled, of which there is one at most."""
    if len(rivals) == 1:
        return rivals[0]
    ranks = {False: 0, None: 1, True: 2}
    return min(rivals, key=lambda one: ranks[one.disabled])


def _facts(action: Action, path: Path, undecided: bool) -> Any:
    """What references to an action see; nothing while several may be meant."""
    reference = Reference("actions", path)
    return Unknown(reference) if undecided else _Facts(action, reference)


class Actions(Lazy):
    """All actions of a project, by kind and name, or by name alone if that is unambiguous."""

    def __init__(self) -> None:
        kinds = map(str.lower, ACTIONS)
        self._kinds = {kind: _Kind(kind, self._defined_elsewhere) for kind in kinds}
        self._loose: dict[str, Any] = {}
        self._project: Project | None = None
        self._others: Elsewhere | None = None
        self.by_config: dict[Config, Action] = {}
        self.by_key: dict[str, Action] = {}

    def fill(self, project: Project) -> None:
        """Adds the actions of a project, which already refers to this object."""
        shared = environment_scope(project), full_scope(project)
        self._project = project
        named: dict[str, list[Action]] = {}
        for config in project.configs:
            action = self.by_config[config] = Action(config, project, shared)
            self.by_key.setdefault(config.key, action)
            if config.name is not None and config.is_action:
                named.setdefault(config.key, []).append(action)
        for key, rivals in named.items():
            action = self.by_key[key] = _meant(rivals)
            kind, name = key.split(".", 1)
            undecided = len(rivals) > 1 and action.disabled is None
            self._kinds[kind].actions[name] = _facts(action, (kind, name), undecided)
            loose = None if name in self._loose else _facts(action, (name,), undecided)
            self._loose[name] = loose

    def has(self, kind: str, name: str) -> bool:
        """True when the action exists."""
        return kind in self._kinds and name in self._kinds[kind].actions

    def may_have(self, kind: str, name: str, remote: bool = True) -> bool:
        """True when the action exists, or a Module or, with `remote`, a source may define it."""
        return self.has(kind, name) or (kind in self._kinds and self._elsewhere(kind, name, remote))

    def _elsewhere(self, kind: str, name: str, remote: bool = True) -> bool:
        if self._others is None:
            assert self._project is not None
            # the names of services may refer to actions themselves
            self._others = Elsewhere(True, frozenset(), frozenset())
            self._others = elsewhere_of(self._project, lambda one: self.by_config[one].full())
        return self._others.may_have(kind, name, remote)

    def _defined_elsewhere(self, kind: str, name: str) -> Any:
        """The values of an action that is defined elsewhere: those in the state are known."""
        if not self._elsewhere(kind, name):
            return CONTENT
        assert self._project is not None
        return _absent(Reference("actions", (kind, name)), kind, self._project.options)

    def names(self, kind: str) -> Names:
        """The names of the actions of a kind, for suggestions."""
        found = self._kinds[kind]
        return found.keys_of(found.actions).names

    def kinds(self) -> Collection[str]:
        """The kinds, as written in references."""
        return self._kinds.keys()

    def member(self, key: str | int) -> Any:
        name = str(key)
        if name in self._kinds:
            return self._kinds[name]
        found = self._loose.get(name)
        if found is None and name not in self._loose:
            kinds = [kind for kind in self._kinds if self._elsewhere(kind, name)]
            assert self._project is not None
            options = self._project.options
            kinds.sort(key=lambda kind: not state_of(kind, name, options))
            found = _absent(Reference("actions", (name,)), kinds[0], options) if kinds else None
        return found or CONTENT

    def content(self) -> Any:
        return self._kinds

    def whole(self) -> Any:
        return Unknown(Reference("actions"))


def _absent(reference: Reference, kind: str, options: ProjectOptions) -> Partial:
    """The values of an action of which only the kind, the name and the state are known."""
    name = str(reference.path[-1])
    keys = ("disabled", "var", "variables", *LATER)
    return Partial(
        {
            "name": name,
            "mode": options.modes.get(f"{kind}.{name}", "default"),
            **{key: Unknown(reference.deeper(key)) for key in keys},
            **state_of(kind, name, options),
        },
        reference,
    )


def actions_in(project: Project) -> Actions | None:
    """The actions of a project; None before its templates are rendered."""
    found = project.actions
    assert found is None or isinstance(found, Actions)
    return found


def with_actions(project: Project) -> tuple[Project, Actions]:
    """The project with its actions, and these."""
    actions = Actions()
    project = project.evolve(actions=actions)
    actions.fill(project)
    return project, actions


def needs_of(node: Map) -> list[tuple[str, AnyNode]]:
    """The actions that a configuration names in `dependencies` and `build`, with their nodes."""
    found: list[tuple[str, AnyNode]] = []
    listed = node.items.get("dependencies")
    for item in listed.items if type(listed) is Array else ():
        if isinstance(item, Map):
            kind, name = item.get("kind"), item.get("name")
            if isinstance(kind, Scalar) and isinstance(name, Scalar):
                found.append((f"{str(kind.value).lower()}.{name.value}", item))
        elif isinstance(item, Scalar) and isinstance(item.value, str):
            found.append((item.value, item))
    build = text_at(node, "build")
    if build is not None:
        found.append((f"build.{build}", node.items["build"]))
    return found


def key_of_reference(reference: Reference, actions: Actions) -> str | None:
    """The key of the action that a reference leads to."""
    path = reference.path
    if reference.root != "actions" or not path:
        return None
    first = str(path[0])
    if first in actions.kinds():
        return f"{first}.{path[1]}" if len(path) > 1 else None
    return next((f"{kind}.{first}" for kind in actions.kinds() if actions.has(kind, first)), None)


def all_needs_of(root: Map, actions: Actions) -> Iterator[tuple[str, AnyNode]]:
    """The actions that an evaluated one needs, also those that its templates still refer to."""
    yield from needs_of(root)
    for template in templates_in(root):
        for reference in references_in(template):
            key = key_of_reference(reference, actions)
            if key is not None and _KNOWN.isdisjoint(map(str, reference.path[1:3])):
                yield key, template
