"""The graph of a blueprint, also of one that is rendered as far as possible."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from .....functions.record import Record
from .....functions.values import Unknown
from ....answers.graph.elements import (
    ACROSS,
    CHILD,
    DATA_SOURCE,
    DEPENDS_ON,
    EDGE_KINDS,
    EXPORT,
    EXPORTED,
    LINK,
    REFERENCE,
    RESOURCE,
    VALUE,
    VARIABLE,
    Blueprint,
    Edge,
    Node,
    identity,
)
from ....answers.graph.model import Graph, TooManyEdges
from ....answers.inspection import Survey
from ....engine.budget import count_nodes
from ....engine.inputs import VariableInputs
from ....engine.materialisation import text_of
from ....engine.run import Context, Pipeline, Run, Work
from ....language.errors import LanguageError
from ....language.language import Language
from ....values.diagnostics import Diagnostics
from ....values.document import Document
from ....values.expression import Call, Literal, Reference, Substitution, walk
from ....values.source import Source, Span
from ....values.tree import AnyNode, Map, Scalar, Template, templates_in
from ..checking.dependencies import named_nodes, references_in
from ..checking.links import links
from ..checking.static_children import check_document
from .evaluating import open_variables

# The documents that a graph is made of: each blueprint as written, with what rendering made of it.
#
# References are read from what was written: one whose value is known by now still counts.
# Resources are read from the materialised blueprint when there is one.


class Part(Record, eq=False):
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


def rendered_part(document: Document, work: Work) -> Part:
    """The parts of a materialised document."""
    children = {
        name: rendered_part(child, work.child(name) or Work())
        for name, child in document.children.items()
    }
    return Part(work.written or document, document, children)


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
            child = document.evolve(root=node, children={})
            children[name] = written_part(child, {}, step)
        elif step in opened:
            children[name] = written_part(opened[step], opened, step)
    return Part(document, None, children)


# Nodes and edges.

_SECTIONS = {
    "variables": VARIABLE,
    "values": VALUE,
    "datasources": DATA_SOURCE,
    "resources": RESOURCE,
    "children": CHILD,
    "exports": EXPORT,
}
# The function whose arguments may name resources as plain text.
_LINK_FUNCTION = "link"


def build_graph(part: Part, language: Language) -> Graph:
    """The graph of a blueprint and of the children that were opened.

    Raises:
        TooManyEdges: when there are more edges than `max_graph_edges` allows.
        FunctionError: `limit_exceeded` for too many steps.
    """
    building = _Building(language)
    building.add(part, "", "")
    order = {node: position for position, node in enumerate(building.nodes)}
    rank = {kind: position for position, kind in enumerate(EDGE_KINDS)}
    edges = sorted(
        building.edges.values(),
        key=lambda edge: (order[edge.source], rank[edge.kind], order[edge.target]),
    )
    return Graph(
        tuple(building.blueprints),
        tuple(building.nodes.values()),
        tuple(edges),
        part.rendered is not None,
        language.limits,
    )


_STEPS: Final = 12


class _Building:
    """What has been found so far."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.blueprints: list[Blueprint] = []
        self.nodes: dict[str, Node] = {}
        self.edges: dict[tuple[str, str, str], Edge] = {}
        self._offsets: dict[str, list[tuple[int, int]]] = {}
        self._positions: dict[int, dict[int, int]] = {}

    def add(self, part: Part, blueprint: str, name: str) -> None:
        """The nodes of a blueprint and of its children, then the edges that start in it."""
        self.blueprints.append(Blueprint(blueprint, name, part.written.source.name))
        scope = _Scope(part, blueprint, self)
        for node in scope.found():
            self.work()
            self.nodes[node.id] = node
        for child, inner in part.children.items():
            self.add(inner, identity(blueprint, "children", child), child)
        scope.connect()

    def edge(
        self,
        source: str,
        target: str,
        kind: str,
        span: Span,
        labels: tuple[tuple[str, str], ...] = (),
    ) -> None:
        """Keeps an edge, unless the same two are connected so already."""
        key = (source, target, kind)
        if key in self.edges:
            return
        limits = self.language.limits
        if len(self.edges) >= limits.max_graph_edges:
            raise TooManyEdges(limits)
        self.work()
        self.edges[key] = Edge(source, target, kind, span, labels)

    def work(self) -> None:
        """Counts the steps of one node or edge."""
        if self.language.meter is not None:
            self.language.meter.work(_STEPS)

    def place(self, template: Template, substitution: Substitution, reference: Reference) -> Span:
        """Where a reference is written; texts that stand in many places are parsed once."""
        if substitution.inner is None or template.text is None:
            return template.span
        offsets = self._offsets.get(substitution.inner)
        if offsets is None:
            nodes = walk(self.language.exact(substitution))
            base = substitution.start
            offsets = [(node.start - base, node.end - base) for node in nodes]
            self._offsets[substitution.inner] = offsets
        expression = substitution.shape.expression
        positions = self._positions.get(id(expression))
        if positions is None:
            positions = {id(node): position for position, node in enumerate(walk(expression))}
            self._positions[id(expression)] = positions
        start, end = (substitution.start + offset for offset in offsets[positions[id(reference)]])
        return self.language.place(template, start, end)


