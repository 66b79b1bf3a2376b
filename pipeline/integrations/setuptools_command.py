"""The command `build_bpp` of setuptools: `[tool.bpp]` rendered as a part of `build`.

setuptools asks every installed plugin about every project. A project takes part when
`blueprint-preprocessor` is in its `build-system.requires` and its folder has a configuration.
"""

from __future__ import annotations

import logging
import os
import re
from typing import TYPE_CHECKING, Any, ClassVar, Final

from setuptools import Command, Distribution
from setuptools.errors import ExecError

if TYPE_CHECKING:
    from ..cli.project_build import ProjectBuild

NAME: Final = "build_bpp"

_REQUIRES_US: Final = re.compile(r"blueprint[-_.]+preprocessor\s*(?![\w.-])", re.IGNORECASE)


class BuildBpp(Command):
    """Renders the project's targets; those inside a package are built with it.

    In editable mode the outputs stay where they are rendered, else they are copied beside the
    modules that are built. Implements the protocol `setuptools.command.build.SubCommand`.
    """

    description = "render the blueprints of [tool.bpp]"
    user_options: ClassVar[list[tuple[str, str | None, str]]] = [
        ("build-lib=", "d", "directory to build to"),
        ("targets=", None, "targets to render, separated by commas (default: all)"),
    ]

    def initialize_options(self) -> None:
        """Sets every option to its default."""
        self.build_lib: str | None = None
        self.targets: str | None = None
        self.editable_mode = False
        self._built: ProjectBuild | None = None

    def finalize_options(self) -> None:
        """Takes over the options of `build`."""
        self.set_undefined_options("build", ("build_lib", "build_lib"))

    def run(self) -> None:
        """Renders, and copies what belongs into packages.

        Raises:
            ExecError: when a blueprint has errors; the message has the diagnostics.
        """
        for made, source in self.get_output_mapping().items():
            if not self.editable_mode:
                self.mkpath(os.path.dirname(made))
                self.copy_file(source, made)

    def get_source_files(self) -> list[str]:
        """The files that an sdist needs, so that outputs can be made from it."""
        return [name for file in self._rendered().inputs if (name := _inside(file))]

    def get_outputs(self) -> list[str]:
        """The files that are built into packages."""
        return list(self.get_output_mapping())

    def _rendered(self) -> ProjectBuild:
        if self._built is None:
            from ..cli.project_build import build_project

            names = [name.strip() for name in (self.targets or "").split(",") if name.strip()]
            built = build_project(os.curdir, names)
            if built.problem:
                problem = built.problem.rstrip("\n")
                raise ExecError(f"bpp: the targets of the project cannot be rendered\n{problem}")
            if built.warnings:
                self.warn(f"bpp:\n{built.warnings}")
            self.announce(f"bpp: {built.summary.strip()}", level=logging.INFO)
            self._built = built
        return self._built

    def get_output_mapping(self) -> dict[str, str]:
        """Where the files that are built into packages are rendered, by where they are built to."""
        build_py: Any = self.get_finalized_command("build_py")
        folders = {
            os.path.normpath(build_py.get_package_dir(package)): package.split(".")
            for package in self.distribution.packages or ()
        }
        found = {}
        for name in filter(None, map(_inside, self._rendered().outputs)):
            folder = os.path.dirname(name)
            while folder and os.path.normpath(folder) not in folders:
                folder = os.path.dirname(folder)
            package = folders.get(os.path.normpath(folder))
            if package is not None:
                rest = os.path.relpath(name, folder or os.curdir)
                found[os.path.join(self.build_lib or "", *package, rest)] = name
        return found


def _inside(path: str) -> str | None:
    """A path from the project's folder, in which setuptools works; none when it is elsewhere."""
    from ..world.files import real_path

    name = os.path.relpath(real_path(path))
    return None if name.partition(os.sep)[0] == os.pardir else name


def finalize(distribution: Distribution) -> None:
    """Makes `build_bpp` a part of `build`, in front, for a project that asks for it."""
    if not _wanted():
        return
    build = distribution.get_command_class("build")
    if any(name == NAME for name, _ in build.sub_commands):
        return
    steps = [(NAME, None), *build.sub_commands]
    distribution.cmdclass["build"] = type("build", (build,), {"sub_commands": steps})
    distribution.cmdclass[NAME] = BuildBpp


def _wanted() -> bool:
    # every project that is built where bpp is installed comes this way
    from ..world.files import DiskFiles, FileProblem

    try:
        text = DiskFiles().open_input("pyproject.toml").decode()
    except (FileProblem, UnicodeDecodeError):
        return False
    if "preprocessor" not in text.lower():
        return False
    import tomllib

    try:
        system = tomllib.loads(text).get("build-system")
    except tomllib.TOMLDecodeError:
        return False  # setuptools says what is wrong with it
    requires = system.get("requires") if isinstance(system, dict) else None
    named = requires if isinstance(requires, list) else []
    asked = any(isinstance(item, str) and _REQUIRES_US.match(item.strip()) for item in named)
    if not asked:
        return False
    from ..cli.project_build import project_configuration

    return project_configuration(os.curdir) is not None
