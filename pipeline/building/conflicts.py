"""Files that two targets write, or that one writes and another one reads first."""

from __future__ import annotations

import os
from collections.abc import Iterator

from .expansion import Path, Report
from .target import Target


def check_conflicts(targets: list[Target], configuration: str, report: Report) -> None:
    """Reports every file that would be written twice, or would take the place of an input.

    A file that one target writes may be what another one reads, such as its blueprint.
    """
    folder = os.path.dirname(configuration)
    real = RealPaths(folder)
    writers: dict[str, tuple[Target, str]] = {}
    for target in targets:
        own = {real.of(name): name for name in target.inputs()}
        own[os.path.normcase(configuration)] = os.path.basename(configuration)
        for key, name in _written(target):
            path = real.of(name)
            at: Path = ("targets", target.group, key)
            if name.endswith(("/", os.sep)):
                report("invalid_configuration", at, f"`{name}` names a folder, not a file", None)
            elif path in own:
                words = f"target `{target.name}` would replace `{own[path]}`, which it reads"
                report("duplicate_output", at, words, None)
            elif path in writers:
                other, same = writers[path]
                report("duplicate_output", at, *_said(target, other, name, same))
            else:
                writers[path] = (target, name)


def _written(target: Target) -> Iterator[tuple[str, str]]:
    yield "output", target.output
    if target.depfile:
        yield "depfile", target.depfile
    if target.source_map:
        yield "source-map", target.source_map


def _said(target: Target, other: Target, name: str, same: str) -> tuple[str, str | None]:
    if other is target:
        return f"target `{target.name}` writes `{name}` twice", None
    words = f"targets `{other.name}` and `{target.name}` both write `{name}`"
    if target.group != other.group:
        return words, "use `{target}` in the path to keep them apart"
    apart = next(axis for axis in target.axes if target.axes[axis] != other.axes[axis])
    return words, f"use `{{{apart}}}` in the path to keep them apart"


class RealPaths:
    """Real paths; the folders that many files share are looked at once."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._known: dict[str, str] = {}

    def of(self, name: str) -> str:
        """The one path of a file, however it is written."""
        head, base = os.path.split(name)
        if base in ("", os.curdir, os.pardir):
            return os.path.realpath(os.path.join(self._folder, name))
        folder = self._known.get(head)
        if folder is None:
            folder = self._known[head] = os.path.realpath(os.path.join(self._folder, head))
        full = os.path.join(folder, base)
        return os.path.realpath(full) if os.path.islink(full) else os.path.normcase(full)
