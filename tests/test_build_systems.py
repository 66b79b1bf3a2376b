"""make, ninja and CMake with what bpp tells them, each by running the tool itself."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import attrs
import pytest
from bpp.pipeline.world.files import FileProblem
from bpp.pipeline.world.plugins import Search, plugin_files
from bpp.pipeline.world.writing import depfile_text
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.in_process import bpp_inside as bpp
from test_cli import BPP

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = str(Path(sys.executable).parent)
PATH = os.pathsep.join([SCRIPTS, os.environ.get("PATH", "")])

APP = """\
version: 2025-11-02
transform: acme-parts
variables:
  stage: {type: string}
  size: {type: string}
include:
  queue: {path: "sub folder/queue.yaml"}
datasources:
  net:
    type: acme/net
    metadata: {displayName: net}
    filter: {field: name, operator: "=", search: main}
    exports: {id: {type: string}}
resources:
  api:
    type: acme/thing
    spec:
      name: ${kebab(variables.stage)} ${variables.size}
      policy: ${file("policy.txt")}
      net: ${datasources.net.id}
      late: ${resources.db.state.host}
  db: {type: acme/db, spec: {name: db}}
"""
QUEUE = """\
version: 2025-11-02
resources:
  queue: {type: acme/queue, spec: {name: queue}}
"""
FILES = {
    "app.yaml": APP,
    "sub folder/queue.yaml": QUEUE,
    "policy.txt": "allow",
    "va#rs.yaml": "size: large\n",
    "state.yaml": "resources: {db: {state: {host: h}}}\n",
    "records.yaml": "acme/net: [{name: main, id: n1}]\n",
    "bpp.lock": "",
    "plugins/acme/__init__.py": "",
    "plugins/acme/names.py": "def kebab_of(text):\n    return text.lower().replace(' ', '-')\n",
    "plugins/acme/plugin.py": """\
from bpp.functions import function
from bpp.transforms.registry import Transform
from .names import kebab_of

@function
def kebab(text: str) -> str:
    "A text with dashes."
    return kebab_of(text)

PARTS = Transform("acme-parts", lambda document, context: document, types=())
""",
    "plugins/acme-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n",
    "plugins/acme-1.0.dist-info/entry_points.txt": """\
[bpp.functions]
acme = acme.plugin:kebab
[bpp.transforms]
acme-parts = acme.plugin:PARTS
""",
}
INPUTS = [name for name in FILES if not name.endswith((".txt", "METADATA", "bpp.lock"))] + [
    "policy.txt"
]
OPTIONS = "--var stage=prod --vars 'va#rs.yaml' --state state.yaml --datasources records.yaml"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a blueprint that reads all there is to read."""
    folder = tmp_path / "pro ject"
    for name, text in FILES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    (folder / "bpp.lock").unlink()
    return folder


