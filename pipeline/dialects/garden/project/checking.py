"""All that can be told of a project without a choice of environment: each is tried."""

from __future__ import annotations

from ....context import Context
from ....diagnostics import Diagnostic, Diagnostics
from ....document import Document
from ....tree import Scalar
from .configs import project_in
from .environment import Entry, entries_of
from .options import options_of
from .stages.load import load


def check_project(document: Document, context: Context) -> None:
    """Reports the mistakes of a project: of its files, then of each of its environments.

    What is wrong in several environments is told once. An environment that the options name is the
    only one that is looked at.
    """
    options = options_of(context.options)
    found = Diagnostics(context.limits.max_diagnostics)
    loaded = load(document, context.evolve(diagnostics=found))
    seen: set[tuple[object, ...]] = set()
    _tell(found, context, seen)
    config = project_in(loaded).config if not found.errors else None
    asked: list[str | None] = [options.environment]
    if config is not None and options.environment is None:
        quiet = context.evolve(diagnostics=Diagnostics())
        asked = [_with_namespace(entry) for entry in entries_of(config, quiet)] or [None]
    if found.errors:
        return
    for name in asked:
        found = Diagnostics(context.limits.max_diagnostics)
        chosen = context.evolve(diagnostics=found, options=options.evolve(environment=name))
        chosen.pipeline.last(document, chosen)
        _tell(found, context, seen)


def _with_namespace(entry: Entry) -> str:
    """The environment as it is asked for; one that needs a namespace gets one."""
    default = entry.node.get("defaultNamespace")
    needs = isinstance(default, Scalar) and default.value is None
    return f"default.{entry.name}" if needs else entry.name


def _tell(found: Diagnostics, context: Context, seen: set[tuple[object, ...]]) -> None:
    for item in found:
        key = _key(item)
        if key not in seen:
            seen.add(key)
            context.diagnostics.add(item)


def _key(item: Diagnostic) -> tuple[object, ...]:
    span = item.span
    place = None if span is None else (span.source.name, span.start, span.end)
    return item.code, place, item.summary
