"""What a command imports, reads and parses: counts, which show a slow start without a clock."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bpp.pipeline import Source, render

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))
import pattern_table

from benchmarks import workload

ROOT = Path(__file__).resolve().parent.parent

BLUEPRINT = """\
version: 2023-04-20
variables:
  name:
    type: string
    default: api
resources:
  first:
    type: aws/sqs/queue
    spec:
      name: ${variables.name}-one
      tags: ["${variables.name}", b]
  second:
    type: aws/sqs/queue
    condition: ${eq(variables.name, "api")}
    spec:
      name: ${join(list(variables.name, "two"), "-")}
      other: ${join(list(variables.name, "three"), "/")}
"""
# what costs a start the most, and what only some commands need
HEAVY = {
    *("attr", "attrs", "cattrs", "click", "rich", "typer", "pydantic", "parsimonious", "regex"),
    "pathspec",
    *("ruamel", "_ruamel_yaml", "yaml", "inspect", "dataclasses", "ast", "importlib", "pkgutil"),
    *("asyncio", "concurrent", "multiprocessing", "socket", "ssl", "http", "urllib", "email"),
    *("logging", "json", "difflib", "pathlib", "tempfile", "subprocess", "shutil", "decimal"),
    *("datetime", "uuid", "random", "hashlib", "ipaddress", "argparse", "unittest", "tomllib"),
    *("threading", "queue", "select", "selectors", "platform", "traceback", "locale", "gettext"),
    *("statistics", "numbers", "fractions", "string", "textwrap", "unicodedata", "weakref", "copy"),
    *("pickle", "base64", "binascii", "zipfile", "glob", "fnmatch", "contextvars", "site"),
}
# what the evaluation of names in annotations and of patterns costs, a third of `bpp --version`
HEAVY_FOR_VERSION = {*HEAVY, "typing", "re", "contextlib", "warnings"}
# parts of ours that a plain render has no use for
UNUSED = {
    f"bpp.pipeline.{name}"
    for name in (
        *("world.network", "formats.records", "engine.input_files", "codes", "world.remote"),
        *("building", "answers", "testing", "integrations", "engine.builders", "engine.references"),
        *("world.plugins", "world.providers", "world.programs", "expressions"),
        *("dialects.garden", "dialects.dialect_options", "dialects.bluelink.splitting"),
        *("dialects.bluelink.answers", "dialects.bluelink.evaluating.filters"),
        *("dialects.bluelink.expansion", "cli.views"),
        *("cli.app", "formats.report", "cli.limit_flags", "values.concealing"),
    )
}
# beyond what a bare interpreter imports
MOST_FOR_VERSION = 30
MOST_FOR_RENDER = 180


@pytest.fixture
def blueprint(tmp_path: Path) -> Path:
    path = tmp_path / "app.blueprint.yaml"
    path.write_text(BLUEPRINT)
    return path


PACKAGES = ("functions", "pipeline", "transforms")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the modules of a wheel, the generated tables of patterns among them."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, folder / "bpp" / name, ignore=ignored)
    table = folder / "bpp" / "pipeline" / "dialects" / "bluelink" / "pattern_table.py"
    table.write_text(pattern_table.module())
    command = [sys.executable, "-B", str(ROOT / "tools" / "regex_table.py")]
    table = folder / "bpp" / "functions" / "regex_table.py"
    subprocess.run([*command, str(table)], check=True)
    return folder


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with the modules of the checkout."""
    package = tmp_path / "packages" / "bpp"
    package.mkdir(parents=True)
    for name in PACKAGES:
        (package / name).symlink_to(ROOT / name)
    return package.parent


def imported(packages: Path, tmp_path: Path, *arguments: str) -> set[str]:
    """The modules that a run of the command line imports beyond those of a bare interpreter.

    Without `site`, for what an installation imports there, such as the finder of an editable one,
    would hide what a run imports itself.
    """
    paths = [str(packages), *sys.path]
    start = f"import sys; sys.path[:] = {paths!r}; from bpp.pipeline.cli.entry import main; main()"
    return _modules(tmp_path, start, *arguments) - _modules(tmp_path, "pass")


def _modules(tmp_path: Path, code: str, *arguments: str) -> set[str]:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-S", "-X", "importtime", "-c", code, *arguments],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={name: value for name, value in environment.items() if not name.startswith("BPP_")},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    lines = done.stderr.splitlines()
    return {line.rsplit("|", 1)[1].strip() for line in lines if line.startswith("import time:")}