def run(folder: Path, *command: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Runs a tool, with the bpp under test first on the path and the plugins where Python looks."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("BPP_", "MAKE", "MFLAGS"))}
    plugins = str(folder / "plugins")
    return subprocess.run(
        command,
        cwd=folder,
        env={
            **kept,
            "PATH": PATH,
            "PYTHONPATH": plugins,
            "PYTHONDONTWRITEBYTECODE": "1",
            "BPP_CACHE_DIR": str(folder / ".cache"),
            **env,
        },
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


@attrs.frozen
class Tool:
    """A build tool: what it needs, its own file, and how it is run."""

    name: str
    programs: tuple[str, ...]
    file: str
    text: str
    commands: tuple[tuple[str, ...], ...]
    output: str = "out.yaml"

    def build(self, folder: Path) -> subprocess.CompletedProcess[str]:
        """Writes the tool's file when it is not there, and builds."""
        if not (folder / self.file).exists():
            (folder / self.file).write_text(self.text, "utf-8")
        for command in self.commands:
            done = run(folder, *command)
            if done.returncode:
                break
        return done

    def renders(self, folder: Path) -> bool:
        """Whether a build that succeeds ran bpp."""
        (folder / "ran").unlink(missing_ok=True)
        done = self.build(folder)
        assert done.returncode == 0, done.stdout + done.stderr
        return (folder / "ran").exists()


# a program of the name bpp that tells that it ran
WRAPPER = f'#!/bin/sh\ntouch "$(dirname "$0")/ran"\nexec "{BPP}" "$@"\n'
CMAKE = """\
cmake_minimum_required(VERSION 3.21)
project(p LANGUAGES NONE)
set(BPP_EXECUTABLE "${CMAKE_SOURCE_DIR}/wrapper")
include("${INTEGRATION}/bpp.cmake")
bpp_render(TARGET app SRC app.yaml OUT out.yaml VARS stage=prod VARS_FILES "va#rs.yaml"
  STATE state.yaml DATASOURCES records.yaml)
"""
INTEGRATION = (ROOT / "pipeline" / "integrations" / "cmake").as_posix()
TOOLS = [
    Tool(
        "make",
        ("make",),
        "Makefile",
        f"""\
out.yaml: app.yaml
	./wrapper render $< -o $@ --depfile out.d {OPTIONS}
	@touch $@
-include out.d
""",
        (("make",),),
    ),
    Tool(
        "ninja",
        ("ninja",),
        "build.ninja",
        f"""\
rule render
  command = ./wrapper render $in -o $out --depfile out.d {OPTIONS}
  depfile = out.d
  deps = gcc
  restat = 1
build out.yaml: render app.yaml
""",
        (("ninja",),),
    ),
    Tool(
        "ninja without its log",
        ("ninja",),
        "build.ninja",
        f"""\
rule render
  command = ./wrapper render $in -o $out --depfile out.d {OPTIONS}
  depfile = out.d
  restat = 1
build out.yaml: render app.yaml
""",
        (("ninja",),),
    ),
    *(
        Tool(
            f"cmake with {generator}",
            ("cmake", program),
            "CMakeLists.txt",
            CMAKE.replace("va#rs", "vars"),
            (
                ("cmake", "-S", ".", "-B", "b", "-G", generator, f"-DINTEGRATION={INTEGRATION}"),
                ("cmake", "--build", "b"),
            ),
            "b/out.yaml",
        )
        for generator, program in (("Ninja", "ninja"), ("Unix Makefiles", "make"))
    ),
]
EVERY_TOOL = pytest.mark.parametrize(
    "tool",
    [
        pytest.param(
            tool,
            id=tool.name.replace(" ", "_"),
            marks=pytest.mark.skipif(
                not all(shutil.which(program, path=PATH) for program in tool.programs),
                reason=f"needs {' and '.join(tool.programs)}",
            ),
        )
        for tool in TOOLS
    ],
)
posix = pytest.mark.skipif(os.name != "posix", reason="the wrapper is a shell script")
needs_make = pytest.mark.skipif(not shutil.which("make"), reason="needs make")
needs_ninja = pytest.mark.skipif(not shutil.which("ninja", path=PATH), reason="needs ninja")


@pytest.fixture
def wrapped(project: Path) -> Path:
    """The project with a program that tells when it is run."""
    wrapper = project / "wrapper"
    wrapper.write_text(WRAPPER)
    wrapper.chmod(0o755)
    return project


def older(folder: Path) -> None:
    """Makes all files an hour older, so that what is touched next is newer without waiting."""
    for file in folder.rglob("*"):
        if file.is_file() and not file.is_symlink():
            status = file.stat()
            os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns - 3600 * 10**9))


@posix
@pytest.mark.slow
@EVERY_TOOL
def test_every_file_counts(tool: Tool, wrapped: Path) -> None:
    inputs = INPUTS
    if "cmake" in tool.programs:  # writes `#` to its own files as it stands
        (wrapped / "va#rs.yaml").rename(wrapped / "vars.yaml")
        inputs = [name.replace("#", "") for name in INPUTS]
    assert tool.renders(wrapped)
    first = (wrapped / tool.output).read_text("utf-8")
    assert "prod large" in first
    assert not tool.renders(wrapped)
    for name in inputs:
        if name.endswith(".dist-info/entry_points.txt"):
            continue
        time.sleep(0.02)  # the clock of file systems ticks slowly
        (wrapped / name).touch()
        assert tool.renders(wrapped), name
    assert not tool.renders(wrapped)
    assert (wrapped / tool.output).read_text("utf-8") == first
    (wrapped / "policy.txt").write_text("deny")
    assert tool.renders(wrapped)
    assert "deny" in (wrapped / tool.output).read_text("utf-8")


@posix
@EVERY_TOOL
def test_a_failure_is_shown_and_leaves_the_output(tool: Tool, wrapped: Path) -> None:
    if "cmake" in tool.programs:
        (wrapped / "va#rs.yaml").rename(wrapped / "vars.yaml")
    assert tool.renders(wrapped)
    output = wrapped / tool.output
    before = output.read_bytes()
    app = wrapped / "app.yaml"
    app.write_text(APP.replace("${kebab(variables.stage)}", "${kebab(variables.stag)}"))
    done = tool.build(wrapped)
    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert "error[variable_not_found]: there is no variable `stag`" in said
    assert "app.yaml:18:21" in said
    assert "help: did you mean `stage`?" in said
    assert output.read_bytes() == before
    assert {file.name for file in output.parent.glob(".bpp*")} == set()
    app.write_text(APP)
    (wrapped / "policy.txt").write_text("changed")
    assert tool.renders(wrapped)


