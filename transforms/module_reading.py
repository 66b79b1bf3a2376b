"""Finding, reading and checking a module, as children of a blueprint are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..functions.values import NONE, Unknown, article, type_of
from ..pipeline.dialects.bluelink.children.children import read_child
from ..pipeline.dialects.bluelink.evaluating.inputs import Given
from ..pipeline.dialects.bluelink.structure.sections import NEWER
from ..pipeline.engine.context import Context, Inclusion, State
from ..pipeline.engine.work import Work
from ..pipeline.language.errors import Failure
from ..pipeline.values.diagnostics import Diagnostics, Note
from ..pipeline.values.document import Document
from ..pipeline.values.source import Source
from ..pipeline.values.tree import AnyNode, Array, Scalar
from .lookahead import Lookahead
from .module_calls import ModuleCall, is_module
from .registry import TransformContext, TransformError


class NotYet(Exception):
    """A module whose place cannot be computed: the stages that need it later say why."""


class LeftClosed(Exception):
    """A module that cannot be opened in this run, which is no mistake; `path` is its address."""

    def __init__(self, code: str, why: str, hint: str | None, path: str, metadata: Any) -> None:
        super().__init__(why)
        self.code = code
        self.why = why
        self.hint = hint
        self.path = path
        self.metadata = metadata


class OpenedModule:
    """A module on its way: its document as read, and the context that it is run in."""

    def __init__(self, call: ModuleCall, document: Document, context: Context) -> None:
        self.call = call
        self.document = document
        self.context = context

    @property
    def fetched(self) -> bool:
        """True for a module that does not come from this machine."""
        return self.context.environment.remote is not None


def open_module(
    document: Document, context: TransformContext, call: ModuleCall, look: Lookahead
) -> OpenedModule | None:
    """The module of a call, read and with its structure checked; None when it has mistakes.

    Those are reported, in the module's file and with a note who uses it.

    Raises:
        LeftClosed: when its host may not be asked.
        NotYet: when its place cannot be computed.
        TransformError, Failure: when it cannot be found or read.
    """
    outer = context.context
    path = _path(call, look)
    metadata = _metadata(call, look)
    remote = outer.environment.remote
    place = None
    if metadata is None and remote is None:
        child = read_child(document, outer, call.name, path, call.path)
    else:
        from ..pipeline.dialects.bluelink.children.remote_children import (
            Closed,
            fetch_child,
            find_beside,
            find_remote,
        )

        try:
            if metadata is not None:
                assert look.evaluation is not None and call.metadata is not None
                nodes: Mapping[str, AnyNode] = {**call.metadata.items, "path": call.path}
                place = find_remote(look.evaluation, call.name, metadata, nodes, path)
            else:
                assert remote is not None
                place = find_beside(call.name, remote, path, call.path)
            child = fetch_child(outer, call.name, place, call.path)
        except Closed as closed:
            raise LeftClosed(closed.code, closed.why, closed.hint, path, metadata) from None
    identity = child.source.path or ""
    inner = outer.evolve(
        diagnostics=Diagnostics(outer.limits.max_diagnostics),
        environment=outer.environment.beside(child.folder, place),
        given=Given(),
        state=State(),
        way=(*outer.way, Inclusion(call.name, call.key_span, identity)),
        main=False,
        work=Work(),
    )
    note = Note(f"`{call.resource}` uses the module here", call.key_span)
    outer.diagnostics.explain(child.source, note)
    child = outer.pipeline.split_after("load")[0].last(child, inner)
    relay(outer.diagnostics, inner.diagnostics, child.source)
    if inner.diagnostics.errors:
        return None
    if child.version == NEWER != document.version:
        raise TransformError(
            call.path,
            f"the module of `{call.resource}` is written for version {child.version}, and the "
            f"blueprint for {document.version}",
            f"write the blueprint for {child.version} as well",
            code="module_version",
        )
    return OpenedModule(call, child, inner)


def transform_module(
    opened: OpenedModule, outer: Context, given: Given, name: str
) -> Document | None:
    """The module after its own transforms, modules in it included; None when it has mistakes.

    `name` is the transform that expands modules: it runs in a module also when nobody asks for it
    there.
    """
    inner = opened.context.evolve(
        diagnostics=Diagnostics(outer.limits.max_diagnostics), given=given
    )
    document = _asking(opened.document, name)
    stages = outer.pipeline.upto("transform").split_after("load")[1]
    document = stages.last(document, inner)
    relay(outer.diagnostics, inner.diagnostics, opened.document.source)
    return None if inner.diagnostics.errors else document


def relay(outer: Diagnostics, inner: Diagnostics, source: Source) -> None:
    """Passes on what was said about a module, and how the texts of its own modules came in."""
    outer.adopt(inner, source)
    outer.extend(inner)


def _asking(document: Document, name: str) -> Document:
    """A document with modules, whose `transform` has the transform that expands them."""
    resources = document.section("resources")
    if resources is None or not any(map(is_module, resources.items.values())):
        return document
    node = document.root.get("transform")
    asked: list[AnyNode] = []
    if node is not None:
        asked.extend(node.items if isinstance(node, Array) else [node])
    if any(isinstance(item, Scalar) and item.value == name for item in asked):
        return document
    place = resources
    asked.append(Scalar(name, place.trail, place.start, place.start))
    return document.replacing(
        {"transform": Array(asked, place.trail, place.start, place.start)}, name
    )


def _path(call: ModuleCall, look: Lookahead) -> str:
    value = call.path.value if isinstance(call.path, Scalar) else look.value(call.path)
    if value is None:
        raise NotYet
    if isinstance(value, Unknown):
        why = "is a secret" if value.secret else "is only known later"
        raise TransformError(
            call.path,
            f"the path of the module of `{call.resource}` must be known before anything is "
            f"evaluated, but it {why}",
            code="module_not_known",
        )
    if not isinstance(value, str):
        raise TransformError(
            call.path,
            f"the path of a module must be a string, not {article(type_of(value))}",
            code="invalid_module",
        )
    if not value.strip():
        raise TransformError(
            call.path,
            f"the path of the module of `{call.resource}` is empty",
            code="invalid_module",
        )
    if look.is_marked(call.path) or look.context.environment.holds_secret(value):
        raise Failure(
            "secret_not_allowed",
            f"the path of the module of `{call.resource}` holds a secret",
            call.path,
            "paths and addresses end up in logs and on other machines",
        )
    return value


def _metadata(call: ModuleCall, look: Lookahead) -> dict[str, Any] | None:
    """The values of metadata with a `sourceType`; None for a local module."""
    if call.metadata is None or "sourceType" not in call.metadata.items:
        return None
    values: dict[str, Any] = {}
    for key, node in call.metadata.items.items():
        value = look.value(node)
        if value is None:
            raise NotYet
        if value is not NONE:
            values[key] = value
    return values
