"""ConfigTemplates and what renders them.

A configuration that a template renders keeps its written text; what `inputs` and the like mean is
known where it is evaluated. Only names are computed at once, with what the project alone knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, Final

from .....functions.record import Record, field
from .....functions.values import NONE, Unknown, has_unknown
from ....engine.context import Context
from ....engine.materialisation import Omitted, to_node
from ....language.errors import Failure
from ....values.diagnostics import meant
from ....values.document import Document
from ....values.settings import how_to_raise
from ....values.source import Span
from ....values.tree import AnyNode, Array, Map, Scalar, Template, kind_of
from ..evaluating.contexts import project_scope
from ..evaluating.evaluation import Evaluation
from ..evaluating.expansion import Left, Part, expand, items_of
from ..evaluating.scope import Scope, force
from .configs import RENDER, TEMPLATE, Config, Project, text_at
from .reading import CODE, check_fixed
from .template_inputs import Inputs, check_names, check_value, declared_inputs

_OWN: Final = frozenset({"inputs", "parent", "template"})


class Rendering(Record, eq=False):
    """One use of a template: who asks, what it gives, and in which other use it stands."""

    name: str
    config: Config
    template: Config
    declared: Inputs
    given: dict[str, AnyNode] = field(repr=False)
    matrix: dict[str, AnyNode] = field(factory=dict, repr=False)
    outer: Rendering | None = None


def local_roots(rendering: Rendering, scope: Scope, evaluation: Evaluation) -> dict[str, Any]:
    """The names that a template's configurations have beside those in `scope`."""
    return {
        "inputs": _inputs(rendering, scope, evaluation),
        "parent": {"name": rendering.name},
        "template": {"name": rendering.template.name},
    }


def _inputs(rendering: Rendering, scope: Scope, evaluation: Evaluation) -> dict[str, Any]:
    """The inputs by name; they mean what they mean where they are given."""
    outer = scope
    if rendering.outer is not None:
        roots = local_roots(rendering.outer, scope, evaluation)
        outer = scope.with_roots(True, **roots, **rendering.config.local)
    nodes = {one.name: one.default for one in rendering.declared.inputs if one.default is not None}
    nodes.update(rendering.given)
    nodes.update(rendering.matrix)
    return {name: evaluation.tree(node, outer) for name, node in nodes.items()}


def rendered_configs(project: Project, context: Context) -> list[Config]:
    """All configurations, those that templates render in the place of what asks for them."""
    templates: dict[str, Config] = {}
    for config in project.configs:
        if config.kind == TEMPLATE and config.name is not None:
            templates[config.name] = config
    declared: dict[str, Inputs] = {
        name: declared_inputs(config.node, config.folder, context)
        for name, config in templates.items()
    }
    work = _Work(project, context, templates, declared)
    found: list[Config] = []
    for config in project.configs:
        if config.kind == RENDER:
            found += _rendered(work, config, None, 0)
        elif config.kind != TEMPLATE:
            found.append(config)
    return found


class _Work(Record, eq=False):
    project: Project
    context: Context
    templates: dict[str, Config]
    declared: dict[str, Inputs]


def _rendered(work: _Work, config: Config, outer: Rendering | None, depth: int) -> Iterator[Config]:
    """What one RenderTemplate renders."""
    context, node = work.context, config.node
    limit = context.limits.max_include_depth
    if depth >= limit:
        context.diagnostics.error(
            "limit_exceeded",
            config.span,
            f"templates may render one another {limit} deep (`max_include_depth`)",
            how_to_raise("max_include_depth", context.limits),
        )
        return
    template = _template(work, config)
    if template is None or template.name is None:
        return
    evaluation = work.project.evaluation
    scope = _scope(work, config, outer)
    if _is_disabled(node.get("disabled"), scope, evaluation):
        return
    given = _given(node.get("inputs"), context)
    if given is None:
        return
    declared = work.declared[template.name]
    for matrix in _matrix(node.get("matrix"), scope, evaluation):
        rendering = Rendering(config.name or "", config, template, declared, given, matrix, outer)
        check_names(declared, _names_given(node), config.span, template.name, context)
        yield from _configs(work, rendering, depth)


def _scope(work: _Work, config: Config, outer: Rendering | None) -> Scope:
    """What a RenderTemplate, or a template's configurations, can be told apart with."""
    scope = project_scope(work.project)
    if outer is None:
        return scope
    roots = local_roots(outer, scope, work.project.evaluation)
    return scope.with_roots(True, **roots, **config.local)


def _template(work: _Work, config: Config) -> Config | None:
    """The template that is asked for."""
    node = config.node.get("template")
    name = text_at(config.node, "template")
    found = work.templates.get(name) if name is not None else None
    if found is None:
        place = node.span if node is not None else config.span
        if name is None:
            summary = f"a {RENDER} names its `template`"
            work.context.diagnostics.error(CODE, place, summary)
        else:
            names = list(work.templates)
            listed = ", ".join(f"`{one}`" for one in sorted(names))
            hint = meant(name, names) or (f"the templates are {listed}" if names else None)
            summary = f"there is no {TEMPLATE} `{name}`"
            work.context.diagnostics.error("template_not_found", place, summary, hint)
    return found


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
        summary = "whether the template is rendered depends on what is not known"
        evaluation.context.diagnostics.error("undecidable", node.span, summary)
    else:
        evaluation.context.diagnostics.error(CODE, node.span, "`disabled` is a boolean")
    return True


