"""Hatchling and setuptools with our parts in them, by building packages for real.

What is run is `python -m build` without isolation, in copies of the examples: the environment of
the tests has bpp with its entry points. `tools/run_examples.py` builds in isolation too.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
OUTPUTS = {"orders_infra/app-prod.yaml", "orders_infra/app-test.yaml"}
SOURCES = {
    "pyproject.toml",
    "infra/app.blueprint.yaml",
    "infra/policy.txt",
    "infra/queue/queue.blueprint.yaml",
    "src/orders_infra/__init__.py",
}
BACKENDS = {"hatch": "hatchling.build", "setuptools": "setuptools.build_meta"}


def _lacks(*modules: str) -> bool:
    found = map(importlib.util.find_spec, modules)
    # a folder `build` that an install has left looks like a package without an origin
    return any(spec is None or spec.origin is None for spec in found)


def _missing(backend: str) -> str:
    """What a backend lacks here; the tests are about those that have our entry points."""
    needed, group = {
        "hatch": ("hatchling", "hatch"),
        "setuptools": ("setuptools", "distutils.commands"),
    }[backend]
    if _lacks(needed, "build"):
        return f"needs {needed} and build"
    if needed == "setuptools" and int(importlib.metadata.version(needed).split(".")[0]) < 77:
        return "needs setuptools 77"
    points = importlib.metadata.entry_points(group=group)
    ours = any(point.value.startswith("bpp.pipeline.integrations.") for point in points)
    return "" if ours else "needs bpp to be installed with its entry points"


def _backends(*names: str) -> pytest.MarkDecorator:
    params = []
    for name in names:
        why = _missing(name)
        params.append(pytest.param(name, marks=pytest.mark.skipif(bool(why), reason=why)))
    return pytest.mark.parametrize("backend", params)


EVERY_BACKEND = _backends("hatch", "setuptools")


@pytest.fixture
def project(tmp_path: Path, backend: str) -> Path:
    """A copy of the example of a backend."""
    folder = tmp_path / "project"
    shutil.copytree(ROOT / "examples" / f"{backend}-project", folder)
    return folder


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs this Python in a folder; what it prints is in one text."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("BPP_", "PIP_"))}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**kept, "BPP_CACHE_DIR": str(folder.parent / "cache")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def build(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Builds a project as its users do, without an environment of its own."""
    return run(folder, "-m", "build", "--no-isolation", *arguments)


def in_wheel(folder: Path) -> dict[str, str]:
    """The files of the one wheel in a folder."""
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def in_sdist(folder: Path) -> set[str]:
    """The names in the one sdist in a folder, below its top folder."""
    (sdist,) = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


@EVERY_BACKEND
def test_packages_have_what_is_rendered(project: Path) -> None:
    done = build(project)  # an sdist, and a wheel from it
    assert done.returncode == 0, done.stdout
    assert "bpp: 2 rendered, 0 unchanged, 0 failed" in done.stdout
    assert in_sdist(project / "dist") >= SOURCES
    files = in_wheel(project / "dist")
    assert {name for name in files if name.endswith(".yaml")} == OUTPUTS
    assert "name: orders-prod\n" in files["orders_infra/app-prod.yaml"]
    assert "queue: orders-prod-queue\n" in files["orders_infra/app-prod.yaml"]


@EVERY_BACKEND
def test_a_second_build_follows_the_sources(project: Path) -> None:
    assert build(project, "--wheel").returncode == 0
    queue = project / "infra" / "queue" / "queue.blueprint.yaml"
    queue.write_text(queue.read_text().replace("-queue", "-q2"))
    done = build(project, "--wheel")
    assert done.returncode == 0, done.stdout
    assert "queue: orders-test-q2\n" in in_wheel(project / "dist")["orders_infra/app-test.yaml"]


@EVERY_BACKEND
@pytest.mark.parametrize("mode", ["usual", "strict"])
def test_an_editable_install_renders_in_place(project: Path, backend: str, mode: str) -> None:
    if backend == "hatch" and _lacks("editables"):
        pytest.skip("needs editables")
    settings = f"{{'editable_mode': {mode!r}}}" if mode == "strict" else "None"
    (project / "dist").mkdir()
    module = BACKENDS[backend]
    done = run(project, "-c", f"import {module} as b; b.build_editable('dist', {settings})")
    assert done.returncode == 0, done.stdout
    rendered = {file.name for file in (project / "src" / "orders_infra").glob("*.yaml")}
    assert rendered == {"app-prod.yaml", "app-test.yaml"}
    assert not OUTPUTS & in_wheel(project / "dist").keys()
    if backend == "setuptools" and mode == "strict":
        links = {file.name for file in (project / "build").rglob("*.yaml")}
        assert links == rendered


