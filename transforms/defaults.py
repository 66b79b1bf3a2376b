"""`bpp/defaults-1`: defaults for the spec, labels and annotations of resources, by type.

They are declared in the metadata of the blueprint, under `bppDefaults`:

    metadata:
      bppDefaults:
        aws/lambda/*:
          spec: {runtime: python3.12, tracing: Active}
          labels: {team: orders}
          annotations: {example.owner: "${variables.owner}"}

A pattern is a resource type in which `*` matches any text without `/`, and `**` any text. The
resource's own fields always win; maps are merged key by key, other values are not. If several
patterns match, the most specific one wins (`expansion.rank`); of equally specific ones, the last.
"""

from __future__ import annotations

from typing import Final

from ..functions.values import article
from ..pipeline.dialects.bluelink.structure.sections import RESOURCE
from ..pipeline.values.diagnostics import meant
from ..pipeline.values.document import Document
from ..pipeline.values.tree import AnyNode, Array, Map, Scalar, Template, kind_of
from .expansion import is_pattern, matches, merged, named_span, rank, take_entry
from .registry import Transform, TransformContext

KEY: Final = "bppDefaults"
PARTS: Final = ("spec", "labels", "annotations")
_SHAPE: Final = "write it as `{pattern: {spec: {..}, labels: {..}, annotations: {..}}}`"


def give_defaults(document: Document, context: TransformContext) -> Document:
    """Fills defaults into the resources of a document and removes `bppDefaults`.

    Reports `invalid_defaults`, and `unused_defaults` as a warning.
    """
    entry, rest = take_entry(document, KEY)
    metadata = document.root.get("metadata")
    if entry is None:
        context.diagnostics.warn(
            "unused_defaults",
            named_span(document, context.name),
            f"`{context.name}` has nothing to do: the blueprint's metadata has no `{KEY}`",
            (meant(KEY, metadata.items) if isinstance(metadata, Map) else None) or _SHAPE,
        )
        return document
    rules = _rules(entry, context)
    if rules is None:
        return document
    section = document.section("resources")
    used: set[str] = set()
    items: dict[str, AnyNode] = {}
    for name, node in section.items.items() if section else ():
        items[name] = _with_defaults(node, rules, used, context.name)
    assert isinstance(entry, Map)
    _report_unused(entry, used, section, context)
    sections: dict[str, AnyNode | None] = {"metadata": rest}
    if section is not None:
        sections["resources"] = section.holding(items, context.name)
    return document.replacing(sections, context.name)


def _with_defaults(node: AnyNode, rules: dict[str, Map], used: set[str], step: str) -> AnyNode:
    kind = node.get("type") if isinstance(node, Map) else None
    if not isinstance(node, Map) or not isinstance(kind, Scalar):
        return node
    for pattern, defaults in rules.items():
        if not matches(pattern, str(kind.value)):
            continue
        used.add(pattern)
        spec = merged(node.get("spec"), _fresh(defaults.get("spec"), step), step)
        items: dict[str, AnyNode | None] = {**node.items, "spec": spec}
        metadata = node.get("metadata")
        if metadata is None or isinstance(metadata, Map):
            items["metadata"] = _metadata(metadata, defaults, step)
        order = dict.fromkeys([*node.items] if "metadata" in node.items else RESOURCE.fields)
        order.update(dict.fromkeys(node.items))
        found = {key: one for key in order if (one := items.get(key)) is not None}
        node = node.holding(found, step)
    return node


def _metadata(own: Map | None, defaults: Map, step: str) -> AnyNode | None:
    items: dict[str, AnyNode] = dict(own.items) if own is not None else {}
    for key in ("labels", "annotations"):
        outer = _fresh(defaults.get(key), step)
        both = merged(items.get(key), outer, step, deep=False)
        if both is not None:
            items[key] = both
    if own is None:
        return (
            Map(items, {}, defaults.trail.then(step), defaults.start, defaults.end)
            if items
            else None
        )
    return own.holding(items, step)


