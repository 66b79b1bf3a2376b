"""What the names in the parts of a project mean: which part sees which names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .....functions.values import Unknown
from ....language.errors import Failure
from ....values.expression import Reference
from ....values.tree import AnyNode, Array, Map, Scalar, Template
from ..structure.configs import Project, text_at
from .evaluation import Evaluation
from .scope import CONTENT, Lazy, Missing, Scope
from .world import Partial, later

_EARLY: Final = ("local", "git", "command", "datetime", "project")
_BUILT_IN: Final = frozenset({"exec", "container", "templated", "octant"})
"""Providers that every project has, or that others bring along."""


_LATE: Final = {
    "environment": "only actions, providers and workflows can depend on the environment",
    "actions": "this is needed before anything runs, so that no action can be part of it",
    "providers": "this is needed before anything runs, so that no provider can be part of it",
}


class EarlyScope(Scope):
    """Names before some others exist; says so when one of these is looked for."""

    def resolve(self, reference: Reference) -> Any:
        """See `Scope`."""
        name = reference.root
        if name in _LATE and name not in self.roots:
            summary = f"there is no key `{name}` here"
            raise Missing("key_not_found", summary, reference, _LATE[name])
        return super().resolve(reference)


def early_scope(project: Project) -> Scope:
    """What the default environment can depend on."""
    return EarlyScope({name: project.world[name] for name in _EARLY})


def project_scope(project: Project) -> Scope:
    """What the fields of a project see, and what renders templates."""
    scope = EarlyScope(project.world)
    return with_variables(scope, project.base) if project.base is not None else scope


def with_variables(scope: Scope, stack: Any) -> Scope:
    """A scope with the variables of a stack."""
    return scope.with_roots(var=stack.value, variables=stack.value)


def environment_scope(project: Project) -> Scope:
    """What everything but the project and its environments sees at least."""
    scope = EarlyScope({**project.world, "environment": _environment(project)})
    return with_variables(scope, project.stack) if project.stack is not None else scope


def _environment(project: Project) -> Any:
    environment = project.environment
    if environment is None:
        return Unknown(Reference("environment"))
    return {
        "name": environment.name,
        "namespace": environment.namespace,
        "fullName": environment.full_name,
    }


def provider_scope(project: Project) -> Scope:
    """What providers see: one another, too."""
    scope = environment_scope(project)
    scope.roots["providers"] = Providers(project, scope)
    return scope


def full_scope(project: Project) -> Scope:
    """What the specs and variables of actions see, without what each has of its own."""
    state = project.options.state or {}
    scope = provider_scope(project)
    names = {name: later(name, state) for name in ("modules", "runtime")}
    return scope.with_roots(actions=project.actions, **names)


def is_for(node: AnyNode, environment: str | None) -> bool:
    """True for a provider or source that is there in an environment."""
    listed = node.get("environments") if isinstance(node, Map) else None
    if not isinstance(listed, Array) or environment is None:
        return True
    return any(isinstance(item, Scalar) and item.value == environment for item in listed.items)


def provider_nodes(project: Project) -> list[Map]:
    """The providers of the project and of its environment, those of other environments too."""
    found = []
    environment = project.environment.node if project.environment is not None else None
    for holder in (project.config and project.config.node, environment):
        listed = holder.get("providers") if isinstance(holder, Map) else None
        for item in listed.items if isinstance(listed, Array) else ():
            if isinstance(item, Map):
                found.append(item)
    return found


class Providers(Lazy):
    """The providers by name: their configuration is known, their outputs are not."""

    def __init__(self, project: Project, scope: Scope) -> None:
        state = (project.options.state or {}).get("providers")
        self._state: Mapping[str, Any] = state if isinstance(state, dict) else {}
        self._evaluation: Evaluation = project.evaluation
        self._scope = scope
        self._nodes: dict[str, list[Map]] = {}
        self._open = False
        name = project.environment.name if project.environment is not None else None
        for node in provider_nodes(project):
            key = self._name(node)
            if key is None:
                self._open = True  # a name that is computed could be any
            elif is_for(node, name):
                self._nodes.setdefault(key, []).append(node)
        self._open = self._open or not self._nodes
        self._known: dict[str, Any] = {}

    def _name(self, node: Map) -> str | None:
        written = node.get("name")
        if not isinstance(written, Template):
            return text_at(node, "name")
        try:
            value = self._evaluation.value(written, self._scope)
        except Failure:
            return None
        self.discreet = True  # a computed name may be of somebody's environment
        return value if isinstance(value, str) else None

    def member(self, key: str | int) -> Any:
        """See `Lazy`; without a list of providers any may be there."""
        name = str(key)
        if name not in self._known:
            if not (name in self._nodes or name in self._state or name in _BUILT_IN or self._open):
                return CONTENT
            self._known[name] = self._provider(name)
        return self._known[name]

    def _provider(self, name: str) -> Any:
        reference = Reference("providers", (name,))
        told = self._state.get(name)
        if name not in self._nodes and told is None:
            return Unknown(reference)
        config: dict[str, Any] = {}
        for node in self._nodes.get(name, ()):
            for key, child in node.items.items():
                if key != "environments":
                    config[key] = self._evaluation.tree(child, self._scope)
        known = {"name": name, "config": config, "outputs": Unknown(reference.deeper("outputs"))}
        return Partial({**known, **(told if isinstance(told, dict) else {})}, reference)

    def content(self) -> Any:
        """See `Lazy`."""
        return {name: self.member(name) for name in (*self._nodes, *self._state)}

    def whole(self) -> Any:
        """See `Lazy`."""
        return Unknown(Reference("providers"))
