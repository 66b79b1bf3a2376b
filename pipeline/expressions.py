"""The front doors of the library for single strings: `evaluate`, and the engines of templates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..functions.record import Record
from ..functions.values import Unknown, from_plain
from .dialects.table import DEFAULT, find_dialect
from .engine.inputs import VariableInputs
from .engine.run_functions import RunFunctions
from .engine.string_evaluation import Evaluated, evaluate_in
from .language.errors import Failure
from .language.evaluator import Evaluator
from .language.language import Language
from .language.meter import Meter
from .language.navigation import navigate, navigate_plain
from .values.diagnostics import Diagnostic, Diagnostics, suggestion
from .values.expression import Argument, Call, Expression, Literal, Reference
from .values.settings import Settings, check_limits
from .values.source import Source
from .values.threads import with_stack_room
from .world.effects import Effects
from .world.files import DiskFiles, Files

_SECTIONS = ("variables", "values", "datasources", "children", "resources")

if TYPE_CHECKING:
    from ..functions.registry import Function
    from .engine.run import Dialect


@with_stack_room
def evaluate(
    text: str,
    scope: Mapping[str, Any] | None = None,
    *,
    settings: Settings | None = None,
    files: Files | None = None,
    functions: Iterable[Function] = (),
    dialect: str | Dialect = DEFAULT,
) -> Evaluated:
    """Evaluates one string in a scope of plain data (specification, "Substitution Grammar").

    `scope` has any of `variables`, `values`, `datasources`, `children`, `resources` (each by name),
    `elem` and `i`. Resources, data sources and children that the scope does not have are unknown;
    variables and values that it does not have are mistakes. None in the data is the language's
    none. In a dialect whose references have no such roots, `scope` has the names themselves, and
    the dialect says what others are: unknown if only a run has them, such as `actions` in Garden,
    or else mistakes, or nil in expr-lang, where all names are unknown without a scope.
    """
    settings = settings or Settings()
    check_limits(settings.limits)
    spoken = find_dialect(dialect)
    if spoken.opens_nothing:
        return _evaluated_by(spoken, text, scope or {}, settings, files, functions)
    language = Language(spoken.syntax, settings.limits)
    problems = Diagnostics(settings.limits.max_diagnostics)
    known = RunFunctions(spoken.functions(settings), functions, settings, problems)
    files = files or DiskFiles(settings.allow_path, limits=settings.limits)
    meter, semantics = Meter(settings.limits), spoken.semantics
    effects = Effects(settings, files, meter=meter)
    evaluator = Evaluator(known, effects, settings.limits, meter, semantics)
    source = Source("<expression>", text, "text")
    make_scope = semantics.scope or _DataScope
    result = problems.watch(
        lambda: evaluate_in(text, source, language, evaluator, make_scope(scope)),
        settings.debug,
    )
    if not len(problems) and not problems.causes:
        return result
    told = (*result.diagnostics, *problems)
    return result.evolve(diagnostics=told, causes=tuple(problems.causes))


def _evaluated_by(
    dialect: Dialect,
    text: str,
    scope: Mapping[str, Any],
    settings: Settings,
    files: Files | None,
    functions: Iterable[Function],
) -> Evaluated:
    """The answer of a dialect that needs no document."""
    from .answers.inspection import opened
    from .rendering import prepare

    given = VariableInputs(values=dict(scope))
    source = Source("<scope>", "")
    context, document = prepare(
        source, given=given, settings=settings, files=files, functions=functions, dialect=dialect
    )
    answer = opened(document, context)
    return answer(text) if answer else Evaluated(diagnostics=tuple(context.diagnostics))


class Rendered(Record):
    """The text that a template gives, None after errors, and what is to be said about it."""

    text: str | None
    diagnostics: tuple[Diagnostic, ...] = ()


def gotemplate(
    text: str,
    data: Any,
    files: Files | Mapping[str, str | bytes] | None = None,
    settings: Settings | None = None,
) -> Rendered:
    """The text that a template of Go gives for some data.

    The data is what JSON has; all numbers become floats. `files` are those that the template may
    read. The `stage` of a diagnostic is `parse` for a mistake of the template, `exec` for another.
    """
    from .dialects.gotemplate import TemplateOptions
    from .rendering import render
    from .world.memory_files import MemoryFiles

    run = render(
        Source("<template>", text),
        dialect="gotemplate",
        options=TemplateOptions(data),
        files=MemoryFiles(files) if isinstance(files, Mapping) else files,
        settings=settings,
    )
    return Rendered(run.document.text if run.document else None, tuple(run.diagnostics.sorted()))


class Processed(Record):
    """What came of a template of Spiff: data, and the state that it marks; None after errors."""

    value: Any
    state: Any = None
    diagnostics: tuple[Diagnostic, ...] = ()


def spiff(
    template: str,
    stubs: Iterable[str] = (),
    values: Mapping[str, Any] | None = None,
    state: str | None = None,
    files: Files | Mapping[str, str | bytes] | None = None,
    settings: Settings | None = None,
) -> Processed:
    """The data that a template of Spiff gives in front of its stubs.

    `template`, `stubs` and `state` are YAML. `values` are the bindings behind them, what JSON has;
    all their numbers become floats. `files` are those that the template may read. The `stage` of a
    diagnostic is `parse` for a mistake in YAML, `process` for another.
    """
    from .dialects.spiff.command_line import SpiffOptions
    from .dialects.spiff.processing import Outcome
    from .formats.go_yaml import plain
    from .rendering import render
    from .world.memory_files import MemoryFiles

    behind = tuple(Source(f"<stub {n}>", text, "yaml") for n, text in enumerate(stubs, 1))
    known = Source("<state>", state, "yaml") if state is not None else None
    run = render(
        Source("<template>", template, "yaml"),
        dialect="spiff",
        options=SpiffOptions(behind, known, dict(values or {})),
        files=MemoryFiles(files) if isinstance(files, Mapping) else files,
        settings=settings,
    )
    told = tuple(run.diagnostics.sorted())
    made = run.work.find(Outcome)
    if made is None or run.document is None:
        return Processed(None, None, told)
    return Processed(plain(made.node), plain(made.state), told)


def parse_spiff(text: str) -> Expression:
    """The tree of an expression of Spiff, with or without `((` and `))`.

    Raises:
        LanguageError: it does not parse.
    """
    from .dialects.spiff.syntax import SYNTAX, inner

    language = Language(SYNTAX, Settings().limits)
    body = inner(text)
    return language.parse(text) if body is None else language.parse(body, 2)


class _DataScope:
    """A scope of plain data."""

    def __init__(self, data: Mapping[str, Any] | None) -> None:
        data = data or {}
        for name, part in data.items():
            if name in _SECTIONS and not isinstance(part, Mapping):
                raise ValueError(f"`{name}` of the scope is no mapping")
        checked = {name: from_plain(part) for name, part in data.items()}
        # sections stay plain data, in which None can be told from what is absent
        self.data = {name: data[name] if name in _SECTIONS else checked[name] for name in data}

    def resolve(self, reference: Reference) -> Any:
        root, path = reference.root, reference.path
        if root in ("elem", "i"):
            if root not in self.data:
                raise Failure("elem_outside_each", f"`{root}` has no meaning here", reference)
            return navigate(self.data[root], path, reference)
        if not path or root not in _SECTIONS:  # a dialect with names of its own
            if root not in self.data:
                return Unknown(Reference(root, path))
            return navigate(self.data[root], path, reference)
        section = self.data.get(root, {})
        name = path[0]
        if name in section:
            if root == "resources" and len(path) == 1:
                return Unknown(Reference(root, path))
            if root in ("resources", "datasources", "children"):
                return self._partly_known(section, reference)
            return navigate(from_plain(section[name]), path[1:], reference)
        if root in ("variables", "values"):
            singular = root[:-1]
            raise Failure(
                "variable_not_found" if root == "variables" else "value_not_found",
                f"there is no {singular} `{name}`",
                reference,
                suggestion(str(name), section),
            )
        return Unknown(Reference(root, path))

    @staticmethod
    def _partly_known(section: Mapping[str, Any], reference: Reference) -> Any:
        """The data of a resource, a data source or a child; the rest is unknown."""
        value: Any = section[str(reference.path[0])]
        first, rest = reference.path[1], reference.path[2:]
        if not isinstance(value, Mapping) or first not in value:
            return Unknown(Reference(reference.root, reference.path))
        if first == "state":
            return navigate_plain(value[first], rest, Reference(reference.root, reference.path))
        return navigate(from_plain(value[first]), rest, reference)

    def names_resource(self, name: str) -> bool:
        return name in self.data.get("resources", {})

    def link(self, first: Any, second: Any, call: Call) -> Any:
        sides = [
            Reference(side.root, side.path) if isinstance(side, Reference) else Literal(side)
            for side in (first, second)
        ]
        return Unknown(Call("link", tuple(map(Argument, sides))), "object")
