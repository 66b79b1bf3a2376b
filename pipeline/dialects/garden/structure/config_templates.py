"""ConfigTemplates, the inputs that they declare, and the configurations that they render.

A configuration that a template renders keeps its written text; the values of `inputs` and the like
are looked up where it is evaluated. Only names are computed at once, with the project's variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import product
from typing import Any, Final, NoReturn

from .....functions.record import Record
from .....functions.values import NONE, FunctionError, Unknown, article, has_unknown
from ....engine.materialisation import Omitted, to_node
from ....engine.run import Context
from ....formats.detection import format_of, quoting_by_keys, read_plain
from ....language.errors import Failure
from ....values.diagnostics import Note, meant
from ....values.document import Document
from ....values.settings import how_to_raise
from ....values.source import Source, Span
from ....values.tree import AnyNode, Array, Map, Scalar, Template, kind_of
from ....world.files import FileProblem
from ..evaluating.contexts import project_scope
from ..evaluating.evaluation import Evaluation, is_callers
from ..evaluating.expansion import Left, Part, expand, items_of
from ..evaluating.scope import CONTENT, Keys, Lazy, Scope, force, listed
from .configs import (
    MODULE,
    TEMPLATE,
    Allowed,
    Config,
    Input,
    Inputs,
    Rendering,
    inputs_of,
    is_null,
    text_at,
)
from .elsewhere import has_sources
from .project import Project
from .reading import CODE, check_fixed, read_file, report_problem, warn_of_kind

_INLINE: Final = "inputs"
_SCHEMA: Final = "inputsSchemaPath"
_QUOTES: Final = quoting_by_keys("properties", "$schema")
_TYPES: Final = ("string", "number", "integer", "boolean", "array", "object", "null")
_INVALID: Final = "invalid_template_input"


def declared_inputs(node: Map, folder: str, context: Context) -> Inputs:
    """The inputs that a ConfigTemplate declares, inline or in a file with a JSON schema."""
    inline, path = node.get(_INLINE), node.get(_SCHEMA)
    if isinstance(inline, Map):
        return inputs_of(_inline(inline, context), True)
    if inline is not None and not is_null(inline):
        kind = article(kind_of(inline))
        summary = f"`{_INLINE}` must be a map of names to declarations, not {kind}"
        context.diagnostics.error(CODE, inline.span, summary)
    if path is None or is_null(path):
        return Inputs()
    if not (isinstance(path, Scalar) and isinstance(path.value, str)):
        context.diagnostics.error(CODE, path.span, f"`{_SCHEMA}` must be the path of a file")
        return Inputs()
    return _schema(path.value, folder, path.span, context)


def _inline(node: Map, context: Context) -> Iterable[Input]:
    for name, declaration in node.items.items():
        if not isinstance(declaration, Map):
            context.diagnostics.error(
                CODE, declaration.span, f"the input `{name}` must be a map with a `type`"
            )
            continue
        default = declaration.get("default")
        types = _types(declaration, name, context)
        yield Input(name, types, default, default is None, None, node.key_span(name))


def _types(node: Map, name: str, context: Context) -> tuple[str, ...]:
    """The types that a declaration or a schema names."""
    written = node.get("type")
    if written is None:
        return ()
    found = []
    for item in written.items if isinstance(written, Array) else [written]:
        kind = item.value if isinstance(item, Scalar) else None
        if kind in _TYPES:
            found.append(str(kind))
            continue
        summary = f"the input `{name}` has an unknown type"
        context.diagnostics.error(CODE, item.span, summary, partial(_type_meant, kind))
    return tuple(found)


def _type_meant(kind: Any) -> str:
    """The hint for a type that does not exist."""
    near = meant(kind, _TYPES) if isinstance(kind, str) else None
    return near or f"the types are {', '.join(f'`{one}`' for one in _TYPES)}"


def _schema(path: str, folder: str, span: Span, context: Context) -> Inputs:
    try:
        name, text = read_file(path, folder, context.files)
    except FileProblem as problem:
        report_problem(problem, span, context)
        return Inputs()
    source = Source(name, text, format_of(path) or "json")
    context.quoting.admit(source, _QUOTES)
    root = read_plain(source, context.meter, context.diagnostics)
    if root is None:
        return Inputs()
    properties = root.get("properties") if isinstance(root, Map) else None
    if not isinstance(root, Map) or (properties is not None and not isinstance(properties, Map)):
        context.diagnostics.error(
            CODE, root.span, "a schema of inputs must be a JSON object with `properties`"
        )
        return Inputs()
    listed = root.get("required")
    required = {
        item.value
        for item in (listed.items if isinstance(listed, Array) else ())
        if isinstance(item, Scalar)
    }
    found = []
    for key, schema in properties.items.items() if properties is not None else ():
        if not isinstance(schema, Map):
            continue
        default, allowed = schema.get("default"), schema.get("enum")
        types = _types(schema, key, context)
        needed = key in required and default is None
        choices = _allowed(allowed) if isinstance(allowed, Array) else None
        assert properties is not None
        found.append(Input(key, types, default, needed, choices, properties.key_span(key)))
    more = root.get("additionalProperties")
    return inputs_of(found, isinstance(more, Scalar) and more.value is False)


def _allowed(node: Array) -> Allowed:
    values = [item.value for item in node.items if isinstance(item, Scalar)]
    return Allowed(frozenset(map(identity_of, values)), listed(map(str, values)))


def identity_of(value: Any) -> tuple[frozenset[str], Any]:
    """What two values that a schema takes for the same have in common: `true` is not 1."""
    return frozenset(_kinds(value)), value


def check_names(
    inputs: Inputs, given: dict[str, Span], place: Span, template: str, context: Context
) -> None:
    """Reports required inputs that are missing, and given ones that are not declared."""
    context.meter.work(len(inputs.inputs) + len(given))
    for one in inputs.inputs.values():
        if one.required and one.name not in given:
            context.diagnostics.error(
                _INVALID,
                place,
                f"the template `{template}` requires the input `{one.name}`",
                None,
                Note("it is declared here, without a default", one.span),
            )
    for name, span in given.items() if inputs.closed else ():
        if name not in inputs.inputs:
            summary = f"the template `{template}` has no input `{name}`"
            context.diagnostics.error(_INVALID, span, summary, partial(_input_meant, name, inputs))


def _input_meant(name: str, inputs: Inputs) -> str:
    """The hint for an input that is not declared."""
    known = inputs.keys.listed
    listed = f"the inputs are {known}" if known else "it declares no inputs"
    return meant(name, inputs.keys.names) or listed


def check_value(one: Input, value: Any, span: Span, context: Context) -> None:
    """Reports a value that does not fit its input; an unknown value may fit."""
    if value is NONE or isinstance(value, Unknown):
        return
    kinds = _kinds(value)
    note = Note("it is declared here", one.span)
    if one.types and not kinds & {*one.types}:
        wanted = " or ".join(one.types)
        context.diagnostics.error(
            _INVALID,
            span,
            f"the input `{one.name}` is {article(sorted(kinds)[0])}, but its type is {wanted}",
            None,
            note,
        )
    elif one.allowed is not None and not has_unknown(value) and not _is_allowed(value, one.allowed):
        summary = f"the value of the input `{one.name}` is not allowed"
        hint = f"it must be one of {one.allowed.listed}"
        context.diagnostics.error(_INVALID, span, summary, hint, note)


def _is_allowed(value: Any, allowed: Allowed) -> bool:
    return not isinstance(value, (list, dict)) and identity_of(value) in allowed.values


def _kinds(value: Any) -> set[str]:
    """The JSON Schema types of a value."""
    match value:
        case None:
            return {"null"}
        case bool():
            return {"boolean"}
        case int():
            return {"integer", "number"}
        case float():
            return {"integer", "number"} if value.is_integer() else {"number"}
        case str():
            return {"string"}
        case list():
            return {"array"}
    return {"object"}


_OWN: Final = frozenset({"inputs", "parent", "template"})


def local_roots(rendering: Rendering, scope: Scope, evaluation: Evaluation) -> dict[str, Any]:
    """The names that a template's configurations have in addition to those in `scope`."""
    return {
        "inputs": GivenInputs(rendering, scope, evaluation),
        "parent": {} if rendering.name is None else {"name": rendering.name},
        "template": {"name": rendering.template.name},
    }


