"""The same bytes everywhere: a few combinations, and a record that all Pythons are held against.

`python -m benchmarks.attacks.determinism` plays all of them; with `--write` it records anew.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from bpp.pipeline import MemoryFiles, Settings, render
from bpp.pipeline.world.files import listing

sys.path.insert(0, str(Path(__file__).parent.parent))
from benchmarks.attacks import determinism


def test_surroundings_do_not_show(tmp_path: Path) -> None:
    every = list(determinism.matrix([sys.executable], determinism.prepare(tmp_path)))
    # each seed, locale, zone, folder and parser is in one of them, and 21 has workers and -O
    chosen = [every[0], every[39], replace(every[64], number=21)]
    assert {len({getattr(one, name) for one in chosen}) for name in ("seed", "locale")} == {3}
    assert {len({getattr(one, name) for one in chosen}) for name in ("zone", "parser")} == {2}
    first, *others = [determinism.play(one, tmp_path) for one in chosen]
    for other in others:
        assert determinism.differences(other, first) == []
    wanted = json.loads(determinism.RECORD.read_text())
    changed = determinism.differences(determinism.recorded(first), wanted)
    assert changed == [], (
        "not as on record; when that is meant, on all Pythons, record it with "
        "`python -m benchmarks.attacks.determinism --count 1 --write`"
    )


def test_time_and_chance_come_from_the_settings_alone() -> None:
    value = '"${uuid()} ${datetime(\\"unix\\")}"'
    text = (
        f"version: 2023-04-20\nvalues: {{a: {{type: string, value: {value}}}}}\nresources: {{}}\n"
    )
    files = MemoryFiles({"b.yaml": text})

    def rendered(now: float | None, seed: int | None) -> str:
        run = render("b.yaml", files=files, settings=Settings(now=now, seed=seed))
        assert run.ok
        return run.text("yaml")

    assert rendered(5.0, 1) == rendered(5.0, 1)
    assert len({rendered(5.0, 1), rendered(6.0, 1), rendered(5.0, 2), rendered(5.0, None)}) == 4
    assert rendered(5.0, None) != rendered(5.0, None)


@pytest.mark.parametrize("names", [["b", "a", "c"], ["c", "a", "b"]])
def test_the_order_of_a_folder_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: list[str]
) -> None:
    monkeypatch.setattr("os.listdir", lambda folder: names)
    assert listing(str(tmp_path)) == ["a", "b", "c"]
