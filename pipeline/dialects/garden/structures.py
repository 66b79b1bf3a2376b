"""The maps that mean something else: `$if`, `$forEach`, `$merge`, and `$concat` in arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ...source import Span
from ...tree import AnyNode, Array, Map

FOR_EACH: Final = "$forEach"
FILTER: Final = "$filter"
RETURN: Final = "$return"
IF: Final = "$if"
THEN: Final = "$then"
ELSE: Final = "$else"
MERGE: Final = "$merge"
CONCAT: Final = "$concat"

_ONLY: Final = {FOR_EACH: (FILTER, RETURN), IF: (THEN, ELSE)}
_NEEDED: Final = {FOR_EACH: RETURN, IF: THEN}

Report = Callable[[Span, str, str | None], object]
"""Is told a place that is wrong, the sentence, and a hint."""


def structure_of(node: Map) -> str | None:
    """The key that makes a map a structure."""
    items = node.items
    return next((key for key in (FOR_EACH, IF, MERGE) if key in items), None)


def is_concat(node: AnyNode) -> bool:
    """True for an item of an array that stands for the items of another."""
    return isinstance(node, Map) and CONCAT in node.items


def malformed(node: Map, item: bool = False) -> tuple[Span, str, str | None] | None:
    """What is wrong with the keys of a map: the place, a sentence, a hint.

    `item` says that it is an item of an array, or what a loop returns.
    """
    if item and CONCAT in node.items:
        others = [key for key in node.items if key != CONCAT]
        if not others:
            return None
        summary = f"no other key can stand beside `{CONCAT}`, not `{others[0]}`"
        return node.key_span(others[0]), summary, None
    kind = structure_of(node)
    if kind not in _ONLY:
        return None
    known = _ONLY[kind]
    others = [key for key in node.items if key != kind and key not in known]
    if others:
        hint = f"beside `{kind}` there can be {' and '.join(f'`{key}`' for key in known)} only"
        return node.key_span(others[0]), f"the key `{others[0]}` cannot stand beside `{kind}`", hint
    if _NEEDED[kind] not in node.items:
        return node.span, f"`{_NEEDED[kind]}` is missing beside `{kind}`", None
    return None


def check_structures(root: AnyNode, report: Report) -> None:
    """Tells `report` of all structures with keys that are missing or too many.

    That is all that can be said before anything is evaluated, in parts that are not selected too.
    """
    stack = [(root, False)]
    while stack:
        node, item = stack.pop()
        if isinstance(node, Array):
            stack.extend((child, True) for child in reversed(node.items))
        elif isinstance(node, Map):
            problem = malformed(node, item)
            if problem:
                report(*problem)
            loop = FOR_EACH in node.items
            stack.extend(
                (child, loop and key == RETURN) for key, child in reversed(node.items.items())
            )
