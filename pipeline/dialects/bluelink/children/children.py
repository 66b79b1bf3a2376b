"""Rendering the children of a document (specification, "includeDefinition")."""

from __future__ import annotations

import posixpath
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final

from .....functions.values import NONE, Unknown, article, type_of
from ....engine.context import Context, Given, Inclusion, State
from ....engine.materialisation import flag_of, text_of
from ....engine.work import Work
from ....formats.detection import format_of, format_of_text
from ....language.errors import Failure
from ....language.waiting import WaitingText
from ....values.diagnostics import Diagnostic, Diagnostics, Note, meant
from ....values.document import Document
from ....values.expression import Reference
from ....values.settings import how_to_raise
from ....values.source import Source, Span
from ....values.tree import AnyNode, Map, Scalar, Trail
from ....world.files import FileProblem, decode_text
from ..secrets.secrecy import leave_unquoted

if TYPE_CHECKING:
    from ....world.remote.store import Place
    from ..evaluating.evaluation import Evaluation
    from .remote_children import Closed


# ----------------------------------------------------------------------
# Finding and reading the file of a child blueprint (specification, "includeDefinition").

_CODES: Final = {
    "file_not_found": "include_path_not_found",
    "file_unreadable": "include_not_a_file",
}


def read_child(
    document: Document, context: Context, name: str, path: str, node: AnyNode
) -> Document:
    """A local child, its text not yet looked at; `node` is where its path is written.

    A relative path starts at the folder of the including document.

    Raises:
        Failure: `include_cycle` (reported already), `limit_exceeded`, or what is wrong with the
            file, at `node`.
    """
    files = context.files
    try:
        identity = files.resolve(path, document.folder)
        check_way(context, identity, node)
        data = files.read(path, document.folder)
        shown = files.shown(path, document.folder)
        text = decode_text(data, shown)
        if isinstance(text, FileProblem):
            raise text
    except FileProblem as problem:
        code = _CODES.get(problem.code, problem.code)
        raise Failure(code, problem.message, node, problem.hint) from None
    source = Source(shown, text, format_of(shown) or format_of_text(text), identity)
    empty = Map({}, {}, Trail(source, ("load",)), 0, 0)
    return Document(empty, source, posixpath.dirname(identity))


def check_way(context: Context, identity: str, node: AnyNode) -> None:
    """Refuses a file that is being included already, and too many or too deep inclusions.

    Raises:
        Failure: `include_cycle` (reported already), `limit_exceeded`.
    """
    way = context.way
    opened = [context.identity, *(step.identity for step in way)]
    if identity in opened:
        files = [*(step.span.source.name for step in way), node.trail.source.name]
        cycle = files[opened.index(identity) :]
        steps = " -> ".join(f"`{file}`" for file in [*cycle, cycle[0]])
        context.diagnostics.error(
            "include_cycle", node.span, f"the blueprint includes itself: {steps}"
        )
        raise Failure("include_cycle", "", reported=True)
    limits = context.limits
    if len(way) >= limits.max_include_depth:
        raise Failure(
            "limit_exceeded",
            f"child blueprints may be nested {limits.max_include_depth} deep (`max_include_depth`)",
            node,
            how_to_raise("max_include_depth", limits),
        )
    context.opened.append(identity)
    if len(context.opened) > limits.max_includes:
        raise Failure(
            "limit_exceeded",
            f"a run may open {limits.max_includes} child blueprints (`max_includes`)",
            node,
            how_to_raise("max_includes", limits),
        )


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
            leave_unquoted(definition, self.context.quoting)
            self.evaluation.child_failed(name)
            raise Failure(failure.code, failure.summary, reported=True) from None

    # ---------------------------------------------------------------- finding

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
        if metadata is None and remote is None:
            child = read_child(document, context, name, path, path_node)
            return child, child.source.path or "", None
        from .remote_children import Closed, fetch_child, find_beside, find_remote

        try:
            if metadata is not None:
                nodes, values = metadata
                node = nodes["sourceType"]
                nodes = {**nodes, "path": path_node}
                place = find_remote(self.evaluation, name, values, nodes, path)
            else:
                assert remote is not None
                node, place = path_node, find_beside(name, remote, path, path_node)
            child = fetch_child(context, name, place, path_node)
        except Closed as closed:
            self._leave_closed(name, node, closed)
            return None
        return child, child.source.path or "", place

    def _leave_closed(self, name: str, node: AnyNode, closed: Closed) -> None:
        """Says that a child stays in place.

        Raises:
            Failure: when the caller wants all children.
        """
        summary = f"the child blueprint `{name}` is not opened: {closed.why}"
        if not self.context.settings.keep_remote_includes:
            raise Failure(closed.code, summary, node, closed.hint)
        note = Note("it stays in place, and what it exports is only known after deployment")
        self.context.diagnostics.warn(closed.code, node.span, summary, closed.hint, note)

    def _remote_metadata(self, definition: Map) -> tuple[dict[str, AnyNode], dict[str, Any]] | None:
        """The nodes and the values of metadata that says where a remote child is.

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
                "the path of a child blueprint holds a secret",
                node,
                "paths and addresses end up in logs and on other machines",
            )
        return value

    # ---------------------------------------------------------------- running

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
            diagnostics=Diagnostics(context.limits.max_diagnostics, context.quoting),
            environment=context.environment.beside(child.folder, place),
            files=context.files,
            given=Given(),
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
                inner = inner.evolve(given=self._given(name, definition, child, not identity))
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
                self.context.diagnostics.add(item.evolve(code=code))
            else:
                note = Note(f"`{name}` is included here", span)
                self.context.diagnostics.add(item.noting(note))
        self.context.diagnostics.count(diagnostics)

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
                self.context.quoting.leave_unquoted(item.span)
            elif _is_secret(definitions[key]):
                self.context.quoting.withhold(item.span)
            try:
                value = self.evaluation.value_of(item, Reference("variables", (key,)), None)
                if key not in definitions:
                    continue  # it is in the output all the same, and what it needs comes first
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
        marked = frozenset(key for key in values if self._is_marked(entries[key]))
        return Given(values=values, spans=spans, marked=marked)

    def _is_marked(self, node: AnyNode) -> bool:
        """True for what is made of a secret in a run that reveals it; others tell themselves."""
        if not self.evaluation.reveal or isinstance(node, Scalar):
            return False
        from ..secrets.taint import is_marked

        return is_marked(self.evaluation, node)

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


def _is_secret(definition: AnyNode) -> bool:
    return isinstance(definition, Map) and flag_of(definition.get("secret"))
