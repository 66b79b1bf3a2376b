"""What a process shows from outside: the drivers of `benchmarks/attacks`, with small counts.

Each prints its figures, and ends with status 1 when one is not what it has to be.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def can_trace() -> bool:
    """Whether `strace` is there and may watch: containers often forbid it."""
    if shutil.which("strace") is None:
        return False
    done = subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True, check=False)
    return done.returncode == 0


def driver(name: str, *arguments: str) -> str:
    """What a driver prints; it has to be content."""
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.attacks.{name}", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_no_race_lets_a_read_out() -> None:
    figures = re.match(r"3000 reads, 0 escapes  .*'inside': (\d+)", driver("races", "--count=3000"))
    assert figures and int(figures[1]) > 100


@pytest.mark.slow
@pytest.mark.skipif(not can_trace(), reason="strace cannot be used here")
def test_a_plain_render_has_no_effects() -> None:
    lines = driver("traced").splitlines()
    assert len(lines) == 4
    for line in lines:
        assert "0 sockets, 0 other programs, 0 other processes" in line
        assert line.endswith(" 0 elsewhere")


def test_the_library_changes_nothing_of_its_process() -> None:
    assert ": 0 of 18 parts of the process changed, 0 other outputs" in driver(
        "purity", "--count=20"
    )
