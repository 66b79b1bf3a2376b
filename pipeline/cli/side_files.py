"""Files that are written beside an output: dependency files and source maps."""

from __future__ import annotations

import os

from .render_command import RenderOptions
from .usage import UsageProblem


def check_side_files(options: RenderOptions) -> None:
    """Refuses a rule without a target, and what would take the place of another file."""
    if options.depfile is not None and (
        options.output == "-" or not (options.output or options.split)
    ):
        raise UsageProblem("--depfile needs --output with a file, or --split: a rule has a target")
    others = [options.output, options.file, *options.vars, options.state, options.datasources]
    for option, name in (("--depfile", options.depfile), ("--source-map", options.source_map)):
        if name is None:
            continue
        if name in ("", "-"):
            raise UsageProblem(f"{option} needs the path of a file")
        for other in others:
            if other and os.path.realpath(name) == os.path.realpath(other):
                raise UsageProblem(f"{option} would replace `{other}`")
        others.append(name)
