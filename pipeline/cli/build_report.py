"""Reports of a build: the diagnostics of all its targets, and the differences of a check."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Final

from ..building.builds import BuildResult
from ..building.target import TargetResult
from ..formats.report import json_report, render, render_text
from ..rendering import failed_to_read
from ..values.diagnostics import Diagnostics, Note, discreet
from ..values.quoting import Quoting, Ranges
from ..values.source import Source, Span
from ..values.terminal import Palette, use_color, visible
from ..world.files import DiskFiles, FileProblem, real_path

_MOST_GROUPS: Final = 50
_MOST_NAMES: Final = 5


def report_build(result: BuildResult, form: str, color: str) -> str:
    """The diagnostics of a build; those that several targets share are shown once."""
    configuration = result.configuration
    if not configuration.ok:
        return report_alone(configuration.diagnostics, configuration.name, form, color)
    move = _Moved(configuration.folder)
    moved = [(one, move.diagnostics(one.diagnostics)) for one in result.results]
    if form == "json":
        return _json(moved)
    if form != "text":
        every = Diagnostics()
        for _, found in moved:
            every.extend(found)
        if not len(every) and form == "github":
            return ""
        return render(every, form, color=False, main_file=configuration.name)
    painted = use_color(sys.stderr, os.environ, color)
    groups: dict[str, list[str]] = {}
    for one, found in moved:
        if len(found):
            text = render_text(found, painted)
            groups.setdefault(text, []).append(one.target.name)
    traced = dict.fromkeys(one.traced for one in result.results)
    return _grouped(groups, Palette(painted)) + "".join(traced)


def report_alone(diagnostics: Diagnostics, main_file: str, form: str, color: str) -> str:
    """The diagnostics of the configuration itself."""
    if not len(diagnostics) and form in ("text", "github"):
        return ""
    painted = use_color(sys.stderr, os.environ, color)
    return render(diagnostics, form, color=painted, main_file=main_file)


def report_unreadable(problem: FileProblem, path: str, form: str, color: str) -> str:
    """The diagnostic for a configuration that cannot be read."""
    found = Diagnostics()
    found.add(failed_to_read(problem))
    return report_alone(found, path, form, color)


def difference_report(result: BuildResult, color: str) -> str:
    """The differences that a check found, by target and path."""
    from .diff_command import difference_lines

    painted = use_color(sys.stdout, os.environ, color)
    paint = Palette(painted).paint
    parts = []
    for one in result.results:
        if one.status == "differs":
            parts.append(
                f"{paint('strong', visible(one.target.name))}: {visible(one.target.output)}\n"
            )
            if one.remark:
                parts.append(f"  {visible(one.remark)}\n")
            for line in difference_lines(one.differences, painted).splitlines():
                parts.append(f"  {line}\n")
            if one.volatile:
                listed = visible(", ".join(one.volatile))
                parts.append(
                    f"  the output depends on {listed}: set `now` and `seed`, or use a lock file\n"
                )
    return "".join(parts)


def _grouped(groups: dict[str, list[str]], palette: Palette) -> str:
    parts = []
    for text, names in list(groups.items())[:_MOST_GROUPS]:
        shown = ", ".join(visible(name) for name in names[:_MOST_NAMES])
        if len(names) > _MOST_NAMES:
            shown += f" and {len(names) - _MOST_NAMES} more"
        word = "target" if len(names) == 1 else "targets"
        parts.append(palette.paint("strong", f"{word} {shown}") + f"\n{text}")
    left = sum(map(len, list(groups.values())[_MOST_GROUPS:]))
    if left:
        parts.append(f"{left} more targets have diagnostics\n")
    return "\n".join(parts)


def _json(moved: Iterable[tuple[TargetResult, Diagnostics]]) -> str:
    from ..formats.records import plain_diagnostics

    plain = [
        item
        for one, found in moved
        for item in plain_diagnostics(
            (discreet(item, found.quoting) for item in found.sorted()), one.target.name
        )
    ]
    return json_report(plain)


class _Moved:
    """Diagnostics with the names of files relative to the working directory."""

    def __init__(self, folder: str) -> None:
        self._files = DiskFiles()
        self._folder = folder
        self._stays = real_path(self._files.cwd()) == folder
        self._sources: dict[int, Source] = {}

    def name(self, name: str) -> str:
        """A file's name relative to the working directory."""
        if self._stays or name.startswith("<") or "://" in name:
            return name
        return self._files.shown(os.path.join(self._folder, name))

    def diagnostics(self, found: Diagnostics) -> Diagnostics:
        """The same diagnostics with the other names of the same files."""
        if self._stays or not len(found):
            return found
        moved = Diagnostics(limit=max(len(found), 1))
        for item in found:
            notes = tuple(Note(note.text, self._span(note.span)) for note in item.notes)
            moved.add(item.evolve(span=self._span(item.span), notes=notes))
        moved.count(found)
        for item in found:
            for span in (item.span, *(note.span for note in item.notes)):
                self._admit(span, found.quoting, moved.quoting)
        return moved

    def _admit(self, span: Span | None, known: Quoting, moved: Quoting) -> None:
        hidden = known.hidden_in(span.source) if span is not None else None
        there = self._span(span)
        if there is not None and hidden is not None:
            moved.admit(there.source, Ranges(hidden).rule())

    def _span(self, span: Span | None) -> Span | None:
        if span is None:
            return None
        source = span.source
        if id(source) not in self._sources:
            self._sources[id(source)] = source.evolve(name=self.name(source.name))
        return Span(self._sources[id(source)], span.start, span.end, span.exact)
