"""Runs the projects under `examples/` as their users would, in one fresh virtual environment.

    python tools/run_examples.py [NAME...]

Each project is copied first, so the checkout stays as it is. The environment has a wheel of bpp
that is built here, and what the projects need from PyPI. A tool that is no Python package (make,
Bazel, git) and is not there has its project skipped, which is said.

Exit status: 0 when every project does what it shows, 1 when one does not, 2 for an unknown name.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = {"cmake": "cmake>=3.21", "ninja": "ninja>=1.11"}
"""Taken from PyPI when this machine has none."""

TOOLS = (
    "build>=1.2",
    "editables",
    "hatchling>=1.21",
    "parsimonious>=0.10",
    "pathspec>=1.0",
    "pre-commit>=3.5",
    "pytest>=8",
    "setuptools>=77",
    "syrupy>=4.6",
)
PACKAGED = ("functions", "pipeline", "tools", "transforms")
BESIDE = (
    "pyproject.toml",
    "setup.py",
    "README.md",
    "LICENSE",
    "MANIFEST.in",
    ".pre-commit-hooks.yaml",
)
GENERATED = r"""
genrule(
    name = "policy",
    outs = ["infra/policy.txt"],
    cmd = "echo generated > $@",
)

genrule(
    name = "other",
    outs = ["other.sh"],
    cmd = "printf '#!/bin/sh\\necho from another program > $$3\\n' > $@",
    executable = True,
)
"""
OUTPUTS = {"orders_infra/app-prod.yaml", "orders_infra/app-test.yaml"}


class Wrong(Exception):
    """An example that does not do what it shows."""


class Place:
    """A folder with the environment and a copy of bpp and of the examples."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.examples = folder / "examples"
        shutil.copytree(ROOT / "examples", self.examples)
        self.bpp = folder / "bpp"
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
        for name in PACKAGED:
            shutil.copytree(ROOT / name, self.bpp / name, ignore=ignored)
        for name in BESIDE:
            shutil.copy(ROOT / name, self.bpp)
        self.scripts = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        venv.create(folder / "venv", with_pip=True)
        pip = ("python", "-m", "pip", "install", "-q", "--disable-pip-version-check")
        missing = [name for program, name in PROGRAMS.items() if not self.has(program)]
        self.run(folder, *pip, *TOOLS, *missing)
        self.run(self.bpp, "python", "-m", "build", "--wheel", "--no-isolation", "-o", "../wheels")
        (self.wheel,) = (folder / "wheels").glob("*.whl")
        self.run(folder, *pip, str(self.wheel))

    def has(self, program: str) -> bool:
        """Whether there is such a program."""
        return shutil.which(program, path=self._path()) is not None

    def run(self, folder: Path, *command: str, status: int = 0, **env: str) -> str:
        """What a command prints, on both streams.

        Raises:
            Wrong: when it ends with another status.
        """
        ours = ("BPP_", "PIP_REQUIRE", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "GIT_")
        kept = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
        cache = str(self.folder / "cache")
        done = subprocess.run(
            command,
            cwd=folder,
            env={**kept, "PATH": self._path(), "BPP_CACHE_DIR": cache, "BPP_COMPILE": "0", **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        if (done.returncode != 0) is not (status != 0):
            words = " ".join(command)
            raise Wrong(f"`{words}` ends with {done.returncode}\n{done.stdout}")
        return done.stdout

    def _path(self) -> str:
        return os.pathsep.join([str(self.scripts), os.environ.get("PATH", "")])


def demand(condition: bool, what: str, log: str = "") -> None:
    """Raises Wrong with these words when something is not so."""
    if not condition:
        raise Wrong(f"{what}\n{log}")


def package_with_tests(place: Place, project: Path) -> None:
    """Installs a package that extends bpp, runs its tests, and sees that bpp finds it."""
    place.run(
        project, "python", "-m", "pip", "install", "-q", "--no-build-isolation", "-e", ".[test]"
    )
    log = place.run(project, "python", "-m", "pytest", "-q", "-p", "no:cacheprovider")
    demand(" passed" in log, "no test passed", log)


def function_package(place: Place, project: Path) -> None:
    """A package of functions."""
    package_with_tests(place, project)
    log = place.run(project, "bpp", "eval", 'bucket_name("acme", kebab("Audit Logs"))')
    demand(log == '"acme-audit-logs"\n', "another name was expected", log)


def transform_package(place: Place, project: Path) -> None:
    """A package with a transform."""
    package_with_tests(place, project)
    log = place.run(project, "bpp", "render", "tests/app.yaml", "--var", "stage=prod")
    demand("orders_queue:" in log, "the transform did not run", log)


def make_project(place: Place, project: Path) -> None:
    """make: one file is touched, all that reads it is rendered, and then nothing is."""
    follow_changes(place, project, ("make",), "bpp render")


def ninja_project(place: Place, project: Path) -> None:
    """ninja, and that nothing follows from an output that stays the same."""
    follow_changes(place, project, ("ninja", "-v"), "bpp render")
    (project / "infra" / "policy.txt").touch()
    log = place.run(project, "ninja", "-v")
    demand("cksum" not in log, "an output that stayed the same had consequences", log)


def follow_changes(place: Place, project: Path, command: tuple[str, ...], sign: str) -> None:
    """Builds, again, after a change, after a mistake and after its correction."""
    demand(place.run(project, *command).count(sign) == 2, "two renders were expected")
    again = place.run(project, *command)
    demand(sign not in again, "nothing had changed", again)
    policy = project / "infra" / "policy.txt"
    time.sleep(0.05)
    policy.write_text("deny-all\n")
    changed = place.run(project, *command)
    demand(changed.count(sign) == 2, "a file that both read had changed", changed)
    again = place.run(project, *command)
    demand(sign not in again, "nothing had changed", again)
    output = next(file for file in project.rglob("app-prod.*") if file.suffix in (".yaml", ".json"))
    before = output.read_bytes()
    demand(b"deny-all" in before, "the change is not in the output")
    app = project / "infra" / "app.blueprint.yaml"
    text = app.read_text("utf-8")
    time.sleep(0.05)
    app.write_text(text.replace("${variables.stage}", "${variables.stag}"), "utf-8")
    failed = place.run(project, *command, status=1)
    demand("there is no variable `stag`" in failed, "the mistake is not told", failed)
    demand(output.read_bytes() == before, "a failure touched the output")
    time.sleep(0.05)
    app.write_text(text, "utf-8")
    place.run(project, *command)


def cmake_project(place: Place, project: Path) -> None:
    """CMake with each generator that has its program."""
    generators = {"Ninja": "ninja", "Unix Makefiles": "make"}
    for generator in [name for name, program in generators.items() if place.has(program)]:
        copy = project.with_name(f"cmake {generator}")
        shutil.copytree(project, copy)
        place.run(copy, "cmake", "-S", ".", "-B", "out", "-G", generator)
        follow_changes(place, copy, ("cmake", "--build", "out", "--verbose"), "bpp render")


def bazel_project(place: Place, project: Path) -> None:
    """Bazel: both outputs, a file that is not declared, one that is made, another program."""
    folder = place.run(project, "bpp", "integration", "bazel").strip()
    root = f"--output_user_root={place.folder / 'bazel'}"
    command = ("bazel", "--batch", root, "build", "--action_env=PATH", "--noshow_progress")
    given = (f"--override_repository=bpp={folder}", "//...")
    place.run(project, *command, *given)
    text = (project / "bazel-bin" / "app-prod.yaml").read_text("utf-8")
    demand("queue: orders-prod-queue" in text, "the output is not as expected", text)
    build = project / "BUILD.bazel"
    whole = build.read_text("utf-8")
    build.write_text(whole.replace('            "infra/policy.txt",\n', ""), "utf-8")
    log = place.run(project, *command, *given, status=1)
    demand("`policy.txt` does not exist" in log, "what is not declared was read", log)
    demand("app.blueprint.yaml:13:" in log, "the place of the mistake is not told", log)
    build.write_text(whole.replace('"infra/policy.txt"', '":policy"') + GENERATED, "utf-8")
    place.run(project, *command, *given)
    text = (project / "bazel-bin" / "app-prod.yaml").read_text("utf-8")
    demand("policy: |\n        generated" in text, "a generated file was not read", text)
    place.run(project, *command, "--@bpp//:bpp=//:other", *given)
    text = (project / "bazel-bin" / "app-prod.yaml").read_text("utf-8")
    demand(text == "from another program\n", "the other program was not used", text)


def package_with_outputs(place: Place, project: Path) -> None:
    """Builds an sdist and from that a wheel, in environments that have what `requires` says."""
    # the name has to lead to the wheel that was built here, in environments of pip too
    constraint = place.folder / "constraint.txt"
    constraint.write_text(f"blueprint-preprocessor @ {place.wheel.as_uri()}\n")
    log = place.run(project, "python", "-m", "build", PIP_CONSTRAINT=str(constraint))
    (wheel,) = (project / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if name.endswith(".yaml")}
    demand(names == OUTPUTS, f"the wheel has {sorted(names)}", log)
    place.run(project, "python", "-m", "pip", "install", "-q", "--no-build-isolation", "-e", ".")
    code = "import importlib.resources as r; print(r.files('orders_infra') / 'app-prod.yaml')"
    shown = place.run(project, "python", "-c", code).strip()
    demand(Path(shown).resolve().is_relative_to(project.resolve()), "not editable", shown)
    demand("orders-prod" in Path(shown).read_text("utf-8"), "the output is not as expected")
    place.run(project, "python", "-m", "pip", "uninstall", "-qy", "orders-infra")


def pre_commit_project(place: Place, project: Path) -> None:
    """pre-commit with both hooks, from a repository of bpp that is made here."""
    commit(place, place.bpp)
    settings = project / ".pre-commit-config.yaml"
    revision = place.run(place.bpp, "git", "rev-parse", "HEAD").strip()
    text = settings.read_text("utf-8").replace("https://example.com/bpp.git", place.bpp.as_uri())
    settings.write_text(text.replace("COMMIT", revision), "utf-8")
    commit(place, project)
    home = str(place.folder / "pre-commit")
    run = ("pre-commit", "run", "--all-files")
    place.run(project, *run, PRE_COMMIT_HOME=home)

    app = project / "infra" / "app.blueprint.yaml"
    text = app.read_text("utf-8")
    app.write_text(text.replace("orders-", "shop-"), "utf-8")
    log = place.run(project, *run, status=1, PRE_COMMIT_HOME=home)
    demand("files were modified by this hook" in log, "old outputs were let through", log)
    place.run(project, "git", "add", "-A")
    place.run(project, *run, PRE_COMMIT_HOME=home)

    app.write_text(text.replace("${variables.stage}", "${variables.stag}"), "utf-8")
    log = place.run(project, *run, status=1, PRE_COMMIT_HOME=home)
    demand(log.count("there is no variable `stag`") == 2, "the mistake is not told twice", log)


def commit(place: Place, folder: Path) -> None:
    """Makes a repository of a folder, with all of it in one commit."""
    place.run(folder, "git", "init", "-q")
    place.run(folder, "git", "add", "-A")
    author = ("-c", "user.name=example", "-c", "user.email=example@example.com")
    place.run(folder, "git", *author, "commit", "-q", "--no-verify", "-m", "all of it")


EXAMPLES: Mapping[str, tuple[Callable[[Place, Path], None], tuple[str, ...]]] = {
    "function-package": (function_package, ()),
    "transform-package": (transform_package, ()),
    "make-project": (make_project, ("make",)),
    "ninja-project": (ninja_project, ("ninja",)),
    "cmake-project": (cmake_project, ("cmake",)),
    "hatch-project": (package_with_outputs, ()),
    "setuptools-project": (package_with_outputs, ()),
    "pre-commit-project": (pre_commit_project, ("git",)),
    "bazel-project": (bazel_project, ("bazel",)),
}
"""What is run for each project, and the programs that it needs."""


def main(names: list[str]) -> int:
    """Runs the examples of these names, all by default, and says how each went."""
    unknown = sorted(set(names) - EXAMPLES.keys())
    if unknown:
        print(f"there is no example {unknown[0]}; there are {', '.join(EXAMPLES)}")
        return 2
    failed = 0
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="bpp-examples-") as folder:
        place = Place(Path(folder))
        print(f"{'the environment':20} {time.monotonic() - start:6.1f} s", flush=True)
        for name in names or EXAMPLES:
            act, programs = EXAMPLES[name]
            missing = [program for program in programs if not place.has(program)]
            before = time.monotonic()
            verdict = f"skipped: there is no {missing[0]}" if missing else "ok"
            try:
                if not missing:
                    act(place, place.examples / name)
            except Wrong as wrong:
                failed += 1
                verdict = f"FAILED: {wrong}"
            print(f"{name:20} {time.monotonic() - before:6.1f} s  {verdict}", flush=True)
    print(f"{'all':20} {time.monotonic() - start:6.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
