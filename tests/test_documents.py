"""What the documents say is what happens: their commands, their Python, their links, their names.

In a fenced block `console`, a line `$ command` is followed by what it prints, and a line `...`
stands for any number of lines; without lines the command need only succeed. In a block `sh` there
are commands alone. In a block `python`, `print(..)  # text` says what is printed. A block `yaml`
that begins with `# bpp ..` is the standard input of that command, the next one its output.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import metadata
from itertools import pairwise
from pathlib import Path

import attrs
import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted(
    [
        *ROOT.glob("*.md"),
        ROOT / "docs" / "dialects.md",
        *ROOT.glob("docs/guides/*.md"),
        *ROOT.glob("docs/adr/*.md"),
    ]
)

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_PRINTED = re.compile(r"print\(.*\)  # (.*)$", re.MULTILINE)
_ADDRESS = re.compile(r"[a-z]+:")


@attrs.frozen
class Block:
    """A fenced block: where it stands, its language and its text."""

    place: str
    language: str
    text: str


def _blocks(*languages: str) -> list[Block]:
    found = []
    for document in DOCUMENTS:
        text = document.read_text("utf-8")
        for match in _FENCE.finditer(text):
            if match[1] in languages:
                line = text.count("\n", 0, match.start()) + 1
                found.append(Block(f"{document.relative_to(ROOT)}:{line}", match[1], match[2]))
    return found


def _param(block: Block) -> object:
    return pytest.param(block, id=block.place)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with what commands in documents name, in which they may write."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    return tmp_path


def _environment() -> dict[str, str]:
    """A plain terminal, and the scripts of this interpreter's environment first."""
    ours = ("BPP_", "GITHUB_", "FORCE_COLOR", "CLICOLOR_FORCE", "SOURCE_DATE_EPOCH")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
    scripts = str(Path(sys.executable).parent)
    return {**kept, "PATH": os.pathsep.join([scripts, kept.get("PATH", "")]), "NO_COLOR": "1"}


def _steps(text: str) -> list[tuple[str, str]]:
    """The commands of a `console` block, each with what it prints."""
    steps: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], []))
        else:
            steps[-1][1].append(line)
    return [(command, "\n".join(lines)) for command, lines in steps]


def _matches(actual: str, shown: str) -> bool:
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in shown.splitlines()
    )
    return re.fullmatch(pattern, actual.rstrip("\n") + "\n") is not None


# --- blocks -------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", [_param(block) for block in _blocks("console")])
def test_commands_print_what_is_shown(block: Block, checkout: Path) -> None:
    for command, shown in _steps(block.text):
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=checkout,
            env=_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        if shown:
            assert _matches(done.stdout, shown), f"{command} prints\n{done.stdout}"
        else:
            assert done.returncode == 0, f"{command} prints\n{done.stdout}"


@pytest.mark.parametrize("block", [_param(block) for block in _blocks("sh")])
def test_commands_succeed(block: Block, checkout: Path) -> None:
    """Those of bpp itself: nothing here may install anything, which is for `.ci/run` to do."""
    for line in block.text.splitlines():
        for command in line.split(" && "):
            if command.startswith("bpp "):
                done = subprocess.run(
                    ["sh", "-c", command],
                    cwd=checkout,
                    env=_environment(),
                    capture_output=True,
                    encoding="utf-8",
                    timeout=60,
                    check=False,
                )
                assert done.returncode == 0, f"{command} prints\n{done.stderr}"


