"""Builds a project's own targets for another build tool."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ...functions.record import Record
from ..building.builds import UnknownTarget, build_targets
from ..building.configuration import SHARED_FILE, find_configuration
from ..values.terminal import visible
from ..world.files import FileProblem, real_path
from .build_command import summary, surroundings
from .build_report import report_build, report_unreadable


class ProjectBuild(Record):
    """The outcome of a build, with absolute paths.

    `problem` is the text of the errors that stopped it, or empty; `warnings` the text of other
    diagnostics, `summary` one line about what was done. `outputs` are the files written, `inputs`
    those read, including the configuration.
    """

    problem: str = ""
    warnings: str = ""
    summary: str = ""
    outputs: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()


def project_configuration(root: str) -> str | None:
    """The configuration in a folder itself, or None."""
    found = find_configuration(root)
    return found if found and os.path.dirname(found) == real_path(root) else None


def build_project(root: str, targets: Sequence[str] = ()) -> ProjectBuild:
    """Brings the targets of a project up to date, as `bpp build` does in its folder."""
    path = project_configuration(root)
    if path is None:
        return ProjectBuild(f"no `bpp.toml`, and no `[tool.bpp]` in `{SHARED_FILE}`\n")
    try:
        result = build_targets(path, targets=targets, around=surroundings(os.environ))
    except FileProblem as problem:
        return ProjectBuild(report_unreadable(problem, path, "text", "never"))
    except UnknownTarget as error:
        return ProjectBuild(f"{visible(str(error))}\n")
    text = report_build(result, "text", "never")
    if not result.ok:
        return ProjectBuild(text)
    folder = result.configuration.folder
    outputs = [
        os.path.normpath(os.path.join(folder, name))
        for one in result.results
        for name in one.target.outputs()
    ]
    made = set(map(real_path, outputs))
    read = [file for one in result.results for file in one.reads if os.path.isfile(file)]
    inputs = [os.path.normpath(file) for file in (path, *read) if real_path(file) not in made]
    return ProjectBuild(
        "", text, summary(result, check=False), tuple(outputs), tuple(dict.fromkeys(inputs))
    )
