"""Finding and reading the file of a child blueprint (specification, "includeDefinition")."""

from __future__ import annotations

import posixpath
from typing import Final

from ....engine.context import Context
from ....formats.detection import format_of, format_of_text
from ....language.errors import Failure
from ....values.document import Document
from ....values.settings import how_to_raise
from ....values.source import Source
from ....values.tree import AnyNode, Map, Trail
from ....world.files import FileProblem, decode_text

_CODES: Final = {
    "file_not_found": "include_path_not_found",
    "file_unreadable": "include_not_a_file",
}


def read_child(
    document: Document, context: Context, name: str, path: str, node: AnyNode
) -> Document:
    """A local child, its text not yet parsed; `node` is its path.

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
    """Refuses a file that is already being included, and includes that are too many or too deep.

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