class _Scope:
    """One blueprint: which elements it has, and what names in it mean."""

    def __init__(self, part: Part, blueprint: str, building: _Building) -> None:
        self.part = part
        self.blueprint = blueprint
        self.building = building
        self.instances: dict[str, dict[int, str]] = {}

    def found(self) -> Iterator[Node]:
        """The nodes of this blueprint, without those of its children."""
        for section in _SECTIONS:
            match section:
                case "resources":
                    yield from self._resources()
                case "children":
                    yield from self._children()
                case _:
                    yield from self._plain(section)

    def _plain(self, section: str) -> Iterator[Node]:
        found = self.part.written.section(section)
        for name, node in found.items.items() if found else ():
            assert found is not None
            yield self._node(section, name, node, found)

    def _node(self, section: str, name: str, node: AnyNode, holder: Map) -> Node:
        return Node(
            self._id(section, name),
            _SECTIONS[section],
            name,
            (text_of(node.get("type")) if isinstance(node, Map) else None) or "",
            self.blueprint,
            holder.key_span(name),
        )

    def _resources(self) -> Iterator[Node]:
        resources, written = self.part.resources, self.part.written.section("resources")
        for name, node in resources.items.items() if resources else ():
            assert resources is not None
            made = self.part.template_of(name)
            plain = self._node("resources", name, node, resources)
            fields = node.items if isinstance(node, Map) else {}
            if made is None:
                yield plain.evolve(conditional="condition" in fields, repeated="each" in fields)
                continue
            template, index = made
            assert written is not None
            self.instances.setdefault(template, {})[index] = name
            yield plain.evolve(
                template=template,
                index=index,
                span=written.key_span(template),
                conditional="condition" in fields,
            )

    def _children(self) -> Iterator[Node]:
        include = (self.part.rendered or self.part.written).section("include")
        bundled = self.part.written.section("children")
        names = dict.fromkeys([*(include.items if include else ()), *self.part.children])
        for name in names:
            own = include if include is not None and name in include.items else bundled
            own = own or self.part.written.root
            definition = include.get(name) if include else None
            node = self._node("children", name, definition or own, own)
            path = definition.get("path") if isinstance(definition, Map) else None
            yield node.evolve(
                type="",
                opens=node.id if name in self.part.children else "",
                path=self._shown(path),
            )

    def _shown(self, path: AnyNode | None) -> str:
        """An include's path as text; what is computed stays as it is written."""
        if isinstance(path, Template):
            return self.building.language.template(path)
        return text_of(path) or ""

    def _id(self, section: str, name: str) -> str:
        return identity(self.blueprint, section, name)

    def connect(self) -> None:
        """All edges that start in this blueprint, and those of what its children are given."""
        for section in ("values", "datasources"):
            found = self.part.written.section(section)
            for name, node in found.items.items() if found else ():
                self._refer(self._id(section, name), REFERENCE, node)
        self._connect_resources()
        include = self.part.written.section("include")
        for name, node in include.items.items() if include else ():
            self._connect_include(name, node)
        exports = self.part.written.section("exports")
        for name, node in exports.items.items() if exports else ():
            source = self._id("exports", name)
            self._refer_by_field(source, node)
            self._refer(source, EXPORTED, node)

    def _connect_resources(self) -> None:
        resources, written = self.part.resources, self.part.written.section("resources")
        if resources is None or written is None:
            return
        for link in links(resources, self.building.language.meter):
            source, target = self._id("resources", link.source), self._id("resources", link.target)
            self.building.edge(source, target, LINK, link.span, link.labels)
        for name, node in resources.items.items():
            made = self.part.template_of(name)
            template = made[0] if made else name
            self._refer(self._id("resources", name), REFERENCE, written.get(template), name)
            names = named_nodes(node.get("dependsOn")) if isinstance(node, Map) else ()
            for item in names:
                target = self._id("resources", str(item.value))
                self._edge(self._id("resources", name), target, DEPENDS_ON, item.span)

    def _connect_include(self, name: str, node: AnyNode) -> None:
        """What a child is given leads from the child's variables, when they are known."""
        child = self._id("children", name)
        if not isinstance(node, Map):
            return
        for key, field in node.items.items():
            if key != "variables" or not isinstance(field, Map):
                self._refer(child, ACROSS, field)
                continue
            for variable, given in field.items.items():
                inner = identity(child, "variables", variable)
                self._refer(inner if inner in self.building.nodes else child, ACROSS, given)

    def _refer(self, source: str, kind: str, node: AnyNode | None, owner: str = "") -> None:
        """The edges for all references in the templates of a node."""
        for reference, substitution, template in references_in(node):
            span: Span | None = None
            # `link` takes the resource itself as one of its two sides.
            itself = source if _LINK_FUNCTION in template.segments.functions else ""
            for target in self._targets(reference, owner):
                if target != itself and target in self.building.nodes:
                    span = span or self.building.place(template, substitution, reference)
                    self._edge(source, target, kind, span)
        for template in templates_in(node):
            if _LINK_FUNCTION in template.segments.functions:
                self._refer_by_name(source, kind, template)

    def _refer_by_name(self, source: str, kind: str, template: Template) -> None:
        """The edges for resources that `link` is told by their names as text."""
        language = self.building.language
        for substitution in template.segments.substitutions:
            for call in walk(language.exact(substitution)):
                if not isinstance(call, Call) or call.function != _LINK_FUNCTION:
                    continue
                for argument in call.arguments:
                    value = argument.value
                    if isinstance(value, Literal) and isinstance(value.value, str):
                        target = self._id("resources", value.value)
                        span = language.place(template, value.start, value.end)
                        if target != source:
                            self._edge(source, target, kind, span)

    def _refer_by_field(self, source: str, node: AnyNode) -> None:
        """The edges for the field of an export, a reference outside of any substitution."""
        field = node.get("field") if isinstance(node, Map) else None
        if not isinstance(field, Scalar) or not isinstance(field.value, str):
            return
        try:
            reference = self.building.language.parse(field.value)
        except LanguageError:
            return
        if isinstance(reference, Reference):
            for target in self._targets(reference, ""):
                self._edge(source, target, EXPORTED, field.span)

    def _targets(self, reference: Reference, owner: str) -> Iterator[str]:
        """The nodes that a reference means; `owner` is the resource in which it stands."""
        path = reference.path
        name = str(path[0]) if path else ""
        if reference.root == "resources" and name in self.instances:
            made = self.part.template_of(owner)
            index = path[1] if len(path) > 1 and isinstance(path[1], int) else None
            if index is None and made is not None and made[0] == name:
                index = made[1]
            instances = self.instances[name]
            if index is None:
                yield from (self._id("resources", instance) for instance in instances.values())
            elif index in instances:
                yield self._id("resources", instances[index])
        elif reference.root == "children" and len(path) > 1:
            child = self._id("children", name)
            export = identity(child, "exports", str(path[1]))
            yield export if export in self.building.nodes else child
        elif reference.root in _SECTIONS:
            yield self._id(reference.root, name)

    def _edge(self, source: str, target: str, kind: str, span: Span) -> None:
        """An edge between elements of the graph; what is pruned or misspelt is not there."""
        nodes = self.building.nodes
        if source not in nodes or target not in nodes:
            return
        there = nodes[target]
        if there.kind == CHILD or there.blueprint != nodes[source].blueprint:
            kind = ACROSS if kind == REFERENCE else kind
        self.building.edge(source, target, kind, span)


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
    missing: Mapping[str, Unknown] = {}
    run = render(source, **arguments)
    if any(item.code == _MISSING_VARIABLE for item in run.diagnostics):
        missing = _missing_variables(*_ready(run, prepare(source, **arguments)))
        opened = arguments["given"].evolve(values={**arguments["given"].values, **missing})
        run = render(source, **{**arguments, "given": opened})
    found = Diagnostics(run.language.limits.max_diagnostics, run.diagnostics.quoting)
    try:
        if run.ok:
            found.extend(item for item in run.diagnostics if item.code not in _BESIDE_THE_POINT)
            return Survey(blueprint_graph(run), found)
        if run.language.meter is not None and run.language.meter.ended is not None:
            found.extend(run.diagnostics)  # what is written would cost as much again
            return Survey(None, found)
        context, documents = _read(*_ready(run, prepare(source, **arguments)))
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


def _ready(run: Run, prepared: tuple[Context, Document]) -> tuple[Context, Document]:
    """What was prepared, with the document that a run has read without a mistake."""
    context, document = prepared
    loaded = run.stages[0][1] if run.stages else document
    if run.diagnostics.quoting.tree_of(document.source) is loaded.root:
        context.loaded[document.source] = loaded, count_nodes(loaded.root)
    return context, document


def _missing_variables(context: Context, document: Document) -> Mapping[str, Unknown]:
    """An unknown for each variable of the main blueprint that has no value and no default."""
    document = context.pipeline.upto("load").last(document, context)
    return {} if context.diagnostics.errors else open_variables(document, context)


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


def _warn_of_missing(
    document: Document, missing: Mapping[str, Unknown], found: Diagnostics
) -> None:
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
