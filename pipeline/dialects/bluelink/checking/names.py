"""Static checks of references and calls: does the target exist, and does its type fit?

The whole document is checked, including resources that will be pruned and values that are not used.
A shape is checked once per kind of place; only a shape with a mistake is checked string by string.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .....functions.values import article
from ....engine.materialisation import MASK, text_of
from ....engine.run import Context
from ....language.errors import LanguageError, not_text
from ....values.diagnostics import ERROR, WARNING, Diagnostic, Diagnostics, Hint
from ....values.document import Document
from ....values.expression import Expression, Reference, Shape, Substitution, Traits
from ....values.source import Source, Span
from ....values.tree import (
    AnyNode,
    Array,
    Map,
    Scalar,
    Template,
    Trail,
    is_as_read,
    kind_of,
    templates_in,
)
from ..refusals import export_mismatch
from ..structure.sections import VALUE_TYPES
from .dependencies import check_dependencies
from .expression_types import ExpressionTypes
from .template_sites import (
    ANNOTATION,
    ANY,
    CHILD_VARIABLE,
    CONDITION,
    CUSTOM,
    DISPLAY_NAME,
    EACH,
    PATH,
    TEXT,
    Report,
    Site,
    Trial,
    exports_as,
    value_site,
)

_NO_EXPORTS: Final[Mapping[str, Mapping[str, str]]] = {}
_COMPUTE: Final = "compute it in `values` and export the value"


def check_names(
    document: Document,
    context: Context,
    exports: Mapping[str, Mapping[str, str]] = _NO_EXPORTS,
    again: bool = False,
) -> None:
    """Reports every reference and call in a document that is always wrong.

    `exports` are the declared types of exports, by child, for the children that were opened.
    `again` is for a document that was checked when it was read: only what stages have made since
    then is checked, without warnings.
    """
    checker = _Checker(document, context, exports, again)
    for section, node in document.root.items.items():
        visit = _VISITS.get(section)
        if visit is not None and isinstance(node, Map):
            visit(checker, node)


def check_text(text: str, document: Document, context: Context) -> list[Diagnostic]:
    """The mistakes in one string, given the names of a document; without syntax errors.

    Warnings are left out: the string is evaluated once and not kept.
    """
    from ....engine.string_evaluation import segments_of  # no render asks for it

    try:
        segments = segments_of(text, context.language)
    except LanguageError:
        return []
    template = Template(segments, text, Trail(Source("<expression>", text)), 0, len(text))
    inner = context.evolve(diagnostics=Diagnostics())
    _Checker(document, inner).template(template, ANY)
    return [item for item in inner.diagnostics.sorted() if item.severity != WARNING]


class _Checker:
    """Visits the templates of one document; caches the results by shape."""

    def __init__(
        self,
        document: Document,
        context: Context,
        exports: Mapping[str, Mapping[str, str]] = _NO_EXPORTS,
        again: bool = False,
    ) -> None:
        self.context = context
        self.again = again
        self.functions = context.functions
        self.types = ExpressionTypes(document, context, exports)
        self.verdicts: dict[tuple[int, int, bool], bool] = {}
        self.sound: set[tuple[Traits, int, bool]] = set()

    def tree(self, node: AnyNode | None, site: Site = ANY) -> None:
        """Checks all templates in a node; `site` is for a template that is the node itself."""
        if isinstance(node, Template):
            self.template(node, site)
            return
        inner = ANY.inside if site.element else ANY
        for template in templates_in(node):
            self.template(template, inner)

    def template(self, node: Template, site: Site) -> None:
        if self.again and node.text is not None:
            return
        segments = node.segments
        lone = len(segments) == 1
        alike = (segments.traits, id(site), lone)
        if alike in self.sound:
            return
        everything = True
        for segment in segments.substitutions:
            key = (id(segment.shape), id(site), lone)
            sound = self.verdicts.get(key)
            if sound is None:
                trial = Trial()
                self._check(segment.shape.expression, site, lone, trial, segment)
                # Some checks depend on the literals of a string: those run for each string.
                sound = self.verdicts[key] = trial.sound and not _reads_literals(
                    segment.shape, self.functions
                )
            if not sound:
                everything = False
                report = _Report(self.context, node, segment)
                # what is only counted needs no places
                rough = self.context.diagnostics.full and not _reads_literals(
                    segment.shape, self.functions
                )
                shape = segment.shape.expression
                exact = shape if rough else self.context.language.exact(segment)
                self._check(exact, site, lone, report, segment)
        if everything:
            self.sound.add(alike)

    def _check(
        self, expression: Expression, site: Site, lone: bool, report: Report, segment: Substitution
    ) -> None:
        found = self.types.type_of(expression, site, report, None)
        if segment.shape.functions and not self.again:
            from .expression_types import lint

            lint(expression, self.types, site, report)
        if found == "function":
            report.add(
                "function_not_allowed",
                "a function can only be an argument of another function",
                expression,
                "call it, or pass it to `map`, `filter` and the like",
            )
        elif not lone and found in ("array", "object") and site.takes_text:
            failure = not_text(found, expression)
            report.add(failure.code, failure.summary, expression, failure.hint)
        elif lone and site.wanted and found != "any" and found not in site.wanted:
            report.add(
                site.code,
                f"{site.what} must be {site.wants}, not {article(found)}",
                expression,
                (site.hint or None) if found in ("array", "object") else None,
            )

    def values(self, section: Map) -> None:
        for node in section.items.values():
            if isinstance(node, Map):
                declared = text_of(node.get("type"))
                site = value_site(declared) if declared in VALUE_TYPES else ANY
                self.tree(node.get("value"), site)
                self.tree(node.get("description"), TEXT)

    def datasources(self, section: Map) -> None:
        from .expression_types import check_searches

        for node in section.items.values():
            if isinstance(node, Map):
                self.tree(node.get("description"), TEXT)
                self.metadata_of(node.get("metadata"), False)
                filters = node.get("filter")
                self.filters(filters)
                if not (self.again and filters is not None and is_as_read(filters)):
                    check_searches(filters, self.types, self.context)

    def filters(self, node: AnyNode | None) -> None:
        """The filter of a data source, or a list of them: only `search` may have substitutions."""
        for item in node.items if isinstance(node, Array) else [node]:
            self.tree(item.get("search") if isinstance(item, Map) else None)

    def resources(self, section: Map) -> None:
        check_dependencies(section, self.context.diagnostics)
        for node in section.items.values():
            if not isinstance(node, Map) or (self.again and not templates_in(node)):
                continue
            element = node.get("each") is not None
            for key, child in node.items.items():
                if type(child) is Scalar:
                    continue
                if key == "each":
                    self.tree(child, EACH)
                elif key == "condition":
                    self.condition(child, element)
                elif key == "description":
                    self.tree(child, TEXT.inside if element else TEXT)
                elif key == "metadata":
                    self.metadata_of(child, element)
                elif key == "spec":  # no other field may have substitutions
                    self.tree(child, ANY.inside if element else ANY)

    def metadata_of(self, node: AnyNode | None, element: bool) -> None:
        """The metadata of a resource or a data source."""
        for key, child in node.items.items() if isinstance(node, Map) else ():
            if type(child) is Scalar:
                continue
            if key == "annotations" and isinstance(child, Map):
                site = ANNOTATION.inside if element else ANNOTATION
                for annotation in child.items.values():
                    if type(annotation) is not Scalar:
                        self.tree(annotation, site)
            elif key == "custom":
                self.tree(child, CUSTOM.inside if element else CUSTOM)
            elif key == "displayName":
                self.tree(child, DISPLAY_NAME.inside if element else DISPLAY_NAME)

    def condition(self, node: AnyNode, element: bool) -> None:
        site = CONDITION.inside if element else CONDITION
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
                variables = node.get("variables")
                for given in variables.items.values() if isinstance(variables, Map) else ():
                    self.tree(given, CHILD_VARIABLE)
                self.tree(node.get("metadata"))
                self.tree(node.get("description"), TEXT)

    def exports(self, section: Map) -> None:
        for name, node in section.items.items():
            if not isinstance(node, Map):
                continue
            self.tree(node.get("description"), TEXT)
            self.brought(node.get("value"), name, text_of(node.get("type")))
            field = node.get("field")
            if isinstance(field, Scalar) and isinstance(field.value, str) and field.value.strip():
                declared = text_of(node.get("type"))
                known = declared if declared in VALUE_TYPES else None
                self.field(field, field.value, name, known or "any")

    def brought(self, node: AnyNode | None, name: str, declared: str | None) -> None:
        """The value of an export, written by a render; it must not contain references or calls."""
        self.tree(node)
        if not (node is None or isinstance(node, Template) or declared not in VALUE_TYPES):
            masked = isinstance(node, Scalar) and node.value in (None, MASK)
            if not masked and not exports_as(kind_of(node), declared):
                self.context.diagnostics.error(
                    "export_type_mismatch",
                    node.span,
                    export_mismatch(name, declared, kind_of(node)),
                )
        for template in templates_in(node):
            for segment in template.segments.substitutions:
                if segment.shape.references or segment.shape.functions:
                    self.context.diagnostics.error(
                        "value_in_export",
                        self.context.language.locate(template, segment, None),
                        "the `value` of an export is already computed and cannot contain "
                        "references",
                        "export a reference with `field`, such as `field: values.name`",
                    )

    def field(self, node: Scalar, text: str, name: str, declared: str) -> None:
        """An export's field: a bare reference outside of any substitution."""
        span = node.span
        diagnostics = self.context.diagnostics
        try:
            reference = self.context.language.parse(text)
        except LanguageError as error:
            reference = None
            if error.hint:
                from ....values.positions import span_in_scalar

                source, start, end = node.trail.source, error.start, error.end
                span = span_in_scalar(source, node.start, node.end, text, start, end)
                # other hints suggest a function, but a field cannot call functions
                hint = _COMPUTE if text.startswith("variables") else error.hint
                diagnostics.error("invalid_export_field", span, error.summary, hint)
                return
        if not isinstance(reference, Reference) or reference.root in ("elem", "i"):
            diagnostics.error(
                "invalid_export_field",
                span,
                "the field of an export must be a plain reference, such as `values.name` or "
                "`resources.name.spec.field`",
                _COMPUTE,
            )
            return
        found = self.types.type_of(reference, ANY, _Report(self.context, None, None, span), None)
        if not exports_as(found, declared):
            diagnostics.error(
                "export_type_mismatch",
                span,
                export_mismatch(name, declared, found),
            )

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
    """True when the checks of the shape depend on its literals."""
    if shape.functions:
        from .expression_types import reads_pointer

        if reads_pointer(shape):
            return True
    for name in shape.functions:
        function = functions.get(name)
        if function is not None and (
            function.form == "link" or any(p.choices for p in function.parameters)
        ):
            return True
    return False


class _Report:
    """Reports at the positions of an exact tree, or all at one `span`."""

    def __init__(
        self,
        context: Context,
        template: Template | None,
        segment: Substitution | None,
        span: Span | None = None,
    ) -> None:
        self.context = context
        self.template = template
        self.segment = segment
        self.span = span

    def add(
        self,
        code: str,
        summary: str,
        node: Any,
        hint: Hint = None,
        width: int = 0,
        severity: str = ERROR,
    ) -> None:
        span = self.span or self._span(node, width)
        self.context.diagnostics.add(Diagnostic(code, summary, span, severity), hint)

    def _span(self, node: Any, width: int) -> Span:
        assert self.template is not None and self.segment is not None
        start, end = (node.start, node.end) if node.end else (self.segment.start, self.segment.end)
        if self.context.diagnostics.full:
            at = self.template.start
            return Span(self.template.trail.source, at + start, at + end)
        return self.context.language.place(self.template, start, start + width if width else end)
