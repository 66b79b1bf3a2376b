"""`bpp diff`: two renders compared by path, as lines for people or as JSON for programs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ...functions.values import type_of
from ..answers.comparison import ADDED, CHANGED, MOVED, REMOVED, Difference, diff
from ..engine.options import Options
from ..engine.run import Run
from ..rendering import render
from ..values.diagnostics import Diagnostic, Diagnostics, Note
from ..values.source import Source
from ..values.terminal import ELLIPSIS, Palette, shorten, use_color, visible, visible_json
from .render_inputs import Inputs, input_files, report, status_of
from .streams import EXIT_ERRORS, EXIT_UNREADABLE, write_out, write_raw
from .usage import UsageProblem, read_once

_SIGNS: Final = {ADDED: "+", REMOVED: "-", CHANGED: "~", MOVED: ">"}
_STYLES: Final = {ADDED: "note", REMOVED: "error", CHANGED: "warning", MOVED: "gutter"}
_VALUE_CHARS: Final = 120
_CONTEXT_CHARS: Final = 20


def difference_lines(differences: Iterable[Difference], color: bool) -> str:
    """One line for each difference; empty if there are none."""
    palette = Palette(color)
    return "".join(
        f"{palette.paint(_STYLES[item.kind], f'{_SIGNS[item.kind]} {visible(item.where)}')}"
        f"{_change(item)}\n"
        for item in differences
    )


def difference_count(differences: Iterable[Difference]) -> str:
    """`2 added, 1 changed` as a line of its own; empty if there are none."""
    kinds = [item.kind for item in differences]
    counts = [f"{kinds.count(kind)} {kind}" for kind in _SIGNS if kind in kinds]
    return f"{', '.join(counts)}\n" if counts else ""


def difference_json(differences: Iterable[Difference]) -> str:
    """A JSON array of objects with `path`, `kind`, `old` and `new`."""
    plain = [
        {"path": item.where, "kind": item.kind, "old": item.old, "new": item.new}
        for item in differences
    ]
    return visible_json(json.dumps(plain, ensure_ascii=False, indent=2)) + "\n"


def _change(item: Difference) -> str:
    match item.kind:
        case "added":
            return f": {_shown(item.new)}"
        case "removed":
            return f": {_shown(item.old)}"
        case "moved":
            return f" moved to [{item.new}]"
    old, new = item.old, item.new
    if old.__class__ is not new.__class__:
        return f": {_shown(old)} ({type_of(old)}) -> {_shown(new)} ({type_of(new)})"
    if isinstance(old, str):
        old, new = _without_prefix(old, new)
    return f": {_shown(old)} -> {_shown(new)}"


def _shown(value: Any) -> str:
    """A value as JSON on one line, cut when it is long."""
    return shorten(visible_json(json.dumps(value, ensure_ascii=False)), _VALUE_CHARS)


def _without_prefix(old: str, new: str) -> tuple[str, str]:
    """Two long strings without their common prefix, except for some context."""
    if max(len(old), len(new)) <= _VALUE_CHARS - 2:
        return old, new
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    start = same - _CONTEXT_CHARS
    if start <= len(ELLIPSIS):
        return old, new
    return ELLIPSIS + old[start:], ELLIPSIS + new[start:]


def run_diff(common: Options) -> int:
    """The exit status of `bpp diff`: 0 the same, 1 different or a side has errors.

    Without a second file, the same blueprint is rendered with other inputs. Both sides have one
    clock and the same ids, so that a render never differs from itself.
    """
    alone = not common.other
    if alone and not any(common.sides):
        raise UsageProblem(
            "diff needs two blueprints, or one with values for one side, such as --vars-b FILE"
        )
    files = (common.file, common.other or common.file)
    options = [_of_side(common, file, own) for file, own in zip(files, common.sides, strict=True)]
    read_once(*input_files(options[0]), *input_files(options[1])[alone:])
    sides = [Inputs(side) for side in options]
    ready = _read(sides, alone)
    if len(ready) < len(sides):
        found = Diagnostics()
        for side in sides:
            found.extend(side.diagnostics)
        report(found, options[0], common.file)
        unreadable = any(side.unreadable for side in sides)
        return EXIT_UNREADABLE if unreadable else EXIT_ERRORS
    runs = _rendered(ready)
    found = _merged(
        [[*run.diagnostics, *side.diagnostics] for run, side in zip(runs, sides, strict=True)],
        alone,
    )
    for run in runs:
        found.quoting.add(run.diagnostics.quoting)
    report(found, options[0], ready[0][0].name)
    if not all(run.ok for run in runs):
        return status_of(found)
    differences = diff(*runs)
    if common.format == "json":
        write_raw(difference_json(differences))
    else:
        painted = use_color(sys.stdout, os.environ, common.color)
        write_out(difference_lines(differences, painted) + difference_count(differences))
    return EXIT_ERRORS if differences else 0


def _of_side(common: Options, file: str, own: Mapping[str, Any]) -> Options:
    """The options of one render: the common ones, overridden by its own; lists are joined."""
    changes: dict[str, Any] = {
        name: (*getattr(common, name), *value) if isinstance(value, tuple) else value
        for name, value in own.items()
        if name != "own"
    }
    changes["own"] = {
        **common.own,
        **{flag: (*common.own.get(flag, ()), *new) for flag, new in own.get("own", {}).items()},
    }
    return common.evolve(file=file, seed=common.seed or 0, **changes)


def _read(sides: list[Inputs], alone: bool) -> list[tuple[Source, dict[str, Any]]]:
    """The inputs of the renders that can be made; one blueprint is read once."""
    sources = [sides[0].source()]
    sources.append(sources[0] if alone else sides[1].source())
    arguments = [side.arguments(source) for side, source in zip(sides, sources, strict=True)]
    if alone:
        sides[1].unreadable |= sides[0].unreadable
    return [
        (source, given)
        for source, given in zip(sources, arguments, strict=True)
        if source is not None and given is not None
    ]


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
    """The diagnostics of both; with one blueprint, a note marks those of a single side."""
    found = Diagnostics()
    keys = [{_key(item) for item in side} for side in sides]
    for own, other, name in zip(sides, reversed(keys), "ab", strict=True):
        for item in own:
            if alone and _key(item) not in other:
                item = item.noting(Note(f"this applies to side {name} only"))
            found.add(item)
    return found


def _key(item: Diagnostic) -> tuple[str, str, str]:
    return item.code, item.summary, str(item.span)
