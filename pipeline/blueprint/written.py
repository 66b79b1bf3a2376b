"""What stands in a document in plain sight: the static types of literal content, by path."""

from __future__ import annotations

from ..language.expression import Path, Reference
from ..language.navigation import missing_field, navigate
from ..tree import AnyNode, Array, Map, Scalar, Template, kind_of
from .inspection import is_lone
from .secrecy import MASK


def written_type(node: AnyNode, path: Path, reference: Reference) -> str:
    """The type of what a path below a node leads to; `any` where a substitution decides it.

    Raises:
        Failure: `path_not_found` or `index_out_of_bounds` at `reference`, as the evaluation words
            them: no value of any substitution could make the path lead somewhere.
    """
    for item in path:
        match node:
            case Map(items=items):
                if isinstance(item, int) or item not in items:
                    raise missing_field(item, dict.fromkeys(items), reference)
                node = items[item]
            case Array(items=elements):
                navigate([0] * len(elements), (item,), reference)
                assert isinstance(item, int)
                if any(map(_may_be_none, elements[: item + 1])):
                    return "any"  # it would leave, and what follows would move up
                node = elements[item]
            case Scalar(value=value) if value is not None and value != MASK:
                navigate(value, (item,), reference)
            case _:
                return "any"
    if _may_be_none(node) or (isinstance(node, Scalar) and node.value == MASK):
        return "any"
    return kind_of(node)


def _may_be_none(node: AnyNode) -> bool:
    """True for null, and for a lone substitution; text around one makes it a string."""
    if isinstance(node, Template):
        return is_lone(node)
    return isinstance(node, Scalar) and node.value is None
