"""What guards cost is measured by leaving them out: `python -m benchmarks.attacks.guards`."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))
from benchmarks.attacks import guards, unguarding

ROOT = Path(__file__).parent.parent

COMPARING = (
    "functions.core.text",
    "pipeline.dialects.bluelink.evaluating.evaluation",
    "pipeline.engine.evaluation",
    "pipeline.formats.emit",
    "pipeline.formats.json_reader",
    "pipeline.formats.yaml_fast",
    "pipeline.formats.yaml_fast",
    "pipeline.formats.yaml_reader",
    "pipeline.language.evaluator",
    "pipeline.language.language",
    "pipeline.dialects.bluelink.stages.each",
)
GUARDED = """\
def added(items, limits, meter):
    most = limits.max_value_chars
    size = 0
    kept = []
    for item in items:
        size += len(item)
        if size > most:
            raise too_long(limits)
        if len(kept) < 3 and item <= most or not item:
            kept.append(item)
        meter.left -= 1
        if meter.left < 0:
            meter.look()
        hold(item, limits)
    if limits.max_depth >= len(kept):
        return kept
    return None
"""
BARE = """\
def added(items, limits, meter):
    most = limits.max_value_chars
    size = 0
    kept = []
    for item in items:
        pass
        pass
        if len(kept) < 3 or not item:
            kept.append(item)
        pass
        pass
        pass
    return kept
    return None

def hold(item, limits):
    pass
"""


def source(module: str) -> str:
    return (ROOT / f"{module.replace('.', '/')}.py").read_text("utf-8")


@pytest.mark.parametrize("module", guards.GUARDS)
def test_what_is_left_out_is_there(module: str) -> None:
    tree = unguarding.unguarded(ast.parse(source(module)), module, guards.GUARDS)
    compile(tree, module, "exec")
    gone = {module: {"Meter.renamed": "pass"}}
    with pytest.raises(unguarding.Missing, match=r"has no Meter\.renamed"):
        unguarding.unguarded(ast.parse(source(module)), module, gone)


@pytest.mark.parametrize("module", COMPARING)
def test_limits_are_held_where_they_are_looked_for(module: str) -> None:
    assert unguarding.comparisons(source(module)) > 0


def test_only_guards_are_left_out() -> None:
    tree = ast.parse(GUARDED + "def hold(item, limits):\n    check(item)\n")
    bare = unguarding.unguarded(tree, "some", {"some": {"hold": "pass"}})
    assert ast.unparse(bare) == BARE.rstrip()


@pytest.mark.slow
def test_costs_are_measured() -> None:
    command = [sys.executable, "-m", "benchmarks.attacks.guards", "--rounds=1", "--kilobytes=20"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == int("MISSED" in done.stdout), done.stdout + done.stderr
    assert "met: the outputs are the same" in done.stdout
    shares = dict(
        re.findall(
            r"^(.+): [\d,]+ with guards, [\d,]+ without, guards are (.+)%$", done.stdout, re.M
        )
    )
    assert list(shares) == ["CPU ms", "calls", "steps"]
    # these are counted, so no busy machine changes them
    assert 0 < float(shares["calls"]) < 100 * guards.MOST_SHARE
    assert 0 < float(shares["steps"]) < 100 * guards.MOST_SHARE
    assert len(done.stdout.splitlines()) == 8
