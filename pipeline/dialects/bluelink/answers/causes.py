"""The documents of a run of a blueprint, and the causes of the values in them."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from functools import partial
from typing import Any, Final, Self

from .....functions.record import field
from .....functions.values import Unknown
from ....answers.explanation import (
    KNOWN,
    NONE_VALUE,
    PARTLY,
    RESIDUAL,
    SECRET,
    UNUSED,
    WITHHELD,
    Cause,
)
from ....answers.levels import Level, causes_in
from ....answers.nodes import Places, child_counterpart
from ....answers.paths import Path
from ....answers.tracing import ABSENT, Trace, trace_in
from ....answers.values import status_of
from ....engine.inputs import MISSING, Variable
from ....engine.materialisation import flag_of, label, text_of
from ....engine.run import Work
from ....engine.string_evaluation import plain_value
from ....language.errors import Failure, LanguageError
from ....values.expression import Reference
from ....values.source import Span
from ....values.tree import AnyNode, Array, Map, Scalar, Template
from ..evaluating.evaluation import Evaluation
from ..evaluating.filters import FilterError, field_path, get_path, matches
from ..evaluating.inputs import ENVIRONMENT_PREFIX
from ..evaluating.scope import Frame


class BlueprintLevel(Level, eq=False):
    """One blueprint of a run; `parent` is the level that includes it, `work` that of its run."""

    parent: BlueprintLevel | None = None
    work: Work = field(factory=Work)

    @property
    def evaluation(self) -> Evaluation | None:
        """The evaluation of the document; None when the run stopped before."""
        return self.work.find(Evaluation)

    @property
    def reveals(self) -> bool:
        return self.evaluation is not None and self.evaluation.reveal

    @property
    def base(self) -> Map:
        """See `Level.base`: the tree after the transforms."""
        if self.work.written is not None:
            return self.work.written.root
        return self.stages[-1][1].root if self.stages else self.document.root

    @property
    def functions(self) -> Container[str]:
        return self.evaluation.context.functions if self.evaluation is not None else ()

    @property
    def included(self) -> tuple[Span, ...]:
        if self.evaluation is None:
            return ()
        return tuple(step.span for step in self.evaluation.context.way)

    def child(self, name: str) -> Self | None:
        """The level of a child blueprint that was opened."""
        child = self.document.children.get(name)
        if child is None:
            return None
        work = self.work.child(name) or Work()
        way = (*self.way, name)
        return type(self)(child, tuple(work.stages), self.run, way=way, parent=self, work=work)

    def inside(self, path: Path) -> tuple[Self, Path]:
        """See `Level.inside`; of a path to a child's document itself nothing is left."""
        level: Self = self
        while len(path) > 1 and path[0] == "children":
            child = level.child(str(path[1]))
            if child is None:
                break
            level, path = child, path[2:]
        return level, path

    def all(self) -> Iterator[Level]:
        yield self
        for name in self.document.children:
            child = self.child(name)
            if child is not None:
                yield from child.all()

    def definition(self, section: str, name: str) -> Map | None:
        """A definition of the document before anything was computed."""
        found = self.base.get(section)
        node = found.get(name) if isinstance(found, Map) else None
        return node if isinstance(node, Map) else None

    def frame_of(self, path: Path) -> Frame | None:
        """The template and the index of an instance, `resources.<template>_<index>`, or None.

        The index may lie beyond the last element.
        """
        if len(path) < 2 or path[0] != "resources":
            return None
        name = str(path[1])
        if self.definition("resources", name) is not None:
            return None
        template, _, digits = name.rpartition("_")
        number = digits.isascii() and digits.isdigit() and str(int(digits)) == digits
        found = self.definition("resources", template) if number else None
        if found is None or found.get("each") is None:
            return None
        return Frame(template, int(digits))

    def count(self, template: str) -> int:
        """How many elements a resource template has; 0 when that was not computed."""
        try:
            return len(self.evaluation.elements(template)) if self.evaluation else 0
        except Failure:
            return 0

    def earlier(self, path: Path) -> Path:
        """See `Level.earlier`: an instance was its template."""
        frame = self.frame_of(path)
        return path if frame is None else (path[0], frame.template, *path[2:])

    def traced(self, path: Path, template: Template) -> Trace:
        if self.evaluation is None:
            return Trace((), (), ABSENT)
        return trace(self.evaluation, self.frame_of(path), template)

    def instances(self, path: Path) -> Sequence[Path]:
        """See `Level.instances`: of a resource template, but for its list."""
        name = str(path[1]) if len(path) > 2 and path[0] == "resources" else ""
        definition = self.definition("resources", name)
        if definition is None or definition.get("each") is None or path[2] == "each":
            return (path,)
        return [("resources", f"{name}_{index}", *path[2:]) for index in range(self.count(name))]

    def origin(
        self, above: AnyNode | None, key: str, node: AnyNode, places: Places
    ) -> tuple[AnyNode | None, Level | None]:
        """See `Level.origin`: of a section, a resource or a child."""
        if above is None:
            child = self.child(key)
            return (child.base, child) if child is not None else (None, None)
        if above is self.base:
            if key == "children":
                return None, self
            written = child_counterpart(above, key, node, places)
            return written, self if key == "resources" else None
        frame = self.frame_of(("resources", key))
        if frame is not None:
            return self.definition("resources", frame.template), None
        return child_counterpart(above, key, node, places), None

    def reference(self, above: AnyNode | None, key: str, written: AnyNode) -> str | None:
        """See `Level.reference`: the value of an export comes from its field."""
        if key != "value" or not isinstance(above, Map) or above.get("field") is not written:
            return None
        return str(written.value) if isinstance(written, Scalar) else None


