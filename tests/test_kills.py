"""A few of the kills of `python -m benchmarks.attacks.kills`, which is run by hand with many."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))
from benchmarks.attacks import kills

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="looks at processes"),
]
SCENES = {scene.name: scene for scene in kills.SCENES}


@pytest.mark.parametrize(
    ("scene", "number", "count"),
    [
        ("render, all outputs", signal.SIGKILL, 6),
        ("render, all outputs", signal.SIGTERM, 4),
        ("build", signal.SIGINT, 4),
        ("library", signal.SIGKILL, 8),
    ],
)
def test_outputs_are_old_or_new(scene: str, number: signal.Signals, count: int) -> None:
    tally = kills.play(SCENES[scene], number, count, seed=os.getpid())
    assert tally.wrong == []
    assert tally.files["old"] + tally.files["new"] > 0
    bad = ["mixed", "stray later", "processes left", "tracebacks"]
    assert {name: tally.files[name] for name in bad} == dict.fromkeys(bad, 0)
    if number != signal.SIGKILL:
        assert tally.files["stray"] == 0
        early = str(-number)  # before there was a handler
        allowed = {"0", str(128 + number), early, "1"} if number == signal.SIGINT else None
        assert tally.statuses.keys() <= (allowed or {"0", str(128 + number), early})
