"""The static checks of a project: those of its files, then those of each environment."""

from __future__ import annotations

import gc
import re
from bisect import bisect_right
from typing import Final, TypeAlias

from ....functions.regexes import compile_regex
from ....functions.values import FunctionError
from ...engine.run import Context, Pipeline, Work
from ...values.diagnostics import WARNING, Diagnostic, Diagnostics, Hint, Relay
from ...values.document import Document
from ...values.source import Source, Span
from ...values.tree import Map, Scalar
from ...world.files import FileProblem
from .callers import Callers, Excusing
from .evaluating.evaluation import Evaluation
from .evaluating.project_variables import default_name, varfiles_of
from .options import options_of
from .structure.actions import Actions, actions_in
from .structure.project import Entry, Project, entries_of, project_of


def check_project(document: Document, context: Context) -> None:
    """Reports the problems of a project: in its files, then in each of its environments.

    A problem in several environments is reported once. If the options name an environment, only
    that one is checked. What only the caller has is unknown, and asked for once. A limit that is
    reached ends the check, and the report says so.
    """
    options = options_of(context.options)
    found = Diagnostics(context.limits.max_diagnostics, context.quoting)
    loading = context.evolve(diagnostics=found, work=Work(), checks=True)
    first, rest = context.pipeline.split_after("load")
    document = first.last(document, loading)
    asked: list[Asked] = [(options.environment, None)]
    try:
        if options.environment is None and not found.errors:
            project = project_of(loading)
            entries = entries_of(project.config, loading) if project.config is not None else {}
            loading.work.keep(project.evolve(entries=entries, any_namespace=True))
            asked = [(one.name, one) for one in entries.values()] or asked
    except FunctionError as error:
        found.error(error.code, None, error.message, error.hint)
    context.diagnostics.extend(found)
    if not found.errors:
        _check_environments(asked, document, loading, context, rest)


Asked: TypeAlias = tuple[str | None, Entry | None]
"""The name to ask for an environment with, and its entry in the project."""

_AN_ENVIRONMENT: Final = 300
_OTHERS_A_STEP: Final = 5
_A_LOOK: Final = 30


def _check_environments(
    asked: list[Asked], document: Document, loading: Context, context: Context, rest: Pipeline
) -> None:
    """Runs the stages after `load` once for each environment.

    Environments that differ in their names only are alike where nothing asks for the name.
    """
    project = project_of(loading)
    listed = _lists_environments(project)
    callers = Callers(project, context)
    told = _Told(context.diagnostics)
    alike = False  # one that has only a name was checked for all that have
    for number, (name, entry) in enumerate(asked):
        found = Diagnostics(context.limits.max_diagnostics, context.quoting)
        try:
            context.meter.work(_A_LOOK)
            plain = not listed and entry is not None and _is_plain(entry, project, context)
            if plain and alike:
                continue
            # each copies the list of all
            context.meter.work(_AN_ENVIRONMENT + len(asked) // _OTHERS_A_STEP)
            asks_for_name = _check_one(name, document, loading, found, callers, told, rest)
            alike = alike or (plain and not asks_for_name)
        except FunctionError as error:
            found.error(error.code, None, error.message, error.hint)
        told.extend(found)
        left = len(asked) - number - 1
        if left and any(item.code == "limit_exceeded" for item in found):
            summary = f"the check ends here: {left} of {len(asked)} environments are not checked"
            context.diagnostics.error("limit_exceeded", None, summary, "check one with `--env`")
            break
        if left:  # the parts of an evaluation refer to each other, and all would be too many
            gc.collect(0)
    told.settle()


def _check_one(
    name: str | None,
    document: Document,
    loading: Context,
    found: Diagnostics,
    callers: Callers,
    told: _Told,
    rest: Pipeline,
) -> bool:
    """Evaluates one environment; True when something in it asks for its name."""
    project = project_of(loading)
    options = project.options.evolve(environment=name)
    chosen = loading.evolve(diagnostics=found, options=options, work=Work())
    asking = chosen.evolve(diagnostics=Excusing(found))
    evaluation = Evaluation(asking, "load", callers.has)
    chosen.work.keep(project.evolve(options=options, evaluation=evaluation))
    chosen.work.keep(varfiles_of(loading))
    rest.last(document, chosen)
    for reference, span in evaluation.asked.items():
        callers.ask_for(reference, span)
    for config in project_of(chosen).configs:
        if not config.is_disabled:
            callers.ask_for_surroundings(config.node)
    told.note_actions(actions_in(project_of(chosen)), chosen)
    return evaluation.names_environment


class _Told(Relay):
    """A collector that holds warnings of disabled actions back until all environments are checked.

    An action that is enabled in one of them is checked there, and its mistakes are errors.
    """

    def __init__(self, outer: Diagnostics) -> None:
        super().__init__(outer, lambda item: True)
        self._enabled: set[Span] = set()
        self._disabled: dict[Source, list[Span]] = {}
        self._waiting: list[tuple[Span, Diagnostic]] = []

    def note_actions(self, actions: Actions | None, context: Context) -> None:
        """Remembers which actions are enabled in the environment that was evaluated last."""
        self._disabled = {}
        for config, action in actions.by_config.items() if actions is not None else ():
            context.meter.work(1)
            place = config.node.span
            if action.disabled is False:
                self._enabled.add(place)
            else:
                self._disabled.setdefault(place.source, []).append(place)
        for places in self._disabled.values():
            places.sort(key=lambda one: one.start)

    def add(self, diagnostic: Diagnostic, hint: Hint = None) -> None:
        """Pass it on, or hold it back."""
        span = diagnostic.span
        if diagnostic.severity == WARNING and span is not None:
            places = self._disabled.get(span.source, [])
            index = bisect_right(places, span.start, key=lambda one: one.start) - 1
            if index >= 0 and span.start < places[index].end:
                self._waiting.append((places[index], diagnostic))
                return
        super().add(diagnostic, hint)

    def settle(self) -> None:
        """Passes on what is about actions that no environment enables."""
        for place, diagnostic in self._waiting:
            if place not in self._enabled:
                super().add(diagnostic)


def _is_plain(entry: Entry, project: Project, context: Context) -> bool:
    """True for an environment that has a name and nothing else."""
    node = entry.node
    default = node.get("defaultNamespace")
    named = default is None or (isinstance(default, Scalar) and isinstance(default.value, str))
    if not named or not _PLAIN.issuperset(node.items) or not _WORD.fullmatch(entry.name):
        return False
    assert project.config is not None
    files = context.files
    try:
        return not files.exists(files.resolve(default_name(entry.name), project.config.folder))
    except FileProblem:
        return False


_PLAIN: Final = frozenset({"name", "defaultNamespace"})
_WORD: Final = compile_regex(r"[\w-]+", re.ASCII)


def _lists_environments(project: Project) -> bool:
    """True when the project has providers or sources for some of its environments."""
    node = project.config.node if project.config is not None else None
    return any(
        isinstance(item, Map) and "environments" in item.items
        for key in ("providers", "sources")
        for item in getattr(node and node.get(key), "items", ())
    )
