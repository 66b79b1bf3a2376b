"""What guards cost: a blueprint of 650 KB is rendered with all of them and with none.

Each time counts in a process of its own, by turns, and the best one counts: the CPU seconds from a
file's name to the output's text, with everything imported and no expression known. Both outputs
have to be the same. As times are noisy, the calls and the steps of Python's own machine are counted
too. Then what a process takes before it does anything of note: imports and the grammar, with no
cache of bpp's.

    python -m benchmarks.attacks.guards [--rounds 9] [--kilobytes 650]
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, Final

from .. import measuring, tables
from ..workload import blueprint
from . import unguarding

MOST_SHARE: Final = 0.10
MOST_START_UP: Final = 0.200
RENDERS: Final = 3
"""Of each process."""

SMALL: Final = 20
"""Resources of the blueprint that warms up."""

ROOT: Final = Path(__file__).parent.parent.parent

GUARDS: Final[unguarding.Bodies] = {
    # files are opened without walking to them, and read without counting
    "pipeline.world.files": {
        "DiskFiles.open_input": "with open(path, 'rb') as stream: return stream.read()",
        "decode_text": "return data.decode()",
    },
    "pipeline.values.settings": {"check_limits": "pass"},
    # the size of a text and its control characters
    "pipeline.formats.characters": {
        "check_size": "return True",
        "check_yaml_characters": "return True",
        "check_json_characters": "return True",
    },
    # room on the stack
    "pipeline.values.threads": {"with_stack_room": "return function", "with_room": "return call()"},
    "pipeline.engine.evaluation": {"Evaluation._check_hops": "pass"},
    "pipeline.dialects.bluelink.evaluating.evaluation": {"Evaluation._deeper": "return call()"},
    # the length and the depth of an expression, before it is parsed
    "pipeline.language.language": {"Language._check_size": "pass", "Language.hold_depth": "pass"},
    # steps, time, and the sizes of what is computed
    "pipeline.language.meter": {
        "Meter.look": "return",
        "Meter.read": "pass",
        "Meter.with_room": "return call()",
        "Meter.work": "pass",
        "Meter.check_time": "pass",
        "Meter.called": "return",
        "Meter.built": "pass",
        "Meter.spend_nodes": "pass",
    },
    "pipeline.engine.budget": {
        "Budget.size": "pass",
        "Budget.spend": "pass",
        "Budget.spend_nodes": "pass",
    },
    "functions.value_limits": {"hold_chars": "pass", "hold_items": "pass"},
    # functions of others, and each call that a function makes of another
    "functions.guarding": {"guarded": "return function"},
    "pipeline.language.evaluator": {
        "Evaluator._metered": "return value",
        "Evaluator._check_passed": "pass",
        "_check_sink": "pass",
    },
    # secrets
    "pipeline.language.waiting": {"is_secret": "return False"},
    "pipeline.dialects.bluelink.secrets.secrecy": {"redacted": "return document"},
}
"""What is left out beside all comparisons with limits."""


def resources_of(kilobytes: int) -> int:
    """How many resources of the workload make a blueprint of that size."""
    count = 1
    while len(blueprint(count)) < kilobytes * 1000:
        count += max(1, count // 50)
    return count


def one_process(kind: str, folder: Path, counted: bool) -> dict[str, Any]:
    """What a process with or without guards takes; `counted` counts instead of measuring."""
    unguarding.install(GUARDS if kind == "bare" else None)
    from bpp.pipeline import render

    def output(name: str) -> str:
        return render(folder / f"{name}.yaml").text()

    gc.disable()  # as the command does
    output("small")
    if counted:
        return {name: count(lambda: output("large")) for name, count in COUNTS.items()}
    taken = []
    for _ in range(RENDERS):
        begin = time.process_time()
        text = output("large")
        taken.append(time.process_time() - begin)
    return {"seconds": min(taken), "output": hashlib.sha256(text.encode()).hexdigest()}


def _calls(work: Callable[[], object]) -> int:
    count = 0

    def profile(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def _steps(work: Callable[[], object]) -> int:
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(None)
    return count


COUNTS: Final = {"calls": _calls, "steps": _steps}


def in_a_process(kind: str, folder: Path, *, counted: bool = False) -> dict[str, Any]:
    """What a fresh process says of a render."""
    command = [sys.executable, "-m", "benchmarks.attacks.guards", "--one", kind, str(folder)]
    done = subprocess.run(
        [*command, *(["--counted"] if counted else ())],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
    )
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def start_up(folder: Path, rounds: int) -> tuple[float, float]:
    """The CPU seconds of a render of ten resources without caches, and of no work at all."""
    place = tables.Place(tables.find_bpp(), folder)
    programs = tables.start_up(place).programs
    for name in (tables.FLOOR, tables.COLD):
        measuring.run(programs[name], 60)
    taken: dict[str, list[float]] = {tables.COLD: [], tables.FLOOR: []}
    for _ in range(rounds):
        for name, samples in taken.items():
            sample = measuring.run(programs[name], 60)
            if sample.status != 0:
                raise SystemExit(f"`{name}` ended with status {sample.status}")
            samples.append(sample.cpu)
    return min(taken[tables.COLD]), min(taken[tables.FLOOR])


def main() -> int:
    """Prints the figures; status 1 when an aim is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9, help="processes of each kind")
    parser.add_argument("--kilobytes", type=int, default=650, help="of the blueprint")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--counted", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(one_process(given.one[0], Path(given.one[1]), given.counted)))
        return 0
    with tempfile.TemporaryDirectory(prefix="bpp-guards-") as name:
        return 0 if _measured(Path(name), given.rounds, given.kilobytes) else 1


