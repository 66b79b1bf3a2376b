"""A project as one tree: `deploy.api.spec` is the spec of the Deploy action `api`."""

from __future__ import annotations

from collections.abc import Iterable

from ....engine.run import Run
from ....values.document import Document
from ....values.tree import AnyNode, Map
from ...bluelink.answers.why.levels import Level
from ..structure.configs import Config, Project, configs_in
from .causes import Teller


def level_of_project(run: Run) -> Level:
    """The configurations of a run by kind and name, at each stage, and as they were written."""
    assert run.document is not None
    project = run.work.find(Project)
    stages = tuple((name, _whole(document)) for name, document in run.stages)
    written: dict[str, Config] = {}
    for _, document in run.stages:
        for config in configs_in(document):
            written.setdefault(config.key, config)
    final = {config.key for config in configs_in(run.document)}
    kept = [config for key, config in written.items() if key in final]
    tree = _tree(kept, run.document)
    return Level(
        _whole(run.document),
        stages,
        run.language,
        written=tree,
        tell=Teller(project, run.language, tree).tell if project is not None else None,
        parts=tuple(
            Level(one.part, (), run.language, written=written.get(one.key, one).node)
            for one in configs_in(run.document)
        ),
    )


def _whole(document: Document) -> Document:
    root = _tree(configs_in(document), document)
    return document.evolve(root=root, parts=None)


def _tree(configs: Iterable[Config], document: Document) -> Map:
    """Configurations below their kinds; those without a name that is known are left out."""
    kinds: dict[str, dict[str, AnyNode]] = {}
    first: AnyNode = document.root
    for config in configs:
        if config.name is not None:
            kinds.setdefault(config.kind.lower(), {})[config.name] = config.node
    items: dict[str, AnyNode] = {}
    for kind, named in kinds.items():
        one = next(iter(named.values()))
        items[kind] = Map(named, {}, one.trail, one.start, one.end)
    return Map(items, {}, first.trail, first.start, first.end)
