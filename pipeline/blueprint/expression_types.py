"""What an expression can be, told from the declarations, and what in it cannot be right."""

from __future__ import annotations

from typing import Any, Final, Protocol

from ...functions.registry import Function, arity_message, type_message
from ...functions.values import NONE, article, type_of
from ..context import Context
from ..diagnostics import meant, nearest
from ..document import Document
from ..language.expression import Access, Call, Expression, Hole, Literal, Reference
from ..language.refusals import unknown_function
from ..tree import AnyNode, Map
from .parts import text_of
from .sites import SCALARS, Site

FACETS: Final = ("state", "spec", "metadata")
METADATA: Final = ("displayName", "labels", "annotations", "custom")


# what writers of other languages put where one of our words belongs
_WORDS: Final = {"null": "none", "nil": "none", "undefined": "none"}
_ROOTS: Final = {
    "variable": "variables",
    "var": "variables",
    "vars": "variables",
    "value": "values",
    "local": "values",
    "locals": "values",
    "data": "datasources",
    "datasource": "datasources",
    "child": "children",
    "include": "children",
    "resource": "resources",
}


class Report(Protocol):
    """Where a mistake in an expression goes; `width` cuts the place to its first characters."""

    def add(
        self, code: str, summary: str, node: Any, hint: str | None = None, width: int = 0
    ) -> None:
        """Takes one mistake at a node of an expression."""