def _names_given(node: Map) -> dict[str, Span]:
    """Where the names of what a template is given are written."""
    parts = (node.get("inputs"), node.get("matrix"))
    return {
        name: part.key_span(name) for part in parts if isinstance(part, Map) for name in part.items
    }


def _given(node: AnyNode | None, context: Context) -> dict[str, AnyNode] | None:
    if node is None or (isinstance(node, Scalar) and node.value is None):
        return {}
    if isinstance(node, Map):
        return dict(node.items)
    context.diagnostics.error(CODE, node.span, "`inputs` is a map of names to values")
    return None


def _matrix(node: AnyNode | None, scope: Scope, evaluation: Evaluation) -> list[dict[str, AnyNode]]:
    """The combinations of a matrix, one that is empty without any."""
    if node is None:
        return [{}]
    diagnostics = evaluation.context.diagnostics
    if not isinstance(node, Map):
        diagnostics.error(CODE, node.span, "`matrix` is a map of inputs to lists of values")
        return []
    rows: list[list[AnyNode]] = []
    for child in node.items.values():
        try:
            value = evaluation.value(child, scope)
        except Failure:
            return []
        if not isinstance(value, list):
            diagnostics.error(CODE, child.span, "the values in a `matrix` are a list")
            return []
        if isinstance(child, Array) and len(child.items) == len(value):
            rows.append(list(child.items))
        else:
            rows.append([to_node(item, child, evaluation.step) for item in value])
    count = 1
    for row in rows:
        count *= len(row)
    limits = evaluation.limits
    if count > limits.max_each:
        diagnostics.error(
            "limit_exceeded",
            node.span,
            f"a matrix may have {limits.max_each} combinations (`max_each`)",
            how_to_raise("max_each", limits),
        )
        return []
    return [dict(zip(node.items, combination, strict=True)) for combination in product(*rows)]


def _configs(work: _Work, rendering: Rendering, depth: int) -> Iterator[Config]:
    """The configurations of one use of a template."""
    evaluation = work.project.evaluation
    config = rendering.config
    scope = project_scope(work.project)
    scope = scope.with_roots(True, **local_roots(rendering, scope, evaluation))
    listed = rendering.template.node.get("configs")
    if listed is None:
        return
    try:
        for node, inner in _listed(listed, scope, evaluation):
            one = _named(node, inner, rendering, work)
            if one is None:
                continue
            if one.kind == RENDER:
                yield from _rendered(work, one, rendering, depth + 1)
            elif one.kind != TEMPLATE:
                yield one
            else:
                summary = f"a {TEMPLATE} cannot be rendered by a template"
                work.context.diagnostics.error(CODE, node.span, summary)
    except Failure as failure:
        evaluation.report(config.node if failure.node is None else listed, failure)


def _listed(node: AnyNode, scope: Scope, evaluation: Evaluation) -> Iterator[tuple[Map, Scope]]:
    """The maps that `configs` lists, with `$concat` and loops opened, and what each sees."""
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


_UNDECIDED: Final = "which configurations there are depends on what is not known"


def _opened(part: Part, scope: Scope, evaluation: Evaluation) -> Iterator[tuple[Map, Scope]]:
    """The map that an item of `configs` stands for."""
    if part.scope is None:
        value = force(part.value)
        if value is NONE:
            return
        if has_unknown(value) and isinstance(value, Unknown):
            evaluation.fail(part.node, "undecidable", _UNDECIDED)
        node = to_node(value, part.node, evaluation.step)
        if not isinstance(node, Map):
            evaluation.fail(part.node, CODE, f"a configuration is a map, not {_a(kind_of(node))}")
        yield node, scope
        return
    if isinstance(part.node, Template):
        value = evaluation.tree(part.node, part.scope)
        yield from _opened(Part(part.node, None, value), part.scope, evaluation)
        return
    if not isinstance(part.node, Map):
        evaluation.fail(part.node, CODE, f"a configuration is a map, not {_a(kind_of(part.node))}")
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
        evaluation.fail(part.node, CODE, "a configuration is a map, not an array")


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeio" else f"a {kind}"


def _named(node: Map, scope: Scope, rendering: Rendering, work: _Work) -> Config | None:
    """A configuration that a template renders, with its kind and name known."""
    evaluation, context = work.project.evaluation, work.context
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
            summary = f"`{key}` has to be known" if unknown else f"`{key}` is a string"
            evaluation.fail(child, "undecidable" if unknown else CODE, summary)
        texts[key] = value
        if isinstance(child, Template):
            items[key] = to_node(value, child, evaluation.step)
    folder = rendering.config.folder
    if "path" in texts:
        folder = context.files.resolve(texts["path"], folder)
    root = node.replacing(items, evaluation.step)
    part = Document(root, rendering.template.part.source, folder)
    own = {name: scope.roots[name] for name in scope.local if name not in _OWN}
    return Config(part, texts["kind"], texts.get("name"), folder, rendering, own)


def check_inputs(renderings: list[Rendering], scope: Scope, evaluation: Evaluation) -> None:
    """Reports inputs that do not have the types that are declared, once for each use."""
    for rendering in renderings:
        values = _inputs(rendering, scope, evaluation)
        given = {**rendering.given, **rendering.matrix}
        for one in rendering.declared.inputs:
            if one.name not in values or not (one.types or one.allowed):
                continue
            node = given.get(one.name)
            try:
                value = force(values[one.name])
            except Failure as failure:
                if node is not None:
                    evaluation.report(node, failure)
                continue
            span = node.span if node is not None else one.span
            check_value(one, value, span, evaluation.context)
