"""`why` in a project: the tree that paths lead into, and the causes of its values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import partial
from typing import Any, Final, Self, TypeAlias

from ....answers.explanation import KNOWN, NONE_VALUE, PARTLY, SECRET, UNUSED, Cause
from ....answers.levels import Level, causes_in
from ....answers.paths import Path
from ....answers.tracing import ABSENT, Trace, trace_in
from ....answers.values import status_of
from ....engine.materialisation import label
from ....engine.run import Context, Run
from ....engine.string_evaluation import plain_value
from ....language.errors import Failure
from ....language.language import Language
from ....values.document import Document
from ....values.expression import Reference, lazy
from ....values.source import Source, Span
from ....values.tree import AnyNode, Array, Map, Template
from ..command_line import ENVIRONMENT
from ..evaluating.contexts import project_scope
from ..evaluating.expansion import MERGE
from ..evaluating.project_variables import Stack, sources_of
from ..evaluating.scope import Lazy, Missing, Scope, force
from ..structure.configs import PROJECT, Config, configs_in, text_at
from ..structure.project import Project
from .results import config_of, others_in, scope_of, stack_of


class ProjectLevel(Level, eq=False):
    """A project as one document, in which a path begins with a kind and a name.

    It holds the configurations of a run by kind and name; what they were at each stage, and as they
    were written, is put together when something asks.
    """

    def __init__(self, run: Run, document: Document | None = None) -> None:
        fields = self.__dict__
        fields["run"] = run
        fields["way"] = ()
        fields["document"] = document or _whole(self._result)

    def evolve(self, **changes: Any) -> Self:
        """See `Record`."""
        made = type(self)(self.run, self.document)
        made.__dict__.update(changes)
        return made

    @lazy  # type: ignore[misc]
    def stages(self) -> tuple[tuple[str, Document], ...]:
        """See `Level`."""
        return tuple((name, _whole(one, self._final)) for name, one in self.run.stages)

    @lazy  # type: ignore[misc]
    def written(self) -> Map:
        """See `Level`."""
        kept = [config for place, config in self._written.items() if place in self._final]
        return _tree(kept, self._result, self._final)

    @lazy  # type: ignore[misc]
    def parts(self) -> tuple[Level, ...]:
        """See `Level`."""
        first = self._written
        return tuple(
            Level(one.part, (), self.run, first.get(_place(one), one).node)
            for one in configs_in(self._result)
        )

    @lazy
    def finder(self) -> CauseFinder | None:
        """What finds causes; None when the run knows no project."""
        project = self.run.work.find(Project)
        return CauseFinder(project, self.language, self.written) if project is not None else None

    @property
    def _result(self) -> Document:
        assert self.run.document is not None
        return self.run.document

    @lazy
    def _written(self) -> dict[Place, Config]:
        """The configurations as they first were."""
        found: dict[Place, Config] = {}
        for _, document in self.run.stages:
            for config in configs_in(document):
                found.setdefault(_place(config), config)
        return found

    @lazy
    def _final(self) -> set[Place]:
        """The configurations that names mean in the end."""
        return {_place(config) for config in _named(configs_in(self._result))}

    def unread(self) -> Collection[Path]:
        """What belongs to other environments, and the fields of what is disabled."""
        project = self.run.work.find(Project)
        if project is None:
            return ()
        found: list[Path] = []
        for config in _named(project.configs):
            if config.name is None:
                continue
            start = (config.kind.lower(), config.name)
            if config.kind == PROJECT:
                found += [(*start, *path) for path in others_in(config.node, project)]
            elif config.is_disabled:
                found += [(*start, key) for key in config.node.items if key not in _READ]
        return found

    def traced(self, path: Path, template: Template) -> Trace:
        return self.finder.traced(path, template) if self.finder is not None else _NOTHING

    def causes(self, path: Path, written: AnyNode | None) -> tuple[Cause, ...]:
        return self.finder.causes_of(path, written) if self.finder is not None else ()


Place: TypeAlias = tuple[str, Source, int]
"""The key of a configuration and where it is written: several of one key may be there."""


def _place(config: Config) -> Place:
    return config.key, config.node.trail.source, config.node.start


def _named(configs: Iterable[Config], meant: Collection[Place] = ()) -> list[Config]:
    """The configurations that names mean: of those that share one, the one that is not disabled.

    `meant` says which one that is while it is not decided.
    """
    found: dict[str, Config] = {}
    for config in configs:
        other = found.get(config.key)
        better = other is None or (other.is_disabled and not config.is_disabled)
        if better or _place(config) in meant:
            found[config.key] = config
    return [*found.values()]


def _whole(document: Document, meant: Collection[Place] = ()) -> Document:
    root = _tree(configs_in(document), document, meant)
    return document.evolve(root=root, parts=None)


def _tree(configs: Iterable[Config], document: Document, meant: Collection[Place] = ()) -> Map:
    """Configurations below their kinds, without those that have no known name."""
    kinds: dict[str, dict[str, AnyNode]] = {}
    first: AnyNode = document.root
    for config in _named(configs, meant):
        if config.name is not None:
            kinds.setdefault(config.kind.lower(), {})[config.name] = config.node
    items: dict[str, AnyNode] = {}
    for kind, named in kinds.items():
        one = next(iter(named.values()))
        items[kind] = Map(named, {}, one.trail, one.start, one.end)
    return Map(items, {}, first.trail, first.start, first.end)


_READ: Final = ("apiVersion", "kind", "type", "name", "disabled", "environments")
_DEEPEST: Final = 20
_VARIABLES: Final = ("var", "variables")
_KINDS: Final = {
    "var": "variable",
    "variables": "variable",
    "actions": "action",
    "runtime": "action",
    "this": "action",
    "secrets": "secret",
    "providers": "provider",
    "inputs": "input",
    "environment": "environment",
}
_NAMESPACE: Final = (("namespace",), ("fullName",))
_LOCAL: Final = ("item",)
_NOTHING: Final = Trace((), (), ABSENT)
_IF: Final = "$if"
_BRANCHES: Final = ("$then", "$else")
_LATER: Final = frozenset({"actions", "runtime", "providers", "modules", "steps", "secrets"})


class CauseFinder:
    """Finds the causes of values in a project; each variable is explained in full once."""

    def __init__(self, project: Project, language: Language, written: Map) -> None:
        self._project = project
        self._written = written
        self._language = language
        self._explained: set[tuple[str, str]] = set()
        self._depth = 0

    def causes_of(self, path: Path, node: AnyNode | None) -> tuple[Cause, ...]:
        config = config_of(self._project, ".".join(map(str, path[:2])))
        if node is None or config is None:
            return ()
        stack = stack_of(self._project, config, path[2:])
        scope = scope_of(self._project, config, path[2:])
        found: dict[tuple[str, str], Cause] = {}
        part = self._part(path, node, scope)
        for one in (*_conditions(self._written, path, node), *((node,) if part is None else ())):
            for cause in self._causes(one, scope, stack, config):
                found.setdefault((cause.kind, cause.name), cause)
        if part is None:
            return tuple(found.values())
        return *found.values(), self._cause(*part, scope, stack, config)

    def traced(self, path: Path, template: Template) -> Trace:
        """What a template at a path refers to, and its value."""
        config = config_of(self._project, ".".join(map(str, path[:2])))
        scope = scope_of(self._project, config, path[2:])
        return _trace(self._project.evaluation.context, scope, template)

    def _part(self, path: Path, node: AnyNode, scope: Scope) -> tuple[Reference, Any] | None:
        """The part of a variable that a path inside of a lone reference to it leads to."""
        inner = _inside(self._written, path, node)
        if not (inner and isinstance(node, Template) and len(node.segments) == 1):
            return None
        named = node.segments.substitutions[0].shape.expression
        if not isinstance(named, Reference) or named.root not in _VARIABLES:
            return None
        reference = Reference(named.root, (*named.path, *inner))
        try:
            return reference, scope.resolve(reference)
        except Failure:
            return None

    def _causes(
        self, node: AnyNode, scope: Scope, stack: Stack | None, config: Config
    ) -> tuple[Cause, ...]:
        if self._depth > _DEEPEST:
            return ()
        self._depth += 1
        causes = causes_in(
            node,
            partial(_trace, self._project.evaluation.context, scope),
            lambda use: self._cause(use.reference, use.value, scope, stack, config),
            lambda name: Cause("function", name, KNOWN),
        )
        self._depth -= 1
        return causes

    def _cause(
        self, reference: Reference, value: Any, scope: Scope, stack: Stack | None, config: Config
    ) -> Cause:
        kind = _KINDS.get(reference.root, "context")
        name = label(reference)
        if value is ABSENT:
            return _unused(kind, name, reference, scope)
        if isinstance(value, Lazy):
            try:
                value = force(value)
            except Failure:
                return Cause(kind, name, UNUSED)
        status = status_of(value)
        shown = None if status in (SECRET, NONE_VALUE) else plain_value(value, self._language)
        how = ""
        span: Span | None = None
        causes: tuple[Cause, ...] = ()
        repeated = (config.key, name) in self._explained
        if reference.root in _VARIABLES and reference.path and stack is not None:
            how, span, causes = self._variable(reference.path, stack, config, repeated)
            if isinstance(value, dict) and not repeated:
                causes += self._merged(reference, value, how, stack, config)
            if causes:
                self._explained.add((config.key, name))
        elif reference.root == "environment" and reference.path[:1] in _NAMESPACE:
            how, span, causes = self._namespace(config, repeated)
            self._explained.add((config.key, name))
        elif status not in (KNOWN, PARTLY) and reference.root in _LATER:
            how = "known in a run of Garden"
        return Cause(kind, name, status, shown, how, span, causes=causes, repeated=repeated)

    def _merged(
        self, reference: Reference, value: dict[str, Any], how: str, stack: Stack, config: Config
    ) -> tuple[Cause, ...]:
        """The fields of a map that other levels give than the one that gives the map."""
        found = []
        for key, one in value.items():
            field = reference.deeper(key)
            giver, span, _ = self._variable(field.path, stack, config, True)
            if giver and giver != how:
                status = status_of(one)
                shown = None if status in (SECRET, NONE_VALUE) else plain_value(one, self._language)
                found.append(Cause("variable", label(field), status, shown, giver, span))
        return tuple(found)

    def _namespace(
        self, config: Config, repeated: bool
    ) -> tuple[str, Span | None, tuple[Cause, ...]]:
        """Where the namespace of the environment is written, and its causes."""
        project, environment = self._project, self._project.environment
        own = project.config.node.get("environments") if project.config is not None else None
        if environment is None or not isinstance(own, Array):
            return "", None, ()
        if environment.given:
            return ENVIRONMENT.flag if project.options.environment else "its name", None, ()
        named = [text_at(one, "name") if isinstance(one, Map) else None for one in own.items]
        index = named.index(environment.name)
        path = ("project", project.name, "environments", index, "defaultNamespace")
        written = _at(self._written, path)
        if written is None:
            return "", None, ()
        scope = project_scope(project)
        causes = () if repeated else self._causes(written, scope, project.base, config)
        return "`defaultNamespace`", written.span, causes

    def _variable(
        self, path: Path, stack: Stack, config: Config, repeated: bool
    ) -> tuple[str, Span | None, tuple[Cause, ...]]:
        """The level that gives a variable its value, where that is written, and its causes."""
        places = sources_of(stack, str(path[0]))
        if not places:
            return "", None, ()
        how, span = places[0].level, places[0].span
        for level, node, scope in _layers(stack):
            at = _at(node, path)
            if at is not None:
                causes = () if repeated else self._causes(at, scope, stack.below, config)
                if level != how:  # this part of a map comes from below
                    return level, at.span, causes
                return how, span if len(path) == 1 else at.span, causes
            if level == how and how.startswith("--"):
                break
        return how, span, ()


def _inside(root: AnyNode, path: Path, node: AnyNode) -> Path:
    """The rest of a path where it enters a template: the keys inside of the template's value."""
    here: AnyNode | None = root
    for depth, item in enumerate(path):
        inner: AnyNode | None = here
        while isinstance(inner, Map):  # through what has no part in the path
            nodes = [inner.get(key) for key in (str(item), MERGE, *_BRANCHES)]
            found = next((one for one in nodes if one is not None and _within(node, one)), None)
            if found is inner.get(str(item)):
                break
            inner = found
        if inner is node:
            return path[depth:]
        if isinstance(inner, Map):
            here = inner.get(str(item))
        elif isinstance(inner, Array) and isinstance(item, int) and item < len(inner.items):
            here = inner.items[item]
        else:
            return ()
    return ()


