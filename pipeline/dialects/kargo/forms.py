"""The evaluation of what Kargo adds to expr-lang: functions that ask the promotion."""

from __future__ import annotations

from typing import Any, Final

from ....functions.registry import Function
from ...language.evaluator import Evaluator
from ...language.syntax import Semantics
from ...values.expression import Call
from ..expr.calls import checked_arguments, given_by_call, type_waiting
from ..expr.forms import SEMANTICS as BARE
from ..expr.residuals import waiting
from .coercion import finished, pasted
from .manifests import UNGIVEN
from .syntax import TYPER


def _promotion(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """A call that the promotion answers, or that waits for one: `scope` may have no `ask`.

    `ask` takes the function, its evaluated arguments, all of them known, and the call. It gives a
    value, an `Unknown`, or `UNGIVEN`.
    """
    values, waits = checked_arguments(self, function, node, literals, scope)
    ask = getattr(scope, "ask", None)
    result: Any = UNGIVEN
    if ask is not None and not waits:
        result = ask(function, values, node)
    elif function.name == "always":
        result = True
    if result is UNGIVEN:
        return waiting(self, node, values, type_waiting(function))
    return given_by_call(result, node, values)


SEMANTICS: Final[Semantics] = BARE.evolve(
    forms={**(BARE.forms or {}), "promotion": _promotion},
    text=pasted,
    textless=frozenset(),
    finished=finished,
    typer=TYPER,
)