class GivenInputs(Lazy):
    """The inputs by name, evaluated in the scope in which they are given."""

    def __init__(self, rendering: Rendering, scope: Scope, evaluation: Evaluation) -> None:
        self._rendering = rendering
        self._scope = scope
        self._evaluation = evaluation
        self._outer: Scope | None = None
        self._trees: dict[str, Any] = {}
        self._content: dict[str, Any] | None = None

    def node(self, name: str) -> AnyNode | None:
        """What an input is given as: by the matrix, by name, or by its default."""
        rendering = self._rendering
        found = rendering.matrix.get(name) or rendering.given.get(name)
        declared = rendering.declared.inputs.get(name) if found is None else None
        return declared.default if declared is not None else found

    def member(self, key: str | int) -> Any:
        name = str(key)
        if name not in self._trees:
            node = self.node(name)
            if node is None:
                return CONTENT
            self._trees[name] = self._evaluation.tree(node, self._given_in())
        return self._trees[name]

    def content(self) -> Any:
        if self._content is None:
            rendering = self._rendering
            names = {one.name: None for one in rendering.declared.inputs.values() if one.default}
            names |= dict.fromkeys((*rendering.given, *rendering.matrix))
            self._evaluation.spend(len(names))
            self._content = {name: self.member(name) for name in names}
        return self._content

    def _given_in(self) -> Scope:
        if self._outer is None:
            self._outer, outer = self._scope, self._rendering.outer
            if outer is not None:
                roots = local_roots(outer, self._scope, self._evaluation)
                local = self._rendering.config.local
                self._outer = self._scope.with_roots(True, **roots, **local)
        return self._outer


