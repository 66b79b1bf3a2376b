"""A project's own targets, built on behalf of another tool; what is to be said is text."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ...functions.record import Record
from ..building.builds import UnknownTarget, build_targets
from ..building.configuration import SHARED_FILE, find_configuration
from ..rendering import failed_to_read
from ..values.diagnostics import Diagnostics
from ..world.files import FileProblem
from .terminal import visible


class ProjectBuild(Record):
    """What came of a build, with absolute paths.

    `problem` is what keeps it from being one, else empty; `warnings` is what else there is to say,
    `summary` one line about what was done. `outputs` are the files that are written, `inputs` those
    that are read, the configuration among them.
    """

    problem: str = ""
    warnings: str = ""
    summary: str = ""
    outputs: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()


def project_configuration(root: str) -> str | None:
    """The configuration that lies in a folder itself, if there is one."""
    found = find_configuration(root)
    return found if found and os.path.dirname(found) == os.path.realpath(root) else None


def build_project(root: str, targets: Sequence[str] = ()) -> ProjectBuild:
    """Brings the targets of a project up to date, as `bpp build` does in its folder."""
    from .build_command import summary, surroundings
    from .build_report import report_alone, report_build

    path = project_configuration(root)
    if path is None:
        return ProjectBuild(f"there is no `[tool.bpp]` in `{SHARED_FILE}`, and no `bpp.toml`\n")
    try:
        result = build_targets(path, targets=targets, around=surroundings(os.environ))
    except FileProblem as problem:
        found = Diagnostics()
        found.add(failed_to_read(problem))
        return ProjectBuild(report_alone(found, path, "text", "never"))
    except UnknownTarget as error:
        return ProjectBuild(f"{visible(str(error))}\n")
    said = report_build(result, "text", "never")
    if not result.ok:
        return ProjectBuild(said)
    folder = result.configuration.folder
    outputs = [
        os.path.normpath(os.path.join(folder, name))
        for one in result.results
        for name in one.target.outputs()
    ]
    made = set(map(os.path.realpath, outputs))
    read = [file for one in result.results for file in one.reads if os.path.isfile(file)]
    inputs = [
        os.path.normpath(file) for file in (path, *read) if os.path.realpath(file) not in made
    ]
    return ProjectBuild(
        "", said, summary(result, check=False), tuple(outputs), tuple(dict.fromkeys(inputs))
    )
