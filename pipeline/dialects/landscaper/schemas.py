"""JSON schemas of imports and exports: their references, whether they are valid, what breaks them.

Of the specification, "JSONSchema"; docs/adr/0025-schemas-by-a-library.md. References to other
documents are replaced first, in trees that keep their places; then a schema is compiled for the
library, which is imported only here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ....functions.record import Record
from ...engine.run import Context
from ...formats.detection import read_plain
from ...language.meter import over_limit
from ...values.diagnostics import Diagnostic, Note, meant
from ...values.source import Source, Span
from ...values.tree import AnyNode, Array, Map, Scalar
from ...world.files import FileProblem
from .blueprint import Blueprint
from .parts import Parts
from .schema_compiler import Compiled
from .supplied import report_problem

if TYPE_CHECKING:
    from .components import Components

_REF: Final = "$ref"
_LOCAL, _FILE, _COMPONENT = "local", "blueprint", "cd"
_LIBRARY: Final = "`pip install 'blueprint-preprocessor[landscaper]'`"
_BREAK: Final = "a schema cannot contain itself by such references; use `#/..` in one document"


class _Wrong(Exception):
    """A schema that cannot be used; what is wrong with it has been told."""


class _Missing:
    """A run in which the library is missing, which has been told."""


class _Document(Record, eq=False):
    """Where references of a document lead: its component, and whether it is the blueprint's."""

    component: Any
    own: bool


