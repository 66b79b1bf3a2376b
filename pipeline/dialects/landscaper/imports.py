"""The values of imports: given, defaulted or stubbed, checked, and conditional ones below them.

Of the specification, "Import Definitions".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ....functions.gotemplate.kinds import Absent
from ...formats.go_yaml import read_go
from ...values.diagnostics import Names, Note, suggestion
from ...values.source import Source
from ...values.tree import AnyNode, Array, Map, Scalar, Trail, at, build, text_at
from .blueprint import DATA, TARGET_LIST, TARGET_MAP, VERSION, Declaration
from .installation import DEFAULT, GIVEN, STUB, Installation, Value

_ONLY: Final = "default"
"""The key of the one Target that a stub of a map has."""


def resolve_imports(work: Installation, given: Mapping[str, AnyNode | Absent]) -> None:
    """Finds the value of each import of an installation, and reports those that do not fit.

    `given` are values by name; a value that is not known yet is `Absent`.
    """
    work.told.stage = "imports"
    for one in work.blueprint.imports:
        _resolve(one, given, work)
    if "/" not in work.path:
        _report_undeclared(work, given)


def _resolve(one: Declaration, given: Mapping[str, AnyNode | Absent], work: Installation) -> None:
    found, how = given.get(one.name), GIVEN
    if found is None and work.options.stub_targets and one.kind != DATA:
        found, how = _stub(one, work), STUB
    if found is None and one.default is not None and not one.required and one.kind == DATA:
        found, how = one.default, DEFAULT
    if found is None:
        if one.required:
            _report_missing(one, work)
        return
    node, unknown = (None, found) if isinstance(found, Absent) else (found, None)
    work.values[one.name] = Value(one.name, node, how, one, "", unknown)
    work.active[one.name] = one
    if node is None:
        return
    if one.kind != DATA:
        check_targets(node, one, work)
        return
    if one.schema is not None:
        place = f"import `{one.name}`"
        work.told.extend(work.schemas.problems(node, one.schema, place, "import_schema"))
    for inner in one.imports if not one.required else ():
        _resolve(inner, given, work)


def _report_missing(one: Declaration, work: Installation) -> None:
    kind = f" of type {one.kind}"
    hint = f"give it in a file of `--imports`, or with `--var {one.name}=VALUE`"
    if one.kind != DATA:
        hint = "give it in a file of `--targets` or `--imports`, or add `--stub-targets`"
    summary = f"the import `{one.name}`{kind} has no value"
    if "/" in work.path:
        summary = f"the import `{one.name}`{kind} of `{work.path}` has no value"
        hint = "add it to the imports or the importDataMappings of the subinstallation"
    work.told.error("import_missing", one.span, summary, hint)


def _stub(one: Declaration, work: Installation) -> AnyNode:
    """The value of a target import that nobody gave."""
    trail = Trail(Source(f"<stub of {one.name}>", ""))
    target = {
        "apiVersion": VERSION,
        "kind": "Target",
        "metadata": {"name": one.name, "namespace": work.options.namespace},
        "spec": {"type": one.target_type, "config": {}},
    }
    shapes: Mapping[str, Any] = {TARGET_LIST: [target], TARGET_MAP: {_ONLY: target}}
    return build(shapes.get(one.kind, target), trail, 0, 0)


_SHAPES: Final = {TARGET_LIST: (Array, "list"), TARGET_MAP: (Map, "map")}


def check_targets(node: AnyNode, one: Declaration, work: Installation) -> None:
    """Reports what is no Target of the type that an import has."""

    def wrong(place: AnyNode, words: str, hint: str) -> None:
        note = Note("the import is declared here", one.span)
        work.told.error("target_type", place.span, f"the import `{one.name}` {words}", hint, note)

    shape, word = _SHAPES.get(one.kind, (object, ""))
    form = "a Target has `metadata` and `spec`, with `spec.type`"
    if not isinstance(node, shape):
        wrong(node, f"must be a {word} of Targets", form)
        return
    listed: Any = getattr(node, "items", ()) if word else (node,)
    for target in listed.values() if isinstance(listed, dict) else listed:
        kind = at(target, "spec", "type")
        if not isinstance(kind, Scalar) or not isinstance(kind.value, str):
            wrong(kind or target, "is no Target with a `spec.type`", form)
        elif kind.value != one.target_type:
            wrong(kind, "has a Target of another type", f"`{one.target_type}` is declared")


def _report_undeclared(work: Installation, given: Mapping[str, AnyNode | Absent]) -> None:
    """Warns of values that no template gets."""
    declared = {one.name for one in work.blueprint.all_imports()}
    names = Names(declared)
    work.told.quoting.declare(declared)
    for name, node in given.items():
        if name in work.active or isinstance(node, Absent):
            continue
        if name in declared:
            summary = f"the value of `{name}` is not used: the import that it depends on has none"
            hint = None
        else:
            summary = f"the blueprint declares no import `{name}`"
            hint = suggestion(name, names)
        work.told.warn("import_not_declared", node.span, summary, hint)


def given_values(work: Installation) -> dict[str, AnyNode]:
    """The values that the caller gives to the imports of the root."""
    declared = {one.name: one for one in work.blueprint.all_imports()}
    variables = work.supplied.variables.items()
    named = {name: _variable(name, value, declared.get(name), work) for name, value in variables}
    return {**work.supplied.imports, **named}


def _variable(name: str, value: Any, one: Declaration | None, work: Installation) -> AnyNode:
    """A value of the command line: text where the schema says so, else YAML."""
    written = value if isinstance(value, str) else ""
    source = Source(f"--var {name}", written, "yaml")
    node: AnyNode | None = None
    if isinstance(value, str) and text_at(one.schema if one else None, "type") != "string":
        node = read_go(source, work.context.meter, work.told)
    return node if node is not None else build(value, Trail(source), 0, len(written))
