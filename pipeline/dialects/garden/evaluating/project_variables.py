"""The variables of a project, of its environment and of an action, in the order of precedence.

From the highest to the lowest: `--var`, `--vars`, the action's files and variables, the
environment's file and variables, the project's file and variables.

References in variables are looked up in the next lower layer first, then beside them, then in the
finished level below. So `host: api.${var.host}` means the host of the level below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

from .....functions.record import Record, field
from .....functions.regexes import compile_regex
from .....functions.values import NONE, FunctionError, Unknown, article
from ....engine.run import Context
from ....formats.detection import format_of, read, read_documents
from ....formats.scalars import template
from ....language.errors import Failure
from ....language.language import Language
from ....values.diagnostics import Diagnostics, Note, worded
from ....values.expression import Reference
from ....values.source import Source, Span
from ....values.tree import AnyNode, Array, Map, Scalar, Trail, kind_of
from ....world.files import FileProblem
from ..options import CALLER_VALUE, ProjectOptions, holds_local
from ..structure.configs import is_null, text_at
from ..structure.reading import CODE, read_file, report_problem
from .evaluation import Evaluation, is_callers
from .layers import Layered, Merging, Part, node_of
from .operators import text_of
from .scope import Lazy, Scope, force, opened

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
    """The variables of one place: a map, the scope of its references, and its value."""

    level: str
    node: AnyNode
    scope: Scope
    part: Part


class Unread(Lazy):
    """Variables in a file that could not be read: a missing key is not reported again."""

    def content(self) -> Any:
        raise Failure("file_unreadable", "", reported=True)

    def member(self, key: str | int) -> Any:
        return self


class Stack(Record, eq=False):
    """The variables that a part sees: all layers from the highest, and their value.

    `own` are the layers of the last level, between `given` and those of `below`.
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


class VariableSource(Record, eq=False):
    """A place that gives a variable its value: the level, and the span if it has one."""

    level: str
    span: Span | None


