"""The graph of a run, and of a blueprint that is rendered as far as possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from ......functions.values import Unknown
from .....answers.graph.model import Graph, TooManyEdges
from .....answers.inspection import Survey
from .....engine.context import Context, Pipeline
from .....engine.inputs import MISSING, VariableInputs
from .....engine.run import Run
from .....values.diagnostics import Diagnostics
from .....values.document import Document
from .....values.expression import Reference
from .....values.source import Source
from .....values.tree import Map
from ...checking.static_children import check_document
from ...evaluating.inputs import resolve_variables
from .building import build_graph, rendered_part, written_part

Render: TypeAlias = Callable[..., Run]
Prepare: TypeAlias = Callable[..., tuple[Context, Document]]

_MISSING_VARIABLE = "required_variable_missing"
# A graph shows no values, so there is nothing to mask and nothing to reveal.
_BESIDE_THE_POINT = frozenset({"secret_value_masked"})


def blueprint_graph(run: Run) -> Graph:
    """The graph of a run of a blueprint; see `answers.graph.drawing.graph`."""
    written = run.work.written
    if run.document is not None and written is not None:
        return build_graph(rendered_part(run.document, run.work), run.language)
    return build_graph(written_part(written or run.stages[-1][1], {}), run.language)


def blueprint_survey(
    source: Source, render: Render, prepare: Prepare, arguments: dict[str, Any]
) -> Survey:
    """The graph of a blueprint, rendered as far as possible; arguments are those of `render`.

    Variables without a value are left open. When the blueprint cannot be rendered with them, or at
    all, the graph is that of what is written, with the children whose path is written outright. The
    diagnostics have no errors when open variables were the only obstacle, but warnings for those.
    """
    arguments["given"] = arguments.get("given") or VariableInputs()
    missing: dict[str, Unknown] = {}
    run = render(source, **arguments)
    if any(item.code == _MISSING_VARIABLE for item in run.diagnostics):
        missing = _missing_variables(*prepare(source, **arguments))
        opened = arguments["given"].evolve(values={**arguments["given"].values, **missing})
        run = render(source, **{**arguments, "given": opened})
    found = Diagnostics(run.language.limits.max_diagnostics, run.diagnostics.quoting)
    try:
        if run.ok:
            found.extend(item for item in run.diagnostics if item.code not in _BESIDE_THE_POINT)
            return Survey(blueprint_graph(run), found)
        context, documents = _read(*prepare(source, **arguments))
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


def _missing_variables(context: Context, document: Document) -> dict[str, Unknown]:
    """An unknown for each variable of the main blueprint that has no value and no default."""
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


def _read(context: Context, document: Document) -> tuple[Context, dict[tuple[str, ...], Document]]:
    """The documents that could be read, by the names that lead to them; reports their problems."""
    documents: dict[tuple[str, ...], Document] = {}

    def kept(document: Document, context: Context) -> Document:
        found = transform.run(document, context)
        documents[tuple(step.name for step in context.way)] = found
        return found

    stages = context.pipeline.stages
    transform = next(stage for stage in stages if stage.name == "transform")
    watched = tuple(stage.evolve(run=kept) if stage is transform else stage for stage in stages)
    context = context.evolve(pipeline=Pipeline(watched))
    check_document(document, context)
    return context, documents


def _warn_of_missing(document: Document, missing: dict[str, Unknown], found: Diagnostics) -> None:
    """Warns of each variable that is needed to draw the blueprint as it will be."""
    definitions = document.section("variables")
    for name in missing if definitions is not None else ():
        assert definitions is not None
        found.warn(
            _MISSING_VARIABLE,
            definitions.key_span(name),
            f"variable `{name}` has no value, so the graph shows the blueprint as it is written",
            f"give it one with `--var {name}=VALUE`",
        )