# The giver of a data source's values: the state, a record, or a provider.


def answered_by(level: BlueprintLevel, name: str) -> str | None:
    """The giver of a data source's values in a few words; None if it has none in this run."""
    evaluation = level.evaluation
    definition = level.definition("datasources", name)
    if evaluation is None or definition is None:
        return None
    if name in evaluation.context.state.datasources:
        return "the state"
    try:
        if evaluation.answer(name) is None:
            return None
    except Failure:
        return None
    type_name = text_of(definition.get("type")) or ""
    if type_name not in evaluation.context.records:
        return f"a provider of `{type_name}`"
    number = _first_match(level, name, definition, type_name)
    return f"record {number} of `{type_name}`" if number else f"a record of `{type_name}`"


def _first_match(level: BlueprintLevel, name: str, definition: Map, type_name: str) -> int | None:
    """The 1-based number of the first record that passes the filters."""
    assert level.evaluation is not None
    asked = []
    for node in _filters(definition):
        search = node.get("search")
        if search is None:
            return None
        value = level.evaluation.value_of(search, Reference("datasources", (name,)), None)
        asked.append((text_of(node.get("field")) or "", text_of(node.get("operator")) or "", value))
    for number, record in enumerate(level.evaluation.context.records[type_name], 1):
        try:
            found = [(get_path(record, field_path(field)), how, what) for field, how, what in asked]
            if all(there and matches(value, how, what) for (there, value), how, what in found):
                return number
        except FilterError:
            return None
    return None


def _filters(definition: Map) -> Iterator[Map]:
    node = definition.get("filter")
    for item in node.items if isinstance(node, Array) else [node]:
        if isinstance(item, Map):
            yield item


_DEEPEST: Final = 60
_STEPS_A_CAUSE: Final = 20
_LATER: Final = "known after deployment"


