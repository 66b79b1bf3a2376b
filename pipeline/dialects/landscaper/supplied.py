"""The files that options name, read by the rules of YAML 1.1, and the state of a deployment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ....functions.record import Record, field
from ...engine.run import Context
from ...formats.go_yaml import as_floats, plain, read_go
from ...values.diagnostics import Diagnostic, meant
from ...values.source import Source, Span
from ...values.tree import AnyNode, Array, Map, Scalar, Trail, build
from ...world.files import FileProblem, decode_text
from .options import BlueprintOptions, Given

_INPUT: Final = "/dev/stdin"
OUTCOMES: Final = ("deployitems", "dataobjects", "targets")
"""What a state tells of a finished deployment."""

_STATE: Final = (*OUTCOMES, "state")


class Known(Record):
    """What is known of the deployment of an installation.

    `deployitems` are the exports of items, `dataobjects` and `targets` what subinstallations export
    under these names, None for each that the state says nothing of. `slots` are the states of
    executions, `installations` is what is known of subinstallations by their path.
    """

    deployitems: Map | None = None
    dataobjects: Map | None = None
    targets: Map | None = None
    slots: Map | None = None
    installations: Mapping[str, Known] = field(factory=dict)

    def values(self) -> Iterator[Any]:
        """All that is known, as plain data."""
        for node in (self.deployitems, self.dataobjects, self.targets, self.slots):
            yield plain(node) if node is not None else None
        for one in self.installations.values():
            yield from one.values()

    @property
    def finished(self) -> bool:
        """True when exports can be computed."""
        return any(getattr(self, name) is not None for name in OUTCOMES)


class Supplied(Record, eq=False):
    """What a caller gives: values of imports by name, Targets by import or by their own name."""

    imports: Mapping[str, AnyNode] = field(factory=dict)
    variables: Mapping[str, Any] = field(factory=dict)
    targets: Mapping[str, AnyNode] = field(factory=dict)
    named_targets: Mapping[str, AnyNode] = field(factory=dict)
    known: Known = Known()

    def values(self) -> Iterator[tuple[str, Any]]:
        """All that is given as plain data, each with the words that messages have for it."""
        given = [*self.imports.items(), *self.targets.items()]
        yield from ((f"(imports.{name})", _private(plain(node))) for name, node in given)
        yield from ((f"(imports.{name})", value) for name, value in self.variables.items())
        yield from (("(target)", _private(plain(node))) for node in self.named_targets.values())
        yield from (("(state)", one) for one in self.known.values())


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


def read_supplied(options: BlueprintOptions, context: Context) -> Supplied:
    """Reads the values of imports, the Targets and the state; mistakes go to the context."""
    imports: dict[str, AnyNode] = {}
    for given in options.imports:
        for name, node in _section(given, "imports", context):
            imports[name] = node
    targets: dict[str, AnyNode] = {}
    named: dict[str, AnyNode] = {}
    for given in options.targets:
        for one in _documents(read_given(given, context, documents=True)):
            section = one.get("targets") if isinstance(one, Map) else None
            if isinstance(section, Map):
                targets.update(section.items)
            elif name := _name(one):
                named[name] = one
            else:
                summary = "this is neither a Target nor `targets: {import: Target}`"
                context.diagnostics.error("target_type", one.span, summary, "add `metadata.name`")
    known = Known()
    if options.state is not None:
        root = read_given(options.state, context)
        if root is not None and not _is_null(root):
            known = _known(root, context)
    return Supplied(imports, options.variables, targets, named, known)


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
        if isinstance(text, FileProblem):
            raise text
    except FileProblem as problem:
        report_problem(problem, context)
        return None
    source = Source(shown, text, "yaml", given)
    return read_go(source, context.meter, context.diagnostics, documents=documents)


def report_problem(problem: FileProblem, context: Context, span: Span | None = None) -> None:
    """Reports a file that cannot be read, at the place that names it."""
    item = Diagnostic(problem.code, problem.message, span or problem.span, hint=problem.hint)
    context.diagnostics.add(item)


def _section(given: Given, key: str, context: Context) -> Iterator[tuple[str, AnyNode]]:
    """The entries of a map below a key of a file; of plain data the key may be missing."""
    root = read_given(given, context)
    if root is None:
        return
    section = root.get(key) if isinstance(root, Map) else None
    if section is None and isinstance(root, Map) and not isinstance(given, str):
        section = root
    if _is_null(section or root):
        return
    if not isinstance(section, Map):
        place = section.span if section is not None else root.span
        summary = f"the file has no map `{key}`"
        context.diagnostics.error("field_type", place, summary, f"write `{key}: {{name: value}}`")
        return
    yield from section.items.items()


def _is_null(node: AnyNode) -> bool:
    return isinstance(node, Scalar) and node.value is None


def _documents(root: AnyNode | None) -> list[AnyNode]:
    if root is None:
        return []
    return root.items if isinstance(root, Array) else [root]


def _name(node: AnyNode) -> str:
    """The name of a Target by its metadata, empty without one."""
    metadata = node.get("metadata") if isinstance(node, Map) else None
    name = metadata.get("name") if isinstance(metadata, Map) else None
    return name.value if isinstance(name, Scalar) and isinstance(name.value, str) else ""


def _known(root: AnyNode, context: Context, top: bool = True) -> Known:
    """The state in a tree."""
    told = context.diagnostics
    allowed = (*_STATE, "installations") if top else _STATE
    if not isinstance(root, Map):
        told.error("invalid_state", root.span, "a state is a map", f"keys: {', '.join(allowed)}")
        return Known()
    found: dict[str, Map] = {}
    for key, node in root.items.items():
        if key not in allowed:
            hint = meant(key, allowed) or f"available: {', '.join(allowed)}"
            told.error("invalid_state", root.key_span(key), f"a state has no `{key}`", hint)
        elif isinstance(node, Map):
            found[key] = node
        elif not _is_null(node):
            told.error("invalid_state", node.span, f"`{key}` must be a map")
    inner = found.pop("installations", None)
    children = {
        path: _known(node, context, False)
        for path, node in (inner.items if inner is not None else {}).items()
    }
    slots = found.pop("state", None)
    return Known(**found, slots=slots, installations=children)
