"""`link(a, b)`: the state of a link, as far as this run knows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...functions.values import Unknown, from_plain
from ..diagnostics import meant
from ..language.errors import Failure
from ..language.expression import Argument, Call, Literal, Reference

if TYPE_CHECKING:
    from .place import Place


def link_state(place: Place, first: Any, second: Any, call: Call) -> Any:
    """The link's state from the state file, else an unknown that names both resources.

    Sides are names (text) or resource references; the state file knows a link as `a::b`.

    Raises:
        Failure: `resource_not_found` for a name that is no resource.
    """
    sides = [_side(place, side, call, i) for i, side in enumerate((first, second))]
    names = [side.value if isinstance(side, Literal) else str(side.path[0]) for side in sides]
    known = place.evaluation.context.state.links.get("::".join(names))
    if known is not None:
        return from_plain(known)
    return Unknown(Call("link", tuple(Argument(side) for side in sides)), "object")


def _side(place: Place, side: Any, call: Call, position: int) -> Literal | Reference:
    if isinstance(side, Reference):
        resolved = place.resolve(
            Reference("resources", side.path[:2] if _indexed(side) else side.path[:1])
        )
        assert isinstance(resolved, Unknown)
        expression = resolved.expression
        assert isinstance(expression, Reference)
        return expression
    if not place.names_resource(side):
        resources = place.evaluation.document.section("resources")
        shown = "of the name that this gives" if place.evaluation.reveal else f"`{side}`"
        raise Failure(
            "resource_not_found",
            f"there is no resource {shown}",
            call.arguments[position].value,
            meant(side, resources.items if resources else ()),
        )
    return Literal(side)


def _indexed(reference: Reference) -> bool:
    return len(reference.path) > 1 and isinstance(reference.path[1], int)