class ExpressionTypes:
    """The static types of the expressions of one document."""

    def __init__(self, document: Document, context: Context) -> None:
        self.document = document
        self.context = context
        self.functions = context.functions
        self.sections: dict[str, dict[str, AnyNode]] = {
            name: dict(found.items) if (found := document.section(name)) else {}
            for name in ("variables", "values", "datasources", "resources", "include", "children")
        }
        self.types = {
            "variables": self._declared("variables"),
            "values": self._declared("values"),
        }

    def _declared(self, section: str) -> dict[str, str]:
        found = {}
        for name, node in self.sections[section].items():
            declared = text_of(node.get("type")) if isinstance(node, Map) else None
            custom = section == "variables" and declared is not None and "/" in declared
            found[name] = "string" if custom else declared or "any"
        return found

    # ---------------------------------------------------------------- expressions

    def type_of(self, node: Expression, site: Site, report: Report, parameter: Any) -> str:
        """The static type of an expression (`any` when it is open); reports what is wrong in it."""
        match node:
            case Literal(value=value):
                return "none" if value is NONE else type_of(value)
            case Hole():
                return "string"
            case Reference():
                return self._reference(node, site, report, parameter)
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
            failure = unknown_function(node.function, self.functions, node)
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
                        argument.value,
                    )
                seen.add(argument.name or "")
            if parameter is not None and actual not in ("any", "none"):
                self._argument(function, position, parameter, actual, argument.value, report)
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
            resources = self.sections["resources"]
            if node.value not in resources:
                report.add(
                    "resource_not_found",
                    f"there is no resource `{node.value}`",
                    node,
                    meant(str(node.value), resources),
                )

    @staticmethod
    def _result(function: Function, types: list[str]) -> str:
        if function.form == "if" and len(types) == 3 and types[1] == types[2]:
            return types[1] if types[1] != "none" else "any"
        if function.form in ("if", "first", "coalesce", "lookup"):
            return "any"
        return function.result if function.result else "any"

    # ---------------------------------------------------------------- references

    def _reference(self, node: Reference, site: Site, report: Report, parameter: Any) -> str:
        root = node.root
        if root in ("elem", "i"):
            if not site.element:
                report.add(
                    "elem_outside_each",
                    f"`{root}` has no meaning here: it is the "
                    f"{'current element' if root == 'elem' else 'index'} of a resource with `each`",
                    node,
                )
            return "integer" if root == "i" else "any"
        if root == "resources":
            return self._resource(node, report, parameter)
        name = str(node.path[0])
        if root in ("variables", "values"):
            singular = root[:-1]
            if name not in self.sections[root]:
                report.add(
                    "variable_not_found" if root == "variables" else "value_not_found",
                    f"there is no {singular} `{name}`",
                    node,
                    self._near(name, root),
                )
                return "any"
            declared = self.types[root][name]
            if len(node.path) > 1:
                if declared in SCALARS:
                    report.add(
                        "path_not_found",
                        f"the value `{name}` is of type {declared} and has no fields",
                        node,
                    )
                return "any"
            return declared
        if root == "datasources":
            return self._datasource(node, name, report)
        if name not in self.sections["include"] and name not in self.sections["children"]:
            report.add(
                "child_not_found",
                f"there is no child blueprint `{name}`",
                node,
                self._near(name, "include"),
            )
        return "any"

    def _near(self, name: str, section: str) -> str | None:
        """The near name in the same section, or the section that has exactly this name."""
        near = meant(name, self.sections[section])
        if near:
            return near
        for other in ("variables", "values", "resources", "datasources"):
            if other != section and name in self.sections[other]:
                return f"there is `{other}.{name}`"
        return None if self.sections[section] else f"the blueprint has no `{section}`"

    def _datasource(self, node: Reference, name: str, report: Report) -> str:
        definition = self.sections["datasources"].get(name)
        if not isinstance(definition, Map):
            report.add(
                "data_source_not_found",
                f"there is no data source `{name}`",
                node,
                self._near(name, "datasources"),
            )
            return "any"
        exports = definition.get("exports")
        if not isinstance(exports, Map):
            return "any"
        field = str(node.path[1])
        export = exports.get(field)
        if not isinstance(export, Map):
            report.add(
                "data_source_field_not_exported",
                f"the data source `{name}` does not export `{field}`",
                node,
                meant(field, exports.items),
            )
            return "any"
        declared = text_of(export.get("type")) or "any"
        if len(node.path) > 2:
            if declared != "array":
                report.add(
                    "data_source_field_not_array",
                    f"`datasources.{name}.{field}` is of type {declared} and has no elements",
                    node,
                )
            return "any"
        return declared

    def _resource(self, node: Reference, report: Report, parameter: Any) -> str:
        name = str(node.path[0])
        resources = self.sections["resources"]
        takes_function = parameter is not None and "function" in parameter.types
        if node.bare and len(node.path) == 1 and takes_function and name in self.functions:
            return "function"
        definition = resources.get(name)
        if not isinstance(definition, Map):
            self._no_resource(node, name, takes_function, report)
            return "any"
        path = node.path[1:]
        indexed = bool(path) and isinstance(path[0], int)
        takes_resource = parameter is not None and "resource" in parameter.types
        if definition.get("each") is None:
            if indexed:
                report.add(
                    "resource_not_template",
                    f"the resource `{name}` has no `each`, so it has no instances to pick from",
                    node,
                )
                return "any"
        else:
            if not indexed:
                report.add(
                    "resource_template_needs_index",
                    f"the resource `{name}` has `each`: say which instance, as in "
                    f"`resources.{name}[0]`",
                    node,
                )
                return "any"
            path = path[1:]
        if not path:
            return "resource" if takes_resource else "any"
        if path[0] not in FACETS:
            shown = f"[{path[0]}]" if isinstance(path[0], int) else f"`{path[0]}`"
            report.add(
                "invalid_reference",
                f"{shown} is no part of a resource: there are `state`, `spec` and `metadata`",
                node,
                meant(str(path[0]), FACETS) or f"did you mean `resources.{name}.spec.{path[0]}`?",
            )
            return "any"
        return self._facet(node, name, path, report)

    def _facet(
        self, node: Reference, name: str, path: tuple[str | int, ...], report: Report
    ) -> str:
        if path[0] != "metadata" or len(path) == 1:
            return "any"
        part = path[1]
        if part not in METADATA:
            report.add(
                "invalid_reference",
                f"`{part}` is no part of a resource's metadata",
                node,
                meant(str(part), METADATA),
            )
        elif part == "displayName":
            if len(path) > 2:
                report.add("path_not_found", "`displayName` is a text and has no fields", node)
            return "string"
        elif part in ("labels", "annotations") and len(path) > 3:
            report.add(
                "path_not_found",
                f"`{part}` hold single values, which have no fields",
                node,
                f'quote a key with dots: `resources.{name}.metadata.{part}["a.b"]`',
            )
        return "any"

    def _no_resource(
        self, node: Reference, name: str, takes_function: bool, report: Report
    ) -> None:
        if takes_function and node.bare and len(node.path) == 1:
            failure = unknown_function(name, self.functions, node)
            report.add(failure.code, failure.summary, node, failure.hint)
            return
        hint = meant(name, self.sections["resources"])
        if node.bare:
            hint = self._other_word(node) or hint or self._near_root(node)
            for section in ("variables", "values", "datasources"):
                if name in self.sections[section]:
                    hint = f"did you mean `{section}.{name}`?"
            if name in self.functions:
                hint = f"`{name}` is a function: call it as `{name}(...)`"
            hint = hint or "a name without a prefix is a resource; text is written in quotes"
        report.add("resource_not_found", f"there is no resource `{name}`", node, hint)

    def _other_word(self, node: Reference) -> str | None:
        """The word of the language that a bare name of another language stands for."""
        name = str(node.path[0]).lower()
        if len(node.path) > 1:
            return self._below(_ROOTS[name], node) if name in _ROOTS else None
        word = _WORDS.get(name, name)
        return f"did you mean `{word}`?" if word in ("true", "false", "none") else None

    def _near_root(self, node: Reference) -> str | None:
        """The root that a bare name of several parts almost begins with."""
        roots = ("variables", "values", "datasources", "children", "resources")
        near = nearest(str(node.path[0]), roots) if len(node.path) > 1 else None
        return self._below(near, node) if near else None

    def _below(self, root: str, node: Reference) -> str:
        shown = self.context.language.syntax.show(Reference(root, node.path[1:]))
        return f"did you mean `{shown}`?"