def rendered_configs(project: Project, context: Context) -> list[Config]:
    """All configurations, with the rendered ones in the places of the RenderTemplates."""
    templates: dict[str, Config] = {}
    for config in project.configs:
        if config.is_template and config.name is not None:
            templates[config.name] = config
    declared: dict[str, Inputs] = {
        name: declared_inputs(config.node, config.folder, context)
        for name, config in templates.items()
    }
    work = _Work(project, context, templates, declared, Keys(templates), set())
    found: list[Config] = []
    for config in project.configs:
        if config.is_use:
            try:
                found += _rendered(work, config, None, 0)
            except FunctionError as error:
                context.diagnostics.error(error.code, config.span, error.message, error.hint)
                break
        elif not config.is_template:
            found.append(config)
    return found


class _Work(Record, eq=False):
    project: Project
    context: Context
    templates: dict[str, Config]
    declared: dict[str, Inputs]
    keys: Keys
    said: set[tuple[str, Span]]


_A_USE: Final = 8
_CONFIG_NODES: Final = 16
"""What a use of a template, and a configuration that it renders, take: about as much as so many
steps, and as so many nodes."""


def _rendered(work: _Work, config: Config, outer: Rendering | None, depth: int) -> Iterator[Config]:
    """The configurations that one RenderTemplate renders."""
    context, node = work.context, config.node
    context.meter.work(_A_USE)
    limit = context.limits.max_include_depth
    if depth >= limit:
        summary = f"templates are nested more than {limit} deep (`max_include_depth`)"
        hint = how_to_raise("max_include_depth", context.limits)
        circle = _circle(text_at(node, "template"), outer)
        if circle:
            summary += (
                f": {listed(circle)} {'render each other' if circle[1:] else 'renders itself'}"
            )
            hint = "disable the RenderTemplate where this has to end"
        context.diagnostics.error("limit_exceeded", config.span, summary, hint)
        return
    template = work.templates.get(text_at(node, "template") or "")
    if template is None or template.name is None:
        # a source may have the template; what it renders has the names of this one only here
        if not _report_absent(work, config, outer is None and has_sources(work.project)):
            yield config
        return
    evaluation = work.project.evaluation
    scope = _scope(work, config, outer)
    if _is_disabled(node.get("disabled"), scope, evaluation):
        return
    given = _given(node.get("inputs"), context)
    if given is None:
        return
    declared = work.declared[template.name]
    for number, matrix in enumerate(_matrix(node.get("matrix"), scope, evaluation)):
        context.meter.work(_A_USE)
        rendering = Rendering(config.name, config, template, declared, given, matrix, outer)
        if number == 0:
            check_names(declared, _names_given(node), config.span, template.name, context)
        yield from _configs(work, rendering, depth)


