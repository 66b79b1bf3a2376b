"""What stands at an offset of a text: the part of its tree, and of the expression in it."""

from __future__ import annotations

from ...functions.record import Record, field
from ..answers.paths import Path
from ..language.language import Language
from ..values.expression import Argument, Expression, parts
from ..values.positions import span_in_scalar
from ..values.source import Span
from ..values.substitution import Substitution
from ..values.tree import AnyNode, Array, Map, Template


class Place(Record, eq=False):
    """The innermost node of a tree at an offset.

    `path` leads to `node`; `key` is the key that stands at the offset, whose value the node is.
    `substitution` is the one in a template, `expression` the innermost part of it: a reference, a
    call, or a literal, and `shaped` the same part of its shape.
    """

    path: Path
    node: AnyNode
    key: str | None = None
    substitution: Substitution | None = None
    expression: Expression | None = None
    shaped: Expression | None = None
    template: Template | None = field(default=None, repr=False)


def span_in(template: Template, start: int, end: int) -> Span:
    """Where a range of the decoded text of a template stands in its source."""
    source = template.trail.source
    text = template.text or ""
    return span_in_scalar(source, template.start, template.end, text, start, end)


def place_at(root: Map, offset: int, language: Language) -> Place:
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
        return _in_template(tuple(path), node, offset, language)
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


def _in_template(path: Path, node: Template, offset: int, language: Language) -> Place:
    for one in node.segments.substitutions:
        span = span_in(node, one.start, one.end)
        if span.start <= offset <= span.end:
            return _in_substitution(path, node, one, offset, language)
    return Place(path, node, template=node)


def _in_substitution(
    path: Path, node: Template, one: Substitution, offset: int, language: Language
) -> Place:
    best: Expression | None = None
    shape: Expression | None = None
    # a shape is shared by texts that differ in their literals: only the exact tree has the places
    pairs = zip(parts(language.exact(one)), parts(one.shape.expression), strict=False)
    for part, shaped in pairs:
        if part.end <= part.start or isinstance(part, Argument) or isinstance(shaped, Argument):
            continue
        span = span_in(node, part.start, part.end)
        if span.start <= offset <= span.end:
            best, shape = part, shaped
    return Place(path, node, None, one, best, shape, node)
