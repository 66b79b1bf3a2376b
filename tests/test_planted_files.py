"""Code that lies where a blueprint lies is never run, in every way that bpp is started.

What cannot be held here, as it happens before a line of ours runs: modules of the standard library
and `sitecustomize` with a PYTHONPATH that names the folder (SECURITY.md).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_cli import BPP

# as the console script, but with a first line that Python reads without looking at the folder
START = "import sys; from bpp.pipeline.cli.entry import main; sys.argv[0] = 'bpp'; main()"

BLUEPRINT = """\
version: 2023-04-20
transform: planted-transform
variables:
  size: {type: planted/type, default: small}
values:
  one: {type: string, value: "${planted_function(1)}"}
  two: {type: object, value: "${jsondecode(\\"{}\\")}"}
  now: {type: string, value: "${datetime(\\"rfc3339\\")}"}
  id: {type: string, value: "${uuid()}"}
include:
  child: {path: child.yaml, metadata: {sourceType: planted}}
datasources:
  data: {type: planted/data, metadata: {displayName: x}, exports: {a: {type: string}}}
resources:
  x: {type: a/b, spec: {}}
"""
CONFIGURATION = """\
[targets.one]
blueprint = "plain.yaml"
output = "out.yaml"
"""
PLAIN = "version: 2023-04-20\nresources:\n  x: {type: a/b, spec: {at: '${jsondecode(\"1\")}'}}\n"
GROUPS = (
    "bpp.transforms",
    "bpp.functions",
    "bpp.datasources",
    "bpp.resolvers",
    "bpp.dialects",
    "bpp.variable_types",
    "bpp.custom_variable_types",
)
NAMES = ("planted-transform", "planted_function", "planted/type", "planted/data", "planted")
# what Python, bpp and its libraries import late or look for by name
MODULES = """
_ruamel_yaml attr attrs base64 bpp cattrs click conftest datetime decimal difflib email graphviz
hashlib http hyperscan importlib_metadata inspect ipaddress json logging marshal parsimonious
pathlib pathspec pickle planted platform random re2 regex rich ruamel setup shellingham
sitecustomize socket ssl subprocess textwrap tomllib typer typing_extensions urllib usercustomize
uuid yaml
"""
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("render", "app.yaml"),
    ("render", "plain.yaml", "--format", "json", "--timings"),
    ("render", "plain.yaml", "--diagnostics", "sarif", "--source-map", "map.json"),
    ("check", "app.yaml"),
    ("graph", "app.yaml"),
    ("why", "plain.yaml", "resources.x.spec"),
    ("eval", "planted_function(1)"),
    ("functions",),
    ("functions", "planted_function"),
    ("stages",),
    ("build", "--jobs", "2", "--no-cache"),
    ("lock", "plain.yaml"),
    ("render", "--help"),
)


def plant(folder: Path, mark: Path) -> None:
    """Code under every name that could be imported, which leaves a mark, and a package's record."""
    code = f"open({str(mark)!r}, 'a').write(__file__ + chr(10))\n"
    code += "class Any(Exception):\n    pass\ndef __getattr__(name):\n    return Any\n"
    for name in MODULES.split():
        (folder / f"{name}.py").write_text(code)
    for suffix in (".dist-info", ".egg-info"):
        record = folder / f"planted-1.0{suffix}"
        record.mkdir()
        for name in ("METADATA", "PKG-INFO"):
            (record / name).write_text("Metadata-Version: 2.1\nName: planted\nVersion: 1.0\n")
        points = [f"[{g}]\n" + "".join(f"{n} = planted:x\n" for n in NAMES) for g in GROUPS]
        (record / "entry_points.txt").write_text("\n".join(points))
    (folder / "planted.pth").write_text(f"import sys; {code.splitlines()[0]}\n")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout of somebody else's, with a folder below it; the mark would be beside both."""
    folder = tmp_path / "checkout"
    below = folder / "infra"
    below.mkdir(parents=True)
    for place in (folder, below):
        plant(place, tmp_path / "PWNED")
        (place / "app.yaml").write_text(BLUEPRINT)
        (place / "plain.yaml").write_text(PLAIN)
        (place / "child.yaml").write_text(PLAIN)
        (place / "bpp.toml").write_text(CONFIGURATION)
    return folder


def run(folder: Path, command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a command there; what the caller's environment says of Python is left out."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("BPP_", "PYTHON"))}
    kept.update(BPP_CACHE_DIR=str(folder.parent / "cache"), **environment)
    return subprocess.run(
        command, cwd=folder, env=kept, capture_output=True, text=True, timeout=120, check=False
    )


def planted(checkout: Path) -> str:
    """What was run of what was planted."""
    mark = checkout.parent / "PWNED"
    return mark.read_text() if mark.exists() else ""


def test_what_is_planted_would_run(checkout: Path) -> None:
    """Otherwise the other tests would show nothing."""
    run(checkout, [sys.executable, "-c", "import json, planted"])
    assert {"json.py", "planted.py"} <= {Path(line).name for line in planted(checkout).split()}


def test_the_command_runs_nothing_of_a_checkout(checkout: Path) -> None:
    for arguments in COMMANDS:
        done = run(checkout, [BPP, *arguments])
        assert "internal error" not in done.stderr, (arguments, done.stderr)
        assert planted(checkout) == "", arguments
    for arguments in COMMANDS[:2]:
        run(checkout.parent, [BPP, arguments[0], f"checkout/infra/{arguments[1]}"])
        assert planted(checkout) == "", arguments


@pytest.mark.parametrize("path", [".", "./infra:"])
def test_a_path_of_python_that_leads_here_by_chance_is_not_followed(
    checkout: Path, path: str
) -> None:
    """A relative or empty element of PYTHONPATH: what is imported after the start is not of here.

    The names that Python itself or the console script imports before are taken away: nothing of
    ours runs early enough for those.
    """
    for name in ("sitecustomize", "usercustomize", "bpp", "importlib_metadata"):
        for place in (checkout, checkout / "infra"):
            (place / f"{name}.py").unlink()
    early = _imported_at_start()
    for name in MODULES.split():
        if name in early:
            for place in (checkout, checkout / "infra"):
                (place / f"{name}.py").unlink(missing_ok=True)
    for arguments in (("render", "app.yaml"), ("functions",)):
        for start in ([BPP], [sys.executable, "-c", START]):
            done = run(checkout, [*start, *arguments], PYTHONPATH=path)
            assert planted(checkout) == "", (start, arguments)
            assert "internal error" not in done.stderr, (start, arguments, done.stderr)


def _imported_at_start() -> set[str]:
    """What is imported before `main` begins: by Python, by the site and by the module of `main`."""
    program = "import re, sys, bpp.pipeline.cli.entry; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_what_the_user_names_in_full_is_still_imported(tmp_path: Path) -> None:
    """A package that is being written lies where its writer works."""
    (tmp_path / "mine.py").write_text(
        "from bpp.functions import function\n\n\n"
        "@function\ndef mine() -> str:\n    '''Says where it is from.'''\n    return 'here'\n"
    )
    record = tmp_path / "mine-1.0.dist-info"
    record.mkdir()
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (record / "entry_points.txt").write_text("[bpp.functions]\nmine = mine:mine\n")
    done = run(tmp_path, [BPP, "eval", "mine()"], PYTHONPATH=str(tmp_path))
    assert done.stdout == '"here"\n', done.stderr
    assert run(tmp_path, [BPP, "eval", "mine()"], PYTHONPATH=".").returncode == 1
