"""What an expression can be, told from the declarations, and what in it cannot be right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...functions.registry import Function, arity_message, type_message
from ...functions.values import NONE, article, type_of
from ..context import Context
from ..diagnostics import meant
from ..document import Document
from ..language.errors import Failure
from ..language.expression import Access, Call, Expression, Hole, Literal, Reference
from ..language.refusals import find_function
from .reference_types import ReferenceTypes
from .reporting import Report
from .sites import SCALARS, Site

# types that say nothing yet, or that `eq` has its own words for
_OPEN: Final = frozenset({"any", "none", "function", "resource"})


class ExpressionTypes:
    """The static types of the expressions of one document.

    `exports` are the declared types of what children export, for the children that are known.
    """

    def __init__(
        self,
        document: Document,
        context: Context,
        exports: Mapping[str, Mapping[str, str]],
    ) -> None:
        self.functions = context.functions
        self._references = ReferenceTypes(document, context, exports)

    def type_of(self, node: Expression, site: Site, report: Report, parameter: Any) -> str:
        """The static type of an expression (`any` when it is open); reports what is wrong in it."""
        match node:
            case Literal(value=value):
                return "none" if value is NONE else type_of(value)
            case Hole():
                return "string"
            case Reference():
                return self._references.type_of(node, site, report, parameter)
            case Call():
                return self._call(node, site, report)
            case Access():
                target = self.type_of(node.target, site, report, None)
                if target in SCALARS or target in ("binary", "function"):
                    report.add(
                        "path_not_found", f"{article(target)} has no fields and no elements", node
                    )
        return "any"

    def _call(self, node: Call, site: Site, report: Report) -> str:
        function = self.functions.get(node.function)
        if function is None:
            try:
                function = find_function(node.function, self.functions, node, report.hints)
            except Failure as failure:
                report.add(failure.code, failure.summary, node, failure.hint, len(node.function))
                for argument in node.arguments:
                    self.type_of(argument.value, site, report, None)
                return "any"
        message = arity_message(function, len(node.arguments))
        if message:
            report.add("invalid_argument_count", message, node, f"it is `{function.signature}`")
        types = []
        seen: set[str] = set()
        for position, argument in enumerate(node.arguments):
            parameter = function.parameter(position)
            actual = self.type_of(argument.value, site, report, parameter)
            types.append(actual)
            if function.named:
                if argument.name is None:
                    report.add(
                        "invalid_argument",
                        f"every argument of `{function.name}` needs a name",
                        argument.value,
                        f"write `{function.name}(name=value)`",
                    )
                elif argument.name in seen:
                    report.add(
                        "duplicate_argument_name",
                        f"the argument `{argument.name}` is given twice",
                        argument,
                    )
                seen.add(argument.name or "")
            if parameter is not None and actual not in ("any", "none"):
                self._argument(function, position, parameter, actual, argument.value, report)
        if function.name == "eq" and function.origin == "core":
            self._comparison(types, node, report)
        return self._result(function, types)

    def _argument(
        self,
        function: Function,
        position: int,
        parameter: Any,
        actual: str,
        node: Expression,
        report: Report,
    ) -> None:
        if not parameter.accepts(actual):
            report.add(
                "invalid_argument_type",
                type_message(function, position, parameter, actual),
                node,
            )
        elif (
            parameter.choices and isinstance(node, Literal) and node.value not in parameter.choices
        ):
            near = meant(str(node.value), parameter.choices)
            listed = ", ".join(f"`{choice}`" for choice in parameter.choices)
            report.add(
                "invalid_argument",
                f"argument {position + 1} (`{parameter.name}`) of `{function.name}` must be one of "
                f"{listed}",
                node,
                near,
            )
        elif function.form == "link" and isinstance(node, Literal):
            resources = self._references.sections["resources"]
            if node.value not in resources:
                report.add(
                    "resource_not_found",
                    f"there is no resource `{node.value}`",
                    node,
                    meant(str(node.value), self._references.names("resources")),
                )

    @staticmethod
    def _comparison(types: list[str], node: Call, report: Report) -> None:
        """`eq` of two types is a mistake whatever the values are."""
        if len(types) == 2 and types[0] != types[1] and not _OPEN & set(types):
            report.add(
                "invalid_argument_type",
                f"`eq` compares values of the same type, not {article(types[0])} and "
                f"{article(types[1])}",
                node.arguments[1].value,
            )

    @staticmethod
    def _result(function: Function, types: list[str]) -> str:
        if function.form == "if" and len(types) == 3 and types[1] == types[2]:
            return types[1] if types[1] != "none" else "any"
        if function.form in ("if", "first", "coalesce", "lookup"):
            return "any"
        return function.result if function.result else "any"
