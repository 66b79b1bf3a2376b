"""The variables of a project, of its environment and of an action, in the order of precedence.

From the highest to the lowest: `--var`, `--vars`, the action's files and variables, the
environment's file and variables, the project's file and variables.

What variables refer to is looked up below them first: in the next lower layer, then beside them,
then in the finished level below. So `host: api.${var.host}` means the host of the level below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from .....functions.record import Record
from .....functions.values import NONE, Unknown
from ....engine.context import Context
from ....language.errors import Failure
from ....values.diagnostics import Note
from ....values.expression import Reference
from ....values.source import Span
from ....values.tree import AnyNode, Array, Map, Scalar, kind_of
from ..options import ProjectOptions
from ..structure.reading import CODE
from .evaluation import Evaluation
from .layers import Layered, Part, node_of
from .scope import Lazy, Scope, force
from .varfiles import read_dotenv, read_varfile
from .world import holds_local

VAR: Final = "--var"
VARS: Final = "--vars"
ACTION_FILE: Final = "action varfile"
ACTION: Final = "action"
ENVIRONMENT_FILE: Final = "environment varfile"
ENVIRONMENT: Final = "environment"
PROJECT_FILE: Final = "project varfile"
PROJECT: Final = "project"

_NAME: Final = Reference("var")


class Layer(Record, eq=False):
    """The variables of one place: a map, what its references mean, and its value."""

    level: str
    node: AnyNode
    scope: Scope
    part: Part


class Unread(Lazy):
    """Variables in a file that could not be read: what is looked for there is nobody's mistake."""

    def content(self) -> Any:
        """See `Lazy`."""
        raise Failure("file_unreadable", "", reported=True)

    def member(self, key: str | int) -> Any:
        """See `Lazy`."""
        return self


class Stack(Record, eq=False):
    """Variables that are seen together: all layers from the highest, and their value.

    `own` are the layers of the last level, which stand between `given` and those of `below`.
    """

    value: Layered
    given: tuple[Part, ...]
    own: tuple[Layer, ...]
    below: Stack | None = None

    def layers(self) -> Iterator[Part]:
        """The layers from the highest to the lowest."""
        yield from self.given
        stack: Stack | None = self
        while stack is not None:
            for layer in stack.own:
                yield layer.part
            stack = stack.below


class Source(Record, eq=False):
    """Where a variable is given a value: the level, and the place if it has one."""

    level: str
    span: Span | None


def sources_of(stack: Stack, name: str) -> list[Source]:
    """The layers that have a variable, from the highest to the lowest."""
    found = []
    for part in stack.layers():
        value: Any = part.value
        try:
            while isinstance(value, Lazy):
                value = value.content()
        except Failure:
            continue
        if isinstance(value, dict) and value.get(name, NONE) is not NONE:
            span = None
            if isinstance(part.node, Map):
                known = name in part.node.items
                span = part.node.key_span(name) if known else part.node.span
            found.append(Source(part.level, span))
    return found


def stacked(
    own: Sequence[tuple[str, AnyNode]],
    below: Stack | None,
    given: Sequence[Part],
    roots: Scope,
    evaluation: Evaluation,
    options: ProjectOptions,
    unread: bool = False,
) -> Stack:
    """Variables on top of others: `own` from the lowest to the highest, with the names in `roots`.

    `given` are what the user says on the command line. With `unread` there are some more that could
    not be read, so that what is missing may be one of them.
    """
    layers: list[Layer] = []
    finished = [Part(below.value, None, "")] if below is not None else []
    if unread:
        finished.append(Part(Unread(), None, ""))
    elif not own and below is not None:
        return below
    for level, node in own:
        scope = roots.with_roots(var=None, variables=None)
        part = Part(evaluation.tree(node, scope, _NAME), node, level)
        lower = [layer.part for layer in layers]
        row = [*lower, part, *finished] if lower else [*finished, part]
        seen = Layered(row, _NAME, options.merge, named=True)
        scope.roots.update(var=seen, variables=seen)
        layers.insert(0, Layer(level, node, scope, part))
    whole = [*given, *(layer.part for layer in layers), *finished]
    value = Layered(whole, _NAME, options.merge, _remark(evaluation.context), named=True)
    return Stack(value, tuple(given), tuple(layers), below)


def _remark(context: Context) -> Any:
    """What says where the two ways of merging differ."""

    def remark(part: Part, below: Part, way: str) -> None:
        node, lower = node_of(part), node_of(below)
        span = node.span if node is not None else None
        if way == "null":
            summary = "this null stays as a value, where a JSON Merge Patch would remove the key"
            notes = []
        else:
            summary = (
                "this list is merged with the one below it by index, where a JSON Merge Patch "
                "would replace it"
            )
            notes = [Note("the list below it", lower.span)] if lower is not None else []
        context.diagnostics.warn("merge_differs", span, summary, None, *notes)

    return remark