def sources_of(stack: Stack, name: str) -> list[VariableSource]:
    """The places that give a variable a value, from the highest level to the lowest."""
    found = []
    for part in stack.layers():
        try:
            value = opened(part.value)
        except Failure:
            continue
        if isinstance(value, dict) and value.get(name, NONE) is not NONE:
            span = None
            if isinstance(part.node, Map):
                known = name in part.node.items
                span = part.node.key_span(name) if known else part.node.span
            found.append(VariableSource(part.level, span))
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

    `given` are those of the command line. With `unread` some could not be read, so that a missing
    one is not reported.
    """
    if not own and below is not None and not unread:
        return below
    merging = Merging(options.merge, evaluation)
    layers: list[Layer] = []
    finished = [Part(below.value, None, "")] if below is not None else []
    if unread:
        finished.append(Part(Unread(), None, ""))
    for level, node in own:
        evaluation.work(1 + len(layers))
        scope = roots.with_roots(var=None, variables=None)
        scope.closed = below is None  # these do not see those of the command line
        part = Part(evaluation.tree(node, scope, _NAME), node, level)
        lower = [layer.part for layer in layers]
        row = [*lower, part, *finished] if lower else [*finished, part]
        seen = Layered(row, _NAME, merging, named=True)
        scope.roots.update(var=seen, variables=seen)
        layers.insert(0, Layer(level, node, scope, part))
    whole = [*given, *(layer.part for layer in layers), *finished]
    remarking = Merging(options.merge, evaluation, partial(_remark, evaluation))
    value = Layered(whole, _NAME, remarking, named=True)
    return Stack(value, tuple(given), tuple(layers), below)


def _remark(evaluation: Evaluation, part: Part, below: Part, way: str) -> None:
    """Warns where the two ways of merging differ."""
    node, lower = node_of(part), node_of(below)
    span = node.span if node is not None else None
    if way == "null":
        summary = "this null is kept as a value, where a JSON Merge Patch would remove the key"
        notes = []
    else:
        summary = (
            "this list is merged with the one below it by index, where a JSON Merge Patch "
            "would replace it"
        )
        notes = [Note("the list below", lower.span)] if lower is not None else []
    # by then another part may be evaluated, which reports elsewhere
    evaluation.context.diagnostics.warn("merge_differs", span, summary, None, *notes)


def force_own(stack: Stack, evaluation: Evaluation, all_of_it: bool) -> None:
    """Computes the variables of a level, so that problems with merging them are reported.

    With `all_of_it` those below, too. Problems with single variables are reported by these.
    """
    names: dict[str, None] = {}
    for layer in stack.own:
        try:
            content = _map_in(layer.part.value)
        except Failure:
            return
        names.update(dict.fromkeys(_merged_in(content)))
    try:
        if all_of_it:
            names.update(dict.fromkeys(_merged_in(_map_in(stack.value))))
        for name in names:
            force(stack.value.member(name))
    except Failure as failure:
        if not failure.reported and stack.own:
            evaluation.report(stack.own[0].node, failure)


def _merged_in(content: dict[str, Any]) -> Iterator[str]:
    """The names whose values may have problems with merging, which constants but null have not."""
    return (name for name, one in content.items() if not isinstance(one, (str, bool, int, float)))


def _map_in(value: Any) -> dict[str, Any]:
    value = opened(value)
    return value if isinstance(value, dict) else {}


def variables_node(node: AnyNode | None, context: Context) -> AnyNode | None:
    """The value of `variables`: a map, a list of maps, which are joined, or a template."""
    if node is None or is_null(node):
        return None
    if isinstance(node, Array) and all(isinstance(item, Map) for item in node.items):
        items: dict[str, AnyNode] = {}
        places: dict[str, int] = {}
        for item in node.items:
            assert isinstance(item, Map)
            items.update(item.items)
            places.update(item.places)
        return Map(items, places, node.trail, node.start, node.end)
    if isinstance(node, (Scalar, Array)):
        summary = f"`variables` must be a map of names to values, not {article(kind_of(node))}"
        context.diagnostics.error(CODE, node.span, summary)
        return None
    return node


def default_name(environment: str) -> str:
    """The file of variables that an environment has unless it names another one."""
    return f"garden.{environment}.env"


def default_file(name: str, folder: str, level: str, context: Context) -> list[tuple[str, AnyNode]]:
    """The layer of a file that is read if it exists."""
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
    if path is None or isinstance(path, (Map, Array)):
        context.diagnostics.error(
            CODE, node.span, "a varfile must be a path, or a map with a `path`"
        )
        return []
    try:
        value = evaluation.value(path, scope)
    except Failure:
        return []
    if value is NONE or value is None:
        return []
    if isinstance(value, Unknown):
        code = CALLER_VALUE if context.checks and is_callers(value) else "undecidable"
        context.diagnostics.error(code, path.span, "the path of a varfile must be known")
        return []
    if not isinstance(value, str) or not value:
        context.diagnostics.error(CODE, path.span, "the path of a varfile must be a string")
        return []
    secret = holds_local(value, options.local)
    found = read_varfile(value, folder, path.span, optional, context, secret)
    return [] if found is None else [(level, found)]


_IMPORTS: Final = "importVariables"
_DOTENV: Final = "dotenv"
_FORMATS: Final = (_DOTENV, "yaml", "json")


def imported(
    config: Map, folder: str, scope: Scope, evaluation: Evaluation, options: ProjectOptions
) -> Any:
    """The value of the name `imported`: the variables in the files that a project imports.

    Their values are strings that are no templates. A later source overrides an earlier one, so
    below a source that is no file, all is unknown. Values in the state override all of them.
    """
    known: dict[str, Any] = {}
    whole = True
    listed = config.get(_IMPORTS)
    sources = [] if listed is None or is_null(listed) else [listed]
    for source in listed.items if isinstance(listed, Array) else sources:
        evaluation.work(1)
        found = _import(source, folder, scope, evaluation, options)
        if found is None:
            known, whole = {}, False
        else:
            known.update(found)
    given = (options.state or {}).get("imported")
    if isinstance(given, dict):
        return {**known, **given}
    return known if whole else Beside(known, Reference("imported"))


class Beside(Lazy):
    """An object of which some fields are known, and any others may exist."""

    def __init__(self, known: dict[str, Any], reference: Reference) -> None:
        self._known = known
        self._reference = reference

    def member(self, key: str | int) -> Any:
        return self._known.get(str(key), Unknown(self._reference.deeper(key)))

    def content(self) -> Any:
        return Unknown(self._reference)


def _import(
    source: AnyNode, folder: str, scope: Scope, evaluation: Evaluation, options: ProjectOptions
) -> dict[str, str] | None:
    """The variables of one source; None when they are known only in a run of Garden."""
    context = evaluation.context
    if not isinstance(source, Map) or text_at(source, "from") != "file":
        return None
    node = source.get("path")
    try:
        path = evaluation.value(node, scope) if node is not None else None
    except Failure:
        return None
    if isinstance(path, Unknown):
        return None
    if node is None or not isinstance(path, str) or not path:
        context.diagnostics.error(CODE, source.span, "a file to import needs a `path`")
        return None
    form = text_at(source, "format") or format_of(path) or _DOTENV
    if form not in _FORMATS:
        summary = f"unknown format `{form}`; available: {', '.join(_FORMATS)}"
        context.diagnostics.error(CODE, source.items["format"].span, summary)
        return None
    secret = holds_local(path, options.local)
    before = context.diagnostics.errors
    root = read_varfile(path, folder, node.span, True, context, secret, form)
    if root is not None:
        return {key: _imported_text(one, context) for key, one in root.items.items()}
    if context.diagnostics.errors == before:
        shown = "the file named here" if secret else f"`{path}`"
        summary = f"{shown} does not exist, so no variables are imported from it"
        context.diagnostics.warn("file_not_found", node.span, summary)
    return {}


def _imported_text(node: AnyNode, context: Context) -> str:
    """A value in a file as the string that Garden imports."""
    if isinstance(node, Scalar):
        return "" if node.value is None else text_of(node.value)
    from .....functions.garden.encodings import encode_json  # objects are rare
    from ....world.data_files import plain

    return encode_json(plain(node), limits=context.limits)


def given_parts(
    options: ProjectOptions, known: Sequence[AnyNode], roots: Scope, evaluation: Evaluation
) -> tuple[Part, ...]:
    """The variables of the command line, `--var` above `--vars`; `known` are those below."""
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
                    f"`--var {name}` has no value"
                    if "=" not in piece
                    else f"`--var {name}=..` does not name a variable",
                    "write `--var name=value,map.key=value`",
                )
            for line in lines:
                path = [line.key] if line.key in flat else line.key.split(".")
                _put(values, path, line.value)
    return values


def split_flag(text: str) -> list[str]:
    """The assignments of one `--var`, which commas outside double quotes separate."""
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


#
# `.json` and `.yaml` or `.yml` files hold a map, all others lines of `KEY=value`. Their values may
# be templates. The rules for lines, which hold for `--var` too, are those of the `dotenv` package
# for JavaScript: a `#` ends an unquoted value wherever it stands, `KEY: value` is accepted, and
# other lines are skipped.

_LINE: Final = compile_regex(
    r"""^[^\S\n]*(?:export[^\S\n]+)?(?P<key>[\w.-]+)(?:[^\S\n]*=[^\S\n]*|:[^\S\n]+)"""
    r"""(?P<value>'(?:\\'|[^'])*+'|"(?:\\"|[^"])*+"|`(?:\\`|[^`])*+`|[^#\r\n]*+)"""
    r"""[^\S\n]*(?:\#[^\n]*)?$""",
    re.MULTILINE | re.ASCII,
)
_QUOTES: Final = ("'", '"', "`")

_INVALID_FILE: Final = "invalid_variables_file"


class Line(Record):
    """One assignment: the key, the value, and their offsets."""

    key: str
    value: str = field(repr=False)
    start: int
    end: int
    value_start: int


def read_dotenv(text: str) -> Iterator[Line]:
    """The assignments in a text, in order; a later one overrides an earlier one of the same key."""
    for match in _LINE.finditer(text):
        written = match["value"].rstrip()
        value = written
        if len(written) > 1 and written[0] in _QUOTES and written[-1] == written[0]:
            value = written[1:-1]
            if written[0] == '"':
                value = value.replace("\\n", "\n").replace("\\r", "\r")
        start = match.start("value")
        yield Line(match["key"], value, match.start("key"), start + len(written), start)


def read_varfile(
    path: str,
    base: str | None,
    span: Span | None,
    optional: bool,
    context: Context,
    secret: bool = False,
    plain_as: str | None = None,
) -> Map | None:
    """The variables in a file; None if an optional file does not exist or the file cannot be read.

    `base` is the folder that the path starts from, None for a path of the user's own. Problems are
    reported, those with the file itself at `span`, where it is named. Messages do not show a
    `secret` path. With `plain_as` the file has that format, and its values are no templates.
    """
    files = context.files
    kind = format_of(path) if not path.lower().endswith(".jsonc") else None
    if plain_as is not None:
        kind = plain_as if plain_as != _DOTENV else None
    known = varfiles_of(context).known
    try:
        context.meter.work(_A_FILE)
        real = files.resolve(path, base)
        if optional and not files.exists(real):
            return None
        key = real, kind, secret, plain_as is not None
        if key not in known:
            name, text = read_file(path, base, files)
            source = Source("<variables>" if secret else name, text, kind or "text")
            found = Diagnostics(context.limits.max_diagnostics, context.quoting)
            reading = context.evolve(diagnostics=found)
            if plain_as is not None:
                syntax = context.language.syntax.evolve(opener=_NEVER)
                reading = reading.evolve(language=Language(syntax, context.limits))
            known[key] = (_map if kind else _lines)(source, reading), found
        node, found = known[key]
        context.meter.work(len(found))
        context.diagnostics.extend(found)
        return node
    except FunctionError as error:
        report_problem(FileProblem(error.code, error.message, worded(error.hint)), span, context)
    except FileProblem as problem:
        with suppress(FunctionError):  # told where the next file is read
            context.meter.work(_A_MISSING_FILE)
        if secret:
            problem = FileProblem(problem.code, "the file named here cannot be read")
        report_problem(problem, span, context)
    return None


_NEVER: Final = "\0"
"""An opener of substitutions for texts without any: the readers of YAML and JSON refuse it."""
_A_FILE: Final = 40
_A_MISSING_FILE: Final = 300


class VarFiles:
    """The files of variables that a run has read, with the mistakes in them."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str | None, bool, bool], tuple[Map | None, Diagnostics]] = {}


def varfiles_of(context: Context) -> VarFiles:
    """The files of variables of a run."""
    found = context.work.find(VarFiles)
    if found is None:
        found = VarFiles()
        context.work.keep(found)
    return found


def _lines(source: Source, context: Context) -> Map:
    language = context.language
    context.meter.spend_nodes(source.text.count("\n") + 1)
    trail = Trail(source, ("load",))
    items: dict[str, AnyNode] = {}
    places: dict[str, int] = {}
    for line in read_dotenv(source.text):
        if language.opener != _NEVER and language.opener in line.value:
            node: AnyNode = template(
                line.value, language.split, trail, line.value_start, line.end, context.diagnostics
            )
        else:
            node = Scalar(line.value, trail, line.value_start, line.end)
        items.pop(line.key, None)
        items[line.key] = node
        places[line.key] = line.start
    return Map(items, places, trail, 0, len(source.text))


def _map(source: Source, context: Context) -> Map | None:
    language, diagnostics = context.language, context.diagnostics
    reading = (source, language.split, language.opener, context.meter, diagnostics)
    if source.format == "json":
        node = read(*reading)
        nodes = None if node is None else [node]
    else:
        nodes = read_documents(*reading)
    if nodes is None:
        return None
    if not nodes:
        return Map({}, {}, Trail(source, ("load",)), 0, 0)
    if len(nodes) > 1:
        diagnostics.error(_INVALID_FILE, nodes[1].span, "a varfile must be one YAML document")
        return None
    root = nodes[0]
    if not isinstance(root, Map):
        summary = f"a varfile must be a map of names to values, not {article(kind_of(root))}"
        diagnostics.error(_INVALID_FILE, root.span, summary)
        return None
    return root