def _fresh(node: AnyNode | None, step: str) -> AnyNode | None:
    """A copy for one resource: computed values, such as ids, are not shared between resources."""
    if node is None:
        return None
    trail = node.trail.then(step)
    if isinstance(node, Map):
        items = {key: _fresh(child, step) for key, child in node.items.items()}
        return Map(
            {k: n for k, n in items.items() if n is not None},
            node.places,
            trail,
            node.start,
            node.end,
        )
    if isinstance(node, Array):
        fresh = [_fresh(child, step) for child in node.items]
        return Array([n for n in fresh if n is not None], trail, node.start, node.end)
    if isinstance(node, Template):
        return Template(node.segments, node.text, trail, node.start, node.end)
    return Scalar(node.value, trail, node.start, node.end)


def _rules(entry: AnyNode, context: TransformContext) -> dict[str, Map] | None:
    """The defaults by pattern, the most specific ones first; None if any is invalid."""
    before = context.diagnostics.errors
    if not isinstance(entry, Map):
        _wrong(entry, f"`{KEY}` must be an object, not {_kind(entry)}", _SHAPE, context)
        return None
    rules: dict[str, Map] = {}
    for pattern, node in entry.items.items():
        if not is_pattern(pattern):
            context.diagnostics.error(
                "invalid_defaults",
                entry.key_span(pattern),
                f"`{pattern}` is not a valid pattern for resource types",
                "write a type such as `aws/lambda/function`, or `aws/lambda/*`, or `aws/**`",
            )
        if isinstance(node, Map):
            _check_parts(pattern, node, context)
            rules[pattern] = node
        else:
            _wrong(
                node,
                f"the defaults of `{pattern}` must be an object, not {_kind(node)}",
                _SHAPE,
                context,
            )
    if context.diagnostics.errors > before:
        return None
    ascending = sorted(rules, key=rank)  # of equal ranks, the last one wins
    return {pattern: rules[pattern] for pattern in ascending[::-1]}


def _check_parts(pattern: str, node: Map, context: TransformContext) -> None:
    for key, part in node.items.items():
        if key not in PARTS:
            context.diagnostics.error(
                "invalid_defaults",
                node.key_span(key),
                f"`{key}` cannot have defaults",
                meant(key, PARTS) or "available: `spec`, `labels`, `annotations`",
            )
        elif not isinstance(part, Map):
            _wrong(
                part, f"`{key}` of `{pattern}` must be an object, not {_kind(part)}", None, context
            )
        elif key != "spec":
            _check_strings(key, part, context)


def _check_strings(key: str, part: Map, context: TransformContext) -> None:
    for name, value in part.items.items():
        if key == "labels":
            if not (isinstance(value, Scalar) and isinstance(value.value, str)):
                quotes = (
                    "put it in quotes"
                    if isinstance(value, Scalar) and value.value is not None
                    else None
                )
                why = (
                    "must be a plain string, without substitutions"
                    if isinstance(value, Template)
                    else f"must be a string, not {_kind(value)}"
                )
                _wrong(value, f"the label `{name}` {why}", quotes, context)
        elif isinstance(value, Map | Array) or (isinstance(value, Scalar) and value.value is None):
            _wrong(
                value,
                f"the annotation `{name}` must be a string, an integer, a float or a boolean, not "
                f"{_kind(value)}",
                None,
                context,
            )


def _report_unused(
    entry: Map, used: set[str], section: Map | None, context: TransformContext
) -> None:
    types = {
        str(kind.value)
        for node in (section.items.values() if section else ())
        if isinstance(node, Map) and isinstance(kind := node.get("type"), Scalar)
    }
    for pattern in entry.items:
        if pattern not in used:
            context.diagnostics.warn(
                "unused_defaults",
                entry.key_span(pattern),
                f"no resource has a type that matches `{pattern}`",
                meant(pattern, types),
            )


def _wrong(node: AnyNode, summary: str, hint: str | None, context: TransformContext) -> None:
    context.diagnostics.error("invalid_defaults", node.span, summary, hint)


def _kind(node: AnyNode) -> str:
    return article(kind_of(node))


TRANSFORM: Final = Transform(
    "bpp/defaults-1",
    give_defaults,
    ("**",),
    "defaults for the spec, labels and annotations of resources, by type",
)
