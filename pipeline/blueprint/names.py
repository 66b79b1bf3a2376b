"""Static checks: does everything that is referred to exist, and may it be referred to like that?

Run over the whole document, also over what will be pruned and what nobody uses. What a shape says
is checked once per kind of place; only a shape with a mistake is looked at again, text by text.
"""

from __future__ import annotations

from typing import Any, Final

import attrs

from ...functions.values import article
from ..context import Context
from ..diagnostics import Diagnostic, Diagnostics
from ..document import Document
from ..language.errors import LanguageError
from ..language.expression import Expression, Reference, Shape, Substitution
from ..language.refusals import not_text
from ..source import Source, Span
from ..tree import AnyNode, Array, Map, Scalar, Template, Trail
from .dependencies import check_dependencies
from .expression_types import ExpressionTypes, Report
from .graph import templates_in
from .parts import text_of
from .sites import (
    ANY,
    CONDITION,
    CONDITION_IN_ELEMENT,
    EACH,
    IN_ELEMENT,
    PATH,
    TEXT,
    TEXT_IN_ELEMENT,
    Site,
    value_site,
)


def check_names(document: Document, context: Context) -> None:
    """Reports every reference and call in a document that cannot be right."""
    checker = _Checker(document, context)
    for section, node in document.root.items.items():
        visit = _VISITS.get(section)
        if visit is not None and isinstance(node, Map):
            visit(checker, node)


def check_text(text: str, document: Document, context: Context) -> list[Diagnostic]:
    """The mistakes in one string against the names of a document, but for syntax errors."""
    try:
        segments = context.language.split(text)
    except LanguageError:
        return []
    template = Template(segments, text, Trail(Source("<expression>", text)), 0, len(text))
    inner = attrs.evolve(context, diagnostics=Diagnostics())
    _Checker(document, inner).template(template, ANY)
    return inner.diagnostics.sorted()


class _Checker:
    """Visits the templates of one document; keeps the verdicts on the shapes seen so far."""

    def __init__(self, document: Document, context: Context) -> None:
        self.context = context
        self.functions = context.functions
        self.types = ExpressionTypes(document, context)
        self.verdicts: dict[tuple[int, int, bool], bool] = {}

    def tree(self, node: AnyNode | None, site: Site = ANY) -> None:
        """Checks all templates in a node; `site` is for a template that is the node itself."""
        if isinstance(node, Template):
            self.template(node, site)
            return
        inner = IN_ELEMENT if site.element else ANY
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
        self, expression: Expression, site: Site, lone: bool, report: Report, segment: Substitution
    ) -> None:
        found = self.types.type_of(expression, site, report, None)
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
                site.code,
                f"{site.what} must be {article(wanted)}, not {article(found)}",
                expression,
            )

    def values(self, section: Map) -> None:
        for node in section.items.values():
            if isinstance(node, Map):
                declared = text_of(node.get("type")) or "any"
                self.tree(node.get("value"), value_site(declared))
                self.tree(node.get("description"), TEXT)

    def datasources(self, section: Map) -> None:
        for node in section.items.values():
            if isinstance(node, Map):
                self.tree(node.get("description"), TEXT)
                self.tree(node.get("metadata"))
                self.tree(node.get("filter"))

    def resources(self, section: Map) -> None:
        check_dependencies(section, self.context.diagnostics)
        for node in section.items.values():
            if not isinstance(node, Map):
                continue
            element = node.get("each") is not None
            for key, child in node.items.items():
                if child.__class__ is Scalar:
                    continue
                if key == "each":
                    self.tree(child, EACH)
                elif key == "condition":
                    self.condition(child, element)
                elif key == "description":
                    self.tree(child, TEXT_IN_ELEMENT if element else TEXT)
                else:
                    self.tree(child, IN_ELEMENT if element else ANY)

    def condition(self, node: AnyNode, element: bool) -> None:
        site = CONDITION_IN_ELEMENT if element else CONDITION
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
                self.tree(node.get("path"), PATH)
                self.tree(node.get("variables"))
                self.tree(node.get("metadata"))
                self.tree(node.get("description"), TEXT)

    def exports(self, section: Map) -> None:
        for node in section.items.values():
            if not isinstance(node, Map):
                continue
            self.tree(node.get("description"), TEXT)
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
        self.types.type_of(reference, ANY, _FieldReport(self.context.diagnostics, span), None)

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
