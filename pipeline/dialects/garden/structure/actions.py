"""Actions: their variables, the scopes of their fields, and their values for references."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from .....functions.values import Unknown
from ....values.diagnostics import Names
from ....values.expression import Reference
from ....values.tree import AnyNode, Array, Map, Scalar
from ..evaluating.contexts import Partial, environment_scope, full_scope, later, with_variables
from ..evaluating.evaluation import names_variables
from ..evaluating.project_variables import (
    ACTION,
    ACTION_FILE,
    Stack,
    named_file,
    stacked,
    variables_node,
)
from ..evaluating.scope import CONTENT, Lazy, Scope, opened
from ..options import ProjectOptions
from ..recognition import ACTIONS
from .config_templates import local_roots
from .configs import MODULE, Config, is_null, text_at
from .elsewhere import Elsewhere, elsewhere_of
from .project import Project

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

_LATER: Final = ("version", "outputs", "buildPath", "sourcePath")
FILES: Final = ("varfile", "varfiles")


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

    @property
    def stack(self) -> Stack:
        """Its variables above those of the environment."""
        if self._stack is None:
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
            self._full = with_variables(self._bare(), self.stack)
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
        unread = diagnostics.errors > before
        bare = self._bare()
        return stacked(own, below, given, bare, evaluation, project.options, unread)

    def _paths(self) -> list[AnyNode]:
        found: list[AnyNode] = []
        for key in FILES:
            node = self.config.node.get(key)
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
            "disabled": _Disabled(action),
            "var": variables,
            "variables": variables,
            **{key: self._unknown(key) for key in _LATER},
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
    def __init__(self, action: Action) -> None:
        self._action = action
        self._tree: Any = None

    def content(self) -> Any:
        node = self._action.config.node.get("disabled")
        if node is None:
            return False
        if self._tree is None:
            evaluation = self._action.project.evaluation
            self._tree = evaluation.tree(node, self._action.early())
        return self._tree.content() if isinstance(self._tree, Lazy) else self._tree


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
        for config in project.configs:
            action = self.by_config[config] = Action(config, project, shared)
            self.by_key.setdefault(config.key, action)
            if config.name is None or not config.is_action:
                continue
            kind = config.kind.lower()
            facts = _Facts(action, Reference("actions", (kind, config.name)))
            self._kinds[kind].actions[config.name] = facts
            alone = _Facts(action, Reference("actions", (config.name,)))
            self._loose[config.name] = None if config.name in self._loose else alone

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
    keys = ("disabled", "var", "variables", *_LATER)
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
    listed = node.get("dependencies")
    for item in listed.items if isinstance(listed, Array) else ():
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
