"""The graph of a run, and of a blueprint that is rendered as far as possible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from ......functions.values import Unknown
from .....answers.graph.model import Graph, TooManyEdges
from .....engine.context import Context
from .....engine.dialect import Dialect, inspection_of, unanswered
from .....engine.run import Pipeline, Run
from .....language.expression import Reference
from .....rendering import check_document, prepare, render
from .....values.diagnostics import Diagnostics
from .....values.document import Document
from .....values.source import Source, Span
from .....values.stack import roomy
from .....values.tree import AnyNode, Map, Scalar
from ....table import select_dialect
from ...checking.dependencies import named_nodes
from ...evaluating.inputs import MISSING, Given, resolve_variables
from .building import build_graph

# ----------------------------------------------------------------------
# The documents that a graph is made of: each blueprint as written, with what rendering made of it.
#
# References are read from what was written: one whose value is known by now still counts.
# Resources are read from the materialised blueprint when there is one.


@attrs.frozen(eq=False)
class Part:
    """One blueprint of a graph.

    `written` is the document after its transforms, `rendered` its materialised form or None, and
    `children` those that were opened.
    """

    written: Document
    rendered: Document | None
    children: Mapping[str, Part]

    @property
    def resources(self) -> Map | None:
        """The resources that there are: instances instead of templates when they are known."""
        return (self.rendered or self.written).section("resources")

    def template_of(self, name: str) -> tuple[str, int] | None:
        """The template and the index that a resource was made from, or None."""
        written = self.written.section("resources")
        if self.rendered is None or written is None or name in written.items:
            return None
        template, line, index = name.rpartition("_")
        node = written.get(template)
        if line and index.isdecimal() and isinstance(node, Map) and "each" in node.items:
            return template, int(index)
        return None


def rendered_part(document: Document) -> Part:
    """The parts of a materialised document."""
    evaluation = document.evaluation
    written = evaluation.document if evaluation is not None else document
    children = {name: rendered_part(child) for name, child in document.children.items()}
    return Part(written, document, children)


def written_part(
    document: Document,
    opened: Mapping[tuple[str, ...], Document],
    way: tuple[str, ...] = (),
) -> Part:
    """The parts of a document that was only read.

    `opened` are its children by the names that lead to them; what it brings along in `children` is
    found in itself.
    """
    children: dict[str, Part] = {}
    include = document.section("include")
    bundled = document.section("children")
    for name in [*(include.items if include else ()), *(bundled.items if bundled else ())]:
        node = bundled.get(name) if bundled else None
        step = (*way, name)
        if isinstance(node, Map):
            child = document.evolve(root=node, children={}, evaluation=None)
            children[name] = written_part(child, {}, step)
        elif step in opened:
            children[name] = written_part(opened[step], opened, step)
    return Part(document, None, children)


_MISSING_VARIABLE = "required_variable_missing"
# A graph shows no values, so there is nothing to mask and nothing to reveal.
_BESIDE_THE_POINT = frozenset({"secret_value_masked"})


@attrs.frozen
class Survey:
    """A graph, None when the blueprint could not be read, and what was said on the way."""

    graph: Graph | None
    diagnostics: Diagnostics


@roomy
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
    if run.document is not None and run.document.evaluation is not None:
        return build_graph(rendered_part(run.document), run.language)
    read = [document for _, document in run.stages if document.evaluation is None]
    return build_graph(written_part(read[-1], {}), run.language)


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


# ----------------------------------------------------------------------
# Which resources a link selector selects (specification, "linkSelectorDefinitions").


@attrs.frozen
class Link:
    """One resource that selects another, by which labels, and where that is written."""

    source: str
    target: str
    labels: tuple[tuple[str, str], ...]
    span: Span


def links(resources: Map) -> Iterator[Link]:
    """The links among the resources of one blueprint, in the order of both sides.

    A selector selects the resources that have all of its labels, but for those that `exclude`
    names and the resource itself; one without labels selects nothing.
    """
    carriers = _carriers(resources)
    order = {name: position for position, name in enumerate(resources.items)}
    selected: dict[tuple[tuple[str, str], ...], frozenset[str]] = {}
    for name, node in resources.items.items():
        selector = node.get("linkSelector") if isinstance(node, Map) else None
        wanted = selector.get("byLabel") if isinstance(selector, Map) else None
        labels = _texts(wanted)
        if not labels or not isinstance(selector, Map) or wanted is None:
            continue
        if labels not in selected:
            groups = sorted((carriers.get(label, frozenset()) for label in labels), key=len)
            selected[labels] = groups[0].intersection(*groups[1:])
        excluded = {str(item.value) for item in named_nodes(selector.get("exclude"))}
        for target in sorted(selected[labels] - excluded - {name}, key=order.__getitem__):
            yield Link(name, target, labels, wanted.span)


def _carriers(resources: Map) -> dict[tuple[str, str], frozenset[str]]:
    """The names of the resources that have a label, for each label."""
    found: dict[tuple[str, str], set[str]] = {}
    for name, node in resources.items.items():
        metadata = node.get("metadata") if isinstance(node, Map) else None
        for label in _texts(metadata.get("labels") if isinstance(metadata, Map) else None):
            found.setdefault(label, set()).add(name)
    return {label: frozenset(names) for label, names in found.items()}


def _texts(node: AnyNode | None) -> tuple[tuple[str, str], ...]:
    """The labels of a map; what is no text has its diagnostic elsewhere."""
    items = node.items.items() if isinstance(node, Map) else ()
    return tuple(
        (key, value.value)
        for key, value in items
        if isinstance(value, Scalar) and isinstance(value.value, str)
    )
