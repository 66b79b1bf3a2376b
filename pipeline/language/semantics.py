"""What a language means: its special forms, its operators, its values as text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ...functions.record import Record, field
from ...functions.registry import Function
from ...functions.values import to_text
from .expression import Call
from .forms import FORMS

if TYPE_CHECKING:
    from .evaluator import Evaluator
    from .scope import Scope

    Form: TypeAlias = Callable[[Evaluator, Function, Call, Any, Scope], Any]


class Semantics(Record):
    """How a dialect evaluates what its grammar reads.

    `forms` are the special forms by name, `operators` the functions behind operators, which no call
    can name. `text` is a value as part of a text, `textless` are the types that have none. `scope`
    makes a scope of plain data for single strings; without one it has the sections of a blueprint.
    With `layout`, line breaks around a substitution that is alone in a string do not count.
    """

    forms: Mapping[str, Form] = FORMS
    operators: Mapping[str, Function] = field(factory=dict)
    text: Callable[[Any], str] = to_text
    textless: Collection[str] = frozenset({"array", "object", "function"})
    layout: bool = True
    scope: Callable[[Mapping[str, Any]], Scope] | None = None


USUAL: Final = Semantics()