@EVERY_BACKEND
@pytest.mark.parametrize("kind", ["--sdist", "--wheel"])
def test_a_mistake_ends_the_build(project: Path, kind: str) -> None:
    app = project / "infra" / "app.blueprint.yaml"
    app.write_text(app.read_text().replace("orders-${variables.stage}", "${variables.stag}"))
    done = build(project, kind)
    assert done.returncode != 0
    assert "bpp: the targets of the project cannot be rendered\n" in done.stdout
    assert (
        "error[variable_not_found]: there is no variable `stag`\n"
        "  --> infra/app.blueprint.yaml:12:15\n"
        "   |\n"
        "12 |       name: ${variables.stag}\n"
        "   |               ^^^^^^^^^^^^^^\n"
        "   = help: did you mean `stage`?\n"
    ) in done.stdout
    assert "Traceback" not in done.stdout
    assert not list(project.glob("dist/*"))
    assert not list((project / "src" / "orders_infra").glob("*.yaml"))


@EVERY_BACKEND
def test_a_mistake_in_the_configuration_ends_the_build(project: Path) -> None:
    settings = project / "pyproject.toml"
    settings.write_text(settings.read_text().replace("\noutput =", "\noutputs ="))
    done = build(project, "--wheel")
    assert done.returncode != 0
    assert "error[invalid_configuration]: `outputs` is not known in `targets.app`" in done.stdout
    assert "Traceback" not in done.stdout
    assert not list(project.glob("dist/*"))


@EVERY_BACKEND
def test_what_is_not_of_the_package_is_not_packaged(project: Path) -> None:
    settings = project / "pyproject.toml"
    settings.write_text(settings.read_text().replace('"src/orders_infra/', '"../elsewhere/'))
    done = build(project, "--wheel")
    assert done.returncode == 0, done.stdout
    assert not [name for name in in_wheel(project / "dist") if name.endswith(".yaml")]
    assert len(list((project.parent / "elsewhere").iterdir())) == 2


@_backends("hatch")
@pytest.mark.parametrize(
    ("option", "said"),
    [
        ('targets = ["ap"]', "unknown target `ap` (did you mean `app`?)"),
        ("targets = 1", "`targets` of `[tool.hatch.build.hooks.bpp]` must be names of targets"),
        ('target = ["app"]', "`[tool.hatch.build.hooks.bpp]` has no option `target`"),
    ],
)
def test_options_of_the_hook(project: Path, option: str, said: str) -> None:
    settings = project / "pyproject.toml"
    hook = "[tool.hatch.build.hooks.bpp]\n"
    settings.write_text(settings.read_text().replace(hook, f"{hook}{option}\n"))
    done = build(project, "--wheel")
    assert done.returncode != 0
    assert said in done.stdout
    assert "Traceback" not in done.stdout


@_backends("hatch")
def test_the_hook_renders_the_targets_that_are_named(project: Path) -> None:
    settings = project / "pyproject.toml"
    hook = "[tool.hatch.build.hooks.bpp]\n"
    text = settings.read_text().replace(hook, f'{hook}targets = ["app[stage=prod]"]\n')
    settings.write_text(text)
    assert build(project, "--wheel").returncode == 0
    files = in_wheel(project / "dist")
    assert {name for name in files if name.endswith(".yaml")} == {"orders_infra/app-prod.yaml"}


@_backends("setuptools")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            '"setuptools>=77", "blueprint-preprocessor"',
            '"setuptools>=77", "blueprint-preprocessor-x", "my.blueprint-preprocessor", "bpp"',
        ),
        ("[tool.bpp.targets.app]", "[tool.other]"),
    ],
)
def test_a_project_that_does_not_ask_is_left_alone(project: Path, old: str, new: str) -> None:
    settings = project / "pyproject.toml"
    settings.write_text(settings.read_text().replace(old, new))
    done = build(project, "--wheel", "--skip-dependency-check")
    assert done.returncode == 0, done.stdout
    assert not [name for name in in_wheel(project / "dist") if name.endswith(".yaml")]
    assert not list((project / "src" / "orders_infra").glob("*.yaml"))
