"""Actions that no file here defines: those of remote sources, and those that Modules become."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from .....functions.record import Record
from ....language.errors import Failure
from ....values.expression import Reference
from ....values.tree import Array
from ..evaluating.contexts import is_for
from ..evaluating.evaluation import Evaluation
from ..evaluating.scope import Scope, force, opened
from ..recognition import ACTIONS
from .configs import MODULE, Config, is_null
from .project import Project

SOURCES: Final = "sources"

_PARTS: Final = (("services", "deploy"), ("tasks", "run"), ("tests", "test"))
"""The fields of a Module that list what becomes actions, and the kind of these."""


class Elsewhere(Record, eq=False):
    """The actions that may exist although no configuration here is one of them.

    With `sources` these are all, else those with a key in `keys` or of a kind in `kinds`.
    """

    sources: bool
    kinds: frozenset[str]
    keys: frozenset[str]

    def may_have(self, kind: str, name: str, remote: bool) -> bool:
        """True when a Module may define this action; with `remote`, also when a source may."""
        return (remote and self.sources) or kind in self.kinds or f"{kind}.{name}" in self.keys


def has_sources(project: Project) -> bool:
    """True when the environment takes configuration from a remote source."""
    listed = project.config.node.get(SOURCES) if project.config is not None else None
    if listed is None or is_null(listed):
        return False
    name = project.environment.name if project.environment is not None else None
    return not isinstance(listed, Array) or any(is_for(item, name) for item in listed.items)


def elsewhere_of(project: Project, scope_of: Callable[[Config], Scope]) -> Elsewhere:
    """What the sources and the Modules of a project define; `scope_of` is that of a Module."""
    kinds: set[str] = set()
    keys: set[str] = set()
    for config in project.configs:
        if config.kind == MODULE and not config.is_use:
            for kind, name in _actions_of(config, scope_of(config), project.evaluation):
                if name is None:
                    kinds.add(kind)
                else:
                    keys.add(f"{kind}.{name}")
    return Elsewhere(has_sources(project), frozenset(kinds), frozenset(keys))


def _actions_of(
    module: Config, scope: Scope, evaluation: Evaluation
) -> Iterator[tuple[str, str | None]]:
    """The kinds and names of the actions that Garden makes of a Module; None for any name."""
    for kind in ACTIONS:
        yield kind.lower(), module.name
    for field, kind in _PARTS:
        listed = module.node.get(field)
        if listed is None or is_null(listed):
            continue
        for name in _names_in(evaluation.tree(listed, scope, Reference("this")), evaluation):
            yield kind, f"{module.name}-{name}" if name is not None and kind == "test" else name


def _names_in(listed: Any, evaluation: Evaluation) -> Iterator[str | None]:
    """The names of services, tasks or tests; None for one that is not known."""
    try:
        items = opened(listed)
        evaluation.work(len(items) if isinstance(items, list) else 1)
    except Failure:
        yield None
        return
    for item in items if isinstance(items, list) else [items]:
        try:
            fields = opened(item)
            name = force(fields.get("name")) if isinstance(fields, dict) else None
        except Failure:
            name = None
        yield name if isinstance(name, str) else None
