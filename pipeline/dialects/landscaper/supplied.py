"""The files that options name, read by the rules of YAML 1.1, and the state of a deployment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from ....functions.record import Record
from ...engine.run import Context
from ...formats.go_yaml import as_floats, plain, read_go
from ...values.diagnostics import Diagnostic, meant
from ...values.source import Source, Span
from ...values.tree import AnyNode, Array, Map, Scalar, Trail, at, build, items_at, text_at
from ...world.files import FileProblem, decode_text
from .blueprint import DATA, Blueprint
from .options import BlueprintOptions, Given

_INPUT: Final = "/dev/stdin"
OUTCOMES: Final = ("deployitems", "dataobjects", "targets")
"""What a state tells of a finished deployment."""

_STATE: Final = (*OUTCOMES, "state")


Known: TypeAlias = Mapping[str, Map]
"""What is known of the deployment of an installation.

`deployitems` are the exports of items, `dataobjects` and `targets` what subinstallations export
under these names, `state` the states of executions; each is there when the state tells of it.
"""


class Supplied(Record, eq=False):
    """What a caller gives: values of imports by name, and what is known of installations by path.

    `variables` are values of imports as they are written (`--var`), which win.
    """

    imports: Mapping[str, AnyNode]
    variables: Mapping[str, Any]
    known: Mapping[str, Known]

    def private(self) -> Iterator[tuple[str, Any]]:
        """All that is given as plain data, each with the words that messages have for it."""
        for name, node in self.imports.items():
            yield f"(imports.{name})", _private(plain(node))
        yield from ((f"(imports.{name})", value) for name, value in self.variables.items())
        for known in self.known.values():
            yield from (("(state)", plain(node)) for node in known.values())


def _private(data: Any) -> Any:
    """The data without what everybody sees of a Target: its names and its type."""
    if isinstance(data, list):
        return [_private(one) for one in data]
    if not isinstance(data, dict):
        return data
    spec = data.get("spec")
    if isinstance(spec, dict) and "type" in spec:
        return [value for key, value in spec.items() if key != "type"]
    return {key: _private(one) for key, one in data.items()}


def read_supplied(options: BlueprintOptions, blueprint: Blueprint, context: Context) -> Supplied:
    """Reads the values of imports, the Targets and the state; mistakes go to the context."""
    imports: dict[str, AnyNode] = {}
    for given in options.imports:
        imports.update(_section(given, "imports", context))
    targets: dict[str, AnyNode] = {}
    named: dict[str, AnyNode] = {}
    for given in options.targets:
        root = read_given(given, context, documents=True)
        for one in root.items if isinstance(root, Array) else [root] if root is not None else []:
            if isinstance(at(one, "targets"), Map):
                targets.update(items_at(one, "targets"))
            elif name := text_at(one, "metadata", "name"):
                named[name] = one
            else:
                summary = "this is neither a Target nor `targets: {import: Target}`"
                context.diagnostics.error("target_type", one.span, summary, "add `metadata.name`")
    kinds = {one.name: one.kind for one in blueprint.all_imports()}
    values = {
        **{name: node for name, node in named.items() if name not in kinds},
        **imports,
        **{name: node for name, node in named.items() if kinds.get(name, DATA) != DATA},
        **targets,
    }
    state = None if options.state is None else read_given(options.state, context)
    return Supplied(values, options.variables, dict(_known(state, options.name, context)))


def read_given(given: Given, context: Context, documents: bool = False) -> AnyNode | None:
    """The tree of a file that the user names, or of plain data; None after mistakes.

    With `documents` an array of those of the file.
    """
    if not isinstance(given, str):
        return build(as_floats(given), Trail(Source("<options>", "")), 0, 0)
    shown = "<stdin>" if given == "-" else given
    try:
        data = context.files.open_input(_INPUT if given == "-" else given)
        text = decode_text(data, shown)
    except FileProblem as problem:
        report_problem(problem, context)
        return None
    source = Source(shown, text, "yaml", given)
    return read_go(source, context.meter, context.diagnostics, documents=documents)


def report_problem(problem: FileProblem, context: Context, span: Span | None = None) -> None:
    """Reports a file that cannot be read, at the place that names it."""
    item = Diagnostic(problem.code, problem.message, span or problem.span, hint=problem.hint)
    context.diagnostics.add(item)


def _section(given: Given, key: str, context: Context) -> Iterable[tuple[str, AnyNode]]:
    """The entries of a map below a key of a file; of plain data the key may be missing."""
    root = read_given(given, context)
    section = at(root, key)
    if section is None and isinstance(root, Map) and not isinstance(given, str):
        section = root
    beside = [one for one in root.items if one != key] if isinstance(root, Map) else []
    place = section or root
    if place is not None and not _is_null(place) and not isinstance(section, Map):
        near = next((one for one in beside if meant(one, (key,))), None)
        summary, hint = f"the file has no map `{key}`", f"write `{key}: {{name: value}}`"
        if near:
            hint = f"write `{key}`, not `{near}`"
        context.diagnostics.error("field_type", place.span, summary, hint)
    elif isinstance(root, Map) and section is not root:
        for one in beside:
            context.meter.work(1)
            summary = f"`{one}` stands beside `{key}`, so it is ignored"
            hint = f"move it into `{key}`, or take it out"
            context.diagnostics.warn("unknown_field", root.key_span(one), summary, hint)
    return items_at(section)


def _is_null(node: AnyNode) -> bool:
    return isinstance(node, Scalar) and node.value is None


def _known(root: AnyNode | None, name: str, context: Context) -> Iterator[tuple[str, Known]]:
    """What a state tells of the installation of that name, and of those in it, by their paths."""
    inside: Iterable[tuple[str, AnyNode]] = ()
    if root is not None and not _is_null(root):
        known = _sections(root, (*_STATE, "installations"), context)
        inside = items_at(known.pop("installations", None))
        yield name, known
    for path, node in inside:
        if path != name:
            yield path, _sections(node, _STATE, context)


def _sections(root: AnyNode, allowed: tuple[str, ...], context: Context) -> dict[str, Map]:
    """The maps of a state."""
    told = context.diagnostics
    listed = ", ".join(allowed)
    if not isinstance(root, Map):
        told.error("invalid_state", root.span, "a state is a map", f"keys: {listed}")
        return {}
    for key, node in root.items.items():
        if key not in allowed:
            hint = meant(key, allowed) or f"available: {listed}"
            told.error("invalid_state", root.key_span(key), f"a state has no `{key}`", hint)
        elif not isinstance(node, Map) and not _is_null(node):
            told.error("invalid_state", node.span, f"`{key}` must be a map")
    return {key: one for key, one in root.items.items() if key in allowed and isinstance(one, Map)}