def _circle(name: str | None, outer: Rendering | None) -> list[str]:
    """The templates from a use of one back to another use of it; empty without one."""
    found: list[str] = []
    while outer is not None:
        found.append(outer.template.name or "")
        if found[-1] == name:
            return found[::-1]
        outer = outer.outer
    return []


def _scope(work: _Work, config: Config, outer: Rendering | None) -> Scope:
    """The names that a RenderTemplate and the names of its configurations can use."""
    scope = project_scope(work.project)
    if outer is None:
        return scope
    roots = local_roots(outer, scope, work.project.evaluation)
    return scope.with_roots(True, **roots, **config.local)


def _report_absent(work: _Work, config: Config, elsewhere: bool) -> bool:
    """Reports a template that does not exist; False for one that may exist elsewhere."""
    node = config.node.get("template")
    name = text_at(config.node, "template")
    place = node.span if node is not None else config.span
    diagnostics = work.context.diagnostics
    if name is None:
        diagnostics.error(CODE, place, f"a {config.kind} must name its `template`")
        return True
    missing, summary = name, f"there is no {TEMPLATE} `{name}`"
    if elsewhere:
        near = meant(name, work.keys.names)
        if near:
            summary += " in the files of this project"
            diagnostics.warn("template_not_found", place, summary, near)
        return False

    def hint() -> str | None:
        listed = f"the templates are {work.keys.listed}" if work.keys.listed else None
        return meant(missing, work.keys.names) or listed

    diagnostics.error("template_not_found", place, summary, hint)
    return True


def _is_disabled(node: AnyNode | None, scope: Scope, evaluation: Evaluation) -> bool:
    if node is None:
        return False
    try:
        value = evaluation.value(node, scope)
    except Failure:
        return True
    if isinstance(value, bool):
        return value
    if isinstance(value, Unknown):
        if evaluation.context.checks and is_callers(value):
            return False
        summary = "`disabled` depends on an unknown value"
        evaluation.context.diagnostics.error("undecidable", node.span, summary)
    else:
        evaluation.context.diagnostics.error(CODE, node.span, "`disabled` must be a boolean")
    return True


def _names_given(node: Map) -> dict[str, Span]:
    """The spans of the names of the given inputs."""
    parts = (node.get("inputs"), node.get("matrix"))
    return {
        name: part.key_span(name) for part in parts if isinstance(part, Map) for name in part.items
    }


def _given(node: AnyNode | None, context: Context) -> dict[str, AnyNode] | None:
    if node is None or is_null(node):
        return {}
    if isinstance(node, Map):
        return dict(node.items)
    context.diagnostics.error(CODE, node.span, "`inputs` must be a map of names to values")
    return None