def _measured(folder: Path, rounds: int, kilobytes: int) -> bool:
    """Prints the figures; whether all aims are met."""
    count = resources_of(kilobytes)
    for name, resources in {"large": count, "small": SMALL}.items():
        (folder / f"{name}.yaml").write_text(blueprint(resources), "utf-8")
    size = (folder / "large.yaml").stat().st_size / 1000
    kinds = ("guarded", "bare")
    said: dict[str, list[dict[str, Any]]] = {kind: [] for kind in kinds}
    for _ in range(rounds):
        for kind in kinds:
            said[kind].append(in_a_process(kind, folder))
    outputs = {one["output"] for kind in kinds for one in said[kind]}
    seconds = {kind: min(one["seconds"] for one in said[kind]) for kind in kinds}
    counts = {kind: in_a_process(kind, folder, counted=True) for kind in kinds}
    cold, floor = start_up(folder, rounds)

    print(f"{size:.0f} KB, {count} resources, best of {rounds} processes by turns")
    share = _line("CPU ms", {kind: 1000 * seconds[kind] for kind in kinds})
    for what in COUNTS:
        _line(what, {kind: counts[kind][what] for kind in kinds})
    print(f"start-up: {1000 * cold:.0f} ms CPU, {cold / floor:.1f} times `{tables.FLOOR}`")
    aims = {
        "the outputs are the same": len(outputs) == 1,
        f"guards cost at most {MOST_SHARE:.0%} of the time": share <= MOST_SHARE,
        f"start-up takes at most {1000 * MOST_START_UP:.0f} ms": cold <= MOST_START_UP,
    }
    for aim, met in aims.items():
        print(f"{'met' if met else 'MISSED'}: {aim}")
    return all(aims.values())


def _line(what: str, found: dict[str, float]) -> float:
    """Prints what was found of both kinds; the share that guards have."""
    share = 1 - found["bare"] / found["guarded"]
    print(
        f"{what}: {found['guarded']:,.0f} with guards, {found['bare']:,.0f} without, "
        f"guards are {share:.1%}"
    )
    return share


if __name__ == "__main__":
    sys.exit(main())
