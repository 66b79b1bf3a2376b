"""What stands at an offset of a text: the part of its tree, and of the expression in it."""

from __future__ import annotations

from collections.abc import Iterator

from ...functions.record import Record, field
from ..answers.paths import Path
from ..values.expression import Argument, Call, Expression, Reference, parts
from ..values.positions import span_in_scalar
from ..values.source import Span
from ..values.substitution import Substitution
from ..values.tree import AnyNode, Array, Map, Template


class Place(Record, eq=False):
    """The innermost node of a tree at an offset.

    `path` leads to `node`; `key` is the key that stands at the offset, whose value the node is.
    `substitution` is the one in a template, `expression` the innermost part of it: a reference, a
    call, or a literal; `within` are the calls around it, the outermost first.
    """

    path: Path
    node: AnyNode
    key: str | None = None
    substitution: Substitution | None = None
    expression: Expression | None = None
    within: tuple[Call, ...] = ()
    template: Template | None = field(default=None, repr=False)

    def span_of(self, part: Expression | Argument | Substitution) -> Span:
        """Where a part of the template stands in the source."""
        assert self.template is not None
        return span_in(self.template, part.start, part.end)


def span_in(template: Template, start: int, end: int) -> Span:
    """Where a range of the decoded text of a template stands in its source."""
    source = template.trail.source
    text = template.text or ""
    return span_in_scalar(source, template.start, template.end, text, start, end)


def place_at(root: Map, offset: int) -> Place:
    """What stands at an offset of the text that a tree was read from."""
    path: list[str | int] = []
    node: AnyNode = root
    while True:
        found = _child_at(node, offset)
        if found is None:
            break
        item, child, on_key = found
        path.append(item)
        node = child
        if on_key:
            return Place(tuple(path), node, str(item))
    if isinstance(node, Template):
        return _in_template(tuple(path), node, offset)
    return Place(tuple(path), node)


def _child_at(node: AnyNode, offset: int) -> tuple[str | int, AnyNode, bool] | None:
    if isinstance(node, Map):
        for key, child in node.items.items():
            place = node.places.get(key)
            if place is not None and place <= offset <= max(child.end, place + len(key)):
                span = node.key_span(key)
                if span.start <= offset <= span.end:
                    return key, child, True
                if child.start <= offset <= child.end:
                    return key, child, False
    elif isinstance(node, Array):
        for index, child in enumerate(node.items):
            if child.start <= offset <= child.end:
                return index, child, False
    return None


def _in_template(path: Path, node: Template, offset: int) -> Place:
    for one in node.segments.substitutions:
        span = span_in(node, one.start, one.end)
        if span.start <= offset <= span.end:
            return _in_substitution(path, node, one, offset)
    return Place(path, node, template=node)


def _in_substitution(path: Path, node: Template, one: Substitution, offset: int) -> Place:
    best: Expression | None = None
    calls: list[Call] = []
    for part in parts(one.shape.expression):
        if part.end <= part.start:
            continue
        span = span_in(node, part.start, part.end)
        if not span.start <= offset <= span.end:
            continue
        if isinstance(part, Argument):
            continue
        best = part
        if isinstance(part, Call):
            calls.append(part)
    within = tuple(call for call in calls if call is not best)
    return Place(path, node, None, one, best, within, node)


def references_of(node: Template) -> Iterator[tuple[Reference, Span]]:
    """The references in a template, and where each stands."""
    for one in node.segments.substitutions:
        for reference in one.shape.references:
            yield reference, span_in(node, reference.start, reference.end)
