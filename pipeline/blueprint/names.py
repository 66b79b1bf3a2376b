"""Static checks: does everything that is referred to exist, and may it be referred to like that?

Run over the whole document, also over what will be pruned and what nobody uses. What a shape says is
checked once per kind of place; only a shape with a mistake is looked at again, text by text.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import attrs

from ...functions.registry import Function, arity_message, type_message
from ...functions.values import NONE, type_of
from ..context import Context
from ..diagnostics import Diagnostic, Diagnostics, meant
from ..document import Document
from ..language.errors import LanguageError
from ..language.evaluator import not_text, unknown_function
from ..language.expression import (
    Access,
    Call,
    Expression,
    Hole,
    Literal,
    Reference,
    Shape,
    Substitution,
)
from ..source import Source, Span
from ..tree import AnyNode, Array, Map, Scalar, Template, Trail
from .graph import templates_in
from .parts import text_of

FACETS: Final = ("state", "spec", "metadata")
METADATA: Final = ("displayName", "labels", "annotations", "custom")


@attrs.frozen(eq=False)
class Site:
    """What holds for the place of a template: may it use the element, and which types it wants.

    `wanted` are the types a lone substitution may have (empty: any), `what` names the place.
    """

    element: bool = False
    wanted: tuple[str, ...] = ()
    what: str = ""
    code: str = ""


_SCALARS: Final = frozenset({"string", "integer", "float", "boolean"})
_TEXT_TYPES: Final = ("string", "integer", "float", "boolean", "binary", "none")

# Sites are compared by identity, so there is one of each.
_ANY: Final = Site()
_IN_ELEMENT: Final = Site(element=True)
_TEXT: Final = Site(False, _TEXT_TYPES, "a text", "invalid_interpolation")
_TEXT_IN_ELEMENT: Final = attrs.evolve(_TEXT, element=True)
_EACH: Final = Site(False, ("array",), "`each`", "resource_each_invalid_type")
_CONDITION: Final = Site(False, ("boolean", "none"), "a condition", "condition_not_boolean")
_CONDITION_IN_ELEMENT: Final = attrs.evolve(_CONDITION, element=True)
_PATH: Final = Site(False, ("string",), "the path of a child blueprint", "include_path_type")


@cache
def _value_site(declared: str) -> Site:
    if declared == "any":
        return _ANY
    accepted = {"float": ("float", "integer", "string"), "string": ("string", "binary")}
    scalar = declared not in ("array", "object")
    types = accepted.get(declared, (declared, "string") if scalar else (declared,))
    return Site(False, (*types, "none"), f"a value of type {declared}", "value_type_mismatch")


def check_names(document: Document, context: Context) -> None:
    """Reports every reference and call in a document that cannot be right."""
    checker = _Checker(document, context)
    for section, node in document.root.items.items():
        visit = _VISITS.get(section)
        if visit is not None and isinstance(node, Map):
            visit(checker, node)


def check_text(text: str, document: Document, context: Context) -> list[Diagnostic]:
    """The mistakes in one string against the names of a document; syntax errors are not its matter."""
    try:
        segments = context.language.split(text)
    except LanguageError:
        return []
    template = Template(segments, text, Trail(Source("<expression>", text)), 0, len(text))
    inner = attrs.evolve(context, diagnostics=Diagnostics())
    _Checker(document, inner).template(template, _ANY)
    return inner.diagnostics.sorted()


class _Checker:
    """The names of one document, and the verdicts on the shapes seen so far."""

    def __init__(self, document: Document, context: Context) -> None:
        self.document = document
        self.context = context
        self.functions = context.functions
        self.verdicts: dict[tuple[int, int, bool], bool] = {}
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

    def tree(self, node: AnyNode | None, site: Site = _ANY) -> None:
        """Checks all templates in a node; `site` is for a template that is the node itself."""
        if node.__class__ is Template:
            self.template(node, site)  # type: ignore[arg-type]
            return
        inner = _IN_ELEMENT if site.element else _ANY
        for template in templates_in(node):
            self.template(template, inner)

    def template(self, node: Template, site: Site) -> None:
        lone = len(node.segments) == 1
        for segment in node.segments.substitutions:
            key = (id(segment.shape), id(site), lone)
            sound = self.verdicts.get(key)
            if sound is None:
                trial = Diagnostics()
                self._check(segment.shape.expression, site, lone, _Silent(trial), segment)
                # Some checks look at the literals of a text: those are made for each text.
                sound = self.verdicts[key] = not trial.errors and not _reads_literals(
                    segment.shape, self.functions
                )
            if not sound:
                report = _Report(self.context, node, segment)
                exact = self.context.language.exact(segment)
                self._check(exact, site, lone, report, segment)

    def _check(
        self, expression: Expression, site: Site, lone: bool, report: Any, segment: Substitution
    ) -> None:
        found = self.type_of(expression, site, report, None)
        if found == "function":
            report.add(
                "function_not_allowed",
                "a function can only be an argument of another function",
                expression,
                "call it, or pass it to `map`, `filter` and the like",
            )
        elif not lone and found in ("array", "object"):
            failure = not_text(found, expression)
            report.add(failure.code, failure.summary, expression, failure.hint)
        elif lone and site.wanted and found != "any" and found not in site.wanted:
            wanted = " or ".join(site.wanted[:2])
            report.add(
                site.code, f"{site.what} must be {_an(wanted)}, not {_an(found)}", expression
            )

    # ---------------------------------------------------------------- expressions

    def type_of(self, node: Expression, site: Site, report: Any, parameter: Any) -> str:
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
                if target in _SCALARS or target in ("binary", "function"):
                    report.add(
                        "path_not_found", f"{_an(target)} has no fields and no elements", node
                    )
        return "any"

    def _call(self, node: Call, site: Site, report: Any) -> str:
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
        report: Any,
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

    def _reference(self, node: Reference, site: Site, report: Any, parameter: Any) -> str:
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
                if declared in _SCALARS:
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

    def _datasource(self, node: Reference, name: str, report: Any) -> str:
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

    def _resource(self, node: Reference, report: Any, parameter: Any) -> str:
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

    def _facet(self, node: Reference, name: str, path: tuple[str | int, ...], report: Any) -> str:
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

    def _no_resource(self, node: Reference, name: str, takes_function: bool, report: Any) -> None:
        if takes_function and node.bare and len(node.path) == 1:
            failure = unknown_function(name, self.functions, node)
            report.add(failure.code, failure.summary, node, failure.hint)
            return
        hint = meant(name, self.sections["resources"])
        if node.bare:
            for section in ("variables", "values", "datasources"):
                if name in self.sections[section]:
                    hint = f"did you mean `{section}.{name}`?"
            if name in self.functions:
                hint = f"`{name}` is a function: call it as `{name}(...)`"
            hint = hint or "a name without a prefix is a resource; text is written in quotes"
        report.add("resource_not_found", f"there is no resource `{name}`", node, hint)

    # ---------------------------------------------------------------- sections

    def values(self, section: Map) -> None:
        for node in section.items.values():
            if isinstance(node, Map):
                declared = text_of(node.get("type")) or "any"
                self.tree(node.get("value"), _value_site(declared))
                self.tree(node.get("description"), _TEXT)

    def datasources(self, section: Map) -> None:
        for node in section.items.values():
            if isinstance(node, Map):
                self.tree(node.get("description"), _TEXT)
                self.tree(node.get("metadata"))
                self.tree(node.get("filter"))

    def resources(self, section: Map) -> None:
        for node in section.items.values():
            if not isinstance(node, Map):
                continue
            element = node.get("each") is not None
            for key, child in node.items.items():
                if child.__class__ is Scalar:
                    continue
                if key == "each":
                    self.tree(child, _EACH)
                elif key == "condition":
                    self.condition(child, element)
                elif key == "description":
                    self.tree(child, _TEXT_IN_ELEMENT if element else _TEXT)
                else:
                    self.tree(child, _IN_ELEMENT if element else _ANY)

    def condition(self, node: AnyNode, element: bool) -> None:
        site = _CONDITION_IN_ELEMENT if element else _CONDITION
        stack = [node]
        while stack:
            item = stack.pop()
            if isinstance(item, Map):
                stack.extend(item.items.values())
            elif isinstance(item, Array):
                stack.extend(item.items)
            else:
                self.tree(item, site)

    def include(self, section: Map) -> None:
        for node in section.items.values():
            if isinstance(node, Map):
                self.tree(node.get("path"), _PATH)
                self.tree(node.get("variables"))
                self.tree(node.get("metadata"))
                self.tree(node.get("description"), _TEXT)

    def exports(self, section: Map) -> None:
        for node in section.items.values():
            if not isinstance(node, Map):
                continue
            self.tree(node.get("description"), _TEXT)
            self.tree(node.get("value"))
            field = node.get("field")
            if isinstance(field, Scalar) and isinstance(field.value, str):
                self.field(field, field.value)

    def field(self, node: Scalar, text: str) -> None:
        """An export's field: a bare reference outside of any substitution."""
        span = node.span
        try:
            reference = self.context.language.parse(text)
        except LanguageError:
            reference = None
        if not isinstance(reference, Reference) or reference.root in ("elem", "i"):
            self.context.diagnostics.error(
                "invalid_export_field",
                span,
                "the field of an export is a plain reference, such as `values.name` or "
                "`resources.name.spec.field`",
                "compute it in `values` and export the value",
            )
            return
        self.type_of(reference, _ANY, _FieldReport(self.context.diagnostics, span), None)

    def metadata(self, section: Map) -> None:
        self.tree(section)


