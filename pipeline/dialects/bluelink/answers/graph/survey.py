"""The graph of a run, and of a blueprint that is rendered as far as possible."""

from __future__ import annotations

from typing import Any

import attrs

from ......functions.values import Unknown
from .....answers.graph.model import Graph, TooManyEdges
from .....engine.context import Context, Dialect, Given, Pipeline
from .....engine.dialect import inspection_of, unanswered
from .....engine.run import Run
from .....rendering import prepare, render
from .....values.diagnostics import Diagnostics
from .....values.document import Document
from .....values.expression import Reference
from .....values.source import Source
from .....values.stack import with_stack_room
from .....values.tree import Map
from ....table import select_dialect
from ...checking.static_children import check_document
from ...evaluating.inputs import MISSING, resolve_variables
from .building import build_graph, rendered_part, written_part

_MISSING_VARIABLE = "required_variable_missing"
# A graph shows no values, so there is nothing to mask and nothing to reveal.
_BESIDE_THE_POINT = frozenset({"secret_value_masked"})


@attrs.frozen
class Survey:
    """A graph, None when the blueprint could not be read, and what was said on the way."""

    graph: Graph | None
    diagnostics: Diagnostics


@with_stack_room
def graph(run: Run) -> Graph:
    """The elements of a run and what they need: resources, children, data sources and exports.

    Of a run that failed or stopped before its children, it is the graph of what was read, with the
    children closed. Links follow the specification, "linkSelector"; `Graph.select` makes the graph
    smaller, `Graph.text` draws it.

    Raises:
        ValueError: when there would be more edges than `max_graph_edges` allows, or the dialect
            has no graphs.
    """
    draw = inspection_of(run.dialect).graph
    found = draw(run) if draw is not None else None
    if found is None:
        raise ValueError(unanswered("a graph", run.dialect))
    return found


def survey(source: Source, dialect: Dialect | None = None, **arguments: Any) -> Survey:
    """The graph of a document, rendered as far as possible; arguments are `render`'s.

    Raises:
        ValueError: when the dialect has no graphs.
    """
    dialect = select_dialect(source, dialect)
    answers = inspection_of(dialect)
    if answers.survey is not None:
        return answers.survey(source, dialect=dialect, **arguments)
    if answers.graph is None:
        raise ValueError(unanswered("`bpp graph`", dialect))
    run = render(source, dialect=dialect, **arguments)
    found = Diagnostics(run.language.limits.max_diagnostics)
    found.extend(run.diagnostics)
    try:
        return Survey(answers.graph(run), found)
    except TooManyEdges as problem:
        found.error("limit_exceeded", None, str(problem), problem.hint)
        return Survey(None, found)


def blueprint_graph(run: Run) -> Graph:
    """The graph of a run of a blueprint; see `graph`."""
    written = run.work.written
    if run.document is not None and written is not None:
        return build_graph(rendered_part(run.document, run.work), run.language)
    return build_graph(written_part(written or run.stages[-1][1], {}), run.language)


def blueprint_survey(source: Source, **arguments: Any) -> Survey:
    """The graph of a blueprint, rendered as far as possible; arguments are `render`'s.

    Variables without a value are left open. When the blueprint cannot be rendered with them, or at
    all, the graph is that of what is written, with the children whose path is written outright. The
    diagnostics have no errors when open variables were the only obstacle, but warnings for those.
    """
    arguments["given"] = arguments.get("given") or Given()
    missing: dict[str, Unknown] = {}
    run = render(source, **arguments)
    if any(item.code == _MISSING_VARIABLE for item in run.diagnostics):
        missing = _missing_variables(source, arguments)
        opened = arguments["given"].evolve(values={**arguments["given"].values, **missing})
        run = render(source, **{**arguments, "given": opened})
    found = Diagnostics(run.language.limits.max_diagnostics)
    try:
        if run.ok:
            found.extend(item for item in run.diagnostics if item.code not in _BESIDE_THE_POINT)
            return Survey(blueprint_graph(run), found)
        context, documents = _read(source, arguments)
        # What the render could not do may follow from the open variables; static checks need none.
        found.extend(context.diagnostics if missing else run.diagnostics)
        if () not in documents:
            return Survey(None, found)
        _warn_of_missing(documents[()], missing, found)
        part = written_part(documents[()], documents)
        return Survey(build_graph(part, context.language), found)
    except TooManyEdges as problem:
        found.error("limit_exceeded", None, str(problem), problem.hint)
        return Survey(None, found)


def _missing_variables(source: Source, arguments: dict[str, Any]) -> dict[str, Unknown]:
    """An unknown for each variable of the main blueprint that has no value and no default."""
    context, document = prepare(source, **arguments)
    document = context.pipeline.upto("load").last(document, context)
    definitions = document.section("variables")
    if context.diagnostics.errors or definitions is None:
        return {}
    silent = Diagnostics()
    given, settings = context.given, context.settings
    variables = resolve_variables(definitions, given, settings, silent, context.providers)
    missing = {}
    for name, variable in variables.items():
        definition = definitions.get(name)
        fixed = isinstance(definition, Map) and "default" in definition.items
        if variable.value is MISSING and not variable.source and not variable.secret and not fixed:
            kind = "string" if "/" in variable.type else variable.type
            missing[name] = Unknown(Reference("variables", (name,)), kind)
    return missing


def _read(
    source: Source, arguments: dict[str, Any]
) -> tuple[Context, dict[tuple[str, ...], Document]]:
    """The documents that could be read, by the names that lead to them; says what is wrong."""
    documents: dict[tuple[str, ...], Document] = {}

    def kept(document: Document, context: Context) -> Document:
        found = transform.run(document, context)
        documents[tuple(step.name for step in context.way)] = found
        return found

    context, document = prepare(source, **arguments)
    stages = context.pipeline.stages
    transform = next(stage for stage in stages if stage.name == "transform")
    watched = tuple(stage.evolve(run=kept) if stage is transform else stage for stage in stages)
    context = context.evolve(pipeline=Pipeline(watched))
    check_document(document, context)
    return context, documents


def _warn_of_missing(document: Document, missing: dict[str, Unknown], found: Diagnostics) -> None:
    """Says which variables would be needed to draw the blueprint as it will be."""
    definitions = document.section("variables")
    for name in missing if definitions is not None else ():
        assert definitions is not None
        found.warn(
            _MISSING_VARIABLE,
            definitions.key_span(name),
            f"variable `{name}` has no value, so the graph shows the blueprint as it is written",
            f"give it one with `--var {name}=VALUE`",
        )