class Schemas:
    """The schemas of one blueprint; what is wrong with one is told once, where it is written.

    `lenient` ones say nothing of references to the component, which is not given.
    """

    def __init__(
        self, blueprint: Blueprint, components: Components, parts: Parts, context: Context
    ) -> None:
        self.blueprint = blueprint
        self.components = components
        self.parts = parts
        self.lenient = False
        self.context = context
        self._replaced: dict[int, tuple[AnyNode, AnyNode | None]] = {}
        self._compiled: dict[int, Compiled | None] = {}
        self._texts: dict[str, tuple[AnyNode, _Document]] = {}

    def resolved(self, schema: AnyNode) -> AnyNode | None:
        """A schema with all references to other documents replaced; None after a mistake.

        Raises:
            FunctionError: `limit_exceeded`.
        """
        known = self._replaced.get(id(schema))
        if known is None:
            made: AnyNode | None = None
            try:
                made = self._inline(schema, _Document(self.components.descriptor, True), ())
            except _Wrong:
                pass
            known = self._replaced[id(schema)] = schema, made
        return known[1]

    def check(self, schema: AnyNode) -> bool:
        """Reports what is wrong with a schema; True for a valid one.

        Raises:
            FunctionError: `limit_exceeded`.
        """
        return self._compile(schema) is not None

    def problems(self, value: AnyNode, schema: AnyNode, what: str, code: str) -> list[Diagnostic]:
        """How a value breaks a schema, in the order of its places; `what` is called with `code`.

        Nothing for a schema that is not valid, which is reported.

        Raises:
            FunctionError: `limit_exceeded`.
        """
        compiled = self._compile(schema)
        if compiled is None or (compiled.fits is not None and compiled.fits(value)):
            return []
        try:
            from .schema_rules import problems
        except ImportError:
            self._report_library(schema.span)
            return []
        return problems(compiled, value, what, code)

    def _compile(self, schema: AnyNode) -> Compiled | None:
        resolved = self.resolved(schema)
        if id(resolved) not in self._compiled:
            made = Compiled(resolved, self.context) if resolved is not None else None
            self._compiled[id(resolved)] = made if made is not None and made.is_valid else None
        return self._compiled[id(resolved)]

    def _report_library(self, span: Span) -> None:
        """Says once in a run what to install."""
        work = self.context.work
        if work.find(_Missing) is None:
            work.keep(_Missing())
            summary = "schemas need the packages jsonschema and google-re2"
            self.context.diagnostics.error("function_not_loaded", span, summary, _LIBRARY)

    # references to other documents

    def _inline(self, node: AnyNode, document: _Document, active: tuple[Any, ...]) -> AnyNode:
        if isinstance(node, Array):
            self.context.meter.work(1 + len(node.items))
            items = [self._inline(one, document, active) for one in node.items]
            same = all(one is other for one, other in zip(items, node.items, strict=True))
            return node if same else Array(items, node.trail, node.start, node.end)
        if not isinstance(node, Map):
            return node
        self.context.meter.work(1 + len(node.items))
        reference = node.get(_REF)
        if isinstance(reference, Scalar) and isinstance(reference.value, str):
            scheme = reference.value.partition("://")[0]
            if scheme in (_LOCAL, _FILE, _COMPONENT) and "://" in reference.value:
                return self._referred(reference.value, reference, document, active)
            return node.holding({_REF: reference})
        return node.holding(
            {key: self._inline(one, document, active) for key, one in node.items.items()}
        )

    def _referred(
        self, text: str, reference: Scalar, document: _Document, active: tuple[Any, ...]
    ) -> AnyNode:
        """The part of another document that a reference is replaced by."""
        mark = (id(document.component), text)
        span = reference.span
        if mark in active:
            way = " -> ".join(f"`{one}`" for _, one in (*active[active.index(mark) :], mark))
            raise self._refuse("schema_cycle", span, f"the schema refers to itself: {way}", _BREAK)
        limits = self.context.limits
        if len(active) > limits.max_reference_depth:
            bound = f"references may lead {limits.max_reference_depth} schemas deep"
            raise over_limit("max_reference_depth", bound, limits)
        scheme, _, rest = text.partition("://")
        from urllib.parse import unquote  # which imports two more, and few schemas have references

        address, _, fragment = rest.partition("#")
        if scheme == _COMPONENT and self.lenient:
            raise _Wrong
        if scheme == _COMPONENT:
            found, inner = self._of_component(f"cd://{address}", span, document)
        elif not document.own:
            summary = f"the schema of another component has no `{scheme}://` references"
            raise self._refuse("schema_reference", span, summary)
        elif scheme == _LOCAL:
            found, inner = self._local(address, span), document
        else:
            found, inner = self._file(unquote(address), span)
        self.context.meter.spend_nodes(1)
        made = self._inline(found, inner, (*active, mark))
        return self._part(made, unquote(fragment), span)

    def _local(self, address: str, span: Span) -> AnyNode:
        name, slash, _ = address.partition("/")
        types = self.blueprint.local_types
        if slash:
            summary = f"`local://{name}` cannot have a path"
            hint = f"write `local://{name}#/..`"
            raise self._refuse("schema_reference", span, summary, hint)
        node = types.get(name) if types is not None else None
        if node is None:
            known = types.items if types is not None else ()
            hint = meant(name, known) or "declare it below `localTypes`"
            raise self._refuse("schema_reference", span, f"no local type `{name}`", hint)
        return node

    def _file(self, path: str, span: Span) -> tuple[AnyNode, _Document]:
        key = f"file {path}"
        if key not in self._texts:
            try:
                found = self.parts.source(path)
            except FileProblem as problem:
                report_problem(problem, self.context, span)
                raise _Wrong from None
            source = Source(found.name, found.text, "json", found.path)
            self._texts[key] = self._json(source, span), _Document(None, True)
        return self._texts[key]

    def _of_component(
        self, address: str, span: Span, document: _Document
    ) -> tuple[AnyNode, _Document]:
        key = f"{id(document.component)} {address}"
        if key not in self._texts:
            found = self.components.text_of(address, document.component, span)
            if found is None:
                raise _Wrong
            source, component = found
            self._texts[key] = self._json(source, span), _Document(component, False)
        return self._texts[key]

    def _json(self, source: Source, span: Span) -> AnyNode:
        """The tree of a JSON text; other texts, such as YAML, are refused as the engine does."""
        told = self.context.diagnostics.beside()
        node = read_plain(source, self.context.meter, told)
        for item in told:
            note = Note("a schema is JSON; it is named here", span)
            self.context.diagnostics.add(item.noting(note))
        if node is None or told.errors:
            raise _Wrong
        return node

    def _part(self, node: AnyNode, fragment: str, span: Span) -> AnyNode:
        way = fragment.strip("/")
        for name in way.split("/") if way else ():
            below = node.get(name) if isinstance(node, Map) else None
            if below is None:
                known = node.items if isinstance(node, Map) else ()
                summary = f"the schema that is referred to has no `{name}` at `#/{way}`"
                raise self._refuse("schema_reference", span, summary, meant(name, known))
            node = below
        return node

    def _refuse(self, code: str, span: Span, summary: str, hint: Any = None) -> _Wrong:
        self.context.diagnostics.error(code, span, summary, hint)
        return _Wrong()
