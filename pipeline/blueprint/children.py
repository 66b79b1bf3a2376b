"""Rendering the children of a document (specification, "includeDefinition")."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final

import attrs

from ...functions.values import NONE, Unknown, article, type_of
from ..context import Context, Inclusion
from ..diagnostics import Diagnostic, Diagnostics, Note, meant
from ..document import Document
from ..language.errors import Failure
from ..language.expression import Reference
from ..language.waiting import WaitingText
from ..source import Span
from ..tree import AnyNode, Map
from .child_files import read_child
from .inputs import Given
from .parts import flag_of, text_of

if TYPE_CHECKING:
    from .evaluation import Evaluation

# What is wrong with a variable of a child is told where the include gives it.
_SEEN_FROM_OUTSIDE: Final = {
    "variable_value_not_allowed": "include_variable_value_not_allowed",
    "variable_type_mismatch": "include_variable_type_mismatch",
}


class Children:
    """The children of one document, each rendered when it is first asked for."""

    def __init__(self, document: Document, context: Context, evaluation: Evaluation) -> None:
        self.document = document
        self.context = context
        self.evaluation = evaluation

    def render(self, name: str) -> Document | None:
        """A child's materialised document; None when it stays closed.

        Raises:
            Failure: reported already.
        """
        definition = _entry(self.document, "include", name)
        bundled = _entry(self.document, "children", name)
        try:
            child = self._read(name, definition, bundled)
            if child is None:
                return None
            return self._run(name, definition, *child)
        except Failure as failure:
            assert definition is not None or failure.reported
            if definition is not None and not failure.reported:
                node: AnyNode = failure.node if failure.node is not None else definition
                self.evaluation.report(node, failure)
            self.evaluation.child_failed(name)
            raise Failure(failure.code, failure.summary, reported=True) from None

    # ---------------------------------------------------------------- finding

    def _read(
        self, name: str, definition: Map | None, bundled: Map | None
    ) -> tuple[Document, str] | None:
        """The child's document, unread or as bundled, and the identity of its file."""
        if bundled is not None:
            return Document(bundled, self.document.source, self.document.folder), ""
        assert definition is not None
        path_node = definition.get("path")
        assert path_node is not None
        path = self._path(path_node)
        source_type = self._source_type(definition)
        if source_type is not None and not self.context.settings.keep_remote_includes:
            raise Failure(
                "include_resolver_not_found",
                f"the child blueprint `{name}` cannot be opened: nothing reads its kind of source",
                source_type,
                "fetch it and include the local file",
            )
        if source_type is not None:
            self.context.diagnostics.warn(
                "include_resolver_not_found",
                source_type.span,
                f"the child blueprint `{name}` is not opened: nothing reads its kind of source",
                "it stays in place, and what it exports is only known after deployment",
            )
            return None
        child = read_child(self.document, self.context, name, path, path_node)
        return child, child.source.path or ""

    def _source_type(self, definition: Map) -> AnyNode | None:
        """Where a remote child is said to be; None for a local one."""
        metadata = definition.get("metadata")
        if metadata is None:
            return None
        reference = Reference("include", ("metadata",))
        node = metadata.get("sourceType") if isinstance(metadata, Map) else None
        if node is not None:
            value = self.evaluation.value_of(node, reference.deeper("sourceType"), None)
            return None if value is NONE else node
        # The whole of the metadata may be computed.
        value = self.evaluation.value_of(metadata, reference, None)
        return metadata if isinstance(value, dict) and "sourceType" in value else None

    def _path(self, node: AnyNode) -> str:
        value = self.evaluation.value_of(node, Reference("include"), None)
        if isinstance(value, Unknown):
            why = "is a secret" if value.secret else "is only known after deployment"
            raise Failure(
                "include_path_unknown",
                f"the path of a child blueprint must be known now, but it {why}",
                node,
            )
        if not isinstance(value, str):
            raise Failure(
                "include_path_type",
                f"the path of a child blueprint must be a string, not {article(type_of(value))}",
                node,
            )
        if not value.strip():
            raise Failure("include_empty_path", "the path of the child blueprint is empty", node)
        return value

    # ---------------------------------------------------------------- running

    def _run(self, name: str, definition: Map | None, child: Document, identity: str) -> Document:
        context = self.context
        section = self.document.section("include") or self.document.section("children")
        assert section is not None
        span = section.key_span(name)
        inner = attrs.evolve(
            context,
            diagnostics=Diagnostics(context.limits.max_diagnostics),
            environment=context.environment.beside(child.folder),
            files=context.files,
            given=Given(),
            way=(*context.way, Inclusion(name, span, identity)),
            main=False,
        )
        reading, rest = context.pipeline.split_after("load")
        try:
            if identity:
                child = reading.last(child, inner)
            if not inner.diagnostics.errors:
                inner = attrs.evolve(
                    inner, given=self._given(name, definition, child, not identity)
                )
                child = rest.last(child, inner)
        finally:
            self._relay(inner.diagnostics, name, span)
        if inner.diagnostics.errors:
            raise Failure("", "", reported=True)
        return child

    def _relay(self, diagnostics: Diagnostics, name: str, span: Span) -> None:
        """Passes a child's diagnostics on, saying how the child came in."""
        for item in diagnostics:
            if item.span is not None and item.span.source is span.source:
                code = _SEEN_FROM_OUTSIDE.get(item.code, item.code)
                self.context.diagnostics.add(attrs.evolve(item, code=code))
            else:
                note = Note(f"`{name}` is included here", span)
                self.context.diagnostics.add(item.noting(note))
        self.context.diagnostics.dropped += diagnostics.dropped

    def _given(self, name: str, definition: Map | None, child: Document, bundled: bool) -> Given:
        """The child's variables from the include's, checked against the child's definitions."""
        node = definition.get("variables") if definition is not None else None
        entries = node.items if isinstance(node, Map) else {}
        declared = child.section("variables")
        definitions = declared.items if declared else {}
        values: dict[str, Any] = {}
        absent: set[str] = set()
        failed = False
        for key, item in entries.items():
            assert isinstance(node, Map)
            if key not in definitions:
                if bundled:  # its variables were put in by an earlier render
                    continue
                self.context.diagnostics.warn(
                    "include_unknown_variable",
                    node.key_span(key),
                    f"the child blueprint `{name}` has no variable `{key}`",
                    meant(key, definitions),
                )
                continue
            try:
                value = self.evaluation.value_of(item, Reference("variables", (key,)), None)
                if value is NONE:
                    absent.add(key)
                else:
                    values[key] = self._fitting(key, value, definitions[key])
            except Failure as failure:
                self.evaluation.report(item, failure)
                failed = True
        given = [key for key in entries if key not in absent]
        failed = self._check_required(name, definition, definitions, given) or failed
        if failed:
            raise Failure("", "", reported=True)
        spans = {key: entries[key].span for key in values}
        return Given(values=values, spans=spans)

    def _fitting(self, key: str, value: Any, definition: AnyNode) -> Any:
        declared = (
            text_of(definition.get("type")) if isinstance(definition, Map) else None
        ) or "any"
        wanted = "string" if "/" in declared else declared
        if isinstance(value, WaitingText):
            value = Unknown(Reference("variables", (key,)), "string", value.secret)
        actual = value.type if isinstance(value, Unknown) else type_of(value)
        if actual == "integer" and wanted == "float":
            return value if isinstance(value, Unknown) else float(value)
        if actual not in ("any", wanted):
            raise Failure(
                "include_variable_type_mismatch",
                f"the variable `{key}` of the child is declared as {declared}, but gets "
                f"{article(actual)}",
            )
        if isinstance(value, Unknown):
            return Unknown(Reference("variables", (key,)), wanted, value.secret)
        return value

    def _check_required(
        self,
        name: str,
        definition: Map | None,
        definitions: dict[str, AnyNode],
        given: Collection[str],
    ) -> bool:
        """Reports variables that have neither a value nor a default; True when there are any."""
        missing = [
            key
            for key, item in definitions.items()
            if key not in given
            and isinstance(item, Map)
            and item.get("default") is None
            and (not flag_of(item.get("secret")) or self.evaluation.reveal)
        ]
        include = self.document.section("include")
        if not missing or definition is None or include is None:
            return False
        variables = definition.get("variables")
        span = definition.key_span("variables") if variables else include.key_span(name)
        for key in missing:
            place = definitions[key]
            note = Note("it is declared here, without a default", place.span)
            self.context.diagnostics.add(
                Diagnostic(
                    "include_missing_required_variable",
                    f"the child blueprint `{name}` needs the variable `{key}`",
                    span,
                    hint=f"add `{key}` to the include's `variables`",
                    notes=(note,),
                )
            )
        return True


def _entry(document: Document, section: str, name: str) -> Map | None:
    found = document.section(section)
    node = found.get(name) if found else None
    return node if isinstance(node, Map) else None
