"""The build hook of Hatchling: `[tool.hatch.build.hooks.bpp]` renders `[tool.bpp]`."""

from __future__ import annotations

import os
import re
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.plugin import hookimpl

from ..cli.project_build import ProjectBuild, build_project
from ..world.files import real_path

_PATTERN_CHARACTERS: Final = re.compile(r"([\\*?\[\]!# ])")


class BppBuildHook(BuildHookInterface):
    """Renders the project's targets where the configuration says, and has them packaged.

    Outputs below the project's folder are artifacts of wheels and sdists, ignored by git or not.
    The option `targets` names those to render; default: all.
    """

    PLUGIN_NAME = "bpp"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Renders; ends the build with the diagnostics when that fails."""
        targets = self.config.get("targets", [])
        if not isinstance(targets, list) or not all(isinstance(name, str) for name in targets):
            self._fail("bpp: `targets` of `[tool.hatch.build.hooks.bpp]` must be names of targets")
        unknown = sorted(self.config.keys() - _OPTIONS)
        if unknown:
            self._fail(f"bpp: `[tool.hatch.build.hooks.bpp]` has no option `{unknown[0]}`")
        built = build_project(self.root, targets)
        if built.problem:
            self._fail(f"bpp: the targets of the project cannot be rendered\n{built.problem}")
        if built.warnings:
            self.app.display_warning(built.warnings)
        self.app.display_info(f"bpp: {built.summary.strip()}")
        build_data["artifacts"].extend(_artifacts(self.root, built))

    def _fail(self, message: str) -> None:
        self.app.abort(message.rstrip("\n"))


_OPTIONS: Final = frozenset(
    {"targets", "dependencies", "enable-by-default", "require-runtime-dependencies"}
    | {"require-runtime-features"}
)
"""Ours, and those that hatchling gives every hook."""


def _artifacts(root: str, built: ProjectBuild) -> list[str]:
    """The outputs as patterns of files, as hatchling understands them."""
    folder = real_path(root)
    found = []
    for output in built.outputs:
        name = os.path.relpath(real_path(output), folder)
        if name.partition(os.sep)[0] != os.pardir:
            pattern = _PATTERN_CHARACTERS.sub(r"\\\1", name.replace(os.sep, "/"))
            found.append(f"/{pattern}")
    return found


@hookimpl  # type: ignore[untyped-decorator]
def hatch_register_build_hook() -> type[BuildHookInterface]:
    """The hook that hatchling asks its plugins for."""
    return BppBuildHook