def force_own(stack: Stack, evaluation: Evaluation, all_of_it: bool) -> None:
    """Computes what a level says, so that what is wrong with its merging is told.

    With `all_of_it` whatever is below, too. Mistakes of single variables are told by those.
    """
    names: dict[str, None] = {}
    for layer in stack.own:
        try:
            content = _map_in(layer.part.value)
        except Failure:
            return
        names.update(dict.fromkeys(content))
    try:
        if all_of_it:
            names.update(dict.fromkeys(_map_in(stack.value)))
        for name in names:
            force(stack.value.member(name))
    except Failure as failure:
        if not failure.reported and stack.own:
            evaluation.report(stack.own[0].node, failure)


def _map_in(value: Any) -> dict[str, Any]:
    while isinstance(value, Lazy):
        value = value.content()
    return value if isinstance(value, dict) else {}


def variables_node(node: AnyNode | None, context: Context) -> AnyNode | None:
    """What stands under `variables`: a map, a list of maps, which is one map, or a template."""
    if node is None or (isinstance(node, Scalar) and node.value is None):
        return None
    if isinstance(node, Array) and all(isinstance(item, Map) for item in node.items):
        items: dict[str, AnyNode] = {}
        places: dict[str, int] = {}
        for item in node.items:
            assert isinstance(item, Map)
            items.update(item.items)
            places.update(item.places)
        return Map(items, places, node.trail, node.start, node.end)
    if isinstance(node, Scalar | Array):
        summary = f"variables are a map of names to values, not {_a(kind_of(node))}"
        context.diagnostics.error(CODE, node.span, summary)
        return None
    return node


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeio" else f"a {kind}"


def default_file(name: str, folder: str, level: str, context: Context) -> list[tuple[str, AnyNode]]:
    """The layer of a file that is read when it is there."""
    node = read_varfile(name, folder, None, True, context)
    return [] if node is None else [(level, node)]


def named_file(
    node: AnyNode,
    folder: str,
    level: str,
    scope: Scope,
    evaluation: Evaluation,
    options: ProjectOptions,
) -> list[tuple[str, AnyNode]]:
    """The layer of a file that a configuration names: a path, or a map with `path`, `optional`."""
    context = evaluation.context
    optional = False
    path: AnyNode | None = node
    if isinstance(node, Map):
        flag = node.get("optional")
        optional = isinstance(flag, Scalar) and flag.value is True
        path = node.get("path")
    if path is None or isinstance(path, Map | Array):
        context.diagnostics.error(
            CODE, node.span, "a file of variables is a path, or a map with a `path`"
        )
        return []
    try:
        value = evaluation.value(path, scope)
    except Failure:
        return []
    if value is NONE or value is None:
        return []
    if isinstance(value, Unknown):
        context.diagnostics.error(
            "undecidable", path.span, "the path of a file of variables has to be known"
        )
        return []
    if not isinstance(value, str) or not value:
        context.diagnostics.error(CODE, path.span, "the path of a file is a string")
        return []
    secret = holds_local(value, options.local)
    found = read_varfile(value, folder, path.span, optional, context, secret)
    return [] if found is None else [(level, found)]


def given_parts(
    options: ProjectOptions, known: Sequence[AnyNode], roots: Scope, evaluation: Evaluation
) -> tuple[Part, ...]:
    """What the user says of variables, `--var` above `--vars`; `known` are the variables below."""
    context = evaluation.context
    flat = {key for node in known if isinstance(node, Map) for key in node.items if "." in key}
    parts = []
    values = _flags(options.variables, flat, context)
    if values:
        parts.append(Part(values, None, VAR))
    if options.values:
        given: dict[str, Any] = {}
        for name, value in options.values.items():
            _put(given, [name] if name in flat else name.split("."), value)
        parts.append(Part(given, None, VAR))
    for path in reversed(options.variable_files):
        node = read_varfile(path, None, None, False, context)
        if node is not None:
            parts.append(Part(evaluation.tree(node, roots, _NAME), node, VARS))
    return tuple(parts)


def _flags(texts: Sequence[str], flat: set[str], context: Context) -> dict[str, Any]:
    """The values of `--var a=b,c.d=e`: strings; dots lead into maps, unless a name has them."""
    values: dict[str, Any] = {}
    for text in texts:
        for piece in split_flag(text):
            lines = list(read_dotenv(piece))
            if not lines:
                name = piece.partition("=")[0].strip()
                context.diagnostics.error(
                    "invalid_variable_flag",
                    None,
                    f"`--var {name}` does not say `name=value`"
                    if "=" not in piece
                    else f"`--var {name}=..` does not name a variable",
                    "write `--var name=value,map.key=value`",
                )
            for line in lines:
                path = [line.key] if line.key in flat else line.key.split(".")
                _put(values, path, line.value)
    return values


def split_flag(text: str) -> list[str]:
    """The assignments of one `--var`: cut at commas outside of double quotes."""
    pieces = [""]
    quoted = False
    for character in text:
        if character == '"':
            quoted = not quoted
        if character == "," and not quoted:
            pieces.append("")
        else:
            pieces[-1] += character
    return [piece for piece in pieces if piece.strip()]


def _put(values: dict[str, Any], path: list[str], value: Any) -> None:
    for key in path[:-1]:
        inner = values.get(key)
        if not isinstance(inner, dict):
            inner = values[key] = {}
        values = inner
    values[path[-1]] = value