class Causes:
    """Finds the causes of parts of documents; each is explained in full once."""

    def __init__(self) -> None:
        self._explained: dict[Any, bool] = {}
        self._depth = 0
        self._traces: dict[Any, Trace] = {}

    def _trace(self, level: BlueprintLevel, frame: Frame | None, node: Template) -> Trace:
        """What a template used; one that several things are made of is looked at once."""
        assert level.evaluation is not None
        key = level.way, id(node), frame  # the document keeps its nodes
        found = self._traces.get(key)
        if found is None:
            found = self._traces[key] = trace(level.evaluation, frame, node)
        return found

    def of_node(
        self,
        level: BlueprintLevel,
        node: AnyNode | None,
        frame: Frame | None,
        withheld: bool = False,
    ) -> tuple[Cause, ...]:
        """What the templates in a part of a document refer to and call, each once.

        `withheld` is for what a secret is computed from: no values are shown.
        """
        if level.evaluation is None or self._depth > _DEEPEST:
            return ()
        self._depth += 1
        causes = causes_in(
            node,
            partial(self._trace, level, frame),
            lambda use: self.of_reference(level, use.reference, use.value, frame, withheld),
            partial(_function, level),
        )
        self._depth -= 1
        return causes

    def of_reference(
        self,
        level: BlueprintLevel,
        reference: Reference,
        value: Any,
        frame: Frame | None,
        withheld: bool,
    ) -> Cause:
        """A reference as a cause; `value` is ABSENT for one in a branch that is not taken."""
        evaluation = level.evaluation
        assert evaluation is not None
        kind = _KINDS[reference.root]
        name = label(reference)
        # as often as a value is shown, however often it is the same
        size = evaluation.budget.size(value.partial if isinstance(value, Unknown) else value)
        evaluation.context.meter.work(_STEPS_A_CAUSE + size)
        if value is ABSENT:
            return Cause(kind, name, UNUSED, way=level.way)
        key = (level.way, name, frame if reference.root in ("elem", "i") else None)
        status = status_of(value)
        if withheld and status in (KNOWN, PARTLY, RESIDUAL):
            status = WITHHELD
        shown = (
            None if status in (SECRET, WITHHELD, NONE_VALUE) else plain_value(value, level.language)
        )
        repeated = key in self._explained
        self._explained.setdefault(key, False)
        kind, how, span, causes = self._details(level, reference, frame, repeated, withheld)
        if causes:
            self._explained[key] = True
        repeated = repeated and self._explained[key]
        return Cause(kind, name, status, shown, how, span, level.way, causes, repeated)

    def of_field(self, level: BlueprintLevel, field: AnyNode | None) -> tuple[Cause, ...]:
        """The cause that an export's field refers to."""
        reference = field_reference(level, field)
        if reference is None or level.evaluation is None:
            return ()
        reference = Reference(reference.root, reference.path)
        try:
            value = level.evaluation.at(None).resolve(reference)
        except Failure:
            return ()
        return (self.of_reference(level, reference, value, None, False),)

    def _details(
        self,
        level: BlueprintLevel,
        reference: Reference,
        frame: Frame | None,
        repeated: bool,
        withheld: bool,
    ) -> tuple[str, str, Span | None, tuple[Cause, ...]]:
        """The kind of a cause, its giver, where that is written, and its own causes."""
        path = reference.path
        node: AnyNode | None
        match reference.root:
            case "variables":
                return "variable", *self._variable(level, str(path[0]), repeated)
            case "values":
                definition = level.definition("values", str(path[0]))
                node = _inside(definition.get("value") if definition else None, path[1:])
                secret = definition is not None and flag_of(definition.get("secret"))
                withheld = withheld or (secret and not level.reveals)
                return "value", "", *self._written(level, node, None, repeated, withheld)
            case "resources":
                return self._resource(level, path, frame, repeated, withheld)
            case "elem" if frame is not None:
                template = level.definition("resources", frame.template)
                node = template.get("each") if template else None
                if isinstance(node, Array) and len(node.items) == level.count(frame.template):
                    node = _inside(node.items[frame.index], path)
                how = f"element {frame.index} of the list of `{frame.template}`"
                return "element", how, *self._written(level, node, None, repeated, withheld)
            case "datasources":
                definition = level.definition("datasources", str(path[0]))
                how = answered_by(level, str(path[0])) or _LATER
                node = definition.get("filter") if definition else None
                _, causes = self._written(level, node, None, repeated, withheld)
                return "datasource", how, definition.span if definition else None, causes
            case "children":
                return "child", *self._child(level, path, repeated)
        if frame is None:
            return _KINDS[reference.root], "known for each element", None, ()
        return "index", f"the index of this instance of `{frame.template}`", None, ()

    def _written(
        self,
        level: BlueprintLevel,
        node: AnyNode | None,
        frame: Frame | None,
        repeated: bool,
        withheld: bool,
    ) -> tuple[Span | None, tuple[Cause, ...]]:
        """The place of a node, and its causes unless they were explained before."""
        if node is None:
            return None, ()
        return node.span, () if repeated else self.of_node(level, node, frame, withheld)

    def _variable(
        self, level: BlueprintLevel, name: str, repeated: bool
    ) -> tuple[str, Span | None, tuple[Cause, ...]]:
        assert level.evaluation is not None
        variable = level.evaluation.variables[name]
        given = level.evaluation.context.given
        if variable.source == "flag":
            return "--var", None, ()
        if variable.source == "environment":
            return f"the environment variable {ENVIRONMENT_PREFIX}{name}", None, ()
        if variable.source == "default":
            definition = level.definition("variables", name)
            node = definition.get("default") if definition else None
            return "its default", node.span if node else None, ()
        if variable.source == "caller":
            if level.parent is None:
                return "the caller", given.spans.get(name), ()
            node = _given_node(level, name)
            withheld = _is_secret(variable) and not level.reveals
            _, causes = self._written(level.parent, node, None, repeated, withheld)
            how = f"the include `{level.way[-1]}`"
            return how, node.span if node else given.spans.get(name), causes
        if variable.value is MISSING or not variable.source:
            return "given at deployment", None, ()
        for file in reversed(given.files):
            assignment = file.assignments.get(name)
            if file.name == variable.source and assignment is not None:
                return f"the file {file.name}", assignment.span, ()
        return variable.source, None, ()

    def _resource(
        self,
        level: BlueprintLevel,
        path: Path,
        frame: Frame | None,
        repeated: bool,
        withheld: bool,
    ) -> tuple[str, str, Span | None, tuple[Cause, ...]]:
        assert level.evaluation is not None
        name = str(path[0])
        rest = path[1:]
        definition = level.definition("resources", name)
        if definition is not None and definition.get("each") is not None:
            if rest and isinstance(rest[0], int):
                frame, rest = Frame(name, rest[0]), rest[1:]
            elif frame is not None and frame.template != name:
                frame = None
        else:
            frame = None
        if not rest or definition is None:
            return "resource", "", definition.span if definition else None, ()
        if rest[0] == "state":
            known = level.evaluation.context.state.resources
            instance = f"{name}_{frame.index}" if frame else name
            return "state", "the state" if instance in known else _LATER, None, ()
        node = _inside(definition.get(str(rest[0])), rest[1:])
        return "resource", "", *self._written(level, node, frame, repeated, withheld)

    def _child(
        self, level: BlueprintLevel, path: Path, repeated: bool
    ) -> tuple[str, Span | None, tuple[Cause, ...]]:
        assert level.evaluation is not None
        name, export = str(path[0]), str(path[1])
        if export in level.evaluation.context.state.children.get(name, {}):
            return "the state", None, ()
        child = level.child(name)
        if child is None:
            return _LATER, None, ()
        entry = child.definition("exports", export)
        if entry is None:
            return "", None, ()
        how = f"the export `{export}` of the child `{name}`"
        field = entry.get("field")
        if repeated:
            causes: tuple[Cause, ...] = ()
        else:
            causes = self.of_field(child, field) or self.of_node(child, entry.get("value"), None)
        return how, (field or entry.get("value") or entry).span, causes


