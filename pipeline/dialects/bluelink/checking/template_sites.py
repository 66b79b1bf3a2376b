"""The places of templates, and the types that a lone substitution may have there."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any, Final, Protocol

from .....functions.record import Record
from .....functions.values import article
from ....values.diagnostics import ERROR, Hint
from ..refusals import A_SCALAR


class Site(Record, eq=False):
    """The rules for the place of a template: whether `elem` is available, and the types it takes.

    `wanted` are the types a lone substitution may have (empty: any), `what` names the place and
    `wants` the expected type in words. `hint` is for an array or an object found instead.
    """

    element: bool = False
    wanted: tuple[str, ...] = ()
    what: str = ""
    code: str = ""
    wants: str = ""
    hint: str = ""

    @cached_property
    def inside(self) -> Site:
        """The same place in a resource with `each`."""
        return self.evolve(element=True)

    @property
    def takes_text(self) -> bool:
        """False where a substitution with text around it is always a mistake."""
        return not self.wanted or "string" in self.wanted


SCALARS: Final = frozenset({"string", "integer", "float", "boolean"})
_TEXT_TYPES: Final = ("string", "integer", "float", "boolean", "binary", "none")

# Sites are compared by identity, so there is one of each.
ANY: Final = Site()
TEXT: Final = Site(False, _TEXT_TYPES, "a description", "invalid_interpolation", "a string")
DISPLAY_NAME: Final = TEXT.evolve(what="a display name")
EACH: Final = Site(
    False,
    ("array",),
    "`each`",
    "resource_each_invalid_type",
    "an array",
    "use `vals(..)` to get an array of an object's fields",
)
CONDITION: Final = Site(
    False,
    ("boolean", "none"),
    "a condition",
    "condition_not_boolean",
    "a boolean",
)
PATH: Final = Site(
    False, ("string",), "the path of a child blueprint", "include_path_type", "a string"
)
ANNOTATION: Final = Site(
    False,
    _TEXT_TYPES,
    "an annotation",
    "invalid_annotation",
    A_SCALAR,
    "put structured data under `custom`",
)
CUSTOM: Final = Site(False, ("object", "none"), "`custom`", "invalid_map", "a map")
CHILD_VARIABLE: Final = Site(
    False,
    _TEXT_TYPES,
    "a variable of a child blueprint",
    "include_variable_type_mismatch",
    A_SCALAR,
    "pass it as a JSON string and read it in the child with `jsondecode`",
)


@cache
def value_site(declared: str) -> Site:
    if declared == "any":
        return ANY
    accepted = {"float": ("float", "integer", "string"), "string": ("string", "binary")}
    scalar = declared not in ("array", "object")
    types = accepted.get(declared, (declared, "string") if scalar else (declared,))
    return Site(
        False,
        (*types, "none"),
        f"a value of type {declared}",
        "value_type_mismatch",
        article(declared),
    )


def exports_as(found: str, declared: str) -> bool:
    """True when a value of the static type `found` may be exported as the declared type."""
    if found == "binary":
        found = "string"
    if found == "integer" and declared == "float":
        return True
    return declared == "any" or found in ("any", "none", "resource", declared)


class Report(Protocol):
    """Receives the mistakes in expressions; `width` limits the span to the first characters."""

    def add(
        self,
        code: str,
        summary: str,
        node: Any,
        hint: Hint = None,
        width: int = 0,
        severity: str = ERROR,
    ) -> None:
        """Reports one mistake, or one warning, at a node of an expression."""


class Trial:
    """Reports nothing; `sound` is false after a mistake or a warning."""

    def __init__(self) -> None:
        self.sound = True

    def add(
        self,
        code: str,
        summary: str,
        node: Any,
        hint: Hint = None,
        width: int = 0,
        severity: str = ERROR,
    ) -> None:
        self.sound = False


SILENT: Final[Report] = Trial()
"""For mistakes that are reported elsewhere."""
