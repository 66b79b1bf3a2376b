"""Lints: conditions that are always the same, and link selectors that select nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ....engine.lints import Finding, Lint, Reading
from ....values.diagnostics import WARNING
from ....values.document import Document
from ....values.expression import Literal
from ....values.tree import AnyNode, Array, Map, Scalar, Template
from ..structure.inspection import is_lone
from .links import selections


def _find(document: Document, reading: Reading) -> Iterator[Finding]:
    resources = document.section("resources")
    if resources is None:
        return
    for node in resources.items.values():
        condition = node.get("condition") if isinstance(node, Map) else None
        if condition is not None:
            yield from _conditions(condition, reading)
    # a transform may make resources, and give them labels
    if document.root.get("transform") is None:
        reading.context.meter.work(len(resources.items))
        for name, wanted, selected in selections(resources, reading.context.meter):
            if next(selected, None) is None:
                yield Finding(
                    "selector_selects_nothing",
                    wanted.span,
                    f"the link selector of `{name}` selects no resource",
                )


def _conditions(condition: AnyNode, reading: Reading) -> Iterator[Finding]:
    stack = [condition]
    while stack:
        node = stack.pop()
        reading.context.meter.work()
        if isinstance(node, Map):
            stack.extend(node.items.values())
        elif isinstance(node, Array):
            stack.extend(node.items)
        elif (said := _constant(node, reading)) is not None:
            part = "the condition" if node is condition else "this part of the condition"
            yield Finding("constant_condition", node.span, f"{part} is always {said}")


def _constant(node: Scalar | Template, reading: Reading) -> str | None:
    """What a condition that depends on nothing always is."""
    if isinstance(node, Scalar):
        return str(node.value).lower() if isinstance(node.value, bool) else None
    if not is_lone(node):
        return None
    shape = node.segments.substitutions[0].shape
    if isinstance(shape.expression, Literal) and isinstance(shape.expression.value, bool):
        return str(shape.expression.value).lower()
    known = reading.context.functions
    called = [known.get(name) for name in shape.functions]
    pure = all(one is not None and one.origin == "core" and one.effect is None for one in called)
    return "the same, as it depends on nothing" if pure and not shape.references else None


FIXED_RULES: Final = Lint(
    {"constant_condition": WARNING, "selector_selects_nothing": WARNING}, _find
)