@posix
@EVERY_TOOL
def test_a_child_that_is_gone_is_a_mistake_of_the_blueprint(tool: Tool, wrapped: Path) -> None:
    if "cmake" in tool.programs:
        (wrapped / "va#rs.yaml").rename(wrapped / "vars.yaml")
    assert tool.renders(wrapped)
    (wrapped / "sub folder" / "queue.yaml").unlink()
    done = tool.build(wrapped)
    assert done.returncode != 0
    assert "error[include_path_not_found]" in done.stdout + done.stderr
    (wrapped / "app.yaml").write_text(
        APP.replace('include:\n  queue: {path: "sub folder/queue.yaml"}\n', "")
    )
    assert tool.renders(wrapped)
    # CMake 3.25 never forgets the file in its Makefiles, so it renders in every build from then on
    assert "cmake" in tool.programs or not tool.renders(wrapped)


@posix
@needs_ninja
def test_what_has_not_changed_causes_nothing(wrapped: Path) -> None:
    rules = TOOLS[1].text + "rule copy\n  command = cp $in $out\nbuild copy.yaml: copy out.yaml\n"
    (wrapped / "build.ninja").write_text(rules)
    assert run(wrapped, "ninja").returncode == 0
    output, copy = wrapped / "out.yaml", wrapped / "copy.yaml"
    stamps = output.stat().st_mtime_ns, copy.stat().st_mtime_ns
    (wrapped / "app.yaml").write_text(APP + "# a comment\n")
    done = run(wrapped, "ninja", "-v")
    assert "render" in done.stdout and "cp out.yaml" not in done.stdout
    assert (output.stat().st_mtime_ns, copy.stat().st_mtime_ns) == stamps
    assert "no work to do" in run(wrapped, "ninja").stdout


@posix
def test_the_rule_names_all_there_is(project: Path) -> None:
    done = run(project, "sh", "-c", f"bpp render app.yaml -o out.yaml --depfile out.d {OPTIONS}")
    assert done.returncode == 0, done.stderr
    rule = (project / "out.d").read_text("utf-8").partition("\n\n")[0].split("\napp.yaml:")[0]
    words = rule.replace("\\\n", " ").replace("\\ ", "\0").split()
    assert [word.replace("\0", " ") for word in words] == [
        "out.yaml:",
        "app.yaml",
        "state.yaml",
        "records.yaml",
        "va\\#rs.yaml",
        "sub folder/queue.yaml",
        "policy.txt",
        "plugins/acme/__init__.py",
        "plugins/acme/names.py",
        "plugins/acme/plugin.py",
    ]


def test_a_lock_file_is_named(project: Path) -> None:
    text = APP.replace("transform: acme-parts\n", "").replace("${kebab(variables.stage)} ", "")
    (project / "plain.yaml").write_text(text)
    (project / "bpp.lock").write_text('{"version": 1, "entries": []}\n')
    done = run(
        project,
        "sh",
        "-c",
        f"bpp render plain.yaml -o out.yaml --depfile out.d --lock bpp.lock {OPTIONS}",
    )
    named = " bpp.lock" in (project / "out.d").read_text() if done.returncode == 0 else done.stderr
    assert named is True


@posix
@needs_make
def test_a_split_output_has_one_rule_for_all_files(tmp_path: Path) -> None:
    (tmp_path / "app.yaml").write_text(
        "version: 2025-11-02\ninclude:\n  queue: {path: queue.yaml}\nresources:\n"
        "  a: {type: acme/a, spec: {n: 1}}\n"
    )
    (tmp_path / "queue.yaml").write_text(QUEUE)
    done = bpp(tmp_path, "render", "app.yaml", "--split", "out", "--depfile", "d")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "d").read_text().splitlines()[0] == (
        "out/app.yaml out/queue.yaml: app.yaml queue.yaml"
    )
    (tmp_path / "Makefile").write_text(
        "all: out/app.yaml out/queue.yaml\nout/app.yaml out/queue.yaml &:\n"
        '\t"$(BPP)" render app.yaml --split out --depfile d\n\t@touch out/*.yaml\n-include d\n'
    )
    for touched, expected in ((None, False), ("queue.yaml", True), (None, False)):
        if touched:
            older(tmp_path)
            (tmp_path / touched).touch()
        done = run(tmp_path, "make", f"BPP={BPP}")
        assert done.returncode == 0, done.stderr
        assert ("render" in done.stdout) is expected