@pytest.mark.parametrize("block", [_param(block) for block in _blocks("python")])
def test_python_runs(block: Block, checkout: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-W", "error", "-c", block.text],
        cwd=checkout,
        env=_environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == _PRINTED.findall(block.text)


def _pairs() -> list[tuple[Block, Block]]:
    blocks = _blocks("yaml")
    return [(a, b) for a, b in pairwise(blocks) if a.text.startswith("# bpp ")]


@pytest.mark.parametrize(("input", "output"), [pytest.param(*p, id=p[0].place) for p in _pairs()])
def test_blueprints_become_what_is_shown(input: Block, output: Block, checkout: Path) -> None:  # noqa: A002
    done = subprocess.run(
        ["sh", "-c", input.text.partition("\n")[0].removeprefix("# ")],
        cwd=checkout,
        env=_environment(),
        input=input.text,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout == output.text


def test_there_are_blocks() -> None:
    blocks = _blocks("console", "sh", "python")
    readme = {block.language for block in blocks if block.place.startswith("README")}
    assert readme == {"console", "sh", "python"}
    assert _pairs()


@pytest.mark.parametrize(
    ("actual", "shown", "expected"),
    [
        ("a\nb\n", "a\nb", True),
        ("a\nb\n", "a", False),
        ("a\nb\nc\n", "a\n...\nc", True),
        ("a\nb\nc\n", "a\n...", True),
        ("a\n", "...\nb", False),
        ("a.c\n", "abc", False),
    ],
)
def test_comparison_of_output(actual: str, shown: str, expected: bool) -> None:
    assert _matches(actual, shown) is expected


# --- set-up -------------------------------------------------------------------------------------


def test_two_commands_set_everything_up() -> None:
    """Near the top of the README, and `.ci/run` runs the very same."""
    text = (ROOT / "README.md").read_text("utf-8")
    commands = [block.text.strip() for block in _blocks("sh") if block.place.startswith("README")]
    install, test = commands[:2]
    assert "\n" not in install + test
    assert install.startswith("pip install . && bpp render examples/")
    assert test.startswith("pip install ") and test.endswith(" && pytest")
    assert text.index(test) < len(text) / 2
    script = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    assert test in (line.strip() for line in script)
    assert install.partition(" && ")[2] in (line.strip() for line in script)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_the_script_of_ci_is_well_formed() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    subprocess.run(["bash", "-n", str(script)], check=True)


def test_documents_name_our_distribution_and_no_tag() -> None:
    """`bpp` is another project's name where packages are published, and nothing is tagged yet."""
    wrong = re.compile(
        r"pip install \S*\bbpp\b|[\"'`]bpp\[|(requires|dependencies) = .*\"bpp\"|rev: *v?\d"
    )
    files = [*DOCUMENTS, *ROOT.glob("examples/*/*.*"), *ROOT.glob("examples/*/.*.yaml")]
    files += [ROOT / "pyproject.toml", ROOT / "Makefile", ROOT / ".ci" / "run"]
    shown = {file: wrong.findall(file.read_text("utf-8")) for file in files}
    shown.pop(ROOT / "CHANGELOG.md", None)
    assert not {file for file, found in shown.items() if found}


def test_what_an_index_shows_leads_to_the_sources() -> None:
    """README.md is published with addresses instead of paths, which a package index has not."""
    described = metadata("blueprint-preprocessor")
    repository = described["Project-URL"].partition(", ")[2]
    targets = _LINK.findall(described.get_payload())
    ours = _LINK.findall(_FENCE.sub("", (ROOT / "README.md").read_text("utf-8")))
    assert len(targets) >= len(ours) > 20
    assert all(_ADDRESS.match(target) for target in targets)
    assert f"{repository}/blob/HEAD/docs/guides/build.md" in targets


# --- links and names ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document", [pytest.param(d, id=str(d.relative_to(ROOT))) for d in DOCUMENTS]
)
def test_links_lead_somewhere(document: Path) -> None:
    text = _FENCE.sub("", document.read_text("utf-8"))
    targets = [t for t in _LINK.findall(text) if not _ADDRESS.match(t)]
    files = [t.partition("#")[0] for t in targets]
    missing = [file for file in files if file and not (document.parent / file).exists()]
    assert missing == []


def test_files_that_the_architecture_names_are_there() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    names = re.findall(r"`((?:pipeline|functions|transforms|tests|tools|docs)/[\w./-]*)`", text)
    assert names
    assert [name for name in names if not (ROOT / name).exists()] == []


def test_every_invariant_names_a_test_that_is_there() -> None:
    text = (ROOT / "tests" / "INVARIANTS.md").read_text("utf-8")
    invariants = re.findall(
        r"^- \*\*Invariant:\*\*(.*?)(?=^- |^$|\Z)", text, re.DOTALL | re.MULTILINE
    )
    assert len(invariants) == text.count("**Invariant:**")
    for invariant in invariants:
        named = re.findall(r"`tests/(test_\w+\.py)::(test_\w+)`", invariant)
        assert named, f"no test is named:{invariant}"
        for file, test in named:
            assert f"def {test}(" in (ROOT / "tests" / file).read_text("utf-8"), f"{file}::{test}"


def test_the_architecture_names_every_folder() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    for package in ("pipeline", "functions", "transforms"):
        for file in (ROOT / package).rglob("*.py"):
            folder = file.parent.relative_to(ROOT).as_posix()
            assert f"`{folder}/`" in text, folder


def test_decisions_are_numbered_and_have_their_parts() -> None:
    files = sorted((ROOT / "docs" / "adr").glob("*.md"))
    assert [file.name[:4] for file in files] == [f"{n:04}" for n in range(1, len(files) + 1)]
    for file in files:
        headings = re.findall(r"^## (.*)$", file.read_text("utf-8"), re.MULTILINE)
        assert headings == ["Context", "Decision", "Cost", "What would change our mind"], file.name


def test_options_that_documents_name_are_there() -> None:
    """Long options in code spans, beside those of other programs."""
    others = {"--check", "--doctest-modules", "--from", "--no-deps", "--snapshot-update"}
    helps = "".join(
        subprocess.run(
            ["sh", "-c", f"bpp {command} --help"],
            env={**_environment(), "COLUMNS": "120"},
            capture_output=True,
            encoding="utf-8",
            check=True,
        ).stdout
        for command in (
            "",
            "render",
            "build",
            "test",
            "check",
            "fmt",
            "graph",
            "diff",
            "lock",
            "eval",
            "parse",
            "console",
        )
    )
    known = set(re.findall(r"--[a-z-]+", helps)) | others
    for document in DOCUMENTS:
        text = _FENCE.sub("", document.read_text("utf-8"))
        spans = re.findall(r"`([^`\n]+)`", text)
        named = {flag for span in spans for flag in re.findall(r"(?<!\S)--[a-z][a-z-]+", span)}
        assert named <= known, f"{document.name}: {sorted(named - known)}"


# --- packaging ----------------------------------------------------------------------------------


def test_every_folder_of_code_is_packaged() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    listed = project["tool"]["setuptools"]["packages"]
    folders = {
        "bpp." + ".".join(file.parent.relative_to(ROOT).parts)
        for package in ("pipeline", "functions", "transforms")
        for file in (ROOT / package).rglob("*.py")
    }
    assert sorted(listed) == sorted(folders)


def test_the_changelog_knows_the_version() -> None:
    from bpp.pipeline.values.version import VERSION

    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert headings and headings[0].startswith((VERSION, "Unreleased"))


EXAMPLES = sorted(ROOT.glob("examples/**/*.blueprint.yaml"))


@pytest.mark.parametrize("file", [pytest.param(f, id=str(f.relative_to(ROOT))) for f in EXAMPLES])
def test_examples_pass_their_checks(file: Path) -> None:
    from bpp.pipeline import check

    found = list(check(str(file)))
    assert bool(found) == ("mistakes" in file.parts), [(d.code, str(d.span)) for d in found]


def test_surroundings_do_not_show_in_the_output(checkout: Path) -> None:
    command = ["render", "examples/orders/app.blueprint.yaml", "--var", "environment=production"]
    elsewhere = checkout / "elsewhere"
    elsewhere.mkdir()
    path = str(checkout / "examples" / "orders" / "app.blueprint.yaml")
    surroundings = [
        (checkout, command, {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "UTC"}),
        (checkout, command, {"PYTHONHASHSEED": "2", "LC_ALL": "C.UTF-8", "TZ": "Asia/Kolkata"}),
        (elsewhere, ["render", path, *command[2:]], {"PYTHONHASHSEED": "3", "PYTHONUTF8": "1"}),
    ]
    bpp = shutil.which("bpp", path=str(Path(sys.executable).parent)) or "bpp"
    outputs = {
        subprocess.run(
            [bpp, *arguments],
            cwd=folder,
            env={**_environment(), **more},
            capture_output=True,
            check=True,
        ).stdout
        for folder, arguments, more in surroundings
    }
    assert len(outputs) == 1