def among(modules: set[str], named: set[str]) -> set[str]:
    """The modules that are named, or are inside one that is."""
    return {
        module
        for module in modules
        if named & {module, *(module[:at] for at, sign in enumerate(module) if sign == ".")}
    }


def test_the_version_imports_little(wheel: Path, tmp_path: Path) -> None:
    modules = imported(wheel, tmp_path, "--version")
    assert among(modules, HEAVY_FOR_VERSION) == set()
    assert {name for name in modules if name.startswith("bpp.")} == {
        *("bpp.pipeline", "bpp.pipeline.cli", "bpp.pipeline.cli.entry"),
        *("bpp.pipeline.cli.streams", "bpp.pipeline.values", "bpp.pipeline.values.version"),
    }
    assert len(modules) <= MOST_FOR_VERSION


@pytest.mark.parametrize("more", [(), ("--var", "name=web"), ("--timings", "--strict-vars")])
def test_a_render_with_known_shapes_imports_what_it_needs(
    wheel: Path, tmp_path: Path, blueprint: Path, more: tuple[str, ...]
) -> None:
    command = ("render", str(blueprint), "-o", str(tmp_path / "out.yaml"), *more)
    for _ in range(2):  # the second finds what the first kept
        modules = imported(wheel, tmp_path, *command)
        assert among(modules, HEAVY) == set()
        assert among(modules, UNUSED) == set()
        assert len(modules) <= MOST_FOR_RENDER


def test_a_render_imports_the_topics_of_the_functions_it_calls(
    wheel: Path, tmp_path: Path, blueprint: Path
) -> None:
    modules = imported(wheel, tmp_path, "render", str(blueprint), "-o", str(tmp_path / "out.yaml"))
    assert {name for name in modules if name.startswith("bpp.functions.core.")} == {
        f"bpp.functions.core.{name}"
        for name in ("conditions", "containers", "index", "registry", "text")
    }
    assert among(modules, {"tomllib", "bpp.functions.declaring"}) == set()


STAGE = """\
apiVersion: kargo.akuity.io/v1alpha1
kind: Stage
metadata: {name: test, namespace: lamps}
spec:
  requestedFreight:
    - origin: {kind: Warehouse, name: lamps}
      sources: {direct: true}
  promotionTemplate:
    spec:
      vars: [{name: a, value: b}]
      steps:
        - uses: compose-output
          as: one
          config: {text: "${{ vars.a + '1' }}"}
"""
# also those of functions, which few documents ask for
COMPILED = """\
import re._compiler, sys
plain, seen = re._compiler.compile, []
def noted(*given):
    seen.append(given[0])
    return plain(*given)
re._compiler.compile = noted
from bpp.pipeline.cli import entry
entry._leave = lambda status: None
try:
    entry.main()
finally:
    print("compiled", seen, file=sys.stderr)
"""
MOST_COMPILED = 2


@pytest.mark.parametrize(
    ("command", "name", "text"),
    [
        ("render", "app.blueprint.yaml", BLUEPRINT),
        ("render", "stage.yaml", STAGE),
        ("check", "stage.yaml", STAGE),
    ],
)
def test_known_regular_expressions_are_not_compiled(
    wheel: Path, tmp_path: Path, command: str, name: str, text: str
) -> None:
    file = tmp_path / name
    file.write_text(text)
    start = f"import sys; sys.path[:] = {[str(wheel), *sys.path]!r}\n{COMPILED}"
    done = subprocess.run(
        [sys.executable, "-S", "-c", start, command, str(file)],
        capture_output=True,
        text=True,
        cwd=tmp_path,  # without a configuration
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")},
    )
    assert done.returncode == 0, done.stderr
    compiled = ast.literal_eval(done.stderr.rpartition("compiled ")[2])
    assert len(compiled) <= MOST_COMPILED, compiled


def test_a_stage_imports_what_it_needs(wheel: Path, tmp_path: Path) -> None:
    file = tmp_path / "stage.yaml"
    file.write_text(STAGE)
    modules = imported(wheel, tmp_path, "render", str(file), "-o", str(tmp_path / "out.yaml"))
    assert among(modules, HEAVY - {"fnmatch"}) == set()
    modules = imported(wheel, tmp_path, "check", str(file))
    heavy = {*HEAVY, "bpp.pipeline.formats.toml_reader"}
    unused = heavy - {"fnmatch", "importlib", "unicodedata", "warnings"}
    assert among(modules, unused) == set()