# --- names --------------------------------------------------------------------------------------

_WORDS = st.text("abz.-_+,@~ $#:\\%=()[]{}!", min_size=1, max_size=8)


def _file_names(words: st.SearchStrategy[str]) -> st.SearchStrategy[list[str]]:
    own = (".", "..", "out", "d", "Makefile", "first")
    # what make cannot be told: blanks at the end, home folders, members of archives `lib(member)`
    usual = words.filter(
        lambda name: (
            name not in own
            and name[0] != "~"
            and name[-1] not in " )"
            and not ("\\" in name and "=" in name)
        )
    )
    return st.lists(usual, min_size=1, max_size=3, unique=True)


@contextmanager
def _folder(names: list[str]) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in ("first", "out", *names):
            (folder / file).write_bytes(b"")
            os.utime(folder / file, (1000, 1000))
        rule = depfile_text("out", ["first", *names], phony=True, folder=str(folder))
        (folder / "d").write_text(rule, "utf-8")
        (folder / "Makefile").write_text("out:\n\ttouch out\ninclude d\n")
        yield folder


@posix
@needs_make
@settings(max_examples=60)
@given(_file_names(_WORDS))
@example(["a b", "a$b", "a#b", "a:b", "a\\b", "a\\ b", "a\\#b", "a\\:b", "a\\", "a$$b", "$(x)y"])
@example(["a=b", "CC=x", "a~b", "a|b", "a&b", "a'b", 'a"b', ".PHONY", ".IGNORE", "a<b>c", "a&"])
@example(["include x", "export", "define", "ifdef x", "-include", "#", ":", "a::b", "$@", "a\tb"])
def test_make_reads_any_name(names: list[str]) -> None:
    with _folder(names) as folder:

        def stale() -> bool:
            done = run(folder, "make", "-rq", "out")
            assert done.returncode in (0, 1), f"{(folder / 'd').read_text()}\n{done.stderr}"
            assert done.stderr == ""
            return done.returncode == 1

        assert not stale()
        for name in names:
            os.utime(folder / name, (2000, 2000))
            assert stale(), f"{name!r} in {(folder / 'd').read_text()}"
            os.utime(folder / name, (1000, 1000))


@posix
@needs_ninja
@settings(max_examples=40)
@given(_file_names(st.text("abz.-_+,@~ $#:=()[]{}!", min_size=1, max_size=8)))
@example(["a b", "a$b", "a#b", "a:b", "a\\b", "$(x)", "a$$b", "a%b", "a=b"])
def test_ninja_reads_what_it_can_read(names: list[str]) -> None:
    # a colon at the end is one that ninja reads as the end of the target, however it is written
    names = [name for name in names if not name.endswith(":")]
    with _folder(names) as folder:
        (folder / "build.ninja").write_text(
            "rule r\n  command = cp d copy && touch out\n  depfile = copy\n  deps = gcc\n"
            "build out: r first\n"
        )
        done = run(folder, "ninja")
        assert done.returncode == 0, done.stdout
        listed = run(folder, "ninja", "-t", "deps").stdout.splitlines()[1:]
        read = {os.path.normpath(line[4:]) for line in listed if line}
        assert read == {"first", *map(os.path.normpath, names)}, (folder / "d").read_text()


@pytest.mark.parametrize("name", ["a;touch pwned", "a\nb", "a\rb"])
def test_what_make_would_run_is_refused(name: str) -> None:
    with pytest.raises(FileProblem, match="cannot be written to a dependency file"):
        depfile_text("out", ["app.yaml", name])
    with pytest.raises(FileProblem, match="cannot be written to a dependency file"):
        depfile_text(name, ["app.yaml"])


@posix
def test_a_child_cannot_give_make_a_command(tmp_path: Path) -> None:
    (tmp_path / "a;touch pwned.yaml").write_text(QUEUE)
    (tmp_path / "app.yaml").write_text(
        'version: 2025-11-02\ninclude:\n  a: {path: "a;touch pwned.yaml"}\n'
        "resources:\n  a: {type: acme/a, spec: {n: 1}}\n"
    )
    done = bpp(tmp_path, "render", "app.yaml", "-o", "out.yaml", "--depfile", "d")
    assert done.returncode == 3
    assert "error[file_unwritable]: a path with a line break or a `;`" in done.stderr
    assert not (tmp_path / "out.yaml").exists()


