"""The blueprint file: its structure, read into records whose parts keep their places.

Of the specification, "Definition" and "Example"; mistakes in it are collected, and what is sound is
kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from ....functions.record import Record, field
from ...formats.go_yaml import plain
from ...values.diagnostics import Diagnostics, Note, suggestion
from ...values.source import Source, Span
from ...values.tree import AnyNode, Map, Scalar, at, list_at, text_at
from .fields import Form, fields_of, form
from .options import DEPLOY, EXPORT, IMPORT, SUBINSTALLATION

VERSION: Final = "landscaper.gardener.cloud/v1alpha1"
KIND: Final = "Blueprint"
GO_TEMPLATE, SPIFF = "GoTemplate", "Spiff"
ENGINES: Final = (GO_TEMPLATE, SPIFF)
DATA, TARGET, TARGET_LIST, TARGET_MAP = "data", "target", "targetList", "targetMap"
KINDS: Final = (DATA, TARGET, TARGET_LIST, TARGET_MAP)
_GONE: Final = ("componentDescriptor", "componentDescriptorList")
_TARGET_GROUP: Final = "landscaper.gardener.cloud/"

LISTS: Final = {
    IMPORT: "importExecutions",
    DEPLOY: "deployExecutions",
    SUBINSTALLATION: "subinstallationExecutions",
    EXPORT: "exportExecutions",
}
"""The field that has the executions of a phase."""

_BLUEPRINT: Final = form(
    "the blueprint",
    "apiVersion kind annotations:text-map jsonSchemaVersion jsonSchema:any localTypes:map "
    "imports:list importExecutions:list subinstallations:list subinstallationExecutions:list "
    "deployExecutions:list exports:list exportExecutions:list",
    "deployItems=deployExecutions",
)
_EXECUTION: Final = form("an execution", "name! type! file template:any")
_SCHEMAS: Final = "scheme=schema jsonSchema=schema"
_IMPORT: Final = form(
    "an import",
    "name! type required:bool default:map schema:any targetType imports:list",
    _SCHEMAS,
)
_EXPORT: Final = form("an export", "name! type schema:any targetType", _SCHEMAS)
_DEFAULT: Final = form("a default", "value:any")
FORMS: Final = {
    "blueprint": _BLUEPRINT,
    "import": _IMPORT,
    "export": _EXPORT,
    "execution": _EXECUTION,
    "default": _DEFAULT,
}
"""The forms of what a blueprint consists of, by name."""


class Declaration(Record, eq=False):
    """A declared import or export.

    `kind` is one of `KINDS`. `schema` is that of data, `target_type` the full type of targets.
    `default` is the value of a default, and `imports` are the nested imports; exports have neither.
    """

    name: str
    kind: str
    node: Map = field(repr=False)
    schema: AnyNode | None = field(default=None, repr=False)
    target_type: str = ""
    required: bool = True
    default: AnyNode | None = field(default=None, repr=False)
    imports: tuple[Declaration, ...] = ()

    @property
    def span(self) -> Span:
        """The place of the name."""
        return self.node.items.get("name", self.node).span

    def all(self) -> Iterator[Declaration]:
        """This one and those nested in it."""
        yield self
        for one in self.imports:
            yield from one.all()


class Execution(Record, eq=False):
    """A template of a phase; `template` is written inline, else `file` names where it is."""

    phase: str
    name: str
    engine: str
    node: Map = field(repr=False)
    template: AnyNode | None = field(default=None, repr=False)
    file: Scalar | None = None

    @property
    def slot(self) -> str:
        """The slot of its state; executions of subinstallations share those of deploy items."""
        return f"{EXPORT if self.phase == EXPORT else DEPLOY}{self.name}"

    @property
    def title(self) -> str:
        """What messages call it."""
        return f"{self.phase} execution `{self.name}`"


class Blueprint(Record, eq=False):
    """A blueprint as it is declared.

    `folder` is its root, for paths. `executions` are those of each phase, `subinstallations` the
    entries of the list as they are written.
    """

    source: Source
    root: Map = field(repr=False)
    folder: str
    annotations: Mapping[str, str] = field(factory=dict)
    local_types: Map | None = field(default=None, repr=False)
    imports: tuple[Declaration, ...] = ()
    exports: tuple[Declaration, ...] = ()
    executions: Mapping[str, tuple[Execution, ...]] = field(factory=dict)
    subinstallations: Sequence[AnyNode] = ()

    def all_imports(self) -> Iterator[Declaration]:
        """All imports, nested ones included."""
        for one in self.imports:
            yield from one.all()

    def all_executions(self) -> Iterator[Execution]:
        """The executions of all phases."""
        for listed in self.executions.values():
            yield from listed


def read_blueprint(
    root: AnyNode, source: Source, folder: str, told: Diagnostics
) -> Blueprint | None:
    """The blueprint in a tree; None when it is none at all."""
    if not isinstance(root, Map) or not _is_blueprint(root, told):
        if not isinstance(root, Map):
            told.error("blueprint_kind", root.span, "a blueprint is a map", _HEAD)
        return None
    found = fields_of(root, _BLUEPRINT, told)
    made = Blueprint(
        source,
        root,
        folder,
        plain(found["annotations"]) if "annotations" in found else {},
        found.get("localTypes"),  # type: ignore[arg-type]
        tuple(_declarations(list_at(found, "imports"), _IMPORT, told)),
        tuple(_declarations(list_at(found, "exports"), _EXPORT, told)),
        {
            phase: tuple(_executions(list_at(found, name), phase, told))
            for phase, name in LISTS.items()
        },
        list_at(found, "subinstallations"),
    )
    report_duplicates("import", (one.node for one in made.all_imports()), told)
    report_duplicates("export", (one.node for one in made.exports), told)
    return made


_HEAD: Final = f"it begins with `apiVersion: {VERSION}` and `kind: {KIND}`"


def _is_blueprint(root: Map, told: Diagnostics) -> bool:
    before = told.errors
    keys = {key.lower(): node for key, node in root.items.items()}
    for name, wanted in (("apiVersion", VERSION), ("kind", KIND)):
        node = keys.get(name.lower())
        if node is None:
            told.error("blueprint_kind", root.span, f"the blueprint has no `{name}`", _HEAD)
        elif not isinstance(node, Scalar) or node.value != wanted:
            told.error("blueprint_kind", node.span, f"`{name}` must be `{wanted}`", _HEAD)
    return told.errors == before


def _declarations(nodes: Iterable[AnyNode], form: Form, told: Diagnostics) -> Iterator[Declaration]:
    for one in nodes:
        found = fields_of(one, form, told)
        name = text_at(found, "name")
        kind = _kind(found, one, form, told) if found else None
        if not name or kind is None or not isinstance(one, Map):
            continue
        required = getattr(found.get("required"), "value", True)
        target = _target_type(kind, found, told)
        made = Declaration(name, kind, one, found.get("schema"), target, required)
        if "default" in found:
            default = fields_of(found["default"], _DEFAULT, told).get("value")
            if default is not None and made.required:
                summary = (
                    f"the default of the import `{name}` is never used: the import is required"
                )
                told.warn("default_of_required", default.span, summary, "add `required: false`")
            made = made.evolve(default=default)
        if "imports" in found:
            place = found["imports"].span
            if made.required:
                summary = f"the import `{name}` is required, so it cannot have conditional imports"
                told.error("conditional_of_required", place, summary, "add `required: false`")
            elif kind != DATA:
                summary = f"conditional imports of the import `{name}` are never looked at"
                told.warn("conditional_of_target", place, summary, "only those of data imports are")
            nested = _declarations(list_at(found, "imports"), _IMPORT, told)
            made = made.evolve(imports=tuple(nested))
        yield made


def _kind(found: Mapping[str, AnyNode], node: AnyNode, form: Form, told: Diagnostics) -> str | None:
    """The kind of an import or export, given or inferred; None for one that cannot be told."""
    name = text_at(found, "name")
    schema, target = found.get("schema"), found.get("targetType")
    given = text_at(found, "type")
    place = found.get("type", node).span
    known = KINDS if form is _IMPORT else KINDS[:2]
    if given and given not in known:
        gone = given in _GONE
        summary = f"the type `{given}` {'is no longer supported' if gone else 'does not exist'}"
        hint = None if gone else suggestion(given, known) or f"available: {', '.join(known)}"
        told.error("import_kind_unsupported", place, summary, hint)
        return None
    if not given and "type" in found:
        return None
    if not given and (schema is None) == (target is None):
        code = "field_required" if schema is None else "field_conflict"
        words = "neither" if schema is None else "both"
        and_ = "nor" if schema is None else "and"
        what = form.what.removeprefix("an ")
        summary = f"the {what} `{name}` has no `type`, and {words} `schema` {and_} `targetType`"
        told.error(code, node.span, summary)
        return None
    kind = given or (DATA if schema is not None else TARGET)
    wanted, other = ("schema", "targetType") if kind == DATA else ("targetType", "schema")
    if wanted not in found:
        told.error("field_required", node.span, f"{form.what} of type `{kind}` has no `{wanted}`")
    if other in found:
        summary = f"{form.what} of type `{kind}` cannot have a `{other}`"
        told.error("field_conflict", found[other].span, summary)
    return kind


def _target_type(kind: str, found: Mapping[str, AnyNode], told: Diagnostics) -> str:
    written = text_at(found, "targetType")
    if not written or "/" in written:
        return written
    if kind == TARGET_MAP:
        summary = f"`{written}` is not completed for a targetMap"
        hint = f"write `{_TARGET_GROUP}{written}`"
        told.warn("target_type_prefix", found["targetType"].span, summary, hint)
        return written
    return _TARGET_GROUP + written


def _executions(nodes: Iterable[AnyNode], phase: str, told: Diagnostics) -> Iterator[Execution]:
    report_duplicates(f"{phase} execution", nodes, told)
    for one in nodes:
        found = fields_of(one, _EXECUTION, told)
        if not isinstance(one, Map) or not found:
            continue
        engine = text_at(found, "type")
        if engine and engine not in ENGINES:
            hint = suggestion(engine, ENGINES) or f"available: {', '.join(ENGINES)}"
            summary = f"unknown template type `{engine}`"
            told.error("template_type_unknown", found["type"].span, summary, hint)
        template, file = found.get("template"), found.get("file")
        if template is not None and file is not None:
            summary = "the execution has a template inline, so its `file` is ignored"
            told.warn("template_and_file", file.span, summary, "remove one of them")
        elif template is None and not text_at(found, "file"):
            summary = "the execution has neither a `template` nor a `file`"
            told.error("template_missing", one.span, summary)
        is_text = isinstance(getattr(template, "value", None), str)
        if template is not None and engine == GO_TEMPLATE and not is_text:
            hint = "write it as a block: `template: |`"
            told.error("field_type", template.span, "a GoTemplate must be a string", hint)
            template = None
        file = file if isinstance(file, Scalar) and template is None else None
        yield Execution(phase, text_at(found, "name"), engine, one, template, file)


def report_duplicates(what: str, nodes: Iterable[AnyNode], told: Diagnostics) -> None:
    """Reports each `name` that two of the nodes have."""
    seen: dict[str, AnyNode] = {}
    for one in nodes:
        node = at(one, "name")
        name = getattr(node, "value", None)
        if node is None or not isinstance(name, str):
            continue
        if name in seen:
            note = Note("it is the name of this one, too", seen[name].span)
            told.error("duplicate_name", node.span, f"there are two {what}s `{name}`", None, note)
        seen.setdefault(name, node)


def find_cycle(after: Mapping[str, Iterable[str]]) -> list[str]:
    """A cycle of names that each depend on the next, its first one twice; empty without any."""
    from graphlib import CycleError, TopologicalSorter

    try:
        TopologicalSorter(after).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []
