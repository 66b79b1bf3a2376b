"""The examples of the documents are typed: they pass `mypy --strict`, as a plugin's code would."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from test_documents import ROOT, _blocks

pytest.importorskip("mypy")


def strict(folder: Path) -> str:
    """The errors in the modules of a folder; those in bpp itself are left to `mypy -p bpp`."""
    linked = folder / "linked" / "bpp"
    linked.mkdir(parents=True)
    for name in ("functions", "pipeline", "transforms"):
        (linked / name).symlink_to(ROOT / name)
    options = ("--strict", "--namespace-packages", "--explicit-package-bases")
    places = ("--config-file=", f"--cache-dir={folder / 'cache'}", "--follow-imports=silent")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *places, "--no-error-summary", "examples"],
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(folder / "linked")},
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.mark.slow
def test_examples_are_typed(tmp_path: Path) -> None:
    folder = tmp_path / "examples"
    folder.mkdir()
    for block in _blocks("python"):
        document, _, line = block.place.rpartition(":")
        name = re.sub(r"\W+", "_", f"{document}_{line}")
        (folder / f"{name}.py").write_text("\n" * int(line) + block.text, "utf-8")
    for name in ("function-package/acme_names", "transform-package/acme_services"):
        shutil.copytree(ROOT / "examples" / name, folder / name.rpartition("/")[2])
    (folder / "wrong.py").write_text("from bpp.pipeline import render\nrender(5, sources=1)\n")
    errors = strict(tmp_path).splitlines()
    wrong = [line for line in errors if line.startswith("examples/wrong.py:2: error:")]
    assert wrong  # bpp was found, and is typed
    assert [line for line in errors if not line.startswith("examples/wrong.py:")] == []