def _matrix(
    node: AnyNode | None, scope: Scope, evaluation: Evaluation
) -> Iterable[dict[str, AnyNode]]:
    """The combinations of a matrix; without one, a single empty combination."""
    if node is None:
        return [{}]
    diagnostics = evaluation.context.diagnostics
    if not isinstance(node, Map):
        diagnostics.error(CODE, node.span, "`matrix` must be a map of inputs to lists of values")
        return []
    rows: list[list[AnyNode]] = []
    for child in node.items.values():
        try:
            value = evaluation.value(child, scope)
        except Failure:
            return []
        if not isinstance(value, list):
            diagnostics.error(CODE, child.span, "the values of a `matrix` must be a list")
            return []
        if isinstance(child, Array) and len(child.items) == len(value):
            rows.append(list(child.items))
        else:
            evaluation.budget.spend(value)
            rows.append([to_node(item, child, evaluation.step) for item in value])
    count = 1
    for row in rows:
        count *= len(row)
    limits = evaluation.limits
    if count > limits.max_each:
        diagnostics.error(
            "limit_exceeded",
            node.span,
            f"a matrix has more than {limits.max_each} combinations (`max_each`)",
            how_to_raise("max_each", limits),
        )
        return []
    return (dict(zip(node.items, combination, strict=True)) for combination in product(*rows))


def _configs(work: _Work, rendering: Rendering, depth: int) -> Iterator[Config]:
    """The configurations of one use of a template."""
    scope = project_scope(work.project)
    scope = scope.with_roots(True, **local_roots(rendering, scope, work.project.evaluation))
    for key in ("modules", "configs"):
        listed = rendering.template.node.get(key)
        if listed is not None:
            yield from _configs_in(listed, key == "modules", scope, work, rendering, depth)


def _configs_in(
    listed: AnyNode, modules: bool, scope: Scope, work: _Work, rendering: Rendering, depth: int
) -> Iterator[Config]:
    """The configurations of one list of a template; those in a list of `modules` need no kind."""
    evaluation = work.project.evaluation
    config = rendering.config
    try:
        for node, inner in _listed(listed, scope, evaluation):
            if modules and "kind" not in node.items:
                node = node.replacing(
                    {"kind": Scalar(MODULE, node.trail, node.start, node.end), **node.items}
                )
            one = _named(node, inner, rendering, work)
            if one is None:
                continue
            if one.is_use:
                yield from _rendered(work, one, rendering, depth + 1)
            elif not one.is_template:
                said = one.kind, one.node.items["kind"].span
                if said not in work.said:
                    work.said.add(said)
                    warn_of_kind(one.node, one.kind, work.context)
                yield one
            else:
                summary = f"a {one.kind} cannot be rendered by a template"
                work.context.diagnostics.error(CODE, node.span, summary)
    except Failure as failure:
        evaluation.report(config.node if failure.node is None else listed, failure)


def _listed(node: AnyNode, scope: Scope, evaluation: Evaluation) -> Iterator[tuple[Map, Scope]]:
    """The maps in `configs`, with `$concat` and loops expanded, each with its scope."""
    parts: list[Part | Left]
    if isinstance(node, Array):
        parts = items_of(evaluation, node, scope)
    elif isinstance(node, Map):
        found = expand(evaluation, node, scope)
        parts = found if isinstance(found, list) else [Part(node, scope)]
    else:
        value = evaluation.value(node, scope)
        parts = [Part(node, None, item) for item in value] if isinstance(value, list) else []
    for part in parts:
        if isinstance(part, Left):
            evaluation.fail(part.node, "undecidable", _UNDECIDED)
        yield from _opened(part, scope, evaluation)


_UNDECIDED: Final = "the configurations depend on an unknown value"


