"""What is left of values that have to wait, said so that reading it again changes nothing."""

from __future__ import annotations

from ....functions.values import Unknown
from ...language.expression import Call, Expression, Literal, Reference, Segments, residual, walk
from ...language.substitution import Segment
from ...language.waiting import WaitingText
from .operators import TEXT


def flat(value: WaitingText) -> WaitingText:
    """A text in which no substitution is a text itself, as reading it again would make it."""
    if not any(_is_text(part) for part in value.segments):
        return value
    parts: list[Segment] = []
    for part in value.segments:
        inner: list[Segment] = [part]
        if not isinstance(part, str) and _is_text(part):
            tree = part.shape.expression
            assert isinstance(tree, Call)
            inner = [_segment(argument.value) for argument in tree.arguments]
        for one in inner:
            if isinstance(one, str) and parts and isinstance(parts[-1], str):
                parts[-1] += one
            elif one != "":
                parts.append(one)
    if len(parts) == 1:  # alone it would keep its type and not be a text
        return value
    return WaitingText(Segments(parts), value.secret)


def _is_text(part: Segment) -> bool:
    if isinstance(part, str):
        return False
    tree = part.shape.expression
    return isinstance(tree, Call) and tree.function == TEXT


def _segment(tree: Expression) -> Segment:
    known = isinstance(tree, Literal) and isinstance(tree.value, str)
    return tree.value if known else residual(tree)  # type: ignore[union-attr]


def names_variables(value: Unknown) -> bool:
    """True for an unknown value that is said with the name of a variable.

    The name may mean another variable elsewhere.
    """
    return any(
        isinstance(part, Reference) and part.root in ("var", "variables")
        for part in walk(value.expression)
    )
