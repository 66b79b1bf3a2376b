"""The elements of `each` (specification, "each")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...functions.values import has_unknown, type_of
from ..language.errors import Failure
from ..language.expression import Reference
from ..language.waiting import WaitingText, is_secret
from ..settings import how_to_raise
from ..tree import AnyNode, Template

if TYPE_CHECKING:
    from .evaluation import Evaluation


def elements_of(evaluation: Evaluation, name: str, node: AnyNode) -> list[Any]:
    """The elements that a resource's `each` gives.

    Raises:
        Failure: `each_not_resolvable`, `resource_each_invalid_type` or `limit_exceeded`.
    """
    if isinstance(node, Template):
        value = evaluation.template(node, masked=False)
    else:
        value = evaluation.value_of(node, Reference("resources", (name, "each")), None)
    if type(value) is WaitingText or has_unknown(value):
        why = "is a secret" if is_secret(value) else "is only known after deployment"
        raise Failure(
            "each_not_resolvable",
            f"the list of `{name}` {why}, so its instances cannot be made",
            hint=None
            if is_secret(value)
            else "give `each` a list that is known now; `--state` and `--datasources` supply "
            "what is only known later",
        )
    if type(value) is not list:
        hint = "use `vals(...)` to get a list of an object's fields"
        raise Failure(
            "resource_each_invalid_type",
            f"`each` needs an array, not a value of type {type_of(value)}",
            hint=hint if type(value) is dict else None,
        )
    limit = evaluation.context.limits.max_each
    if len(value) > limit:
        raise Failure(
            "limit_exceeded",
            f"`{name}` would have {len(value)} instances, the limit is {limit} (`max_each`)",
            hint=how_to_raise("max_each", evaluation.context.limits),
        )
    return list(value)
