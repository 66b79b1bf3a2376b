"""The file of a child blueprint, and the variables that a child or a module is given.

Implements "includeDefinition" of the specification. No message contains the value of a secret.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Mapping
from typing import Final

from .....functions.record import Record
from .....functions.regexes import compile_regex
from .....functions.values import article
from ....engine.materialisation import flag_of, text_of
from ....engine.run import Context
from ....formats.detection import format_of, format_of_text
from ....language.errors import Failure
from ....values.diagnostics import Diagnostics, Names, Note, suggestion
from ....values.document import Document
from ....values.settings import how_to_raise
from ....values.source import Source, Span
from ....values.tree import AnyNode, Array, Map, Trail
from ....world.files import FileProblem, decode_text
from ..evaluating.inputs import choices_hint, choices_of, quoted, typed
from ..secrets.quotation import CHILD

_ADDRESS: Final = compile_regex(r"[A-Za-z][A-Za-z0-9+.:-]*://")
_CODES: Final = {
    "file_not_found": "include_path_not_found",
    "file_unreadable": "include_not_a_file",
}


def read_child(document: Document, context: Context, path: str, node: AnyNode) -> Document:
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
        known = context.included.get((identity, shown))
        if known is not None:  # a run never sees two contents of a file
            return known
        text = decode_text(data, shown)
    except FileProblem as problem:
        code = _CODES.get(problem.code, problem.code)
        raise Failure(code, problem.message, node, problem.hint) from None
    source = Source(shown, text, format_of(shown) or format_of_text(text), identity)
    context.quoting.admit(source, CHILD)
    empty = Map({}, {}, Trail(source, ("load",)), 0, 0)
    child = context.included[identity, shown] = Document(empty, source, posixpath.dirname(identity))
    return child


def is_address(path: str) -> bool:
    """True for a path that says itself how it is fetched: `https://..`, `s3://..`."""
    return _ADDRESS.match(path) is not None


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


# The rules for giving variables to a child blueprint or to a module: names, types and values.


class Declared(Record, eq=False):
    """A variable that a child declares; `span` is its name.

    `type` is `string` for a custom type, and `any` for a definition that has no type.
    """

    name: str
    node: AnyNode
    span: Span
    type: str
    required: bool
    secret: bool


class Receiver(Record):
    """The child or the module that is given variables, and the codes of what is wrong with them.

    Missing variables are reported at `place`; `add_to` is where to add them.
    """

    subject: str
    place: Span
    add_to: str = "the include's `variables`"
    unknown: str = "include_unknown_variable"
    missing: str = "include_missing_required_variable"
    mismatch: str = "include_variable_type_mismatch"
    not_allowed: str = "include_variable_value_not_allowed"


def included(name: str, section: Map, include: Map) -> Receiver:
    """A child blueprint as the receiver; `include` is its definition in `section`."""
    given = include.get("variables") is not None
    place = include.key_span("variables") if given else section.key_span(name)
    return Receiver(f"the child blueprint `{name}`", place)


def declared_variables(section: Map | None) -> dict[str, Declared]:
    """The variables in the `variables` section of a child."""
    found = {}
    for name, node in section.items.items() if section is not None else ():
        assert section is not None
        word = (text_of(node.get("type")) if isinstance(node, Map) else None) or "any"
        required = isinstance(node, Map) and node.get("default") is None
        secret = isinstance(node, Map) and flag_of(node.get("secret"))
        kind = "string" if "/" in word else word
        found[name] = Declared(name, node, section.key_span(name), kind, required, secret)
    return found


def check_declared(
    declared: Mapping[str, Declared],
    given: AnyNode | None,
    to: Receiver,
    out: Diagnostics,
    bundled: bool = False,
) -> None:
    """Reports variables that are not declared; says which are given to no secret.

    The variables of a `bundled` child may be gone: an earlier render has replaced them.
    """
    if not isinstance(given, Map):
        return
    names = Names(declared)
    secrets = any(one.secret for one in declared.values())
    for name, node in given.items.items():
        if name in declared:
            if declared[name].secret:
                out.quoting.withhold(node.span)
            else:
                out.quoting.publish(node.span)
        elif not bundled:
            if not secrets:
                out.quoting.publish(node.span)
            summary = f"{to.subject} has no variable `{name}`"
            out.warn(to.unknown, given.key_span(name), summary, suggestion(name, names))


def check_missing(
    declared: Mapping[str, Declared],
    given: Collection[str],
    to: Receiver,
    out: Diagnostics,
    secrets: bool = True,
) -> bool:
    """True when no variable without a default is missing; secret ones may be without `secrets`."""
    missing = [
        one
        for one in declared.values()
        if one.required and one.name not in given and (secrets or not one.secret)
    ]
    for one in missing:
        summary = f"{to.subject} needs the variable `{one.name}`"
        note = Note("it is declared here, without a default", one.span)
        out.error(to.missing, to.place, summary, f"add `{one.name}` to {to.add_to}", note)
    return not missing


def check_type(one: Declared, actual: str, span: Span, to: Receiver, out: Diagnostics) -> bool:
    """True for a value of the declared type, an integer for a float, and for `any` and `none`."""
    if actual in ("any", "none", one.type) or one.type == "any":
        return True
    if (actual, one.type) == ("integer", "float"):
        return True
    whole = actual in ("array", "object") and one.type == "string"
    out.error(
        to.mismatch,
        span,
        f"the variable `{one.name}` of {to.subject} must be {article(one.type)}, "
        f"not {article(actual)}",
        "pass it as a JSON string and read it there with `jsondecode`" if whole else None,
        Note("it is declared here", one.span),
    )
    return False


def check_allowed(
    one: Declared, value: object, secret: bool, span: Span, to: Receiver, out: Diagnostics
) -> bool:
    """True for one of the allowed values; `secret` is true for a value made of a secret."""
    allowed = one.node.get("allowedValues") if isinstance(one.node, Map) else None
    choices = choices_of(allowed, one.type)
    if not choices or typed(value, one.type) in choices:
        return True
    assert isinstance(allowed, Array)
    hidden = secret or one.secret
    said = "this value" if hidden else quoted(value)
    out.error(
        to.not_allowed,
        span,
        f"{to.subject} does not allow {said} for its variable `{one.name}`",
        None if hidden else choices_hint(value, choices),
        Note("the allowed values are listed here", allowed.span),
    )
    return False
