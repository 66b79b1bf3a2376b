"""The common case of a transform: one abstract resource becomes several concrete ones.

Also here: the steps that transforms share, such as carrying over metadata and matching types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import Any, Final, TypeAlias

from ..functions.record import Record, field
from ..functions.values import article
from ..pipeline.dialects.bluelink.structure.sections import RESOURCE, RESOURCE_METADATA
from ..pipeline.engine.references import rename_references
from ..pipeline.values.document import Document
from ..pipeline.values.source import Span
from ..pipeline.values.tree import AnyNode, Array, Map, Scalar, Template, kind_of
from .registry import ExpansionError, Transform, TransformContext, TransformError


class Resource(Record, eq=False):
    """An abstract resource: its name, its definition and the location of its name."""

    name: str
    node: Map
    key_span: Span

    @property
    def type(self) -> str:
        """The resource type."""
        return str(getattr(self.node.get("type"), "value", ""))

    def get(self, path: str) -> AnyNode | None:
        """The node at a dotted path in the definition, such as `spec.queue.name`, or None."""
        node: AnyNode | None = self.node
        for key in path.split("."):
            node = node.get(key) if isinstance(node, Map) else None
        return node

    def need(self, path: str, *types: str) -> AnyNode:
        """The node at a path, which must exist and have one of the types (`string`, `object`, ..).

        A template has any type: its value is not known before it is evaluated.

        Raises:
            TransformError: at the field if its type is wrong, at the resource if it is missing.
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
    """The result of expanding an abstract resource.

    `resources` are the definitions of the concrete resources by name, in order: plain data, which
    may contain nodes; strings with `${..}` are substitutions. References to the abstract resource
    are redirected to `primary`, one of them. `fields` redirects renamed fields: from a path of the
    abstract resource to a path of the primary (`{"spec.name": "spec.functionName"}`) or of another
    resource (`{"spec.queue": "resources.orders_queue.spec.name"}`). `leave` lists, by resource, the
    fields that are not carried over (`{"orders_queue": ["linkSelector"]}`, see `carry_over`).
    """

    resources: Mapping[str, Any]
    primary: str
    fields: Mapping[str, str] = field(factory=dict)
    leave: Mapping[str, Collection[str]] = field(factory=dict)


Expander: TypeAlias = Callable[[Resource, TransformContext], Expansion]


def expanding(name: str, *types: str, doc: str = "") -> Callable[[Expander], Transform]:
    """Turns a function that expands one resource into a transform; see `expand_resources`.

    `types` are the resource types it expands, or patterns such as `acme/*`. The first line of the
    function's docstring describes the transform, unless `doc` does.
    """

    def transform_of(expand: Expander) -> Transform:
        def run(document: Document, context: TransformContext) -> Document:
            return expand_resources(document, context, types, expand)

        summary = doc or (expand.__doc__ or "").strip().partition("\n")[0]
        return Transform(name, run, types, summary)

    return transform_of


