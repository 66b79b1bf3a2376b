"""The graph of a project: its actions, what they need, and the variables that they use."""

from __future__ import annotations

from ....answers.graph.elements import (
    ACTION,
    DEPENDS_ON,
    REFERENCE,
    VARIABLE,
    Blueprint,
    Edge,
    Node,
    identity,
)
from ....answers.graph.model import Graph, TooManyEdges
from ....engine.evaluation import references_in
from ....engine.run import Run
from ....values.tree import Map, templates_in
from ..structure.actions import actions_in
from ..structure.project import Project
from .results import ActionInfo, actions_of, variables_of

_VARIABLES = ("var", "variables")


def graph_of_project(run: Run) -> Graph | None:
    """The actions of a run and their needs, as far as the run came; None before any are known.

    Raises:
        TooManyEdges: more edges than `max_graph_edges` allows.
    """
    project = run.work.find(Project)
    actions = actions_in(project) if project is not None else None
    if project is None or actions is None:
        return None
    nodes_of = {key: action.config.node for key, action in actions.by_key.items()}
    named = [one for one in actions_of(project) if one.named]
    ids = {one.key: identity("", *one.key.split(".", 1)) for one in named}
    variables = {one.name: one for one in variables_of(project)}
    nodes = [
        Node(identity("", "variables", name), VARIABLE, name, "", "", one.span)
        for name, one in variables.items()
        if one.span is not None
    ]
    shown = {node.name: node.id for node in nodes}
    nodes += [
        Node(
            ids[one.key],
            ACTION,
            one.name or "",
            f"{one.kind}/{one.type}" if one.type else one.kind,
            "",
            one.span,
            conditional=one.disabled is None,
            disabled=one.disabled is True,
        )
        for one in named
    ]
    edges: list[Edge] = []
    for one in named:
        edges += _edges(one, ids)
        edges += _uses(nodes_of[one.key], ids[one.key], shown)
    if len(edges) > run.language.limits.max_graph_edges:
        raise TooManyEdges(run.language.limits)
    source_name = run.stages[0][1].source.name
    whole = (Blueprint("", project.name, source_name),)
    return Graph(whole, tuple(nodes), tuple(edges), run.ok, run.language.limits)


def _edges(one: ActionInfo, ids: dict[str, str]) -> list[Edge]:
    return [
        Edge(
            ids[one.key],
            ids[need.key],
            REFERENCE if need.how == "reference" else DEPENDS_ON,
            need.span,
        )
        for need in one.needs
        if need.key in ids
    ]


def _uses(node: Map, source: str, shown: dict[str, str]) -> list[Edge]:
    """An edge to each variable that the templates of an action refer to."""
    found: dict[str, Edge] = {}
    for template in templates_in(node):
        for reference in references_in(template):
            if reference.root in _VARIABLES and reference.path:
                target = shown.get(str(reference.path[0]))
                if target is not None and target not in found:
                    found[target] = Edge(source, target, REFERENCE, template.span)
    return list(found.values())
