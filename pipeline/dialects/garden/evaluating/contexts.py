"""The names that the parts of a project can use, and their values as far as they are known.

Nothing is read from the machine: references to values that the caller does not supply stay in the
output.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final

from .....functions.values import NONE, Unknown
from ....language.errors import Failure
from ....values.expression import Path, Reference
from ....values.settings import SECRETS_REVEAL, Settings
from ....values.tree import AnyNode, Array, Map, Scalar, Template
from ....world.effects import Effects
from ..options import RFC7396, ProjectOptions
from ..structure.configs import Environment, is_null
from ..structure.project import Project
from .evaluation import Evaluation
from .expansion import Left, Part, elements
from .layers import Layered, Merging
from .layers import Part as Layer
from .scope import CONTENT, Lazy, Missing, Scope, force, opened

_LOCAL: Final = (
    "artifactsPath",
    "env",
    "username",
    "usernameLowerCase",
    "arch",
    "platform",
    "projectPath",
)
_GIT: Final = ("branch", "commitHash", "originUrl")
_COMMAND: Final = ("name", "params")


class Fields(Lazy):
    """An object whose values may be lazy."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def content(self) -> Any:
        return self._values


class Hidden(Fields):
    """Environment variables of the caller: no message lists their names."""

    discreet = True


class Chosen(Fields):
    """The names of the environment; the evaluation notes that something depends on them."""

    def __init__(self, environment: Environment, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        super().__init__(
            {
                "name": environment.name,
                "namespace": environment.namespace,
                "fullName": environment.full_name,
            }
        )

    def content(self) -> Any:
        self._evaluation.names_environment = True
        return super().content()

    def whole(self) -> Any:
        members = self.content()
        return Unknown(_ENVIRONMENT) if isinstance(members["namespace"], Unknown) else members


_ENVIRONMENT: Final = Reference("environment")


class Partial(Lazy):
    """Names whose values are partly known, so that the whole may be unknown."""

    def __init__(self, members: dict[str, Any], reference: Reference) -> None:
        self._members = members
        self._reference = reference

    def content(self) -> Any:
        return self._members

    def whole(self) -> Any:
        unknown = any(isinstance(one, (Unknown, Partial)) for one in self._members.values())
        return Unknown(self._reference) if unknown else self._members


class Clock(Lazy):
    """The time of the run, read when it is needed."""

    def __init__(self, effects: Effects) -> None:
        self._effects = effects

    def content(self) -> Any:
        seconds = self._effects.now()
        now = datetime.fromtimestamp(seconds, UTC)
        text = now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{now.microsecond // 1000:03}Z"
        return {"now": text, "today": text[:10], "timestamp": round(seconds)}


def world_of(
    options: ProjectOptions, settings: Settings, effects: Effects, project: str
) -> dict[str, Any]:
    """The names that are known before anything of a project is evaluated, and the secrets."""
    state = options.state or {}
    return {
        "local": _supplied("local", options.local, _LOCAL),
        "git": _supplied("git", options.git, _GIT),
        "command": _supplied("command", options.command, _COMMAND),
        "datetime": Clock(effects),
        "project": {"name": project},
        "secrets": _secrets(state.get("secrets"), settings),
        "imported": later("imported", state),
    }


def _supplied(name: str, given: Mapping[str, Any] | None, keys: tuple[str, ...]) -> Any:
    """The values that the caller supplies for a name; the others are unknown."""
    if given is None:
        return Unknown(Reference(name))
    members = {**{key: Unknown(Reference(name, (key,))) for key in keys}, **given}
    if isinstance(members.get("env"), dict):
        members["env"] = Hidden(members["env"])
    return Partial(members, Reference(name))


def _secrets(given: Any, settings: Settings) -> Any:
    """The secrets: references that stay in the output, unless secrets are revealed."""
    if not isinstance(given, dict):
        return Unknown(Reference("secrets"), "any", True)
    if settings.secrets == SECRETS_REVEAL:
        return given
    return _withheld(given, ())


def _withheld(value: Any, path: Path) -> Any:
    if isinstance(value, dict):
        return {key: _withheld(item, (*path, key)) for key, item in value.items()}
    return Unknown(Reference("secrets", path), "any", True)


def later(name: str, state: Mapping[str, Any]) -> Any:
    """The value of a name in the state; without one, it is known only in a run of Garden."""
    return state.get(name, Unknown(Reference(name)))


_EARLY: Final = ("local", "git", "command", "datetime", "project")
_BUILT_IN: Final = frozenset({"exec", "container", "templated", "octant"})
"""Providers that every project has, or that other providers depend on."""
_LATE: Final = {
    "environment": "this is evaluated before the environment, so it cannot refer to it",
    "actions": "this is evaluated before any action, so it cannot refer to one",
    "providers": "this is evaluated before any provider, so it cannot refer to one",
}


class EarlyScope(Scope):
    """The names of a part that is evaluated before the names in `_LATE` exist."""

    def unknown_root(self, reference: Reference) -> Missing:
        name = reference.root
        if name in _LATE:
            summary = f"`{name}` is not available here"
            return Missing("key_not_found", summary, reference, _LATE[name])
        return super().unknown_root(reference)


def early_scope(project: Project) -> Scope:
    """The names that the default environment can use."""
    roots = {name: found for name, found in project.world.items() if name in _EARLY}
    return EarlyScope(roots, (), project.evaluation.weigh)


def project_scope(project: Project) -> Scope:
    """The names that the fields of a project and RenderTemplates can use."""
    scope = EarlyScope(project.world, (), project.evaluation.weigh)
    return with_variables(scope, project.base) if project.base is not None else scope


def with_variables(scope: Scope, stack: Any) -> Scope:
    """The scope with the variables of a stack."""
    return scope.with_roots(var=stack.value, variables=stack.value)


def environment_scope(project: Project) -> Scope:
    """The names that every part can use, except the project and its environments."""
    roots = {**project.world, "environment": _environment(project)}
    scope = EarlyScope(roots, (), project.evaluation.weigh)
    return with_variables(scope, project.stack) if project.stack is not None else scope


def _environment(project: Project) -> Any:
    environment = project.environment
    if environment is None:
        return Unknown(_ENVIRONMENT)
    return Chosen(environment, project.evaluation)


def provider_scope(project: Project) -> Scope:
    """The names that providers can use, the other providers among them."""
    scope = environment_scope(project)
    scope.roots["providers"] = Providers(project, scope)
    return scope


def full_scope(project: Project) -> Scope:
    """The names that all specs and variables of actions can use."""
    state = project.options.state or {}
    scope = provider_scope(project)
    names = {name: later(name, state) for name in ("modules", "runtime")}
    return scope.with_roots(actions=project.actions, **names)


_FIELDS: Final = {
    "defaultEnvironment": early_scope,
    "importVariables": early_scope,
    "providers": provider_scope,
    "sources": environment_scope,
    "excludeValuesFromActionVersions": environment_scope,
    "outputs": full_scope,
}


def field_scope(project: Project, path: Sequence[str | int]) -> Scope:
    """The names that a part of the project's configuration can use, by its path there."""
    return _FIELDS.get(_field(path), project_scope)(project)


def sees_environment(path: Sequence[str | int]) -> bool:
    """True for a part of the project's configuration that sees the environment's variables."""
    return _FIELDS.get(_field(path)) in (environment_scope, provider_scope, full_scope)


def _field(path: Sequence[str | int]) -> str:
    own = path[0] == "environments" and len(path) > 2
    return str(path[2] if own else path[0])


def is_for(node: AnyNode, environment: str | None) -> bool:
    """True for a provider or source that an environment uses."""
    listed = node.get("environments") if isinstance(node, Map) else None
    if not isinstance(listed, Array) or environment is None:
        return True
    return any(isinstance(item, Scalar) and item.value == environment for item in listed.items)


class Providers(Lazy):
    """The providers by name: their configuration is known, their outputs are unknown.

    Entries of one name are merged as a JSON Merge Patch (RFC 7396), those of the environment above
    those of the project.
    """

    def __init__(self, project: Project, scope: Scope) -> None:
        state = (project.options.state or {}).get("providers")
        self._state: Mapping[str, Any] = state if isinstance(state, dict) else {}
        self._evaluation: Evaluation = project.evaluation
        self._scope = scope
        self._entries: dict[str, list[Layer]] = {}
        self._open = False
        environment = project.environment
        own = environment.node if environment is not None else None
        for holder in (project.config and project.config.node, own):
            listed = holder.get("providers") if isinstance(holder, Map) else None
            if listed is not None and not is_null(listed):
                self._read(listed, environment.name if environment is not None else None)
        self._open = self._open or not self._entries
        self._known: dict[str, Any] = {}
        self._all: dict[str, Any] | None = None

    def _read(self, listed: AnyNode, environment: str | None) -> None:
        """Collects the entries of a list that an environment uses."""
        evaluation = self._evaluation
        try:
            evaluation.work(len(listed.items) if isinstance(listed, Array) else 1)
            parts = elements(evaluation, "providers", listed, self._scope)
        except Failure as failure:
            evaluation.report(listed, failure)
            parts = []
            self._open = True
        for part in [parts] if isinstance(parts, Left) else parts:
            name: Any = None  # a name that is not known can be any
            value: Any = None
            if isinstance(part, Part):
                with suppress(Failure):
                    name, value = self._entry(part, environment)
            if isinstance(name, str):
                self._entries.setdefault(name, []).append(Layer(value, part.node, ""))
            elif name is not NONE:
                self._open = True

    def _entry(self, part: Part, environment: str | None) -> tuple[Any, Any]:
        """The name and the configuration of an entry; the name is undefined for no entry.

        Raises:
            Failure: reported already.
        """
        evaluation, node, scope = self._evaluation, part.node, part.scope
        written = node.get("name") if isinstance(node, Map) else None
        if scope is not None and isinstance(node, Map) and written is not None:
            if not is_for(node, environment):
                return NONE, None
            name = evaluation.value(written, scope)
            self.discreet = self.discreet or isinstance(written, Template)
            kept = {key: one for key, one in node.items.items() if key != "environments"}
            reference = Reference("providers", (str(name), "config"))
            return name, evaluation.tree(node.replacing(kept), scope, reference)
        value = opened(evaluation.part_tree(part, None))
        if not isinstance(value, dict):
            return (None if isinstance(value, Unknown) else NONE), None
        self.discreet = True  # a computed name may contain an environment variable
        users = force(value.get("environments"))
        if environment is not None and isinstance(users, list) and environment not in users:
            return NONE, None
        kept_values = {key: one for key, one in value.items() if key != "environments"}
        return force(value.get("name", NONE)), kept_values

    def member(self, key: str | int) -> Any:
        """See `Lazy`; without a list of providers, any provider may exist."""
        name = str(key)
        if name not in self._known:
            known = name in self._entries or name in self._state or name in _BUILT_IN
            if not (known or self._open):
                return CONTENT
            self._known[name] = self._provider(name)
        return self._known[name]

    def _provider(self, name: str) -> Any:
        reference = Reference("providers", (name,))
        state = self._state.get(name)
        if name not in self._entries and state is None:
            return Unknown(reference)
        layers = self._entries.get(name, ())[::-1]
        merging = Merging(RFC7396, self._evaluation)
        config = Layered(layers, reference.deeper("config"), merging)
        outputs = Unknown(reference.deeper("outputs"))
        known = {"name": name, "config": config, "outputs": outputs}
        return Partial({**known, **(state if isinstance(state, dict) else {})}, reference)

    def content(self) -> Any:
        if self._all is None:
            names = (*self._entries, *self._state)
            self._evaluation.work(len(names))
            self._all = {name: self.member(name) for name in names}
        return self._all

    def whole(self) -> Any:
        return Unknown(Reference("providers"))
