"""`bpp diff`: two renders compared by path."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import attrs

from ..answers.comparison import diff
from ..engine.run import Run
from ..rendering import render
from ..values.diagnostics import Diagnostic, Diagnostics, Note
from ..values.source import Source
from .diff_report import FORMATS, difference_json, difference_lines
from .entry import EXIT_ERRORS, EXIT_UNREADABLE
from .render_command import REPORTS, Inputs, RenderOptions, report, status_of
from .streams import put, say
from .usage import UsageProblem, choice, read_once


@attrs.frozen
class Side:
    """What only one of the two renders is given."""

    file: str
    var: tuple[str, ...] = ()
    vars: tuple[str, ...] = ()
    state: str | None = None
    datasources: str | None = None
    own: Mapping[str, tuple[str, ...]] = attrs.field(factory=dict)

    @property
    def bare(self) -> bool:
        """True when it has nothing of its own but its file."""
        return not (self.var or self.vars or self.state or self.datasources or self.own)


def run_diff(a: Side, b: Side, common: RenderOptions, form: str) -> int:
    """The exit status of `bpp diff`: 0 the same, 1 different or a side has errors.

    `b` without a file is the same blueprint with other inputs. Both sides have one clock and the
    same ids, so that a render never differs from itself.
    """
    choice("--format", form, FORMATS)
    choice("--diagnostics", common.diagnostics, REPORTS)
    choice("--color", common.color, ("auto", "always", "never"))
    alone = not b.file
    if alone and a.bare and b.bare:
        raise UsageProblem(
            "diff needs two blueprints, or one with values for one side, such as --vars-b FILE"
        )
    if alone:
        b = attrs.evolve(b, file=a.file)
    options = [_of_side(a, common), _of_side(b, common)]
    read_once(*_inputs(options[0]), *_inputs(options[1])[alone:])
    whole = common.evolve(
        file=a.file,
        vars=(*options[0].vars, *options[1].vars, *_others(options)),
    )
    sides = [Inputs(side) for side in options]
    sources = [sides[0].source()]
    sources.append(sources[0] if alone else sides[1].source())
    arguments = [side.arguments(source) for side, source in zip(sides, sources, strict=True)]
    if alone:
        sides[1].unreadable |= sides[0].unreadable
    ready = [
        (source, given)
        for source, given in zip(sources, arguments, strict=True)
        if source is not None and given is not None
    ]
    if len(ready) < len(sides):
        found = Diagnostics()
        for side in sides:
            found.extend(side.diagnostics)
        report(found, whole, a.file)
        unreadable = any(side.unreadable for side in sides)
        return EXIT_UNREADABLE if unreadable else EXIT_ERRORS
    runs = _rendered(ready)
    found = _merged(
        [[*run.diagnostics, *side.diagnostics] for run, side in zip(runs, sides, strict=True)],
        alone,
    )
    for run in runs:
        found.quoting.add(run.diagnostics.quoting)
    report(found, whole, ready[0][0].name)
    if not all(run.ok for run in runs):
        return status_of(found)
    return _finish(runs, form, common.color)


def _of_side(side: Side, common: RenderOptions) -> RenderOptions:
    """The options of one render: the common ones, then its own, which win."""
    return common.evolve(
        file=side.file,
        var=(*common.var, *side.var),
        vars=(*common.vars, *side.vars),
        state=side.state or common.state,
        datasources=side.datasources or common.datasources,
        seed=common.seed or 0,
        own={**common.own, **{flag: _joined(common, flag, own) for flag, own in side.own.items()}},
    )


def _joined(common: RenderOptions, flag: str, own: tuple[str, ...]) -> tuple[str, ...]:
    """The values of an option of a dialect: those for both sides first, so that later ones win."""
    return (*common.own.get(flag, ()), *own)


def _inputs(options: RenderOptions) -> list[str | None]:
    return [options.file, *options.vars, options.state, options.datasources]


def _others(options: list[RenderOptions]) -> list[str]:
    """State and records of both sides, which no report may quote."""
    return [name for side in options for name in (side.state, side.datasources) if name]


def _rendered(ready: list[tuple[Source, dict[str, Any]]]) -> list[Run]:
    from ..world.effects import Effects

    first = ready[0][1]
    now = Effects(first["settings"], first["files"]).now()
    runs: list[Run] = []
    for source, given in ready:
        same = bool(runs) and runs[0].dialect is given["dialect"]
        shapes = runs[0].language.shapes if same else None
        given = {**given, "settings": given["settings"].evolve(now=now)}
        runs.append(render(source, shapes=shapes, **given))
    return runs


def _merged(sides: list[list[Diagnostic]], alone: bool) -> Diagnostics:
    """What both renders said; of one blueprint's with a note when only one of them says it."""
    found = Diagnostics()
    said = [{_key(item) for item in side} for side in sides]
    for own, other, name in zip(sides, reversed(said), "ab", strict=True):
        for item in own:
            if alone and _key(item) not in other:
                item = item.noting(Note(f"this is said of side {name} only"))
            found.add(item)
    return found


def _key(item: Diagnostic) -> tuple[str, str, str]:
    return item.code, item.summary, str(item.span)


def _finish(runs: list[Run], form: str, color: str) -> int:
    import os

    from .terminal import use_color

    found = diff(*runs)
    if form == "json":
        put(difference_json(found))
    else:
        say(difference_lines(found, use_color(sys.stdout, os.environ, color)))
    return EXIT_ERRORS if found else 0
