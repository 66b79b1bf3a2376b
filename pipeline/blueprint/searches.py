"""What data source filters search for, held against their operators before any record is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..filters import comparable
from ..tree import AnyNode, Array, Map, Scalar, Template
from .inspection import is_lone, is_scalar
from .parts import text_of
from .reporting import SILENT
from .sites import ANY

if TYPE_CHECKING:
    from ..context import Context
    from .expression_types import ExpressionTypes

# any value of a type stands for all of them
_SAMPLES: Final[dict[str, Any]] = {
    "string": "",
    "integer": 0,
    "float": 0.5,
    "boolean": False,
    "array": [],
    "object": {},
}


def check_searches(filters: AnyNode | None, types: ExpressionTypes, context: Context) -> None:
    """Reports each `search` that its operator could not compare with any field.

    Implements the combinations of the specification's "Operator Behaviours", as far as the types
    are known without records.
    """
    for node in filters.items if isinstance(filters, Array) else [filters]:
        search = node.get("search") if isinstance(node, Map) else None
        if not isinstance(node, Map) or search is None:
            continue
        if not all(map(is_scalar, search.items if isinstance(search, Array) else [search])):
            continue
        operator = text_of(node.get("operator")) or ""
        problem = comparable(operator, _sample(search, types))
        if problem is not None:
            context.diagnostics.error(
                "invalid_filter_combination", search.span, problem, _hint(operator, search)
            )


def _hint(operator: str, search: AnyNode) -> str | None:
    if operator in ("in", "not in") and not isinstance(search, Array | Template):
        return "write what is searched for as a list"
    return None


def _sample(node: AnyNode, types: ExpressionTypes) -> Any:
    """A value of the type that a search has; None where it is not known."""
    match node:
        case Scalar(value=value):
            return value
        case Array(items=items):
            samples = [_sample(item, types) for item in items]
            return [sample for sample in samples if sample is not None]
        case Template() if not is_lone(node):
            return ""
        case Template():
            expression = node.segments.substitutions[0].shape.expression
            return _SAMPLES.get(types.type_of(expression, ANY, SILENT, None))
    return None
