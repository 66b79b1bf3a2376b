"""Garden's dialects: the syntax, the helper functions, and the stages in their order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from ...engine.run import Context, Dialect, Pipeline, Stage, Work
from ...values.diagnostics import Diagnostic, Diagnostics
from ...values.document import Document
from ...values.tree import Scalar
from .command_line import COMMAND_LINE
from .evaluating.forms import SEMANTICS
from .evaluating.functions import functions
from .options import options_of
from .recognition import QUOTES, recognises, recognises_second
from .stages import environment, load, resolve, templates, variables
from .structure.project import Entry, entries_of, project_of
from .syntax import SYNTAX, SYNTAX_V2

if TYPE_CHECKING:
    from ...answers.inspection import Inspection


def check_project(document: Document, context: Context) -> None:
    """Reports the problems of a project: in its files, then in each of its environments.

    A problem in several environments is reported once. If the options name an environment, only
    that one is checked.
    """
    options = options_of(context.options)
    found = Diagnostics(context.limits.max_diagnostics, context.quoting)
    loading = context.evolve(diagnostics=found, work=Work())
    load(document, loading)
    seen: set[tuple[object, ...]] = set()
    _report(found, context, seen)
    config = project_of(loading).config if not found.errors else None
    asked: list[str | None] = [options.environment]
    if config is not None and options.environment is None:
        quiet = context.evolve(diagnostics=Diagnostics())
        asked = [_with_namespace(entry) for entry in entries_of(config, quiet)] or [None]
    if found.errors:
        return
    for name in asked:
        found = Diagnostics(context.limits.max_diagnostics, context.quoting)
        chosen = context.evolve(
            diagnostics=found, options=options.evolve(environment=name), work=Work()
        )
        chosen.pipeline.last(document, chosen)
        _report(found, context, seen)


def _with_namespace(entry: Entry) -> str:
    """The name to ask for an environment with; one that needs a namespace gets `default`."""
    default = entry.node.get("defaultNamespace")
    needs = isinstance(default, Scalar) and default.value is None
    return f"default.{entry.name}" if needs else entry.name


def _report(found: Diagnostics, context: Context, seen: set[tuple[object, ...]]) -> None:
    for item in found:
        key = _key(item)
        if key not in seen:
            seen.add(key)
            context.diagnostics.add(item)


def _key(item: Diagnostic) -> tuple[object, ...]:
    span = item.span
    place = None if span is None else (span.source.name, span.start, span.end)
    return item.code, place, item.summary


def unresolved(document: Document, context: Context) -> Iterable[Diagnostic]:
    """The errors that `--strict` adds for unknown values."""
    from .answers import results

    return results.unresolved(context)


def inspection() -> Inspection:
    """The answers to commands about projects."""
    from ...answers.inspection import Inspection, later

    return Inspection(
        level=later(__package__, "answers.why:level_of_project"),
        evaluate=later(__package__, "answers.results:evaluate_in_project"),
        graph=later(__package__, "answers.graph:graph_of_project"),
        unknowns=later(__package__, "answers.results:unknowns_of_project"),
        views={"variables": later(__package__, "answers.results:show_variables")},
    )


GARDEN: Final = Dialect(
    name="garden",
    title="Garden configuration, in which `${..}?` is optional (garden.io/v1)",
    syntax=SYNTAX,
    functions=functions,
    pipeline=Pipeline(
        (
            Stage("load", load, "read the files of the project into configurations"),
            Stage("environment", environment, "choose the environment"),
            Stage(
                "variables", variables, "compute the variables of the project and the environment"
            ),
            Stage("templates", templates, "render the configurations of templates"),
            Stage("resolve", resolve, "evaluate everything else"),
        )
    ),
    check=check_project,
    quotes=QUOTES,
    unresolved=unresolved,
    semantics=SEMANTICS,
    recognises=recognises,
    command_line=COMMAND_LINE,
    inspection=inspection,
)

GARDEN_V2: Final = GARDEN.evolve(
    name="garden-v2",
    title="Garden configuration, in which a `?` is text (garden.io/v2)",
    syntax=SYNTAX_V2,
    recognises=recognises_second,
)
