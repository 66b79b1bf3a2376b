"""Inputs that once broke a law, some random ones, and that what breaks a law is found.

`make fuzz` tries many more.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import attrs
import pytest
from bpp.pipeline.formats import json_reader
from bpp.pipeline.formats import yaml_events as yaml_words
from fuzz import runner
from fuzz.runner import CORPUS, Finding, attempt, make, run, save, smaller
from fuzz.targets import TARGETS

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted(file for file in CORPUS.rglob("*") if file.is_file())
SEED = 20260101
COUNTS = {
    "yaml": 1500,
    "json": 1500,
    "bytes": 600,
    "parsers": 150,
    "layouts": 1500,
    "jsonc": 1500,
    "written": 120,
    "inputs": 300,
    "expression": 700,
    "evaluator": 700,
    "render": 80,
    "forms": 120,
    "agreement": 60,
    "projects": 120,
    "promotions": 150,
    "editing": 12,
    "command": 2,
}


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_an_input_that_broke_a_law_does_so_no_more(file: Path) -> None:
    wrong = attempt(TARGETS[file.parent.name], file.read_bytes())
    assert wrong is None, wrong[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_random_inputs_break_no_law(name: str) -> None:
    found = list(run(TARGETS[name], SEED, iter(range(COUNTS[name]))))
    findings = [item for item in found if isinstance(item, Finding)]
    assert not findings, (findings[0].data, findings[0].told)
    assert len(found) == COUNTS[name]


def test_a_number_is_the_same_input_every_time() -> None:
    for target in TARGETS.values():
        assert make(target, 1, 7) == make(target, 1, 7)
        assert len({make(target, 1, number) for number in range(20)}) > 5


def test_an_exception_is_found_made_small_and_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def stumble(*arguments: object) -> None:
        raise KeyError("a mistake of ours")

    monkeypatch.setattr(json_reader, "_separator", stumble)
    target = TARGETS["json"]
    findings = [i for i in run(target, 1, iter(range(150))) if isinstance(i, Finding)]
    assert {finding.kind for finding in findings} == {"KeyError at test_fuzz.py:stumble"}
    small = smaller(target, findings[0])
    assert len(small.data) <= min(8, len(findings[0].data))
    file = save(small, tmp_path)
    assert file.read_bytes() == small.data
    wrong = attempt(target, file.read_bytes())
    assert wrong is not None
    assert "a mistake of ours" in wrong[1]
    monkeypatch.undo()
    assert attempt(target, file.read_bytes()) is None


def test_a_wrong_value_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_words, "_MARKS", ";?")
    wrong = attempt(TARGETS["layouts"], b'[a:b]\n=====\n["a:b"]')
    assert wrong is not None


@pytest.mark.parametrize(
    ("name", "data", "law"),
    [
        ("layouts", b'[1]\n=====\n["1"]', "known data is read differently"),
        ("layouts", b"[1\n=====\n[1]", "known data is refused"),
        ("jsonc", b"[1.0]\n=====\n[1]", "known data is read differently"),
    ],
)
def test_laws_can_be_broken(name: str, data: bytes, law: str) -> None:
    wrong = attempt(TARGETS[name], data)
    assert wrong is not None
    assert wrong[0] == law


@pytest.mark.skipif(not hasattr(runner.signal, "setitimer"), reason="no clock that interrupts")
def test_an_input_that_takes_too_long_is_found() -> None:
    def never(data: bytes) -> None:
        while True:
            try:
                sum(range(1000))
            except Exception:
                continue

    target = attrs.evolve(TARGETS["json"], hold=never)
    assert attempt(target, b"", seconds=0.05) == ("too slow", "more than 0.05 CPU seconds")


def test_a_run_by_hand_says_what_it_tried() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", "jsonc", "--count", "30", "--seed", "5"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert lines[0] == "seed 5"
    assert lines[1].startswith("jsonc: 30 inputs in ")
    assert lines[-1].endswith("seed 5: 0 findings")