def _opened(part: Part, scope: Scope, evaluation: Evaluation) -> Iterator[tuple[Map, Scope]]:
    """The map that an item of `configs` expands to."""
    if part.scope is None:
        value = force(part.value)
        if value is NONE:
            return
        if isinstance(value, Unknown):
            evaluation.fail(part.node, "undecidable", _UNDECIDED)
        evaluation.budget.spend(value)
        node = to_node(value, part.node, evaluation.step)
        if not isinstance(node, Map):
            _refuse_kind(kind_of(node), part.node, evaluation)
        yield node, scope
        return
    if isinstance(part.node, Template):
        value = evaluation.tree(part.node, part.scope)
        yield from _opened(Part(part.node, None, value), part.scope, evaluation)
        return
    if not isinstance(part.node, Map):
        _refuse_kind(kind_of(part.node), part.node, evaluation)
    found = expand(evaluation, part.node, part.scope)
    if isinstance(found, Part):
        yield from _opened(found, scope, evaluation)
    elif isinstance(found, Left):
        evaluation.fail(found.node, "undecidable", _UNDECIDED)
    elif isinstance(found, dict):
        items = {}
        for key, child in found.items():
            if child.scope is not None:
                items[key] = child.node
            elif not isinstance(made := evaluation.part_node(child), Omitted):
                items[key] = made
        yield part.node.replacing(items), part.scope
    elif isinstance(found, list):
        _refuse_kind("array", part.node, evaluation)


def _refuse_kind(kind: str, node: AnyNode, evaluation: Evaluation) -> NoReturn:
    """Reports a configuration that is not a map.

    Raises:
        Failure: reported.
    """
    evaluation.fail(node, CODE, f"a configuration must be a map, not {article(kind)}")


def _named(node: Map, scope: Scope, rendering: Rendering, work: _Work) -> Config | None:
    """A configuration that a template renders, with a known kind and name."""
    evaluation, context = work.project.evaluation, work.context
    context.meter.spend_nodes(_CONFIG_NODES + len(node.items))
    if not check_fixed(node, context, True):
        return None
    texts: dict[str, str] = {}
    items = dict(node.items)
    for key in ("kind", "type", "name", "path"):
        child = node.get(key)
        if child is None and key in ("type", "name", "path"):
            continue
        if child is None:
            context.diagnostics.error(CODE, node.span, "the configuration has no `kind`")
            return None
        value = evaluation.value(child, scope)
        if not isinstance(value, str):
            unknown = isinstance(value, Unknown)
            summary = f"`{key}` must be {'known' if unknown else 'a string'}"
            evaluation.fail(child, "undecidable" if unknown else CODE, summary)
        if key != "path" and context.language.opener in value:
            evaluation.fail(child, CODE, f"`{key}` must not contain `{context.language.opener}`")
        texts[key] = value
        if isinstance(child, Template):
            items[key] = to_node(value, child, evaluation.step)
    folder = rendering.config.folder
    if "path" in texts:
        try:
            folder = context.files.resolve(texts["path"], folder)
        except FileProblem as problem:
            outside = problem.code == "file_not_allowed"
            # the path itself may hold a value of `local.env`
            why = "leads outside the folders that may be read" if outside else "is not a valid path"
            evaluation.fail(items["path"], problem.code, f"`path` {why}")
    root = node.replacing(items, evaluation.step)
    part = Document(root, rendering.template.part.source, folder)
    own = {name: scope.roots[name] for name in scope.local if name not in _OWN}
    return Config(part, texts["kind"], texts.get("name"), folder, rendering, own)


def check_inputs(renderings: list[Rendering], scope: Scope, evaluation: Evaluation) -> None:
    """Reports inputs that do not have their declared types, once for each use of a template.

    Constant defaults are the same for all uses, so they are checked for the first one.
    """
    first: set[Inputs] = set()
    for rendering in renderings:
        declared = rendering.declared
        values = GivenInputs(rendering, scope, evaluation)
        checked: Iterable[Input | None] = declared.inputs.values()
        if declared in first:
            given = (declared.inputs.get(name) for name in {**rendering.given, **rendering.matrix})
            checked = [*given, *declared.computed]
        first.add(declared)
        for one in checked:
            evaluation.work(1)
            if one is None or not (one.types or one.allowed):
                continue
            node = values.node(one.name)
            if node is None:
                continue
            try:
                value = force(values.member(one.name))
            except Failure as failure:
                if node is not one.default:
                    evaluation.report(node, failure)
                continue
            span = node.span if node is not one.default else one.span
            check_value(one, value, span, evaluation.context)