def expand_resources(
    document: Document,
    context: TransformContext,
    types: Collection[str],
    expand: Expander,
) -> Document:
    """The document with every resource of the given types replaced by its expansion.

    The concrete resources take the place of the abstract one and inherit its labels, annotations,
    names, condition, `each`, `dependsOn`, removal policy and link selector. References to it, in
    expressions, `dependsOn`, link selectors and exports, are redirected to the primary resource.
    New nodes have the origin of the abstract resource, with the transform's name as a further step.
    A `TransformError` raised by `expand` is reported, and the other resources are still expanded.

    Raises:
        ExpansionError: when `expand` returns no `Expansion`, or an inconsistent one.
        BuildError: when the expansion contains data that a document cannot hold.
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
                        f"the resource `{name}` expands to `{key}`, which already exists",
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
        raise ExpansionError(
            f"the expander must return an `Expansion`, not a `{type(expansion).__name__}`"
        )
    if expansion.primary not in expansion.resources:
        raise ExpansionError(f"the primary `{expansion.primary}` is not one of its resources")
    unknown = sorted(set(expansion.leave) - set(expansion.resources))
    if unknown:
        raise ExpansionError(f"`leave` names `{unknown[0]}`, which is not one of its resources")
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


CARRIED: Final = (
    "labels",
    "annotations",
    "displayName",
    "custom",
    "condition",
    "each",
    "linkSelector",
    "dependsOn",
    "removalPolicy",
)
"""The fields that are carried over, as the specification names them ("resourceDefinition")."""


def carry_over(own: Map, outer: Map, step: str, leave: Collection[str] = ()) -> Map:
    """Adds the fields of the abstract resource `outer` to the definition of a concrete resource.

    Labels, annotations and custom metadata are merged; the resource's own entries win. Both
    conditions must hold, and both `dependsOn` apply. `displayName`, `each`, `linkSelector` and
    `removalPolicy` are copied where the resource does not define them. `leave` lists the fields
    that are not carried over (see `CARRIED`); leaving out `condition` deploys a resource that the
    blueprint excludes. `step` is added to the origin.

    Raises:
        ExpansionError: when `leave` contains a name that is not in `CARRIED`.
    """
    unknown = sorted(set(leave) - set(CARRIED))
    if unknown:
        raise ExpansionError(f"`{unknown[0]}` in `leave` is not a field that is carried over")
    found: dict[str, AnyNode | None] = dict(own.items)
    found["metadata"] = _metadata(own.get("metadata"), outer.get("metadata"), step, leave)
    for key, join in _JOINED.items():
        if key not in leave:
            found[key] = join(own.get(key), outer.get(key), step)
    order = dict.fromkeys([*RESOURCE.fields, *own.items])
    items = {key: node for key in order if (node := found.get(key)) is not None}
    return own.holding(items, step)


def merged(
    own: AnyNode | None, outer: AnyNode | None, step: str, deep: bool = True
) -> AnyNode | None:
    """Merges two maps, and with `deep` the maps in them: the keys of `own` win and come first.

    Other nodes are not merged: the result is `own`, or `outer` if `own` is None.
    """
    if own is None or outer is None:
        return outer if own is None else own
    if not isinstance(own, Map) or not isinstance(outer, Map):
        return own
    items = dict(own.items)
    for key, node in outer.items.items():
        if key not in items:
            items[key] = node
        elif deep:
            both = merged(items[key], node, step)
            assert both is not None
            items[key] = both
    return own.holding(items, step)


def _metadata(
    own: AnyNode | None, outer: AnyNode | None, step: str, leave: Collection[str]
) -> AnyNode | None:
    if not isinstance(outer, Map):
        return own
    if own is not None and not isinstance(own, Map):
        return own
    items: dict[str, AnyNode] = {}
    for key in RESOURCE_METADATA.fields:
        mine = own.get(key) if own is not None else None
        node = mine if key in leave else merged(mine, outer.get(key), step, key == "custom")
        if node is not None:
            items[key] = node
    if own is None:
        return outer.replacing(items, step) if items else None
    items.update({key: node for key, node in own.items.items() if key not in items})
    return own.holding(items, step)


def _condition(own: AnyNode | None, outer: AnyNode | None, step: str) -> AnyNode | None:
    if own is None or outer is None or own is outer:
        return outer if own is None else own
    both = Array([outer, own], own.trail.then(step), own.start, own.end)
    return Map({"and": both}, {}, both.trail, own.start, own.end)


def _first(own: AnyNode | None, outer: AnyNode | None, step: str) -> AnyNode | None:
    return outer if own is None else own


def _names(own: AnyNode | None, outer: AnyNode | None, step: str) -> AnyNode | None:
    """The names in both, without repetition."""
    if own is None or outer is None or own is outer:
        return outer if own is None else own
    items: dict[object, AnyNode] = {}
    for node in (outer, own):
        for item in node.items if isinstance(node, Array) else [node]:
            items.setdefault(getattr(item, "value", id(item)), item)
    return Array(list(items.values()), own.trail.then(step), own.start, own.end)


_JOINED: Final[dict[str, Callable[[AnyNode | None, AnyNode | None, str], AnyNode | None]]] = {
    "condition": _condition,
    "each": _first,
    "linkSelector": _first,
    "dependsOn": _names,
    "removalPolicy": _first,
}


Rank: TypeAlias = tuple[bool, int, int]

_PATTERN: Final = re.compile(r"[A-Za-z0-9_.*-]+(?:/[A-Za-z0-9_.*-]+)*")
_PARTS: Final = re.compile(r"\*\*|\*|[^*]+")


def is_pattern(text: str) -> bool:
    """True for a valid pattern: a resource type that may contain `*` and `**`."""
    return _PATTERN.fullmatch(text) is not None and "***" not in text


@lru_cache(maxsize=4096)
def matches(pattern: str, resource_type: str) -> bool:
    """True when a pattern matches a type: `*` matches any text without `/`, `**` any text.

    Patterns come from blueprints, so they are not regular expressions, which can take exponential
    time. Instead, this tracks the set of positions in the type that the pattern can have reached.
    """
    length = len(resource_type)
    reached = {0}
    for part in _PARTS.findall(pattern):
        following: set[int] = set()
        for start in reached:
            if part == "**":
                following.update(range(start, length + 1))
            elif part == "*":
                slash = resource_type.find("/", start)
                following.update(range(start, (length if slash < 0 else slash) + 1))
            elif resource_type.startswith(part, start):
                following.add(start + len(part))
        reached = following
    return length in reached


def rank(pattern: str) -> Rank:
    """The rank of a pattern; a more specific one has a higher rank, which wins.

    A type without `*` ranks above all patterns, then the pattern with more literal characters, then
    the one with fewer `**`.
    """
    return ("*" not in pattern, len(pattern.replace("*", "")), -pattern.count("**"))


def take_entry(document: Document, key: str) -> tuple[AnyNode | None, AnyNode | None]:
    """The node at a key of the metadata, and the metadata without it (None if that is empty)."""
    metadata = document.root.get("metadata")
    if not isinstance(metadata, Map) or key not in metadata.items:
        return None, metadata
    rest = {name: node for name, node in metadata.items.items() if name != key}
    return metadata.items[key], metadata.replacing(rest) if rest else None


def named_span(document: Document, name: str) -> Span:
    """Where `transform` names a transform; the start of the document if it does not."""
    for item in requested(document):
        if isinstance(item, Scalar) and item.value == name:
            return item.span
    return document.root.span


def requested(document: Document) -> list[AnyNode]:
    """The items of `transform`: the names of the transforms that a document requests."""
    node = document.root.get("transform")
    if node is None:
        return []
    return list(node.items) if isinstance(node, Array) else [node]
