"""Rendering the children of a document (specification, "includeDefinition")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .....functions.values import NONE, Unknown, article, type_of
from ....engine.inputs import VariableInputs
from ....engine.run import Context, Inclusion, State, Work
from ....language.errors import PATHS_ARE_LOGGED, Failure
from ....language.waiting import WaitingText
from ....values.diagnostics import Diagnostics, Note
from ....values.document import Document
from ....values.expression import Reference
from ....values.source import Span
from ....values.tree import AnyNode, Map, Scalar
from .inclusion import (
    check_allowed,
    check_declared,
    check_missing,
    check_type,
    declared_variables,
    included,
    is_address,
    read_child,
)

if TYPE_CHECKING:
    from ....world.remote.store import Place
    from ..evaluating.evaluation import Evaluation


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

    def _read(
        self, name: str, definition: Map | None, bundled: Map | None
    ) -> tuple[Document, str, Place | None] | None:
        """The child's document, unread or as bundled, the identity of its file, and its place."""
        document, context = self.document, self.context
        remote = context.environment.remote
        if bundled is not None:
            return Document(bundled, document.source, document.folder), "", remote
        assert definition is not None
        path_node = definition.get("path")
        assert path_node is not None
        path = self._path(path_node)
        metadata = self._remote_metadata(definition)
        if metadata is None and remote is None and not is_address(path):
            child = read_child(document, context, path, path_node)
            return child, child.source.path or "", None
        from .remote_children import Closed, leave_closed, open_remote

        try:
            child, place = open_remote(self.evaluation, context, name, path, path_node, metadata)
        except Closed as closed:
            if context.checks:
                return None
            place_node = metadata[0]["sourceType"] if metadata else path_node
            leave_closed(context, name, place_node, closed)
            return None
        return child, child.source.path or "", place

    def _remote_metadata(self, definition: Map) -> tuple[dict[str, AnyNode], dict[str, Any]] | None:
        """The nodes and the values of the metadata that locates a remote child.

        None for a local child.
        """
        metadata = definition.get("metadata")
        if metadata is None:
            return None
        reference = Reference("include", ("metadata",))
        if not isinstance(metadata, Map):
            # The whole of the metadata may be computed.
            values = self.evaluation.value_of(metadata, reference, None)
            told = isinstance(values, dict) and values.get("sourceType", NONE) is not NONE
            return (dict.fromkeys(values, metadata), values) if told else None
        if metadata.get("sourceType") is None:
            return None
        values = {}
        for key, item in metadata.items.items():
            value = self.evaluation.value_of(item, reference.deeper(key), None)
            if value is not NONE:
                values[key] = value
        return (metadata.items, values) if "sourceType" in values else None

    def _path(self, node: AnyNode) -> str:
        value = self.evaluation.value_of(node, Reference("include"), None)
        if isinstance(value, Unknown):
            doubts = self.evaluation.doubts
            if doubts is not None and doubts.of(value):
                raise Failure("", "", reported=True)
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
        if self._is_marked(node) or self.context.environment.holds_secret(value):
            raise Failure(
                "secret_not_allowed",
                "the path of a child blueprint contains a secret",
                node,
                PATHS_ARE_LOGGED,
            )
        return value

    def _run(
        self,
        name: str,
        definition: Map | None,
        child: Document,
        identity: str,
        place: Place | None,
    ) -> Document:
        context = self.context
        section = self.document.section("include") or self.document.section("children")
        assert section is not None
        span = section.key_span(name)
        inner = context.evolve(
            diagnostics=context.diagnostics.beside(),
            environment=context.environment.beside(child.folder, place),
            files=context.files,
            given=VariableInputs(),
            state=context.state.included.get(name, State()),
            way=(*context.way, Inclusion(name, span, identity)),
            main=False,
            work=Work(),
        )
        self.context.work.children[name] = inner.work
        reading, rest = context.pipeline.split_after("load")
        try:
            if identity:
                child = reading.last(child, inner)
            if not inner.diagnostics.errors:
                if definition is not None:
                    given = self._given(name, definition, child, not identity)
                    inner = inner.evolve(given=given)
                child = rest.last(child, inner)
        finally:
            self._relay(inner.diagnostics, name, span)
        if inner.diagnostics.errors:
            raise Failure("", "", reported=True)
        return child

    def _relay(self, diagnostics: Diagnostics, name: str, span: Span) -> None:
        """Passes a child's diagnostics on, with a note on its include."""
        for item in diagnostics:
            if item.span is not None and item.span.source is span.source:
                self.context.diagnostics.add(item)
            else:
                note = Note(f"`{name}` is included here", span)
                self.context.diagnostics.add(item.noting(note))
        self.context.diagnostics.count(diagnostics)

    def _given(self, name: str, include: Map, child: Document, bundled: bool) -> VariableInputs:
        """The child's variables from the include's, checked against the child's definitions.

        Raises:
            Failure: reported already.
        """
        given = include.get("variables")
        declared = declared_variables(child.section("variables"))
        section, out = self.document.section("include"), self.context.diagnostics
        assert section is not None
        to = included(name, section, include)
        check_declared(declared, given, to, out, bundled)
        items = dict(given.items) if isinstance(given, Map) else {}
        values: dict[str, Any] = {}
        marked = set()
        sound = True
        for key, node in (*items.items(),):
            one = declared.get(key)
            try:
                value = self.evaluation.value_of(node, Reference("variables", (key,)), None)
            except Failure as failure:
                self.evaluation.report(node, failure)
                sound = False
                continue
            if one is None:
                continue  # it is in the output all the same, and what it needs comes first
            if value is NONE:
                del items[key]
                continue
            if self._is_marked(node):
                marked.add(key)
            if isinstance(value, (Unknown, WaitingText)):
                kind = "string" if isinstance(value, WaitingText) else value.type
                fits = check_type(one, kind, node.span, to, out)
                value = Unknown(Reference("variables", (key,)), one.type, value.secret)
            else:
                fits = check_type(one, type_of(value), node.span, to, out) and check_allowed(
                    one, value, key in marked, node.span, to, out
                )
                if type_of(value) == "integer" and one.type == "float":
                    value = float(value)
            values[key] = value
            sound = sound and fits
        if not check_missing(declared, items, to, out, self.evaluation.reveal) or not sound:
            raise Failure("", "", reported=True)
        spans = {key: items[key].span for key in values}
        return VariableInputs(values=values, spans=spans, marked=frozenset(marked))

    def _is_marked(self, node: AnyNode) -> bool:
        """True for a node computed from a secret, in a run that reveals secrets."""
        if not self.evaluation.reveal or isinstance(node, Scalar):
            return False
        from ..secrets.taint import is_marked

        return is_marked(self.evaluation, node)


def _entry(document: Document, section: str, name: str) -> Map | None:
    found = document.section(section)
    node = found.get(name) if found else None
    return node if isinstance(node, Map) else None
