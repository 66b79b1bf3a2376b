"""The evaluation of what Kargo adds to expr-lang: functions that ask the promotion."""

from __future__ import annotations

from typing import Any, Final

from ....functions.registry import Function
from ...language.evaluator import Evaluator
from ...values.expression import Call
from ..expr.calls import checked_arguments, named_result
from ..expr.forms import SEMANTICS as BARE
from ..expr.residuals import waiting
from ..expr.types import TypedSemantics
from .coercion import finished, pasted
from .syntax import TYPER


def _promotion(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """A call that the promotion answers, or that waits for one: `scope` may have no `ask`.

    `ask` takes the function, its evaluated arguments, none of them unknown, and the call.
    """
    values, waits = checked_arguments(self, function, node, literals, scope)
    ask = getattr(scope, "ask", None)
    if waits or (ask is None and function.name != "always"):
        return waiting(self, node, values, function.result)
    result = True if ask is None else ask(function, values, node)
    return named_result(result, node, values)


SEMANTICS: Final[TypedSemantics] = BARE.evolve(
    forms={**(BARE.forms or {}), "promotion": _promotion},
    text=pasted,
    textless=frozenset(),
    finished=finished,
    typer=TYPER,
)