_KINDS: Final = {
    "variables": "variable",
    "values": "value",
    "resources": "resource",
    "elem": "element",
    "i": "index",
    "datasources": "datasource",
    "children": "child",
}


def field_reference(level: BlueprintLevel, field: AnyNode | None) -> Reference | None:
    """The reference that an export's field is."""
    text = text_of(field)
    if text is None:
        return None
    try:
        found = level.language.parse(text)
    except LanguageError:
        return None
    return found if isinstance(found, Reference) else None


def _function(level: BlueprintLevel, name: str) -> Cause:
    assert level.evaluation is not None
    effect = level.evaluation.context.functions[name].effect
    return Cause("function", name, KNOWN, None, _EFFECTS.get(effect or "", ""), way=level.way)


_EFFECTS: Final = {
    "files": "reads a file",
    "network": "asks a server",
    "ids": "makes a new id",
    "cwd": "depends on the working directory",
    "clock": "depends on the time",
}


def _inside(node: AnyNode | None, path: Path) -> AnyNode | None:
    """What stands at a path below a node; the template on the way there that computes it."""
    for item in path:
        if isinstance(node, Map):
            node = node.get(str(item))
        elif isinstance(node, Array) and isinstance(item, int) and item < len(node.items):
            node = node.items[item]
        else:
            break
    return node


def _given_node(level: BlueprintLevel, name: str) -> AnyNode | None:
    """What an include gives a variable of its child."""
    assert level.parent is not None
    include = level.parent.definition("include", level.way[-1])
    variables = include.get("variables") if include else None
    return variables.get(name) if isinstance(variables, Map) else None


def _is_secret(variable: Variable) -> bool:
    return bool(variable.secret or getattr(variable.value, "secret", False))


def trace(evaluation: Evaluation, frame: Frame | None, node: Template) -> Trace:
    """The references that a template of a blueprint used in a finished run."""
    return trace_in(evaluation.context, evaluation.at(frame), node)


def causes_at(level: BlueprintLevel, path: Path, written: AnyNode | None) -> tuple[Cause, ...]:
    """The causes of the value at a path of a blueprint; see `Level.causes`."""
    causes = Causes()
    if isinstance(written, Scalar):
        return causes.of_field(level, written) if is_field(level, path, written) else ()
    found = causes.of_node(level, written, level.frame_of(path), level.is_secret(path))
    if isinstance(written, Map) and len(path) == 2 and path[0] == "exports":
        return (*causes.of_field(level, written.get("field")), *found)
    return found


def is_field(level: BlueprintLevel, path: Path, written: AnyNode | None) -> bool:
    """True for the field of an export, from which its value comes as well."""
    if len(path) != 3 or path[0] != "exports":
        return False
    definition = level.definition("exports", str(path[1]))
    return definition is not None and written is definition.get("field")
