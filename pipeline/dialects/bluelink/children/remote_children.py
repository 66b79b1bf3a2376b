"""Finding and fetching remote child blueprints (specification, "From a Remote Source").

A child is remote when its include has a `sourceType`, or when the blueprint that includes it was
fetched itself: a path without `sourceType` is then relative to the place it was fetched from.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from .....functions.values import Unknown, article, has_unknown, type_of
from ....engine.run import Context
from ....formats.detection import format_of, format_of_text
from ....language.errors import FIX_PACKAGE, Failure
from ....language.waiting import is_secret
from ....values.diagnostics import Note, meant
from ....values.document import Document
from ....values.settings import Settings
from ....values.source import Source
from ....values.tree import AnyNode, Map, Trail
from ....world.files import FileProblem, decode_text
from ....world.remote.resolvers import (
    SCHEMES,
    Kind,
    Resolvers,
    check_agreement,
    place_of_address,
)
from ....world.remote.store import Place, RemoteProblem, shown_address
from ..secrets.quotation import CHILD
from .inclusion import check_way, is_address

if TYPE_CHECKING:
    from ..evaluating.evaluation import Evaluation

_PAGES: Final = ("<!doctype", "<html", "<?xml", "<head", "<body")


class Closed(Exception):
    """A child that is not opened in this run and stays in place, which is not a mistake."""

    def __init__(self, code: str, why: str, hint: str | None = None) -> None:
        super().__init__(why)
        self.code = code
        self.why = why
        self.hint = hint


def leave_closed(context: Context, name: str, node: AnyNode, closed: Closed) -> None:
    """Reports that a child stays in place.

    Raises:
        Failure: if every child must be opened.
    """
    summary = f"the child blueprint `{name}` is not opened: {closed.why}"
    if not context.settings.keep_remote_includes:
        raise Failure(closed.code, summary, node, closed.hint)
    note = Note("it stays in place, and what it exports is only known after deployment")
    context.diagnostics.warn(closed.code, node.span, summary, closed.hint, note)


def open_remote(
    evaluation: Evaluation | None,
    context: Context,
    name: str,
    path: str,
    node: AnyNode,
    metadata: tuple[Mapping[str, AnyNode], Mapping[str, Any]] | None,
) -> tuple[Document, Place]:
    """A remote child, its text not yet parsed, and its place; `node` is its path.

    `metadata` are the nodes and the values of the include's, None for a child without `sourceType`
    in a blueprint that was fetched itself.

    Raises:
        Closed: if it cannot be located yet, or its host is not allowed.
        Failure: if its location is invalid, or it cannot be fetched.
    """
    if metadata is not None:
        assert evaluation is not None
        nodes, values = metadata
        place = _find_remote(evaluation, name, values, {**nodes, "path": node}, path)
    elif is_address(path):
        place = place_at(context, name, path, node)
    else:
        remote = context.environment.remote
        assert remote is not None
        try:
            place = remote.beside(path)
        except RemoteProblem as problem:
            raise remote_failure(name, None, problem, node) from None
    return _fetch(context, name, place, node), place


def place_at(context: Context, name: str, address: str, node: AnyNode) -> Place:
    """The place that a path leads to which is an address.

    Raises:
        Failure: `remote_address_invalid`.
    """
    try:
        return place_of_address(address, context.settings.stores)
    except RemoteProblem as problem:
        raise remote_failure(name, None, problem, node) from None


def _find_remote(
    evaluation: Evaluation,
    name: str,
    metadata: Mapping[str, Any],
    nodes: Mapping[str, AnyNode],
    path: str,
) -> Place:
    """The place of a remote child; `metadata` is the include's, evaluated.

    `nodes` are the nodes of the metadata, and of the `path`. Metadata are free, and may be meant
    for another tool; invalid ones are an error only in a run that may fetch something.
    """
    source_type, node = metadata["sourceType"], nodes["sourceType"]
    if is_secret(source_type) or _in_clear(source_type, node, evaluation):
        raise _secret(name, node)
    if isinstance(source_type, Unknown):
        raise Closed("include_not_opened", "its `sourceType` is only known after deployment")
    settings = evaluation.context.settings
    if not isinstance(source_type, str):
        problem = _no_string("sourceType", source_type)
        raise _refused(settings, name, problem, nodes)
    kind = find_kind(evaluation.context, name, source_type, node)
    told = _told(evaluation, name, metadata, kind, nodes)
    wrong = next((key for key in kind.keys if not isinstance(told.get(key, ""), str)), None)
    try:
        if wrong is not None:
            raise _no_string(wrong, told[wrong])
        if is_address(path):
            check_agreement(source_type, told, path)
            if source_type in SCHEMES.values():
                return place_of_address(path, settings.stores, told.get("region", ""))
        return kind.place(told, path, settings.stores)
    except RemoteProblem as problem:
        raise _refused(settings, name, problem, nodes) from None


def _no_string(key: str, value: Any) -> RemoteProblem:
    why = f"its `{key}` is a string, not {article(type_of(value))}"
    return RemoteProblem("remote_address_invalid", why, key=key)


def _refused(
    settings: Settings, name: str, problem: RemoteProblem, nodes: Mapping[str, AnyNode]
) -> Exception:
    if not settings.allow_net and not settings.offline:
        return Closed("include_not_opened", problem.why, problem.hint)
    return remote_failure(name, None, problem, nodes.get(problem.key or "", nodes["sourceType"]))


def find_kind(context: Context, name: str, source_type: str, node: AnyNode) -> Kind:
    """The kind of source with a name.

    Raises:
        Closed: if there is none.
        Failure: if what is installed for it cannot be used.
    """
    resolvers = context.resolvers or Resolvers()
    found = resolvers.find(source_type)
    if found is None:
        known = resolvers.names()
        raise Closed(
            "include_resolver_not_found",
            f"unknown source type `{source_type}`",
            meant(source_type, known) or f"available: {', '.join(f'`{one}`' for one in known)}",
        )
    if not isinstance(found, Kind):
        raise Failure(
            "remote_resolver_failed",
            f"the child blueprint `{name}` cannot be fetched: {found.message}",
            node,
            FIX_PACKAGE,
        )
    return found


def _told(
    evaluation: Evaluation,
    name: str,
    metadata: Mapping[str, Any],
    kind: Kind,
    nodes: Mapping[str, AnyNode],
) -> Mapping[str, Any]:
    """The metadata that a kind of source reads; a plugin gets all of it."""
    told = {key: metadata[key] for key in kind.keys or metadata if key in metadata}
    for key, value in told.items():
        if is_secret(value) or _in_clear(value, nodes[key], evaluation):
            raise _secret(name, nodes[key])
        if has_unknown(value):
            raise Closed("include_not_opened", f"its `{key}` is only known after deployment")
    # all keys are passed, so that a misspelt one can be suggested
    return {**{key: "" for key in metadata if key not in kind.keys}, **told} if kind.keys else told


def _fetch(context: Context, name: str, place: Place, node: AnyNode) -> Document:
    environment = context.environment
    if context.checks:
        raise Closed("child_not_checked", "a check fetches nothing")
    refusal = environment.downloads.refusal(place)
    if refusal is not None and refusal.code == "network_not_allowed":
        raise Closed("include_not_opened", refusal.why, refusal.hint)
    identity = place.identity
    check_way(context, identity, node)
    try:
        data = environment.downloads.read(place, environment.withheld)
    except RemoteProblem as problem:
        raise remote_failure(name, identity, problem, node) from None
    shown = shown_address(identity)
    try:
        text = decode_text(data, shown)
    except FileProblem as problem:
        raise Failure("remote_not_a_blueprint", problem.message, node, problem.hint) from None
    if text.lstrip()[:10].lower().startswith(_PAGES):
        raise Failure(
            "remote_not_a_blueprint",
            f"`{shown}` is an HTML page, not a blueprint",
            node,
            "use the address of the plain text, often called raw",
        )
    kind = format_of(identity.partition("?")[0]) or format_of_text(text)
    source = Source(shown, text, kind, identity)
    context.quoting.admit(source, CHILD)
    return Document(Map({}, {}, Trail(source, ("load",)), 0, 0), source)


def remote_failure(
    name: str, identity: str | None, problem: RemoteProblem, node: AnyNode
) -> Failure:
    """A problem of a remote child, as a failure of its include."""
    if problem.code == "secret_not_allowed":
        return _secret(name, node)  # the address is not quoted then
    whence = f" from `{shown_address(identity)}`" if identity else ""
    return Failure(
        problem.code,
        f"the child blueprint `{name}` cannot be fetched{whence}: {problem.why}",
        node,
        problem.hint,
    )


def _in_clear(value: Any, node: AnyNode, evaluation: Evaluation) -> bool:
    """True for a value that contains a secret in clear text, or is computed from one."""
    if not evaluation.reveal:
        return False
    from ..secrets.taint import is_marked

    return is_marked(evaluation, node) or _holds(value, evaluation.context)


def _holds(value: Any, context: Context) -> bool:
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return any(_holds(item, context) for item in inner)
    return isinstance(value, str) and context.environment.holds_secret(value)


def _secret(name: str, node: AnyNode) -> Failure:
    return Failure(
        "secret_not_allowed",
        f"the location of the child blueprint `{name}` contains a secret",
        node,
        "addresses end up in logs and on other machines",
    )
