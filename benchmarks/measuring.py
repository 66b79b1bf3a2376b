"""Programs as whole processes: what each of them takes, by turns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median

import attrs

STOPWATCH = Path(__file__).with_name("stopwatch.py")


class BenchmarkFailure(Exception):
    """A program did not do what it should, so no figure of it counts."""


@attrs.frozen
class Program:
    """A command, the status it ends with, and what comes before each of its runs.

    `env` is added to the environment. `accept` gets output and errors of the uncounted run as bytes
    and raises `BenchmarkFailure` when they are not what they should be.
    """

    command: tuple[str, ...]
    env: Mapping[str, str] = {}
    status: int = 0
    before: Callable[[], object] | None = None
    accept: Callable[[bytes, bytes], None] | None = None


@attrs.frozen
class Figures:
    """Medians of the counted runs, in seconds, and the highest peak, in bytes.

    `failure` says why there are none, `differs` that it is for what the program does.
    """

    wall: float = 0.0
    cpu: float = 0.0
    peak: float = 0.0
    failure: str | None = None
    differs: bool = False


@attrs.frozen
class Sample:
    """One run; `status` is None when it was stopped at the cap."""

    status: int | None
    wall: float
    cpu: float
    peak: float


def measure(
    programs: Mapping[str, Program], folder: Path, runs: int, cap: float
) -> dict[str, Figures]:
    """The figures of each program by name.

    One uncounted run of each comes first and is looked at; then all run in turn, so that a busy
    minute of the machine hits all of them. What takes longer than `cap` seconds is stopped.
    """
    found: dict[str, Figures] = {}
    for name, program in programs.items():
        try:
            _look_at(program, folder, cap)
        except BenchmarkFailure as failure:
            found[name] = Figures(failure=str(failure), differs=isinstance(failure, Differs))
    counted = {name: program for name, program in programs.items() if name not in found}
    samples: dict[str, list[Sample]] = {name: [] for name in counted}
    for _ in range(runs):
        for name, program in counted.items():
            samples[name].append(run(program, cap))
    for name, taken in samples.items():
        if any(sample.status is None for sample in taken):
            found[name] = Figures(failure=_stopped(cap))
            continue
        found[name] = Figures(
            median(sample.wall for sample in taken),
            median(sample.cpu for sample in taken),
            max(sample.peak for sample in taken),
        )
    return {name: found[name] for name in programs}


class Differs(BenchmarkFailure):
    """The output of a program is not what the workload means."""


def _look_at(program: Program, folder: Path, cap: float) -> None:
    """The uncounted run."""
    output, errors = folder / "output", folder / "errors"
    sample = run(program, cap, str(output), str(errors))
    if sample.status is None:
        raise BenchmarkFailure(_stopped(cap))
    said = errors.read_bytes()
    if sample.status != program.status:
        lines = said.decode("utf-8", "replace").strip().splitlines() or [""]
        raise Differs(f"ended with status {sample.status}: {lines[-1][:200]}")
    if program.accept is not None:
        program.accept(output.read_bytes(), said)


def _stopped(cap: float) -> str:
    return f"stopped after {cap:g} s"


def run(program: Program, cap: float, output: str = os.devnull, errors: str = os.devnull) -> Sample:
    """One run of a program."""
    if program.before is not None:
        program.before()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BPP_")}
    # with it bpp would be compiled in every process, and what pip installed would not
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    watch = [sys.executable, "-I", "-S", str(STOPWATCH), str(cap), output, errors]
    done = subprocess.run(
        [*watch, *program.command],
        env={**kept, **program.env},
        stdout=subprocess.PIPE,
        check=True,
    )
    return Sample(*json.loads(done.stdout))