INSTALLATION = """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Blueprint
imports:
- {name: size, type: data, required: false, schema: {type: integer}, default: {value: 3}}
deployExecutions:
- name: items
  type: GoTemplate
  template: |
    deployItems:
    - {name: one, type: a/b, config: {{ toJson .imports }}}
"""


def test_a_deploy_item_imports_what_it_needs(wheel: Path, tmp_path: Path) -> None:
    folder = tmp_path / "blueprint"
    folder.mkdir()
    (folder / "blueprint.yaml").write_text(INSTALLATION)
    modules = imported(wheel, tmp_path, "render", str(folder), "-o", str(tmp_path / "out.yaml"))
    unused = {"hashlib", "urllib", "ipaddress", "jsonschema", "re2", "tomllib", "ruamel", "attrs"}
    assert among(modules, unused) == set()


def test_a_render_of_unknown_shapes_imports_the_parser_beside_that(
    wheel: Path, tmp_path: Path, blueprint: Path
) -> None:
    blueprint.write_text(
        BLUEPRINT.replace("join(list(", "join(list(trim(trim(trim(trim(variables.name)))), ")
    )
    command = ("render", str(blueprint), "-o", str(tmp_path / "out.yaml"))
    modules = imported(wheel, tmp_path, *command)
    assert "parsimonious" in modules
    assert "parsimonious" not in imported(wheel, tmp_path, *command)
    # what parsimonious imports itself, and what writes the cache
    parser = {"parsimonious", "regex", "ast", "inspect", "importlib", "string", "textwrap"}
    parser |= {"threading", "unicodedata", "locale", "weakref", "typing", "warnings"}
    assert among(modules, HEAVY - parser) == set()
    assert among(modules, UNUSED) == set()


def test_a_checkout_has_no_table_and_parses_what_no_run_has_kept(
    checkout: Path, tmp_path: Path, blueprint: Path
) -> None:
    command = ("render", str(blueprint), "-o", str(tmp_path / "out.yaml"))
    assert "parsimonious" in imported(checkout, tmp_path, *command)
    modules = imported(checkout, tmp_path, *command)
    assert among(modules, HEAVY) == set()
    assert among(modules, UNUSED) == set()
    assert len(modules) <= MOST_FOR_RENDER


def test_each_shape_is_parsed_once(blueprint: Path) -> None:
    run = render(str(blueprint))
    assert sorted(run.language.shapes) == [
        'eq(variables.name, "\0")',
        'join(list(variables.name, "\0"), "\0")',
        "variables.name",
    ]
    assert run.language.parses + run.language.ready == 3
    again = render(str(blueprint), shapes=run.language.shapes)
    assert again.language.parses == again.language.ready == 0


def test_what_is_parsed_depends_on_shapes_and_not_on_size() -> None:
    runs = [render(Source("b.yaml", workload.blueprint(count), "yaml")) for count in (10, 200)]
    for run in runs:
        assert run.language.parses + run.language.ready == len(run.language.shapes)
    assert runs[0].language.shapes.keys() == runs[1].language.shapes.keys()
    more = render(Source("b.yaml", workload.blueprint(200), "yaml"), shapes=runs[0].language.shapes)
    assert more.language.parses == 0


CHILD = """\
version: 2023-04-20
variables:
  name: {type: string}
resources:
  queue:
    type: aws/sqs/queue
    spec:
      name: ${variables.name}
      text: ${file("one.txt")}
exports:
  name: {type: string, field: resources.queue.spec.name}
"""
MORE = """\
  third:
    type: aws/sqs/queue
    spec:
      a: ${file("one.txt")}
      b: ${file("one.txt")} and ${file("two.txt")}
      c: ${children.first.name}-${children.second.name}
include:
  first: {path: child.yaml, variables: {name: a}}
  second: {path: child.yaml, variables: {name: b}}
"""


def test_each_file_is_read_once(tmp_path: Path, blueprint: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.txt").write_text(name)
    (tmp_path / "child.yaml").write_text(CHILD)
    blueprint.write_text(BLUEPRINT + MORE)
    names = ["app.blueprint.yaml", "child.yaml", "one.txt", "two.txt"]
    opened: list[str] = []
    watching = True

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        # a file in a folder that is held open is named by its last part alone
        if watching and event == "open" and (name := os.path.basename(str(arguments[0]))) in names:
            opened.append(name)

    sys.addaudithook(watch)
    run = render(str(blueprint))
    watching = False
    assert not run.diagnostics.errors
    assert sorted(map(os.path.basename, run.reads)) == names
    assert sorted(opened) == names