@posix
@needs_make
def test_a_child_cannot_set_a_variable_of_make(tmp_path: Path) -> None:
    (tmp_path / "d").write_text(depfile_text("out", ["CC=child"], phony=True))
    (tmp_path / "Makefile").write_text("CC = own\nout:\n\t@echo made by $(CC)\ninclude d\n")
    (tmp_path / "CC=child").touch()
    assert run(tmp_path, "make").stdout == "made by own\n"


# --- what is found where ------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "file"), [("cmake", "bpp.cmake"), ("bazel", "defs.bzl")])
def test_the_folder_for_a_tool(tmp_path: Path, name: str, file: str) -> None:
    done = bpp(tmp_path, "integration", name)
    assert done.returncode == 0
    assert (Path(done.stdout.removesuffix("\n")) / file).is_file()


def test_the_folder_for_no_tool(tmp_path: Path) -> None:
    done = bpp(tmp_path, "integration", "cmak")
    assert (done.returncode, done.stdout) == (2, "")
    assert "it is one of bazel, cmake (did you mean `cmake`?)" in done.stderr


def test_all_files_for_tools_are_packaged() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["bpp.pipeline.integrations"]
    folder = ROOT / "pipeline" / "integrations"
    files = {file for file in folder.glob("*/*") if "__pycache__" not in file.parts}
    assert files == {file for pattern in patterns for file in folder.glob(pattern)}


def test_a_build_names_its_configuration_and_plugins(project: Path) -> None:
    (project / "bpp.toml").write_text(
        """\
[targets.app]
blueprint = "app.yaml"
output = "out/app.yaml"
depfile = "out/app.d"
variables = {stage = "prod"}
vars = ["va#rs.yaml"]
"""
    )
    for renders in (True, False):
        done = run(project, str(BPP), "build")
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("1 rendered" if renders else "0 rendered")
    rule = (project / "out" / "app.d").read_text("utf-8").partition("\napp.yaml:")[0]
    assert rule.startswith("out/app.yaml: app.yaml")
    for name in ("bpp.toml", "plugins/acme/names.py", "plugins/acme/plugin.py", "policy.txt"):
        assert f" {name}" in rule
    names = project / "plugins" / "acme" / "names.py"
    names.write_text(names.read_text("utf-8").replace("text.lower()", "text.upper()"))
    assert run(project, str(BPP), "build").stdout.startswith("1 rendered")
    assert "PROD large" in (project / "out" / "app.yaml").read_text("utf-8")


def test_files_of_plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "single_acme.py": "",
        "space_acme/inner/__init__.py": "from . import near\n",
        "space_acme/inner/near.py": "",
        "space_acme/inner/unused.py": "",
        "space_acme/other/__init__.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("single_acme", "space_acme.inner", "space_acme.other"):
        importlib.import_module(name)
    # what was made without a file, and what has one in an archive
    for name, file in (("made", None), ("zipped", "x.zip/zipped.py")):
        module = ModuleType(f"space_acme.inner.{name}")
        module.__file__ = file and str(tmp_path / file)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    try:

        def found(*names: str) -> list[str]:
            searches = [Search("g", str(tmp_path / name)) for name in names]
            return [Path(file).relative_to(tmp_path).as_posix() for file in plugin_files(searches)]

        assert plugin_files([Search("g")]) == []
        assert found("single_acme.py") == ["single_acme.py"]
        assert found("space_acme/inner/near.py") == [
            "space_acme/inner/__init__.py",
            "space_acme/inner/near.py",
        ]
    finally:
        for name in [
            name for name in sys.modules if name.startswith(("single_acme", "space_acme"))
        ]:
            del sys.modules[name]


@needs_make
def test_the_recipe_of_the_guide_works_as_it_is_printed(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "guides" / "build-systems.md").read_text("utf-8")
    recipe = guide.partition("```make\n")[2].partition("```")[0]
    (tmp_path / "Makefile").write_text(recipe)
    (tmp_path / "infra").mkdir()
    (tmp_path / "infra" / "app.blueprint.yaml").write_text(
        "version: 2023-04-20\nvariables: {stage: {type: string}}\n"
        'resources: {a: {type: a/b, spec: {stage: "${variables.stage}"}}}\n'
    )
    path = f"{Path(BPP).parent}{os.pathsep}{os.environ['PATH']}"
    for said in ("--depfile build/app-prod.yaml.d", "Nothing to be done"):
        done = subprocess.run(
            ["make"], cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert said in done.stdout
    assert "stage: dev" in (tmp_path / "build" / "app-dev.yaml").read_text()