def _conditions(root: AnyNode, path: Path, node: AnyNode) -> Iterator[AnyNode]:
    """The conditions of the `$if` structures that chose the value at a path."""
    here: AnyNode | None = root
    for item in (*path, None):
        while isinstance(here, Map) and _IF in here.items:
            if here is node:
                return  # its condition is a part of it
            yield here.items[_IF]
            branches = [here.get(key) for key in _BRANCHES]
            here = next((one for one in branches if one is not None and _within(node, one)), None)
        if isinstance(here, Map):
            here = here.get(str(item))
        elif isinstance(here, Array) and isinstance(item, int) and item < len(here.items):
            here = here.items[item]
        else:
            return


def _within(node: AnyNode, outer: AnyNode) -> bool:
    same = node.trail.source is outer.trail.source
    return same and outer.start <= node.start and node.end <= outer.end


def _trace(context: Context, scope: Scope, template: Template) -> Trace:
    """The references that a template used, without those to names of its own."""
    traced = trace_in(context, scope, template)
    return traced.evolve(uses=tuple(u for u in traced.uses if u.reference.root not in _LOCAL))


def _unused(kind: str, name: str, reference: Reference, scope: Scope) -> Cause:
    """The cause of a reference that was not needed, or is optional and missing."""
    try:
        scope.resolve(reference)
    except Missing:
        return Cause(kind, name, NONE_VALUE, how="nowhere")
    except Failure:
        return Cause(kind, name, UNUSED)
    return Cause(kind, name, UNUSED)


def _layers(stack: Stack) -> Iterator[tuple[str, AnyNode, Scope]]:
    """The levels of variables that are written in files, from the highest."""
    one: Stack | None = stack
    while one is not None:
        for layer in one.own:
            yield layer.level, layer.node, layer.scope
        one = one.below


def _at(node: AnyNode, path: Path) -> AnyNode | None:
    """The node of a level at a path, or the template on the way that computes it."""
    here: AnyNode | None = node
    for depth, item in enumerate(path):
        if isinstance(here, Map):
            here = here.get(str(item))
        elif isinstance(here, Array) and isinstance(item, int) and item < len(here.items):
            here = here.items[item]
        else:
            return here if depth else None
        if here is None:
            return None
    return here
