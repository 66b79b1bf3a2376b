"""Places of templates, and what a substitution that stands alone there may be."""

from __future__ import annotations

from functools import cache
from typing import Final

import attrs


@attrs.frozen(eq=False)
class Site:
    """What holds for the place of a template: may it use the element, and which types it wants.

    `wanted` are the types a lone substitution may have (empty: any), `what` names the place.
    """

    element: bool = False
    wanted: tuple[str, ...] = ()
    what: str = ""
    code: str = ""


SCALARS: Final = frozenset({"string", "integer", "float", "boolean"})
_TEXT_TYPES: Final = ("string", "integer", "float", "boolean", "binary", "none")

# Sites are compared by identity, so there is one of each.
ANY: Final = Site()
IN_ELEMENT: Final = Site(element=True)
TEXT: Final = Site(False, _TEXT_TYPES, "a text", "invalid_interpolation")
TEXT_IN_ELEMENT: Final = attrs.evolve(TEXT, element=True)
EACH: Final = Site(False, ("array",), "`each`", "resource_each_invalid_type")
CONDITION: Final = Site(False, ("boolean", "none"), "a condition", "condition_not_boolean")
CONDITION_IN_ELEMENT: Final = attrs.evolve(CONDITION, element=True)
PATH: Final = Site(False, ("string",), "the path of a child blueprint", "include_path_type")


@cache
def value_site(declared: str) -> Site:
    if declared == "any":
        return ANY
    accepted = {"float": ("float", "integer", "string"), "string": ("string", "binary")}
    scalar = declared not in ("array", "object")
    types = accepted.get(declared, (declared, "string") if scalar else (declared,))
    return Site(False, (*types, "none"), f"a value of type {declared}", "value_type_mismatch")
