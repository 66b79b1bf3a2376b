"""`bpp check`: a blueprint without any inputs, with all of its templates.

Templates are not run; what they read is told from their trees.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from ....functions.names import Names
from ....functions.record import Record, field
from ....functions.registry import Function
from ...engine.run import Context, Work
from ...language.errors import LanguageError
from ...values.document import Document
from ...values.expression import Call, Expression, Reference, walk
from ...values.source import Source
from ...values.tree import AnyNode, Map, Scalar, at
from ...world.files import FileProblem
from ..gotemplate.engine import Program
from ..gotemplate.nodes import Called, Command, Insert, Place, Tree
from ..gotemplate.nodes import Literal as Constant
from .blueprint import GO_TEMPLATE, SPIFF, Execution
from .executions import template_text
from .installation import Installation
from .nested import child_of
from .options import SUBINSTALLATION
from .parts import text_in
from .phases import static_subinstallations
from .stages import load
from .subinstallations import Subinstallation, check_flow, read_subinstallation
from .supplied import report_problem

ANY: Final = "*"
"""Stands in a path for a key that is not written."""

DECLARED: Final = "declared"
"""Stands for the blueprint itself among phases."""

_MOST: Final = 20
"""Uses of one file that are looked at: one that includes itself goes deeper each time."""


class Use(Record, eq=False):
    """A part of a template that reads a binding, and the path of that: `imports`, `replicas`."""

    path: tuple[str, ...]
    place: Place
    execution: Execution


class GoText(Record, eq=False):
    """A GoTemplate, or a file that it includes; `bases` are the paths that its dot may have.

    `passed` are the operands that become the dot of another template that is read, too.
    """

    execution: Execution
    program: Program
    bases: tuple[tuple[str, ...], ...]
    passed: set[Tree] = field(factory=set)

    def origins(self) -> dict[Tree, list[tuple[str, ...]]]:
        """The paths that each operand leads to."""
        found: dict[Tree, list[tuple[str, ...]]] = {}
        for node, path in self.program.reading.references():
            names = tuple(one if isinstance(one, str) else ANY for one in path)
            found.setdefault(node, []).extend((*base, *names) for base in self.bases)
        return found

    def trees(self) -> Iterator[Tree]:
        """All nodes of all templates of the text."""
        for block in self.program.tree.values():
            yield from block.inside()

    def place(self, node: Tree) -> Place:
        """The place of a node."""
        return Place(self.program.text, node.start, node.end)


class SpiffText(Record, eq=False):
    """A template of Spiff: its tree, and each expression with the scalar that holds it."""

    execution: Execution
    root: AnyNode
    expressions: tuple[tuple[Scalar, Expression], ...]

    def place(self, scalar: Scalar, tree: Any) -> Place:
        """The place of a part of an expression."""
        return Place(text_in(scalar), tree.start, tree.end)


class Checked(Record, eq=False):
    """What a check has read: the installation, its templates and static subinstallations.

    `inside` are those whose blueprints are written inline. `unread` are the phases of which a
    template could not be read, `DECLARED` for the blueprint.
    """

    work: Installation
    go: list[GoText] = field(factory=list)
    spiff: list[SpiffText] = field(factory=list)
    subinstallations: list[Subinstallation] = field(factory=list)
    inside: list[Checked] = field(factory=list)
    unread: set[str] = field(factory=set)

    def lacks(self, *phases: str) -> bool:
        """True when a declaration, or a template of one of these phases, could not be read."""
        return not self.unread.isdisjoint((DECLARED, *phases))

    def names(self, execution: Execution, key: str) -> bool:
        """True for an execution whose template has a key of that name."""
        written = re.compile(rf"(?:^|[{{,]|[ ])[\"']?{re.escape(key)}[\"']?[ ]*:", re.MULTILINE)
        for text in self.go:
            if text.execution is execution and written.search(text.program.text.text):
                return True
        spiff = (one.root for one in self.spiff if one.execution is execution)
        exports = (root.get("exports") for root in spiff if isinstance(root, Map))
        return any(isinstance(one, Map) and key in one.items for one in exports)

    def uses(self) -> Iterator[Use]:
        """All that templates read of the bindings."""
        for text in self.go:
            for node, paths in text.origins().items():
                for path in paths if node not in text.passed else ():
                    yield Use(path, text.place(node), text.execution)
        for one in self.spiff:
            own = one.root.items if isinstance(one.root, Map) else {}
            for scalar, tree in one.expressions:
                for part in walk(tree):
                    if isinstance(part, Reference) and part.root and part.root not in own:
                        path = (part.root, *map(str, part.path))
                        yield Use(path, one.place(scalar, part), one.execution)


def check_blueprint(document: Document, context: Context) -> None:
    """Reports the mistakes of a blueprint; with values for imports it is rendered, too.

    Raises:
        FunctionError: `limit_exceeded`.
        ValueError: the options are not those of blueprints.
    """
    checked = read_checked(document, context)
    if checked is None:
        return
    context.work.keep(checked)
    everything = [checked]
    for one in everything:
        _check_schemas(one.work)
        _check_flow(one)
        for sub in one.subinstallations:
            inline = isinstance(at(sub.node, "blueprint", "filesystem"), Map)
            before = context.diagnostics.errors
            child = child_of(sub, one.work) if inline else None
            if child is not None:
                one.inside.append(_read(child, context.diagnostics.errors == before))
        everything += one.inside
    options = checked.work.options
    if (options.imports or options.variables or options.targets) and not context.diagnostics.errors:
        context.pipeline.last(document, context.evolve(work=Work(), documents=None))


def read_checked(document: Document, context: Context) -> Checked | None:
    """A blueprint with its templates, which are not run; None when nothing could be read."""
    load(document, context)
    work = context.work.find(Installation)
    return None if work is None else _read(work, not context.diagnostics.errors)


def _read(work: Installation, sound: bool) -> Checked:
    """An installation with its templates; `sound` is one without mistakes in its declarations."""
    checked = Checked(work, unread=set() if sound else {DECLARED})
    for execution in work.blueprint.all_executions():
        if execution.engine == GO_TEMPLATE:
            text = template_text(work, execution)
            if text is not None:
                _Texts(checked, execution, text).read()
            else:
                checked.unread.add(execution.phase)
        elif execution.engine == SPIFF:
            _read_spiff(checked, execution)
    for node in static_subinstallations(work):
        one = read_subinstallation(node, work.told)
        if one is not None:
            checked.subinstallations.append(one)
        else:
            checked.unread.add(SUBINSTALLATION)
    return checked


def _check_schemas(work: Installation) -> None:
    """Checks the schemas, and the defaults by them."""
    blueprint, schemas = work.blueprint, work.schemas
    schemas.lenient = work.components.descriptor is None
    types = blueprint.local_types
    for node in types.items.values() if types is not None else ():
        schemas.check(node)
    for one in (*blueprint.all_imports(), *blueprint.exports):
        if one.schema is None or not schemas.check(one.schema) or one.default is None:
            continue
        what = f"the default of the import `{one.name}`"
        work.told.extend(schemas.problems(one.default, one.schema, what, "import_schema"))


_Bases: TypeAlias = tuple[tuple[str, ...], ...]


class _Texts:
    """The texts of an execution: its template, and the files that it includes by their names."""

    def __init__(self, checked: Checked, execution: Execution, template: Source) -> None:
        self.checked = checked
        self.work = checked.work
        self.execution = execution
        self.seen: dict[str, set[_Bases]] = {}
        self.waiting: list[tuple[Source, _Bases]] = [(template, ((),))]

    def read(self) -> None:
        """Reads them all, each once for what its dot may be."""
        while self.waiting:
            self._add(*self.waiting.pop())

    def _add(self, template: Source, bases: _Bases) -> None:
        told = self.work.told
        program = self.work.templates.compile(template)
        if program is None:
            self.checked.unread.add(self.execution.phase)
            return
        for failure in program.certain:
            told.add(failure.diagnostic())
        text = GoText(self.execution, program, bases)
        self.checked.go.append(text)
        origins = text.origins()
        for node in text.trees():
            self.work.context.meter.work()
            if isinstance(node, Insert) and node.pipe is not None:
                text.passed.update(node.pipe.inside())
            if not isinstance(node, Command) or len(node.operands) < 2:
                continue
            called, path, *given = node.operands
            if isinstance(called, Called) and isinstance(path, Constant):
                inner = tuple(origins.get(given[0], ())) if given else ()
                if called.name == "include":
                    text.passed.update(given[:1])
                self._find(called.name, path, inner, text)

    def _find(self, name: str, path: Constant, bases: _Bases, text: GoText) -> None:
        """Looks for the file that a call names."""
        named = str(path.value)
        seen = self.seen.setdefault(f"{name} {named}", set())
        if name not in ("include", "readFile") or bases in seen or len(seen) >= _MOST:
            return
        seen.add(bases)
        try:
            if name == "include":
                self.waiting.append((self.work.parts.source(named), bases))
            else:
                self.work.parts.read(named)
        except FileProblem as problem:
            self.checked.unread.add(self.execution.phase)
            report_problem(problem, self.work.context, text.place(path).span)


def _read_spiff(checked: Checked, execution: Execution) -> None:
    """Reads the expressions of a template, and reports what is wrong with them."""
    from ....functions.landscaper.index import INDEX
    from ..spiff.calls import check_call
    from ..spiff.cells import builtins
    from ..spiff.forms import CALL
    from ..spiff.syntax import OPENER, inner
    from .spiff_executions import shared_language, template_tree

    work = checked.work
    root = template_tree(work, execution)
    if root is None:
        checked.unread.add(execution.phase)
        return
    known, own = builtins(work.context.limits), work.templates.functions
    names, language = Names([*known, *INDEX]), shared_language(work.context)

    def find(name: str) -> Function | None:
        return own.get(name) if name in INDEX else known.get(name)

    found: list[tuple[Scalar, Expression]] = []
    for scalar in strings(root):
        text = inner(str(scalar.value))
        if text is None:
            continue
        work.context.meter.work(1 + len(text) // 16)
        problem: Any = None
        try:
            tree = language.parse(text, len(OPENER))
        except LanguageError as error:
            checked.unread.add(execution.phase)
            place = Place(text_in(scalar), error.start, error.end)
            work.told.error("template_syntax", place.span, error.summary, error.hint)
            continue
        found.append((scalar, tree))
        for node in walk(tree):
            problem = (
                isinstance(node, Call) and node.function == CALL and check_call(node, find, names)
            )
            if problem:
                place = Place(text_in(scalar), problem.node.start, problem.node.end)
                work.told.error(problem.code, place.span, str(problem), problem.hint)
    checked.spiff.append(SpiffText(execution, root, tuple(found)))


def strings(node: AnyNode) -> Iterator[Scalar]:
    """The strings in a tree."""
    if isinstance(node, Scalar):
        if isinstance(node.value, str):
            yield node
        return
    for one in node.items.values() if isinstance(node, Map) else getattr(node, "items", ()):
        yield from strings(one)


def _check_flow(checked: Checked) -> None:
    """Checks the static subinstallations as if each import of the blueprint had a value."""
    blueprint, told = checked.work.blueprint, checked.work.told
    if not blueprint.executions.get(SUBINSTALLATION):  # they could make what others import
        active = {one.name: one for one in blueprint.all_imports()}
        check_flow(checked.subinstallations, active, told)
