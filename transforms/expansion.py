"""The common case of a transform: one abstract resource becomes several concrete ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from ..functions.record import Record, field
from ..functions.values import article
from ..pipeline.engine.renaming import rename_references
from ..pipeline.values.tree import AnyNode, Map, Scalar, Template, kind_of
from .carrying import carry_over
from .registry import ExpansionError, Transform, TransformContext, TransformError
from .type_patterns import matches

if TYPE_CHECKING:
    from ..pipeline.values.document import Document
    from ..pipeline.values.source import Span


class Resource(Record, eq=False):
    """An abstract resource: its name, its definition and where its name is written."""

    name: str
    node: Map
    key_span: Span

    @property
    def type(self) -> str:
        """The resource type."""
        return str(getattr(self.node.get("type"), "value", ""))

    def get(self, path: str) -> AnyNode | None:
        """The node at a path with dots below the definition, such as `spec.queue.name`, or None."""
        node: AnyNode | None = self.node
        for key in path.split("."):
            node = node.get(key) if isinstance(node, Map) else None
        return node

    def need(self, path: str, *types: str) -> AnyNode:
        """The node at a path, when it is there and of one of the types (`string`, `object`, ..).

        A template may be anything: what it is worth is not known before it is evaluated.

        Raises:
            TransformError: at the field, or at the resource when there is none.
        """
        node = self.get(path)
        if node is None:
            raise TransformError(
                self.key_span, f"the resource `{self.name}` needs `{path}`", f"add `{path}`"
            )
        if types and not isinstance(node, Template) and kind_of(node) not in types:
            wanted = " or ".join(map(article, types))
            raise TransformError(
                node,
                f"`{path}` of the resource `{self.name}` must be {wanted}, not "
                f"{article(kind_of(node))}",
            )
        return node


class Expansion(Record):
    """What an abstract resource becomes.

    `resources` are the definitions of the concrete resources by name, in order: plain data in which
    nodes may stand; strings with `${..}` are substitutions. References to the abstract resource go
    to `primary`, one of them. `fields` are for what it calls otherwise: from a path of the abstract
    resource to one of the primary (`{"spec.name": "spec.functionName"}`), or of another resource
    (`{"spec.queue": "resources.orders_queue.spec.name"}`). `leave` says by resource what is not
    carried over to it (`{"orders_queue": ["linkSelector"]}`, see `carry_over`).
    """

    resources: Mapping[str, Any]
    primary: str
    fields: Mapping[str, str] = field(factory=dict)
    leave: Mapping[str, Collection[str]] = field(factory=dict)


Expander: TypeAlias = Callable[[Resource, TransformContext], Expansion]


def expanding(name: str, *types: str, doc: str = "") -> Callable[[Expander], Transform]:
    """Makes a transform of a function that expands one resource; see `expand_resources`.

    `types` are the resource types that it is asked for, or patterns such as `acme/*`. The docstring
    of the function is the transform's.
    """

    def transform_of(expand: Expander) -> Transform:
        def run(document: Document, context: TransformContext) -> Document:
            return expand_resources(document, context, types, expand)

        told = doc or (expand.__doc__ or "").strip().partition("\n")[0]
        return Transform(name, run, types, told)

    return transform_of


def expand_resources(
    document: Document,
    context: TransformContext,
    types: Collection[str],
    expand: Expander,
) -> Document:
    """The document with every resource of some types replaced by what `expand` makes of it.

    The concrete resources stand where the abstract one stood and take over its labels, annotations,
    names, condition, `each`, `dependsOn`, removal policy and link selector. References to it, in
    expressions, `dependsOn`, link selectors and exports, go to the primary resource. What is made
    has the origin of the abstract resource and the transform's name as a further step. A resource
    for which `expand` raises `TransformError` is reported, and the others are still looked at.

    Raises:
        ExpansionError: when `expand` returns no `Expansion`, or one that contradicts itself.
        BuildError: when it holds data that no document can hold.
    """
    section = document.section("resources")
    if section is None:
        return document
    items: dict[str, AnyNode] = {}
    places = dict(section.places)
    renames: dict[str, str] = {}
    for name, node in section.items.items():
        if not isinstance(node, Map) or not _is_of(node, types):
            made: Mapping[str, AnyNode] = {name: node}
        else:
            resource = Resource(name, node, section.key_span(name))
            context.working_on(name, resource.key_span)
            try:
                expansion = expand(resource, context)
            except TransformError as error:
                context.error(error.at, error.summary, error.hint, code=error.code)
                continue
            made = _concrete(resource, expansion, context)
            renames.update(_renames(resource, expansion))
            for key in made:
                if name in places:
                    places.setdefault(key, places[name])
                taken = key in items or (key != name and key in section.items)
                if taken:
                    context.error(
                        resource.key_span,
                        f"the resource `{name}` would become `{key}`, as another one is named",
                        "rename one of them",
                        code="duplicate_resource_name",
                    )
            context.working_on(None)
        items.update(made)
    if all(items.get(key) is node for key, node in section.items.items()):
        return document
    trail = section.trail.then(context.name)
    replaced = Map(items, places, trail, section.start, section.end)
    document = document.replacing({"resources": replaced}, context.name)
    return rename_references(
        document, renames, context.language, step=context.name, functions=context.functions
    )


def _is_of(node: Map, types: Collection[str]) -> bool:
    found = node.get("type")
    text = found.value if isinstance(found, Scalar) else None
    return isinstance(text, str) and any(matches(one, text) for one in types)


def _concrete(
    resource: Resource, expansion: object, context: TransformContext
) -> dict[str, AnyNode]:
    if not isinstance(expansion, Expansion):
        raise ExpansionError(f"an expansion is an `Expansion`, not a `{type(expansion).__name__}`")
    if expansion.primary not in expansion.resources:
        raise ExpansionError(f"the primary `{expansion.primary}` is none of the resources made")
    strangers = sorted(set(expansion.leave) - set(expansion.resources))
    if strangers:
        raise ExpansionError(f"`leave` names `{strangers[0]}`, which is none of the resources made")
    made: dict[str, AnyNode] = {}
    for name, data in expansion.resources.items():
        node = context.node(data, resource.node)
        if not isinstance(node, Map):
            raise ExpansionError(f"the definition of `{name}` is not an object")
        node = node.replacing(node.items, context.name)
        made[name] = carry_over(node, resource.node, context.name, expansion.leave.get(name, ()))
    return made


def _renames(resource: Resource, expansion: Expansion) -> dict[str, str]:
    old = f'resources["{resource.name}"]'
    new = f'resources["{expansion.primary}"]'
    found = {} if expansion.primary == resource.name else {old: new}
    for path, target in expansion.fields.items():
        whole = target if target.startswith("resources.") else f"{new}.{target}"
        found[f"{old}.{path}"] = whole
    return found