_VISITS: Final = {
    "values": _Checker.values,
    "datasources": _Checker.datasources,
    "resources": _Checker.resources,
    "include": _Checker.include,
    "exports": _Checker.exports,
    "metadata": _Checker.metadata,
}


def _reads_literals(shape: Shape, functions: Any) -> bool:
    """True when a function in the shape accepts only some texts."""
    for name in shape.functions:
        function = functions.get(name)
        if function is not None and (
            function.form == "link" or any(p.choices for p in function.parameters)
        ):
            return True
    return False


def _an(type_name: str) -> str:
    return (
        f"{'an' if type_name[0] in 'aeio' else 'a'} {type_name}" if type_name != "none" else "none"
    )


class _Silent:
    """Counts what would be reported."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        self.diagnostics = diagnostics

    def add(self, code: str, summary: str, node: Any, hint: Any = None, width: int = 0) -> None:
        self.diagnostics.add(Diagnostic(code, summary))


class _Report:
    """Reports at the places of an exact tree."""

    def __init__(self, context: Context, template: Template, segment: Substitution) -> None:
        self.context = context
        self.template = template
        self.segment = segment

    def add(
        self, code: str, summary: str, node: Any, hint: str | None = None, width: int = 0
    ) -> None:
        start, end = (node.start, node.end) if node.end else (self.segment.start, self.segment.end)
        span = self.context.language.place(self.template, start, start + width if width else end)
        self.context.diagnostics.error(code, span, summary, hint)


class _FieldReport:
    """Reports at an export's field."""

    def __init__(self, diagnostics: Diagnostics, span: Span) -> None:
        self.diagnostics = diagnostics
        self.span = span

    def add(
        self, code: str, summary: str, node: Any, hint: str | None = None, width: int = 0
    ) -> None:
        self.diagnostics.error(code, self.span, summary, hint)
