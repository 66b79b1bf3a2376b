"""What in an expression works but is mostly not what was meant: warnings, never errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...functions.registry import Function
from ..language.expression import Call, Expression, Literal, Shape, walk
from .inspection import listed
from .reporting import SILENT, Report

if TYPE_CHECKING:
    from .expression_types import ExpressionTypes
    from .sites import Site

# The positions of arguments that are JSON pointers.
_POINTERS: Final = {"fromjson": 1, "fromjson_g": 0}
_NUMBERS: Final = frozenset({"integer", "float"})
# `join` makes texts of what a list holds, so there a mixture has its use.
_MIXING: Final = frozenset({"join"})


def reads_pointer(shape: Shape) -> bool:
    """True when a warning depends on the texts in an expression of this shape."""
    return not shape.functions.isdisjoint(_POINTERS)


def lint(expression: Expression, types: ExpressionTypes, site: Site, report: Report) -> None:
    """Warns of names of arguments that count for nothing, of JSON pointers without their slash, and
    of lists of different types."""
    joined: set[int] = set()
    for node in walk(expression):
        if not isinstance(node, Call):
            continue
        function = types.functions.get(node.function)
        if function is None:
            continue
        if not function.named:
            _names(function, node, report)
        if node.function in _POINTERS and function.origin == "core":
            _pointer(node, report)
        if function.name in _MIXING:
            joined.update(id(argument.value) for argument in node.arguments)
        elif function.form == "list" and id(node) not in joined:
            _mixture(node, types, site, report)


def _names(function: Function, node: Call, report: Report) -> None:
    for argument in node.arguments:
        if argument.name is not None:
            order = listed(p.name for p in function.parameters)
            report.warn(
                "ignored_argument_name",
                f"the argument name `{argument.name}` counts for nothing: `{function.name}` takes "
                "its arguments by position",
                argument,
                f"leave the name out; the order is {order}" if order else None,
            )


def _pointer(node: Call, report: Report) -> None:
    position = _POINTERS[node.function]
    given = node.arguments[position].value if position < len(node.arguments) else None
    if not isinstance(given, Literal) or not isinstance(given.value, str):
        return
    text = given.value
    if text and not text.startswith(("/", "#")):
        report.warn(
            "json_pointer_without_slash",
            f"the JSON pointer `{text}` does not begin with a slash",
            given,
            f"write `/{text}`, which every reader of JSON pointers takes",
        )


def _mixture(node: Call, types: ExpressionTypes, site: Site, report: Report) -> None:
    found = dict.fromkeys(
        types.type_of(argument.value, site, SILENT, None) for argument in node.arguments
    )
    kinds = [kind for kind in found if kind not in ("any", "none", "resource", "function")]
    if len(kinds) > 1 and not set(kinds) <= _NUMBERS:
        report.warn(
            "mixed_list",
            f"the elements of a list should have one type, and these are {listed(kinds)}",
            node,
            "use `object` for data of different types",
        )
