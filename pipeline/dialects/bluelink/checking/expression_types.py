"""The static types of expressions, inferred from declarations, and the mistakes in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .....functions.registry import Function, arity_message, type_message
from .....functions.values import NONE, article, type_of
from ....engine.materialisation import text_of
from ....engine.run import Context
from ....language.errors import Failure, find_function, no_fields
from ....values.diagnostics import WARNING, meant
from ....values.document import Document
from ....values.expression import Access, Call, Expression, Hole, Literal, Reference, Shape, walk
from ....values.tree import AnyNode, Array, Map, Scalar, Template
from ..structure.inspection import is_lone, is_scalar, listed
from .reference_types import ReferenceTypes
from .template_sites import ANY, SCALARS, SILENT, Report, Site

# types that are not known yet, or that `eq` reports itself
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
                    report.add("path_not_found", no_fields(target), node)
        return "any"

    def _call(self, node: Call, site: Site, report: Report) -> str:
        function = self.functions.get(node.function)
        if function is None:
            try:
                function = find_function(node.function, self.functions, node)
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
        return self._result(function, types, node)

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
            listed = ", ".join(f"`{choice}`" for choice in parameter.choices)
            report.add(
                "invalid_argument",
                f"argument {position + 1} (`{parameter.name}`) of `{function.name}` must be one of "
                f"{listed}",
                node,
                lambda: meant(str(node.value), parameter.choices),
            )
        elif function.form == "link" and isinstance(node, Literal):
            resources = self._references.sections["resources"]
            if node.value not in resources:
                report.add(
                    "resource_not_found",
                    f"there is no resource `{node.value}`",
                    node,
                    lambda: meant(str(node.value), self._references.names("resources")),
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
    def _result(function: Function, types: list[str], node: Call) -> str:
        if function.form in ("first", "coalesce"):
            sure = {*types}
            given = [
                isinstance(one.value, Reference) and one.value.root == "variables"
                for one in node.arguments
            ]
            if function.form == "coalesce" and True in given:
                # a variable has a value: what comes after it is never taken, nor is none before it
                sure = {*types[: given.index(True) + 1]} - {"none"}
            return sure.pop() if len(sure) == 1 and "none" not in sure else "any"
        if function.form in ("if", "lookup"):
            return "any"
        return function.result if function.result else "any"


# Filters of data sources are checked with a sample value of each type.
_SAMPLES: Final[dict[str, Any]] = {
    "string": "",
    "integer": 0,
    "float": 0.5,
    "boolean": False,
    "array": [],
    "object": {},
}


def check_searches(filters: AnyNode | None, types: ExpressionTypes, context: Context) -> None:
    """Reports each `search` that its operator cannot compare with any field.

    Implements the combinations of the specification's "Operator Behaviours", as far as the types
    are known without records.
    """
    from ..evaluating.filters import comparable

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
    if operator in ("in", "not in") and not isinstance(search, (Array, Template)):
        return "write the search value as a list"
    return None


def _sample(node: AnyNode, types: ExpressionTypes) -> Any:
    """A sample value of the type of a search; None where the type is not known."""
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


# Lints: an expression that works but is rarely intended.
# The positions of arguments that are JSON pointers.
_POINTERS: Final = {"fromjson": 1, "fromjson_g": 0}
_NUMBERS: Final = frozenset({"integer", "float"})
# `join` converts the elements of a list to strings, so mixed types are fine there.
_MIXING: Final = frozenset({"join"})


def reads_pointer(shape: Shape) -> bool:
    """True when a warning depends on the literals in an expression of this shape."""
    return not shape.functions.isdisjoint(_POINTERS)


def lint(expression: Expression, types: ExpressionTypes, site: Site, report: Report) -> None:
    """Warns of ignored argument names, JSON pointers without a slash, and mixed lists."""
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
            report.add(
                "ignored_argument_name",
                f"the argument name `{argument.name}` is ignored: `{function.name}` takes "
                "its arguments by position",
                argument,
                f"leave the name out; the order is {order}" if order else None,
                severity=WARNING,
            )


def _pointer(node: Call, report: Report) -> None:
    position = _POINTERS[node.function]
    given = node.arguments[position].value if position < len(node.arguments) else None
    if not isinstance(given, Literal) or not isinstance(given.value, str):
        return
    text = given.value
    if text and not text.startswith(("/", "#")):
        report.add(
            "json_pointer_without_slash",
            f"the JSON pointer `{text}` does not begin with a slash",
            given,
            f"write `/{text}`, which every JSON pointer parser accepts",
            severity=WARNING,
        )


def _mixture(node: Call, types: ExpressionTypes, site: Site, report: Report) -> None:
    found = dict.fromkeys(
        types.type_of(argument.value, site, SILENT, None) for argument in node.arguments
    )
    kinds = [kind for kind in found if kind not in ("any", "none", "resource", "function")]
    if len(kinds) > 1 and not set(kinds) <= _NUMBERS:
        report.add(
            "mixed_list",
            f"the elements of a list should have one type, but these are {listed(kinds)}",
            node,
            "use `object` for data of different types",
            severity=WARNING,
        )
