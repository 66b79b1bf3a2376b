"""The semantics of a language: references, special forms, operators, values as text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, Protocol, TypeAlias

from ...functions.record import Record, field
from ...functions.registry import Function
from ...functions.values import to_text
from ..values.expression import Call, Reference


class Scope(Protocol):
    """Resolves references at some place of a document."""

    def resolve(self, reference: Reference) -> Any:
        """The value a reference leads to, or an `Unknown` with its canonical form.

        Raises:
            Failure: when it leads nowhere.
        """

    def names_resource(self, name: str) -> bool:
        """True when a bare name is a resource's."""

    def link(self, first: Any, second: Any, call: Call) -> Any:
        """The state of the link between two resources (text or reference), or an Unknown."""


Form: TypeAlias = Callable[[Any, Function, Call, Any, Scope], Any]
"""A special form: it gets the evaluator, function, call, strings of the holes, and scope."""


class Semantics(Record):
    """How a dialect evaluates what its grammar reads.

    `forms` are the special forms by name, by default `evaluator.FORMS`. `operators` are the
    functions behind operators; no call can name them. `text` converts a value for interpolation,
    `textless` are the types that cannot be interpolated. `scope` makes a scope of plain data for
    single strings; the default has the sections of a blueprint. With `layout`, line breaks around
    a substitution that is alone in a string are ignored.
    """

    forms: Mapping[str, Form] | None = None
    operators: Mapping[str, Function] = field(factory=dict)
    text: Callable[[Any], str] = to_text
    textless: Collection[str] = frozenset({"array", "object", "function"})
    layout: bool = True
    scope: Callable[[Mapping[str, Any]], Scope] | None = None


USUAL: Final = Semantics()
