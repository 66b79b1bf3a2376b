"""Actions that need each other, so that none of them can run first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from ....engine.run import Context
from ....values.diagnostics import Note
from ....values.tree import AnyNode, Map
from ..evaluating.evaluation import Softened
from ..options import holds_local, options_of
from .actions import Actions, all_needs_of, needs_of
from .configs import Config

Needs: TypeAlias = dict[str, dict[str, AnyNode]]
"""The actions that each action needs by key, each with the first place that says so."""

_HINT: Final = "remove one of these dependencies or references"
_AN_ACTION: Final = 4


def report_cycles(
    actions: Actions, made: Mapping[Config, Map], references: bool, context: Context
) -> None:
    """Reports actions that wait for each other: by dependencies, or for each other's results.

    `made` are the evaluated configurations; with `references` what they still refer to counts, too.
    Garden passes over what is disabled, except for a Build, which it builds for whatever needs it;
    an action that may be disabled has warnings.
    """
    needs: Needs = {}
    for config, action in actions.by_config.items():
        if not config.is_action or actions.by_key[config.key] is not action:
            continue
        context.meter.work(_AN_ACTION)
        if action.disabled is True and config.kind != "Build":
            continue
        found = needs[config.key] = {}
        for key, node in _needs_of(made[config], references, actions):
            context.meter.work(1)
            found.setdefault(key, node)
    softened = Softened(context.diagnostics, Note("one of the actions may be disabled"))
    for cycle in _cycles(needs, context):
        certain = all(actions.by_key[key].disabled is False for key in cycle)
        place = needs[cycle[-1]][cycle[0]]
        summary = f"the actions form a cycle: {' -> '.join([*cycle, cycle[0]])}"
        if any(holds_local(key, options_of(context.options).local) for key in cycle):
            summary = "actions form a cycle"
        diagnostics = context.diagnostics if certain else softened
        diagnostics.error("reference_cycle", place.span, summary, _HINT)


def _needs_of(root: Map, references: bool, actions: Actions) -> Iterable[tuple[str, AnyNode]]:
    return all_needs_of(root, actions) if references else needs_of(root)


def _cycles(needs: Needs, context: Context) -> Iterator[list[str]]:
    """Cycles that have no action in common; none is left when these are broken and told again."""
    done: set[str] = set()
    told: set[str] = set()
    for start in needs:
        if start in done:
            continue
        way: dict[str, Iterator[str]] = {start: iter(needs[start])}
        while way:
            here = next(reversed(way))
            context.meter.work(1)
            key = next(way[here], None)
            if key is None:
                way.pop(here)
                done.add(here)
            elif key in way:
                keys = [*way]
                cycle = keys[keys.index(key) :]
                if told.isdisjoint(cycle):
                    told.update(cycle)
                    yield cycle
            elif key in needs and key not in done:
                way[key] = iter(needs[key])
